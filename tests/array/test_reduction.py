"""Reductions of large rows give what NumPy's give in float64."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from pullback.array import reduction


def _rows(dtype: str) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((7, 90, 500)).astype(dtype)


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rows(dtype: str, keepdim: bool) -> None:
    x = _rows(dtype)
    assert reduction.is_over_rows(x, (2,))
    assert not reduction.is_over_rows(x, (1,))
    assert not reduction.is_over_rows(x.swapaxes(0, 2), (2,))
    wide = x.astype(np.float64)
    sums, logs = reduction.row_sums(x, keepdim), reduction.row_logsumexp(x, keepdim)
    assert sums.dtype == logs.dtype == x.dtype
    np.testing.assert_allclose(sums, wide.sum(-1, keepdims=keepdim), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(logs, special.logsumexp(wide, axis=-1, keepdims=keepdim), rtol=1e-6)


def test_rows_of_infinities_have_a_log_sum() -> None:
    x = _rows("f4")
    x[0, 0], x[0, 1, 3], x[0, 2, 3] = -np.inf, np.inf, np.nan
    with np.errstate(all="ignore"):
        assert reduction.row_logsumexp(x, False)[0, :3].tolist()[:2] == [-np.inf, np.inf]
        assert np.isnan(reduction.row_logsumexp(x, False)[0, 2])


@pytest.mark.parametrize("shape", [(40, 9_000), (2, 300_000), (300, 8_192), (30, 10_007)])
def test_long_rows_round_like_pairwise_sums(shape: tuple[int, int]) -> None:
    x = np.random.default_rng(0).random(shape, np.float32)
    np.testing.assert_allclose(reduction.row_sums(x, False), x.sum(-1, dtype="f8"), rtol=3e-7)


@pytest.mark.parametrize("shape", [(0,), (1,), (70_001,), (300, 500), (1_300_000,)])
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.complex64])
def test_total(shape, dtype):
    x = np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)
    for array in (x, x.T, x[::2]):
        result = reduction.total(array)
        assert (type(result), result.shape, result.dtype) == (np.ndarray, (), dtype)
        assert result == array.sum(dtype=np.complex128)


def test_total_rounds_like_a_pairwise_sum():
    x = np.random.default_rng(0).random(2_000_000, np.float32)
    exact = math.fsum(x)
    assert abs(float(reduction.total(x)) - exact) / exact < 1e-6


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_norm(dtype: str) -> None:
    x = _rows(dtype)
    result = reduction.norm(x)
    assert (result.shape, result.dtype) == ((), x.dtype)
    np.testing.assert_allclose(result, np.linalg.norm(x.astype(np.float64)), rtol=1e-6)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("shape", [(), (3, 5, 300), (300, 4, 2)])
def test_running_sums(dim: int, reverse: bool, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).random(shape) if shape else _rows("f8").swapaxes(0, 1)
    turned = np.flip(x, dim) if reverse else x
    expected = turned.cumsum(dim)
    np.testing.assert_array_equal(
        reduction.accumulated(np.add, x, dim, reverse), np.flip(expected, dim) if reverse else expected
    )


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "dim"), [((100_000,), 0), ((3_000, 40), 0), ((2, 20_000, 3), 1), ((70, 900), 0)]
)
def test_running_sums_do_not_lose_digits(shape: tuple[int, ...], dim: int, reverse: bool) -> None:
    x = np.random.default_rng(0).random(shape, np.float32)
    wide = x.astype(np.float64)
    expected = np.flip(np.flip(wide, dim).cumsum(dim), dim) if reverse else wide.cumsum(dim)
    np.testing.assert_array_equal(reduction.accumulated(np.add, x, dim, reverse), expected.astype(np.float32))
    products = np.multiply.accumulate(wide / 1024 + 1, axis=dim)
    found = reduction.accumulated(np.multiply, (wide / 1024 + 1).astype(np.float32), dim)
    np.testing.assert_allclose(found, products, rtol=1e-6 * shape[dim] ** 0.5)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
@pytest.mark.parametrize("dims", [(0, 2), (2, 0), (1, 3), (0, 1, 3)])
def test_extremes_over_axes_that_are_apart(dims: tuple[int, ...], dtype: str) -> None:
    pytest.importorskip("llvmlite")
    x = (np.random.default_rng(0).standard_normal((16, 20, 24, 40)) * 99).astype(dtype)
    if dtype != "i8":
        x[3, 4, 5, 6] = np.nan
    for name, ufunc in (("amax", np.maximum), ("amin", np.minimum)):
        for keepdim in (False, True):
            found = reduction.gathered(name, x, dims, keepdim)
            assert found is not None
            np.testing.assert_array_equal(found, ufunc.reduce(x, axis=dims, keepdims=keepdim), strict=True)
