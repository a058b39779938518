"""Calls that draw random numbers by a plan leave the numbers and the stream that they leave in Python."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import pullback as torch
from pullback.tensor.inline_cache import draws
from tests.tensor.test_inline_cache import _native, learn  # noqa: F401  # a fixture of all tests here

F = torch.nn.functional
inline_cache = sys.modules["pullback.tensor.inline_cache.cache"]

SQUARE = torch.arange(64.0).reshape(8, 8) / 80 + 0.01
IMAGE = torch.ones(1, 8, 4, 4)

CALLS = {
    "rand": lambda: torch.rand(8, 8),
    "randn": lambda: torch.randn(3, 3),
    "randint": lambda: torch.randint(3, 8, (5,)),
    "randperm": lambda: torch.randperm(8),
    "rand_like": lambda: torch.rand_like(SQUARE.t()),
    "randn_like": lambda: torch.randn_like(SQUARE, dtype=torch.float64),
    "randint_like": lambda: torch.randint_like(SQUARE, 8),
    "normal": lambda: torch.normal(0.5, 2.0, (8, 8)),
    "normal around": lambda: torch.normal(SQUARE, SQUARE),
    "bernoulli": lambda: torch.bernoulli(SQUARE),
    "poisson": lambda: torch.poisson(SQUARE),
    "multinomial": lambda: torch.multinomial(SQUARE, 3),
    "dropout": lambda: F.dropout(SQUARE.t(), 0.3),
    "dropout2d": lambda: F.dropout2d(IMAGE),
    "alpha_dropout": lambda: F.alpha_dropout(SQUARE, training=True),
    "gumbel_softmax": lambda: F.gumbel_softmax(SQUARE),
    "uniform_": lambda: SQUARE.clone().t().uniform_(),
    "normal_": lambda: SQUARE.clone().normal_(1, 2),
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_threads_of_other_tests(monkeypatch):
    others = {*threading.enumerate()}
    for module in (inline_cache, draws):
        monkeypatch.setattr(module, "has_foreign_threads", lambda: not others >= {*threading.enumerate()})


def plans():
    return sum(inline_cache._PLANS - cache._plans for cache in inline_cache._tables)


def results(call, count):
    torch.manual_seed(3)
    found = []
    for k in range(count):
        if k == count // 2:  # the waiting half of a pair, and another place in the block
            torch.randn(3)
        result = call().numpy()
        found.append((result.tobytes(), result.strides))
    return found, torch.get_rng_state().tolist()


@pytest.mark.parametrize("name", CALLS)
def test_numbers_and_the_stream_are_those_of_python(name):
    count, before = 4 * inline_cache._CALLS, plans()
    known = results(CALLS[name], count)
    assert plans() > before
    with inline_cache.without_looks():
        for cache in inline_cache._tables:
            cache.forget()
        assert results(CALLS[name], count) == known


def test_numbers_that_draws_share_are_taken_by_native_code():
    rows = (torch.rand, 8, 8), (torch.randn, 4, 8), (torch.bernoulli, SQUARE), (F.dropout, SQUARE)
    for call, *given in rows:
        assert learn(call, *given)
        torch.manual_seed(7)
        call(*given), call(*given)  # the block's numbers are made
        files = set()
        sys.setprofile(lambda frame, event, arg, files=files: files.add(Path(frame.f_code.co_filename).name))
        try:
            call(*given)
        finally:
            sys.setprofile(None)
        assert "random.py" in files and not any(name.startswith("random_") for name in files)


def test_the_second_number_of_a_pair_is_not_forgotten():
    assert learn(torch.randn, 4)
    torch.manual_seed(1)
    torch.randn(3)
    found = torch.randn(4), torch.randn(4)
    torch.manual_seed(1)
    wide = [torch.randn(1) for _ in range(11)]
    assert torch.equal(torch.cat(found), torch.cat(wide[3:]))


def test_a_history_is_recorded_behind_a_draw():
    x = SQUARE.clone().requires_grad_()
    assert learn(F.dropout, x)
    y = F.dropout(x)
    y.backward(torch.ones(8, 8))
    assert type(y.grad_fn).__name__ == "MulBackward0"
    assert set(x.grad.reshape(-1).tolist()) == {0.0, 2.0} and torch.equal(y.detach(), x.detach() * x.grad)


def test_rows_of_vmap_draw_for_themselves():
    assert learn(torch.rand, 5)
    torch.manual_seed(1)
    rows = torch.func.vmap(lambda x: x + torch.rand(5), randomness="different")(torch.zeros(3, 5))
    torch.manual_seed(1)
    assert torch.equal(rows, torch.rand(3, 5))
    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.func.vmap(lambda x: x + torch.rand(5))(torch.zeros(3, 5))


def test_what_fails_has_drawn_as_often_as_in_python():
    wrong = SQUARE.clone()
    wrong[3, 3] = 2
    states = []
    for known in (False, True):
        assert not known or learn(torch.bernoulli, SQUARE)
        torch.manual_seed(1)
        with pytest.raises(RuntimeError, match="p_in >= 0"):
            torch.bernoulli(wrong)
        states.append(torch.get_rng_state())
    assert torch.equal(*states)
    assert learn(torch.normal, SQUARE, SQUARE)
    with pytest.raises(RuntimeError, match="std >= 0.0"):
        torch.normal(SQUARE, -SQUARE)


def test_other_generators_and_other_threads_are_left_to_python():
    own = torch.Generator()
    assert not learn(lambda: torch.rand(6, generator=own))
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert not learn(torch.rand, 7)
    finally:
        done.set()
        thread.join()
    assert learn(torch.rand, 7)


def test_a_compiled_function_draws_anew():
    def step(x):
        return F.dropout(x) + torch.rand(8, 8)

    assert learn(F.dropout, SQUARE) and learn(torch.rand, 8, 8)
    compiled = torch.compile(step)
    compiled(SQUARE)
    torch.manual_seed(5)
    first, second = compiled(SQUARE), compiled(SQUARE)
    torch.manual_seed(5)
    assert torch.equal(first, step(SQUARE)) and torch.equal(second, step(SQUARE))
    assert not np.array_equal(first.numpy(), second.numpy())
