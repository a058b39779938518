"""Native loops that copy planes into larger or smaller ones, a value or elements of the planes around them.

Elements are numbers of their size, whatever they mean. Threads share the rows of the result, each of which is
written once, from its first element to its last.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import APART, Jobs, loop_variable, number, opened, read, write

#: Nanoseconds for a byte that is written, and for a row.
BYTE, ROW = 0.03, 4.0

_FIELDS = {
    **dict.fromkeys(("x", "out", "value", "places"), "ptr"),
    **dict.fromkeys(("height", "width", "high", "wide", "above", "left", "from", "to"), "i64"),
}


class Padding(Jobs):
    """The loops, made when they are first asked for."""

    def pad(self, planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray) -> bool:
        """Write C-ordered planes ``(n, h, w)`` into ``(n, H, W)``, their first element at the place `before`,
        which may be outside, with an element `value` wherever they are not; whether that was done.
        """
        return self._run(planes, out, before, value, None)

    def mirror(self, planes: ndarray, out: ndarray, before: Sequence[int], places: ndarray) -> bool:
        """Do the same with elements of the planes: `places` has the row of each row, then the columns."""
        return self._run(planes, out, before, None, places)

    def _run(
        self, planes: ndarray, out: ndarray, before: Sequence[int], value: ndarray | None,
        places: ndarray | None,
    ) -> bool:
        size = out.itemsize
        if size not in (1, 2, 4, 8):
            return False
        job = self.job(_rows, size, places is not None)
        _, height, width = planes.shape
        count, high, wide = out.shape
        above, left = before
        begin = min(max(0, left), wide)
        end = max(begin, min(wide, left + width))
        arrays = (planes, out, value, places)
        sizes = (height, width, high, wide, above, left, begin, end)
        parts = parallel_rows.count(count * high, out.nbytes * BYTE + count * high * ROW, False)
        job.run(count * high, parts, (*(address(a) for a in arrays), *sizes))
        return True


def _rows(size: int, mirrors: bool) -> Emitter:
    module = Module()
    ops = opened(module, _FIELDS)
    element = f"i{8 * size}"
    copy = module.declare("llvm.memcpy.p0.p0.i64", "void", "ptr", "ptr", "i64", "i1 immarg")
    row, n = loop_variable("r"), loop_variable("n")
    if not mirrors:
        ops.line(f"%filled = load {element}, ptr %value")
    ops.line("%columns = sub i64 %to, %from")
    ops.line(f"%bytes = mul i64 %columns, {size}")
    ops.line("%skipped = sub i64 %from, %left")

    def fill(target: str, start: str, stop: str, source: str = "") -> None:
        with ops.loop(n, start, stop, innermost="1"):
            column, filled = ops.counters["n"], "%filled"
            if source:
                behind = number(ops, f"add i64 {column}, %high")
                filled = read(ops, element, source, read(ops, "i64", "%places", behind))
            write(ops, element, filled, target, column, APART)

    with ops.loop(row, "%lo", "%hi"):
        at = ops.counters["r"]
        target = number(ops, f"getelementptr {element}, ptr %out, i64 {number(ops, f'mul i64 {at}, %wide')}")
        plane = number(ops, f"udiv i64 {at}, %high")
        line = number(ops, f"sub i64 {at}, {number(ops, f'mul i64 {plane}, %high')}")
        own = read(ops, "i64", "%places", line) if mirrors else number(ops, f"sub i64 {line}, %above")
        # Without signs what is negative is too large as well.
        inside = number(ops, f"icmp ult i64 {own}, %height")
        ops.line(f"br i1 {inside}, label %copied, label %empty")
        ops.lines.append("copied:")
        of_x = number(ops, f"add i64 {number(ops, f'mul i64 {plane}, %height')}, {own}")
        first = number(ops, f"mul i64 {of_x}, %width")
        start = number(ops, f"getelementptr {element}, ptr %x, i64 {first}")
        fill(target, "0", "%from", start if mirrors else "")
        source = number(ops, f"getelementptr {element}, ptr {start}, i64 %skipped")
        there = number(ops, f"getelementptr {element}, ptr {target}, i64 %from")
        ops.line(f"call void @{copy}(ptr {there}, ptr {source}, i64 %bytes, i1 false)")
        fill(target, "%to", "%wide", start if mirrors else "")
        ops.line("br label %done")
        ops.lines.append("empty:")
        if not mirrors:
            fill(target, "0", "%wide")
        ops.line("br label %done")
        ops.lines.append("done:")
    return ops
