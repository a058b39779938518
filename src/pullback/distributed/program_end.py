"""Say what happens when a program of several processes ends: well, by an exception, or by an exit status.

What this module must do:

- tell the others of an uncaught exception here, at whatever place Python handles it;
- end MPI in an orderly way where the program ends well, and without waiting where it fails.
"""

import atexit
import contextlib
import io
import multiprocessing.util
import os
import sys
from datetime import timedelta
from types import TracebackType

from . import membership, mpi
from .communicator import Alone
from .elastic.multiprocessing.errors import write_error
from .process_group import Group
from .work import Work

_failure: BaseException | None = None


def begin(member: membership.Membership) -> None:
    """Make this process's membership known, and see to it that its end is told."""
    membership.set_current(member)
    before = sys.excepthook

    def report(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        global _failure
        _failure = error
        write_error(error)
        member.leave(error)
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            before(kind, error, place)
        for line in text.getvalue().splitlines(keepends=True):
            sys.stderr.write(f"[rank{member.rank}]: {line}")

    sys.excepthook = report
    atexit.register(end)
    # Children of multiprocessing end without atexit; there an exception on its way is the current one.
    multiprocessing.util.Finalize(None, end, exitpriority=100)


def cause(error: BaseException | None) -> BaseException | None:
    """Return why a process ends: None where it is well."""
    if isinstance(error, SystemExit):
        if error.code in (None, 0):
            return None
        # torch.multiprocessing.spawn leaves by exit status after an exception.
        return error.__context__ or error
    return error


def end() -> None:
    """Tell why the program ends, and leave MPI."""
    if (member := membership.current()) is None or os.getpid() != member.owner:
        return
    error = _failure or cause(sys.exception())
    member.leave(error)
    leave_mpi(member, error)


def leave_mpi(member: membership.Membership, error: BaseException | None) -> None:
    """End MPI, where the end of the program, well or by an error, needs it.

    Processes that mpiexec started must all say that they are done; one that failed ends all at once. Those
    that met by themselves on one node have their exchanges behind them, and their coordinator asks
    for no more.
    """
    MPI = mpi.library(start=False)
    if not MPI.Is_initialized() or MPI.Is_finalized():
        return
    if len(set(member.hosts)) == 1 and not member.under_mpiexec:
        return
    if error is None and member.error is None:
        everybody = Group("mpi", Alone(), range(member.size), "end", timedelta.max)
        try:
            # Waiting here costs no processor time, and ends where another process is lost.
            Work([MPI.COMM_WORLD.Ibarrier()], everybody, "end").wait()
            MPI.Finalize()
            return
        except RuntimeError as lost:
            sys.stderr.write(f"{lost}\n")
    if member.under_mpiexec:
        sys.stdout.flush()
        sys.stderr.flush()
        MPI.COMM_WORLD.Abort(1)
