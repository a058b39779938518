"""Native loops that add the elements of rows up.

A sum waits for the one before it: four vectors of sums go side by side. Stretches of a row are short enough
for the error of such a sum, and are added in float64.
"""

from __future__ import annotations

from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import FLOATS, Jobs, loop_variable, number, opened, write

#: Vectors of sums side by side, and the bytes of one: LLVM makes two or four of it where registers are
#: narrower.
TOGETHER, VECTOR = 4, 64
#: Elements of a row that are added in its own dtype.
STRETCH = 4096
#: Nanoseconds for a byte: rows of 2²⁰ float32 take 92 to 130 µs on one thread.
BYTE = 0.03


class Reducing(Jobs):
    """The loops, made when they are first asked for."""

    def sums(self, x: ndarray, out: ndarray) -> bool:
        """Return the sum of each row of ``(rows, length)``; whether that was done."""
        if x.dtype not in FLOATS:
            return False
        job = self.job(_sums, TYPES[x.dtype], x.itemsize)
        parts = parallel_rows.count(len(x), x.nbytes * BYTE, False, parallel_rows.FINE)
        job.run(len(x), parts, (address(x), address(out), x.shape[1]))
        return True


def _in_pairs(ops: Emitter, vector: str, slots: list[str]) -> str:
    """Return the sum of vectors in slots, added in pairs."""
    found = [number(ops, f"load {vector}, ptr {slot}") for slot in slots]
    while len(found) > 1:
        pairs = zip(found[::2], found[1::2], strict=True)
        found = [number(ops, f"fadd {vector} {one}, {other}") for one, other in pairs]
    return found[0]


def _sums(real: str, size: int) -> Emitter:
    module = Module()
    ops = opened(module, {"x": "ptr", "out": "ptr", "length": "i64"})
    lanes = VECTOR // size
    vector = f"<{lanes} x {real}>"
    least = module.declare("llvm.umin.i64", "i64", "i64", "i64")
    across = module.declare(f"llvm.vector.reduce.fadd.v{lanes}f{8 * size}", real, real, vector)
    row, stretch, n, m, k = (loop_variable(name) for name in "rsnmk")
    sums = [ops.slot(vector) for _ in range(TOGETHER)]
    total = ops.slot("double")

    def load(type_: str, place: str) -> str:
        at = number(ops, f"getelementptr {real}, ptr %x, i64 {place}")
        return number(ops, f"load {type_}, ptr {at}, align {size}")

    def add(slot: str, type_: str, value: str) -> None:
        before = number(ops, f"load {type_}, ptr {slot}")
        ops.line(f"store {type_} {number(ops, f'fadd {type_} {before}, {value}')}, ptr {slot}")

    def widened(value: str) -> str:
        return number(ops, f"fpext float {value} to double") if real == "float" else value

    ops.line(f"%rounded = add i64 %length, {STRETCH - 1}")
    ops.line(f"%stretches = udiv i64 %rounded, {STRETCH}")
    with ops.loop(row, "%lo", "%hi"):
        ops.line(f"store double 0.0, ptr {total}")
        begin = number(ops, f"mul i64 {ops.counters['r']}, %length")
        with ops.loop(stretch, "0", "%stretches"):
            first = number(ops, f"mul i64 {ops.counters['s']}, {STRETCH}")
            left = number(ops, f"sub i64 %length, {first}")
            count = number(ops, f"call i64 @{least}(i64 {left}, i64 {STRETCH})")
            start = number(ops, f"add i64 {begin}, {first}")
            for slot in sums:
                ops.line(f"store {vector} zeroinitializer, ptr {slot}")
            vectors = number(ops, f"udiv i64 {count}, {lanes}")
            groups = number(ops, f"udiv i64 {vectors}, {TOGETHER}")
            with ops.loop(n, "0", groups):
                moved = number(ops, f"mul i64 {ops.counters['n']}, {TOGETHER * lanes}")
                place = number(ops, f"add i64 {start}, {moved}")
                values = [load(vector, number(ops, f"add i64 {place}, {j * lanes}")) for j in range(TOGETHER)]
                for slot, value in zip(sums, values, strict=True):
                    add(slot, vector, value)
            with ops.loop(m, number(ops, f"mul i64 {groups}, {TOGETHER}"), vectors):
                moved = number(ops, f"mul i64 {ops.counters['m']}, {lanes}")
                add(sums[0], vector, load(vector, number(ops, f"add i64 {start}, {moved}")))
            whole = number(
                ops, f"call reassoc {real} @{across}({real} 0.0, {vector} {_in_pairs(ops, vector, sums)})"
            )
            add(total, "double", widened(whole))
            with ops.loop(k, number(ops, f"mul i64 {vectors}, {lanes}"), count):
                place = number(ops, f"add i64 {start}, {ops.counters['k']}")
                add(total, "double", widened(load(real, place)))
        result = number(ops, f"load double, ptr {total}")
        if real == "float":
            result = number(ops, f"fptrunc double {result} to float")
        write(ops, real, result, "%out", ops.counters["r"])
    return ops
