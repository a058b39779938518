"""Check what a call was given by native functions, which read its specification (`native_specification`)."""

from __future__ import annotations

from ..emit.restricted_python import Bool, Int, Object, Words, native, null
from .native_specification import (
    ANY_NODE,
    ARRAY,
    DIFFERENT,
    DONE,
    EXTRA,
    FIXED,
    INNER_NODE,
    SCATTERED,
)  # fmt: skip
from .python_objects import same_words


@native
def first_changed(at: Object, expected: Words, now: Words, count: Int) -> Int:
    """Return the number of the first watched word that is not as expected, or -1; the word goes to `now`."""
    for n in range(count):
        there: Words = at[n]
        if there[0] != expected[n]:
            now[n] = there[0]
            return n
    return -1


@native
def lists_hold(records: Words, count: Int) -> Bool:
    """Return whether every watched list still has its length and the items that are expected; 0 is any."""
    record = records
    for _ in range(count):
        held: Object = record[0]
        length = record[1]
        if held.size != length:
            return False
        items: Words = held.listed
        for n in range(length):
            if record[2 + n] != 0 and items[n] != record[2 + n]:
                return False
        record = record + 2 + length
    return True


@native
def check_array(value: Object, record: Words, slot: Words, array: Object) -> Int:
    """Return whether an array is of the dtype and shape expected and contiguous; its address goes to a slot.

    The record's words from the fifth on say what is expected: dtype, rank, address of the shape, flags.
    """
    rank = record[5]
    if value.type is not array or value.dtype is not record[4] or value.rank != rank:
        return DIFFERENT
    shape: Words = record[6]
    if not same_words(value.shape, shape, rank):
        return DIFFERENT
    slot[0] = value.data
    flags = record[7]
    return DONE if (value.flags & flags) == flags else SCATTERED


@native
def check_cell(spec: Object, record: Words, slot: Words, args: Object, extras: Object) -> Int:
    """Do `check_array` for what one cell holds: a tensor of a type and history, or an array.

    The record's last word is the address of the strides where they are not those of C order.
    """
    source = record[0]
    thing: Object = record[1]
    if source != FIXED:
        given = extras if source == EXTRA else args
        thing = given.items[record[1]]
    if source == ARRAY:
        return check_array(thing, record, slot, spec.array)
    if thing.type is not record[2]:
        return DIFFERENT
    node = thing.node
    wanted = record[3]
    if wanted == INNER_NODE:
        if node is spec.none or node is spec.leaf:
            return DIFFERENT
    elif wanted != ANY_NODE and node is not record[3]:
        return DIFFERENT
    # A view gets the history of its base when it is asked for.
    if node is spec.none and thing.view is not spec.none and thing.view.view_base.node is not spec.none:
        return DIFFERENT
    if thing.value is null or (record[8] != 0 and thing.counter.type is not record[8]):
        return DIFFERENT
    code = check_array(thing.value, record, slot, spec.array)
    strides: Words = record[9]
    if code == DONE and record[9] != 0 and not same_words(thing.value.strides, strides, record[5]):
        return DIFFERENT
    return code


@native
def are_distinct(args: Object, spec: Object) -> Bool:
    """Return whether the tensors given are one another, or closed over, just where they were at the trace."""
    items: Words = args.items
    places = spec.arguments_at
    fixed_at = spec.fixed_at
    fixed = spec.fixed
    for n in range(spec.arguments):
        mine = items[places[2 * n]]
        for k in range(n):
            is_same = mine == items[places[2 * k]]
            if is_same != (places[2 * n + 1] == places[2 * k + 1]):
                return False
        for m in range(fixed):
            if mine == fixed_at[m]:
                return False
    return True


@native
def stay(spec: Object) -> Bool:
    """Return whether the closed-over arrays that must not move lie where they were seen."""
    table = spec.table
    slots = spec.moving_at
    seen = spec.seen_at
    for n in range(spec.moving):
        if table[slots[n]] != seen[n]:
            return False
    return True


@native
def are_apart(spec: Object) -> Bool:
    """Return whether nothing that is written shares memory with anything else."""
    table = spec.table
    others = spec.others_at
    written = spec.written_at
    count = spec.written
    for n in range(spec.others):
        slot = others[2 * n]
        start = table[slot]
        end = start + others[2 * n + 1]
        for k in range(count):
            other = written[2 * k]
            begin = table[other]
            if other != slot and begin < end and start < begin + written[2 * k + 1]:
                return False
    return True
