"""Calls under autocast have plans as others do, and give, record and keep what they do without."""

from __future__ import annotations

import sys

import pytest

import pullback as torch

pytest.importorskip("llvmlite")
inline_cache = sys.modules["pullback.tensor.inline_cache.cache"]
F = torch.nn.functional


@pytest.fixture(autouse=True)
def _native(price):
    if not inline_cache.large.is_there():
        pytest.skip("native code is switched off")
    price(0)
    for cache in inline_cache._tables:
        cache.forget()
        cache._calls = cache._pause = cache._table[1] = inline_cache._CALLS


def plans():
    return sum(inline_cache._PLANS - cache._plans for cache in inline_cache._tables)


def often(function, *args, wanted=1):
    """Call a function under autocast until so many plans are made; whether they were."""
    before = plans()
    for _ in range(6 * inline_cache._CALLS):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            function(*args)
        if plans() >= before + wanted:
            return True
    return False


def graph(tensor):
    """Return the names of the nodes behind a tensor."""
    def below(node):
        return None if node is None else (node.name(), [below(edge) for edge, _ in node.next_functions])

    return below(tensor.grad_fn)


def test_what_is_not_cast_has_a_plan():
    x = torch.rand(3, 4, requires_grad=True)
    h = x.exp()
    before = graph(h.transpose(0, 1)), graph(F.softmax(h, -1))
    assert often(torch.transpose, h, 0, 1) and often(F.softmax, h, -1)
    with torch.autocast("cpu"):
        calls = torch.transpose(h, 0, 1), F.softmax(h, -1)
    assert tuple(map(graph, calls)) == before
    assert torch.equal(calls[0], h.T) and calls[0]._base is h


def test_what_is_cast_has_a_plan_for_what_it_was_cast_to():
    w = torch.rand(3, 4, requires_grad=True)
    x = torch.rand(2, 4)
    assert often(F.linear, x, w, wanted=2)  # one of the casts, and one of the product
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = F.linear(x, w)
        again = F.linear(x, w)
    assert y.dtype is torch.bfloat16
    assert torch.equal(y, F.linear(x.bfloat16(), w.bfloat16()))
    cast = [node for node, _ in y.grad_fn.next_functions[1][0].next_functions]
    same = [node for node, _ in again.grad_fn.next_functions[1][0].next_functions]
    assert cast[0].name() == "ToCopyBackward0" and cast == same  # a weight is cast once
    with torch.autocast("cpu", dtype=torch.bfloat16):
        later = F.linear(x, w)
    assert later.grad_fn.next_functions[1][0].next_functions[0][0] is not cast[0]
    y.float().sum().backward()
    assert w.grad.dtype is torch.float32


def test_the_precision_is_asked_in_each_call():
    w, x = torch.rand(3, 4), torch.rand(2, 4)
    assert often(F.linear, x, w, wanted=2)
    for dtype in (torch.float16, torch.bfloat16):
        with torch.autocast("cpu", dtype=dtype):
            assert F.linear(x, w).dtype is dtype
            with torch.autocast("cpu", enabled=False):
                assert F.linear(x, w).dtype is torch.float32
    assert F.linear(x, w).dtype is torch.float32


@pytest.mark.parametrize(("function", "args"), [
    (torch.inner, (torch.rand(3, 3), torch.rand(3, 3))), (torch.linalg.matrix_power, (torch.rand(3, 3), 3)),
])
def test_a_plan_of_what_is_cast_inside_holds_without_autocast_alone(function, args):
    before = plans()
    for _ in range(3 * inline_cache._CALLS):
        function(*args)
    assert plans() > before
    for _ in range(3 * inline_cache._CALLS):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert function(*args).dtype is torch.bfloat16
        assert function(*args).dtype is torch.float32


def test_draws_go_on_from_where_they_were():
    x = torch.rand(4, 5)
    torch.manual_seed(3)
    expected = [F.dropout(x, 0.5) for _ in range(250)]
    torch.manual_seed(3)
    with torch.autocast("cpu"):
        found = [F.dropout(x, 0.5) for _ in range(250)]
    assert all(map(torch.equal, found, expected))


def test_other_modes_are_still_asked():
    h = torch.rand(3, 4, requires_grad=True).exp()
    assert often(torch.transpose, h, 0, 1)
    with torch.autocast("cpu"), torch.no_grad():
        assert torch.transpose(h, 0, 1).grad_fn is None
    met = []

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            met.append(function)
            return function(*args, **kwargs or {})

    with torch.autocast("cpu"), Mode():
        torch.transpose(h, 0, 1)
    assert met == [torch.transpose]
