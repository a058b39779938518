"""A kernel's rows cut into parts for threads: how many, what each part has of its own, and how they are
joined.

The cut depends on the kernel's work alone, never on the number of threads. A part has its own place for what
it gathers over columns or over everything, and for rows that only it reads; the parts' sums are added in
pairs, in order of the parts, so that results do not depend on the threads that ran them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...array.named_tuples import NamedTuple
from ..emit import tables
from ..runtime.thread_pool import PARALLEL

if TYPE_CHECKING:
    from ..emit.emitter import Module
    from ..lower.kernel_writer import Emission, Partial

#: Estimated nanoseconds of work from which a kernel is cut, and of a part at least. Calling a thread that
#: sleeps costs the caller 50 µs on the machine this was measured on, one that waits 0.2.
WORTH, PART = 60_000, 20_000
#: The same of a part of an eager loop that passes over memory once: on 16 cores sums of rows of 2²⁰ float32
#: took 103 µs in parts of 20 µs and take 39, running sums with their pullback 966 and 480. Softmax of rows
#: took 123 and 310 (on another, slower machine of the kind), so that what computes has longer parts.
FINE = 8_000
#: Parts at most: enough for 32 threads to end at about the same time.
MOST = 96
#: Rows to a part at least where sums over columns are gathered, each of which is written and read again.
ROWS_OF_SUMS = 8

#: What parts write lies on cache lines, and pairs of them, apart.
LINE = 128


def count(rows: int, work: float, sums: bool, part: int = PART) -> int:
    """Return how many parts of `part` nanoseconds at least a kernel of so many rows and so much work has."""
    if rows < 2 or work < WORTH:
        return 1
    return max(1, min(MOST, int(work / part), rows // ROWS_OF_SUMS if sums else rows))


def stride(elements: int, dtype: np.dtype) -> int:
    """Return bytes from one part's place to the next."""
    return -(-elements * dtype.itemsize // LINE) * LINE


class Places(NamedTuple):
    """Say where the parts of a kernel write what is their own."""

    #: By buffer: where in the kernel's scratch memory the first part's place is.
    offsets: dict[int, int]
    #: Of the scratch memory.
    bytes: int


def places(emission: Emission) -> Places:
    """Lay the sums of a kernel's parts out one after the other."""
    offsets, end = {}, 0
    for partial in emission.partials:
        offsets[partial.buffer.number] = end
        end += stride(partial.buffer.size, partial.buffer.dtype) * emission.parts
    return Places(offsets, end)


def part_function(name: str, kernel: str, strides: Sequence[int]) -> str:
    """Return the function of one part, of an array: number of rows, of parts, pointers (with strides)."""
    lines = [
        f"define internal void @{name}(ptr %context, i64 %part) nounwind #0 {{",
        *tables.read("%context", {"%rows": "i64", "%parts": "i64"}),
        *tables.share("%part", "%parts", "%rows"),
        *tables.read("%context", {f"%r{n}": "ptr" for n in range(len(strides))}, 2),
    ]
    operands = []
    for n, step in enumerate(strides):
        if step:
            lines += [
                f"  %o{n} = mul nuw nsw i64 %part, {step}",
                f"  %s{n} = getelementptr i8, ptr %r{n}, i64 %o{n}",
            ]
        operands.append(f"ptr %{'s' if step else 'r'}{n}")
    return "\n".join(
        [*lines, f"  call void @{kernel}({', '.join([*operands, 'i64 %lo', 'i64 %hi'])})", "  ret void", "}"]
    )


def joining(partial: Partial, parts: int, module: Module) -> str:
    """Return the function, but for its name, that combines the parts' values of one buffer."""
    # What asks for a number of parts only, as eager kernels do, loads none of these.
    from ..emit.emitter import Emitter
    from ..emit.scalars import FLOAT32, FLOAT64
    from ..lower.buffer import Buffer
    from ..lower.index import Variable, atom_index, constant
    from ..lower.kernel_writer import combined

    buffer = partial.buffer
    each = stride(buffer.size, buffer.dtype) // buffer.dtype.itemsize
    ops = Emitter(module)
    slots = Buffer(-1, (parts * each,), buffer.dtype)
    ops.parameters = {buffer.number: "%out", slots.number: "%slots"}
    # Few numbers of many parts are added in double precision, which costs nothing.
    wide = FLOAT64 if buffer.dtype == FLOAT32 and partial.combine == "sum" else partial.dtype
    variable = Variable("z", buffer.size)
    with ops.loop(variable, "0", str(buffer.size)):
        place = atom_index(variable) if buffer.size > 1 else constant(0)
        values = [ops.cast(ops.load(slots, place + n * each), wide) for n in range(parts)]
        while len(values) > 1:
            pairs = [
                combined(ops, partial.combine, x, y, wide) for x,
                y in zip(values[::2], values[1::2], strict=False)
            ]
            values = pairs + values[len(pairs) * 2 :]
        ops.store(buffer, place, ops.cast(values[0], buffer.dtype))
    head = "(ptr %out, ptr %slots) nounwind #0 {"
    return "\n".join([head, "entry:", *ops.slots, *ops.lines, "  ret void", "}"])


def call(pointers: Sequence[str], function: str, rows: int, parts: int, prefix: str) -> list[str]:
    """Return the lines that run all parts of a kernel."""
    entries = [f"i64 {rows}", f"i64 {parts}", *(f"ptr {p}" for p in pointers)]
    lines = tables.written(prefix, len(entries), enumerate(entries))
    return [*lines, f"  call void @{PARALLEL}(ptr @{function}, ptr {prefix}, i64 {parts})"]
