"""The Fourier kernels by SciPy's public functions, which a SciPy without its own module would be asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.core.op import TABLE
from pullback.ops import fft

C2C, R2C, C2R = (TABLE[name].kernel for name in ("fft_c2c", "fft_r2c", "fft_c2r"))
DIMS = [(0,), (2,), (0, 2), (2, 0), (1, 2), (0, 1, 2)]


def _found(dims: tuple[int, ...], normalization: int) -> list[Any]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 3, 6))
    z = x + 1j * rng.standard_normal(x.shape)
    return [
        C2C(z, dims, normalization, True),
        C2C(z.T, dims, normalization, False),
        R2C(x, dims, normalization, True),
        R2C(x, dims, normalization, False),
        *(C2R(z, dims, normalization, size) for size in (3, 6, 10, 13)),
    ]


@pytest.mark.parametrize("normalization", [0, 1, 2])
@pytest.mark.parametrize("dims", DIMS, ids=str)
def test_public_functions_give_the_same(
    dims: tuple[int, ...], normalization: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pullback.ops import public_fft

    found = _found(dims, normalization)
    monkeypatch.setattr(fft, "_pocketfft", lambda: public_fft)
    for own, public in zip(found, _found(dims, normalization), strict=True):
        assert own.strides == public.strides
        np.testing.assert_array_equal(own, public)


def test_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).standard_normal((64, 1024))
    found = R2C(x, (1,), 0, True)
    monkeypatch.setattr(fft, "worthwhile", lambda work, worth: 2)
    np.testing.assert_array_equal(R2C(x, (1,), 0, True), found)
