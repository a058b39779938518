"""Explaining a call leaves everything as it was: gradients, graph, versions, hooks, random streams, state of
custom functions, and the errors that the run meets later.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import pullback as torch
from pullback import nn
from pullback.explain import Explanation, explain, record
from pullback.utils.checkpoint import checkpoint


class Doubled(torch.autograd.Function):
    """Draws, counts and lets go of what it holds when it goes backward."""

    runs = 0

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        ctx.held = [1]
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        Doubled.runs += 1
        (x,) = ctx.saved_tensors
        assert ctx.held is not None
        ctx.held = None
        return g * 2 + 0 * torch.rand(()) + 0 * random.random() + 0 * x


def leaf(*values: float, **options: Any) -> Any:
    return torch.tensor(values, requires_grad=True, **options)


def plain() -> tuple[Any, list[Any]]:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    return (x * w).exp() * w, [x, w]


def custom() -> tuple[Any, list[Any]]:
    x = leaf(1.0, 2.0)
    return Doubled.apply(x) * x, [x]


def in_place() -> tuple[Any, list[Any]]:
    x, w = leaf(1.0, 2.0), leaf(5.0)
    y = torch.zeros(2, 2)
    y[0] = x * 3
    y[1, 0] = w * x[1]
    y[0].mul_(2)
    return y[:, 0] * 2, [x, w]


def complex_values() -> tuple[Any, list[Any]]:
    z = leaf(1 + 2j, 0.5 - 1j, dtype=torch.complex64)
    return (z * z.conj()).real + z.abs(), [z]


def several_results() -> tuple[Any, list[Any]]:
    x = leaf(3.0, 1.0, 2.0, 4.0)
    values, _ = torch.sort(x)
    first, second = values.split(2)
    return first * second, [x]


def no_gradient() -> tuple[Any, list[Any]]:
    x, unused = leaf(1.0, 2.0), leaf(7.0, 7.0)
    return x * 2, [x, unused]


def with_dropout() -> tuple[Any, list[Any]]:
    x = leaf(1.0, 2.0, 3.0, 4.0)
    return nn.functional.dropout(x, 0.5) * x, [x]


def reentrant() -> tuple[Any, list[Any]]:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    return checkpoint(lambda t: (t * w).tanh(), x, use_reentrant=True), [x, w]


def checkpointed() -> tuple[Any, list[Any]]:
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    return checkpoint(lambda t: (t * w).tanh() * torch.rand(()), x, use_reentrant=False), [x, w]


def doubled(leaf: Any) -> None:
    leaf.grad.mul_(2)


def hooked() -> tuple[Any, list[Any]]:
    x = leaf(1.0, 2.0)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: g * torch.rand(()))
    x.register_hook(lambda g: g + 1)
    x.register_post_accumulate_grad_hook(doubled)
    return y * y, [x, y]


PROGRAMS: list[Callable[[], tuple[Any, list[Any]]]] = [
    plain, custom, in_place, complex_values, several_results, no_gradient, with_dropout, reentrant,
    checkpointed, hooked,
]  # fmt: skip


def outcome(make: Callable[[], tuple[Any, list[Any]]], look: Callable[[Any, Any], object] | None) -> Any:
    """What a program leaves: gradients after one and two calls, versions, what streams give next."""
    torch.manual_seed(3)
    random.seed(3)
    y, tensors = make()
    v = torch.arange(1.0, y.numel() + 1).reshape(y.shape).to(y.dtype)
    if look is not None:
        look(y, v)
    y.backward(v, retain_graph=True)
    if look is not None:
        look(y, v)
    y.backward(v)
    error = None
    try:
        y.backward(v)
    except RuntimeError as raised:
        error = str(raised)
    grads = [None if t.grad is None else t.grad.numpy().copy() for t in tensors]
    return (
        grads, [t._version for t in tensors], [None if t.grad is None else t.grad._version for t in tensors],
        torch.rand(3).numpy(), random.random(), error,
    )  # fmt: skip


@pytest.mark.parametrize("make", [p for p in PROGRAMS if p is not custom], ids=lambda make: make.__name__)
def test_a_call_after_explain_is_as_without(make: Callable[[], tuple[Any, list[Any]]]) -> None:
    explained: list[Explanation] = []
    without = outcome(make, None)
    with_it = outcome(make, lambda y, v: explained.append(explain(y, v)))
    np.testing.assert_equal(with_it, without)
    assert len(explained) == 2
    assert str(explained[1])


@pytest.mark.parametrize("make", PROGRAMS, ids=lambda make: make.__name__)
def test_a_recorded_call_is_as_without(make: Callable[[], tuple[Any, list[Any]]]) -> None:
    def run(recorded: bool) -> Any:
        torch.manual_seed(3)
        y, tensors = make()
        if recorded:
            with record():
                y.sum().abs().backward()
        else:
            y.sum().abs().backward()
        return [None if t.grad is None else t.grad.numpy() for t in tensors], torch.rand(2).numpy()

    np.testing.assert_equal(run(True), run(False))


def test_a_custom_function_keeps_its_context() -> None:
    y, (x,) = custom()
    explanation = explain(y, torch.ones(2))
    runs = Doubled.runs
    y.backward(torch.ones(2))
    assert Doubled.runs == runs + 1
    assert_array_equal(explanation.leaf("x").gradient.array, x.grad)
    assert any("DoubledBackward" in note for note in explanation.notes)
    assert explanation.leaf("x").contributions is not None


def test_second_derivatives_after_an_explanation() -> None:
    x = leaf(1.0, 2.0)
    with record() as r:
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        g.sum().backward()
    assert_array_equal(x.grad, [6, 12])
    assert_array_equal(r[1].leaf("x").gradient.array, [6, 12])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x**2).sum().backward(create_graph=True)
    explain((x.grad * x).sum())
    assert x.grad.requires_grad


def test_a_freed_graph_and_a_damaged_one_raise_what_backward_raises() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.backward(torch.ones(2))
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        explain(y, torch.ones(2))
    z = x.exp()
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        explain(z, torch.ones(2))
    with pytest.raises(RuntimeError, match="does not require grad"):
        explain(torch.ones(()))


def test_a_warning_that_is_shown_once_is_still_shown_in_the_run() -> None:
    class Warns(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            warnings.warn("from a backward", UserWarning, stacklevel=1)
            return g

    x = leaf(1.0)
    y = Warns.apply(x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("once")
        explain(y)
        assert not seen
        y.backward()
    assert [str(w.message) for w in seen] == ["from a backward"]


def test_warnings_of_a_recorded_run_are_at_the_users_lines() -> None:
    weight = leaf(1.0)
    model, result = nn.Linear(1, 1), weight * 2
    schedule = torch.optim.lr_scheduler.StepLR(torch.optim.SGD([weight], lr=0.1), 1)
    with warnings.catch_warnings(record=True) as seen, record():
        warnings.simplefilter("always")
        assert result.grad is None
        schedule.step()
        schedule.step(3)
        model.state_dict({})
    assert len(seen) == 4
    assert {w.filename for w in seen} == {__file__}
