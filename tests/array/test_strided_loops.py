"""NumPy's loops, copies and casts give the same bits on native threads, whatever the operands look like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pullback.array import elementwise, large, layout, strided_loops, threads

pytest.importorskip("llvmlite")

SHAPES = {
    "alike": ((700, 601), (700, 601)),
    "a row": ((700, 601), (601,)),
    "a column": ((700, 601), (700, 1)),
    "outer": ((700, 1), (1, 601)),
    "channels": ((9, 5, 64, 160), (5, 1, 1)),
    "both ways": ((3, 1, 1500, 101), (4, 1, 101)),
    "long rows": ((2, 260_001), (1, 260_001)),
    "one": ((400_001,), (1,)),
    "no axes": ((400_001,), ()),
}
UFUNCS = (np.add, np.subtract, np.maximum, np.greater, np.logical_and, np.fmod)


@pytest.fixture(autouse=True)
def hot_and_on_three_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not large.is_there():
        pytest.skip("native code is switched off")
    before = threads.get_num_threads()
    threads.set_num_threads(3)
    monkeypatch.setattr(strided_loops._HOTNESS, "_is_due", True)
    assert large.source().strided  # compiled by now
    with np.errstate(all="ignore"):
        yield
    threads.set_num_threads(before)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list that gets an entry for each native run."""
    found: list[Any] = []
    run = strided_loops.Plan.__call__

    def counted(plan: strided_loops.Plan, operands: Any, out: Any) -> Any:
        done = run(plan, operands, out)
        found.extend([plan] * (done is not None))
        return done

    monkeypatch.setattr(strided_loops.Plan, "__call__", counted)
    return found


def _values(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    x = np.random.default_rng(sum(shape)).standard_normal(shape) * 9
    return np.asarray(x + 1 if dtype == "?" else x).astype(dtype)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "i8", "?"])
@pytest.mark.parametrize("name", SHAPES)
def test_a_ufunc_on_threads_is_the_ufunc(name: str, dtype: str, runs: list[Any]) -> None:
    x, y = (_values(shape, dtype) for shape in SHAPES[name])
    for ufunc in UFUNCS:
        for operands in ((x, y), (y, x)):
            try:
                expected = ufunc(*operands)
            except TypeError:  # bools cannot be subtracted
                continue
            found = elementwise.apply(ufunc, *operands)
            assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
            assert found.tobytes() == expected.tobytes()
            if (expected.dtype, expected.shape) == (x.dtype, x.shape) and operands[0] is x:
                same = x.copy()
                assert elementwise.apply(ufunc, same, y, out=same) is same
                assert same.tobytes() == expected.tobytes()
    assert runs


def test_numbers_take_the_dtype_of_arrays(runs: list[Any]) -> None:
    x = _values((600, 700), "f4")
    for number in (2, 0.1, -3):
        assert elementwise.apply(np.multiply, x, number).tobytes() == (x * number).tobytes()
        assert elementwise.apply(np.less, number, x).tobytes() == (number < x).tobytes()
    assert len(runs) == 6


def test_what_other_loops_do_is_left_to_numpy(runs: list[Any]) -> None:
    x = _values((700, 601), "i8")
    assert elementwise.apply(np.true_divide, x, x[:1]).tobytes() == (x / x[:1]).tobytes()
    with pytest.raises(ValueError, match="negative integer powers"):
        elementwise.apply(np.power, x, x[0])
    shifted = x.copy()
    elementwise.apply(np.add, shifted[1:], shifted[0], out=shifted[:-1])
    assert shifted[:-1].tobytes() == (x[1:] + x[0]).tobytes()
    assert not runs


