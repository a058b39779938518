"""Samples of connectionist temporal classification.

Its gradient is torch's: by the outputs before `log_softmax`, so finite differences of the loss itself do not
apply, and it has no second derivative.
"""

from __future__ import annotations

import numpy as np

from pullback.array.ctc import forward, states

from . import Sample, normal


def _log_softmax(x: np.ndarray) -> np.ndarray:
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


_TARGETS = np.array([[1, 2, 2], [3, 1, 0]])
_LENGTHS = (np.array([6, 5]), np.array([3, 2]))

_SLOPE = (_log_softmax(normal(6, 2, 4)), _TARGETS, *_LENGTHS)
with np.errstate(divide="ignore"):  # states that no path reaches have log 0, as kernels are to find it
    _VARIABLES = forward(_SLOPE[0], states(_TARGETS, 0), *_LENGTHS)

SAMPLES = [
    Sample(
        "ctc_rows", (_TARGETS, *_LENGTHS), (0, 6),
        reference=lambda targets, *_: np.array([[1, 2, 2], [3, 1, 0]]),
    ),
    Sample("ctc_loss", (_log_softmax(normal(6, 2, 4)), _TARGETS, *_LENGTHS), (0, False), smooth=False),
    Sample("ctc_loss_slope", (*_SLOPE, *_VARIABLES), (0, True), smooth=False),
]
