"""What a compiled function leaves behind is what it leaves in eager: which tensors are the same, and which
share memory.
"""

from __future__ import annotations

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


def compiled(function):
    return torch.compile(function, backend="native")


def test_who_holds_a_gradient_finds_what_a_later_step_adds():
    x = torch.ones(3, requires_grad=True)

    def step():
        (2 * x).sum().backward()

    run = compiled(step)
    run()
    held = x.grad
    run()
    run()
    assert run._native.eager_because is None
    assert held is x.grad
    assert held.tolist() == [6.0, 6.0, 6.0]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_with_a_history_keeps_it():
    x = torch.tensor([2.0], requires_grad=True)

    def step():
        y = x**3
        y.backward(create_graph=True)
        y.backward()

    with pytest.warns(UserWarning, match="a gradient has a history"):
        compiled(step)()
    assert x.grad.requires_grad


def test_shapes_that_do_not_broadcast_are_refused_as_in_eager():
    run = compiled(lambda x, y: x + y)
    with pytest.raises(RuntimeError, match=r"tensor a \(2\) must match the size of tensor b \(3\)"):
        run(torch.zeros(2, 2), torch.zeros(3))
