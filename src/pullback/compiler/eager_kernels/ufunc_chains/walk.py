"""The native functions that run a chain's steps: each calls a loop of NumPy's as often as it says."""

from __future__ import annotations

from ....array.chain_steps import ALL, LENGTH, ONE, ROW_COUNT
from ...emit.restricted_python import Bytes, Int, Object, Words, load, native, room, run
from ...runtime.python_objects import copy_element, shared

#: Words of a step, operands that it has at most, and words of each (`chain_steps.Operand`), and of what is
#: before them.
STEP, OPERANDS, OPERAND, FIRST_OPERAND = 25, 4, 5, 5
#: Slots that a chain has at most, and counts.
SLOTS, COUNTS = 128, 4


@native
def count(array: Object, counts: Words) -> None:
    """Write how many elements, rows and places of a row an array has."""
    size = 1
    length = 1
    for d in range(array.rank):
        length = array.shape[d]
        size = size * length
    counts[ALL] = size
    if size != 0:
        counts[LENGTH] = length
        counts[ROW_COUNT] = size // length
        counts[ONE] = 1


@native
def walk(own: Words, slots: Object, given: Int, counts: Words) -> None:
    """Run the steps of a script on slots of which some are given."""
    begins = room(OPERANDS)
    moves = room(OPERANDS)
    pointers = room(OPERANDS)
    strides = room(OPERANDS)
    inner = room(1)
    owned = own[0]
    for o in range(owned):
        slots[given + o] = own[1 + o]
    length = counts[LENGTH]
    step = own + owned + 2
    for _ in range(own[1 + owned]):
        for k in range(OPERANDS):
            words = step + FIRST_OPERAND + OPERAND * k
            base: Bytes = slots[words[0]]
            begins[k] = base + words[1] * length
            moves[k] = words[3] + words[4] * length
            strides[k] = words[2]
        loop: Object = step[0]
        data: Object = step[1]
        times = counts[step[2]]
        elements = counts[step[3]]
        for n in range(times):
            for k in range(OPERANDS):
                begin: Bytes = begins[k]
                pointers[k] = begin + moves[k] * n
            inner[0] = elements
            run(loop, pointers, inner, strides, data)
        step = step + STEP


@native
def choose(pointers: Object, inner: Words, strides: Words, width: Int) -> None:
    """Do as a loop of NumPy's: each element is the second operand's where the first's holds, else the
    third's. The loop is given how many bytes they have as its data.
    """
    if width == 4:
        choose_elements(pointers, inner[0], strides, 4)
    elif width == 8:
        choose_elements(pointers, inner[0], strides, 8)
    else:
        choose_elements(pointers, inner[0], strides, width)


@native
def choose_elements(pointers: Object, size: Int, strides: Words, width: Int) -> None:
    """Choose between elements of a width."""
    mask: Bytes = pointers[0]
    x: Bytes = pointers[1]
    y: Bytes = pointers[2]
    to: Bytes = pointers[3]
    by_mask = strides[0]
    by_x = strides[1]
    by_y = strides[2]
    by = strides[3]
    for n in range(size):
        chosen = x + n * by_x if load(mask + n * by_mask, 8) != 0 else y + n * by_y
        copy_element(to + n * by, chosen, width)


@native
def chain(owner: Object, arguments: Object, given: Int) -> Object:
    """Read the sizes of the first array, gather where all lie, and walk; return None."""
    table: Words = owner.data
    slots = room(SLOTS)
    counts = room(COUNTS)
    count(arguments[0], counts)
    for g in range(given):
        slots[g] = arguments[g].data
    walk(table + 1, slots, given, counts)
    none: Object = table[0]
    return shared(none)
