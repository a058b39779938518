"""Define a barrier that tells which processes did not come."""

import time
from datetime import timedelta

import numpy as np

from ..core.process_group import ProcessGroup
from .collectives import member
from .process_group import Group
from .work import Work

#: The tag of its messages, which no program is likely to use.
TAG = 32767


def monitored_barrier(
    group: ProcessGroup | None = None, timeout: timedelta | float | None = None, wait_all_ranks: bool = False
) -> None:
    """Wait until all processes of the group are here, as rank 0 finds out.

    Parameters
    ----------
    group : ProcessGroup, optional
    timeout : timedelta or float, optional
        For how long, a number in seconds; by default what the group was given.
    wait_all_ranks : bool
        Whether rank 0 names all processes that did not come, and not the first one only.

    Raises
    ------
    RuntimeError
        Not all came in time.
    """
    if (found := member(group, "monitored_barrier")) is None or found.size() == 1:
        return
    given = found.timeout if timeout is None else timeout
    seconds = given.total_seconds() if isinstance(given, timedelta) else float(given)
    if found.rank() == 0:
        _watch(found, seconds, wait_all_ranks)
        return
    message = np.zeros(1, np.uint8)
    answer = np.zeros(1, np.uint8)
    try:
        _wait(Work(found.communicator.send(message, 0, TAG), found, "send"), seconds)
        _wait(Work(found.communicator.receive(answer, 0, TAG), found, "recv"), seconds)
    except RuntimeError as error:
        raise RuntimeError(
            f"[Rank {found.rank()}]: Rank {found.rank()} successfully reached monitoredBarrier, but received "
            "errors while waiting for send/recv from rank 0. Please check rank 0 logs for faulty rank.\n "
            f"Original exception: \n{error}"
        ) from error


def _wait(work: Work, seconds: float) -> None:
    work.wait(timedelta(seconds=max(seconds, 1e-3)))


def _watch(group: Group, seconds: float, wait_all_ranks: bool) -> None:
    """Be rank 0: hear of all others, then let them go on."""
    end = time.monotonic() + seconds
    buffers = [np.zeros(1, np.uint8) for _ in range(group.size())]
    works = {
        rank: Work(group.communicator.receive(buffers[rank], rank, TAG), group, "recv")
        for rank in range(1, group.size())
    }
    missing = []
    first: RuntimeError | None = None
    for rank, work in works.items():
        if time.monotonic() >= end and not wait_all_ranks:
            for unheard in range(rank, group.size()):
                works[unheard].cancel()
            processed = ", ".join(map(str, range(1, rank)))
            raise RuntimeError(
                f"[Rank 0]: Rank 0 timed out in monitoredBarrier after {round(seconds * 1000)} ms.\n"
                + (f"Successfully processed ranks: {processed}" if processed
                   else "No ranks successfully processed in monitoredBarrier.")
            )  # fmt: skip
        try:
            _wait(work, end - time.monotonic())
        except RuntimeError as error:
            first = first or error
            missing.append(rank)
            work.cancel()
            if not wait_all_ranks:
                break
    if missing:
        for rank, work in works.items():
            if rank > missing[-1] and not work.is_completed():
                work.cancel()
        who = f"Ranks {', '.join(map(str, missing))}" if wait_all_ranks else f"Rank {missing[0]}"
        raise RuntimeError(
            f"[Rank 0]: {who} failed to pass monitoredBarrier in {round(seconds * 1000)} ms\n Original "
            f"exception: \n{first}"
        ) from first
    for rank in works:
        Work(group.communicator.send(buffers[0], rank, TAG), group, "send").wait()
