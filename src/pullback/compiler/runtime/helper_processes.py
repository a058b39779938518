"""Processes that compile LLVM's text while Python traces, lowers and plans.

llvmlite lets one thread of a process compile at a time. Processes of their own are not held up by that, nor
by the interpreter's lock, and the memory that LLVM takes goes with them when they end. They live as long as
the building of one program, and run `codegen` by itself. Where they cannot be had, or end too early,
everything is compiled in this process: the machine code is the same.

One more compiles what eager calls want and do not wait for (`made_apart`), so that a process that is never
asked to compile a program does not load LLVM.

``PULLBACK_COMPILE_PROCESSES`` says how many there may be; 0 is none.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import IO, TYPE_CHECKING

from ...array import locks
from ...array.blas import OWN_THREAD
from ...array.tiering import NotYet, account
from ..emit import codegen
from ..emit.codegen import Code, Effort
from . import processor

if TYPE_CHECKING:
    from queue import PriorityQueue

#: Processes at most, as long as nobody says otherwise.
MOST = 3

#: Equations of a program, those of its loops among them, from which it is compiled by several processes:
#: starting one takes as long as compiling some six kernels.
LONG = 60

#: Bytes of a pipe, where the system lets that be chosen: a text that is in it whole is compiled and kept even
#: if this process ends before the other has begun.
_PIPE = 1 << 18

#: Seconds for which a process that compiles for eager calls stays when it has nothing to do.
LINGERS = 5.0


class _Result:
    """Machine code that another process makes."""

    def __init__(self) -> None:
        self._change = locks.condition()
        self._found: Code | BaseException | None = None
        self._use: Callable[[Code], object] | None = None

    def is_there(self) -> bool:
        """Return whether it is made, or could not be."""
        return self._found is not None

    def set(self, found: Code | BaseException) -> None:
        """Take the machine code, or why there is none."""
        with self._change:
            self._found = found
            self._change.notify_all()
            use = self._use
        account.arrivals += 1
        if use is not None and isinstance(found, Code):
            use(found)

    def when_there(self, use: Callable[[Code], object]) -> None:
        """Have a function called with the machine code, by the thread that brings it or at once."""
        with self._change:
            self._use, found = use, self._found
        if isinstance(found, Code):
            use(found)

    def get(self) -> Code:
        """Wait for the machine code."""
        with self._change:
            while self._found is None:
                self._change.wait()
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found


#: A text, what it is worth, its name in the cache, and what becomes of it.
_Job = tuple[str, Effort | None, str, _Result]
#: A job behind what it costs, negated: the longest is to be begun first, so that at the end no process works
#: on it alone. Of equal cost the first goes first. No job says that there are no more.
_Turn = tuple[float, int, _Job | None]
#: How a line that passes go through, and one in haste, compare with one that is as it shall be, which takes
#: 0.1 ms.
_PASSED, _HASTY = 5.0, 0.1


class Helpers:
    """Some processes, each with a thread that hands it one text after the other.

    One that has had nothing to do for `lingers` seconds goes.
    """

    def __init__(self, lingers: float | None = None) -> None:
        self._lingers = lingers
        #: What is to begin when the processor is known.
        self.later: list[Callable[[], object]] = []
        #: What processes that the first forks read and write, and the other ends of it, which are ours.
        self._theirs: list[int] = []
        self._ours: list[tuple[int, int]] = []
        self._number = itertools.count()
        #: Whether the process has gone that had nothing to do.
        self.has_gone = False
        self._threads: list[threading.Thread] = []

    def __len__(self) -> int:
        return len(self._threads)

    @locks.computed
    def _jobs(self) -> PriorityQueue[_Turn]:
        """Return what is to be done; most programs are found on disk and need no queue."""
        from queue import PriorityQueue

        return PriorityQueue()

    def grow(self, count: int, forks: int = 0) -> None:
        """Have as many processes, or more. The first forks so many for later, where it can: they begin with
        LLVM loaded, which takes 0.08 s of a processor otherwise.
        """
        for _ in range(0 if self._threads or not hasattr(os, "fork") else forks):
            (reads, to), (back, writes) = os.pipe(), os.pipe()
            self._theirs += reads, writes
            self._ours.append((to, back))
        for _ in range(count - len(self)):
            ours = self._unused() if self._threads else []
            lead = self._lead_forked if ours else self._lead
            thread = threading.Thread(target=lead, args=ours, name=OWN_THREAD, daemon=True)
            try:
                thread.start()
            except RuntimeError:  # the platform gives no more
                self._ours += ours
                return
            self._threads.append(thread)

    def submit(self, text: str, effort: Effort) -> Callable[[], Code]:
        """Begin to compile a text; what is returned waits for the machine code."""
        made = self.begin(text, effort, cost=_cost(text, effort))

        def result() -> Code:
            try:
                return made.get()
            except (EOFError, OSError):
                return codegen.compiled(text, effort)

        return result

    def begin(self, text: str, effort: Effort | None, name: str = "", cost: float = 0) -> _Result:
        """Hand over a text, or ask for `codegen.surroundings`; what has a name is kept in the cache."""
        made = _Result()
        self._put((text, effort, name, made), cost)
        return made

    def _put(self, job: _Job | None, cost: float) -> None:
        self._jobs.put((-cost, next(self._number), job))

    def dismiss(self) -> None:
        """Let the processes go when they have done what was submitted."""
        for _ in self._threads:
            self._put(None, -inf)

    def _lead(self) -> None:
        """Start a process, and lead it."""
        import subprocess

        import llvmlite

        failure: BaseException
        theirs, self._theirs = self._theirs, []
        folder = os.path.dirname(os.path.dirname(llvmlite.__file__))
        # A process that is not told asks LLVM.
        told = processor.machine()[:2] if processor.is_known() else ("", "")
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", codegen.__file__, folder, *told, *map(str, theirs)],
                stdin=subprocess.PIPE, pass_fds=theirs,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pipesize=_PIPE,
                # Ctrl-C is for the program: its end ends the process, too.
                start_new_session=True, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )  # fmt: skip
        except OSError as error:
            failure = error
            _close(theirs)
        else:
            _close(theirs)
            # Closing the pipe of a process that has ended may fail.
            with contextlib.suppress(OSError), process:
                assert process.stdin is not None
                assert process.stdout is not None
                failure = self._hand_over(process.stdin, process.stdout)
                process.kill()
        while ours := self._unused():
            _close(*ours)
        self._refuse(failure)

    def _unused(self) -> list[tuple[int, int]]:
        """Take the ends of a fork's pipes, if there is one that no thread leads yet."""
        with contextlib.suppress(IndexError):
            return [self._ours.pop()]
        return []

    def _lead_forked(self, ours: tuple[int, int]) -> None:
        """Hand what is submitted to a process that the first has forked, or will."""
        to, back = ours
        failure: BaseException = EOFError("it has not begun")
        with contextlib.suppress(OSError), open(to, "wb") as sink, open(back, "rb") as source:
            failure = self._hand_over(sink, source)
        self._refuse(failure)

    def _refuse(self, failure: BaseException) -> None:
        """Have what a process waits for that no other compiles compiled by itself."""
        while (job := self._jobs.get()[-1]) is not None:
            job[-1].set(failure)

    def _next(self) -> _Job | None:
        """Return what is to be done next; None where the process is to go."""
        from queue import Empty

        with contextlib.suppress(Empty):
            return self._jobs.get(timeout=self._lingers)[-1]
        with _lock:
            self.has_gone = self._jobs.empty()
        return None if self.has_gone else self._jobs.get()[-1]

    def _hand_over(self, sink: IO[bytes], source: IO[bytes]) -> BaseException:
        """Give a process what is submitted, until that is all; what ended it."""
        while (job := self._next()) is not None:
            text, effort, name, made = job
            try:
                codegen.send(sink, (effort, name), text.encode())
                called, content = codegen.receive(source)
            except (EOFError, OSError) as error:
                made.set(error)
                return error
            made.set(Code((content,), tuple(called)))
        self._put(None, -inf)
        return EOFError("there is nothing left to do")


