"""Compiled convolution kernels: one for each shape, for any number of images, that run on the native pool.

A kernel is a function of a table of pointers and numbers and of the number of a part. How many parts there
are depends on the work alone. Each has a scratch of its own; the parts of a weight's covector have each a sum
of their own, which are added in order.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from ..llvm import engine
from ..llvm.pool import pool
from .correlate import Correlation
from .plan import Registers, Shape
from .vectors import Code
from .weight import Weight

#: Estimated nanoseconds of a multiplication and addition, and of a part's work at least.
_NANOSECONDS, _PART = 0.011, 25_000
#: Parts at most, parts where each costs more, and bytes of all parts' scratches.
_MOST, _FEW, _SCRATCH_BYTES = 32, 8, 64 << 20
#: Bytes of a weight's covector from which its output channels are cut rather than the images.
_LARGE_SUMS = 256 << 10
#: Kernels for larger strides, and for larger images, are not made.
_MOST_RESULTS, _IMAGE_BYTES = 9, 16 << 20
#: Kernels that are kept.
_KEPT = 512
_LINE = 64

_CORRELATION = "ptr noalias %source, ptr noalias %weight, ptr noalias %bias, ptr noalias %target"
_WEIGHT = "ptr noalias %source, ptr noalias %covector, ptr noalias %target"
_REST = "ptr noalias %scratch, i64 %first, i64 %last"

_Parallel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_Joining = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def registers(real: str) -> Registers:
    """Those of this processor."""
    size = engine.register_bytes()
    return Registers(32 if size == 64 else 16, size // (4 if real == "float" else 8))


class Cut(NamedTuple):
    """How the work on some images is cut.

    Attributes
    ----------
    parts : int
        That threads run.
    units : int
        Images, or splits of images.
    rows, splits : int
        Parts along the units, and of the output channels.
    """

    parts: int
    units: int
    rows: int
    splits: int


class Kernel:
    """Machine code for one shape.

    The table that its functions take holds pointers to the arrays and the scratch, then units, rows and
    splits (see `Cut`).

    Attributes
    ----------
    part, joining : int
        Addresses: of the function of (table, part), and of that of (table,) that adds the parts' sums, 0
        where there is none.
    """

    def __init__(self, text: str, shape: Shape, scratch: int, sums: int, most: int) -> None:
        self.shape = shape
        self._scratch, self._sums, self._most = scratch, sums, most
        self._size = 4 if shape.real == "float" else 8
        self._library = engine.Library(text, {}, optimize=False)
        self.part = self._library.address("part")
        self.joining = self._library.address("joining") if sums else 0

    def cut(self, images: int) -> Cut:
        """How the work on a number of images is cut."""
        work = images * self.shape.multiplications * _NANOSECONDS
        parts = min(_MOST, int(work / _PART), _SCRATCH_BYTES // (self._scratch * self._size))
        parts = max(1, parts)
        if not self._sums:
            splits = 1 if images >= min(parts, _FEW) else min(self._most, -(-min(parts, _FEW) // images))
            return Cut(min(parts, images * splits), images * splits, min(parts, images * splits), splits)
        parts = min(parts, _FEW)
        rows = 1 if self._sums * self._size > _LARGE_SUMS else min(parts, images)
        splits = min(self._most, -(-parts // rows))
        return Cut(rows * splits, images, rows, splits)

    def scratch(self, cut: Cut) -> int:
        """Bytes of scratch."""
        sums = self._sums * cut.rows if cut.rows > 1 else 0
        return (cut.parts * self._scratch + sums) * self._size

    def __call__(self, images: int, *arrays: int) -> None:
        """Run on arrays at these addresses."""
        cut = self.cut(images)
        memory = np.empty(self.scratch(cut) + _LINE, np.uint8)
        start = memory.ctypes.data
        table = np.array([*arrays, start + -start % _LINE, cut.units, cut.rows, cut.splits], np.uintp)
        threads = pool()
        threads.prepare()
        _Parallel(threads.address)(self.part, table.ctypes.data, cut.parts)
        if self.joining and cut.rows > 1:
            _Joining(self.joining)(table.ctypes.data)


@lru_cache(maxsize=_KEPT)
def correlation(shape: Shape, transposed: bool, bias: bool) -> Kernel:
    """The kernel of arrays (source, weight, bias, target)."""
    made = Correlation(shape, registers(shape.real), transposed=transposed, bias=bias)
    code = made.write()
    body = code.text("body", f"{_CORRELATION}, {_REST}, i64 %splits")
    lines = [
        *_fields(["source", "weight", "bias", "target", "scratches", "units", "rows", "splits"]),
        *_bounds("%part"),
        f"  %away = mul nsw i64 %part, {_whole(made.scratch)}",
        f"  %scratch = getelementptr {code.real}, ptr %scratches, i64 %away",
        f"  call void @body({_CORRELATION}, {_REST}, i64 %splits)".replace("noalias ", ""),
    ]
    most = shape.groups if shape.groups > 1 else made.blocks
    return Kernel(_module(code, body, _function("part", lines)), shape, _whole(made.scratch), 0, most)


@lru_cache(maxsize=_KEPT)
def weight(shape: Shape) -> Kernel:
    """The kernel of arrays (source, covector, target)."""
    made = Weight(shape, registers(shape.real))
    code = made.write()
    body = code.text("body", f"{_WEIGHT}, {_REST}, i64 %split, i64 %splits")
    count = shape.outputs * shape.channels // shape.groups * shape.taps
    scratch, sums = _whole(made.scratch), _whole(count)
    lines = [
        *_fields(["source", "covector", "result", "scratches", "units", "rows", "splits"]),
        "  %row = sdiv i64 %part, %splits",
        "  %split = srem i64 %part, %splits",
        *_bounds("%row"),
        f"  %away = mul nsw i64 %part, {scratch}",
        f"  %scratch = getelementptr {code.real}, ptr %scratches, i64 %away",
        *_sums_place(code.real, scratch),
        f"  %further = mul nsw i64 %row, {sums}",
        f"  %sums = getelementptr {code.real}, ptr %place, i64 %further",
        # A part alone writes the result itself.
        "  %alone = icmp eq i64 %rows, 1",
        "  %target = select i1 %alone, ptr %result, ptr %sums",
        f"  call void @body({_WEIGHT}, {_REST}, i64 %split, i64 %splits)".replace("noalias ", ""),
    ]
    functions = body, _function("part", lines), _joining(code, count, scratch, sums)
    most = shape.groups if shape.groups > 1 else made.tiles
    return Kernel(_module(code, *functions), shape, scratch, sums, most)


def _whole(elements: int) -> int:
    """Room for elements, so that what follows starts on another cache line."""
    return -(-elements // 32) * 32


def _module(code: Code, *functions: str) -> str:
    return "\n".join([*sorted(code.declarations), *functions, engine.attributes()])


def _function(name: str, lines: Sequence[str]) -> str:
    parameters = "ptr %table, i64 %part" if name == "part" else "ptr %table"
    body = "\n".join(lines)
    return f"define void @{name}({parameters}) nounwind #0 {{\nentry:\n{body}\n  ret void\n}}"


def _fields(names: Sequence[str]) -> list[str]:
    """The lines that read the table."""
    lines = []
    for n, name in enumerate(names):
        kind = "i64" if name in ("units", "rows", "splits") else "ptr"
        lines += [
            f"  %{name}_at = getelementptr i64, ptr %table, i64 {n}",
            f"  %{name} = load {kind}, ptr %{name}_at",
        ]
    return lines


def _bounds(row: str) -> list[str]:
    """The lines that find a part's units."""
    return [
        f"  %low = mul nsw i64 %units, {row}",
        "  %first = sdiv i64 %low, %rows",
        "  %high = add nsw i64 %low, %units",
        "  %last = sdiv i64 %high, %rows",
    ]


