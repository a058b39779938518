"""Threads that native code runs the parts of a large loop on.

``pullback_parallel(function, context, parts)`` calls ``function(context, part)`` for every part, on the
calling thread and on those of the pool that come in time, and returns when all parts are done. What a part
computes depends on its number alone, so results do not depend on who runs it, and a caller that finds the
pool busy, or has none, runs all parts itself.

Each thread has a share of neighbouring parts. It runs these first, so that a thread reads again what its own
cache holds from the job before, and then what is left of the others' shares. What a thread writes often lies
on lines of its own: its share's counter, and whether it works.

A thread that has had nothing to do for some 100 µs sleeps; waking it costs the caller a system call, and the
caller goes on with its own parts meanwhile. It wakes a few, and these wake others. The threads are POSIX
threads, not Python's: they never hold the interpreter lock, and a process ends without them. A forked child
starts threads of its own.
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
#: The state is the number of the latest job above `_SHARE_BITS` bits that say how many shares it has, none
#: when it is closed.
_STATE, _JOB, _BUSY, _LIMIT, _MEMBERS = 0, 128, 256, 384, 512
#: Bytes of a member of the pool, the caller first, and places there: how many parts of its share are taken,
#: whether it works, whether it sleeps, and what it sleeps in.
_MEMBER = 512
_TAKEN, _WORKS, _SLEEPS, _MUTEX, _CONDITION = 0, 128, 256, 320, 384
#: Members at most.
_SHARE_BITS, _MOST = 8, 128
_SIZE = _MEMBERS + _MOST * _MEMBER
#: How many threads a thread wakes. Waking one takes some 5 µs, and it is there after 10 to 50.
_WAKES = 4

#: Pauses before an idle thread sleeps, and before one that waits lets others run. One takes 15 to 60 ns: on a
#: Xeon of 16 cores 1,500 were 25 µs, less than Python takes from one large call to the next. With 20,000 ReLU
#: of 2²⁰ float32 took 35 µs instead of 48, layer norm of 2048×256 52 instead of 101, but threads of Python's,
#: which want the cores next, waited: average pools took 827 µs instead of 659.
_IDLE_PAUSES, _WAITING_PAUSES = 6000, 200


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


def _member(name: str, number: str, place: int) -> str:
    return f"""\
  %{name}_offset = mul nuw nsw i64 {number}, {_MEMBER}
  %{name}_place = add nuw nsw i64 %{name}_offset, {_MEMBERS + place}
  %{name} = getelementptr i8, ptr @{_POOL}, i64 %{name}_place"""


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


def _work_text() -> str:
    """Return the function by which a member takes parts: those of its own share, and then of others."""
    return f"""\
define internal void @work(ptr %function, ptr %context, i64 %parts, i64 %shares, i64 %number) nounwind {{
entry:
  br label %share
share:
  %step = phi i64 [ 0, %entry ], [ %following, %passed ]
  %sum = add nuw nsw i64 %number, %step
  %beyond = icmp sge i64 %sum, %shares
  %less = sub nsw i64 %sum, %shares
  %which = select i1 %beyond, i64 %less, i64 %sum
  %begin = mul nuw nsw i64 %which, %parts
  %first = udiv i64 %begin, %shares
  %end = add nuw nsw i64 %begin, %parts
  %last = udiv i64 %end, %shares
  %count = sub nuw nsw i64 %last, %first
{_member("taken", "%which", _TAKEN)}
  br label %looking
looking:
  %seen = load atomic i64, ptr %taken monotonic, align 8
  %some = icmp slt i64 %seen, %count
  br i1 %some, label %taking, label %passed
taking:
  %before = atomicrmw add ptr %taken, i64 1 monotonic
  %mine = icmp slt i64 %before, %count
  br i1 %mine, label %run, label %passed
run:
  %part = add nuw nsw i64 %first, %before
  call void %function(ptr %context, i64 %part)
  br label %looking
passed:
  %following = add nuw nsw i64 %step, 1
  %more = icmp slt i64 %following, %shares
  br i1 %more, label %share, label %done
done:
  ret void
}}
"""


# A member reads the state before it says that it sleeps, or works, and again afterwards; who writes the state
# looks at these afterwards. So one of both sees what the other wrote.
def _rouse_text() -> str:
    """Return the function by which a member wakes those that it is to wake, if they sleep."""
    return f"""\
