"""Native loops for maps that go along one axis after another (`array.taps`), plane by plane.

Each thread works off planes of its own, and what lies between two axes stays in a buffer of one plane. Sums
are taken in the order of the taps, products and sums rounded apart, as the NumPy kernels do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.taps import Taps
from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import APART, FLOATS, Jobs, loop_variable, number, opened, place, read, write

#: Nanoseconds for an element of the result and a tap.
TAP = 0.3

#: Tables that are kept.
_KEPT = 128

#: What the context holds of each axis: extents around it, and the table.
_OF_AXIS = {
    **dict.fromkeys(("outer", "size", "output", "inner", "taps"), "i64"),
    **dict.fromkeys(("places", "weights", "counts", "scale"), "ptr"),
}


class Separable(Jobs):
    """The loops, made when they are first asked for."""

    def __init__(self) -> None:
        super().__init__()
        #: By dtype and map: the map, which keeps its number, its table and where the table's arrays are.
        self._tables: dict[tuple[Any, int], tuple[Taps, tuple[ndarray, ...], tuple[int, ...]]] = {}

    def _table(self, taps: Taps, dtype: np.dtype[Any]) -> tuple[Any, tuple[ndarray, ...], tuple[int, ...]]:
        """Return a map, its table and where the table's arrays are."""
        key = dtype, id(taps)
        found = self._tables.get(key)
        if found is None:
            if len(self._tables) >= _KEPT:
                self._tables.clear()
            table = _table(taps, dtype)
            found = self._tables[key] = taps, table, tuple(map(address, table))
        return found

    def run(self, planes: ndarray, out: ndarray, steps: Sequence[tuple[int, Taps]]) -> bool:
        """Map planes ``(n, *size)`` to ``(n, *output)``, axis by axis; return whether it was done."""
        if planes.dtype not in FLOATS or all(_picks(taps) for _, taps in steps):
            return False
        count = len(steps)
        job = self.job(_written, TYPES[planes.dtype], count)
        shape = list(planes.shape[1:])
        between, work = 1, 0.0
        fields: list[int] = []
        # Another thread may have the tables forgotten while they are read.
        held = [self._table(taps, planes.dtype) for _, taps in steps]
        for (axis, taps), (_, table, addresses) in zip(steps, held, strict=True):
            several = table[0].shape[1]
            outer, inner = prod(shape[: axis - 1]), prod(shape[axis:])
            shape[axis - 1] = taps.output
            between = max(between, prod(shape))
            work += prod(shape) * several * TAP
            fields += [outer, taps.size, taps.output, inner, several, *addresses]
        parts = parallel_rows.count(len(planes), work * len(planes), False)
        stride = parallel_rows.stride(between, planes.dtype)
        scratch = np.empty((parts, 2, stride), np.uint8)
        sizes = (prod(planes.shape[1:]), prod(out.shape[1:]), stride)
        job.run(len(planes), parts, (*map(address, (planes, out, scratch)), *sizes, *fields))
        return True


def _picks(taps: Taps) -> bool:
    """Return whether a map only picks elements, which NumPy does as fast."""
    return len(taps.terms) == 1 and taps.terms[0].weights is None and taps.scale is None


def _table(taps: Taps, dtype: np.dtype[Any]) -> tuple[ndarray, ndarray, ndarray, ndarray]:
    """Return (places, weights, how many each row has, what each row is multiplied by)."""
    places = np.zeros((taps.output, len(taps.terms)), np.int64)
    weights = np.ones(places.shape, dtype)
    counts = np.zeros(taps.output, np.int64)
    for k, (rows, of_term, factors) in enumerate(taps.terms):
        within: Any = slice(None) if rows is None else rows
        places[within, k] = of_term
        if factors is not None:
            weights[within, k] = factors
        counts[within] += 1
    counts[taps.empty] = 0
    scale = np.ones(taps.output, dtype) if taps.scale is None else taps.scale.astype(dtype)
    return places, weights, counts, scale


def _written(real: str, axes: int) -> Emitter:
    fields = {"x": "ptr", "out": "ptr", "scratch": "ptr", "of_x": "i64", "of_out": "i64", "stride": "i64"}
    for n in range(axes):
        fields |= {f"{name}{n}": type_ for name, type_ in _OF_AXIS.items()}
    ops = opened(Module(), fields)
    twice = number(ops, f"mul i64 {number(ops, 'mul i64 %part, %stride')}, 2")
    buffers = [number(ops, f"getelementptr i8, ptr %scratch, i64 {twice}")]
    buffers.append(number(ops, f"getelementptr i8, ptr {buffers[0]}, i64 %stride"))
    plane = loop_variable("p")
    with ops.loop(plane, "%lo", "%hi"):
        at = ops.counters["p"]
        source = number(ops, f"getelementptr {real}, ptr %x, i64 {number(ops, f'mul i64 {at}, %of_x')}")
        last = number(ops, f"getelementptr {real}, ptr %out, i64 {number(ops, f'mul i64 {at}, %of_out')}")
        for n in range(axes):
            target = last if n == axes - 1 else buffers[n % 2]
            _axis(ops, real, n, source, target)
            source = target
    return ops


