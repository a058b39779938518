"""Hooks that a compiled function puts on modules and takes off again, and what else passes within a call."""

from __future__ import annotations

import inspect
from collections import OrderedDict

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")

nn = torch.nn


def same_calls(function, *args, calls=3):
    """Compile a function whole and return its one program's results, which are eager's."""
    compiled = torch.compile(function, backend="native", fullgraph=True)
    for _ in range(calls):
        torch.testing.assert_close(compiled(*args), function(*args))
    assert len(compiled._native.specializations) == 1


def doubled(module, given, result):
    return result * 2


@pytest.mark.parametrize("how", ["remove", "with"])
def test_a_hook_that_is_removed_leaves_nothing(how):
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

    def step(x):
        if how == "with":
            with net[0].register_forward_hook(doubled, with_kwargs=False):
                return net(x)
        handle = net[0].register_forward_hook(doubled)
        y = net(x)
        handle.remove()
        return y

    x = torch.randn(4, 3)
    plain = net(x)
    same_calls(step, x)
    assert not net[0]._forward_hooks
    torch.testing.assert_close(net(x), plain)


def test_a_hook_that_the_function_defines_keeps_what_it_sees():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

    def step(x, delta):
        seen = {}

        def hook(module, given, result):
            seen["key"] = given[0].mean(0)
            result = result.clone()
            result[:, 1] += delta
            return result

        handles = [net[0].register_forward_hook(hook), net[1].register_forward_pre_hook(lambda m, x: None)]
        y = net(x)
        for handle in handles:
            handle.remove()
        return y + seen["key"]

    same_calls(step, torch.randn(4, 3), torch.tensor(0.5))
    assert not net[0]._forward_hooks
    assert not net[1]._forward_pre_hooks


@pytest.mark.parametrize("kind", [dict, OrderedDict])
def test_a_key_that_passes_is_gone_though_a_call_finds_it(kind):
    held = kind(first=1)

    def step(x):
        held["passing"] = lambda: x
        y = held["passing"]() * 2
        del held["passing"]
        return y

    compiled = torch.compile(step, backend="native", fullgraph=True)
    for call in range(3):
        if call == 2:
            held["passing"] = 0
        assert compiled(torch.ones(2)).tolist() == [2, 2]
        assert list(held) == ["first"]


def test_the_first_optimizer_of_a_class_is_made_in_a_compiled_function(monkeypatch):
    # So no instance has given the class the step that runs hooks.
    monkeypatch.setattr(torch.optim.Adamax, "step", inspect.unwrap(torch.optim.Adamax.step))

    def fit(x):
        p = torch.zeros(3, requires_grad=True)
        optimizer = torch.optim.Adamax([p], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            ((p - x) ** 2).sum().backward()
            optimizer.step()
        return p.detach() * 1

    same_calls(fit, torch.ones(3))
