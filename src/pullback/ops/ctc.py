"""Connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import ctc as kernels
from ..core.op import op
from .structure import reshape


def _ctc_loss(
    log_probs: ndarray, targets: ndarray, input_lengths: ndarray, target_lengths: ndarray, /, blank: int,
    zero_infinity: bool,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    chain = kernels.states(targets, blank)
    return kernels.forward(log_probs, chain, input_lengths, target_lengths)


def _slope(
    log_probs: ndarray, targets: ndarray, input_lengths: ndarray, target_lengths: ndarray, losses: ndarray,
    alphas: ndarray, /, blank: int, zero_infinity: bool,
) -> ndarray:  # fmt: skip
    chain = kernels.states(targets, blank)
    slope = kernels.backward(log_probs, chain, input_lengths, target_lengths, losses, alphas)
    if zero_infinity:
        slope[:, np.isinf(losses)] = 0
    return slope


#: Gradients (T, N, C) of the losses; without a derivative of its own, as in torch.
_ctc_slope: Any = op(
    "ctc_loss_slope", _slope, underivable="_ctc_loss_backward"
)

#: Minus the logarithm of the targets' probabilities (N,) and the forward variables.
ctc_loss: Any = op(
    "ctc_loss", _ctc_loss,
    (
        lambda g, log_probs, targets, input_lengths, target_lengths, losses, alphas, blank, zero_infinity: (
            reshape(g, (1, -1, 1))
            * _ctc_slope(
                log_probs, targets, input_lengths, target_lengths, losses, alphas, blank, zero_infinity
            )
        ),
        None, None, None,
    ),
    outputs=("losses", "alphas"), differentiable=(0,), node_name="CtcLossBackward0",
)  # fmt: skip
