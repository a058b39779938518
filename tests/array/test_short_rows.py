"""A reduction along a short axis gives what NumPy's gives, bit for bit; sums are as exact."""

from __future__ import annotations

import numpy as np
import pytest

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
