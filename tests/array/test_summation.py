"""Sums over any axes are as near to the sum of the numbers as sums by pairs are."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest

from pullback.array import large, summation
from pullback.array.reduction import row_sums
from pullback.array.summation import sum_over

#: Largest error, in units of the sum of what are all positive numbers.
_BOUNDS = {"float16": 5e-4, "bfloat16": 4e-3, "float32": 3.5e-7, "float64": 1e-15, "complex64": 3.5e-7}

_SHAPES = [
    (20_000, 3), (20_000, 64), (130, 4_100), (65, 2_049), (40, 3, 40, 20), (2, 700, 2), (3_000, 1, 2, 5),
]  # fmt: skip


def _numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    x = np.random.default_rng(0).random(shape)
    kind = getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype
    return (x * 0.1 + (0.1j * x[::-1] if dtype == "complex64" else 0)).astype(kind)


@pytest.mark.parametrize("dtype", _BOUNDS)
@pytest.mark.parametrize("shape", _SHAPES)
def test_errors_do_not_grow_with_the_number_of_rows(shape: tuple[int, ...], dtype: str) -> None:
    x = _numbers(shape, dtype)
    wide = x.astype(np.clongdouble if dtype == "complex64" else np.longdouble)
    for count in range(1, len(shape) + 1):
        for dims in itertools.combinations(range(len(shape)), count):
            expected = wide.sum(dims)
            error = np.abs(sum_over(x, dims).astype(wide.dtype) - expected) / np.abs(expected)
            assert error.max() <= _BOUNDS[dtype], dims


@pytest.mark.parametrize(
    "shape", [(5,), (0, 3), (3, 0), (1, 1), (300, 3), (3, 300), (9, 70, 4), (1, 200, 1, 7)]
)
@pytest.mark.parametrize("keepdim", [False, True])
def test_shape_layout_and_dtype_are_those_of_numpy(shape: tuple[int, ...], keepdim: bool) -> None:
    for dtype in ("float32", "float64", "complex64"):
        base = _numbers(shape, dtype)
        for order in itertools.permutations(range(len(shape))):
            x = base.transpose(order)
            for count in range(len(shape) + 1):
                for dims in itertools.combinations(range(len(shape)), count):
                    found = sum_over(x, dims, keepdim)
                    expected = np.add.reduce(x, dims, keepdims=keepdim, out=...)
                    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
                    assert not np.shares_memory(found, x)
                    if 1 not in found.shape:
                        assert found.strides == expected.strides
                    np.testing.assert_allclose(found, expected, rtol=2e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(1_024, 1_024), (100_000, 8), (30_000, 37), (8, 4_096, 100)])
def test_threads_change_no_bits(
    shape: tuple[int, ...], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llvmlite")
    x, axis = _numbers(shape, dtype), (len(shape) - 2,)
    ends = _numbers(shape, "float32").reshape(-1, shape[-1])
    monkeypatch.setattr(summation, "get_num_threads", lambda: 1)
    expected, of_rows = sum_over(x, axis), row_sums(ends, False)
    asked: list[bool] = []
    ask = large.ask
    row, matrices = np.ones((1, 1, 64), "f4"), np.ones((64, 64, 999), "f4")
    assert ask("stacked", row, matrices, np.empty((64, 1, 999), "f4"))  # compiled by now
    monkeypatch.setattr(large, "ask", lambda *given: asked.append(ask(*given)) or asked[-1])
    monkeypatch.setattr(summation, "get_num_threads", lambda: 3)
    monkeypatch.setattr(summation._HOTNESS, "_is_due", True)
    found = sum_over(x, axis)
    assert asked == [True]
    assert row_sums(ends, False).tobytes() == of_rows.tobytes() and asked == [True] * 2
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


def test_parts_of_other_arrays() -> None:
    whole = _numbers((900, 12), "float32")
    for x in (whole[:, 2:9], whole[::2, ::-1], np.broadcast_to(whole[0], (900, 12)), whole[::3].T):
        np.testing.assert_allclose(sum_over(x, (0,)), x.astype("f8").sum(0), rtol=3e-7)


def test_infinities_stay_in_their_columns() -> None:
    x = np.ones((500, 3), np.complex64)
    x[7, 0], x[8, 1] = complex(np.inf, 1), complex(1, np.nan)
    total = sum_over(x, (0,))
    assert total[0] == complex(np.inf, 1)
    assert total[1].real == 500
    assert np.isnan(total[1].imag)
    assert total[2] == 500


def test_integers_wrap_in_their_own_dtype() -> None:
    x = np.full((300, 2), 100, np.uint8)
    assert sum_over(x, (0,)).tolist() == [48, 48]
    assert sum_over(x, (0,)).dtype == np.uint8
