"""A view that was written to takes its steps on the base's new history by the nodes that it had."""

from __future__ import annotations

import pytest

import pullback as torch
from pullback.core import view_nodes

STEPS = {
    "select": lambda x: x[1], "slice": lambda x: x[:, 1:3], "both": lambda x: x[1:, 2],
    "transpose": lambda x: x.t(), "reshape": lambda x: x.view(8)[2:5], "unfold": lambda x: x.unfold(1, 2, 2),
}  # fmt: skip


def written(take, monkeypatch, is_replayed):
    if is_replayed:
        monkeypatch.setattr(view_nodes, "_as_before", lambda *given: None)
    leaf = torch.arange(8.0).view(2, 4).requires_grad_()
    x = leaf * 2
    view = take(x)
    for _ in range(2):
        view *= leaf.mean()
        view = take(x)
        view += leaf.sum()
    y = (x * x).sum() + view.prod()
    (first,) = torch.autograd.grad(y, leaf, create_graph=True)
    (second,) = torch.autograd.grad((first * first).sum(), leaf)
    monkeypatch.undo()
    return y.tolist(), first.tolist(), second.tolist()


@pytest.mark.parametrize("name", STEPS)
def test_derivatives_are_those_of_steps_taken_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert written(STEPS[name], monkeypatch, False) == written(STEPS[name], monkeypatch, True)


@pytest.mark.parametrize("name", STEPS)
def test_a_written_view_runs_no_step_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.ones(2, 4, requires_grad=True) * 2
    view = STEPS[name](x)
    monkeypatch.setattr(view_nodes, "replay", None)
    view += 1
    view *= 2
    (x.sum() + view.sum()).backward()


def test_a_base_of_other_memory_has_its_steps_taken_again() -> None:
    x = torch.ones(2, 4, requires_grad=True) * 2
    view = x[1]
    view.add_(1)
    before = view.grad_fn.chain
    with torch.no_grad():
        x.data = torch.zeros(2, 4)
    x.mul_(2)
    assert view.grad_fn.chain is not before
    view.sum().backward()


def test_the_steps_of_a_written_view_lead_to_the_history_of_now() -> None:
    x = torch.ones(2, 4, requires_grad=True) * 2
    view = x[1]
    for _ in range(2):
        view.add_(1)
        ((step, _),) = view.grad_fn.chain
        assert step._edges == (x.grad_fn,)


def test_a_view_assigned_to_its_own_place_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    from pullback.tensor import assign

    x = torch.ones(2, 4, requires_grad=True) * 2
    row = x[1]
    row += 1
    monkeypatch.setattr(assign, "copy_into", None)
    x[1] = row
    x.sum().backward()
    assert x.tolist() == [[2.0] * 4, [3.0] * 4]
