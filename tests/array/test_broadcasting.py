"""Operands that are broadcast in front of a short axis: NumPy's bits, dtypes and strides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pullback.array import broadcasting, elementwise, large

pytest.importorskip("llvmlite")

EXTENTS = [1, 2, 3, 5, 7, 16, 17, 40, 100]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let native code begin at the first call, on arrays of any size."""

    class Hot:
        def is_hot(self, cost: float) -> bool:
            return True

        def ask(self, *given: Any) -> Any:
            return large.ask(*given)

    monkeypatch.setattr(broadcasting, "_hotness", lambda wide: Hot())
    monkeypatch.setattr(broadcasting, "LEAST", 1)
    broadcasting._planned.cache_clear()


def _operand(draw: np.random.Generator, shape: list[int], dtype: str) -> np.ndarray:
    """Return numbers of which some axes are repeated, and which lie in one order or another."""
    numbers = 100 * draw.standard_normal([1 if draw.random() < 0.4 else size for size in shape])
    x = numbers.astype(dtype)
    if draw.random() < 0.2:
        x = np.broadcast_to(x, shape)
    if draw.random() < 0.2:
        x = np.ascontiguousarray(x.T).T
    if draw.random() < 0.2:
        x = x[..., ::-1]
    return x[0] if draw.random() < 0.3 and len(x) == 1 and x.ndim > 1 else x


@pytest.mark.parametrize("dtype", ["f", "d", "F", "D", "b", "h", "i"])
def test_numpys_bits(dtype: str) -> None:
    draw = np.random.default_rng(0)
    done = 0
    for _ in range(300):
        shape = [int(size) for size in draw.choice(EXTENTS, draw.integers(2, 5))]
        if np.prod(shape) > 100_000:
            continue
        x, y = _operand(draw, shape, dtype), _operand(draw, shape, dtype)
        ufunc = (np.add, np.multiply, np.subtract, np.equal)[draw.integers(4)]
        before = x.copy(), y.copy()
        how, expected = broadcasting.plans((x, y)), ufunc(x, y)
        found = None if how is None else broadcasting.spread(ufunc, (x, y), how)
        assert np.array_equal(x, before[0]) and np.array_equal(y, before[1])
        if found is None:
            continue
        done += 1
        assert found.dtype == expected.dtype and found.strides == expected.strides
        assert np.array_equal(found, expected)
    assert done > 50


def test_apply_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    ask = large.ask
    monkeypatch.setattr(large, "ask", lambda *given: asked.append(given[0]) or ask(*given))
    x = np.arange(300.0).reshape(100, 3)
    found = elementwise.apply(np.subtract, x[None], x[:, None])
    assert asked == ["spread"] and np.array_equal(found, x[None] - x[:, None])


def test_calls_with_long_stretches_are_settled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "_PLANS", {})
    asked: list[Any] = []
    plans = elementwise.plans
    monkeypatch.setattr(elementwise, "plans", lambda operands: asked.append(operands) or plans(operands))
    x, y = np.random.default_rng(0).random((2, 200, 120)), np.ones((2, 1, 120))
    for _ in range(3):
        assert np.array_equal(elementwise.apply(np.add, x, y), x + y)
    assert len(asked) == 1
    points = np.arange(6000.0).reshape(2000, 3)
    for _ in range(3):
        elementwise.apply(np.subtract, points[None, :50], points[:, None])
    assert len(asked) == 4, "what may be repeated later is asked again"