def _close(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _cost(text: str, effort: Effort) -> float:
    """Estimate what compiling takes, in lines."""
    return text.count("\n") * (_PASSED if effort.passes else _HASTY if effort.hasty else 1.0)


def _allowed() -> int:
    """Return how many processes there may be here."""
    named = os.environ.get("PULLBACK_COMPILE_PROCESSES")
    if named is not None:
        return int(named) if named.isdecimal() else 0
    # What embeds Python need not understand Python's options; a frozen program does not.
    executable = os.path.basename(sys.executable or "").lower()
    if not executable.startswith(("python", "pypy")) or getattr(sys, "frozen", False):
        return 0
    if not os.path.isfile(codegen.__file__) or sys.platform == "emscripten":
        return 0
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if cores < 2 else min(cores, MOST)


_lock = locks.lock()
_current: Helpers | None = None
_users = 0


@contextlib.contextmanager
def at_work() -> Iterator[None]:
    """Open a ``with`` block that may have helpers; blocks of several threads share them."""
    global _current, _users
    with _lock:
        _current = _current or Helpers()
        _users += 1
        process = os.getpid()
    try:
        yield
    finally:
        if process == os.getpid():
            _leave()


def _leave() -> None:
    global _current, _users
    with _lock:
        _users -= 1
        if not _users and _current is not None:
            _current.dismiss()
            _current = None
            account.arrivals += 1


def summon(count: int) -> None:
    """Start so many helpers, where there may be as many, for the blocks that there are now."""
    with _lock:
        if _current is not None and len(_current) < count:
            most = _allowed()
            _current.grow(min(count, most), most - 1)


def begin_told(begin: Callable[[], object]) -> None:
    """Begin what depends on the processor: now, if it is known, or when a helper can tell."""
    if processor.is_known() or _current is None or not _allowed():
        begin()
        return
    summon(1)
    _current.later.append(begin)


def expect(equations: int) -> None:
    """Start helpers for a long trace where one is at work: this program is not on disk either."""
    while _current and _current.later:
        _current.later.pop()()
    if _current and equations >= LONG:
        summon(MOST)


def surroundings() -> tuple[str, ...]:
    """Return `codegen.surroundings`, as a helper tells them where there may be one: this process does without
    LLVM then, which would take 0.07 s and 45 MB.
    """
    if "llvmlite.binding" not in sys.modules:
        summon(1)
        with _lock:
            helpers = _current or _lasting()
            made = helpers.begin("", None) if helpers else None
        with contextlib.suppress(EOFError, OSError):
            if made is not None:
                return made.get().called
    return codegen.surroundings()


def submitted(text: str, effort: Effort) -> Callable[[], Code]:
    """Begin to compile a text, in another process where LLVM is not loaded here; return what waits."""
    with _lock:
        helpers = _current or (None if "llvmlite.binding" in sys.modules else _lasting())
        if helpers:
            return helpers.submit(text, effort)
    return lambda: codegen.compiled(text, effort)


#: What compiles for eager calls, and what it was asked for, by its key in the cache.
_apart: Helpers | None = None
_asked: dict[str, _Result] = {}
#: The same of what was compiled in haste at first.
_better: dict[str, _Result] = {}


def _lasting() -> Helpers | None:
    """Return what compiles for eager calls, with the lock; None where no other process may.

    A call on large arrays waits for it, too: with LLVM this process would hold 85 MB more from then on.
    """
    global _apart
    account.compiles_apart = account.compiles_apart and _allowed() > 0
    if not account.compiles_apart:
        return None
    if _apart is None or _apart.has_gone:
        _apart = Helpers(LINGERS)
        _apart.grow(1)
    return _apart


def made_apart(
    name: str, write: Callable[[], str], effort: Effort | None, first: Effort | None = None
) -> Callable[[], Code]:  # fmt: skip
    """Return what gives the machine code of a text, once another process has made it: with the effort
    `first`, if that is given, and better code later (`when_better`), which alone is kept.

    Raises `NotYet` where it is being made, or no other process can now.
    """
    with _lock:
        if name not in _asked:
            # While a program is traced and built, its own code is all that is waited for. The calls of a
            # trace had eager's inline caches compiled: 1.3 s of a processor at 200 RK4 steps.
            account.compiles_apart = account.compiles_apart and _allowed() > 0
            if _current is not None or not account.pays_apart or not (helpers := _lasting()):
                raise NotYet
            text = write()
            _asked[name] = helpers.begin(text, first or effort, "" if first else name)
            if first:  # whatever else is wanted goes before it
                _better[name] = helpers.begin(text, effort, name, cost=-1)
        if not _asked[name].is_there():
            raise NotYet
        made = _asked.pop(name)
    try:
        code = made.get()
    except (EOFError, OSError):
        account.compiles_apart = False
        raise NotYet from None
    return lambda: code


def when_better(name: str, use: Callable[[Code], object]) -> None:
    """Have a function called with better machine code than `made_apart` gave first, when it is there."""
    if (made := _better.pop(name, None)) is not None:
        made.when_there(use)


def _forget() -> None:
    """Forget the parent's threads, of which a forked child has none."""
    global _current, _users, _apart
    _current, _users, _apart = None, 0, None
    _asked.clear()
    _better.clear()
    account.arrivals += 1


locks.in_child(_forget)
