"""A reduction along a short axis gives what NumPy's gives, bit for bit; sums are as exact."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array import short_rows
from pullback.array.short_rows import reduced


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum])
@pytest.mark.parametrize("columns", [1, 2, 3, 7, 8, 16, 17])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_numpys_bits(ufunc, columns, dtype):
    rng = np.random.default_rng(columns)
    x = (rng.standard_normal((5, 300, columns)) * 10).astype(dtype)
    if dtype is not np.int32:
        x[0, :3] = [[np.nan], [np.inf], [-0.0]]
    for axes in (2, -1, (2,), (1,), (0, 2)):
        for given in (x, x[::2], x.transpose(1, 0, 2)):
            with np.errstate(all="ignore"):
                expected = ufunc.reduce(given, axis=axes, dtype=dtype, keepdims=True)
                found = reduced(ufunc, given, axes, True)
                short = reduced(ufunc, given, axes)
            assert found.shape == expected.shape
            np.testing.assert_array_equal(short, found.reshape(short.shape))
            if ufunc is not np.add or dtype is np.int32:
                np.testing.assert_array_equal(found, expected)
                continue
            # Numbers added in any order are off by (n − 1)·ε/2·Σ|x| at most.
            finite = np.isfinite(expected)
            np.testing.assert_array_equal(found[~finite], expected[~finite])
            with np.errstate(all="ignore"):
                exact = given.astype(np.longdouble).sum(axes, keepdims=True)[finite]
                sizes = np.abs(given).sum(axes, keepdims=True)[finite]
            count = given.size // found.size
            bound = (count - 1) * np.finfo(dtype).eps / 2 * sizes * 1.01
            assert (np.abs(found[finite] - exact) <= bound).all()


@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
@pytest.mark.parametrize("shape", [(300, 4, 3), (16, 10, 8, 2), (128, 2, 32)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_an_axis_before_a_short_one_takes_a_pass_for_each_place(monkeypatch, ufunc, shape, dtype):
    passes = []
    own = short_rows._in_order
    monkeypatch.setattr(short_rows, "_in_order", lambda *args: passes.append(1) or own(*args))
    x = (np.random.default_rng(0).standard_normal(shape) * 10).astype(dtype)
    axis = len(shape) - 2
    for axes in (axis, (axis,), -2):
        expected = ufunc.reduce(x, axis=axes)
        np.testing.assert_array_equal(reduced(ufunc, x, axes), expected)
        np.testing.assert_array_equal(reduced(ufunc, x, axes, True), np.expand_dims(expected, axis))
    assert len(passes) == 6
    # There NumPy goes otherwise, or as fast.
    passes.clear()
    for other in (x[:4], x.swapaxes(axis, -1)):
        reduced(np.add, other, axis)
    assert not passes
