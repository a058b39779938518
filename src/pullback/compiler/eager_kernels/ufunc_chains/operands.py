"""Copy operands of small elementwise ops that are not in C order, or are broadcast, to where the chains of
NumPy's loops read them one after another.

A slice of a row, half of the channels or a bias takes 2.5 to 6 µs in Python, and torch 1.3; so 0.5. The
result is laid out as torch does it (`array.layout.placed`): operands are gone through in the order of its
memory.
"""

from __future__ import annotations

from typing import Any

from ....array.chain_steps import ALL, ONE
from ....array.chains import MOST, MOST_ALONE
from ...emit.restricted_python import Bool, Int, Object, Static, Words, native, null, room
from ...runtime.python_objects import copy_axes

#: Operands and axes at most, and bytes of what is copied of an operand.
INPUTS, AXES, _BYTES = 4, 32, 8 * MOST_ALONE
#: Rows at most of what is more than `MOST`: of 10,000×3 they take 55 µs, repeated as a whole
#: (`array.broadcasting`) 37.
_ROWS = 3000
#: Where copies are; one op is computed at a time, under the interpreter's lock.
laid_out: Any = Static(INPUTS * _BYTES)


@native
def common(xs: Object, given: Int, shape: Words, counts: Words, most: Int) -> Int:
    """Write the shape to which arrays (null for what is none) are broadcast, and how many elements it has;
    return the rank, or -1 where there is none, or are too many elements.
    """
    rank = 0
    for g in range(given):
        if xs[g] is not null and xs[g].rank > rank:
            rank = xs[g].rank
    if rank > AXES:
        return -1
    size = 1
    for d in range(rank):
        extent = 1
        for o in range(given):
            y = xs[o]
            own = 1
            if y is not null and d >= rank - y.rank:
                own = y.shape[d - rank + y.rank]
            if extent == 1:
                extent = own
            if own != 1 and own != extent:
                return -1
        shape[d] = extent
        size = size * extent
        if size > most:
            return -1
        if size > MOST and size > _ROWS * extent and d + 1 == rank:
            return -1
    counts[ALL] = size
    counts[ONE] = 1
    return rank if size != 0 else -1


@native
def step_of(x: Object, at: Int, size: Int) -> Int:
    """Return how far apart the elements of an array lie along one of its axes; 0 where it is broadcast."""
    if at < 0 or x.shape[at] != size:
        return 0
    return x.strides[at]


@native
def write_steps(xs: Object, given: Int, shape: Words, rank: Int, steps: Words) -> Bool:
    """Write how far each operand steps along each axis of the result; whether all arrays step alike."""
    alike = True
    for o in range(given):
        x = xs[o]
        lead = rank if x is null else rank - x.rank
        for d in range(rank):
            step = step_of(x, d - lead, shape[d])
            if x is not null and (step == 0 or (o != 0 and step != steps[d])):
                alike = False
            steps[o * AXES + d] = step
    return alike


@native
def outside(axis: Int, other: Int, steps: Words, given: Int, shape: Words) -> Int:
    """Return which of two axes lies outside, by the first operand that says so (`array.layout._in_order`): 1
    for the first, -1 for the other, 0 where none does.
    """
    for o in range(given):
        a = steps[o * AXES + axis]
        b = steps[o * AXES + other]
        if a != 0 and b != 0:
            if a < b:
                return -1
            if a > b or shape[axis] > shape[other]:
                return 1
    return 0


@native
def sort_axes(order: Words, rank: Int, steps: Words, given: Int, shape: Words) -> None:
    """Write the axes in their order, the innermost first: an insertion sort."""
    for k in range(rank):
        order[k] = rank - 1 - k
    for start in range(1, rank):
        place = start
        before = start - 1
        while before >= 0:
            one = order[before]
            two = order[place]
            told = outside(one, two, steps, given, shape)
            if told < 0:
                break
            if told > 0:
                order[before] = two
                order[place] = one
                place = before
            before = before - 1


@native
def keeps_order(steps: Words, order: Words, shape: Words, rank: Int, width: Int, sorted_steps: Words) -> Bool:
    """Write the steps of an operand in the order of the axes; whether it lies so without gaps."""
    expected = width
    stays = True
    for w in range(rank):
        axis = order[w]
        sorted_steps[rank - 1 - w] = steps[axis]
        if shape[axis] != 1 and steps[axis] != expected:
            stays = False
        expected = expected * shape[axis]
    return stays


@native
def lay_out(
    xs: Object, given: Int, shape: Words, rank: Int, widths: Words, slots: Object, made_width: Int,
    strides: Words,
) -> None:  # fmt: skip
    """Copy the operands which do not lie as the result does, put the addresses of the copies into their
    slots, and write the strides of the result.
    """
    steps = room(INPUTS * AXES)
    order = room(AXES)
    sorted_shape = room(AXES)
    sorted_steps = room(AXES)
    dense = write_steps(xs, given, shape, rank, steps)
    sort_axes(order, rank, steps, given, shape)
    gone = made_width
    for k in range(rank):
        axis = order[k]
        strides[axis] = gone
        sorted_shape[rank - 1 - k] = shape[axis]
        gone = gone * shape[axis]
    for c in range(given):
        y = xs[c]
        own = steps + c * AXES
        if y is not null and not keeps_order(own, order, shape, rank, widths[c], sorted_steps):
            dense = False
            to = laid_out + c * _BYTES
            slots[c] = to
            copy_axes(to, y.data, 0, rank, sorted_shape, sorted_steps, widths[c])
    # Operands that all lie alike and without gaps say the strides of axes of one element, too.
    if dense:
        for d in range(rank):
            strides[d] = steps[d] // widths[0] * made_width
