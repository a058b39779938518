"""Samples of functions of Python's numbers."""

from __future__ import annotations

import math

import numpy as np

from . import Sample

SAMPLES = [
    Sample("number_function", (np.array(x), np.array(y)), (name,), reference=lambda *_, z=z: np.array(z))
    for name, x, y, z in (
        ("pow", 2.0, 0.5, 2.0**0.5), ("round", 2.675, 2.0, 2.67), ("exp", -0.3, 0.0, math.exp(-0.3)),
        ("log", -1.0, 0.0, math.nan), ("pow", -1.0, 0.5, math.nan), ("mod", -7.5, 2.0, 0.5),
    )
]  # fmt: skip
