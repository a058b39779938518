"""Samples of numbers rounded to those of a quantised tensor."""

from __future__ import annotations

import numpy as np

from . import Sample, normal

SAMPLES = [
    Sample(
        name, (normal(3, 4), 1 / scale, scale, np.array(1.0)), (-4, 3), smooth=False,
        reference=lambda x, inverse, scale, zero, low, high:
            (np.clip(np.rint(x * inverse) + zero, low, high) - zero) * scale,
    )
    for name, scale in (
        ("fake_quantize", np.array(0.25)), ("fake_quantize_by_tensor", np.array(0.5)),
        ("fake_quantize_by_channel", np.array([[0.2], [0.3], [0.7]])),
    )
]  # fmt: skip
