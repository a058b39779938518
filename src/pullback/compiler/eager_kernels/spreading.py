"""A native loop that repeats short rows, as an operand that is broadcast in front of a short axis needs it.

Elements are bytes. A row of up to 64 of them is written in whole vectors of its repetitions; the last one of
a row may reach into the next, which is written after it.
"""

from __future__ import annotations

import functools

from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import Jobs, loop_variable, opened

#: Bytes of a vector: LLVM makes two or four of it where registers are narrower.
VECTOR = 64
#: Nanoseconds for a byte that is written, for a row, and for each repetition of a long one.
BYTE, ROW, REPEATED = 0.03, 1.0, 4.0

_FIELDS = {"x": "ptr", "out": "ptr", "wide": "i64", "row": "i64", "whole": "i64", "rest": "i64"}


class Spreading(Jobs):
    """The loops, made when they are first asked for."""

    def spread(self, x: ndarray, out: ndarray) -> bool:
        """Write the rows of ``(n, k)`` into ``(n, times, k)`` as often as fit; return whether it was done."""
        rows, parts, key, fields = _cut(out.shape, out.itemsize)
        job = self.job(_short, key) if key else self.job(_long)
        job.run(rows, parts, (address(x), address(out), *fields))
        return True


@functools.lru_cache(1024)
def _cut(shape: tuple[int, int, int], size: int) -> tuple[int, int, int, tuple[int, ...]]:
    """Return how many rows and parts there are, which loop is theirs, and what it is given of sizes."""
    rows, times, length = shape
    wide = length * size
    row = times * wide
    short = wide <= VECTOR
    step = VECTOR // wide * wide if short else wide
    # Vectors that lie within a row, and what is left of it.
    whole = max(0, (row - VECTOR) // step + 1) if short else times
    work = rows * (row * BYTE + (ROW if short else times * REPEATED))
    parts = parallel_rows.count(rows, work, False)
    return rows, parts, wide if short else 0, (wide, row, whole, row - whole * step)


def _copy(ops: Emitter, target: str, source: str, size: str) -> None:
    copy = ops.module.declare("llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1 immarg")
    ops.line(f"call void @{copy}(ptr {target}, ptr {source}, i64 {size}, i1 false)")


def _long() -> Emitter:
    ops = opened(Module(), _FIELDS)
    row, n = loop_variable("r"), loop_variable("n")
    with ops.loop(row, "%lo", "%hi"):
        source = ops.entry("i8", "%x", ops.product(ops.counters["r"], "%wide"))
        target = ops.entry("i8", "%out", ops.product(ops.counters["r"], "%row"))
        with ops.loop(n, "0", "%whole"):
            _copy(ops, ops.entry("i8", target, ops.product(ops.counters["n"], "%wide")), source, "%wide")
    return ops


def _short(wide: int) -> Emitter:
    """Return the loops over rows of so many bytes."""
    ops = opened(Module(), _FIELDS)
    row, n = loop_variable("r"), loop_variable("n")
    # Elements as large as they divide a row.
    size = next(size for size in (8, 4, 2, 1) if wide % size == 0)
    element, lanes, own = f"i{8 * size}", VECTOR // size, wide // size
    step = VECTOR // wide * wide
    slot = ops.slot(f"[{VECTOR} x i8]")
    ops.line("%before_end = mul i64 %hi, %row")
    ops.line("%end = getelementptr i8, ptr %out, i64 %before_end")
    with ops.loop(row, "%lo", "%hi"):
        source = ops.entry("i8", "%x", ops.product(ops.counters["r"], str(wide)))
        target = ops.entry("i8", "%out", ops.product(ops.counters["r"], "%row"))
        values = ops.value(f"load <{own} x {element}>, ptr {source}, align 1")
        places = ", ".join(f"i32 {lane % own}" for lane in range(lanes))
        both = f"<{own} x {element}> {values}, <{own} x {element}> poison"
        repeated = ops.value(f"shufflevector {both}, <{lanes} x i32> <{places}>")

        def store(to: str, vector: str = f"<{lanes} x {element}> {repeated}") -> None:
            ops.line(f"store {vector}, ptr {to}, align 1")

        with ops.loop(n, "0", "%whole"):
            store(ops.entry("i8", target, ops.product(ops.counters["n"], str(step))))
        last = ops.entry("i8", target, ops.product("%whole", str(step)))
        after = ops.entry("i8", last, str(VECTOR))
        ops.line(f"%reaches = icmp ugt ptr {after}, %end")
        ops.line("br i1 %reaches, label %exactly, label %beyond")
        ops.lines.append("exactly:")
        store(slot)
        _copy(ops, last, slot, "%rest")
        ops.line("br label %written")
        ops.lines.append("beyond:")
        store(last)
        ops.line("br label %written")
        ops.lines.append("written:")
    return ops
