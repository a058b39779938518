"""Define a collective under way: what asynchronous calls return.

What this module must do:

- wait without blocking the interpreter: an interrupt, a timeout and other threads get their turn;
- bring asynchronous collectives on while the program computes, by one thread for all of them;
- copy results into their tensors, and complete futures, once and in whatever thread comes first.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

from ..array import locks
from ..core.modes import modes
from ..errors import with_note
from ..torch_names.futures import Future
from . import membership, mpi
from .buffers import nothing
from .process_group import Group

#: For how many seconds a wait asks again at once, and for how many more it only lets others run in between.
SPIN = 50e-6
YIELD = 5e-3
PAUSE = 100e-6
#: For how many seconds the thread of asynchronous works rests at most. It rests twice as long each time that
#: it finds nothing to do: where each processor has a rank that computes, it takes that away.
REST = 16e-3
#: An offer of the processor that takes so many seconds was taken up: others want it. A wait then sleeps, as
#: one that yields gets its share again and again, at the cost of the process that it waits for.
CROWDED = 30e-6

#: Let another process run, if one wants to.
yield_processor: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))


class Work:
    """A collective or a message under way, of the processes of a group.

    It is complete when all of MPI's `requests` are and `finish` was called; `result` is what `result` and the
    future give. `number` is the how-manieth collective of the group it is, 0 for a message, which goes to or
    comes from the rank `peer` in the group; one that it `receives` tells who sent it. Messages call it
    `name`.
    """

    def __init__(
        self, requests: list[Any], group: Group, name: str, finish: Callable[[], None] = nothing,
        result: Any = None, number: int = 0, receives: bool = False, peer: int | None = None,
    ) -> None:  # fmt: skip
        self._requests = requests
        self._finish = finish
        self._group = group
        self._number = number
        self._peer = peer
        self._timeout = group.timeout.total_seconds()
        self._started = time.monotonic()
        self._lock = locks.lock()
        self._complete = False
        self._error: BaseException | None = None
        self._future: Future[Any] | None = None
        self._result = [] if result is None else result
        self._name = name
        self._status = mpi.library().Status() if receives else None
        self._end_event: Callable[[], None] = nothing

    def recorded(self, name: str, tensors: Iterable[Any]) -> Work:
        """Make it an event of the profile, where one is taken; return the work."""
        if (recorder := modes().watcher) is not None:
            self._end_event = recorder.beside(f"{self._group.backend}:{name}", tensors)
        return self

    def _advance(self) -> bool:
        """Ask MPI how far it is, finish where it is done, and return whether it is."""
        if self._complete:
            return True
        with self._lock:
            if self._complete:
                return True
            requests = self._requests
            try:
                while requests:
                    if not requests[-1].Test(self._status):
                        return False
                    requests.pop()
                self._finish()
            except Exception as error:  # noqa: BLE001  # told where the work is waited for
                self._error = self._explained(error)
                self._error.__cause__ = None if self._error is error else error
            self._complete = True
            future = self._future
        self._end_event()
        if future is not None:
            self._tell(future)
        return True

    def _explained(self, error: Exception) -> Exception:
        """Return an error of MPI as one that says what failed and where to look."""
        if not isinstance(error, mpi.library().Exception):
            return error
        what = error.Get_error_string().split(", error stack")[0]
        text = f"[Rank {self._group.rank()}]: {self._name} failed in MPI: {what}"
        hint = "Do the tensors of all processes have equally many elements of one dtype?"
        if self._number:
            hint += " With TORCH_DISTRIBUTED_DEBUG=DETAIL an error says in which processes they differ."
        return with_note(RuntimeError(text), hint)

    def _tell(self, future: Future[Any]) -> None:
        if self._error is not None:
            future._finish(None, self._error)
        else:
            future.set_result(self._result)

    def _fail(self, error: BaseException) -> None:
        with self._lock:
            self._error, self._complete = error, True
            future = self._future
        if future is not None:
            self._tell(future)

    def wait(self, timeout: timedelta | float | None = None) -> bool:
        """Wait for the end.

        Parameters
        ----------
        timeout : timedelta, optional
            For how long; by default what the group was given.

        Returns
        -------
        bool
            True.

        Raises
        ------
        RuntimeError
            It took longer, or it failed.
        """
        seconds = self._timeout
        if timeout is not None:
            seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
            seconds = seconds or self._timeout
        advance = self._advance
        if not advance():
            start = time.perf_counter()
            yields = YIELD
            while not advance():
                if (elapsed := time.perf_counter() - start) > SPIN:
                    if elapsed < yields:
                        yield_processor()
                        if time.perf_counter() - start - elapsed > CROWDED:
                            yields = 0.0
                    else:
                        time.sleep(PAUSE)
                    self._check(elapsed, seconds)
        if self._error is not None:
            raise self._error
        return True

    def _check(self, elapsed: float, seconds: float) -> None:
        """Fail where the time is over, or where a process that takes part is gone."""
        if elapsed > seconds:
            self._fail(timed_out(self._group.rank(), self._name, seconds, self._delay()))
        else:
            try:
                membership.check(self._group.ranks)
            except RuntimeError as error:
                self._fail(error)

    def _delay(self) -> str:
        """Return which processes have not come, as far as it can be found out."""
        if (member := membership.current()) is None:
            return ""
        if self._peer is not None:
            return member.explain_silence(self._group.ranks[self._peer], self._group.group_name)
        return member.explain_delay(self._group.ranks, self._group.group_name, self._number)

    def cancel(self) -> None:
        """Give up a message that is not received yet."""
        for request in self._requests:
            request.Cancel()
            request.Wait()
        self._requests = []

    def is_completed(self) -> bool:
        """Return whether it is at its end."""
        return self._advance()

    def is_success(self) -> bool:
        """Return whether it is at its end without an error."""
        return self._advance() and self._error is None

    def exception(self) -> BaseException | None:
        """Return the error with which it ended."""
        return self._error

    def synchronize(self) -> None:
        """Wait for the end."""
        self.wait()

    def result(self) -> Any:
        """Return the tensors that it wrote to."""
        self.wait()
        return self._result

    def source_rank(self) -> int:
        """Return which rank a message came from."""
        if self._status is None:
            raise RuntimeError(
                "sourceRank() may only be called on work objects that correspond to a recv or recv-from-any "
                "call."
            )
        return self._group.ranks[self._status.Get_source()]

    _source_rank = source_rank

    def get_future(self) -> Future[Any]:
        """Return the future of the tensors that it writes to."""
        with self._lock:
            future = self._future = self._future or Future()
            complete = self._complete
        if complete and not future.done():
            self._tell(future)
        return future


def timed_out(rank: int, name: str, seconds: float, why: str) -> RuntimeError:
    """Return the error of a collective that the other processes did not join in time."""
    text = f"[Rank {rank}]: Timed out waiting {round(seconds * 1000)}ms for {name} operation to complete"
    return RuntimeError(f"{text}: {why}" if why else text)


class Progress:
    """The thread that brings asynchronous works on while the program does something else."""

    def __init__(self) -> None:
        self._works: list[Work] = []
        self._changed = locks.condition()
        self._thread: threading.Thread | None = None

    def follow(self, work: Work) -> Work:
        """Bring a work on until it is complete; return it."""
        with self._changed:
            self._works.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pullback progress", daemon=True)
                self._thread.start()
            self._changed.notify()
        return work

    def _run(self) -> None:
        pause = PAUSE
        while True:
            with self._changed:
                if not self._works:
                    self._changed.wait_for(lambda: bool(self._works))
                    pause = PAUSE
                works = list(self._works)
            # Of this thread alone: on a busy machine a call takes its time without doing anything.
            before = time.thread_time()
            done = [work for work in works if self._brought_on(work)]
            if done:
                with self._changed:
                    self._works = [work for work in self._works if work not in done]
            # A call that took its time has moved data: there may be more of it.
            busy = done or time.thread_time() - before > SPIN
            pause = PAUSE if busy else min(2 * pause, REST)
            if not busy:
                time.sleep(pause)

    @staticmethod
    def _brought_on(work: Work) -> bool:
        """Bring a work on; return whether it has ended, well or not."""
        if not work._advance():
            work._check(time.monotonic() - work._started, work._timeout)
        return work._complete


progress = Progress()
