"""Native loops along rows in which an element depends on those before it: running sums and products, the
first few in order.

A running sum of float32 is kept in float64, as torch keeps it. A chain of additions leaves the processor idle
most of the time, so several rows go side by side.
"""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import APART, FLOATS, Jobs, loop_variable, number, opened, read, write

#: Rows side by side. Of eight whose length is a power of two, what is read and written falls on the same
#: lines of the cache: 1,024 rows of as many float64 take 1.5 to 7.7 ms, four at a time 0.6; float32 either
#: way 0.6.
TOGETHER = 4
#: What is combined in running sums and products, and where they start, of floats and of whole numbers.
SUMMED = (*FLOATS, np.dtype(np.int64))
_COMBINED = {"add": (("fadd", "0.0"), ("add", "0")), "multiply": (("fmul", "1.0"), ("mul", "1"))}
#: Nanoseconds for an element of a running sum, in rows and down columns, and for one that is looked at for
#: the first few.
SUM, DOWN, LOOK = 0.8, 0.4, 0.8
#: The most that is looked for: what is found is kept in order, and putting one in its place takes as long as
#: there are places.
FEW = 64


class Running(Jobs):
    """The loops, made when they are first asked for."""

    def gathered(self, name: str, x: ndarray, out: ndarray, reverse: bool) -> bool:
        """Write running sums or products of rows ``(rows, length)``; return whether it was done."""
        if x.dtype not in SUMMED or name not in _COMBINED:
            return False
        together = min(len(x), TOGETHER)
        job = self.job(_gathered, name, TYPES[x.dtype], reverse, together)
        groups = -(-len(x) // together)
        parts = parallel_rows.count(groups, x.size * SUM, False, parallel_rows.FINE)
        job.run(groups, parts, (address(x), address(out), len(x), x.shape[1]))
        return True

    def down(self, name: str, x: ndarray, out: ndarray, reverse: bool) -> bool:
        """Return the same down the columns of each matrix of ``(count, length, columns)``; whether that was
        done. What is gathered starts as its first element, as in NumPy.
        """
        if x.dtype not in SUMMED or name not in _COMBINED:
            return False
        count, length, columns = x.shape
        job = self.job(_gathered_down, name, TYPES[x.dtype], reverse)
        parts = parallel_rows.count(columns, x.size * DOWN, False, parallel_rows.FINE)
        totals = np.empty(columns, np.int64 if x.dtype.kind == "i" else np.float64)
        job.run(columns, parts, (address(x), address(out), address(totals), count, length, columns))
        return True

    def first(self, x: ndarray, places: ndarray, descending: bool) -> bool:
        """Return the first places of each row of ``(rows, length)`` in order, as many as there is room for;
        equal elements keep their order, and nan is the largest. Whether that was done.
        """
        count = places.shape[1]
        if x.dtype not in FLOATS or not 0 < count <= FEW:
            return False
        job = self.job(_first, TYPES[x.dtype], descending)
        parts = parallel_rows.count(len(x), x.size * LOOK, False)
        values = np.empty((parts, FEW), x.dtype)
        fields = (address(x), address(places), address(values), x.shape[1], count)
        job.run(len(x), parts, fields)
        return True


def _gathered(name: str, real: str, reverse: bool, together: int) -> Emitter:
    module = Module()
    wide = "i64" if real == "i64" else "double"
    word, start_at = _COMBINED[name][real == "i64"]
    fields = {"x": "ptr", "out": "ptr", "rows": "i64", "length": "i64"}
    ops = opened(module, fields)
    group, n = loop_variable("g"), loop_variable("n")
    least = module.declare("llvm.umin.i64", "i64", "i64", "i64")
    ops.line("%last_row = sub i64 %rows, 1")
    ops.line("%last = sub i64 %length, 1")
    totals = [ops.slot(wide) for _ in range(together)]
    with ops.loop(group, "%lo", "%hi"):
        first = number(ops, f"mul i64 {ops.counters['g']}, {together}")
        starts = []
        for k in range(together):
            ops.line(f"store {wide} {start_at}, ptr {totals[k]}")
            # Beyond the last row the last one is computed again.
            row = number(ops, f"add i64 {first}, {k}")
            row = number(ops, f"call i64 @{least}(i64 {row}, i64 %last_row)")
            starts.append(number(ops, f"mul i64 {row}, %length"))
        with ops.loop(n, "0", "%length"):
            at = ops.counters["n"]
            if reverse:
                at = number(ops, f"sub i64 %last, {at}")
            found = []
            for start, total in zip(starts, totals, strict=True):
                place = number(ops, f"add i64 {start}, {at}")
                value = read(ops, real, "%x", place)
                if real == "float":
                    value = number(ops, f"fpext float {value} to double")
                before = number(ops, f"load {wide}, ptr {total}")
                after = number(ops, f"{word} {wide} {before}, {value}")
                ops.line(f"store {wide} {after}, ptr {total}")
                if real == "float":
                    after = number(ops, f"fptrunc double {after} to float")
                found.append((place, after))
            for place, value in found:
                write(ops, real, value, "%out", place)
    return ops


def _gathered_down(name: str, real: str, reverse: bool) -> Emitter:
    wide = "i64" if real == "i64" else "double"
    word, neutral = _COMBINED[name][real == "i64"]
    # 0 + -0 is 0, so a sum of floats starts at -0.
    neutral = "-0.0" if neutral == "0.0" else neutral
    fields = {"x": "ptr", "out": "ptr", "totals": "ptr", "count": "i64", "length": "i64", "columns": "i64"}
    ops = opened(Module(), fields)
    matrix, n = loop_variable("m"), loop_variable("n")
    ops.line("%last = sub i64 %length, 1")
    with ops.loop(matrix, "0", "%count"):
        start = number(ops, f"mul i64 {ops.counters['m']}, %length")
        with ops.loop(loop_variable("s"), "%lo", "%hi", innermost="1"):
            write(ops, wide, neutral, "%totals", ops.counters["s"], APART)
        with ops.loop(n, "0", "%length"):
            at = ops.counters["n"]
            if reverse:
                at = number(ops, f"sub i64 %last, {at}")
            row = number(ops, f"mul i64 {number(ops, f'add i64 {start}, {at}')}, %columns")
            with ops.loop(loop_variable("c"), "%lo", "%hi", innermost="1"):
                column = ops.counters["c"]
                place = number(ops, f"add i64 {row}, {column}")
                value = read(ops, real, "%x", place, APART)
                if real == "float":
                    value = number(ops, f"fpext float {value} to double")
                before = read(ops, wide, "%totals", column, APART)
                after = number(ops, f"{word} {wide} {before}, {value}")
                write(ops, wide, after, "%totals", column, APART)
                if real == "float":
                    after = number(ops, f"fptrunc double {after} to float")
                write(ops, real, after, "%out", place, APART)
    return ops


def _first(real: str, descending: bool) -> Emitter:
    fields = {"x": "ptr", "places": "ptr", "kept": "ptr", "length": "i64", "count": "i64"}
    ops = opened(Module(), fields)
    row, n = loop_variable("r"), loop_variable("n")
    own = number(ops, f"mul i64 %part, {FEW}")
    ops.line(f"%values = getelementptr {real}, ptr %kept, i64 {own}")
    ops.line("%border = sub i64 %count, 1")
    ops.line(f"%limit_at = getelementptr {real}, ptr %values, i64 %border")
    held, hole = ops.slot("i64"), ops.slot("i64")
    with ops.loop(row, "%lo", "%hi"):
        start = number(ops, f"mul i64 {ops.counters['r']}, %length")
        mine = number(ops, f"mul i64 {ops.counters['r']}, %count")
        target = number(ops, f"getelementptr i64, ptr %places, i64 {mine}")
        ops.line(f"store i64 0, ptr {held}")
        with ops.loop(n, "0", "%length"):
            at = number(ops, f"add i64 {start}, {ops.counters['n']}")
            value = read(ops, real, "%x", at)
            have = number(ops, f"load i64, ptr {held}")
            full = number(ops, f"icmp eq i64 {have}, %count")
            ops.line(f"br i1 {full}, label %compare, label %room")
            ops.lines.append("compare:")
            limit = number(ops, f"load {real}, ptr %limit_at")
            ops.line(f"br i1 {_before(ops, real, value, limit, descending)}, label %replace, label %on")
            # The last one falls out; the new one begins at the place of the last.
            ops.lines.append("replace:")
            ops.line(f"store i64 %border, ptr {hole}")
            ops.line("br label %sinking")
            ops.lines.append("room:")
            ops.line(f"store i64 {have}, ptr {hole}")
            ops.line(f"store i64 {number(ops, f'add i64 {have}, 1')}, ptr {held}")
            ops.line("br label %sinking")
            ops.lines.append("sinking:")
            here = number(ops, f"load i64, ptr {hole}")
            there = number(ops, f"sub i64 {here}, 1")
            here_value = number(ops, f"getelementptr {real}, ptr %values, i64 {here}")
            here_place = number(ops, f"getelementptr i64, ptr {target}, i64 {here}")
            top = number(ops, f"icmp eq i64 {here}, 0")
            ops.line(f"br i1 {top}, label %put, label %look")
            ops.lines.append("look:")
            other = read(ops, real, "%values", there)
            ops.line(f"br i1 {_before(ops, real, value, other, descending)}, label %shift, label %put")
            ops.lines.append("shift:")
            there_place = number(ops, f"getelementptr i64, ptr {target}, i64 {there}")
            ops.line(f"store {real} {other}, ptr {here_value}")
            ops.line(f"store i64 {number(ops, f'load i64, ptr {there_place}')}, ptr {here_place}")
            ops.line(f"store i64 {there}, ptr {hole}")
            ops.line("br label %sinking")
            ops.lines.append("put:")
            ops.line(f"store {real} {value}, ptr {here_value}")
            ops.line(f"store i64 {ops.counters['n']}, ptr {here_place}")
            ops.line("br label %on")
            ops.lines.append("on:")
    return ops


def _before(ops: Emitter, real: str, x: str, y: str, descending: bool) -> str:
    """Return whether x comes strictly before y; nan is the largest."""
    if descending:
        larger = number(ops, f"fcmp ogt {real} {x}, {y}")
        x_nan, y_number = number(ops, f"fcmp uno {real} {x}, {x}"), number(ops, f"fcmp ord {real} {y}, {y}")
    else:
        larger = number(ops, f"fcmp olt {real} {x}, {y}")
        x_nan, y_number = number(ops, f"fcmp ord {real} {x}, {x}"), number(ops, f"fcmp uno {real} {y}, {y}")
    return number(ops, f"or i1 {larger}, {number(ops, f'and i1 {x_nan}, {y_number}')}")
