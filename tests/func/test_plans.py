"""Ops under transforms that a plan of an inline cache does are what they are without one."""

from __future__ import annotations

import sys

import pytest

import pullback as torch
from pullback.func import grad, vmap

pytest.importorskip("llvmlite")
inline_cache = sys.modules["pullback.tensor.inline_cache.cache"]
W = torch.linspace(-1, 1, 12).reshape(4, 3).clone()
X = torch.linspace(-2, 2, 60).reshape(5, 3, 4).clone()


@pytest.fixture(autouse=True)
def _native(price, monkeypatch):
    if not inline_cache.large.is_there():
        pytest.skip("native code is switched off")
    price(0)
    for cache in inline_cache._tables:  # what other tests have called may have all the plans that it gets
        cache.forget()
        cache._calls = cache._pause = cache._table[1] = inline_cache._CALLS


def plans():
    return sum(inline_cache._PLANS - cache._plans for cache in inline_cache._tables)


def learnt(function, *args):
    """Return what a function gives first, and what it gives when it was called often, and the new plans."""
    first, before = function(*args), plans()
    for _ in range(3 * inline_cache._CALLS):
        last = function(*args)
    return first, last, plans() - before


def loss(w, x):
    return torch.nn.functional.layer_norm(torch.tanh(x @ w), (3,)).square().mean()


@pytest.mark.parametrize(
    "function",
    [
        vmap(lambda x: x @ W),
        vmap(lambda x: torch.softmax(x, 0).sum(1), in_dims=1, out_dims=1),
        vmap(lambda x: torch.cat([x, x.flip(0)]).transpose(0, 1)),
        vmap(grad(loss, 1), in_dims=(None, 0)),
        vmap(grad(loss), in_dims=(None, 0)),
    ],
)
def test_a_plan_gives_the_same_bits(function):
    args = (X,) if function.__name__ == "<lambda>" else (W, X)
    first, last, new = learnt(function, *args)
    assert new
    assert torch.equal(first, last) and first.stride() == last.stride()


def test_a_plan_leaves_the_history_of_what_is_outside():
    w = W.clone().requires_grad_()

    def outer():
        inner = vmap(grad(loss), in_dims=(None, 0))(w, X)
        return torch.autograd.grad(inner.square().sum(), w)[0]

    first, last, new = learnt(outer)
    assert new and torch.equal(first, last) and first.abs().sum() > 0


def test_a_write_to_a_view_by_a_plan_reaches_its_base():
    def write(x):
        y = x * 2
        y.transpose(0, 1).add_(1)
        return y

    first, last, new = learnt(vmap(write), X)
    assert new and torch.equal(first, X * 2 + 1) and torch.equal(last, first)


def test_an_op_on_places_is_not_tried_with_others():
    places = torch.tensor([[0, 2], [1, 1]])
    first, last, new = learnt(vmap(lambda i: torch.index_select(W, 0, i)), places)
    assert not new and torch.equal(first, last) and torch.equal(first, W[places])
