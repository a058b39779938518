"""Samples of the losses of margins."""

from __future__ import annotations

import numpy as np

from . import Sample, normal, positive

_TARGETS = np.array([[0, 2, -1, 1], [-1, 0, 0, 0], [3, 1, 2, -1]])

SAMPLES = [
    Sample("multi_margin_loss", (normal(3, 4), np.array([0, 3, 1]), None), (1, 1.0, "mean")),
    Sample("multi_margin_loss", (normal(3, 4), np.array([0, 3, 1]), None), (2, 0.5, "none")),
    Sample("multi_margin_loss", (normal(4), np.array(2), None), (2, 1.0, "sum")),
    # the weights get no gradient, as in torch
    Sample(
        "multi_margin_loss", (normal(3, 4), np.array([0, 3, 1]), positive(4)), (2, 0.5, "none"), smooth=False
    ),
    Sample("multilabel_margin_loss", (normal(3, 4), _TARGETS), ("mean",)),
    Sample("multilabel_margin_loss", (normal(3, 4), _TARGETS), ("none",)),
    Sample("multilabel_margin_loss", (normal(4), _TARGETS[0]), ("sum",)),
    Sample("multilabel_margin_slope", (normal(3, 4), _TARGETS)),
]
