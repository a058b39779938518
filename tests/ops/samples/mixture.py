"""Samples of clamps, mixtures, scaled sums and other functions of several values."""

from __future__ import annotations

import numpy as np

from . import Sample, apart, complex_normal, normal, positive

SAMPLES = [
    Sample("add_scaled", (normal(3, 4), normal(4)), (2.5,), reference=lambda x, y, a: x + a * y),
    Sample("sub_scaled", (normal(3, 4), normal(4)), (-2.5,), reference=lambda x, y, a: x + a * y),
    Sample(
        "addcmul", (normal(3), normal(2, 3), normal(3)), (0.5,), reference=lambda x, y, z, v: x + v * y * z
    ),
    Sample(
        "addcdiv", (normal(3), normal(2, 3), positive(3)), (0.5,), reference=lambda x, y, z, v: x + v * y / z
    ),
    Sample("lerp", (normal(3), normal(3)), (0.3,), reference=lambda x, y, w: x + w * (y - x)),
    Sample("lerp", (normal(3), normal(3)), (0.8,), reference=lambda x, y, w: x + w * (y - x)),
    Sample("lerp_tensor", (normal(3), normal(3), normal(3)), reference=lambda x, y, w: x + w * (y - x)),
    Sample("clamp", (apart(7),), (-0.16, 0.16), reference=np.clip),
    Sample("clamp", (apart(7),), (None, 0.16)),
    Sample("clamp_min", (apart(6), apart(6)[::-1] + 0.03), reference=np.maximum),
    Sample("clamp_max", (apart(6), apart(6)[::-1] + 0.03), reference=np.minimum),
    Sample("clamp_min_tensor", (apart(6), apart(6)[::-1] + 0.03), reference=np.maximum),
    Sample("clamp_max_tensor", (apart(6), apart(6)[::-1] + 0.03), reference=np.minimum),
    Sample("clamp_min_number", (apart(7),), (0.16, None), reference=lambda x, low, _: np.maximum(x, low)),
    Sample("clamp_max_number", (apart(7),), (None, 0.16), reference=lambda x, _, high: np.minimum(x, high)),
    Sample("clamp_both", (apart(6), normal(6) - 1, normal(6) + 1)),
    *(
        Sample(n, (apart(6), apart(6)[::-1] + 0.03), reference=getattr(np, n))
        for n in ("maximum", "minimum", "fmax", "fmin")
    ),
    Sample("remainder", (positive(4, low=2.1, high=2.9), np.full(4, 1.0)), reference=np.remainder),
    Sample("fmod", (positive(4, low=2.1, high=2.9), np.full(4, -1.0)), reference=np.fmod),
    Sample("remainder_number", (positive(4, low=2.1, high=2.9),), (-1.0,), reference=np.remainder),
    Sample("remainder_of_number", (positive(4, low=2.1, high=2.9),), (5.0,), smooth=False),
    Sample("fmod_number", (positive(4, low=2.1, high=2.9),), (-1.0,), reference=np.fmod),
    Sample("div_floor", (normal(4), positive(4)), reference=np.floor_divide),
    *(
        Sample(name, (normal(4), positive(4)), smooth=False, reference=np.floor_divide)
        for name in ("floor_divide", "floor_divide_")
    ),
    Sample("div_trunc", (normal(4), positive(4)), reference=lambda x, y: np.trunc(x / y)),
    Sample("atan2", (normal(4), normal(4)), reference=np.arctan2),
    Sample("hypot", (normal(4), normal(4)), reference=np.hypot),
    Sample("copysign", (normal(4), normal(4)), reference=np.copysign),
    Sample("logaddexp", (normal(4), normal(4)), reference=np.logaddexp),
    Sample(
        "logaddexp",
        (complex_normal(4), complex_normal(4)),
        reference=lambda x, y: np.log(np.exp(x) + np.exp(y)),
    ),
    Sample("logaddexp2", (normal(4), normal(4)), reference=np.logaddexp2),
    Sample("masked_fill", (normal(4), normal(4) > 0), (2.0,)),
    Sample("masked_fill_tensor", (normal(4), normal(4) > 0, normal())),
    Sample("angle", (complex_normal(4),), reference=np.angle),
    Sample("angle", (normal(4),), reference=np.angle),
]
