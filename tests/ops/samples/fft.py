"""Samples of the Fourier transforms."""

from __future__ import annotations

import numpy as np

from . import Sample, complex_normal, normal

SAMPLES = [
    Sample("fft_c2c", (complex_normal(3, 4),), ((1,), 0, True), reference=lambda x, *_: np.fft.fft(x)),
    Sample(
        "fft_c2c", (complex_normal(2, 3, 5),), ((2, 0), 2, False),
        reference=lambda x, *_: np.fft.ifftn(x, axes=(2, 0)),
    ),
    Sample(
        "fft_c2c", (complex_normal(3, 4),), ((0,), 1, True),
        reference=lambda x, *_: np.fft.fft(x, axis=0, norm="ortho"),
    ),
    Sample("fft_c2c", (complex_normal(3),), ((), 0, True), reference=lambda x, *_: x),
    Sample("fft_r2c", (normal(3, 4),), ((1,), 0, True), reference=lambda x, *_: np.fft.rfft(x)),
    Sample(
        "fft_r2c", (normal(3, 5, 2),), ((2, 1), 1, True),
        reference=lambda x, *_: np.fft.rfftn(x, axes=(2, 1), norm="ortho"),
    ),
    Sample("fft_r2c", (normal(3, 4),), ((0,), 2, False), reference=lambda x, *_: np.fft.fft(x, axis=0) / 3),
    Sample("fft_c2r", (complex_normal(3, 4),), ((1,), 2, 6), reference=lambda x, *_: np.fft.irfft(x)),
    Sample("fft_c2r", (complex_normal(3, 4),), ((1,), 0, 7), reference=lambda x, *_: 7 * np.fft.irfft(x, 7)),
    Sample(
        "fft_c2r", (complex_normal(3, 4),), ((1, 0), 1, 5),
        reference=lambda x, *_: np.fft.irfftn(x, (4, 5), axes=(1, 0), norm="ortho"),
    ),
]  # fmt: skip
