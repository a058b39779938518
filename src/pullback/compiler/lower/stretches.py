"""Sums over columns, a stretch of rows at a time.

The error of a sum in sequence grows with its length: 20,000 rows of float32 were off by 5e-6. The rows of a
stretch are added to a spare row, which is then added to the sums of all rows; a spare row stays in the cache.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from math import isqrt

from ..emit.emitter import Emitter
from .buffer import Buffer
from .index import Index, Variable, atom_index, constant

#: Rows whose sums are added in sequence: at least, and where the number of rows is not known.
LEAST, TYPICAL = 64, 128

_UNKNOWN = 1 << 62


@contextmanager
def each_place(ops: Emitter, buffer: Buffer) -> Iterator[Index]:
    """Open a loop over the places of a buffer."""
    variable = Variable("z", buffer.size)
    with ops.loop(variable, "0", str(buffer.size)):
        yield atom_index(variable) if variable.extent > 1 else constant(0)


def fill(ops: Emitter, buffer: Buffer, number: object) -> None:
    """Write one number to all places of a buffer."""
    with each_place(ops, buffer) as at:
        ops.store(buffer, at, ops.constant(number, buffer.dtype))


@contextmanager
def stretches(
    ops: Emitter, rows: int | None, sums: Collection[tuple[Buffer, Buffer]]
) -> Iterator[tuple[str, str]]:
    """Open a loop over the stretches of a kernel's rows, of which it gives the bounds: about as many as there
    are rows in one, where the number of rows is known.

    `sums` has the sums of all rows, and the spare row that those of a stretch are gathered in.
    """
    length = TYPICAL if rows is None else max(LEAST, isqrt(rows))
    least = ops.module.declare("llvm.smin.i64", "i64", "i64", "i64")
    padded = ops.value(f"add nsw i64 {ops.value('sub nsw i64 %hi, %lo')}, {length - 1}")
    count = ops.value(f"udiv i64 {padded}, {length}")
    with ops.loop(Variable("s", _UNKNOWN), "0", count):
        before = ops.value(f"mul nsw i64 {ops.counters['s']}, {length}")
        first = ops.value(f"add nsw i64 {before}, %lo")
        beyond = ops.value(f"add nsw i64 {first}, {length}")
        end = ops.value(f"call i64 @{least}(i64 {beyond}, i64 %hi)")
        for _, spare in sums:
            fill(ops, spare, 0)
        yield first, end
        for whole, spare in sums:
            with each_place(ops, whole) as at:
                ops.store(whole, at, ops.binary("add", ops.load(whole, at), ops.load(spare, at)))
