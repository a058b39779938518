"""Native loops that are called as NumPy's are, for what no ufunc does.

The last address in `pointers` is that of the result. What a loop does beyond that is told by its data.
"""

from __future__ import annotations

from ....array.loop_recording.steps import BY_VALUE, ROUTINE_ARGUMENTS
from ...emit.restricted_python import (
    Bool,
    Bytes,
    Int,
    Object,
    Real,
    Words,
    load,
    load_real,
    native,
    real,
    room,
    run,
    store,
    store_single,
    whole,
)  # fmt: skip
from ...runtime.python_objects import copy_element

#: Kinds of numbers, by the characters of their dtypes (of complex ones the lowest bits are those of their
#: parts); the kinds of both sides of a conversion are one number, and so are the kind in which an extreme is
#: sought and whether it is the least, and the kind of a sorted sequence and whether places behind equal
#: elements are sought.
KINDS = "fdl?ihbBFD"
SINGLE, DOUBLE, LONG, TRUTH, INT, SHORT, SIGNED, BYTE, COMPLEX, DOUBLE_COMPLEX = range(10)
LEAST = RIGHT = 16


@native
def gather(pointers: Object, inner: Words, strides: Words, width: Int) -> None:
    """Read elements of a width so many bytes behind the second operand as the first says."""
    if width == 4:
        gather_elements(pointers, inner[0], strides, 4)
    elif width == 8:
        gather_elements(pointers, inner[0], strides, 8)
    else:
        gather_elements(pointers, inner[0], strides, width)


@native
def gather_elements(pointers: Object, size: Int, strides: Words, width: Int) -> None:
    """Do `gather`."""
    offsets: Bytes = pointers[0]
    base: Bytes = pointers[1]
    to: Bytes = pointers[2]
    by_offsets = strides[0]
    by_base = strides[1]
    by = strides[2]
    for n in range(size):
        place = base + n * by_base + load(offsets + n * by_offsets, 64)
        copy_element(to + n * by, place, width)


@native
def repeat(pointers: Object, inner: Words, strides: Words, width: Int) -> None:
    """Copy an element of a width to all places of the result."""
    if width == 4 and strides[1] == 4:
        repeat_word(pointers, inner[0])
    else:
        repeat_element(pointers, inner[0], strides[1], width)


@native
def repeat_word(pointers: Object, size: Int) -> None:
    """Do `repeat` for elements of 32 bits without gaps."""
    source: Bytes = pointers[0]
    to: Bytes = pointers[1]
    bits = load(source, 32)
    for n in range(size):
        store(to + n * 4, 32, bits)


@native
def repeat_element(pointers: Object, size: Int, by: Int, width: Int) -> None:
    """Do `repeat`."""
    source: Bytes = pointers[0]
    to: Bytes = pointers[1]
    for n in range(size):
        copy_element(to + n * by, source, width)


