"""Numbers that a trace does not know: returned, stored, printed, counted, and asked for."""

from __future__ import annotations

import sys
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")


def programs(compiled: Any) -> int:
    assert compiled._native.eager_because is None
    return len(compiled._native.specializations)


def test_an_item_is_worked_out_by_each_call():
    log: list[float] = []

    @torch.compile
    def step(x):
        y = (x * x).sum()
        log.append(y.item() + 1)
        return y, round(y.item(), 2), f"{y.item():.1f}"

    for n in range(4):
        y, rounded, text = step(torch.full((2,), n + 0.5))
        assert (rounded, text) == (round(y.item(), 2), f"{y.item():.1f}")
        assert log[-1] == y.item() + 1
    assert programs(step) == 1


def test_a_counter_is_read_anew():
    class Model:
        steps = 0

    model = Model()

    @torch.compile
    def step(x):
        model.steps += 1
        return x * 2, model.steps

    assert [step(torch.ones(1))[1] for _ in range(12)] == list(range(1, 13))
    assert model.steps == 12
    assert programs(step) == 2  # the first call reads the class's number, and leaves the object's


def test_each_way_has_a_program_and_a_wrong_guess_changes_nothing():
    state = torch.zeros(1)
    seen: list[str] = []

    def step(x):
        state.add_(x.sum())
        if state.item() > 3:
            seen.append("high")
            state.zero_()
            return x - 1
        seen.append("low")
        return x + 1

    compiled = torch.compile(step)
    got = [compiled(torch.ones(2)).tolist() for _ in range(6)]
    seen_compiled, held = list(seen), state.item()
    seen.clear()
    state.zero_()
    assert got == [step(torch.ones(2)).tolist() for _ in range(6)]
    assert (seen_compiled, held) == (seen, state.item())
    assert programs(compiled) == 2


def test_an_error_in_what_is_worked_out_leaves_everything_to_eager():
    done: list[float] = []

    @torch.compile
    def step(x):
        done.append(1.0)
        return 1 / x.sum().item()

    assert step(torch.ones(2)) == 0.5
    with pytest.raises(ZeroDivisionError):
        step(torch.zeros(2))
    assert done == [1.0, 1.0]


def test_a_handler_that_is_refused_leaves_no_exception_behind():
    def deep(x):
        return deep(x)

    @torch.compile
    def step(x):
        try:
            return deep(x)
        except RecursionError:
            return x * 2

    with pytest.warns(UserWarning, match="it handles a RecursionError"):
        assert step(torch.ones(2)).tolist() == [2, 2]
    assert sys.exc_info() == (None, None, None)


def test_random_numbers_of_a_wrong_guess_are_drawn_again():
    def step(x):
        noise = torch.rand(3)
        return noise + 1 if x.sum() > 0 else noise - 1

    compiled = torch.compile(step)
    for run in (compiled, step):
        torch.manual_seed(0)
        found = [run(torch.full((2,), sign)).tolist() for sign in (1.0, -1.0, 1.0, -1.0)]
        if run is compiled:
            want = found
    assert found == want
    assert programs(compiled) == 2


@pytest.mark.parametrize("first", [2, 2.0])
def test_what_is_no_number_any_more_is_added_to_once(first: float):
    class Model:
        steps: Any = first

    model = Model()

    @torch.compile
    def step(x):
        model.steps += 1
        return x * model.steps

    for n in range(1, 4):
        assert step(torch.ones(2)).tolist() == [first + n] * 2
    model.steps = tensor = torch.tensor(2.0)
    for n in range(1, 4):
        assert step(torch.ones(2)).tolist() == [2 + n] * 2
        assert (model.steps is tensor, tensor.item(), tensor._version) == (True, 2 + n, n)
