"""Say where lower layers ask the compiler, which stands above them, for something faster.

The package provides it, by functions that load it when it is first asked: `compile` of a function, native
kernels of large arrays (`array.large`), the native pullback of an op, the steps of an optimizer. All may be
missing; the work is then done in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from types import CodeType
from typing import Any

from numpy import ndarray

from ..array import large
from ..array.tiering import Hotness
from .tracer import is_tracing

_load: Callable[[str, str], Any] | None = None

#: Parameters from which NumPy's passes over all of them are faster than one after another: Adam's step of
#: 1, 2, 4, 8 and 30 takes 217, 335, 943, 1,316 and 7,204 µs one by one, and 282, 541, 421, 526 and 3,349 so.
_SEVERAL = 4


def provide(load: Callable[[str, str], Any], kernels: Callable[[], Any], chains: Callable[[], Any]) -> None:
    """Take the functions that load a name of a module of the compiler, the native kernels, and chains."""
    global _load
    _load = load
    large.provide(kernels, chains)


def code_of(source: str, filename: str) -> CodeType:
    """Compile a source of Python, or find what an earlier process compiled."""
    if _load is None:
        return compile(source, filename, "exec")
    code: CodeType = _load("runtime.python_code", "code_of")(source, filename)
    return code


def compiled(function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """Return ``torch.compile(function, *args, **kwargs)``."""
    if _load is None:
        raise RuntimeError("no compiler was provided: import pullback first")
    return _load("api", "compile")(function, *args, **kwargs)


#: Whether a compiled function that cannot be one program is running: modules whose gradients are exchanged
#: between processes and the closures of L-BFGS are compiled by themselves then.
compiles_parts: ContextVar[bool] = ContextVar("compiles_parts", default=False)


def in_parts(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function within which `compiles_parts` holds."""

    @wraps(function)
    def run(*args: object, **kwargs: object) -> Any:
        token = compiles_parts.set(True)
        try:
            return function(*args, **kwargs)
        finally:
            compiles_parts.reset(token)

    return run


def pulled(op: object, g: ndarray, saved: tuple[object, ...], needs: tuple[bool, ...]) -> Any:
    """Return the covectors of an op's inputs, from that of its result and what its node saved, or None."""
    return large.ask("pull", op, g, saved, needs)


def optimizer_steps(optimizer: Any) -> Any:
    """Return what does an optimizer's steps for a group at once, by ``step(optimizer, group)``; None where
    each parameter takes its step by itself.
    """
    # What looks like an optimizer may not have been made like one.
    hotness: Hotness | None = optimizer.__dict__.get("_hotness")
    if _load is None or hotness is None:
        return None
    if is_tracing() or not large.is_there():
        return _load("optimizer_steps", "steps_of")(optimizer)
    if hotness.is_hot_sampled(optimizer._cost):
        found = hotness.get(_load("optimizer_steps", "steps_of"), optimizer)
        if found is not None:
            return found
    if sum([len(group["params"]) for group in optimizer.param_groups]) < _SEVERAL:
        return None
    return _load("optimizer_steps", "steps_of")(optimizer, by_loops=False)
