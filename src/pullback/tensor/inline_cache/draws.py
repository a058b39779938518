"""Have calls that draw random numbers drawn again from one place of the stream, so that they can be compared.

A plan of such a call draws by the same kernels. To compare it, the call is made again, on other elements too,
and each time the stream is put back to where it stood before the first; behind the last it stands where that
left it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...array.blas import has_foreign_threads
from ...array.random import Generator


class Stand:
    """Remember where streams stand."""

    end: list[Any]  # the `place` where a call left them
    _behind: Stand

    def __init__(self, streams: Sequence[Generator]) -> None:
        self._marks = [(stream, stream.mark()) for stream in streams]

    def holds(self, streams: Sequence[Generator]) -> bool:
        """Return whether these are some of the streams, one at least."""
        return bool(streams) and {*streams} <= {stream for stream, _ in self._marks}

    def has_moved(self) -> bool:
        """Return whether anything was drawn or seeded since."""
        return any(
            before[2] is not (now := stream.mark())[2] or (before[1], *before[4:]) != (now[1], *now[4:])
            for stream, before in self._marks
        )

    def note_end(self) -> bool:
        """Remember where a call has left the streams; return whether they moved."""
        if moved := self.has_moved():
            self.end, self._behind = self.place(), Stand([stream for stream, _ in self._marks])
        return moved

    def restore_end(self) -> None:
        """Let the streams go on from where the call left them."""
        self._behind.restore()

    def place(self) -> list[Any]:
        """Return what is equal where the streams stand at the same places."""
        marks = [stream.mark() for stream, _ in self._marks]
        return [(None if key is None else key.tobytes(), seed, *rest) for key, seed, _, _, *rest in marks]

    def restore(self) -> None:
        """Let the streams go on from there."""
        for stream, mark in self._marks:
            stream.return_to(mark)

    def restore_alone(self) -> None:
        """Do that where no other thread can have drawn numbers since, which would be drawn twice."""
        if not has_foreign_threads():
            self.restore()

    def told(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that draws from there, and gives the place where it left the streams, too."""

        def call(*given: Any) -> Any:
            self.restore()
            found = function(*given)
            place = np.frombuffer(repr(self.place()).encode(), np.uint8)
            return (*(found if type(found) is tuple else (found,)), place)

        return call

    def again(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that draws from there each time it is called."""

        def call(*given: Any) -> Any:
            self.restore()
            return function(*given)

        return call