define internal void @rouse(i64 %number, i64 %shares) nounwind {{
entry:
  %before = mul nuw nsw i64 %number, {_WAKES}
  %end = add nuw nsw i64 %before, {_WAKES}
  br label %head
head:
  %last = phi i64 [ %before, %entry ], [ %who, %next ]
  %who = add nuw nsw i64 %last, 1
  %wanted = icmp slt i64 %who, %shares
  %near = icmp sle i64 %who, %end
  %both = and i1 %wanted, %near
  br i1 %both, label %look, label %done
look:
{_member("sleeps", "%who", _SLEEPS)}
  %asleep = load atomic i64, ptr %sleeps seq_cst, align 8
  %lies = icmp ne i64 %asleep, 0
  br i1 %lies, label %claim, label %next
claim:
  %was = atomicrmw xchg ptr %sleeps, i64 0 seq_cst
  %mine = icmp ne i64 %was, 0
  br i1 %mine, label %wake, label %next
wake:
{_member("mutex", "%who", _MUTEX)}
{_member("condition", "%who", _CONDITION)}
  %locked = call i32 @pthread_mutex_lock(ptr %mutex)
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  %woken = call i32 @pthread_cond_signal(ptr %condition)
  br label %next
next:
  br label %head
done:
  ret void
}}
"""


def _patience(pause: str) -> str:
    """Return the blocks in which a caller rests between two looks at whether a member works."""
    return f"""\
hold:
  %another = add i64 %pauses, 1
  %patient = icmp slt i64 %pauses, {_WAITING_PAUSES}
  br i1 %patient, label %resting, label %yielding
resting:
  {pause}
  br label %waiting
yielding:
  %yielded = call i32 @sched_yield()
  br label %waiting"""


# A job's fields are written when the one before is closed and nobody works: a member that comes late finds
# another state than it saw, and does nothing.
def _caller_text(fields: str, pause: str) -> str:
    """Return the function that has a job done, on the thread that calls it and on the pool's."""
    return f"""\
define void @{PARALLEL}(ptr %function, ptr %context, i64 %parts) nounwind {{
entry:
{fields}
  %allowed = load atomic i64, ptr %limit monotonic, align 8
  %few = icmp slt i64 %parts, %allowed
  %shares = select i1 %few, i64 %parts, i64 %allowed
  %several = icmp sgt i64 %shares, 1
  br i1 %several, label %ask, label %alone
ask:
  %pair = cmpxchg ptr %busy, i64 0, i64 1 seq_cst seq_cst
  %mine = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %mine, label %prepare, label %alone
prepare:
  store ptr %function, ptr %job
  store ptr %context, ptr %job_context
  store i64 %parts, ptr %job_parts
  br label %clearing
clearing:
  %cleared = phi i64 [ 0, %prepare ], [ %clear, %clearing ]
{_member("taken", "%cleared", _TAKEN)}
  store atomic i64 0, ptr %taken monotonic, align 8
  %clear = add nuw nsw i64 %cleared, 1
  %dirty = icmp slt i64 %clear, %shares
  br i1 %dirty, label %clearing, label %open
open:
  %before = load atomic i64, ptr %state monotonic, align 8
  %closed = add i64 %before, {1 << _SHARE_BITS}
  %opened = or i64 %closed, %shares
  store atomic i64 %opened, ptr %state seq_cst, align 8
  call void @rouse(i64 0, i64 %shares)
  call void @work(ptr %function, ptr %context, i64 %parts, i64 %shares, i64 0)
  store atomic i64 %closed, ptr %state seq_cst, align 8
  br label %member
member:
  %who = phi i64 [ 1, %open ], [ %next, %ended ]
  %waited = icmp slt i64 %who, %shares
  br i1 %waited, label %asking, label %close
asking:
{_member("works", "%who", _WORKS)}
  br label %waiting
waiting:
  %pauses = phi i64 [ 0, %asking ], [ %another, %resting ], [ 0, %yielding ]
  %working = load atomic i64, ptr %works seq_cst, align 8
  %left = icmp eq i64 %working, 0
  br i1 %left, label %ended, label %hold
ended:
  %next = add nuw nsw i64 %who, 1
  br label %member
{_patience(pause)}
close:
  store atomic i64 0, ptr %busy release, align 8
  ret void
alone:
  call void @{_SERIAL}(ptr %function, ptr %context, i64 %parts)
  ret void
}}
"""


