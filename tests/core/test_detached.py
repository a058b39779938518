"""`detach_` of what a node saved: the backward that needs it is refused, any other goes on."""

from __future__ import annotations

import pytest

import pullback as torch


def detached(operation):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    result = operation(y)
    y.detach_()
    result.sum().backward()
    return x.grad.tolist()


@pytest.mark.parametrize("operation", [lambda y: y * y, lambda y: y.sin() + 1])
def test_what_saved_the_tensor_is_refused(operation):
    with pytest.raises(RuntimeError, match=r"^Trying to use a saved tensor that has been detached in-place"):
        detached(operation)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [(lambda y: y + 1, [2, 2]), (lambda y: y.exp() * 0, [0, 0]), (lambda y: y.view(2, 1) ** 2, [8, 16])],
)
def test_what_saved_something_else_goes_on(operation, expected):
    assert detached(operation) == expected


def test_a_state_detached_after_its_backward_goes_on():
    x = torch.ones(2, requires_grad=True)
    state = torch.ones(2)
    for _ in range(3):
        state = state * x
        state.sum().backward()
        state.detach_()
    assert x.grad.tolist() == [3, 3]
