"""Samples of fractional maximum pools."""

from __future__ import annotations

from . import Sample, apart, between

_DRAWN = between(2, 1, 3, low=0.0, high=0.99)

SAMPLES = [
    Sample("fractional_max_pool2d", (apart(2, 1, 5, 6), _DRAWN[..., :2]), ((2, 3), (3, 2))),
    Sample("fractional_max_pool2d", (apart(1, 5, 6), _DRAWN[:1, :, :2]), ((2, 2), (1, 3))),
    Sample("fractional_max_pool3d", (apart(2, 1, 3, 3, 4), _DRAWN), ((1, 2, 2), (2, 2, 2))),
]
