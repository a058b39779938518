"""Find gradients by a native function: where they lie, and whether a step can take them as they are."""

from __future__ import annotations

from ..emit.restricted_python import Bool, Bytes, Int, Object, Words, native, python
from .native_checks import check_array
from .native_specification import DONE

#: Words that tell what is expected: how many gradients; the address of the first slot, and bytes from one to
#: the next; the type of arrays, where records are, and how many ranges of memory are written, with where
#: they begin and end.
COUNT, SLOTS, ROW, ARRAY, RECORDS, RANGES, BEGINS, ENDS = range(8)
#: Words of a record: bytes, three that are not used, then what `check_array` compares.
RECORD = 8
#: What the function answers when all is well, and what it adds to a number when that gradient shares memory
#: with what is written.
GOOD, SHARED = -1, 1 << 32


@native
def lies_within(begin: Int, end: Int, ranges: Int, begins: Words, ends: Words) -> Bool:
    """Return whether memory has a part in common with one of some ranges, which are in order."""
    low = 0
    high = ranges
    while low < high:
        middle = (low + high) // 2
        if ends[middle] <= begin:
            low = middle + 1
        else:
            high = middle
    return low < ranges and begins[low] < end


@native
def pullback_find(owner: Object, given: Object, arguments: Int) -> Object:
    """Write the addresses of a tuple of arrays to slots; see `optimizer_steps.loops.finder`."""
    spec: Words = owner.data
    items = given[0].items
    kind: Object = spec[ARRAY]
    record: Words = spec[RECORDS]
    begins: Words = spec[BEGINS]
    ends: Words = spec[ENDS]
    place: Bytes = spec[SLOTS]
    for n in range(spec[COUNT]):
        slot: Words = place
        if check_array(items[n], record, slot, kind) != DONE:
            return python.PyLong_FromLongLong(n)
        if lies_within(slot[0], slot[0] + record[0], spec[RANGES], begins, ends):
            return python.PyLong_FromLongLong(SHARED + n)
        record = record + RECORD
        place = place + spec[ROW]
    return python.PyLong_FromLongLong(GOOD)
