"""torch.profiler: profiles by steps, on top of torch.autograd.profiler, which says what is recorded."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from ..autograd import profiler as _profiler
from ..autograd.profiler import record_function
from ..autograd.profiler_util import EventList
from ..core.warn import warn


class ProfilerActivity(Enum):
    """Name what can be profiled; only the CPU is there."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class DeviceType(Enum):
    """Name where an event ran."""

    CPU = 0
    CUDA = 1


class ProfilerAction(Enum):
    """Name what is done in a step of a schedule."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set[ProfilerActivity]:
    """Return what can be profiled here."""
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Return False: torch's library for devices is not part of this build."""
    return False


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a schedule: after `skip_first` steps, cycles of waiting, warming up and recording.

    Parameters
    ----------
    wait, warmup, active : int
        The steps of each part of a cycle.
    repeat : int
        The number of cycles; 0 for cycles to the end.
    skip_first : int
    skip_first_wait : int
        Not 0 to leave out the first cycle's waiting.

    Returns
    -------
    callable
        From the step's number to the `ProfilerAction`.
    """
    given = (wait, warmup, active, repeat, skip_first)
    if min(given) < 0 or active == 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warn("Profiler won't be using warmup, this can skew profiler results")
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if repeat and step // cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return a function that writes the trace of a ready profile into a folder, under a name of its own.

    Parameters
    ----------
    dir_name : str
        Made where it is not there.
    worker_name : str, optional
        The beginning of the name; host and process by default.
    use_gzip : bool
        Whether to compress the file.
    """

    def write(ready: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        path = os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json")
        ready.export_chrome_trace(path + (".gz" if use_gzip else ""))

    return write


class profile:
    """A ``with`` block whose calls are recorded, all of them or by a schedule.

    Parameters
    ----------
    activities : iterable of ProfilerActivity, optional
        What to profile; there is only the CPU.
    schedule : callable, optional
        From a step's number to a `ProfilerAction`; `step` counts the steps.
    on_trace_ready : callable, optional
        Called with the profile when a cycle, or the block, ends.
    record_shapes : bool
        Whether the shapes of arguments are recorded.
    profile_memory, with_stack, with_flops, with_modules, acc_events
        Taken for torch's sake; none of these is recorded.
    """

    def __init__(
        self, *, activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None, record_shapes: bool = False,
        profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False,
        with_modules: bool = False, acc_events: bool = False, use_cuda: bool | None = None, **_: Any,
    ) -> None:
        given = list(supported_activities() if activities is None else activities)
        for activity in given:
            if given.count(activity) > 1:
                raise ValueError(f"Activity {activity} specified more than once")
        self.activities = set(given)
        if ProfilerActivity.CUDA in self.activities:
            warn("CUDA is not available, disabling CUDA profiling")
        self.schedule = schedule or (lambda _: ProfilerAction.RECORD)
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.profiler: _profiler.profile | None = None
        self._step: record_function | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _begin(self) -> None:
        self.profiler = _profiler.profile(record_shapes=self.record_shapes)
        self.profiler.__enter__()

    def _end(self) -> None:
        if self.profiler is not None:
            self.profiler.__exit__(None, None, None)
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def _open_step(self) -> None:
        if self.record_steps:
            self._step = record_function(f"ProfilerStep#{self.step_num}")
            self._step.__enter__()

    def _close_step(self) -> None:
        if self._step is not None:
            self._step.__exit__(None, None, None)
            self._step = None

    def start(self) -> None:
        """Begin."""
        if self.current_action in _RECORDING:
            self._begin()
        self._open_step()

    def stop(self) -> None:
        """End; what was recorded is ready."""
        self._close_step()
        if self.current_action in _RECORDING:
            self._end()
        self.current_action = ProfilerAction.NONE

    def step(self) -> None:
        """Go on to the next step of the schedule."""
        self._close_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        ends = before is ProfilerAction.RECORD_AND_SAVE or (
            before is ProfilerAction.RECORD and self.current_action not in _RECORDING
        )
        if ends:
            self._end()
        if self.current_action in _RECORDING and (ends or before not in _RECORDING):
            self._begin()
        self._open_step()

    def events(self) -> EventList:
        """Return the events of the cycle that ended last."""
        return self._recorded()._events()

    def _recorded(self) -> _profiler.profile:
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before getting its results.")
        return self.profiler

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Return one average for each name; see `EventList.key_averages`."""
        return self._recorded().key_averages(group_by_input_shape)

    def export_chrome_trace(self, path: str) -> None:
        """Write a trace that chrome://tracing and Perfetto show, compressed if the name ends in ``.gz``."""
        if not path.endswith(".gz"):
            self._recorded().export_chrome_trace(path)
            return
        import gzip
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, "trace.json")
            self._recorded().export_chrome_trace(plain)
            with open(plain, "rb") as source, gzip.open(path, "wb") as target:
                target.writelines(source)


__all__ = [
    "DeviceType", "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function",
    "schedule", "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip
