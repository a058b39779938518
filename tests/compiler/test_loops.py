"""Loops over steps as native code: values, carries small and large, and what runs by array kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.compiler import trace
from pullback.func import fori_loop, grad, scan

pytest.importorskip("llvmlite")
from pullback.compiler.executable import Executable
from pullback.compiler.lowered import Call, Loop


def agree(function: Callable[..., Any], *args: Any, native: bool = True) -> Executable:
    """Compile a function and compare it with the replay of its program; `native`: no array kernel
    is called.
    """
    traced = trace(function, *args)
    arrays = [np.ascontiguousarray(t._value) for t in traced._reads]
    compiled = Executable(traced.program)
    for _ in range(2):
        for want, got in zip(traced.program.run(*arrays), compiled.run(*arrays), strict=True):
            assert want.dtype == got.dtype
            np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5)
    assert any(isinstance(step, Loop) for step in compiled.steps) == native
    assert any(isinstance(step, Call) and step.op == "scan" for step in compiled.steps) != native
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
    agree(lambda x: scan(lambda c, y: (c.sort()[0] + y, c), x[0], x), torch.randn(5, 3), native=False)