def _worker_text(fields: str, pause: str) -> str:
    """Return what a thread of the pool runs, given its number."""
    return f"""\
define ptr @{_WORKER}(ptr %given) nounwind {{
entry:
{fields}
  %number = ptrtoint ptr %given to i64
{_member("works", "%number", _WORKS)}
{_member("sleeps", "%number", _SLEEPS)}
{_member("mutex", "%number", _MUTEX)}
{_member("condition", "%number", _CONDITION)}
  br label %idle
idle:
  %last = phi i64 [ 0, %entry ], [ %now, %look ], [ %now, %leave ], [ %last, %awake ]
  br label %spinning
spinning:
  %pauses = phi i64 [ 0, %idle ], [ %another, %resting ]
  %now = load atomic i64, ptr %state seq_cst, align 8
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
  br label %dozing
dozing:
  store atomic i64 1, ptr %sleeps seq_cst, align 8
  %present = load atomic i64, ptr %state seq_cst, align 8
  %changed = icmp ne i64 %present, %last
  br i1 %changed, label %awake, label %sleep
sleep:
  %slept = call i32 @pthread_cond_wait(ptr %condition, ptr %mutex)
  br label %dozing
awake:
  store atomic i64 0, ptr %sleeps seq_cst, align 8
  %unlocked = call i32 @pthread_mutex_unlock(ptr %mutex)
  br label %idle
look:
  %shares = and i64 %now, {(1 << _SHARE_BITS) - 1}
  %wanted = icmp slt i64 %number, %shares
  br i1 %wanted, label %come, label %idle
come:
  store atomic i64 1, ptr %works seq_cst, align 8
  %still = load atomic i64, ptr %state seq_cst, align 8
  %open = icmp eq i64 %still, %now
  br i1 %open, label %join, label %leave
join:
  call void @rouse(i64 %number, i64 %shares)
  %function = load ptr, ptr %job
  %context = load ptr, ptr %job_context
  %parts = load i64, ptr %job_parts
  call void @work(ptr %function, ptr %context, i64 %parts, i64 %shares, i64 %number)
  br label %leave
leave:
  store atomic i64 0, ptr %works release, align 8
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
            ("state", _STATE), ("job", _JOB), ("job_context", _JOB + 8), ("job_parts", _JOB + 16),
            ("busy", _BUSY), ("limit", _LIMIT),
        )
    )  # fmt: skip
    return f"""{_SERIAL_TEXT}
@{_POOL} = global [{_SIZE} x i8] zeroinitializer, align 128
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_signal(ptr)
declare i32 @sched_yield()
{declared}
{_work_text()}
{_rouse_text()}
{_caller_text(fields, pause)}
{_worker_text(fields, pause)}"""


class Pool:
    """The native functions, the addresses of `SYMBOLS`, and the threads that this process has started."""

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

    def prepare(self) -> None:
        """Have as many threads take part in the next jobs as `get_num_threads` says."""
        count = get_num_threads()
        if count == self._allowed or not _HAS_THREADS:
            return
        with self._lock:
            while self._started < min(count, _MOST) - 1 and self._start():
                self._started += 1
            self._limit.value, self._allowed = min(count, self._started + 1), count

    def _start(self) -> bool:
        import signal

        number = self._started + 1
        member = self._memory + _MEMBERS + number * _MEMBER
        self._system.pthread_mutex_init(ctypes.c_void_p(member + _MUTEX), None)
        self._system.pthread_cond_init(ctypes.c_void_p(member + _CONDITION), None)
        handle = (ctypes.c_char * 16)()
        # Signals are for the threads of Python.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            failed = self._system.pthread_create(handle, None, self._worker, ctypes.c_void_p(number))
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
    from ..emit.codegen import PLACED
    from . import engine

    # LLVM's passes take 60 ms more, and a nanosecond or two from a job.
    return engine.Library(text(), {}, effort=PLACED)


@locks.once
def pool() -> Pool:
    """Return the process' pool."""
    library = begun()
    # A thread may be in this code while the interpreter takes itself down.
    library.keep()
    return Pool({symbol: library.address(symbol) for symbol in SYMBOLS})