def _axis(ops: Emitter, real: str, n: int, source: str, target: str) -> None:
    """Run the map along one axis, by rows of what lies behind it or, where nothing does, by elements."""
    outer, along = loop_variable(f"a{n}"), loop_variable(f"o{n}")
    with ops.loop(outer, "0", f"%outer{n}"), ops.loop(along, "0", f"%output{n}"):
        a, o = ops.counters[outer.name], ops.counters[along.name]
        before = number(ops, f"mul i64 {a}, %size{n}")
        row = number(ops, f"add i64 {number(ops, f'mul i64 {a}, %output{n}')}, {o}")
        first = number(ops, f"mul i64 {o}, %taps{n}")
        count = read(ops, "i64", f"%counts{n}", o)
        scale = read(ops, real, f"%scale{n}", o)
        start = number(ops, f"mul i64 {row}, %inner{n}")
        here = place(ops, real, target, start)
        is_last = number(ops, f"icmp eq i64 %inner{n}, 1")
        ops.line(f"br i1 {is_last}, label %elements{n}, label %rows{n}")
        ops.lines.append(f"elements{n}:")
        with ops.scope():
            _element(ops, real, n, source, here, (before, first, count, scale))
        ops.line(f"br label %done{n}")
        ops.lines.append(f"rows{n}:")
        with ops.scope():
            _row(ops, real, n, source, here, (before, first, count, scale))
        ops.line(f"br label %done{n}")
        ops.lines.append(f"done{n}:")


def _tap(ops: Emitter, real: str, n: int, k: str, before: str, first: str) -> tuple[str, str]:
    """Return the place of a tap among the source's rows, and its weight."""
    entry = number(ops, f"add i64 {first}, {k}")
    row = number(ops, f"add i64 {before}, {read(ops, 'i64', f'%places{n}', entry)}")
    return row, read(ops, real, f"%weights{n}", entry)


def _element(ops: Emitter, real: str, n: int, source: str, here: str, row: tuple[str, str, str, str]) -> None:
    before, first, count, scale = row
    total = ops.slot(real, "0.0")
    tap = loop_variable(f"k{n}")
    with ops.loop(tap, "0", count):
        k = ops.counters[tap.name]
        of_row, weight = _tap(ops, real, n, k, before, first)
        product = number(ops, f"fmul {real} {read(ops, real, source, of_row)}, {weight}")
        added = number(ops, f"fadd {real} {number(ops, f'load {real}, ptr {total}')}, {product}")
        # Not 0 + product: that would lose the sign of a zero.
        begins = number(ops, f"icmp eq i64 {k}, 0")
        ops.line(
            f"store {real} {number(ops, f'select i1 {begins}, {real} {product}, {real} {added}')}, ptr "
            f"{total}"
        )
    result = number(ops, f"fmul {real} {number(ops, f'load {real}, ptr {total}')}, {scale}")
    ops.line(f"store {real} {result}, ptr {here}")


def _row(ops: Emitter, real: str, n: int, source: str, here: str, row: tuple[str, str, str, str]) -> None:
    before, first, count, scale = row
    tap, fill, scaled = (loop_variable(f"{letter}{n}") for letter in "tfs")
    none = number(ops, f"icmp eq i64 {count}, 0")
    ops.line(f"br i1 {none}, label %empty{n}, label %taps_of{n}")
    ops.lines.append(f"empty{n}:")
    with ops.loop(fill, "0", f"%inner{n}"):
        write(ops, real, "0.0", here, ops.counters[fill.name])
    ops.line(f"br label %filled{n}")
    ops.lines.append(f"taps_of{n}:")
    with ops.loop(tap, "0", count):
        of_row, weight = _tap(ops, real, n, ops.counters[tap.name], before, first)
        start = number(ops, f"mul i64 {of_row}, %inner{n}")
        there = place(ops, real, source, start)
        begins = number(ops, f"icmp eq i64 {ops.counters[tap.name]}, 0")
        ops.line(f"br i1 {begins}, label %begin{n}, label %add{n}")
        for word in ("begin", "add"):
            ops.lines.append(f"{word}{n}:")
            column = loop_variable(f"{word}_column{n}")
            with ops.loop(column, "0", f"%inner{n}", "1"):
                c = ops.counters[column.name]
                value = number(ops, f"fmul {real} {read(ops, real, there, c, APART)}, {weight}")
                mine = place(ops, real, here, c)
                if word == "add":
                    value = number(
                        ops, f"fadd {real} {number(ops, f'load {real}, ptr {mine}{APART}')}, {value}"
                    )
                ops.line(f"store {real} {value}, ptr {mine}{APART}")
            ops.line(f"br label %next{n}")
        ops.lines.append(f"next{n}:")
    plain = number(ops, f"fcmp oeq {real} {scale}, 1.0")
    ops.line(f"br i1 {plain}, label %filled{n}, label %scaling{n}")
    ops.lines.append(f"scaling{n}:")
    with ops.loop(scaled, "0", f"%inner{n}"):
        mine = place(ops, real, here, ops.counters[scaled.name])
        product = number(ops, f"fmul {real} {number(ops, f'load {real}, ptr {mine}')}, {scale}")
        ops.line(f"store {real} {product}, ptr {mine}")
    ops.line(f"br label %filled{n}")
    ops.lines.append(f"filled{n}:")

