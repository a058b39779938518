"""Nested tensors: what their functions give and refuse, as recorded from torch, and their derivatives."""

from __future__ import annotations

import pytest

import pullback as torch
from tests.recorded import load

from .nested_cases import seen

RECORD = load("nested")


def test_as_torch() -> None:
    own = seen(torch)
    assert list(own) == list(RECORD), "run python -m tools.record_nested"
    assert own == RECORD


def test_gradients_of_a_leaf_are_nested() -> None:
    n = torch.nested.nested_tensor([torch.ones(2, 3), torch.full((1, 3), 2.0)], requires_grad=True)
    (n * n).to_padded_tensor(0.0).sum().backward()
    assert n.grad.is_nested
    assert [part.tolist() for part in n.grad.unbind()] == [[[2.0] * 3] * 2, [[4.0] * 3]]
    n.grad = None
    n.unbind()[1].sum().backward()
    assert n.grad[0].sum() == 0 and n.grad[1].tolist() == [[1.0] * 3]


def test_history_of_the_tensors_that_it_is_made_of() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    n = torch.nested.as_nested_tensor([x, y])
    (n * 3).to_padded_tensor(1.0).sum().backward()
    assert x.grad.tolist() == [3.0] * 2 and y.grad.tolist() == [3.0] * 3
    copies = torch.nested.nested_tensor([x, y])
    assert not copies.requires_grad
    copies.fill_(7)
    assert x.tolist() == [1.0, 1.0]


def test_backward_takes_a_nested_covector() -> None:
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    n = torch.nested.as_nested_tensor([x, y]) * 2
    with pytest.raises(RuntimeError, match="Expected both self and other to be nested"):
        n.backward(torch.ones(5))
    with pytest.raises(RuntimeError, match=r"grad_output\[0\] has a shape of tensor\(\[\[3\],"):
        n.backward(torch.nested.nested_tensor([torch.ones(3), torch.ones(3)]))
    n.backward(torch.nested.nested_tensor([torch.ones(2), torch.zeros(3)]))
    assert x.grad.tolist() == [2.0] * 2 and y.grad.tolist() == [0.0] * 3


def test_modules_take_them() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.LayerNorm(4))
    parts = [torch.randn(2, 3), torch.randn(5, 3)]
    out = model(torch.nested.nested_tensor(parts))
    for part, given in zip(out.unbind(), parts, strict=True):
        torch.testing.assert_close(part, model(given))
    out.to_padded_tensor(0.0).sum().backward()
    assert model[0].weight.grad is not None


def test_what_is_missing_says_so() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nested_tensor_from_jagged'") as caught:
        torch.nested.nested_tensor_from_jagged
    assert "is not part of pullback" in caught.value.__notes__[0]
