"""Say what must be as it was at the trace, as words that native code compares.

A dict is told by its version, which every change renews: when it has another, the things that the trace read
in it are looked at, and if those are as they were, the new version is the one to expect. What a closure's
cell, a list, or a field of a function or class holds, and an object's type, are compared by identity.
"""

from __future__ import annotations

import ctypes
import functools
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...array import dtypes
from ..frontend.state.guards import (
    Guard,
    cell_contents,
    dict_item,
    dict_keys,
    dict_length,
    list_item,
    list_length,
)
from ..lower.buffer import Buffer
from . import native_call, native_specification
from .native_specification import ALIGNED, ROW_MAJOR, WRITEABLE
from .object_layout import Layout, words

_OF_DICTS = (dict_item, dict_keys, dict_length)


class Watch:
    """The parts of a specification that say what a function read."""

    def __init__(self, guards: Sequence[Guard], where: Layout) -> None:
        self._addresses: list[int] = []
        self._guards: list[list[Guard]] = []
        #: What no word tells, to be compared in Python.
        self.slow: list[Guard] = []
        #: Those and the guards of lists, which `holds` asks.
        self._by_hand: list[Guard] = []
        self._lists: dict[int, Any] = {}
        position: dict[int, int] = {}
        default = Guard(dict_item, vars(dtypes), "_default", dtypes.get_default_dtype())
        for guard in (*guards, default):
            container = guard.container
            address = guard.word
            if guard.read in (list_item, list_length):
                self._lists[id(container)] = container
                self._by_hand.append(guard)
                continue
            if guard.read is cell_contents:
                address = id(container) + where.cell
            elif guard.read in _OF_DICTS and where.dict_version is not None:
                # An order that `move_to_end` changes is no change of version.
                moves = isinstance(container, OrderedDict) and len(container) > 1
                if guard.read is not dict_keys or not moves:
                    address = id(container) + where.dict_version
            if address is None:
                self.slow.append(guard)
                self._by_hand.append(guard)
                continue
            at = position.setdefault(address, len(self._addresses))
            if at == len(self._addresses):
                self._addresses.append(address)
                self._guards.append([])
            self._guards[at].append(guard)
        # What is expected by its address must not be freed, lest another object get the address.
        self._held = [self._contents(guards) for guards in self._guards]
        self._held_in_lists = [list(list.__iter__(c)) for c in self._lists.values()]
        self._at = np.array(self._addresses, np.int64)
        self._expected = np.array([words(address, 1)[0] for address in self._addresses], np.int64)
        self._now = self._expected.copy()
        self._pointers = [int(array.ctypes.data) for array in (self._at, self._expected, self._now)]

    @staticmethod
    def _contents(guards: Sequence[Guard]) -> Any:
        guard = guards[0]
        return None if guard.read in _OF_DICTS else guard.read(guard.container, guard.key)

    def parts(self) -> dict[str, Any]:
        """Return fields of a specification."""
        records: list[int] = []
        # The items of a queue may be others in each call.
        read = {(id(guard.container), guard.key) for guard in self._by_hand if guard.read is list_item}
        for container, held in zip(self._lists.values(), self._held_in_lists, strict=True):
            expected = (id(v) if (id(container), n) in read else 0 for n, v in enumerate(held))
            records += [id(container), len(held), *expected]
        return {
            "watched": len(self._addresses), "watched_at": self._at, "watched_as": self._expected,
            "watched_now": self._now, "lists": len(self._lists), "lists_at": records,
        }  # fmt: skip

    def holds(self) -> bool:
        """Return whether all that was read is as the trace needs it.

        The words are compared at once: 506 guards of a function with a distribution take 4 µs, and 66 one by
        one.
        """
        at, expected, now = self._pointers
        count = len(self._addresses)
        while (changed := _first_changed()(at, expected, now, count)) >= 0:
            if not self.still_holds(changed):
                return False
        return all(guard.holds() for guard in self._by_hand)

    def still_holds(self, position: int) -> bool:
        """Return whether a word that changed is as the trace needs it; it is expected so from now on."""
        guards = self._guards[position]
        if not all(guard.holds() for guard in guards):
            return False
        # Where it has changed again since native code read it, the next call finds that out.
        self._held[position] = self._contents(guards)
        self._expected[position] = self._now[position]
        return True


