"""Machine code that is compiled apart from programs: kernels that eager calls and programs share.

A kernel is a function of a table of pointers and numbers, and of the number of a part; threads run the parts
(`llvm.pool`). Into how many an image's work is split depends on the threads; how many sums are added depends
on the work alone, so that results do not depend on who runs them.
Each part has a scratch of its own. Where parts gather sums, each has its own place for them, and a second
function adds them in order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.locks import computed
from ...array.named_tuples import NamedTuple
from ...array.strides import address as begin_of
from ...array.threads import get_num_threads
from ..emit import tables
from ..emit.codegen import WRITTEN, Effort
from ..emit.vectors import Code
from . import cache, engine, machine_code
from .thread_pool import pool

#: Estimated nanoseconds of a part's work at least.
_PART = 25_000
#: Parts at most, parts where each costs more, unless there are more threads, and bytes of all scratches.
_MOST, _FEW, _SCRATCH_BYTES = 32, 8, 64 << 20
#: Bytes of sums from which the splits of an image's work are the parts rather than images, where they are
#: half of the parts that are wanted.
_LARGE_SUMS = 256 << 10
LINE = 64
#: Elements at whose multiples what is to have cache lines of its own begins.
_WHOLE = 32
#: Numbers of images whose cuts are remembered.
_REMEMBERED = 64
#: What stands in the table behind the arrays: scratch, units, rows and splits.
FIELDS = 4

_Parallel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Part = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
_Joining = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Cut(NamedTuple):
    """Say how the work on some images is cut."""

    #: That threads run.
    parts: int
    #: Images.
    units: int
    #: Parts along the images, and of the work on each.
    rows: int
    splits: int


class Mending(NamedTuple):
    """A function that runs after a kernel, and looks whether something is left to do."""

    name: str
    #: What it is in.
    library: engine.Library
    #: What it finds in the table behind the kernel's fields.
    numbers: tuple[int, ...]

    def address(self) -> int:
        """Wait for its machine code."""
        return self.library.address(self.name)


class Kernel:
    """Machine code for arrays of one shape, the number of images apart.

    The table that its functions take holds pointers to the arrays and the scratch, then units, rows and
    splits (see `Cut`).

    The `repr` of `what` says, with these sources and the processor, which kernel it is. ``write()`` returns
    the text of a module with the functions ``part(table, number)`` and, where there are sums,
    ``joining(table)``, whose addresses `part` and `joining` are, when asked for, 0 where there are no sums.
    What is found on disk is not written. `size` is the bytes of an element, `work` the estimated nanoseconds
    for an image, `scratch` and `sums` the elements of a part's scratch and sums. The work on an image can be
    cut into `splits` parts; 1 where it is cut along images only. With `splits_first` parts are splits of all
    images where they can be. With `coarse` there are no more than threads are kept busy by: each part does
    some work that others do too.
    """

    def __init__(
        self, what: object, write: Callable[[], str], *, size: int, work: float, scratch: int = 0,
        sums: int = 0, splits: int = 1, splits_first: bool = False,
        coarse: bool = False, mending: Mending | None = None, effort: Effort = WRITTEN,
    ) -> None:  # fmt: skip
        #: Unique to the text.
        self.name = name_of(what)
        self._size, self._work = size, work
        self._scratch, self._sums, self._splits, self._splits_first = scratch, sums, splits, splits_first
        self._coarse = coarse
        # A program asks for its cut more than once.
        self._threads = get_num_threads()
        self._library = machine_code.library(self.name, write, effort)
        self._cuts: dict[int, Cut] = {}
        #: Whether there are sums.
        self.joins = bool(sums)
        self.mending = mending

    @computed
    def part(self) -> int:
        return self._library.address(self.name)

    @computed
    def _alone(self) -> Any:
        return _Part(self.part)

    @computed
    def joining(self) -> int:
        return self._library.address(machine_code.symbol_of(self.name, "joining")) if self.joins else 0

    @computed
    def _mend(self) -> Any:
        return None if self.mending is None else _Joining(self.mending.address())

    def cut(self, images: int) -> Cut:
        """Return how the work on a number of images is cut."""
        parts = min(_MOST, int(images * self._work / _PART))
        if self._scratch:
            parts = min(parts, _SCRATCH_BYTES // (self._scratch * self._size))
        parts = max(1, parts)
        most = min(parts, max(_FEW, self._threads))
        if self._coarse:
            parts = most = min(parts, 2 * self._threads if self._threads > 1 else 1)
        if self._sums:
            # How many sums are added must not depend on the threads.
            is_large = self._sums * self._size > _LARGE_SUMS
            rows = min(parts, images, max(1, _FEW // 2 // self._splits) if is_large else _FEW)
            splits = min(self._splits, -(-most // rows))
            return Cut(rows * splits, images, rows, splits)
        along = 1 if self._splits_first else images
        splits = 1 if along >= most else min(self._splits, -(-most // along))
        rows = min(max(1, (most if self._splits_first else parts) // splits), images)
        return Cut(rows * splits, images, rows, splits)

    def scratch(self, cut: Cut) -> int:
        """Return bytes of scratch, that begin where a cache line does."""
        sums = self._sums * cut.rows if cut.rows > 1 else 0
        return (cut.parts * self._scratch + sums) * self._size

    def __call__(self, images: int, *arrays: int) -> None:
        """Run on arrays at these addresses."""
        cut = self._cuts.get(images)
        if cut is None:
            if len(self._cuts) == _REMEMBERED:
                self._cuts.clear()
            cut = self._cuts[images] = self.cut(images)
        memory = np.empty(self.scratch(cut) + LINE, np.uint8)
        start = address(memory)
        numbers = () if self.mending is None else self.mending.numbers
        fields = (start + -start % LINE, cut.units, cut.rows, cut.splits)
        table = np.array([*arrays, *fields, *numbers], np.uintp)
        if cut.parts == 1:
            self._alone(address(table), 0)
        else:
            parallel(self.part, table, cut.parts)
        if self.joins and cut.rows > 1:
            _Joining(self.joining)(table.ctypes.data)
        if self._mend is not None:
            self._mend(table.ctypes.data)


def name_of(what: object) -> str:
    """Return the name of the module that these sources write for something on this processor: to write it
    takes milliseconds, which a process that finds the code on disk does without.
    """
    return machine_code.name_of(cache.key("kernel", repr(what), engine.machine_name()))


def parallel(part: int, table: ndarray, parts: int) -> None:
    """Run the parts of a kernel on threads."""
    threads = pool()
    threads.prepare()
    _Parallel(threads.address)(part, table.ctypes.data, parts)


def address(array: ndarray | None) -> int:
    """Return where an array's elements are; 0 without one."""
    return 0 if array is None else begin_of(array)