@native
def convert(pointers: Object, inner: Words, strides: Words, kinds: Int) -> None:
    """Convert numbers of one kind, a sixteenth of `kinds`, to another, its rest."""
    if kinds == 16 * SINGLE + DOUBLE:
        convert_each(pointers, inner[0], strides, SINGLE, DOUBLE)
    elif kinds == 16 * DOUBLE + SINGLE:
        convert_each(pointers, inner[0], strides, DOUBLE, SINGLE)
    elif kinds == 16 * TRUTH + LONG:
        convert_each(pointers, inner[0], strides, TRUTH, LONG)
    else:
        convert_each(pointers, inner[0], strides, kinds // 16, kinds & 15)


@native
def convert_each(pointers: Object, size: Int, strides: Words, its: Int, kind: Int) -> None:
    """Do `convert`: the most usual kinds by a loop of their own, in a fifth of the time."""
    source: Bytes = pointers[0]
    to: Bytes = pointers[1]
    for n in range(size):
        place = source + n * strides[0]
        target = to + n * strides[1]
        if its & 7 <= DOUBLE:
            store_real(target, kind, number_at(place, its))
        else:
            store_whole(target, kind, whole_at(place, its))
        if kind == COMPLEX:
            store_real(target + 4, SINGLE, imaginary_at(place, its))
        elif kind == DOUBLE_COMPLEX:
            store_real(target + 8, DOUBLE, imaginary_at(place, its))


@native
def store_real(to: Bytes, kind: Int, number: Real) -> None:
    """Write a floating number in a kind; what is beyond all integers becomes what the processor says."""
    if kind & 7 == SINGLE:
        store(to, 32, number)
    elif kind & 7 == DOUBLE:
        store(to, 64, number)
    elif kind == LONG:
        store(to, 64, whole(number, 64))
    elif kind == TRUTH:
        store(to, 8, 0 if number == 0.0 else 1)
    else:
        store_whole(to, kind, whole(number, 32))


@native
def store_whole(to: Bytes, kind: Int, number: Int) -> None:
    """Write an integer in a kind."""
    if kind & 7 == SINGLE:
        store_single(to, number)
    elif kind & 7 == DOUBLE:
        store(to, 64, real(number))
    elif kind == LONG:
        store(to, 64, number)
    elif kind == INT:
        store(to, 32, number)
    elif kind == SHORT:
        store(to, 16, number)
    elif kind == TRUTH:
        store(to, 8, 0 if number == 0 else 1)
    else:
        store(to, 8, number)


@native
def number_at(place: Bytes, kind: Int) -> Real:
    """Return the number of a kind at an address, the real part of a complex one."""
    if kind & 7 == SINGLE:
        return load_real(place, 32)
    if kind & 7 == DOUBLE:
        return load_real(place, 64)
    return real(whole_at(place, kind))


@native
def imaginary_at(place: Bytes, kind: Int) -> Real:
    """Return the imaginary part of the number of a kind at an address."""
    if kind == COMPLEX:
        return load_real(place + 4, 32)
    return load_real(place + 8, 64) if kind == DOUBLE_COMPLEX else 0.0


@native
def whole_at(place: Bytes, kind: Int) -> Int:
    """Return the integer of a kind at an address."""
    if kind == LONG:
        return load(place, 64)
    if kind == INT:
        return signed(load(place, 32), 0x80000000)
    if kind == SHORT:
        return signed(load(place, 16), 0x8000)
    return signed(load(place, 8), 0x80) if kind == SIGNED else load(place, 8)


@native
def signed(number: Int, sign: Int) -> Int:
    """Return the integer whose lowest bits these are; the highest of them is its sign."""
    return number - 2 * sign if number >= sign else number


@native
def find_extreme(pointers: Object, inner: Words, strides: Words, kind: Int) -> None:
    """Find where the first of the largest or the least numbers stands, or the first nan."""
    if kind == SINGLE:
        seek(pointers, inner[0], strides, SINGLE)
    elif kind == DOUBLE:
        seek(pointers, inner[0], strides, DOUBLE)
    elif kind & 15 <= DOUBLE:
        seek(pointers, inner[0], strides, kind)
    else:
        seek_whole(pointers, inner[0], strides, kind)


@native
def seek(pointers: Object, size: Int, strides: Words, kind: Int) -> None:
    """Do `find_extreme`."""
    x: Bytes = pointers[0]
    place: Bytes = pointers[1]
    by = strides[0]
    found = 0
    best = number_at(x, kind & 15)
    for n in range(size):
        own = number_at(x + n * by, kind & 15)
        is_beyond = own < best if kind >= LEAST else own > best
        is_number = own == own  # no nan is
        if best == best and (is_beyond or not is_number):
            best = own
            found = n
    store(place, 64, found)


@native
def seek_whole(pointers: Object, size: Int, strides: Words, kind: Int) -> None:
    """Do `find_extreme` for integers."""
    x: Bytes = pointers[0]
    place: Bytes = pointers[1]
    by = strides[0]
    found = 0
    best = whole_at(x, kind & 15)
    for n in range(size):
        own = whole_at(x + n * by, kind & 15)
        if (own < best) if kind >= LEAST else (own > best):
            best = own
            found = n
    store(place, 64, found)


@native
def argsort(pointers: Object, inner: Words, strides: Words, kind: Int) -> None:
    """Find the places of numbers in their order, nan last; equal ones stay in theirs."""
    x: Bytes = pointers[0]
    places: Bytes = pointers[1]
    by = strides[0]
    step = strides[1]
    for n in range(inner[0]):
        k = n
        while k > 0:
            before = load(places + (k - 1) * step, 64)
            if not is_before(x + n * by, x + before * by, kind):
                break
            store(places + k * step, 64, before)
            k = k - 1
        store(places + k * step, 64, n)


@native
def is_before(one: Bytes, other: Bytes, kind: Int) -> Bool:
    """Return whether a number stands before another one in their order."""
    if kind <= DOUBLE:
        x = number_at(one, kind)
        y = number_at(other, kind)
        is_number = x == x
        is_there = y == y
        return x < y or (is_number and not is_there)
    return whole_at(one, kind) < whole_at(other, kind)


@native
def search(pointers: Object, inner: Words, strides: Words, kind: Int) -> None:
    """Find where numbers would be inserted into a sorted sequence, before or behind equal ones: by NumPy's
    steps, which tell where that is in one that is not sorted.
    """
    wanted: Bytes = pointers[0]
    x: Bytes = pointers[1]
    places: Bytes = pointers[2]
    last = wanted
    low = 0
    high = inner[1]
    for n in range(inner[0]):
        own = wanted + n * strides[0]
        if stands_before(last, own, kind):
            high = inner[1]
        else:
            low = 0
            high = high + 1 if high < inner[1] else inner[1]
        last = own
        while low < high:
            middle = low + (high - low) // 2
            if stands_before(x + middle * strides[3], own, kind):
                low = middle + 1
            else:
                high = middle
        store(places + n * strides[2], 64, low)


@native
def stands_before(one: Bytes, other: Bytes, kind: Int) -> Bool:
    """Return whether a number stands before another one, or is equal where places behind such are sought."""
    if kind >= RIGHT:
        return not is_before(other, one, kind & 15)
    return is_before(one, other, kind)


@native
def scatter(pointers: Object, inner: Words, strides: Words, width: Int) -> None:
    """Write elements of a width so many bytes behind the last operand as the first says, in a row."""
    offsets: Bytes = pointers[0]
    source: Bytes = pointers[1]
    base: Bytes = pointers[2]
    for n in range(inner[0]):
        to = base + n * strides[2] + load(offsets + n * strides[0], 64)
        copy_element(to, source + n * strides[1], width)


@native
def add_at(pointers: Object, inner: Words, strides: Words, kind: Int) -> None:
    """Add numbers to those that stand so many bytes behind the last operand as the first says."""
    offsets: Bytes = pointers[0]
    source: Bytes = pointers[1]
    base: Bytes = pointers[2]
    for n in range(inner[0]):
        to = base + n * strides[2] + load(offsets + n * strides[0], 64)
        place = source + n * strides[1]
        if kind <= DOUBLE:
            store_real(to, kind, number_at(to, kind) + number_at(place, kind))
        else:
            store_whole(to, kind, whole_at(to, kind) + whole_at(place, kind))


@native
def call_routine(pointers: Object, inner: Words, steps: Words, routine: Object) -> None:
    """Call a routine of LAPACK's, to which an argument is the address of an operand or of a number."""
    args = room(ROUTINE_ARGUMENTS)
    for n in range(ROUTINE_ARGUMENTS):
        if steps[n] == BY_VALUE:
            args[n] = inner[n]
        elif steps[n] < 0:
            args[n] = inner + n
        else:
            base: Bytes = pointers[steps[n]]
            args[n] = base + inner[n]
    run(
        routine, args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8], args[9],
        args[10], args[11], args[12], args[13], args[14], args[15],
    )  # fmt: skip
