"""Samples of packing and padding sequences."""

from __future__ import annotations

from . import Sample, normal

SAMPLES = [
    Sample("pack_padded_sequence", (normal(3, 2, 2),), ((3, 1),)),
    Sample("pad_packed_sequence", (normal(4, 2),), ((3, 1), 4, 0.5)),
    Sample("pad_sequence", (normal(3, 2), normal(1, 2)), ((3, 1), 0.5, False, False)),
    Sample("pad_sequence", (normal(1), normal(2)), ((1, 2), 0.5, True, True)),
]
