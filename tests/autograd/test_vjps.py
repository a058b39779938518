"""Many covectors in one pass, against loops of single ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.autograd import vjps


def equal(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_the_identity_gives_the_jacobian() -> None:
    torch.manual_seed(0)
    weight = torch.randn(3, 4)
    x = torch.randn(4, requires_grad=True)
    equal(vjps(weight @ x, torch.eye(3), x), weight)
    assert x.grad is None


def test_rows_are_those_of_a_loop() -> None:
    torch.manual_seed(0)
    x, w = (torch.randn(2, 3, requires_grad=True) for _ in range(2))
    y, z = (x * w).tanh(), (x + w).sum(1)
    rows = torch.randn(5, 2, 3), torch.randn(5, 2)
    at_once = vjps((y, z), rows, (x, w), retain_graph=True)
    for k in range(5):
        alone = torch.autograd.grad((y, z), (x, w), (rows[0][k], rows[1][k]), retain_graph=True)
        for rows_of_one, row in zip(at_once, alone, strict=True):
            equal(rows_of_one[k], row)


def test_rows_can_be_differentiated_again() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    jacobian = vjps(x**3, torch.eye(2), x, create_graph=True)
    (second,) = torch.autograd.grad(jacobian.sum(), x)
    equal(second, 6 * x)


def test_an_unused_input() -> None:
    x, other = (torch.ones(2, requires_grad=True) for _ in range(2))
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        vjps(x * 2, torch.eye(2), (x, other), retain_graph=True)
    assert vjps(x * 2, torch.eye(2), (x, other), allow_unused=True)[1] is None


def test_a_row_of_another_shape() -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="is_grads_batched"):
        vjps(x * 2, torch.ones(3, 5), x)
