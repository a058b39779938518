"""What a trace says of how results lie in memory, beside how they lie in eager."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import pullback
from pullback.array.layout import dense_strides
from pullback.array.random import Generator
from pullback.core import traced_layout
from pullback.core.op import TABLE

WHOLE = np.ones((4, 3, 2), np.float32)
OPERANDS = {
    "in order": WHOLE,
    "transposed": WHOLE.transpose(1, 0, 2),
    "backwards": WHOLE.T,
    "with gaps": np.ones((4, 3, 4), np.float32)[..., ::2].transpose(1, 0, 2),
    "expanded": np.broadcast_to(WHOLE[:1], WHOLE.shape).T,
    "empty": WHOLE[:0].T,
}
ATTRS = {
    "uniform": (0.0, 1.0), "normal": (0.0, 1.0), "random_between": (1, 9), "random": (),
    "dropout_noise": (0.5,),
}  # fmt: skip


@pytest.mark.parametrize("way", OPERANDS)
@pytest.mark.parametrize("name", ATTRS)
def test_draws_lie_as_in_eager_without_a_number_drawn(
    monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    x, attrs = OPERANDS[way], (*ATTRS[name], Generator())
    drawn = TABLE[name].kernel(x, *attrs)
    monkeypatch.setattr(traced_layout, "_asked", lambda *given: pytest.fail("a kernel ran"))
    found = traced_layout.strides_of_results(TABLE[name], [x], attrs, [x.shape])
    assert found == [dense_strides(drawn)]


def test_the_rows_of_an_array_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Counter[str]()
    laid_out = traced_layout.Layouts._laid_out

    def counting(self: Any, equation: Any) -> Any:
        asked[equation.op] += 1
        return laid_out(self, equation)

    def rows(x: Any) -> Any:
        parts = [x[n] for n in range(1, 4)]
        return [part[1:].mT for part in parts], [pullback.exp(part.mT) for part in parts]

    x = pullback.ones(5, 4, 3)
    monkeypatch.setattr(traced_layout.Layouts, "_laid_out", counting)
    views, values = pullback.compile(rows)(x)
    assert [(v.stride(), v.storage_offset()) for v in views] == [((1, 3), n) for n in (15, 27, 39)]
    assert [v.stride() for v in values] == [(1, 3)] * 3
    assert asked["exp"] == 0 and asked["transpose"] == 1


@pytest.mark.parametrize(("name", "attrs"), [("stack", (1,)), ("stack", (3,)), ("cat", ((3, 3), 1))])
def test_what_is_joined_is_in_order_and_its_parts_are_not_asked_for(
    name: str, attrs: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def joined(x: Any) -> Any:
        return TABLE[name].call([-x.mT, x.mT * 2], *attrs)

    def rows(x: Any) -> Any:
        return joined(x).view(-1)

    x = pullback.randn(2, 4, 3)
    assert joined(x).is_contiguous() and not (-x.mT).is_contiguous()
    laid_out = traced_layout.Layouts._laid_out

    def watched(self: Any, equation: Any) -> Any:
        assert equation.op not in ("neg", "mul")
        return laid_out(self, equation)

    monkeypatch.setattr(traced_layout.Layouts, "_laid_out", watched)
    assert pullback.equal(pullback.compile(rows, fullgraph=True)(x), rows(x))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 3, 4), (2, 1, 4), (2, 3, 1), (1, 1, 4), (2, 1, 1)])
def test_what_is_declared_to_be_in_order_is(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    x = np.ones([shape[axis] for axis in order], np.float32).transpose(np.argsort(order))
    w = np.ones((shape[-1], 5), np.float32)
    calls: list[tuple[str, tuple[Any, ...], tuple[object, ...]]] = [
        *(("stack", (x, x), (dim,)) for dim in range(4)),
        *(("cat", (x, x), ((shape[dim],) * 2, dim)) for dim in range(3)),
        ("contiguous_copy", (x,), ()),
        *((name, (v, w), ()) for name in ("mm", "mm_folded") for v in (x, x[0], x[:, 0], x[0].T.copy().T)),
        *((name, (v, w.T), ()) for name in ("linear", "linear_folded") for v in (x, x[0], x[:, 0])),
    ]
    for name, operands, attrs in calls:
        made = TABLE[name].evaluate(operands, attrs)
        if made.ndim <= TABLE[name].ordered:
            assert made.strides == np.empty(made.shape, made.dtype).strides
    assert all(TABLE[name].ordered >= 2 for name, *_ in calls)


def test_what_follows_its_first_operand_is_not_asked_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def chain(x: Any, y: Any) -> Any:
        z = y.T
        for _ in range(3):
            z = -z * z
        return x * z, y.mT * x, z[:, :1].expand(4, 3) + x

    placed = traced_layout.Layouts._place
    x, y = pullback.randn(4, 3), pullback.randn(3, 4)

    def watched(self: Any, equation: Any, lie: Any) -> None:
        assert equation.op not in ("mul", "neg")
        placed(self, equation, lie)

    monkeypatch.setattr(traced_layout.Layouts, "_place", watched)
    compiled = pullback.compile(chain, fullgraph=True)(x, y)
    assert [v.stride() for v in compiled] == [v.stride() for v in chain(x, y)] == [(3, 1), (1, 4), (3, 1)]


def test_values_that_lie_alike_have_one_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Counter[tuple[int, ...]]()
    without_memory = traced_layout.without_memory

    def counting(shape: tuple[int, ...], *how: Any) -> Any:
        made[shape] += 1
        return without_memory(shape, *how)

    def products(x: Any) -> Any:
        for _ in range(5):
            x = pullback.mm(x, x.T)
        return x

    monkeypatch.setattr(traced_layout, "without_memory", counting)
    pullback.compile(products)(pullback.eye(3))
    assert made[3, 3] <= 2  # in order, and transposed
