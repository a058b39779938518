"""Threads that native code runs the parts of a large loop on.

``pullback_parallel(function, context, parts)`` calls ``function(context, part)`` for every part, on the
calling thread and on those of the pool that come in time, and returns when all parts are done. What a part
computes depends on its number alone, so results do not depend on who runs it, and a caller that finds the
pool busy, or has none, runs all parts itself.

A thread that has had nothing to do for some 50 µs sleeps; waking it costs the caller a system call, and the
caller goes on with its own parts meanwhile. The threads are POSIX threads, not Python's: they never hold the
interpreter lock, and a process ends without them. A forked child starts threads of its own.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from typing import TYPE_CHECKING

from ...array import locks
from ...array.blas import OWN_THREAD
from ...array.threads import get_num_threads

if TYPE_CHECKING:
    from .engine import Library

PARALLEL = "pullback_parallel"
_SERIAL, _WORKER, _POOL = "pullback_serial", "pullback_worker", "pullback_pool"
#: Elsewhere every job runs on the thread that calls.
_HAS_THREADS = hasattr(os, "register_at_fork")
#: What the text defines.
SYMBOLS = (PARALLEL, _WORKER, _POOL) if _HAS_THREADS else (_SERIAL,)

#: Places in the pool's memory, in bytes. What different threads write at the same time lies on lines apart.
_GENERATION, _NEXT, _ACTIVE, _SLEEPING, _JOB, _BUSY, _JOINED, _LIMIT, _MUTEX, _CONDITION, _SIZE = (
    0, 128, 256, 384, 512, 640, 768, 832, 896, 1024, 1280,
)  # fmt: skip

#: Pauses (about 20 to 60 ns each) before an idle thread sleeps, and before one that waits lets others run.
_IDLE_PAUSES, _WAITING_PAUSES = 1500, 200


def _pause() -> tuple[str, str]:
    """Return the instruction by which a waiting processor rests, and its declaration."""
    machine = platform.machine().lower()
    if machine in ("x86_64", "amd64", "i686"):
        return "call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()"
    if machine in ("aarch64", "arm64"):
        return "call void @llvm.aarch64.hint(i32 1)", "declare void @llvm.aarch64.hint(i32 immarg)"
    return "call i32 @sched_yield()", ""


def _field(name: str, place: int) -> str:
    return f"  %{name} = getelementptr i8, ptr @{_POOL}, i64 {place}"


def serial(signature: str, function: str) -> str:
    """Return the definition of a function that calls another for all parts, one after another."""
    return f"""
define void {signature} {{
entry:
  br label %head
head:
  %part = phi i64 [ 0, %entry ], [ %next, %run ]
  %more = icmp slt i64 %part, %parts
  br i1 %more, label %run, label %done
run:
  call void {function}(ptr %context, i64 %part)
  %next = add nuw nsw i64 %part, 1
  br label %head
done:
  ret void
}}
"""


_SERIAL_TEXT = serial(f"@{_SERIAL}(ptr %function, ptr %context, i64 %parts) nounwind", "%function")


_WORK_TEXT = """
define internal void @work(ptr %function, ptr %context, i64 %parts, ptr %next) nounwind {
  br label %head
head:
  %part = atomicrmw add ptr %next, i64 1 seq_cst
  %more = icmp slt i64 %part, %parts
  br i1 %more, label %run, label %done
run:
  call void %function(ptr %context, i64 %part)
  br label %head
done:
  ret void
}
"""


# Closing a job puts its counter beyond any number of parts: a thread that comes late finds nothing to do,
# and the fields of the next job are written only when nobody is between coming and going.
def _caller_text(fields: str, pause: str) -> str:
    """Return the function that has a job done, on the thread that calls it and on the pool's."""
    return f"""\
define void @{PARALLEL}(ptr %function, ptr %context, i64 %parts) nounwind {{
entry:
{fields}
  %allowed = load atomic i64, ptr %limit monotonic, align 8
  %several = icmp sgt i64 %allowed, 1
  br i1 %several, label %ask, label %alone
ask:
  %pair = cmpxchg ptr %busy, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %mine, label %open, label %alone
open:
  store ptr %function, ptr %job
  store ptr %context, ptr %job_context
  store i64 %parts, ptr %job_parts
  store atomic i64 0, ptr %next seq_cst, align 8
  %before = atomicrmw add ptr %generation, i64 1 seq_cst
  %asleep = load atomic i64, ptr %sleeping seq_cst, align 8
  %wake = icmp sgt i64 %asleep, 0
  br i1 %wake, label %waking, label %working
waking:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %woken = call i32 @pthread_cond_broadcast(ptr %condition)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %working
working:
  call void @work(ptr %function, ptr %context, i64 %parts, ptr %next)
  store atomic i64 {1 << 62}, ptr %next seq_cst, align 8
  br label %waiting
waiting:
  %pauses = phi i64 [ 0, %working ], [ %another, %resting ], [ 0, %yielding ]
  %others = load atomic i64, ptr %active seq_cst, align 8
  %left = icmp eq i64 %others, 0
  br i1 %left, label %close, label %hold
hold:
  %another = add i64 %pauses, 1
  %patient = icmp slt i64 %pauses, {_WAITING_PAUSES}
  br i1 %patient, label %resting, label %yielding
resting:
  {pause}
  br label %waiting
yielding:
  %yielded = call i32 @sched_yield()
  br label %waiting
close:
  store atomic i64 0, ptr %busy release, align 8
  ret void
alone:
  call void @{_SERIAL}(ptr %function, ptr %context, i64 %parts)
  ret void
}}
"""