def _sums_place(real: str, scratch: int) -> list[str]:
    """The lines that find the parts' sums, which lie behind the scratches."""
    return [
        "  %all = mul nsw i64 %rows, %splits",
        f"  %behind = mul nsw i64 %all, {scratch}",
        f"  %place = getelementptr {real}, ptr %scratches, i64 %behind",
    ]


def _joining(like: Code, count: int, scratch: int, sums: int) -> str:
    """The function that adds the parts' sums in order."""
    code = Code(like.real, like.lanes)
    code.lines += _fields(["source", "covector", "result", "scratches", "units", "rows", "splits"])
    code.lines += _sums_place(code.real, scratch)

    def added(position: int | str, kept: range) -> None:
        slots = code.at("%place", position)
        with code.loop(1, "%rows", [(code.vector, code.load(slots))]) as loop:
            other = code.load(code.at(slots, code.times(loop.index, sums)))
            loop.values[0] = code.value(f"fadd {code.vector} {loop.values[0]}, {other}")
        code.store_part(loop.values[0], code.at("%result", position), kept)

    whole = count // code.lanes * code.lanes
    with code.loop(0, whole, step=code.lanes) as vector:
        added(vector.index, range(code.lanes))
    if count > whole:
        added(whole, range(count - whole))
    like.declarations |= code.declarations
    return _function("joining", code.lines)


def shape_of(
    x: Sequence[int], w: Sequence[int], y: Sequence[int], dtype: np.dtype, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int,
) -> Shape | None:  # fmt: skip
    """What a convolution of arrays of these shapes needs; None where no kernel is made: for other dtypes and
    more axes, for strides that would take long to compile, and for images that would take much memory.

    A single spatial axis is the last of two.
    """
    axes = len(x) - 2
    if axes not in (1, 2) or dtype not in (np.float32, np.float64) or 0 in x or 0 in w or 0 in y:
        return None
    if prod(stride) > _MOST_RESULTS or max(prod(x[1:]), prod(y[2:])) * dtype.itemsize > _IMAGE_BYTES:
        return None

    def pair(numbers: Sequence[int], other: int) -> tuple[int, int]:
        first, second = numbers if axes == 2 else (other, *numbers)
        return int(first), int(second)

    return Shape(
        "float" if dtype == np.float32 else "double", int(x[1]), int(y[1]), int(groups),
        pair(x[2:], 1), pair(y[2:], 1), pair(w[2:], 1), pair(stride, 1), pair(padding, 0), pair(dilation, 1),
    )  # fmt: skip


def address(array: ndarray | None) -> int:
    """Where an array's elements are."""
    return 0 if array is None else array.ctypes.data


