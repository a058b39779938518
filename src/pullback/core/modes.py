"""The modes under which ops run: grad mode, inference mode, saved-tensor hooks, anomaly detection, function
modes, autocast, profiling.

All modes together are one immutable record in one context variable, so that the hot path of an op reads a
single variable and compares it with the three records that nearly every program runs under, `DEFAULT`,
`NO_GRAD` and `INFERENCE`; any other record sends the op down the general path. A context variable is per
thread and per asyncio task.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from ..array.named_tuples import NamedTuple


class Modes(NamedTuple):
    """One state of all modes; a new record is made for every change."""

    grad: bool = True
    inference: bool = False
    saved_hooks: tuple[tuple[Callable[[Any], Any], Callable[[Any], Any]], ...] = ()
    saved_hooks_disabled: str | None = None
    anomaly: bool = False
    anomaly_check_nan: bool = True
    function_modes: tuple[Any, ...] = ()
    function_disabled: bool = False
    #: Level of the innermost transform that is running, and of the innermost one that differentiates.
    transform: int = 0
    differentiating: int = 0
    #: What casts the arguments of public functions, and what is told of each call of one (see
    #: `tensor.interception`).
    autocast: Any = None
    watcher: Any = None
    #: Modes with `__torch_dispatch__`, the innermost last (see `wrapper`).
    dispatch_modes: tuple[Any, ...] = ()

    @property
    def is_transform_alone(self) -> bool:
        """Return whether nothing but running transforms and grad mode tell this from a common record."""
        global _asked
        asked, answer = _asked
        if asked is self:
            return answer
        answer = bool(self.transform) and not (
            self.inference or self.saved_hooks or self.anomaly or self.function_modes
            or self.watcher is not None or self.dispatch_modes
        )
        _asked = self, answer
        return answer


#: What was asked last whether a transform is alone in it, and the answer: each op of a transform asks twice.
_asked: tuple[Modes | None, bool] = (None, False)


DEFAULT = Modes()
NO_GRAD = Modes(grad=False)
INFERENCE = Modes(grad=False, inference=True)
COMMON = (DEFAULT, NO_GRAD, INFERENCE)

#: What `beneath_autocast` was asked last, and the answer.
_beneath: tuple[Modes | None, Modes | None] = (None, None)


def beneath_autocast(mode: Modes) -> Modes | None:
    """Return the common record to which autocast alone was added; None for all other records."""
    global _beneath
    if mode.autocast is None:
        return None
    asked, answer = _beneath
    if asked is mode:
        return answer
    rest = mode._replace(autocast=None)
    answer = next((common for common in COMMON if rest == common), None)
    _beneath = mode, answer
    return answer


#: What `beneath_hooks` was asked last and before, with the answers: calls of a block with hooks alternate
#: between two records, for a hook runs unrecorded. And these two.
_beneath_hooks: tuple[tuple[Modes | None, Modes | None], ...] = ((None, None), (None, None))
_switched: tuple[Modes, Modes] = (DEFAULT, DEFAULT)


def beneath_hooks(mode: Modes) -> Modes | None:
    """Return the common record to which hooks on what is saved, and perhaps autocast, which casts what public
    functions are given and no more, were added; None for all other records.
    """
    global _beneath_hooks
    last = _beneath_hooks[0]
    for asked, answer in _beneath_hooks:
        if asked is mode:
            return answer
    rest = mode._replace(autocast=None, saved_hooks=())
    answer = next((common for common in COMMON if rest == common), None) if mode.saved_hooks else None
    _beneath_hooks = (mode, answer), last
    return answer


def forget_hooks() -> None:
    """Let go of hooks that records remembered here hold, and of all that these hold."""
    global _beneath_hooks, _switched
    _beneath_hooks, _switched = ((None, None), (None, None)), (DEFAULT, DEFAULT)


_current: ContextVar[Modes] = ContextVar("pullback_modes", default=DEFAULT)

#: Returns the record now in force (a C method: about 10 ns).
modes = _current.get


def set_modes(record: Modes) -> None:
    """Put `record` in force; the common records are always the same objects, so `is` finds them."""
    for common in COMMON:
        if record == common:
            record = common
    _current.set(record)


#: Puts a record in force as it is and returns a token; `reset_modes(token)` takes it back (C methods: about
#: 50 ns each).
put_modes = _current.set
reset_modes = _current.reset


def change(**fields: Any) -> Modes:
    """Put a record with some fields changed in force and return the one that was."""
    before = modes()
    set_modes(before._replace(**fields))
    return before


def change_grad(on: bool) -> bool:
    """Switch recording on or off and return what it was: ``change(grad=on)``, but in 0.2 µs instead of 1.1
    where one of the two common records is in force, or one with hooks on what is saved was switched last.
    """
    global _switched
    if (before := modes()) is DEFAULT or before is NO_GRAD:
        _current.set(DEFAULT if on else NO_GRAD)
    elif before.saved_hooks and before.grad is not on:
        one, other = _switched
        if before is other:
            other = one
        elif before is not one:
            other = before._replace(grad=on)
            _switched = before, other
        put_modes(other)
    else:
        set_modes(before._replace(grad=on))
    return before.grad


def enter_inference() -> Modes:
    """Switch to inference mode and return the record that was in force."""
    if (before := modes()) is DEFAULT or before is NO_GRAD:
        _current.set(INFERENCE)
        return before
    return change(grad=False, inference=True)


def leave_inference(before: Modes) -> None:
    """Go back to the grad and inference modes of a record; other modes stay."""
    if modes() is INFERENCE and (before is DEFAULT or before is NO_GRAD):
        _current.set(before)
    else:
        change(grad=before.grad, inference=before.inference)


def is_grad_enabled() -> bool:
    """Return whether ops record nodes now."""
    return modes().grad