def whole(elements: int) -> int:
    """Return room for elements, so that what follows starts on another cache line."""
    return -(-elements // _WHOLE) * _WHOLE


def whole_of(elements: str, room: str) -> list[str]:
    """Return the lines that find the same when the code runs."""
    return [
        f"  {room}_end = add nsw i64 {elements}, {_WHOLE - 1}",
        f"  {room} = and i64 {room}_end, {-_WHOLE}",
    ]


def module(code: Code, *functions: str) -> str:
    """Return the text of a module."""
    return "\n".join([*sorted(code.declarations), *functions, engine.attributes()])


def function(name: str, lines: Sequence[str]) -> str:
    """Return the text of ``part`` or ``joining``."""
    parameters = "ptr %table, i64 %part" if name == "part" else "ptr %table"
    body = "\n".join(lines)
    return f"define void @{name}({parameters}) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"


def fields(arrays: Sequence[str]) -> list[str]:
    """Return the lines that read the table into ``%units``, ``%rows``, … and the arrays' names."""
    pointers = {f"%{name}": "ptr" for name in (*arrays, "scratches")}
    return tables.read("%table", {**pointers, "%units": "i64", "%rows": "i64", "%splits": "i64"})


def bounds() -> list[str]:
    """Return the lines that find a part's ``%row``, its units, from ``%first`` to below ``%last``, and which
    ``%split`` of their work it has.
    """
    return [
        "  %row = sdiv i64 %part, %splits",
        "  %split = srem i64 %part, %splits",
        *tables.share("%row", "%rows", "%units", "%first", "%last"),
    ]


def own_scratch(real: str, scratch: int) -> list[str]:
    """Return the lines that find a part's scratch."""
    return [
        f"  %away = mul nsw i64 %part, {scratch}",
        f"  %scratch = getelementptr {real}, ptr %scratches, i64 %away",
    ]


def part(
    arrays: Sequence[str], body: str, real: str = "", scratch: int = 0, others: Sequence[str] = ()
) -> str:
    """Return the text of ``part``, which calls a body of arrays, its scratch, its units and others."""
    pointers = [*arrays, "scratch"] if scratch else arrays
    given = [*(f"ptr %{name}" for name in pointers), *(f"i64 %{name}" for name in ("first", "last", *others))]
    return function("part", [
        *fields(arrays), *bounds(), *(own_scratch(real, scratch) if scratch else ()),
        f"  call void @{body}({', '.join(given)})",
    ])  # fmt: skip


def kernel(
    what: object, write: Callable[[], Code], real: str, arrays: Sequence[str], work: float, scratch: int = 0,
    others: Sequence[str] = (), pointer: str = "ptr noalias", **options: Any,
) -> Kernel:  # fmt: skip
    """Return the kernel whose part calls the body that `write` returns; see `part` and `Kernel`."""
    pointers = [*arrays, "scratch"] if scratch else arrays
    given = [f"{pointer} %{name}" for name in pointers]
    given += [f"i64 %{name}" for name in ("first", "last", *others)]

    def text() -> str:
        code = write()
        body = code.text("body", ", ".join(given))
        return module(code, body, part(arrays, "body", real, scratch, others))

    return Kernel(what, text, size=4 if real == "float" else 8, work=work, scratch=scratch, **options)
