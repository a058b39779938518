"""Reads and writes at places that integer tensors name, without array kernels, and what a wrong
place does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from tests.compiler.agreement import agree

pytest.importorskip("llvmlite")
F = nn.functional


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def x(*shape: int) -> Any:
    return torch.randn(*shape)


def places(size: int, *shape: int) -> Any:
    return torch.randint(0, size, shape)


def assigned(x: Any, i: Any, values: Any) -> Any:
    y = x.clone()
    y[i] = values
    return y


CASES: dict[str, tuple[Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {
    "index_copy": (
        lambda x, i, v: x.index_copy(1, i, v) * x.index_copy(-1, i[:2], x[..., :3][..., 1:]),
        lambda: (x(5, 6, 4), places(4, 3), x(5, 3, 4)),
    ),
    "index_fill": (lambda x, i: x.index_fill(0, i - 3, 1.5) * x, lambda: (x(5, 6), places(6, 3))),
    "scatter": (
        lambda x, i, v: x.scatter(0, i, v) * x.scatter(1, i, v) - x.scatter(-1, i, 2.5),
        lambda: (x(5, 6, 4), places(4, 4, 5, 3), x(5, 6, 4)),
    ),
    "scatter of whole numbers": (
        lambda x, v, i: x + v.scatter(1, i, v) + v.scatter(0, i, 3) * (v > 2).scatter(1, i, True),
        lambda: (x(6), places(9, 5, 6), places(5, 4, 3)),
    ),
    "embedding": (lambda w, i: F.embedding(i, w), lambda: (x(9, 5), places(9, 4, 6))),
    "padding": (lambda w, i: F.embedding(i, w, padding_idx=3), lambda: (x(9, 5), places(9, 4, 6))),
    "index": (lambda w, i: w[i], lambda: (x(9, 5), places(9, 4, 6))),
    "negative": (lambda w, i: w[i - 9], lambda: (x(9, 5), places(9, 4))),
    "int32": (lambda w, i: w.index_select(0, i.int()), lambda: (x(9, 5), places(9, 4))),
    "after": (lambda w, i: w[:, i], lambda: (x(3, 9, 5), places(9, 4))),
    "select": (lambda w, i: w.index_select(1, i), lambda: (x(3, 7, 4), places(7, 5))),
    "gather": (lambda w, i: w.gather(1, i), lambda: (x(5, 7, 12), places(7, 4, 9, 11))),
    "take_along_dim": (lambda w, i: torch.take_along_dim(w, i, 1), lambda: (x(5, 7), places(7, 5, 3))),
    "index_add": (
        lambda w, i, s: w.index_add(1, i, s, alpha=2), lambda: (x(3, 7, 4), places(7, 5), x(3, 5, 4))
    ),
    "scatter_add": (lambda w, i, s: w.scatter_add(1, i, s), lambda: (x(5, 7), places(7, 4, 9), x(4, 9))),
    "assigned": (assigned, lambda: (x(7, 4), torch.tensor([0, 3, 5]), x(3, 4))),
    "accumulated": (
        lambda w, i, s: w.index_put((i,), s, accumulate=True), lambda: (x(7, 4), places(7, 6), x(4))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_places_need_no_array_kernel(name):
    function, inputs = CASES[name]
    agree(function, *inputs())


WRONG: dict[str, tuple[Callable[..., Any], int]] = {
    "embedding": (lambda w, i: F.embedding(i, w), 9),
    "embedding_negative": (lambda w, i: F.embedding(i, w), -1),
    "index": (lambda w, i: w[i], 9),
    "index_negative": (lambda w, i: w[i], -10),
    "index_select": (lambda w, i: w.index_select(0, i), 9),
    "gather": (lambda w, i: w.gather(0, i[:, None]), 12),
    "index_add": (lambda w, i: w.index_add(0, i, w[:2]), -1),
    "index_put": (lambda w, i: w.index_put((i,), w[:2]), 100),
    "cross_entropy": (lambda w, i: F.cross_entropy(w[:2], i), 5),
    "one_hot": (lambda w, i: F.one_hot(i, 5), 5),
    "one_hot_negative": (lambda w, i: F.one_hot(i, 5) + 1, -3),
    "cross_entropy_negative": (lambda w, i: F.cross_entropy(w[:2], i), -1),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_place_raises_what_eager_raises(name):
    function, wrong = WRONG[name]
    w = torch.randn(9, 5)
    compiled = torch.compile(function, backend="native")
    good, bad = torch.tensor([0, 1]), torch.tensor([0, wrong])
    torch.testing.assert_close(compiled(w, good), function(w, good))
    with pytest.raises((IndexError, RuntimeError)) as expected:
        function(w, bad)
    with pytest.raises(expected.type) as raised:
        compiled(w, bad)
    assert str(raised.value) == str(expected.value)
    torch.testing.assert_close(compiled(w, good), function(w, good))


@pytest.mark.parametrize("steps_before", [0, 1])
def test_a_refused_step_changes_nothing(steps_before):
    model = nn.Sequential(nn.Embedding(6, 4), nn.Dropout(0.5), nn.Linear(4, 3))
    optimizer = torch.optim.Adam(model.parameters())

    @torch.compile(backend="native")
    def step(tokens, target):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens), target)
        loss.backward()
        optimizer.step()
        return loss

    tokens = torch.tensor([1, 5])
    for _ in range(steps_before):
        step(tokens, torch.tensor([0, 2]))
    before = {key: value.clone() for key, value in model.state_dict().items()}
    count = [state["step"].item() for state in optimizer.state.values()]
    drawn = torch.get_rng_state()
    with pytest.raises(IndexError, match=r"Target 3 is out of bounds\."):
        step(tokens, torch.tensor([0, 3]))
    # The forward pass of the eager run drew its numbers before the loss raised.
    torch.set_rng_state(drawn)
    assert [state["step"].item() for state in optimizer.state.values()] == count
    for key, value in model.state_dict().items():
        assert torch.equal(value, before[key])
    step(tokens, torch.tensor([0, 2]))
    assert all(state["step"].item() == steps_before + 1 for state in optimizer.state.values())


def _a_column(x: Any, i: Any, v: Any) -> Any:
    x.index_copy_(1, i, v)
    return x.sum()


def _what_was_there(x: Any, i: Any, v: Any) -> Any:
    before = x[:, 5:9] * 1
    x.index_copy_(1, i, v)
    return before.sum() + x[0, 7]


def _from_itself(x: Any, i: Any, v: Any) -> Any:
    x.index_copy_(1, i, x[:, 10:11] * 2)
    x[:, i] = x[:, 11:12] * v
    return x.sum()


def _twice(x: Any, i: Any, v: Any) -> Any:
    y = x.index_copy(1, i, v)
    z = y.index_copy(1, i + 1, v * 2)
    x.copy_(z)
    return y.sum() - z.sum()


def _of_its_own(x: Any, i: Any, v: Any) -> Any:
    z = (x * 2).index_copy(1, i, v).index_copy(1, i + 2, v * 3)
    return z.sum() + (z + 1).index_add(1, i, v).sum()


WRITES = _a_column, _what_was_there, _from_itself, _twice, _of_its_own


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("across", [False, True])
def test_what_is_written_to_places_in_place(write: Any, across: bool) -> None:
    def made() -> Any:
        whole = torch.arange(240.0)
        return whole.reshape(80, 3).t() if across else whole.reshape(3, 80)

    mine, other, compiled = made(), made(), torch.compile(write)
    for place in (5, 10, 78, 80, 7, 77):
        args = torch.tensor([place - 1]), torch.full((3, 1), float(place))
        try:
            want = write(other, *args)
        except IndexError as error:
            with pytest.raises(IndexError, match=re.escape(str(error).splitlines()[0])):
                compiled(mine, *args)
        else:
            torch.testing.assert_close(compiled(mine, *args), want)
        torch.testing.assert_close(mine, other, rtol=0, atol=0)


def test_a_large_cache_is_not_copied() -> None:
    cache = torch.zeros(4, 2000)
    compiled = torch.compile(_a_column, fullgraph=True)
    compiled(cache, torch.tensor([3]), torch.ones(4, 1))
    executable = compiled._native.specializations[-1].forward
    lowered, plan = executable.lowered, executable.plan
    assert any(plan.may_replace(a, b) for a in lowered.inputs for b in lowered.outputs)


def passed_on(h: Any, source: Any, sink: Any) -> Any:
    return torch.zeros(50, h.shape[1]).index_add(0, sink, h[source])


@pytest.mark.parametrize("width", [3, 32])
def test_rows_that_are_passed_on_are_not_stored_between(width: int) -> None:
    """Messages along edges: 300 rows would be written and read again."""
    values = x(40, width), places(40, 300), places(50, 300)
    compiled = torch.compile(passed_on, backend="native")
    assert compiled(*values).equal(passed_on(*values))
    assert f"kernel over {300 * width} elements" not in str(compiled.kernels)


def taken(h: Any, source: Any, sink: Any) -> Any:
    return h[source] * 3


@pytest.mark.parametrize(("step", "operation"), [(passed_on, "fadd"), (taken, "fmul")])
def test_places_of_rows_are_read_once_a_row(step: Callable[..., Any], operation: str) -> None:
    """In the loop over a row's elements a place that is read hides from LLVM that rows lie in one piece."""
    values = x(40, 32), places(40, 300), places(40, 300)
    compiled = torch.compile(step, backend="native")
    assert compiled(*values).equal(step(*values))
    (loops,) = [text for text in str(compiled.llvm).split("\ndefine ") if f" {operation} " in text]
    assert "load i64" in loops
    assert not re.search(r"load i64, .*access\.group", loops)


def test_rows_of_the_table_itself_are_added_in_its_memory() -> None:
    """They are stored first: else the table could not be written over, and would be copied for a few rows."""

    def step(table: Any, i: Any) -> None:
        table.index_add_(0, i, table[i])

    table, i = x(1000, 32), places(1000, 5)
    expected, compiled = table.clone(), torch.compile(step, backend="native")
    for _ in range(3):
        step(expected, i)
        compiled(table, i)
    assert table.equal(expected)
    assert f"kernel over {5 * 32} elements" in str(compiled.kernels)


def test_one_class_is_enough():
    found = torch.compile(lambda i: F.one_hot(i, 1), fullgraph=True)(torch.tensor([0, 0]))
    assert found.tolist() == [[1], [1]]
