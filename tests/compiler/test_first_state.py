"""A call whose optimizer has no state yet is compiled at once, and leaves what eager's first step leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def pair(width: int = 3) -> list[Any]:
    return [torch.full((width,), 1.0 + n, requires_grad=True) for n in range(2)]


def agree(
    make: Callable[[list[Any], Any], Callable[..., Any]], calls: int = 3, **options: Any
) -> tuple[Any, Any]:
    """Step compiled and eager; what the calls give and leave must be equal. The compiled function, and the
    last result.
    """
    ends = []
    for compiled in (True, False):
        parameters = pair()
        optimizer = torch.optim.Adam(parameters, lr=0.1, **options)
        function = make(parameters, optimizer)
        call = torch.compile(function, backend="native") if compiled else function
        results = []
        for n in range(calls):
            results.append(call(torch.arange(3.0) + n))
            state = [
                {k: v.tolist() for k, v in optimizer.state[p].items()} if p in optimizer.state else None
                for p in parameters
            ]
            order = [[p is q for q in parameters].index(True) for p in optimizer.state]
            results.append(([p.tolist() for p in parameters], state, order))
        ends.append((call, results))
    (call, mine), (_, theirs) = ends
    for a, b in zip(mine, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-6, atol=1e-7)
    return call, mine


def test_the_first_call_runs_the_program_of_all_others():
    def make(parameters: Any, optimizer: Any) -> Any:
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            loss = (x * parameters[0] * parameters[1]).sum()
            loss.backward()
            optimizer.step()
            return loss

        return step

    for options in ({}, {"amsgrad": True}, {"weight_decay": 0.1}):
        call, _ = agree(make, **options)
        assert call._native._traces == 1 and len(call._native.specializations) == 1
        assert call._native.eager_because is None


def test_a_parameter_without_a_gradient_gets_no_state():
    def make(parameters: Any, optimizer: Any) -> Any:
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            loss = (x * parameters[1]).sum()
            loss.backward()
            optimizer.step()
            return loss

        return step

    call, found = agree(make)
    assert found[-1][1][0] is None and len(call._native.specializations) == 1


@pytest.mark.parametrize("look", [
    lambda o, p: len(o.state), lambda o, p: p in o.state, lambda o, p: bool(o.state),
    lambda o, p: len(o.state_dict()["state"]), lambda o, p: o.state[p].get("exp_avg") is None,
])  # fmt: skip
def test_a_function_that_looks_at_the_state_sees_what_eager_sees(look):
    def make(parameters: Any, optimizer: Any) -> Any:
        def step(x: Any) -> Any:
            seen = float(look(optimizer, parameters[0]))
            optimizer.zero_grad()
            (x * parameters[0]).sum().backward()
            optimizer.step()
            return x + seen

        return step

    agree(make)


def test_a_function_that_holds_the_state_by_another_name_sees_what_eager_sees():
    def make(parameters: Any, optimizer: Any) -> Any:
        state = optimizer.state

        def step(x: Any) -> Any:
            seen = float(len(state))
            optimizer.zero_grad()
            (x * parameters[0]).sum().backward()
            optimizer.step()
            return x + seen

        return step

    agree(make)


@pytest.mark.filterwarnings("ignore:compile. .* runs eagerly")
def test_what_raises_leaves_the_state_as_eager_does():
    def make(parameters: Any, optimizer: Any) -> Any:
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            (x * parameters[0]).sum().backward()
            raise KeyError("before the step")

        def caught(x: Any) -> Any:
            try:
                call(x)
            except KeyError:
                return x

        call = torch.compile(step, backend="native")
        return caught

    agree(make)


def test_a_call_refused_by_native_code_leaves_the_state_as_eager_does():
    def make(parameters: Any, optimizer: Any) -> Any:
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            x[torch.tensor(2) + x.long().max() * 0].mul(parameters[0]).sum().backward()
            optimizer.step()
            return parameters[0][x.long()].sum().detach()

        call = torch.compile(step, backend="native")

        def caught(x: Any) -> Any:
            try:
                return call(x)
            except IndexError:
                return x

        return caught

    agree(make)


def test_two_optimizers_of_which_one_steps():
    first, second = pair()
    one, other = torch.optim.Adam([first]), torch.optim.Adam([second])

    class Both:
        def __init__(self) -> None:
            self.one, self.other = one, other

        def step(self, x: Any) -> Any:
            self.one.zero_grad()
            (x * first * second.detach()).sum().backward()
            self.one.step()
            return x

    both = Both()
    call = torch.compile(both.step, backend="native")
    call(torch.ones(3))
    call(torch.ones(3))
    assert first in one.state and not other.state
    assert one.state[first]["step"].item() == 2
    assert len(call._native.specializations) == 1


@pytest.mark.parametrize("options", [
    {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.5, "weight_decay": 0.1},
    {"momentum": 0.9, "maximize": True}, {"momentum": 0.9, "dampening": 0.1}, {},
])  # fmt: skip
def test_the_first_step_of_momentum_is_eagers_to_the_bit(options):
    values = torch.tensor([1.0, -0.0, 0.0, float("nan"), float("inf"), -2.5, 1e-40])
    found = []
    for compiled in (True, False):
        p = torch.tensor([-0.0, -0.0, 0.0, 1.0, 1.0, -1.0, 1e-40], requires_grad=True)
        optimizer = torch.optim.SGD([p], lr=0.1, **options)

        def step(x: Any, p: Any = p, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            (p * x).sum().backward()
            optimizer.step()
            return x.sum()

        call = torch.compile(step, backend="native") if compiled else step
        call(values)
        buffer = optimizer.state[p].get("momentum_buffer")
        # A NaN's bits are nobody's business.
        found.append(
            [x if x is None else np.nan_to_num(x.detach().numpy(), nan=7.0).tobytes() for x in (p, buffer)]
        )
        if compiled:
            assert len(call._native.specializations) == 1
    assert found[0] == found[1]
