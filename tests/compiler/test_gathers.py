"""Reads and writes at places that integer tensors name, without array kernels, and what a wrong
place does.
"""

from __future__ import annotations

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
