"""Samples of the view functions' copying twins and of the unsafe splits."""

from __future__ import annotations

import numpy as np

from pullback.ops.copies import copies

from . import Sample, normal

SAMPLES = [
    *(
        Sample(call.op.name, (normal(3, 4).T,), reference=np.ascontiguousarray, smooth=key != "detach")
        for key, call in copies.items()
    ),
    Sample("unsafe_split", (normal(5, 2),), (2, 0)),
    Sample("unsafe_split", (normal(2, 4),), (2, 1)),
    Sample("unsafe_split_with_sizes", (normal(5, 2),), ((1, 4), 0)),
]
