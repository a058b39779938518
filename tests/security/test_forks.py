"""Children that are forked while threads are inside the package."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import time
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pullback.array import blas, locks
from tests.security.attacks import attacked, program

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def outcome(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_locks_are_free_in_the_child() -> None:
    class Lazy:
        @locks.computed
        def slow(self) -> int:
            entered.set()
            leave.wait()
            return 1

    entered, leave = threading.Event(), threading.Event()
    made = [locks.lock(), locks.reentrant_lock(), locks.condition()]

    def hold() -> None:
        with made[0], made[1], made[2]:
            assert Lazy().slow == 1

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait()
    pid = os.fork()
    if not pid:
        leave.set()  # an event of the child
        free = all(lock.acquire(blocking=False) for lock in made)
        os._exit(0 if free and Lazy().slow == 1 else 1)
    leave.set()
    holder.join()
    assert outcome(pid) == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize("waits", [True, False])
def test_a_fork_while_another_thread_imports(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, leave = threading.Event(), threading.Event()

    class Slow:
        def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
            return ModuleSpec(name, self) if name == "colorsys" else None  # type: ignore[arg-type]  # it loads

        def create_module(self, spec: ModuleSpec) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            entered.set()
            leave.wait()
            module.whole = True  # type: ignore[attr-defined]  # not Python's

    monkeypatch.setattr(sys, "meta_path", [Slow(), *sys.meta_path])
    monkeypatch.setitem(sys.modules, "colorsys", None)  # to be put back
    del sys.modules["colorsys"]
    if waits:  # from time to time
        waiting = SimpleNamespace(monotonic=time.monotonic, sleep=lambda seconds: leave.set())
        monkeypatch.setattr(locks, "time", waiting)
    else:
        monkeypatch.setattr(locks, "PATIENCE", 0)
    importer = threading.Thread(target=importlib.import_module, args=("colorsys",))
    importer.start()
    entered.wait()
    pid = os.fork()
    if not pid:
        signal.alarm(100)
        leave.set()
        os._exit(0 if importlib.import_module("colorsys").whole else 1)
    leave.set()
    importer.join()
    assert outcome(pid) == 0


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_of_several_threads_multiplies_on_one() -> None:
    functions = blas._NUMPY.functions()
    if functions is None:
        pytest.skip("NumPy multiplies by another library")
    count, leave = functions[1], threading.Event()
    before = count()
    waiter = threading.Thread(target=leave.wait)
    waiter.start()
    pid = os.fork()
    if not pid:
        with blas.single_threaded():
            pass
        os._exit(0 if count() == 1 else 1)
    leave.set()
    waiter.join()
    assert outcome(pid) == 0
    assert count() == before


def test_children_of_a_busy_process() -> None:
    attacked("forks", "--count", "10")


CHILD = """
import os, sys, threading, warnings
import llvmlite.binding as llvm
import pullback as torch
from pullback.array import locks

locks.PATIENCE = 0.01
x = torch.randn(3)
torch.compile(lambda x: x + 1)(x)
entered, leave = threading.Event(), threading.Event()
def inside():
    with llvm.ffi.lib._lock:
        entered.set()
        leave.wait()
thread = threading.Thread(target=inside)
thread.start()
entered.wait()
pid = os.fork()
if not pid:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found = torch.compile(lambda x: x * 3)(x)
    right = found.tolist() == (x * 3).tolist()
    said = any("the compiler failed" in str(w.message) and "was forked" in str(w.message) for w in heard)
    torch.randn(2000, 2000).softmax(1)
    os._exit(0 if right and said else 1)
leave.set()
thread.join()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_a_child_from_the_middle_of_llvm_computes_eagerly() -> None:
    pytest.importorskip("llvmlite")
    program("-W", "ignore", "-c", CHILD, PULLBACK_CACHE="0")
