"""Samples of the softmax family."""

from __future__ import annotations

from scipy import special

from . import Sample, normal

SAMPLES = [
    Sample("softmax", (normal(3, 4),), (1,), reference=lambda x, d: special.softmax(x, axis=d)),
    Sample("softmax", (normal(2, 3, 4),), (1,), reference=lambda x, d: special.softmax(x, axis=d)),
    Sample("softmax", (normal(),), (0,)),
    Sample("safe_softmax", (normal(3, 4),), (1,), reference=lambda x, d: special.softmax(x, axis=d)),
    Sample("log_softmax", (normal(3, 4),), (0,), reference=lambda x, d: special.log_softmax(x, axis=d)),
    Sample("log_softmax", (normal(),), (0,)),
]
