"""Orders of short rows, as loops that fuse with what is around them.

The place of an element is the number of elements that come before it, and the element of a place the one
that has this number: two sums over pairs, without a branch, which vectorize. That takes the square of a row's
length, so long rows stay with the array kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from ...array.selection import MOST, SORTED_BY_INSERTION, WORTH_A_HEAP
from ..emit import chosen_places
from ..emit.emitter import TYPES, Value, computing
from .buffer import Buffer
from .context import BOOL, Context
from .handlers import Analysis
from .index import Index, Indices, Measured, Variable, atom_index, constant, linear, strides_of
from .lowered import Lowered, Routine
from .routines import nest, read_besides, spread, variables

INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
#: Pairs of all rows that loops compare as fast as the array kernel sorts.
_PAIRS = 1 << 17


def in_order(context: Context, x: Lowered, dim: int, descending: bool) -> list[Lowered] | None:
    """Lower rows in order and where their elements were; equals stay as they stand, NaN is the largest."""
    dtype, shape = x.dtype, x.shape
    if not shape or dtype != computing(dtype) or dtype.kind not in "fi":
        return None
    length = shape[dim]
    if prod(shape) * length > _PAIRS:
        return None
    x = context.stored(x)
    numbers = context.held(context.constant(np.arange(length, dtype=np.int32)))

    def at(indices: Indices, along: Any) -> Indices:
        return tuple(along if n == dim else index for n, index in enumerate(indices))

    def is_before(ops: Any, indices: Indices) -> Any:
        *kept, other = indices
        a, b = x.at(ops, tuple(kept)), x.at(ops, at(tuple(kept), other))
        small, large = (a, b) if descending else (b, a)
        before, equal = ops.lt(small, large), ops.eq(a, b)
        if dtype.kind == "f":
            numbered, missing = ops.eq(small, small), ops.ne(large, large)
            before = ops.or_(before, ops.and_(numbered, missing))
            equal = ops.or_(equal, ops.and_(ops.ne(a, a), ops.ne(b, b)))
        earlier = ops.lt(numbers.at(ops, (other,)), numbers.at(ops, (kept[dim],)))
        return ops.cast(ops.or_(before, ops.and_(equal, earlier)), INT32)

    ranks = _summed(context, (*shape, length), is_before)

    def number(ops: Any, indices: Indices) -> Any:
        *kept, other = indices
        here = ops.eq(ranks.at(ops, at(tuple(kept), other)), numbers.at(ops, (kept[dim],)))
        return ops.select(here, numbers.at(ops, (other,)), ops.constant(0, INT32))

    found = _summed(context, (*shape, length), number)

    def value(ops: Any, indices: Indices) -> Any:
        place = ops.place(ops.cast(found.at(ops, indices), INT64), length)
        return x.at(ops, at(indices, place))

    values = context.map(shape, dtype, value, 2)
    return [values, context.map(shape, INT64, lambda ops, indices: ops.cast(found.at(ops, indices), INT64))]


def _summed(context: Context, shape: tuple[int, ...], body: Any) -> Lowered:
    """Return the sums over the last axis of numbers that `body` gives."""
    zero = context.map(shape, INT32, lambda ops, indices: ops.constant(0, INT32))
    return context.reduction(zero, (len(shape) - 1,), "sum", INT32, body)


def first_few(context: Context, x: Lowered, k: int, dim: int, largest: bool) -> list[Lowered] | None:
    """Lower the first few of rows in order and where they were: those that are in order so far are kept, and
    an element before the last of them is put in. Where equal ones meet, torch's are chosen.
    """
    dtype, shape = x.dtype, x.shape
    if not shape or dtype != computing(dtype) or dtype.kind not in "fi" or dtype.itemsize < 4:
        return None
    length, other = shape[dim], tuple(n for a, n in enumerate(shape) if a != dim)
    # More are sorted in yet another way.
    if not 0 < k <= min(length, SORTED_BY_INSERTION + 1) or length > MOST:
        return None
    x = context.stored(x)
    wanted, kept = (*shape[:dim], k, *shape[dim + 1 :]), min(k + 1, length)
    size, strides = prod(wanted), strides_of(wanted)
    # Behind the result: keys and places in order, and of the whole row.
    starts = [size, size + kept, size + 2 * kept, size + 2 * kept + length]
    buffer = context.buffer((starts[3] + length,), INT64)
    analysis: Any = Analysis()
    x.at(analysis, spread(variables("i", shape)))

    def write(ops: Any) -> None:
        choose = chosen_places.declare(ops.module, WORTH_A_HEAP)
        rows = variables("o", other)
        with nest(ops, rows, independent=False):
            lead = spread(rows)

            def at(along: Index) -> tuple[Index, ...]:
                return (*lead[:dim], along, *lead[dim:])

            _kept_in_order(ops, buffer, starts, length, kept, lambda n: _key(ops, x.at(ops, at(n)), largest))
            first = [Value(ops.reread(buffer, constant(starts[0] + n)).name, INT64) for n in range(kept)]
            equal = ops.constant(False, BOOL)
            for one, two in pairwise(first):
                equal = ops.or_(equal, ops.eq(one, two))
            source = ops.slot("i64", str(starts[1]))
            tied, clear = ops.fresh()[1:], ops.fresh()[1:]
            ops.line(f"br i1 {equal.name}, label %{tied}, label %{clear}")
            ops.lines.append(f"{tied}:")
            with ops.scope():
                place = Variable("n", length)
                with nest(ops, [place]):
                    (n,) = spread([place])
                    ops.store(buffer, n + starts[2], _key(ops, x.at(ops, at(n)), largest))
                    ops.store(buffer, n + starts[3], ops.index(n, INT64))
                keys, places = (ops.address(buffer, constant(start)) for start in starts[2:])
                given = f"ptr {keys}, ptr {places}, i64 {length}, i64 {k}"
                ops.line(f"call void @{choose}({given})")
                ops.line(f"store i64 {starts[3]}, ptr {source}")
            ops.line(f"br label %{clear}")
            ops.lines.append(f"{clear}:")
            begin = ops.fresh()
            ops.line(f"{begin} = load i64, ptr {source}")
            begin = atom_index(Measured(Value(begin, INT64), begin, starts[3] + 1))
            place = Variable("n", k)
            with nest(ops, [place]):
                (n,) = spread([place])
                ops.store(buffer, linear(at(n), strides), ops.reread(buffer, begin + n))

    context.nodes.append(Routine(buffer, read_besides(buffer, analysis), write=write))

    def found(ops: Any, indices: Indices) -> Any:
        return ops.load(buffer, linear(indices, strides))

    def value(ops: Any, indices: Indices) -> Any:
        place = ops.place(found(ops, indices), length)
        return x.at(ops, (*indices[:dim], place, *indices[dim + 1 :]))

    return [context.map(wanted, dtype, value, 2), Lowered(wanted, INT64, found, cost=2)]


def _key(ops: Any, x: Any, largest: bool) -> Any:
    """Return a whole number by which elements are in order: zeros are equal, NaN is the largest."""
    dtype = x.dtype
    if dtype.kind == "f":
        kind, bits = (INT64, 63) if dtype.itemsize == 8 else (INT32, 31)
        number = ops.add(x, ops.constant(0, dtype))
        whole = ops.instruction(f"bitcast {TYPES[dtype]} {number.name} to {TYPES[kind]}", kind)
        most = ops.constant((1 << bits) - 1, kind)
        below = ops.and_(ops.shr(whole, ops.constant(bits, kind)), most)
        whole = ops.select(ops.ne(x, x), most, ops.xor(whole, below))
    else:
        whole = x
    whole = ops.cast(whole, INT64)
    return ops.not_(whole) if largest else whole


def _kept_in_order(
    ops: Any, buffer: Buffer, starts: Sequence[int], length: int, kept: int, key_at: Callable[[Index], Any]
) -> None:
    """Write the loop that keeps the first keys of a row, in order, and their places."""
    held, hole, element = ops.slot("i64", "0"), ops.slot("i64"), Variable("n", length)

    def address(start: int, place: str) -> str:
        base, at = ops.address(buffer, constant(start)), ops.fresh()
        ops.line(f"{at} = getelementptr i64, ptr {base}, i64 {place}")
        return at

    def read(pointer: str) -> str:
        name: str = ops.fresh()
        ops.line(f"{name} = load i64, ptr {pointer}")
        return name

    def value(text: str) -> str:
        name: str = ops.fresh()
        ops.line(f"{name} = {text}")
        return name

    labels = {w: ops.fresh()[1:] for w in ("room", "full", "enter", "put", "look", "shift", "next")}
    for start in starts[:2]:
        ops.address(buffer, constant(start))
    with ops.loop(element, "0", str(length), "3"):
        n = spread([element])[0]
        key, number = key_at(n).name, ops.index(n, INT64).name
        have = read(held)
        room = value(f"icmp slt i64 {have}, {kept}")
        ops.line(f"br i1 {room}, label %{labels['room']}, label %{labels['full']}")
        ops.lines.append(f"{labels['full']}:")
        last = read(address(starts[0], str(kept - 1)))
        before = value(f"icmp slt i64 {key}, {last}")
        ops.line(f"store i64 {kept - 1}, ptr {hole}")
        ops.line(f"br i1 {before}, label %{labels['enter']}, label %{labels['next']}")
        ops.lines.append(f"{labels['room']}:")
        ops.line(f"store i64 {have}, ptr {hole}")
        more = value(f"add i64 {have}, 1")
        ops.line(f"store i64 {more}, ptr {held}")
        ops.line(f"br label %{labels['enter']}")
        ops.lines.append(f"{labels['enter']}:")
        here = read(hole)
        top = value(f"icmp eq i64 {here}, 0")
        ops.line(f"br i1 {top}, label %{labels['put']}, label %{labels['look']}")
        ops.lines.append(f"{labels['look']}:")
        there = value(f"sub i64 {here}, 1")
        other = read(address(starts[0], there))
        earlier = value(f"icmp slt i64 {key}, {other}")
        ops.line(f"br i1 {earlier}, label %{labels['shift']}, label %{labels['put']}")
        ops.lines.append(f"{labels['shift']}:")
        ops.line(f"store i64 {other}, ptr {address(starts[0], here)}")
        moved = read(address(starts[1], there))
        ops.line(f"store i64 {moved}, ptr {address(starts[1], here)}")
        ops.line(f"store i64 {there}, ptr {hole}")
        ops.line(f"br label %{labels['enter']}")
        ops.lines.append(f"{labels['put']}:")
        ops.line(f"store i64 {key}, ptr {address(starts[0], here)}")
        ops.line(f"store i64 {number}, ptr {address(starts[1], here)}")
        ops.line(f"br label %{labels['next']}")
        ops.lines.append(f"{labels['next']}:")


LOWERINGS = {"sort": in_order, "sort_stable": in_order, "topk": first_few}
