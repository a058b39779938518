"""The grid of an affine map is rounded as torch rounds it; weights of pixels have their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array import sampler
from pullback.array.sampler import base_grid

#: What torch 2.13 has in the first half of a row of 28 pixels: the last bits decide between two pixels.
ROW = [
    "-0x1.edb6dcp-1", "-0x1.c92492p-1", "-0x1.a4924ap-1", "-0x1.8p-1", "-0x1.5b6db6p-1", "-0x1.36db6ep-1",
    "-0x1.124926p-1", "-0x1.db6db6p-2", "-0x1.924924p-2", "-0x1.492490p-2", "-0x1.0p-2", "-0x1.6db6dcp-3",
    "-0x1.b6db6cp-4", "-0x1.249246p-5",
]  # fmt: skip


def test_the_coordinates_of_pixels() -> None:
    grid = base_grid((1, 28), False, np.dtype(np.float32))
    assert grid.dtype == np.float32
    assert grid[:14, 0].tolist() == [float.fromhex(text) for text in ROW]
    assert (grid[14:, 0] == -grid[13::-1, 0]).all()
    assert (grid[:, 1:] == [0.0, 1.0]).all()


@pytest.mark.parametrize("mode", sampler.KERNELS)
def test_weights_are_derived_as_polynomials_are(mode: str) -> None:
    for order in range(5):
        told = [np.polynomial.Polynomial(c).deriv(order).coef.tolist() for c in sampler.KERNELS[mode][0]]
        assert [*map(list, sampler.derived(mode, order))] == told
