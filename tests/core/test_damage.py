"""Saved values that were written to: which are noticed, and what the error calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch


@pytest.fixture
def x() -> Any:
    return torch.tensor([1.0, 2.0], requires_grad=True)


def damaged_by(x: Any, damage: Callable[[Any], Any]) -> str:
    with pytest.raises(RuntimeError) as caught:
        torch.autograd.grad(damage(x).sum(), x)
    return str(caught.value).partition("operation: ")[2].partition(" is at")[0]


def written_over_itself(x: Any) -> Any:
    y = x * 2
    y.mul_(y)
    return y


def view_of_a_written_base(x: Any) -> Any:
    y = x.clone()
    z = y[:1].sin()
    y.add_(1)
    return z


def view_beside_a_written_view(x: Any) -> Any:
    y = x.clone()
    z = y[1:].sin()
    y[:1].add_(1)
    return z


def base_of_a_written_view(x: Any) -> Any:
    y = x.clone()
    z = y.sin()
    y[:1].add_(1)
    return z


def view_of_a_base_that_joined_the_graph(x: Any) -> Any:
    y = torch.ones(2)
    z = y[:1] * x
    y.add_(x)
    return z


def numbered(x: Any) -> Any:
    y = x**x
    z = y.sin()
    y.detach().add_(1)
    return z


def bool_mask(x: Any) -> Any:
    mask = x > 1
    y = torch.where(mask, x, 0)
    mask.logical_not_()
    return y


def half(x: Any) -> Any:
    y = x.bfloat16()
    z = y.sin()
    y.detach().add_(1)
    return z.float()


@pytest.mark.parametrize(
    ("damage", "called"),
    [
        (written_over_itself, "[torch.FloatTensor [2]], which is output 0 of Mul,"),
        (view_of_a_written_base, "[torch.FloatTensor [1]], which is output 0 of AsStrided,"),
        (view_beside_a_written_view, "[torch.FloatTensor [1]], which is output 0 of AsStrided,"),
        (
            base_of_a_written_view,
            "[torch.FloatTensor [2]], which is output 0 of torch::autograd::CopySlices,",
        ),
        (view_of_a_base_that_joined_the_graph, "[torch.FloatTensor [1]], which is output 0 of AsStrided,"),
        (numbered, "[torch.FloatTensor [2]], which is output 0 of Pow1,"),
        (bool_mask, "[CPUBoolType [2]]"),
        (half, "[CPUBFloat16Type [2]], which is output 0 of ToCopy,"),
    ],
)
def test_damage(damage: Callable[[Any], Any], called: str, x: Any) -> None:
    assert damaged_by(x, damage) == called


def test_the_overwritten_input_itself_is_kept(x: Any) -> None:
    y = x * 2
    y.mul_(x)
    (g,) = torch.autograd.grad(y.sum(), x)
    assert g.tolist() == [4.0, 8.0]


def test_part_of_several_views(x: Any) -> None:
    y = x.clone()
    z = y.unbind()[0].sin()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"^Output 0 of Unbind is a view and its base or another view of"):
        torch.autograd.grad(z, x)


@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge", "eq", "ne"])
def test_comparisons_in_place_are_recorded(name: str, x: Any) -> None:
    y = getattr(x.clone(), name + "_")(1.5)
    assert y.tolist() == getattr(x, name)(1.5).float().tolist()
    assert type(y.grad_fn).__name__ == f"{name.capitalize()}Backward0"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0.0, 0.0]
    w = torch.ones(2, requires_grad=True)
    z = getattr(x.clone(), name + "_")(w)
    assert type(z.grad_fn).__name__ == f"{name.capitalize()}Backward1"
    assert torch.autograd.grad(z.sum(), w)[0].tolist() == [0.0, 0.0]
