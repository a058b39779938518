"""Comparing a compiled function with the same one run eagerly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import pullback as torch

#: Calls of a compiled function that are compared, each with elements in places of their own.
CALLS = 3


def anew(array: np.ndarray, call: int) -> np.ndarray:
    """The elements for a call: in the first those of an array, then the same at other places in each call. So
    an index stays one, and what must be positive stays positive.
    """
    return np.roll(array.reshape(-1)[:: (-1) ** call], call // 2).reshape(array.shape)


def array_kernels(compiled: Any) -> list[str]:
    """The ops that a compiled function's programs run by their array kernels."""
    names = []
    for specialization in compiled._native.specializations:
        for executable in (specialization.forward, specialization.pullback):
            names += [] if executable is None else [s.op for s in executable.steps if hasattr(s, "op")]
    return names


def results(function: Callable[..., Any], inputs: Sequence[np.ndarray]) -> list[Any]:
    """The function's result and its inputs' gradients."""
    leaves = [torch.tensor(x).requires_grad_(x.dtype.kind == "f") for x in inputs]
    out = function(*leaves)
    weights = torch.arange(out.numel(), dtype=out.dtype).sin().reshape(out.shape)
    (out * weights).sum().backward()
    return [out.detach(), *(x.grad for x in leaves if x.requires_grad)]


def agree(function: Callable[..., Any], *inputs: Any, tolerance: float = 1e-5) -> None:
    """Compiled results and gradients are eager's in every call, and no op runs by its array kernel."""
    compiled = torch.compile(function, backend="native")
    calls = [[anew(x.detach().numpy(), call) for x in inputs] for call in range(CALLS)]
    # What one call gave must be right after the others, too.
    given = [results(compiled, call) for call in calls]
    for got, call in zip(given, calls, strict=True):
        for mine, want in zip(got, results(function, call), strict=True):
            torch.testing.assert_close(mine, want, rtol=tolerance, atol=tolerance)
    assert compiled._native.specializations
    assert array_kernels(compiled) == []