COPIES: dict[str, Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]] = {
    "whole": lambda x: (np.zeros_like(x), x),
    "into a part": lambda x: (np.zeros((1000, 1300), x.dtype)[100:800, 300:1000], x),
    "of a part": lambda x: (np.zeros((680, 690), x.dtype), x[5:685, 4:694]),
    "upside down": lambda x: (np.zeros_like(x), x[::-1]),
    "of one row": lambda x: (np.zeros_like(x), np.broadcast_to(x[0], x.shape)),
    "of one column": lambda x: (np.zeros((700, 900), x.dtype)[:, 99:799], np.broadcast_to(x[:, :1], x.shape)),
    "of one element": lambda x: (np.zeros_like(x), np.broadcast_to(x[7, 7], x.shape)),
    "heads": lambda x: (np.zeros((7, 4, 175, 100), x.dtype), x.reshape(7, 175, 4, 100).swapaxes(1, 2)),
}


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "c16"])
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_on_threads_is_the_copy(name: str, dtype: str, runs: list[Any]) -> None:
    target, source = COPIES[name](_values((700, 700), "f8").astype(dtype))
    around = target.base if target.base is not None else target
    elementwise.copy_into(target, source)
    assert target.tobytes() == source.tobytes()
    assert np.count_nonzero(around) == np.count_nonzero(source)
    assert runs or dtype in ("u1", "f2")  # of few bytes


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "i8", "c16", "?"])
def test_a_fill_on_threads_is_the_fill(dtype: str, runs: list[Any]) -> None:
    around = np.zeros(2_100_003, dtype)
    inside = around[1:-1]
    elementwise.fill(inside, 3)
    assert inside.tobytes() == np.full(2_100_001, 3, dtype).tobytes()
    assert not around[0]
    assert not around[-1]
    assert bool(runs) is (dtype not in ("u1", "?"))  # those are of few bytes
    apart = np.zeros((700, 1400), dtype)
    elementwise.fill(apart[:, ::2], 3)
    assert not apart[:, 1::2].any()
    assert apart[:, ::2].all()


def test_plans_are_for_what_lies_alike(runs: list[Any]) -> None:
    x, y = _values((700, 601), "f4"), _values((700, 601), "f4")
    bytes_ = np.empty(x.nbytes + 1, np.uint8)
    unaligned = bytes_[1:].view("f4").reshape(x.shape)
    unaligned[...] = y
    for _ in range(2):
        for other in (y, y.astype("f8"), y[:1], 2.5, unaligned):
            assert elementwise.apply(np.add, x, other).tobytes() == (x + other).tobytes()
    count = len(runs)
    assert count == 6  # where it is aligned, and of one dtype
    integers = _values((700, 601), "i4")
    for _ in range(2):
        assert elementwise.apply(np.add, integers, 3).tobytes() == (integers + 3).tobytes()
        with pytest.raises(OverflowError):
            elementwise.apply(np.add, integers, 1 << 40)
    whole = _values((1400, 601), "f4")
    for begin in (700, 0, 1, 700):  # apart, the same places, and places of other elements
        expected = whole[:700] + y
        assert elementwise.apply(np.add, whole[:700], y, out=whole[begin : begin + 700]).tobytes() == (
            expected.tobytes()
        )


@pytest.mark.parametrize("to", ["i8", "f8", "f2", "?"])
def test_a_copy_casts_as_an_assignment(to: str) -> None:
    x = _values((1200, 1000), "f4").T
    expected, found = np.empty(x.shape, to), layout.copy(x, np.dtype(to))
    expected[...] = x
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_a_copy_within_an_array_reads_before_it_writes() -> None:
    x = _values((1200, 700), "f4")
    expected = x[:-1].copy()
    elementwise.copy_into(x[1:], x[:-1])
    assert x[1:].tobytes() == expected.tobytes()


_CASTS = [("f4", "f2"), ("f4", ml_dtypes.bfloat16), ("f4", "f8"), ("f8", "f4")]


@pytest.mark.parametrize(("own", "to"), _CASTS)
def test_casts_round_as_numpy(own: Any, to: Any) -> None:
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 18, np.uint32)
    x = np.concatenate([bits.view("f4"), _values((1 << 17,), "f4")]).astype(own).reshape(3, -1)
    expected, found = x.astype(to), layout.in_dtype(x, np.dtype(to))
    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
    known = ~np.isnan(x)
    assert found[known].tobytes() == expected[known].tobytes()
    assert np.isnan(found[~known]).all()


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_every_half_is_widened(dtype: Any) -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    expected, found = halves.astype("f4"), layout.in_dtype(halves, np.dtype("f4"))
    known = ~np.isnan(expected)
    assert found[known].tobytes() == expected[known].tobytes()
    assert np.isnan(found[~known]).all()


@pytest.mark.parametrize("order", ["K", "C"])
@pytest.mark.parametrize("to", [np.float16, np.float64])
def test_casts_lie_as_numpys(to: Any, order: str) -> None:
    base = np.random.default_rng(0).standard_normal((700, 900)).astype(np.float32)
    folded = base.reshape(7, 100, 900).transpose(1, 0, 2)
    for array in (base, base.T, np.asfortranarray(base), base[::2], base[:, ::3], folded):
        found, expected = (f(array, np.dtype(to), order) for f in (layout.in_dtype, np.ndarray.astype))
        assert found.strides == expected.strides
        assert found.tobytes() == expected.tobytes()
