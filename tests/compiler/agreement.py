"""Comparing a compiled function with the same one run eagerly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pullback as torch


def array_kernels(compiled: Any) -> list[str]:
    """The ops that a compiled function's programs run by their array kernels."""
    names = []
    for specialization in compiled._native.specializations:
        for executable in (specialization.forward, specialization.pullback):
            names += [] if executable is None else [s.op for s in executable.steps if hasattr(s, "op")]
    return names


def results(function: Callable[..., Any], inputs: tuple[Any, ...]) -> list[Any]:
    """The function's result and its inputs' gradients."""
    leaves = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    out = function(*leaves)
    weights = torch.arange(out.numel(), dtype=out.dtype).sin().reshape(out.shape)
    (out * weights).sum().backward()
    return [out.detach(), *(x.grad for x in leaves if x.requires_grad)]


def agree(function: Callable[..., Any], *inputs: Any, tolerance: float = 1e-5) -> None:
    """Compiled results and gradients are eager's, and no op runs by its array kernel."""
    compiled = torch.compile(function, backend="native")
    for got, want in zip(results(compiled, inputs), results(function, inputs), strict=True):
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)
    assert compiled._native.specializations
    assert array_kernels(compiled) == []
