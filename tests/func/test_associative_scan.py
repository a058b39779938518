"""Running combinations along an axis, against running sums and a loop."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as torch
from pullback._higher_order_ops import associative_scan, scan


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("reverse", [False, True])
def test_sums(count: int, reverse: bool) -> None:
    x = torch.arange(3.0 * count).reshape(3, count)
    found = associative_scan(lambda a, b: a + b, x, 1, reverse=reverse, combine_mode="generic")
    want = x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1)
    assert torch.equal(found, want)


def test_a_linear_recurrence_and_its_gradient() -> None:
    torch.manual_seed(0)
    a, b = torch.rand(6, 2, requires_grad=True), torch.rand(6, 2, requires_grad=True)

    def combine(x: Any, y: Any) -> Any:
        return x[0] * y[0], y[0] * x[1] + y[1]

    _, found = associative_scan(combine, (a, b), 0, combine_mode="generic")
    state = torch.zeros(2)
    states = []
    for k in range(6):
        state = a[k] * state + b[k]
        states.append(state)
    want = torch.stack(states)
    assert torch.allclose(found, want)
    pairs = zip(
        torch.autograd.grad(found.pow(2).sum(), [a, b]), torch.autograd.grad(want.pow(2).sum(), [a, b]),
        strict=True,
    )  # fmt: skip
    assert all(torch.allclose(x, y) for x, y in pairs)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"combine_mode": "pointwise"}, ValueError,
         "For combine_mode='pointwise', all input tensors need to be on CUDA or XPU"),
        ({"combine_mode": "x"}, ValueError,
         "Combine_mode must either 'pointwise' or 'generic', but got x"),
        ({"dim": 5}, IndexError,
         "Dimension out of range (expected to be in range of [-1, 0], but got 5)"),
    ],
)  # fmt: skip
def test_errors_of_torch(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    given = {"dim": 0, "combine_mode": "generic"} | arguments
    with pytest.raises(error) as caught:
        associative_scan(lambda a, b: a + b, torch.ones(3), **given)
    assert str(caught.value) == text


def test_scan_along_another_axis() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    last, sums = scan(lambda c, v: (c + v, c + v), torch.zeros(2), x, dim=1)
    assert torch.equal(sums, x.cumsum(1).T)
    assert torch.equal(last, x.sum(1))
