"""Loops over steps as native code: values, carries small and large, and what runs by array kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import trace
from pullback.func import cond, fori_loop, grad, jvp, scan, while_loop

pytest.importorskip("llvmlite")
from pullback.compiler.lower.filling import Call
from pullback.compiler.lower.lowered import Branch, Loop
from pullback.compiler.runtime.executable import Executable

from .agreement import CALLS, anew


def agree(function: Callable[..., Any], *args: Any, native: bool = True) -> Executable:
    """Compile a function and compare it with the replay of its program; `native`: no array kernel
    is called.
    """
    traced = trace(function, *args)
    compiled = Executable(traced.program)
    for n in range(CALLS):
        arrays = [anew(np.ascontiguousarray(t._value), n) for t in traced._reads]
        for want, got in zip(traced.program.run(*arrays), compiled.run(*arrays), strict=True):
            assert want.dtype == got.dtype
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
    assert any(isinstance(step, (Branch, Loop)) for step in compiled.steps) == native
    calls = [step.op for step in compiled.steps if isinstance(step, Call)]
    assert any(op in ("scan", "while_loop", "cond") for op in calls) != native
    return compiled


def lorenz(v: Any) -> Any:
    def step(c: Any, _: Any) -> Any:
        x, y, z = c
        return (x + 0.01 * 10 * (y - x), y + 0.01 * (x * (28 - z) - y), z + 0.01 * (x * y - 8 / 3 * z)), x

    (x, y, z), xs = scan(step, tuple(v.unbind(0)), length=50)
    return x + y + z + xs.mean()


@pytest.mark.parametrize("function", [lorenz, grad(lorenz)])
def test_scalars_in_registers(function: Callable[..., Any]) -> None:
    agree(function, torch.tensor([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("size", [4, 40])
def test_a_recurrent_network(size: int) -> None:
    def network(w: Any, u: Any, xs: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = (x @ u + h @ w).tanh()
            return h, h.softmax(-1)

        h, ys = scan(step, torch.zeros(2, size), xs)
        return h.sum() + ys.square().sum()

    torch.manual_seed(0)
    w, u, xs = torch.randn(size, size) / size, torch.randn(3, size), torch.randn(7, 2, 3)
    agree(network, w, u, xs)
    agree(grad(network, argnums=(0, 1, 2)), w, u, xs)


def test_backwards_and_outputs_that_are_not_used() -> None:
    xs = torch.randn(5, 3)
    agree(lambda xs: scan(lambda c, x: (c * 0.5 + x, (c, x.exp())), xs[0], xs, reverse=True)[1][0], xs)


def test_a_carry_that_is_passed_on_and_one_that_is_an_input() -> None:
    xs = torch.randn(5, 3)
    agree(lambda xs: scan(lambda c, x: ((c[1], c[0] + x), c), (xs[0], xs[1]), xs), xs)


def test_constants_of_a_body() -> None:
    table = torch.arange(12.0).view(4, 3)
    agree(
        lambda xs: scan(lambda c, x: (c * 0.5 + x @ (table * 1.0), c), torch.zeros(3), xs), torch.randn(5, 4)
    )


def test_a_loop_in_a_loop() -> None:
    def inner(c: Any, xs: Any) -> Any:
        return scan(lambda d, z: ((d * z).sin(), d), c, xs)[0]

    agree(grad(lambda x: scan(lambda c, y: (inner(c + y, x), c), x[0], x)[0]), torch.randn(4))


def test_halves_and_whole_numbers() -> None:
    agree(lambda x: fori_loop(0, 6, lambda i, c: (c * 1.5 + i).half(), x), torch.randn(4).half())
    agree(lambda x: fori_loop(0, 6, lambda i, c: c * 3 + i, x), torch.arange(4))


def test_an_index_that_a_step_computes() -> None:
    compiled = agree(lambda x: fori_loop(0, 4, lambda i, c: c + x[i], x[0] * 0), torch.randn(4, 3))
    assert compiled.lowered.checked

    def beyond(x: Any) -> Any:
        return fori_loop(0, 5, lambda i, c: c + x[i], x[0] * 0)

    with pytest.raises(IndexError):
        torch.compile(beyond, backend="native")(torch.randn(4, 3))


def test_a_body_without_native_code_runs_by_array_kernels() -> None:
    agree(lambda x: scan(lambda c, y: (c.mode(-1, True)[0] + y, c), x[0], x), torch.randn(5, 3), native=False)


def root(a: Any) -> Any:
    """The square root of each element, by Newton's method, with a constant in the condition."""
    small = torch.full((2,), 1e-6)
    return while_loop(
        lambda s: ((s[0] * s[0] - s[1]).abs() > small.expand(2)).any(),
        lambda s: (0.5 * (s[0] + s[1] / s[0]), s[1], s[2] + 1), (torch.ones(2), a, 0),
    )  # fmt: skip


def test_a_loop_whose_steps_a_condition_counts() -> None:
    a = torch.tensor([2.0, 3.0])
    agree(root, a)
    agree(lambda a: jvp(lambda a: root(a)[0], (a,), (torch.ones(2),)), a)
    large = torch.rand(100) + 0.5
    agree(lambda a: while_loop(lambda s: s.sum() < 1e4, lambda s: s * s + 1, a), large)
    agree(lambda a: while_loop(lambda s: s.sum() < 0, lambda s: s * s + 1, a), large)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_branches(sign: float) -> None:
    x, table = torch.rand(3) * sign, torch.arange(3.0)

    def function(x: Any) -> Any:
        return cond(x.sum() > 0, lambda x: (x.sin(), x * 2), lambda x: (x.cos() * (table * 1.5), x), x)

    agree(function, x)
    agree(grad(lambda x: function(x)[0].sum()), x)
    agree(lambda x: scan(lambda c, y: (function(c * y)[0], c), x, x)[0], x)


def test_a_branch_with_an_index() -> None:
    def function(x: Any, i: Any) -> Any:
        return cond(x.sum() > 0, lambda x: x[i], lambda x: x[:1] * 2, x)

    for x in (torch.rand(4, 2), -torch.rand(4, 2)):
        assert agree(function, x, torch.tensor([2])).lowered.checked
    with pytest.raises(IndexError):
        torch.compile(function, backend="native")(torch.rand(4, 2), torch.tensor([4]))
