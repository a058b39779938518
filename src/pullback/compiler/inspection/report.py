"""Say what a compiled function is made of: its program, kernels, LLVM text and times, and why it is
as it is.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..api import OptimizedModule, compile
from ..frontend.unsupported import Unsupported
from ..runtime.compiled import Compiled
from ..runtime.specialization import Specialization

if TYPE_CHECKING:
    from .timeline import Timeline


class Shown:
    """A text that is made when it is looked at."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()

    __repr__ = __str__


def published(native: Compiled, call: Any) -> Any:
    """Return the function that users call, with `program`, `kernels`, `llvm` and `timeline`."""
    call._native = native
    call.program = None
    call.kernels = Shown(lambda: kernels(native))
    call.llvm = Shown(lambda: last(native).forward.llvm)
    call.timeline = lambda: _timeline(last(native).captured.program)
    reference = weakref.ref(call)

    def traced() -> None:
        if (function := reference()) is not None:
            function.program = last(native).captured.program

    native.when_traced = traced
    return call


class Explanation:
    """One specialisation of a compiled function; it prints as a summary.

    Attributes
    ----------
    program, pullback : Program or None
        Of the call, and of covectors that come later.
    kernels : str
        The steps of native code, as Python.
    llvm : str
    eager_because : str or None
        Why the function runs eagerly; then there is nothing else.
    breaks : list of str
        The lines at which numbers of tensors decide what the function does next, with that reason; where it
        runs eagerly, why it does.
    """

    def __init__(self, native: Compiled) -> None:
        self.eager_because = native.eager_because
        if not native.specializations and self.eager_because is None:
            self.eager_because = native.outside
        self._native = native

    @property
    def _last(self) -> Specialization:
        return last(self._native)

    @property
    def breaks(self) -> list[str]:
        if self.eager_because is not None:
            return [self.eager_because]
        asked = self._last.captured.asked
        return [f"a number of a tensor decides what happens next ({line})" for line in asked]

    @property
    def program(self) -> Any:
        return self._last.captured.program

    @property
    def pullback(self) -> Any:
        return self._last.captured.pullback

    @property
    def kernels(self) -> str:
        return kernels(self._native)

    @property
    def llvm(self) -> str:
        return self._last.forward.llvm

    def timeline(self) -> Timeline:
        """Time each step of the program."""
        return _timeline(self.program)

    def __str__(self) -> str:
        if self.eager_because is not None:
            return f"runs eagerly: {self.eager_because}"
        one = self._last
        captured, temporary = one.captured, one.forward.plan.arena_bytes
        shape = f"{len(captured.program.equations)} equations in {len(one.forward.steps)} steps"
        lines = [
            f"{len(self._native.specializations)} programs, of which the last:",
            f"  {shape}, {temporary} bytes of temporary memory",
        ]
        if one.pullback is not None:
            shape = f"{len(one.pullback.program.equations)} equations in {len(one.pullback.steps)} steps"
            lines.append(f"  its pullback: {shape}, {len(captured.saved)} values saved for it")
        tensors = f"{len(captured.cells)} tensors, writes {len(captured.writes)} in place"
        watched = f"{len(captured.guards)} things that it reads"
        if captured.effects:
            lines.append(f"  {len(captured.effects)} changes of Python's objects, or texts, follow it")
        lines += [f"  {each}" for each in self.breaks]
        lines.append(f"  reads {tensors}, sets {len(captured.grads)} gradients; watches {watched}")
        return "\n".join(lines)


def last(native: Compiled) -> Specialization:
    """Return the specialisation that was traced last.

    Raises a RuntimeError where there is none: the function was not called yet, or runs eagerly.
    """
    if not native.specializations:
        why = native.eager_because or "it was not called yet"
        raise RuntimeError(f"the function has no program: {why}")
    return native.specializations[-1]


def _timeline(program: Any) -> Timeline:
    from .timeline import timeline

    return timeline(program)


def kernels(native: Compiled) -> str:
    """Return the steps of native code as Python, forward and pullback."""
    from .listing import listing

    one = last(native)
    parts = [listing(one.forward.steps, one.forward.lowered)]
    if one.pullback is not None:
        parts += ["\n# the pullback", listing(one.pullback.steps, one.pullback.lowered)]
    return "\n".join(parts)


def explain(f: Any, *args: Any, **kwargs: Any) -> Explanation:
    """Call a function compiled and say what it became.

    Parameters
    ----------
    f : callable or Module
        Compiled, or to be.
    args, kwargs
        Of the call. It is a call: what the function changes is changed.

    Raises
    ------
    RuntimeError
        Functions run eagerly here: llvmlite is not installed, or ``PULLBACK_NATIVE=0``.
    """
    compiled = f if _native(f) is not None else compile(f)
    if (native := _native(compiled)) is None:
        raise Unsupported("compiled functions run eagerly here: there is no llvmlite, or PULLBACK_NATIVE=0")
    compiled(*args, **kwargs)
    return Explanation(native)


def _native(f: object) -> Compiled | None:
    found = getattr(f.__dict__.get("_call") if isinstance(f, OptimizedModule) else f, "_native", None)
    return found if isinstance(found, Compiled) else None
