"""Steps that run one after the other in each part compute what they compute one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback import nn
from pullback.compiler import trace
from pullback.compiler.passes import product_chains

pytest.importorskip("llvmlite")
from pullback.array import threads
from pullback.compiler.lower.lowered import Contraction
from pullback.compiler.runtime.executable import Executable

from .agreement import CALLS, anew

F = nn.functional


def check(function: Callable[..., Any], *args: Any) -> Executable:
    """Compare with the steps one by one, and one thread with three."""
    traced = trace(function, *args)
    executable = Executable(traced.program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(product_chains, "found", lambda *_: [])
        apart = Executable(traced.program)
    assert not apart.plan.chains
    before = threads.get_num_threads()
    for n in range(CALLS):
        arrays = [anew(np.ascontiguousarray(t._value), n) for t in traced._reads]
        results = []
        try:
            for count in (1, 3):
                threads.set_num_threads(count)
                results.append(executable.run(*arrays))
        finally:
            threads.set_num_threads(before)
        for one, other, alone in zip(*results, apart.run(*arrays), strict=True):
            np.testing.assert_array_equal(one, other)
            np.testing.assert_allclose(one, alone, rtol=1e-4, atol=1e-5)
    return executable


@pytest.mark.parametrize("rows", [448, 393])
def test_a_layer_is_one_chain(rows):
    x, w, v, bias = (torch.randn(*s) for s in ((rows, 128), (256, 128), (64, 256), (256,)))

    def function(x, w, v, bias):
        return F.layer_norm(F.gelu(F.linear(x, w, bias)), (256,)) @ v.T

    executable = check(function, x, w, v, bias)
    (chain,) = executable.plan.chains
    assert chain.extent == rows and chain.parts > 1
    assert sum(isinstance(executable.steps[n], Contraction) for n in chain.steps) == 2
    assert len(chain.steps) == len(executable.steps)


@pytest.mark.parametrize("backward", [False, True])
def test_an_attention_is_one_chain(backward):
    q, k, v, g = (torch.randn(6, 5, 70, 48) for _ in range(4))

    def function(q, k, v, g):
        if not backward:
            return F.scaled_dot_product_attention(q, k, v, is_causal=True)
        q, k, v = (x.detach().requires_grad_() for x in (q, k, v))
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return torch.autograd.grad(out, (q, k, v), g)

    executable = check(function, q, k, v, g)
    (chain,) = executable.plan.chains
    assert chain.extent == 30 and chain.width == 1
    assert len(chain.steps) == len(executable.steps)


def test_what_needs_other_rows_is_no_part_of_a_chain():
    x, w = torch.randn(256, 256), torch.randn(256, 128)
    # The sum over rows, the transposed product and the product with itself need all rows.
    for function in (
        lambda x, w: (x @ w).sum(0),
        lambda x, w: (x @ w).T @ x,
        lambda x, w: x.T @ (x @ w),
        lambda x, w: (x @ w).flip(0).exp(),
        lambda x, w: (x @ w).roll(1, 0) * 2,
    ):
        assert not check(function, x, w).plan.chains


def test_steps_that_have_nothing_to_do_with_each_other_are_no_chain():
    x, w, y = torch.randn(256, 256), torch.randn(256, 128), torch.randn(256, 1000)
    assert not check(lambda x, w, y: (x @ w, y.exp()), x, w, y).plan.chains


def test_small_products_are_not_cut():
    assert not check(lambda x, w: (x @ w).exp(), torch.randn(20, 20), torch.randn(20, 20)).plan.chains
