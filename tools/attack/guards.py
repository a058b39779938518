"""Put every array between two pages that nobody may touch: an access of one element too many is a crash.

NumPy takes the memory of arrays from here, so the inputs, results and constants of compiled code lie so, and
each temporary of a program has its own place in the arena, with such pages around. In the first run arrays
end where the page after them begins, in the second they begin where the page before them ends.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import ndarray

from pullback.compiler.runtime import engine

from .watched import watched

_PAGE = mmap.PAGESIZE
_NONE, _READ_WRITE, _PRIVATE_ANONYMOUS = 0, 3, 0x22
_system = ctypes.CDLL(None, use_errno=True)
_system.mmap.restype = ctypes.c_void_p
_system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
_system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_system.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_system.memcpy.argtypes = _system.memset.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


#: NumPy frees arrays while an error is on its way, too, when no function of Python may be called: what it
#: frees is written down, and given back when memory is taken next.
_QUEUE = """
@freed = global [65536 x i64] zeroinitializer
@count = global i64 0
define void @guarded_free(ptr %context, i64 %place, i64 %size) {
  %number = atomicrmw add ptr @count, i64 1 seq_cst
  %slot = and i64 %number, 65535
  %at = getelementptr [65536 x i64], ptr @freed, i64 0, i64 %slot
  store i64 %place, ptr %at
  ret void
}
"""


class Memory:
    """Memory between pages that nobody may touch.

    Parameters
    ----------
    at_end : bool
        Whether what is given ends where the page after it begins, or begins where the one before it ends.
    """

    def __init__(self, at_end: bool) -> None:
        self.at_end = at_end
        self._held: dict[int, tuple[int, int, int]] = {}
        self.queue = engine.Library(_QUEUE, {})
        self._count = ctypes.c_int64.from_address(self.queue.address("count"))
        self._freed = (ctypes.c_int64 * 65536).from_address(self.queue.address("freed"))
        self._done = 0

    def take(self, size: int) -> int:
        """Return the address of so many bytes, which are zero."""
        while self._done < self._count.value:
            self.give_back(self._freed[self._done % 65536])
            self._done += 1
        pages = max(1, -(-size // _PAGE))
        total = (pages + 2) * _PAGE
        base = _system.mmap(None, total, _NONE, _PRIVATE_ANONYMOUS, -1, 0)
        if base is None or base == ctypes.c_void_p(-1).value:
            return 0
        if _system.mprotect(base + _PAGE, pages * _PAGE, _READ_WRITE):
            _system.munmap(base, total)
            return 0
        place = base + _PAGE + (pages * _PAGE - size if self.at_end else 0)
        self._held[place] = base, total, size
        return place

    def give_back(self, place: int) -> bool:
        """Give memory back; False where it is not from here."""
        base, total, _ = self._held.pop(place, (0, 0, 0))
        return bool(base) and not _system.munmap(base, total)

    def size(self, place: int) -> int:
        """Return how many bytes were taken."""
        return self._held[place][2]


class _Handler(ctypes.Structure):
    """NumPy's `PyDataMem_Handler` (its manual, "Memory management in NumPy")."""

    _TAKE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _CLEAR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    _GROW = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    _fields_ = [
        ("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("context", ctypes.c_void_p),
        ("malloc", _TAKE), ("calloc", _CLEAR), ("realloc", _GROW), ("free", _FREE),
    ]  # fmt: skip


#: The place of `PyDataMem_SetHandler` in NumPy's table of functions.
_SET_HANDLER = 304


def install(memory: Memory) -> Any:
    """Have NumPy take the memory of arrays from there; what is returned must be held."""

    def grow(_: int, place: int, size: int) -> int:
        new = memory.take(size)
        if new and place:
            _system.memcpy(new, place, min(size, memory.size(place)))
            memory.give_back(place)
        return new

    handler = _Handler(
        b"guarded", 1, None, _Handler._TAKE(lambda _, size: memory.take(size)),
        _Handler._CLEAR(lambda _, count, size: memory.take(count * size)), _Handler._GROW(grow),
        _Handler._FREE(memory.queue.address("guarded_free")),
    )  # fmt: skip
    get, make = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_New
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    table = get(np._core._multiarray_umath._ARRAY_API, None)  # type: ignore[attr-defined]  # as C finds it
    function = ctypes.c_void_p.from_address(table + 8 * _SET_HANDLER).value
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(function)
    held = make(ctypes.addressof(handler), b"mem_handler", None)
    return handler, held, set_handler(held)


def guard_arenas(memory: Memory) -> None:
    """Give each temporary of programs that are compiled from now on pages of its own."""
    from pullback.compiler.passes import memory_plan
    from pullback.compiler.runtime import executable

    guards: list[int] = []
    plain, load = memory_plan.laid_out, executable.Executable._load

    def laid_out(plan: Any) -> Any:
        plain(plan)
        if not plan.whole:
            return plan
        sizes, _ = memory_plan.alive(plan)
        at = _PAGE
        guards[:] = [0]
        for number, size in sizes.items():
            # What steps lay out themselves begins where a cache line does.
            exact = size if number >= 0 else memory_plan.aligned(size)
            end = at + max(1, -(-exact // _PAGE)) * _PAGE
            plan.offsets[number] = end - exact if memory.at_end else at
            guards.append(end)
            at = end + _PAGE
        plan.arena_bytes = at
        return plan

    def arena(size: int) -> ndarray:
        pages = -(-max(size, 1) // _PAGE) * _PAGE
        block = np.empty(pages + _PAGE, np.uint8)
        start = -block.ctypes.data % _PAGE
        return block[start : start + size]

    def _load(self: Any, found: Any, called: Any) -> None:
        load(self, found, called)
        base = self._arena.ctypes.data
        self._guards = _Guards([base + at for at in guards if at + _PAGE <= found.arena_bytes])

    memory_plan.laid_out = laid_out  # type: ignore[assignment]  # the pipeline finds it by its name
    executable._aligned = arena
    executable.Executable._load = _load  # type: ignore[method-assign]


class _Guards:
    """Pages of an arena that nobody may touch, as long as it lives."""

    def __init__(self, pages: list[int]) -> None:
        self._pages = pages
        for page in pages:
            _system.mprotect(page, _PAGE, _NONE)

    def __del__(self) -> None:
        for page in self._pages:
            _system.mprotect(page, _PAGE, _READ_WRITE)


#: Ops whose samples hold programs that were recorded in float64 and take nothing else.
_RECORDED = ("scan", "while_loop", "cond")


def pieces(which: str) -> list[tuple[str, Callable[[], list[str]]]]:
    """Return what is to be run: rows of the table of compiled ops, or steps of the suite."""
    if which == "ops":
        from tests.compiler.op_table import ROWS, differences

        return [
            (f"{row.op} {dtype}", lambda row=row, dtype=dtype: differences(row, dtype))
            for row in ROWS
            for dtype in ("float64", "float32")
            if dtype == "float64" or row.op not in _RECORDED
        ]  # fmt: skip
    from benchmarks.peers import BY_NAME, load
    from benchmarks.suite import HELD, OPEN

    def stepped(row: Any) -> list[str]:
        case = row.builders["torch"](load(BY_NAME["pullback.compile"]))
        numbers = [case.number(case.step()) for _ in range(3)]
        return [f"a result is {n}" for n in numbers if n != n]

    return [(name, lambda row=row: stepped(row)) for name, row in (*OPEN.items(), *HELD.items())]


def guards(which: str, count: int | None = None, jobs: int = 1) -> list[str]:
    """Run pieces with arrays at the end, then at the begin of their pages; what went wrong."""
    todo = pieces(which)
    if count is not None:
        step = max(1, len(todo) // count)
        todo = todo[::step]
    wrong = []
    for at_end in (True, False):

        @contextmanager
        def begun(at_end: bool = at_end) -> Iterator[Callable[[int], str]]:
            os.environ["PULLBACK_CACHE"] = "0"
            warnings.simplefilter("ignore")
            memory = Memory(at_end)
            guard_arenas(memory)
            held = install(memory)
            yield lambda number: run(number)
            del held

        def run(number: int) -> str:
            name, piece = todo[number]
            try:
                found = piece()
            except Exception:  # noqa: BLE001  # told as it is
                return f"{name}: {traceback.format_exc()[-800:]}"
            return f"{name}: {found[:2]}" if found else "the same as eager"

        wrong += watched(len(todo), begun, jobs, lambda number: todo[number][0])
    return wrong
