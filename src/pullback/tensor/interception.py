"""Intercept the calls of public functions: for subclasses, function modes, profilers,
autocast.

What this module must do:

- cost a call nothing while there is none of them: `OVERRIDING` is then empty, which is all that a call asks;
- keep torch's order: a function mode goes first, then the classes of the arguments, then what counts
  calls, then the casts of mixed precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..array import locks
from ..core.modes import DEFAULT, NO_GRAD, change, modes, put_modes, reset_modes, set_modes

Function = Callable[..., Any]


class _Overriding(set[type]):
    """Classes that override `__torch_function__`. While overrides are disabled it holds none, and under a
    function mode it holds all, because every call is the mode's.
    """

    def __contains__(self, kind: object) -> bool:
        now = modes()
        return bool(now.function_modes) or (not now.function_disabled and set.__contains__(self, kind))


#: ``holds(OVERRIDING, kind)``: whether a class is in it, the modes aside.
holds = set.__contains__

#: Classes that override `__torch_function__`, and `Active` while a mode is on anywhere; while it is empty,
#: no call looks any further.
OVERRIDING = _Overriding()


class Active:
    """Stand in `OVERRIDING` while some thread has a mode on."""


_lock = locks.lock()
_active = 0


def activate() -> None:
    """Have calls look for modes, until as many calls of `deactivate`."""
    global _active
    with _lock:
        _active += 1
        OVERRIDING.add(Active)


def deactivate() -> None:
    """Undo one `activate`."""
    global _active
    with _lock:
        _active -= 1
        if not _active:
            OVERRIDING.discard(Active)


@contextmanager
def without(**fields: Any) -> Iterator[None]:
    """Run a block with some modes changed, whatever it does to the others."""
    before = change(**fields)
    try:
        yield
    finally:
        set_modes(modes()._replace(**{name: getattr(before, name) for name in fields}))


def ask_mode(
    function: Function, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call the innermost function mode, with itself out of force; NotImplemented where there is none."""
    if not (now := modes()).function_modes:
        return NotImplemented
    *outer, mode = now.function_modes
    token = put_modes(now)
    set_modes(now._replace(function_modes=tuple(outer)))
    try:
        return mode.__torch_function__(function, types, args, kwargs)
    finally:
        reset_modes(token)


#: The answer of `intercepted` where nothing stands between.
PASS = object()


def intercepted(
    call: Function, function: Function | None, label: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Do a call for who counts it or casts its arguments; `PASS` where nobody does.

    `call` is the public function, `function` what it does behind this question, None where only the whole can
    be called; `label` is its name in torch's dispatcher, such as ``"linalg_inv"``.
    """
    if (now := modes()) is DEFAULT or now is NO_GRAD:
        return PASS
    if now.watcher is not None:
        if function is None:
            with without(watcher=None):
                return now.watcher(label, call, args, kwargs)
        if (cast := now.autocast) is not None and cast.casts(label):
            return now.watcher(label, lambda *a, **k: cast.run(label, function, a, k), args, kwargs)
        return now.watcher(label, function, args, kwargs)
    if now.autocast is not None and now.autocast.casts(label):
        return now.autocast.run(label, call, args, kwargs)
    return PASS
