"""Connectionist temporal classification."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..array import ctc as kernels
from ..core.op import like_first, op
from .structure import reshape


def _ctc_rows(
    targets: ndarray, input_lengths: ndarray, target_lengths: ndarray, /, blank: int, times: int
) -> ndarray:
    longest, shortest = target_lengths.max(initial=0), target_lengths.min(initial=0)
    fits = target_lengths.sum() == targets.size if targets.ndim == 1 else longest <= targets.shape[1]
    if not fits or shortest < 0 or input_lengths.min(initial=0) < 0 or input_lengths.max(initial=0) > times:
        raise RuntimeError("the lengths do not go with the targets")
    return kernels.padded(targets, target_lengths, blank, targets.shape[-1])


#: Targets (N, width), blanks behind their ends; the lengths are checked, too. Where they are known before a
#: program runs, `padded` gives the same.
ctc_rows: Any = op(
    "ctc_rows", _ctc_rows,
    shape=lambda targets, input_lengths, target_lengths, blank, times: (
        ((*target_lengths.shape, targets.shape[-1]), np.dtype(np.int64)),
    ),
)  # fmt: skip


def _ctc_loss(
    log_probs: ndarray, targets: ndarray, input_lengths: ndarray, target_lengths: ndarray, /, blank: int,
    zero_infinity: bool,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    longest = int(target_lengths.max(initial=0))
    chain = kernels.states(targets[:, :longest], blank)
    losses, alphas = kernels.forward(log_probs, chain, input_lengths, target_lengths)
    if targets.shape[1] == longest:
        return losses, alphas
    wide = np.zeros((*alphas.shape[:2], 2 * targets.shape[1] + 1), alphas.dtype)
    wide[..., : alphas.shape[2]] = alphas
    return losses, wide


def _shapes(log_probs: Any, targets: Any, *_: Any) -> tuple[Any, Any]:
    times, samples, _ = log_probs.shape
    kind = np.dtype(log_probs.dtype)
    return ((samples,), kind), ((times, samples, 2 * targets.shape[1] + 1), kind)


def _slope(
    log_probs: ndarray, targets: ndarray, input_lengths: ndarray, target_lengths: ndarray, losses: ndarray,
    alphas: ndarray, /, blank: int, zero_infinity: bool,
) -> ndarray:  # fmt: skip
    chain = kernels.states(targets[:, : int(target_lengths.max(initial=0))], blank)
    alphas = alphas[..., : chain.labels.shape[1]]
    slope = kernels.backward(log_probs, chain, input_lengths, target_lengths, losses, alphas)
    if zero_infinity:
        slope[:, np.isinf(losses)] = 0
    return slope


#: Gradients (T, N, C) of the losses; without a derivative of its own, as in torch.
_ctc_slope: Any = op("ctc_loss_slope", _slope, underivable="_ctc_loss_backward", shape=like_first)

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
    outputs=("losses", "alphas"), differentiable=(0,), node_name="CtcLossBackward0", shape=_shapes,
)  # fmt: skip
