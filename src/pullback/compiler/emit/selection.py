"""The first few of each row in order: the kernel of `topk`, which chooses among equals as torch does.

The algorithms are the functions of `array.selection`, translated: keys and places are 64-bit numbers here,
which are moved in scratch memory.
"""

from __future__ import annotations

from functools import lru_cache
from math import log

from ...array.named_tuples import NamedTuple
from ...array.selection import WORTH_A_HEAP, divide, empty, halve, halvings, hold, select, sink, sort, swap
from ..runtime import engine, shared_kernels
from ..runtime.shared_kernels import Kernel
from .restricted_python import Bool, Bytes, Int, Program, Words, load, load_real, native, store

#: Estimated nanoseconds for an element that a heap lets pass, and that partitions move.
_PASSED, _MOVED = 1.0, 6.0
#: So few elements of so many are found by insertion where they differ: 10 of 600 normal numbers in 2.0 µs,
#: by partitions in 5.3; of many equal ones in 5.7, not 4.7. In shorter rows both take as long.
_INSERTED, _OF = 16, 128
_KEPT = 256


class Selection(NamedTuple):
    """Say which elements of a row are wanted, and their type as LLVM names it."""

    type: str  # ``"float"``, ``"double"``, ``"i32"`` or ``"i64"``
    length: int  # of a row
    few: int  # how many elements are wanted
    largest: bool

    @property
    def has_heap(self) -> bool:
        """Return whether so few elements of many are wanted that a heap is faster."""
        return self.few * WORTH_A_HEAP <= self.length

    @property
    def is_inserted(self) -> bool:
        """Return whether the first of a row are looked for by insertion first."""
        return not self.has_heap and self.few <= _INSERTED and self.length >= _OF


@lru_cache(maxsize=_KEPT)
def first_places(what: Selection) -> Kernel:
    """Return the kernel of arrays (elements, values, places), whose rows are its images."""
    scratch = 2 * (what.length + what.few + 1)
    work = what.length * (_PASSED if what.has_heap else _MOVED)
    return Kernel(what, lambda: _text(what, scratch), size=8, work=work, scratch=scratch)


def _text(what: Selection, scratch: int) -> str:
    n, k = what.length, what.few
    size, real = {"float": (4, 1), "double": (8, 1), "i32": (4, 0), "i64": (8, 0)}[what.type]
    constants = {
        "LENGTH": n, "FEW": k, "LARGEST": int(what.largest), "HEAP": int(what.has_heap),
        "INSERTED": int(what.is_inserted), "MANY": int(2 * (k + 1) * (1 + log(n / (k + 1)))),
        "SIZE": size, "BITS": 8 * size, "REAL": real, "insert": insert,
    }  # fmt: skip
    part = shared_kernels.part(("elements", "values", "indices"), "rows", "i64", scratch)
    return "\n".join([Program((rows,), {}, constants).text(), part, engine.attributes()])


#: Of each kernel: elements of a row and of those that are wanted, whether the largest are, by what algorithm,
#: how many may be inserted, bytes and bits of an element, and whether it is a floating number.
LENGTH, FEW, LARGEST, HEAP, INSERTED, MANY, SIZE, BITS, REAL = 600, 10, 1, 0, 1, 100, 4, 32, 1
#: Above all keys, and the sign of 32 bits.
MOST, SIGN = (1 << 63) - 1, 1 << 31


@native
def rows(elements: Bytes, values: Bytes, indices: Words, keys: Words, first: Int, last: Int) -> None:
    """Write the first few elements of rows, and their places."""
    places = keys + LENGTH
    best = places + LENGTH
    for row in range(first, last):
        start = elements + row * LENGTH * SIZE
        for i in range(LENGTH):
            # Ascending keys are the order that is wanted.
            bits = load(start + i * SIZE, BITS)
            if BITS == 32:
                bits = (bits ^ SIGN) - SIGN
            if REAL == 1:
                # What is below 0 is told by its size: both zeros are one number. NaN is the largest.
                most = (1 << (BITS - 1)) - 1
                below = 0 - (bits >> 63)
                bits = ((bits & most) ^ below) - below
                number = load_real(start + i * SIZE, BITS)
                if number != number:
                    bits = most
            if LARGEST == 1:
                bits = bits ^ -1
            keys[i] = bits
        chosen = best + (FEW + 1)
        if INSERTED == 0 or not differing(keys, best):
            chosen = places
            bring(keys, places)
        for i in range(FEW):
            place = chosen[i]
            indices[row * FEW + i] = place
            store(values + (row * FEW + i) * SIZE, BITS, load(start + place * SIZE, BITS))


@native
def bring(keys: Words, places: Words) -> None:
    """Bring the first few of a row to the front, as `array.selection.first_places` does."""
    for i in range(LENGTH):
        places[i] = i
    if HEAP == 1:
        hold(keys, places, 0, FEW, LENGTH)
        empty(keys, places, 0, FEW)
    else:
        select(keys, places, FEW - 1, LENGTH)
        sort(keys, places, FEW - 1)


@native
def differing(keys: Words, best: Words) -> Bool:
    """Return whether the first few keys differ from each other and from all others: no algorithm chooses or
    orders those otherwise. They and their places are written to `best`.

    One key more is held for that. Where twice as many are inserted as of a row in random order, it gives up.
    """
    at = best + (FEW + 1)
    for i in range(FEW + 1):
        best[i] = MOST
    inserted = 0
    for i in range(LENGTH):
        key = keys[i]
        if key < best[FEW]:
            inserted += 1
            if inserted > MANY:
                return False
            hole = FEW
            while hole > 0 and best[hole - 1] > key:
                best[hole] = best[hole - 1]
                at[hole] = at[hole - 1]
                hole -= 1
            best[hole] = key
            at[hole] = i
    apart = 0
    while apart < FEW and best[apart] != best[apart + 1]:
        apart += 1
    return apart == FEW


@native
def insert(keys: Words, places: Words, first: Int, last: Int) -> None:
    """Sort a part by insertion."""
    for now in range(first, last):
        key = keys[now]
        place = places[now]
        hole = now
        while hole > first and keys[hole - 1] > key:
            keys[hole] = keys[hole - 1]
            places[hole] = places[hole - 1]
            hole -= 1
        keys[hole] = key
        places[hole] = place


for _function in (divide, empty, halve, halvings, hold, select, sink, sort, swap):
    native(_function)
