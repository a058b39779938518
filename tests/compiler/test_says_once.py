"""Whatever runs eagerly says once why."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


def test_a_function_that_raises_in_each_call_is_given_up():
    def step(x: Any) -> Any:
        raise ValueError("no")

    call = torch.compile(step)
    for _ in range(7):
        with pytest.raises(ValueError, match="no"):
            call(torch.ones(2))
    with pytest.warns(UserWarning, match="raised each time"), pytest.raises(ValueError, match="no"):
        call(torch.ones(2))
    with pytest.raises(ValueError, match="no"):
        call(torch.ones(2))


def test_a_call_whose_written_memory_is_shared_says_so_once():
    t = torch.zeros(4)

    def step(x: Any) -> Any:
        t.add_(1)
        return x + t

    call = torch.compile(step)
    call(torch.ones(4))
    with pytest.warns(UserWarning, match="memory another one shares"):
        assert call(t.view(4)).tolist() == [4.0] * 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call(t.view(4)).tolist() == [6.0] * 4
        assert call(torch.zeros(4)).tolist() == [4.0] * 4


def test_grad_mode_is_what_it_was_after_a_trace_that_is_refused():
    def step(x: Any) -> Any:
        with torch.no_grad():
            return x * random.getrandbits(3)

    call = torch.compile(step)
    with pytest.warns(UserWarning, match="of which nothing is known"):
        call(torch.ones(2))
    assert torch.is_grad_enabled()


def test_versions_count_each_write():
    def step(t: Any, x: Any) -> Any:
        t.mul_(2).add_(x)
        y = x * 1
        y.add_(1)
        return y

    call = torch.compile(step)
    t = torch.ones(2)
    for n in range(1, 4):
        assert call(t, torch.ones(2))._version == 1
        assert t._version == 2 * n


def test_warnings_of_a_program_tell_the_users_lines_in_order():
    def step(x: Any) -> Any:
        y = torch.nn.functional.mse_loss(x, x[:1])
        spread = x[:1].std()
        warnings.warn("between", stacklevel=1)
        return y, spread, torch.nn.functional.softmax(x.view(1, 1, -1)), (x * y).grad

    call, first = torch.compile(step), step.__code__.co_firstlineno
    for _ in range(3):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            call(torch.ones(3, requires_grad=True))
        assert [(w.filename, w.lineno - first) for w in heard] == [(__file__, n) for n in (1, 2, 3, 4, 4)]


def test_known_programs_go_on_after_the_limit():
    counts = torch.zeros(2)

    def step(x: Any) -> Any:
        counts[0] += x.sum()
        return "large" if counts[0].item() > 1e6 else x * 2

    call = torch.compile(step)
    native, eager = call._native, []
    native.limit = 2
    for size in (1, 2):
        call(torch.ones(size))
    with pytest.warns(UserWarning, match="each call needs another program"):
        call(torch.ones(3))
    native._eagerly = lambda *args: eager.append(args) or step(*args)
    assert call(torch.ones(2)).tolist() == [2.0, 2.0]
    assert not eager
    call(torch.ones(3))
    assert len(eager) == 1
    assert counts[0] == 11
