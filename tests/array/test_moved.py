"""Where elements come from is found for what moves them, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from pullback.array.moved import sources

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.mark.parametrize("x", [X, X.T, np.broadcast_to(X[0], (2, 3)), X.astype(np.int64)])
@pytest.mark.parametrize("function", [
    lambda x: np.flip(x).copy(), np.tril, lambda x: np.concatenate([x, x], 1), lambda x: np.pad(x, 1),
    lambda x: x.T.copy("K"),
])  # fmt: skip
def test_moves_are_found(function, x):
    result = function(x)
    found = sources(function, [x], result)
    assert found is not None and len(found) == result.size
    flat = dict(zip(_offsets(x), x.reshape(-1).tolist(), strict=True))
    moved = [0 if slot < 0 else flat[offset] for slot, offset in found]
    in_memory = result.T if result.strides[0] < result.strides[-1] else result
    assert moved == in_memory.reshape(-1).tolist()


@pytest.mark.parametrize("function", [
    np.cumsum, lambda x: x * 2, lambda x: -x, np.abs, lambda x: np.sort(x.reshape(-1)), lambda x: x + 0.0,
    lambda x: np.maximum(x, 0), lambda x: x @ np.eye(3, dtype=x.dtype),
    lambda x: np.broadcast_to(x[0], (4, 3)),
])  # fmt: skip
def test_what_computes_is_none(function):
    assert sources(function, [X], function(X)) is None


def test_bytes_and_many_elements_are_left():
    assert sources(np.copy, [X.astype(np.int8)], X.astype(np.int8)) is None
    assert sources(np.copy, [np.ones(5000)], np.ones(5000)) is None


def _offsets(x):
    return [i * x.strides[0] + j * x.strides[1] for i in range(x.shape[0]) for j in range(x.shape[1])]
