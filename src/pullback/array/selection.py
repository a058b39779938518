"""Choose among equal elements as torch's selections do, and order them.

`topk`, `kthvalue` and `mode` give places, and torch's are those where the algorithms of its C++ library leave
equal elements: partitions around a median of three, and a heap where few of many are asked for. Values do not
depend on it, so callers ask for the rows in which equal elements meet, and for no others: this is a loop over
the elements in Python, 0.1 to 0.3 µs for each.

A row becomes keys, whose order is ascending and knows no nan, and the places where they were, which move with
them. The functions on these are the native ones, too: `compiler.emit.selection` has them translated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

#: Elements of a row up to which callers ask; in longer ones equals stay in the order of the row.
MOST = 1 << 18

#: Elements up to which a part of a row is sorted by insertion, which keeps the order of equals.
SORTED_BY_INSERTION = 16

#: Elements for each one asked for, from which torch's topk holds the first ones in a heap.
WORTH_A_HEAP = 64


def first_places(row: ndarray, k: int, descending: bool) -> list[int]:
    """Return places of the first k elements in order, as torch's topk names them."""
    keys, places = _ascending(row, descending)
    if k * WORTH_A_HEAP <= len(row):
        hold(keys, places, 0, k, len(row))
        empty(keys, places, 0, k)
    else:
        select(keys, places, k - 1, len(row))
        sort(keys, places, k - 1)
    return places[:k]


def sorted_places(row: ndarray) -> list[int]:
    """Return places that sort a row, equals where the sort of C++ leaves them, as in torch's mode."""
    keys, places = _ascending(row, False)
    sort(keys, places, len(row))
    return places


def place_of_rank(row: ndarray, rank: int) -> int:
    """Return the place of the element of a rank (from 0), as torch's kthvalue names it: a part has its pivot
    in front, and is parted until it has one or two elements.
    """
    keys, places = _ascending(row, False)
    low, high = 0, len(row) - 1
    while high > low + 1:
        swap(keys, places, (low + high) // 2, low + 1)
        for i, j in ((low + 1, high), (low, high), (low + 1, low)):
            if keys[j] < keys[i]:
                swap(keys, places, i, j)
        pivot, left, right = keys[low], low + 2, high - 1
        while True:
            while keys[left] < pivot:
                left += 1
            while pivot < keys[right]:
                right -= 1
            if right < left:
                break
            swap(keys, places, left, right)
            left, right = left + 1, right - 1
        swap(keys, places, low, right)
        if right <= rank:
            low = left
        if right >= rank:
            high = right - 1
    if high == low + 1 and keys[high] < keys[low]:
        swap(keys, places, low, high)
    return places[rank]


def _ascending(row: ndarray, descending: bool) -> tuple[list[Any], list[int]]:
    """Return keys whose ascending order is a row's ascending (descending) one, nan the largest, and their
    places.
    """
    if row.dtype.kind == "f" and np.isnan(row).any():
        row = np.unique(row, return_inverse=True)[1].reshape(row.shape)
    if descending:
        row = -row if row.dtype.kind == "f" else ~row
    return row.tolist(), list(range(len(row)))


def swap(keys: list[Any], places: list[int], i: int, j: int) -> None:
    """Let two elements change places."""
    keys[i], keys[j] = keys[j], keys[i]
    places[i], places[j] = places[j], places[i]


def insert(keys: list[Any], places: list[int], first: int, last: int) -> None:
    """Sort a part by insertion, or as well: equals keep their order."""
    order = sorted(range(first, last), key=keys.__getitem__)
    for values in (keys, places):
        values[first:last] = [values[i] for i in order]


def halve(keys: list[Any], places: list[int], first: int, last: int) -> int:
    """Return where the upper half begins, split around the median of second, middle and last element."""
    i, middle, j = first + 1, (first + last) // 2, last - 1
    a, b, c = keys[i], keys[middle], keys[j]
    if a < b:
        median = middle if b < c else j if a < c else i
    else:
        median = i if a < c else j if b < c else middle
    swap(keys, places, first, median)
    pivot = keys[first]
    while True:
        while keys[i] < pivot:
            i += 1
        while pivot < keys[j]:
            j -= 1
        if i >= j:
            return i
        keys[i], keys[j] = keys[j], keys[i]
        places[i], places[j] = places[j], places[i]
        i, j = i + 1, j - 1


def select(keys: list[Any], places: list[int], rank: int, last: int) -> None:
    """Bring the element of a rank to its place, with none above it in front and none below it behind."""
    first, depth = 0, halvings(last)
    while last - first > 3 and depth > 0:
        cut = halve(keys, places, first, last)
        depth -= 1
        if cut <= rank:
            first = cut
        else:
            last = cut
    if last - first <= 3:
        insert(keys, places, first, last)
    else:
        hold(keys, places, first, rank + 1, last)
        swap(keys, places, first, rank)


def sort(keys: list[Any], places: list[int], count: int) -> None:
    """Sort the first elements."""
    divide(keys, places, 0, count, halvings(count))
    insert(keys, places, 0, count)


def divide(keys: list[Any], places: list[int], first: int, last: int, depth: int) -> None:
    """Divide a stretch until insertion sorts it."""
    while last - first > SORTED_BY_INSERTION:
        if depth == 0:
            hold(keys, places, first, last, last)
            empty(keys, places, first, last)
            return
        depth -= 1
        cut = halve(keys, places, first, last)
        divide(keys, places, cut, last, depth)
        last = cut


def hold(keys: list[Any], places: list[int], first: int, middle: int, last: int) -> None:
    """Make a heap of a part, largest in front; later elements below that one take its place."""
    size = middle - first
    start = size // 2
    while start > 0:
        start -= 1
        sink(keys, places, first, start, size)
    for i in range(middle, last):
        if keys[i] < keys[first]:
            swap(keys, places, first, i)
            sink(keys, places, first, 0, size)


def empty(keys: list[Any], places: list[int], first: int, last: int) -> None:
    """Sort a heap."""
    while last > first + 1:
        last -= 1
        swap(keys, places, first, last)
        sink(keys, places, first, 0, last - first)


def sink(keys: list[Any], places: list[int], first: int, top: int, size: int) -> None:
    """Let a heap's element sink to a leaf, larger children rising, and rise from there to its place."""
    hole, child = first + top, first + 2 * top + 1
    key, place = keys[hole], places[hole]
    while child < first + size:
        if child + 1 < first + size and not keys[child + 1] < keys[child]:
            child += 1
        keys[hole], places[hole] = keys[child], places[child]
        hole, child = child, 2 * child + 1 - first
    while hole > first + top:
        parent = first + (hole - first - 1) // 2
        if not keys[parent] < key:
            break
        keys[hole], places[hole] = keys[parent], places[parent]
        hole = parent
    keys[hole], places[hole] = key, place


def halvings(size: int) -> int:
    """Return how often a row is parted before a heap takes over."""
    depth = 0
    while size > 1:
        size, depth = size // 2, depth + 2
    return depth
