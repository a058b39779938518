"""Choose among equal elements as torch's selections do, and order them.

`topk`, `kthvalue` and `mode` give places, and torch's are those where the algorithms of its C++ library leave
equal elements: partitions around a median of three, and a heap where few of many are asked for. Values do not
depend on it, so callers ask for the rows in which equal elements meet, and for no others: this is a loop over
the elements in Python, 0.1 to 0.3 µs for each.

A row becomes keys, whose order is ascending and knows no nan, and all functions give places in the row.
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
    order = _Order(row, descending)
    if k * WORTH_A_HEAP <= len(row):
        order.hold(0, k, len(row))
        order.empty(0, k)
    else:
        order.select(k - 1)
        order.sort(k - 1)
    return order.places[:k]


def sorted_places(row: ndarray) -> list[int]:
    """Return places that sort a row, equals where the sort of C++ leaves them, as in torch's mode."""
    order = _Order(row, False)
    order.sort(len(row))
    return order.places


def place_of_rank(row: ndarray, rank: int) -> int:
    """Return the place of the element of a rank (from 0), as torch's kthvalue names it: a part has its pivot
    in front, and is parted until it has one or two elements.
    """
    order = _Order(row, False)
    keys, swap = order.keys, order.swap
    low, high = 0, len(row) - 1
    while high > low + 1:
        swap((low + high) // 2, low + 1)
        for i, j in ((low + 1, high), (low, high), (low + 1, low)):
            if keys[j] < keys[i]:
                swap(i, j)
        pivot, left, right = keys[low], low + 2, high - 1
        while True:
            while keys[left] < pivot:
                left += 1
            while pivot < keys[right]:
                right -= 1
            if right < left:
                break
            swap(left, right)
            left, right = left + 1, right - 1
        swap(low, right)
        if right <= rank:
            low = left
        if right >= rank:
            high = right - 1
    if high == low + 1 and keys[high] < keys[low]:
        swap(low, high)
    return order.places[rank]


def _ascending(row: ndarray, descending: bool) -> ndarray:
    """Return keys whose ascending order is a row's ascending (descending) one; nan is the largest."""
    if row.dtype.kind == "f" and np.isnan(row).any():
        row = np.unique(row, return_inverse=True)[1].reshape(row.shape)
    if not descending:
        return row
    return -row if row.dtype.kind == "f" else ~row


class _Order:
    """The keys of a row while they are moved, and the places where they were."""

    def __init__(self, row: ndarray, descending: bool) -> None:
        self.keys: list[Any] = _ascending(row, descending).tolist()
        self.places = list(range(len(self.keys)))

    def swap(self, i: int, j: int) -> None:
        keys, places = self.keys, self.places
        keys[i], keys[j] = keys[j], keys[i]
        places[i], places[j] = places[j], places[i]

    def _insert(self, first: int, last: int) -> None:
        """Sort a part by insertion: equals keep their order."""
        order = sorted(range(first, last), key=self.keys.__getitem__)
        for values in (self.keys, self.places):
            values[first:last] = [values[i] for i in order]

    def _part(self, first: int, last: int) -> int:
        """Return where the upper half begins, split around the median of second, middle and last element."""
        keys, places = self.keys, self.places
        i, j = first + 1, last - 1
        middle = (first + last) // 2
        a, b, c = keys[i], keys[middle], keys[j]
        if a < b:
            median = middle if b < c else j if a < c else i
        else:
            median = i if a < c else j if b < c else middle
        self.swap(first, median)
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

    def select(self, rank: int) -> None:
        """Bring the element of a rank to its place, with none above it in front and none below it behind."""
        first, last = 0, len(self.keys)
        for _ in range(_depth(last)):
            if last - first <= 3:
                break
            cut = self._part(first, last)
            if cut <= rank:
                first = cut
            else:
                last = cut
        if last - first <= 3:
            self._insert(first, last)
        else:
            self.hold(first, rank + 1, last)
            self.swap(first, rank)

    def sort(self, count: int) -> None:
        """Sort the first elements."""
        parts = [(0, count, _depth(count))]
        while parts:
            first, last, depth = parts.pop()
            while last - first > SORTED_BY_INSERTION:
                if not depth:
                    self.hold(first, last, last)
                    self.empty(first, last)
                    break
                depth -= 1
                cut = self._part(first, last)
                parts.append((cut, last, depth))
                last = cut
        self._insert(0, count)

    def hold(self, first: int, middle: int, last: int) -> None:
        """Make a heap of a part, largest in front; later elements below that one take its place."""
        keys, size = self.keys, middle - first
        for start in reversed(range(size // 2)):
            self._sink(first, start, size)
        for i in range(middle, last):
            if keys[i] < keys[first]:
                self.swap(first, i)
                self._sink(first, 0, size)

    def empty(self, first: int, last: int) -> None:
        """Sort a heap."""
        for end in reversed(range(first + 1, last)):
            self.swap(first, end)
            self._sink(first, 0, end - first)

    def _sink(self, first: int, top: int, size: int) -> None:
        """Let a heap's element sink to a leaf, larger children rising, and rise from there to its place."""
        keys, places = self.keys, self.places
        hole = top
        key, place = keys[first + hole], places[first + hole]
        while (child := 2 * hole + 1) < size:
            if child + 1 < size and not keys[first + child + 1] < keys[first + child]:
                child += 1
            keys[first + hole], places[first + hole] = keys[first + child], places[first + child]
            hole = child
        while hole > top and keys[first + (parent := (hole - 1) // 2)] < key:
            keys[first + hole], places[first + hole] = keys[first + parent], places[first + parent]
            hole = parent
        keys[first + hole], places[first + hole] = key, place


def _depth(size: int) -> int:
    """Return how often a row is parted before a heap takes over."""
    return 2 * (max(size, 1).bit_length() - 1)
