"""Ops without a derivative are recorded and raise torch's errors; what torch does was recorded by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch


@pytest.fixture
def x() -> Any:
    return torch.tensor([1.0, 2.0, 2.0], requires_grad=True)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("floor_divide", lambda x: x // 2),
        ("floor_divide", lambda x: 2 // x),
        ("floor_divide_", lambda x: x.clone().floor_divide_(2)),
        ("heaviside", lambda x: torch.heaviside(x, x)),
        ("bincount", lambda x: torch.bincount(torch.tensor([0, 1, 1]), x)),
        ("scatter", lambda x: x.scatter(0, torch.tensor([0]), 2.0, reduce="multiply")),
    ],
)
def test_unknown_to_the_table(name: str, call: Callable[[Any], Any], x: Any) -> None:
    y = call(x)
    assert y.requires_grad
    assert type(y.grad_fn).__name__ == "NotImplemented"
    assert y.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match=f"^derivative for aten::{name} is not implemented$"):
        y.sum().backward()


def test_leads_only_to_what_requires_grad(x: Any) -> None:
    assert len(torch.floor_divide(x.detach(), x).grad_fn.next_functions) == 1


def test_other_inputs_are_not_reached(x: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    y = x // 2 + w
    (g,) = torch.autograd.grad(y.sum(), w)
    assert g.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "node", "call"),
    [
        ("_unique2", "Unique2Backward0", lambda x: x.unique()),
        ("unique_dim", "UniqueDimBackward0", lambda x: x.unique(dim=0)),
        ("unique_consecutive", "UniqueConsecutiveBackward0", lambda x: x.unique_consecutive()),
        ("igamma: input", "IgammaBackward0", lambda x: torch.igamma(x, x)),
    ],
)
def test_missing_in_the_table(name: str, node: str, call: Callable[[Any], Any], x: Any) -> None:
    y = call(x)
    assert type(y.grad_fn).__name__ == node
    with pytest.raises(NotImplementedError, match=f"^the derivative for '{name}' is not implemented.$"):
        y.sum().backward()


def test_the_error_comes_before_leaves_are_filled(x: Any) -> None:
    w = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="floor_divide"):
        torch.autograd.backward([x // 2, w.exp()], [torch.ones(3), torch.ones(3)])
    assert w.grad is None


def test_forward_mode(x: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"^Trying to use forward AD with aten::floor_divide that"):
        torch.func.jvp(lambda v: v // 2, (x.detach(),), (torch.ones(3),))


def test_leaves_behind_an_underivable_node_are_left_alone():
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    for product, filled in ((lambda: x // x * y, False), (lambda: y * (x // x), True)):
        y.grad = None
        with pytest.raises(RuntimeError, match="floor_divide"):
            product().sum().backward()
        assert (y.grad is not None) is filled