@functools.cache
def _first_changed() -> Callable[[int, int, int, int], int]:
    """Return a function of ``(addresses, expected, now, count)``: the first changed word's number, or −1."""
    at = native_call.address("first_changed")
    assert at is not None
    # The interpreter's lock is kept: no other thread changes a word meanwhile.
    return ctypes.PYFUNCTYPE(ctypes.c_int64, *(ctypes.c_int64,) * 4)(at)


class Places:
    """Say where in memory the tensors lie that every call is given, as long as they do not move.

    Of each cell it has the slot in the table, the bytes, and whether the call writes there.
    """

    table: np.ndarray[Any, Any]

    def __init__(self, cells: Sequence[tuple[int, int, bool]]) -> None:
        self._cells = cells
        self._seen = np.zeros(len(cells), np.int64)

    def parts(self) -> dict[str, Any]:
        slots = [slot for slot, _, _ in self._cells]
        return {"moving": len(slots), "moving_at": slots, "seen_at": self._seen}

    def are_apart(self) -> bool:
        """Return whether no written tensor overlaps another; then they are expected where they are."""
        starts = [int(self.table[slot]) for slot, _, _ in self._cells]
        if overlap(
            [(start, start + size, w) for start, (_, size, w) in zip(starts, self._cells, strict=True)]
        ):
            return False
        self._seen[:] = starts
        return True


def overlap(ranges: Sequence[tuple[int, int, bool]]) -> bool:
    """Return whether a written one of some ``(begin, end, written)`` shares memory with another."""
    behind_written = behind_any = 0
    for begin, end, written in sorted(ranges):
        if begin < behind_written or (written and begin < behind_any):
            return True
        behind_any = max(behind_any, end)
        if written:
            behind_written = max(behind_written, end)
    return False


def tensor_record(
    source: int, place: int, tensor: Any, node: int, written: bool, keep: list[Any]
) -> list[int]:
    """Return what is expected of a tensor; `keep` gets what the record points to."""
    value = tensor._value
    keep.append(type(tensor))
    # Views of an inference tensor are others than those of a tensor that counts its versions.
    counter = id(list if written else type(tensor._counter))
    strides = 0
    array = _array_record(value.shape, value.dtype, written, keep)
    if not value.flags.c_contiguous:
        keep.append(np.array(value.strides, np.int64))
        strides = int(keep[-1].ctypes.data)
        array[-1] &= ~ROW_MAJOR
    return [source, place, id(type(tensor)), node, *array, counter, strides]


def array_record(place: int, shape: Sequence[int], dtype: np.dtype[Any], keep: list[Any]) -> list[int]:
    """Return what is expected of an array among the first tuple's items."""
    return [native_specification.ARRAY, place, 0, 0, *_array_record(shape, dtype, False, keep), 0, 0]


def result_record(buffer: Buffer, slot: int, node: int, keep: list[Any]) -> list[int]:
    """Return what a call makes: an array, and unless the node is `results.BARE` a tensor around it."""
    extents = np.array(buffer.shape, np.int64)
    keep += [extents, buffer.dtype]
    return [id(buffer.dtype), len(buffer.shape), int(extents.ctypes.data), slot, node]


def _array_record(shape: Sequence[int], dtype: np.dtype[Any], written: bool, keep: list[Any]) -> list[int]:
    extents = np.array(shape, np.int64)
    keep += [extents, dtype]
    flags = ROW_MAJOR | ALIGNED | (WRITEABLE if written else 0)
    return [id(dtype), len(shape), int(extents.ctypes.data), flags]
