"""The check against central differences: it agrees where rules are right, finds rules that are not, and says
why it was not made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch
from pullback import nn
from pullback.explain import explain

V = torch.tensor([1.0, -2.0, 0.5])


def leaf() -> Any:
    return torch.tensor([0.3, -1.2, 2.5], requires_grad=True)


RIGHT: list[Callable[[Any], Any]] = [
    lambda x: x.tanh() * x,
    lambda x: (x + 1) ** 3,
    lambda x: (x - torch.tensor([1.0, 2.0, 3.0])).pow(2),
    lambda x: torch.softmax(x, 0),
    lambda x: torch.cumsum(x.exp(), 0),
    lambda x: x[torch.tensor([2, 0, 0])] * x,
    lambda x: torch.outer(x, x).sum(1),
    lambda x: nn.functional.layer_norm(x, (3,)),
    lambda x: torch.cat([x * 2, x.sin()])[1:4],
    lambda x: torch.where(x > 0, x * x, x),
    lambda x: nn.functional.dropout(x, 0.5) * x,
]


@pytest.mark.parametrize("f", RIGHT)
def test_agrees(f: Callable[[Any], Any]) -> None:
    x = leaf()
    check = explain(f(x), V).leaves[0].check
    assert check is not None
    assert check.agrees, check
    assert check.largest_error < 1e-4


def test_agrees_through_writes_in_place() -> None:
    x = leaf()
    y = torch.zeros(3)
    y[0] = x[0] * x[1]
    y[1:] = x[1:] ** 2
    y[:2].mul_(3)
    check = explain(y, V).leaf("x").check
    assert check is not None
    assert check.agrees


def test_a_large_leaf_is_varied_along_one_direction() -> None:
    torch.manual_seed(0)
    w = torch.randn(20, 30, requires_grad=True)
    check = explain((torch.randn(4, 20) @ w).tanh().sum()).leaf("w").check
    assert check is not None
    assert check.agrees
    assert check.method.endswith("along one direction")


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3


def test_at_a_kink_any_slope_between_is_right() -> None:
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    check = explain(torch.relu(x), torch.ones(2)).leaf("x").check
    assert check is not None
    assert check.agrees
    assert "kink" in check.remark


def test_a_rule_that_is_no_derivative_is_found() -> None:
    weight = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = nn.functional.embedding(torch.tensor([0, 1]), weight, padding_idx=0)
    check = explain(y.sum()).leaf("weight").check
    assert check is not None
    assert not check.agrees
    assert "padding_idx" in check.remark


def test_data_changed_behind_autograd_is_found() -> None:
    x = leaf()
    y = x * 2
    z = y * y
    y.data.mul_(10)
    part = explain(z, V).leaf("x")
    assert part.check is None
    assert "changed in place" in part.why_unchecked


@pytest.mark.parametrize(
    "f, why",
    [
        (lambda x: Wrong.apply(x), "`Wrong` cannot be run again by itself"),
        (lambda x: torch.exp(x + 1), "a constant before `exp` was not kept"),
        (lambda x: x / torch.tensor([1.0, 0.0, 1.0]), "infinite or NaN"),
    ],
)
def test_why_not(f: Callable[[Any], Any], why: str) -> None:
    x = leaf()
    part = explain(f(x), V).leaf("x")
    assert part.check is None
    assert why in part.why_unchecked


def test_with_inputs_the_other_leaves_stay_as_they_are() -> None:
    x, w = leaf(), leaf()
    y = (x * w).exp()
    (part,) = explain(y, V, inputs=w).leaves
    assert part.name == "w"
    assert part.check is not None
    assert part.check.agrees
