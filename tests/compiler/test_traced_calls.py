"""What a trace writes down at once, because its like came before: values and gradients are eager's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("llvmlite")

import pullback as torch
from pullback.compiler.frontend import pulled_back
from pullback.core import recorded_pullback, traced_calls
from pullback.nn import functional as F

pytestmark = pytest.mark.usefixtures("in_haste")


def steps(body: Callable[..., Any], count: int = 3) -> Callable[..., Any]:
    """Take the loss of some steps of a body back within the function."""

    def function(x, w):
        for _ in range(count):
            x = body(x, w)
        x.square().mean().backward()
        return x.detach()

    return function


def compared(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Any:
    """Compare results and gradients of three calls, the gradients adding up; return the compiled function."""
    torch.manual_seed(0)
    values = [torch.randn(shape, dtype=torch.float64) * 0.5 for shape in shapes]
    compiled = torch.compile(function, backend="native")
    mine, want = ([v.clone().requires_grad_() for v in values] for _ in range(2))
    for _ in range(3):
        torch.testing.assert_close(compiled(*mine), function(*want), rtol=1e-5, atol=1e-6)
        for a, b in zip(mine, want, strict=True):
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-5, atol=1e-6)
    assert compiled._native.specializations
    return compiled


BODIES = {
    "a value twice": lambda x, w: x * x + w * x * w,
    "numbers": lambda x, w: 2 * x - x / 3 + (x * -0.0) + w ** 2,
    "broadcast": lambda x, w: torch.tanh(x + w[0] + w.sum()),
    "products": lambda x, w: torch.sin(x @ w) @ w.t(),
    "views": lambda x, w: torch.cat([x[:, 2:], x[:, :2]], 1) * w.reshape(-1)[:4].view(1, 4),
    "several results": lambda x, w: x.sort(dim=1).values + x.max(dim=1, keepdim=True).values * w.mean(),
    "a bias": lambda x, w: F.linear(x, w, w[0]),
    "selection": lambda x, w: torch.where(x > w.mean(), x, x.sin() * w[1]),
}


@pytest.mark.parametrize("name", BODIES)
def test_steps_are_as_in_eager(name):
    compared(steps(BODIES[name]), (4, 4), (4, 4))


def test_a_pullback_is_learnt_once(monkeypatch):
    """However often an op is used on values of one kind, its rules run once for each kind of covector."""
    ran = []
    general = traced_calls.Patterns.pulled

    def pulled(self, node, g, rules):
        return general(self, node, g, lambda *args: ran.append(node._op.name) or rules(*args))

    monkeypatch.setattr(traced_calls.Patterns, "pulled", pulled)
    assert recorded_pullback.Tracer is traced_calls.Tracer
    compared(steps(lambda x, w: torch.tanh(x) * w, 30), (5,), (5,))
    assert ran.count("tanh") < 10 and ran.count("mul") < 10


def test_a_result_that_was_pulled_back_is_looked_at_once(monkeypatch):
    """What refuses a second pullback is the youngest node that is freed: the others are not looked for."""
    looked = []
    is_freed = pulled_back.is_freed
    monkeypatch.setattr(pulled_back, "is_freed", lambda saved: looked.append(saved) or is_freed(saved))

    def loss(x, w):
        y = x
        for _ in range(30):
            y = torch.tanh(y) * w
        y = y.square().mean()
        y.backward()
        return y

    x, w = (torch.ones(3, requires_grad=True) for _ in range(2))
    result = torch.compile(loss, backend="native")(x, w)
    assert len(looked) < 5
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        result.backward()


def test_a_first_gradient_is_traced_once(monkeypatch):
    """Gradients that are absent when backward comes are absent in each call of the program, or it is another
    one.
    """
    from pullback.compiler.runtime import compiled as module

    traces = []
    capture = module.capture
    monkeypatch.setattr(module, "capture", lambda *args: traces.append(1) or capture(*args))
    function = steps(lambda x, w: x * w)
    compiled = torch.compile(function, backend="native")
    x, w = (torch.ones(3, requires_grad=True) for _ in range(2))
    compiled(x, w)
    assert len(traces) == 1
    compiled(x, w)
    twice = x.grad.clone()
    x.grad = w.grad = None
    compiled(x, w)
    torch.testing.assert_close(twice, 2 * x.grad)
    x.grad = torch.full((3,), 5.0)
    once = w.grad.clone()
    compiled(x, w)
    torch.testing.assert_close(w.grad, 2 * once)
    torch.testing.assert_close(x.grad - 5, twice / 2)


def test_a_module_that_is_changed_in_the_middle_of_a_trace():
    """What was seen of a module by an earlier call of it does not stand for later ones."""

    class Layer(torch.nn.Linear):
        pass

    def other(x):
        return x * 3

    def function(x, layer):
        y = layer(layer(x))
        layer.forward = other
        z = layer(layer(y))
        del layer.forward
        return layer(z)

    layer = Layer(3, 3)
    x = torch.randn(2, 3)
    compiled = torch.compile(function, backend="native")
    for _ in range(2):
        torch.testing.assert_close(compiled(x, layer), function(x, layer))


def test_a_hook_that_comes_between_calls_runs():
    layer = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3))

    def function(x):
        for _ in range(4):
            x = layer(x)
        return x

    x = torch.randn(2, 3)
    compiled = torch.compile(function, backend="native")
    torch.testing.assert_close(compiled(x), function(x))
    layer[1].register_forward_hook(lambda module, given, result: -result)
    torch.testing.assert_close(compiled(x), function(x))
    layer[0].weight = torch.nn.Parameter(torch.zeros(3, 3))
    torch.testing.assert_close(compiled(x), function(x))


def test_vectors_and_numbers_are_planned_together():
    def function(x, w):
        total = w.sum()
        for k in range(40):
            x = torch.sin(x * total) + w * x if k % 3 else (x - total).tanh() + x.mean()
            total = (total * 0.9 + x[k % 16]).sin()
        return x

    def pulled(x, w):
        y = function(x, w)
        y.square().sum().backward()
        return y.detach()

    compared(pulled, (16,), (16,))


def test_zeros_of_both_signs_are_two():
    def function(x):
        found = []
        for factor in (0.0, -0.0):
            h = x.sin()
            y = h * factor
            found.append(torch.autograd.grad((y.cos() + y).sum(), h)[0])
        return found

    x = torch.ones(3, requires_grad=True)
    for mine, want in zip(torch.compile(function, backend="native")(x), function(x), strict=True):
        assert (1 / mine).tolist() == (1 / want).tolist()
