"""Where lower layers ask the compiler, which stands above them, for something faster.

The package provides it, by functions that load it when it is first asked: `compile` of a function, native
kernels of large arrays (`array.large`), the native pullback of an op, native steps of an optimizer. All may
be missing; who asks then does the work in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..array import large

_load: Callable[[], Callable[..., Any]] | None = None


def provide(compile: Callable[[], Callable[..., Any]], kernels: Callable[[], Any]) -> None:
    """Take the functions that load `compile` and the native kernels."""
    global _load
    _load = compile
    large.provide(kernels)


def compiled(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return ``torch.compile(function, *args, **kwargs)``."""
    if _load is None:
        raise RuntimeError("no compiler was provided: import pullback first")
    return _load()(function, *args, **kwargs)


def pulled(op: Any, g: ndarray, saved: tuple[Any, ...], needs: tuple[bool, ...]) -> Any:
    """Return the covectors of an op's inputs, from that of its result and what its node saved, or None."""
    return large.ask("pull", op, g, saved, needs)


def optimizer_steps() -> Any:
    """Return what makes native loops of optimizers' updates, or None."""
    return large.ask("updating")
