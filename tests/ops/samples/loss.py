"""Samples of losses."""

from __future__ import annotations

import numpy as np

from . import Sample, apart, between, integers, normal, positive

_REDUCTIONS = ("none", "mean", "sum")
_TARGET = np.array([1, -100, 0, 3])

SAMPLES = [
    *(Sample("mse_loss", (normal(3, 4), normal(4)), (how,)) for how in _REDUCTIONS),
    *(Sample("smooth_l1_loss", (apart(3, 4), normal(3, 4, scale=0.01)), (0.51, how)) for how in _REDUCTIONS),
    Sample("huber_loss", (apart(3, 4), normal(3, 4, scale=0.01)), (0.51, "mean")),
    Sample("variances", (between(5, low=0.1, high=0.9),), reference=lambda var: var),
    Sample("soft_margin_loss", (normal(3, 4), integers(3, 4, low=1, high=3)), ("mean",)),
    Sample("binary_cross_entropy_slope", (between(3, low=0.1, high=0.9), between(3, low=0.1, high=0.9))),
    Sample(
        "binary_cross_entropy",
        (between(3, low=0.1, high=0.9), between(3, low=0.1, high=0.9), None),
        ("mean",),
    ),
    Sample(
        "binary_cross_entropy",
        (between(3, low=0.1, high=0.9), between(3, low=0.1, high=0.9), integers(3)),
        ("sum",),
    ),
    Sample(
        "binary_cross_entropy_with_logits",
        (normal(2, 3), between(2, 3, low=0.1, high=0.9), None, None),
        ("mean",),
    ),
    Sample(
        "binary_cross_entropy_with_logits",
        (normal(2, 3), between(2, 3, low=0.1, high=0.9), integers(3, low=1), integers(3, low=1)),
        ("none",),
    ),
    *(Sample("nll_loss", (normal(4, 5), _TARGET, None), (how, -100)) for how in _REDUCTIONS),
    Sample("nll_loss", (normal(4, 5), np.array([1, 2, 0, 3]), integers(5, low=1)), ("mean", 2)),
    Sample("nll_loss", (normal(5), np.array(2), None), ("mean", -100)),
    *(
        Sample("nll_loss2d", (normal(2, 5, 3), integers(2, 3, high=5), None), (how, -100))
        for how in _REDUCTIONS
    ),
    *(Sample("nll_loss_backward", (normal(), _TARGET, None), ((4, 5), how, -100)) for how in ("mean", "sum")),
    Sample("nll_loss_backward", (normal(4), _TARGET, positive(5)), ((4, 5), "none", -100), smooth=False),
    Sample("nll_loss_backward", (normal(2, 3), integers(2, 3, high=5), None), ((2, 5, 3), "none", -100)),
    Sample("nll_weights", (_TARGET, None), (-100, np.dtype(np.float64))),
    Sample("nll_weights", (_TARGET, positive(5)), (-100, np.dtype(np.float64))),
]
