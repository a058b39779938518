"""Native loops that read at places an index names, or add there, for arrays of any size.

The arrays are seen as ``(outer, extent, inner)``, the index lying along the middle axis; it names a place for
every element of ``(outer, count, inner)`` or, where is added, for whole rows of ``inner`` elements. Loops for
one element type serve every size. Threads share the outer axis, the inner one, or the places that are
written, so what is added at a place is added in the order of the index on any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import Jobs, loop_variable, number, opened

#: Elements of the inner axis that a thread takes at a time.
STRETCH = 64
#: Elements of a row for each time that the index is gone through.
LONG_ENOUGH = 128
#: Nanoseconds for an element at a place that an index names, and for one of a whole row.
ELEMENT, OF_ROW = 1.0, 0.3

_FIELDS = {
    **dict.fromkeys(("base", "index", "other", "wrong"), "ptr"),
    **dict.fromkeys(("outer", "extent", "count", "inner", "axis"), "i64"),
}
_OUTER, _MIDDLE, _INNER, _EXTENT = 0, 1, 2, 3


_MOVABLE = tuple(map(np.dtype, (np.float32, np.float64, np.int32, np.int64)))


def _movable(x: ndarray, index: ndarray) -> bool:
    return index.dtype == np.int64 and x.dtype in _MOVABLE


class Moving(Jobs):
    """The loops, made when they are first asked for."""

    def read(self, x: ndarray, index: ndarray, out: ndarray) -> bool | None:
        """Write ``out[l, m, t] = x[l, index[l, m, t], t]``; return False where an index is outside, None
        where the dtypes are others.

        Parameters
        ----------
        x, out
            ``(outer, extent, inner)`` and ``(outer, count, inner)``, C-ordered, of one dtype.
        index
            int64, like `out`.
        """
        if not _movable(x, index):
            return None
        axis = _MIDDLE if len(out) < parallel_rows.MOST else _OUTER
        return self._run("read", x, index, out, False, axis)

    def add(self, base: ndarray, index: ndarray, source: ndarray, whole: bool) -> bool | None:
        """Do ``base[l, index[l, m, t], t] += source[l, m, t]`` in order of m; return False where an index is
        outside, None where the dtypes are others. The index is like `source`, or ``(count,)`` if `whole`.
        """
        if not _movable(base, index):
            return None
        outer, _, inner = source.shape
        axis = _OUTER
        if whole and outer < parallel_rows.MOST:
            axis = _EXTENT
        elif outer * STRETCH < inner:
            axis = _INNER
        return self._run("add", base, index, source, whole, axis)

    def _run(self, kind: str, base: ndarray, index: ndarray, other: ndarray, whole: bool, axis: int) -> bool:
        outer, count, inner = other.shape
        variant = "whole" if whole else "last" if inner == 1 else "each"
        kind_of = np.dtype(f"i{base.itemsize}") if kind == "read" else base.dtype
        job = self.job(_moving, kind, variant, kind_of)
        shared = (outer, count, -(-inner // STRETCH), base.shape[1])[axis]
        parts = parallel_rows.count(shared, other.size * (OF_ROW if whole else ELEMENT), False)
        if axis == _EXTENT:
            # Every part goes through the whole index.
            parts = max(1, min(parts, inner // LONG_ENOUGH))
        wrong = np.zeros((parts, parallel_rows.LINE), np.uint8)
        arrays = (base, index, other, wrong)
        fields = (*(address(a) for a in arrays), outer, base.shape[1], count, inner, axis)
        job.run(shared, parts, fields)
        return not wrong.any()


def _moving(kind: str, variant: str, dtype: np.dtype[Any]) -> Emitter:
    module = Module()
    ops = opened(module, _FIELDS)
    ops.line(f"%inner_lo = mul i64 %lo, {STRETCH}")
    ops.line(f"%inner_end = mul i64 %hi, {STRETCH}")
    least = module.declare("llvm.umin.i64", "i64", "i64", "i64")
    ops.line(f"%inner_hi = call i64 @{least}(i64 %inner_end, i64 %inner)")
    bounds = []
    for axis, (name, lo, hi) in enumerate(
        (
            ("outer", "%lo", "%hi"), ("count", "%lo", "%hi"), ("inner", "%inner_lo", "%inner_hi"),
            ("extent", "%lo", "%hi"),
        )
    ):
        ops.line(f"%is_{name} = icmp eq i64 %axis, {axis}")
        ops.line(f"%{name}_from = select i1 %is_{name}, i64 {lo}, i64 0")
        ops.line(f"%{name}_to = select i1 %is_{name}, i64 {hi}, i64 %{name}")
        bounds.append((f"%{name}_from", f"%{name}_to"))
    flag = ops.slot("i64", "0")
    _LOOPS[variant](ops, kind, TYPES[dtype], flag, bounds)
    ops.line(f"%found = load i64, ptr {flag}")
    ops.line(f"%place = mul i64 %part, {parallel_rows.LINE}")
    ops.line("%mine = getelementptr i8, ptr %wrong, i64 %place")
    ops.line("store i64 %found, ptr %mine")
    return ops


def _product_sum(ops: Emitter, x: str, y: str, z: str) -> str:
    """Return ``x · y + z``."""
    return number(ops, f"add i64 {number(ops, f'mul i64 {x}, {y}')}, {z}")


def _place(ops: Emitter, flag: str, position: str) -> str:
    """Return the index at a position, kept within the axis; one outside is noted."""
    at = number(ops, f"getelementptr i64, ptr %index, i64 {position}")
    group = "" if ops.group is None else f", !llvm.access.group !{ops.group}"
    value = number(ops, f"load i64, ptr {at}{group}")
    # Without signs what is negative is too large as well.
    outside = number(ops, f"icmp uge i64 {value}, %extent")
    noted = number(ops, f"zext i1 {outside} to i64")
    before = number(ops, f"load i64, ptr {flag}")
    ops.line(f"store i64 {number(ops, f'or i64 {before}, {noted}')}, ptr {flag}")
    return number(ops, f"select i1 {outside}, i64 0, i64 {value}")


def _move(ops: Emitter, kind: str, real: str, there: str, here: str) -> None:
    """Read the element `there`, or add the one `here` to it."""
    group = "" if ops.group is None else f", !llvm.access.group !{ops.group}"
    far = number(ops, f"getelementptr {real}, ptr %base, i64 {there}")
    near = number(ops, f"getelementptr {real}, ptr %other, i64 {here}")
    if kind == "read":
        value = number(ops, f"load {real}, ptr {far}{group}")
        ops.line(f"store {real} {value}, ptr {near}{group}")
        return
    word = "fadd" if real in ("float", "double") else "add"
    old = number(ops, f"load {real}, ptr {far}{group}")
    new = number(ops, f"load {real}, ptr {near}{group}")
    ops.line(f"store {real} {number(ops, f'{word} {real} {old}, {new}')}, ptr {far}{group}")


Bounds = list[tuple[str, str]]


def _whole(ops: Emitter, kind: str, real: str, flag: str, bounds: Bounds) -> None:
    outer, middle, inner = (loop_variable(name) for name in "lmt")
    with ops.loop(outer, *bounds[0]), ops.loop(middle, *bounds[1]):
        row = _place(ops, flag, ops.counters["m"])
        there = number(ops, f"mul i64 {_product_sum(ops, ops.counters['l'], '%extent', row)}, %inner")
        here = number(
            ops, f"mul i64 {_product_sum(ops, ops.counters['l'], '%count', ops.counters['m'])}, %inner"
        )
        # Rows that another part adds to are passed over.
        after = number(ops, f"icmp uge i64 {row}, {bounds[3][0]}")
        before = number(ops, f"icmp ult i64 {row}, {bounds[3][1]}")
        ops.line(f"br i1 {number(ops, f'and i1 {after}, {before}')}, label %own, label %passed")
        ops.lines.append("own:")
        with ops.loop(inner, *bounds[2], "1"):
            ops.group = "0"
            _move(ops, kind, real, *(number(ops, f"add i64 {v}, {ops.counters['t']}") for v in (there, here)))
            ops.group = None
        ops.line("br label %passed")
        ops.lines.append("passed:")


def _each(ops: Emitter, kind: str, real: str, flag: str, bounds: Bounds) -> None:
    outer, middle, inner = (loop_variable(name) for name in "lmt")
    with ops.loop(outer, *bounds[0]), ops.loop(middle, *bounds[1]):
        row = _product_sum(ops, ops.counters["l"], "%count", ops.counters["m"])
        first = number(ops, f"mul i64 {row}, %inner")
        # Elements side by side go to columns of their own.
        with ops.loop(inner, *bounds[2], "1"):
            ops.group = "0"
            here = number(ops, f"add i64 {first}, {ops.counters['t']}")
            place = _product_sum(ops, ops.counters["l"], "%extent", _place(ops, flag, here))
            _move(ops, kind, real, _product_sum(ops, place, "%inner", ops.counters["t"]), here)
            ops.group = None


def _last(ops: Emitter, kind: str, real: str, flag: str, bounds: Bounds) -> None:
    outer, middle = (loop_variable(name) for name in "lm")
    with ops.loop(outer, *bounds[0]):
        first = number(ops, f"mul i64 {ops.counters['l']}, %extent")
        mine = number(ops, f"mul i64 {ops.counters['l']}, %count")
        apart = kind == "read"
        with ops.loop(middle, *bounds[1], "1" if apart else None):
            ops.group = "0" if apart else None
            here = number(ops, f"add i64 {mine}, {ops.counters['m']}")
            _move(ops, kind, real, number(ops, f"add i64 {first}, {_place(ops, flag, here)}"), here)
            ops.group = None


_LOOPS: dict[str, Callable[[Emitter, str, str, str, Bounds], None]] = {
    "whole": _whole, "each": _each, "last": _last,
}  # fmt: skip
