"""Readings of clocks: each call takes them anew, in the order of the function.

What the function reads before it computes anything is read when the call begins, all else when its program
has run, so that a difference is the time of what lies between. A reading is known only then: one that decides
what happens next is a part of the program, as a number of a tensor is (`Session.speculate`).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..state.deferred import Deferred
from ..state.guards import Guard, answer
from ..state.session import Session
from .rules import rule

_CLOCKS = tuple(
    getattr(time, name + suffix) for suffix in ("", "_ns")
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    if hasattr(time, name + suffix)
)  # fmt: skip


class Readings(threading.local):
    """The readings of the present call, in order."""

    def __init__(self, clocks: list[Reading]) -> None:
        self._clocks = clocks
        self._values: list[Any] = []

    def begin(self) -> None:
        """Begin a call: take those that come before its program."""
        self._values = [clock.function() for clock in self._clocks if clock.comes_first]

    def up_to(self, place: int) -> Any:
        """Return one, taken after those before it."""
        values = self._values
        while len(values) <= place:
            values.append(self._clocks[len(values)].function())
        return values[place]


class Reading(Deferred):
    """The answer of a clock at a point of the function."""

    __slots__ = ("_place", "_readings", "_traced", "function", "comes_first")

    def __init__(self, session: Session, function: Callable[[], Any], readings: Readings, place: int) -> None:
        self._traced = function()
        super().__init__(session, type(self._traced))
        self.function = function
        #: Whether nothing is computed before it.
        self.comes_first = not session.cells.recorder.equations
        self._readings = readings
        self._place = place

    def present(self) -> Any:
        """Return what it said in the trace."""
        return self._traced

    def evaluate(self, tensor: Callable[[Any], Any]) -> Any:
        """Return what it says in the present call."""
        return self._readings.up_to(self._place)


@rule(*_CLOCKS)
def _read(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if args or kwargs:
        return f(*args, **kwargs)
    clocks = session.clocks
    if session.readings is None:
        session.readings = Readings(clocks)
        session.note(Guard(answer, session.readings.begin, (), None), "clocks")
    clocks.append(Reading(session, f, session.readings, len(clocks)))
    return clocks[-1]


@rule(time.sleep)
def _sleep(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    known = len(args) == 1 and not kwargs and type(args[0]) in (int, float)
    if not known or not 0 <= args[0] < threading.TIMEOUT_MAX:
        raise session.refusal("it sleeps for a time that is not known")
    session.effect(f, *args)