def _worker_text(fields: str, pause: str) -> str:
    """Return what a thread of the pool runs."""
    return f"""\
define ptr @{_WORKER}(ptr %unused) nounwind {{
entry:
{fields}
  %seen = alloca i64
  %first = load atomic i64, ptr %generation seq_cst, align 8
  store i64 %first, ptr %seen
  %number = atomicrmw add ptr %joined, i64 1 seq_cst
  %place = add i64 %number, 2
  br label %idle
idle:
  %last = load i64, ptr %seen
  br label %spinning
spinning:
  %pauses = phi i64 [ 0, %idle ], [ %another, %resting ]
  %now = load atomic i64, ptr %generation seq_cst, align 8
  %called = icmp ne i64 %now, %last
  br i1 %called, label %look, label %hold
hold:
  %another = add i64 %pauses, 1
  %patient = icmp slt i64 %pauses, {_IDLE_PAUSES}
  br i1 %patient, label %resting, label %tired
resting:
  {pause}
  br label %spinning
tired:
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %asleep = atomicrmw add ptr %sleeping, i64 1 seq_cst
  br label %dozing
dozing:
  %present = load atomic i64, ptr %generation seq_cst, align 8
  %changed = icmp ne i64 %present, %last
  br i1 %changed, label %awake, label %sleep
sleep:
  %slept = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %dozing
awake:
  %fewer = atomicrmw sub ptr %sleeping, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %idle
look:
  store i64 %now, ptr %seen
  %allowed = load atomic i64, ptr %limit monotonic, align 8
  %wanted = icmp sge i64 %allowed, %place
  br i1 %wanted, label %join, label %idle
join:
  %coming = atomicrmw add ptr %active, i64 1 seq_cst
  br label %taking
taking:
  %part = atomicrmw add ptr %next, i64 1 seq_cst
  %parts = load i64, ptr %job_parts
  %more = icmp slt i64 %part, %parts
  br i1 %more, label %run, label %leave
run:
  %function = load ptr, ptr %job
  %context = load ptr, ptr %job_context
  call void %function(ptr %context, i64 %part)
  br label %taking
leave:
  %going = atomicrmw sub ptr %active, i64 1 seq_cst
  br label %idle
}}
"""


def text() -> str:
    """Return the pool as LLVM's text."""
    if not _HAS_THREADS:
        return _SERIAL_TEXT
    pause, declared = _pause()
    fields = "\n".join(
        _field(name, place)
        for name, place in (
            ("generation", _GENERATION), ("next", _NEXT), ("active", _ACTIVE), ("sleeping", _SLEEPING),
            ("job", _JOB), ("job_context", _JOB + 8), ("job_parts", _JOB + 16), ("busy", _BUSY),
            ("joined", _JOINED), ("limit", _LIMIT), ("mutex", _MUTEX), ("condition", _CONDITION),
        )
    )  # fmt: skip
    return f"""{_SERIAL_TEXT}
@{_POOL} = global [{_SIZE} x i8] zeroinitializer, align 128
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @sched_yield()
{declared}
{_WORK_TEXT}
{_caller_text(fields, pause)}
{_worker_text(fields, pause)}"""


class Pool:
    """The native functions, and the threads that this process has started.

    Parameters
    ----------
    functions : dict of str to int
        The addresses of `SYMBOLS`.
    """

    def __init__(self, functions: dict[str, int]) -> None:
        #: Of ``pullback_parallel``.
        self.address = functions[PARALLEL if _HAS_THREADS else _SERIAL]
        self._allowed = 0
        self._lock = locks.lock()
        if _HAS_THREADS:
            self._system = ctypes.CDLL(None)
            self._worker = ctypes.c_void_p(functions[_WORKER])
            self._memory = functions[_POOL]
            self._limit = ctypes.c_int64.from_address(self._memory + _LIMIT)
            self._reset()
            locks.in_child(self._reset)

    def _reset(self) -> None:
        """Begin without threads: at the start, and in a forked child, which has none of its parent's."""
        ctypes.memset(self._memory, 0, _SIZE)
        self._started = self._allowed = 0
        self._system.pthread_mutex_init(ctypes.c_void_p(self._memory + _MUTEX), None)
        self._system.pthread_cond_init(ctypes.c_void_p(self._memory + _CONDITION), None)

    def prepare(self) -> None:
        """Have as many threads take part in the next jobs as `get_num_threads` says."""
        count = get_num_threads()
        if count == self._allowed or not _HAS_THREADS:
            return
        with self._lock:
            while self._started < count - 1 and self._start():
                self._started += 1
            self._limit.value = self._allowed = count

    def _start(self) -> bool:
        import signal

        handle = (ctypes.c_char * 16)()
        # Signals are for the threads of Python.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            failed = self._system.pthread_create(handle, None, self._worker, None)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if not failed:
            # A fork waits for other threads than these; macOS names a thread by itself alone.
            if sys.platform == "linux":
                self._system.pthread_setname_np(ctypes.c_void_p.from_buffer(handle), OWN_THREAD.encode())
            self._system.pthread_detach(ctypes.c_void_p.from_buffer(handle))
        return not failed


@locks.once
def begun() -> Library:
    """Return the pool's native functions, which may still be compiled."""
    # Frozen programs bring the machine code of theirs.
    from . import engine

    return engine.Library(text(), {})


@locks.once
def pool() -> Pool:
    """Return the process' pool."""
    library = begun()
    # A thread may be in this code while the interpreter takes itself down.
    library.keep()
    return Pool({symbol: library.address(symbol) for symbol in SYMBOLS})
