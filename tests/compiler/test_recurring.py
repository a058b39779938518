"""Calls that come again get programs beyond the few that a function has by itself."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import pullback as torch
from pullback.compiler.runtime import compiled, recurring, specialization

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.usefixtures("in_haste")


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Stop the clock, so that looks take no time but what a test says."""
    now = [0.0]
    for module in (compiled, recurring):
        monkeypatch.setattr(module, "_now", lambda: now[0])
    return now


def attended(cache: Any, x: Any, n: int) -> Any:
    cache[:, n] = x
    seen = cache[:, : n + 1]
    return (seen * x[:, None]).sum(-1).softmax(-1)


def tokens(function: Any, length: int) -> Any:
    cache, x, found = torch.zeros(2, length, 3), torch.ones(2, 3), []
    for n in range(length):
        weights = function(cache, x, n)
        found.append(weights)
        x = x * weights[:, :1] + n
    return [cache, *found]


def totals(function: Any, sizes: Any) -> list[float]:
    return [function(torch.ones(n)).sum().item() for n in sizes]


def test_a_cache_that_grows_is_decoded_by_programs():
    call, eager = torch.compile(attended), []
    native = call._native
    with pytest.warns(UserWarning, match="each call needs another program"):
        torch.testing.assert_close(tokens(call, 12), tokens(attended, 12))
    native._eagerly = lambda *args: eager.append(args) or attended(*args)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            eager.clear()
            torch.testing.assert_close(tokens(call, 12), tokens(attended, 12))
    assert not eager
    assert len(native.specializations) <= 13


def test_calls_that_do_not_come_again_get_none():
    call = torch.compile(lambda x: x + 1)
    with pytest.warns(UserWarning, match="each call needs another program"):
        assert totals(call, range(1, 40)) == [2 * n for n in range(1, 40)]
    assert len(call._native.specializations) == 8


@pytest.mark.parametrize(("sizes", "calls"), [((9,), 151), ((9, 1, 2, 3, 4), 153)])
def test_programs_have_to_pay_in_the_end(monkeypatch, clock, sizes, calls):
    """A program that takes as long as 50 calls, where 150 calls' time is owed, comes after 150 that pay."""
    capture = compiled.capture

    def captured(*args: Any) -> Any:
        clock[0] += 50
        return capture(*args)

    def eagerly(x: Any) -> Any:
        clock[0] += 1
        return x + 1

    monkeypatch.setattr(compiled, "capture", captured)
    monkeypatch.setattr(recurring, "_CREDIT", 0)
    call = torch.compile(lambda x: x + 1)
    with pytest.warns(UserWarning, match="each call needs another program"):
        totals(call, range(1, 10))
    native = call._native
    native._eagerly = eagerly
    native._recurring._spent = 100
    count = 0
    while len(native.specializations) == 8:
        assert totals(call, [sizes[count % len(sizes)]]) == [2 * sizes[count % len(sizes)]]
        count += 1
    assert abs(count - calls) <= 16


def test_a_long_list_is_compared_up_to_what_differs(monkeypatch):
    """A batch of transitions, some without a next state, took twice as long to compare as to compute."""
    call = torch.compile(lambda xs: torch.stack([x for x in xs if x is not None]).sum())

    def batch(n: int) -> list[Any]:
        return [None if k == n else torch.ones(2) for k in range(200)]

    with pytest.warns(UserWarning, match="each call needs another program"):
        assert [call(batch(n)).item() for n in range(12)] == [398] * 12
    looked_at: list[int] = []
    monkeypatch.setattr(specialization, "_layout", lambda array: looked_at.append(1))
    assert call(batch(50)).item() == 398
    # What is remembered of the call is 199 of them.
    assert 199 <= len(looked_at) < 400


def test_the_longer_the_arguments_the_fewer_looks_in_vain(monkeypatch):
    """A look at hundreds of tensors takes as long as the call, so it soon is one call of sixteen."""
    call = torch.compile(lambda xs: torch.stack([x for x in xs if x is not None]).sum())

    def batch(n: int) -> list[Any]:
        return [None if k == n else torch.ones(2) for k in range(640)]

    with pytest.warns(UserWarning, match="each call needs another program"):
        assert [call(batch(n)).item() for n in range(16)] == [1278] * 16
    looked: list[int] = []
    monkeypatch.setattr(recurring, "kinds_of", lambda leaves, varying: looked.append(1) or ())
    assert [call(batch(n)).item() for n in range(16, 48)] == [1278] * 32
    assert len(looked) <= 3
    # What has its program is served by it when that is looked for again, and then at once.
    assert [call(batch(3)).item() for _ in range(20)] == [1278] * 20
    assert call._native._recurring._missed == 0


def test_a_limit_of_the_users_holds():
    call = torch.compile(lambda x: x + 1, recompile_limit=2)
    with pytest.warns(UserWarning, match="each call needs another program"):
        assert totals(call, (1, 2, 3, 4) * 3) == [2, 4, 6, 8] * 3
    assert len(call._native.specializations) == 2


def test_state_that_hardly_comes_again_gets_few():
    """What the arguments look like comes again, and what the function reads does not."""
    kept: list[Any] = [torch.ones(1)]

    def step(x: Any) -> Any:
        kept[0] = torch.cat([kept[0], x])
        return kept[0].sum()

    call = torch.compile(step)
    with pytest.warns(UserWarning, match="each call needs another program"):
        assert totals(call, [1] * 30) == [*range(2, 32)]
    assert len(call._native.specializations) == 8 + len([1, 2, 4, 8, 16])


def test_a_buffer_that_has_filled_gets_its_program():
    kept: list[Any] = [torch.ones(1)]

    def step(x: Any) -> Any:
        kept[0] = torch.cat([kept[0], x])[-11:]
        return kept[0].sum()

    call, eager = torch.compile(step), []
    with pytest.warns(UserWarning, match="each call needs another program"):
        assert totals(call, [1] * 30) == [min(n, 11) for n in range(2, 32)]
    call._native._eagerly = lambda *args: eager.append(args)
    assert totals(call, [1] * 5) == [11] * 5
    assert not eager


def test_programs_that_run_for_nothing_are_soon_left_alone(monkeypatch):
    """Two programs of a residual quantizer ran to where their numbers were others in each of 64 calls."""
    weight = torch.ones(1)

    def chosen(x: Any) -> Any:
        weight.mul_(1)
        return x[x > 0].sum() * weight

    call, runs = torch.compile(chosen), []
    run = specialization.Specialization.run
    monkeypatch.setattr(specialization.Specialization, "run", lambda *a: runs.append(1) or run(*a))

    def totals_of(counts: Any) -> list[float]:
        return [call(torch.arange(50) - n).item() for n in counts]

    with pytest.warns(UserWarning, match="is another number in each call"):
        assert totals_of(range(1, 10)) == [sum(range(50 - n)) for n in range(1, 10)]
    runs.clear()
    assert totals_of(range(10, 50)) == [sum(range(50 - n)) for n in range(10, 50)]
    assert 0 < len(runs) < 20


@pytest.mark.parametrize(("look", "looks"), [(0.0, range(64, 90)), (5.0, range(11, 16))])
def test_looks_take_a_small_share_of_the_time(monkeypatch, clock, look, looks):
    """A step that drawn boxes decide took 4.7 times as long as in eager: 17 programs were looked at first."""
    call, looked = torch.compile(lambda x: x + 1), []
    with pytest.warns(UserWarning, match="each call needs another program"):
        totals(call, range(1, 10))
    native = call._native
    fits = specialization.Specialization.fits

    def looked_at(self: Any, *args: Any) -> bool:
        looked.append(1)
        clock[0] += look / 8
        return fits(self, *args)

    def eagerly(x: Any) -> Any:
        clock[0] += 1
        return x + 1

    monkeypatch.setattr(specialization.Specialization, "fits", looked_at)
    native._eagerly = eagerly
    assert totals(call, range(10, 410)) == [2 * n for n in range(10, 410)]
    assert len(looked) // len(native.specializations) in looks
    # A program that serves again is found all the same.
    assert totals(call, [3] * 300) == [6] * 300
    assert native._recurring._missed == 0
