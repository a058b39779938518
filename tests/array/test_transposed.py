"""Copies in tiles hold what NumPy's copies hold, whatever the layout of the source."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array.transposed import c_copy

LAYOUTS = {
    "transposed": lambda x: x.reshape(600, 700).T,
    "a part of it": lambda x: x.reshape(600, 700)[3:590, 1:681].T,
    "channels last": lambda x: x.reshape(7, 60, 20, 50).transpose(0, 2, 3, 1),
    "channels first": lambda x: x.reshape(20, 50, 420).transpose(2, 0, 1),
    "few channels": lambda x: x.reshape(140, 1000, 3).transpose(2, 0, 1),
    "reversed axes": lambda x: x.reshape(70, 1, 60, 100).transpose(3, 2, 1, 0),
    "backwards": lambda x: x.reshape(600, 700)[::-1, ::-1].T,
    "broadcast": lambda x: np.broadcast_to(x[:700, None], (700, 400)),
    "one column": lambda x: x.reshape(210_000, 2)[:, :1],
    "powers of two": lambda x: x[: 1 << 18].reshape(256, 1024).T,
    "parts of matrices": lambda x: x[: 3 << 17].reshape(3, 128, 1024)[..., 5:1005].transpose(0, 2, 1),
    "as it is": lambda x: x.reshape(600, 700),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "?"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_large_copy_is_the_array_in_c_order(layout: str, dtype: str) -> None:
    x = LAYOUTS[layout]((np.random.default_rng(0).standard_normal(420_000) * 9).astype(dtype))
    copy = c_copy(x)
    assert copy.flags.c_contiguous
    assert copy.flags.owndata
    np.testing.assert_array_equal(copy, x)


def test_small_arrays_are_copied_too() -> None:
    x = np.arange(6).reshape(2, 3).T
    assert c_copy(x).tolist() == x.tolist()
    assert c_copy(np.array(3.0)).shape == ()
