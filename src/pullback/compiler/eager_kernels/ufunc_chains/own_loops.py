"""Native loops that are called as NumPy's are, for what no ufunc does.

The last address in `pointers` is that of the result. What a loop does beyond that is told by its data.
"""

from __future__ import annotations

from ...emit.restricted_python import (
    Bytes,
    Int,
    Object,
    Real,
    Words,
    load,
    load_real,
    native,
    real,
    store,
)  # fmt: skip
from ...runtime.python_objects import copy_element

#: Kinds of numbers, by the characters of their dtypes; the kinds of both sides of a conversion are one
#: number, and so are the kind in which an extreme is sought and whether it is the least.
KINDS = "fdl?"
SINGLE, DOUBLE, LONG, TRUTH = range(4)
LEAST = 4


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
def convert(pointers: Object, inner: Words, strides: Words, kinds: Int) -> None:
    """Convert numbers of one kind, a quarter of `kinds`, to another, its rest."""
    source: Bytes = pointers[0]
    to: Bytes = pointers[1]
    for n in range(inner[0]):
        place = source + n * strides[0]
        if kinds & 3 == LONG:
            store(to + n * strides[1], 64, load(place, 8))
        elif kinds & 3 == DOUBLE:
            store(to + n * strides[1], 64, number_at(place, kinds // 4))
        else:
            store(to + n * strides[1], 32, number_at(place, kinds // 4))


@native
def number_at(place: Bytes, kind: Int) -> Real:
    """Return the number of a kind at an address."""
    if kind == SINGLE:
        return load_real(place, 32)
    if kind == DOUBLE:
        return load_real(place, 64)
    return real(load(place, 64)) if kind == LONG else real(load(place, 8))


@native
def find_extreme(pointers: Object, inner: Words, strides: Words, kind: Int) -> None:
    """Find where the first of the largest or the least numbers stands, or the first nan."""
    if kind == SINGLE:
        seek(pointers, inner[0], strides, SINGLE)
    elif kind == DOUBLE:
        seek(pointers, inner[0], strides, DOUBLE)
    else:
        seek(pointers, inner[0], strides, kind)


@native
def seek(pointers: Object, size: Int, strides: Words, kind: Int) -> None:
    """Do `find_extreme`."""
    x: Bytes = pointers[0]
    place: Bytes = pointers[1]
    by = strides[0]
    found = 0
    best = number_at(x, kind & 3)
    for n in range(size):
        own = number_at(x + n * by, kind & 3)
        is_beyond = own < best if kind >= LEAST else own > best
        is_number = own == own  # no nan is
        if best == best and (is_beyond or not is_number):
            best = own
            found = n
    store(place, 64, found)
