"""The native recursion of L-BFGS gives the bits of the one in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array import lanes, large

pytest.importorskip("llvmlite")


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 31, 60, 144, 1000, 1023])
@pytest.mark.parametrize("pairs", [0, 1, 7])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bits_are_numpys(size, pairs, dtype):
    rng = np.random.default_rng(size)
    s, y = (list(rng.standard_normal((pairs, size)).astype(dtype)) for _ in range(2))
    by = [np.asarray(v) for v in rng.standard_normal(pairs).astype(dtype)]
    start, scale = rng.standard_normal(size).astype(dtype), dtype(0.7)
    expected, weights = start.copy(), [dtype(0)] * pairs
    for i in reversed(range(pairs)):
        weights[i] = lanes.dot(s[i], expected) * by[i]
        lanes.add_scaled(expected, y[i], -weights[i], expected)
    expected *= scale
    for i in range(pairs):
        lanes.add_scaled(expected, s[i], weights[i] - lanes.dot(y[i], expected) * by[i], expected)
    found = lanes.Lanes(start, moves=True)
    laid_out = [[lanes.Lanes(v) for v in vectors] for vectors in (s, y)]
    places = ([v.address for v in vectors] for vectors in laid_out)
    given = large.ask("recursion", found.values, *places, by, float(scale))
    assert found.elements().tobytes() == expected.tobytes()
    assert given.tobytes() == np.asarray(weights, dtype).tobytes()
