"""Run collectives that begin one after the other.

All processes of a communicator must begin its collectives in the same order. One that goes in parts begins a
part when the one before it has ended, at another moment in each process; what is asked for meanwhile waits in
line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ..array import locks

#: Begins an exchange and returns MPI's request.
Start = Callable[[], Any]


class Turn:
    """An exchange in parts, which `starts` begin; it is asked for its end as one of MPI's requests is."""

    def __init__(self, line: Line, starts: Iterable[Start]) -> None:
        self._line = line
        self.starts = deque(starts)
        self._request: Any = None

    def Test(self, status: Any = None) -> bool:
        """Bring it on, and return whether it has ended; the status is that of messages alone."""
        with self._line.lock:
            self._line.advance()
            return not self._line.holds(self) and self.advance()

    def advance(self) -> bool:
        """Begin the next parts where those before them have ended; return whether all have."""
        while True:
            if self._request is not None and not self._request.Test():
                return False
            self._request = None
            if not self.starts:
                return True
            self._request = self.starts.popleft()()


class Line:
    """The exchanges of a communicator that have parts which have not begun, in the order in which they do."""

    def __init__(self) -> None:
        self.lock = locks.reentrant_lock()
        self._turns: deque[Turn] = deque()

    def __bool__(self) -> bool:
        return bool(self._turns)

    def add(self, starts: Iterable[Start]) -> Turn:
        """Put an exchange behind the others and begin it if it is the first."""
        turn = Turn(self, starts)
        with self.lock:
            self._turns.append(turn)
            self.advance()
        return turn

    def holds(self, turn: Turn) -> bool:
        """Return whether an exchange has parts that have not begun."""
        return turn in self._turns

    def advance(self) -> None:
        """Bring on those in front."""
        while self._turns:
            first = self._turns[0]
            first.advance()
            if first.starts:
                return
            self._turns.popleft()

    def finish(self) -> None:
        """Bring all on until every part has begun."""
        while self:
            with self.lock:
                self.advance()
