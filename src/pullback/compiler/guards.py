"""What must be as it was at the trace, as words that native code compares.

A dict is told by its version, which every change renews: when it has another, the things that the trace read
in it are looked at, and if those are as they were, the new version is the one to expect. What a closure's
cell and a list hold is compared by identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import CellType
from typing import Any

import numpy as np

from .. import dtypes
from .buffer import Buffer
from .llvm import caller
from .objects import Layout, words
from .reach import Bond, Reach

ROW_MAJOR, ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400


class Watch:
    """The parts of a specification that say what a function reached.

    Attributes
    ----------
    slow : list of Bond
        What no word tells, to be compared in Python.
    """

    def __init__(self, reach: Reach, where: Layout) -> None:
        self._where = where
        self._containers: list[Any] = []
        self._bonds: list[list[Bond]] = []
        self.slow: list[Bond] = []
        self._lists: dict[int, Any] = {}
        position: dict[int, int] = {}
        default = Bond(dict.get, vars(dtypes), "_default", dtypes.get_default_dtype())
        for bond in (*reach.bonds, default):
            container = bond.container
            if isinstance(container, list):
                self._lists[id(container)] = container
            elif isinstance(container, CellType) or (
                isinstance(container, dict) and where.dict_version is not None
            ):
                at = position.setdefault(id(container), len(self._containers))
                if at == len(self._containers):
                    self._containers.append(container)
                    self._bonds.append([])
                self._bonds[at].append(bond)
            else:
                self.slow.append(bond)
        # What is expected by its address must not be freed, lest another object get the address.
        self._held: list[Any] = [self._contents(c) for c in self._containers]
        self._held_in_lists = [list(c) for c in self._lists.values()]

    def _contents(self, container: Any) -> Any:
        if not isinstance(container, CellType):
            return None
        try:
            return container.cell_contents
        except ValueError:
            return None

    def parts(self) -> dict[str, Any]:
        """Fields of a specification."""
        where = self._where
        addresses = [
            id(c) + (where.cell if isinstance(c, CellType) else where.dict_version or 0)
            for c in self._containers
        ]
        self._expected = np.array([words(address, 1)[0] for address in addresses], np.int64)
        self._now = self._expected.copy()
        records: list[int] = []
        for container, held in zip(self._lists.values(), self._held_in_lists, strict=True):
            records += [id(container), len(held), *map(id, held)]
        self._addresses = np.array(addresses, np.int64)
        return {
            "watched": len(addresses), "watched_at": self._addresses, "watched_as": self._expected,
            "watched_now": self._now, "lists": len(self._lists), "lists_at": records,
        }  # fmt: skip

    def still_holds(self, position: int) -> bool:
        """Whether a container that has changed is as the trace needs it; then it is expected as it is now."""
        if not all(bond.holds() for bond in self._bonds[position]):
            return False
        # Where it has changed again since native code read it, the next call finds that out.
        self._held[position] = self._contents(self._containers[position])
        self._expected[position] = self._now[position]
        return True


class Places:
    """Where in memory the tensors lie that every call is given, as long as they do not move.

    Parameters
    ----------
    cells : list of (int, int, bool)
        Slot in the table, bytes, and whether the call writes there.
    """

    table: np.ndarray[Any, Any]

    def __init__(self, cells: Sequence[tuple[int, int, bool]]) -> None:
        self._cells = cells
        self._seen = np.zeros(len(cells), np.int64)

    def parts(self) -> dict[str, Any]:
        """Fields of a specification."""
        return {"moving_at": [slot for slot, _, _ in self._cells], "seen_at": self._seen}

    def are_apart(self) -> bool:
        """Whether no tensor that is written overlaps another; then they are expected where they are now."""
        starts = [int(self.table[slot]) for slot, _, _ in self._cells]
        if overlap(
            [(start, start + size, w) for start, (_, size, w) in zip(starts, self._cells, strict=True)]
        ):
            return False
        self._seen[:] = starts
        return True


def overlap(ranges: Sequence[tuple[int, int, bool]]) -> bool:
    """Whether one of some ``(begin, end, written)`` that is written has memory in common with another."""
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
    """What is expected of a tensor; `keep` gets what the record points to."""
    value = tensor._value
    keep.append(type(tensor))
    counter = id(list) if written else 0
    array = _array_record(value.shape, value.dtype, written, keep)
    return [source, place, id(type(tensor)), node, *array, counter]


def array_record(place: int, shape: Sequence[int], dtype: np.dtype[Any], keep: list[Any]) -> list[int]:
    """What is expected of an array among the first tuple's items."""
    return [caller.ARRAY, place, 0, 0, *_array_record(shape, dtype, False, keep), 0]


def result_record(buffer: Buffer, slot: int, node: int, keep: list[Any]) -> list[int]:
    """What a call makes: an array for a buffer and, unless the node is `results.BARE`, a tensor around it."""
    extents = np.array(buffer.shape, np.int64)
    keep += [extents, buffer.dtype]
    return [id(buffer.dtype), len(buffer.shape), int(extents.ctypes.data), slot, node]


def _array_record(
    shape: Sequence[int], dtype: np.dtype[Any], written: bool, keep: list[Any]
) -> list[int]:
    extents = np.array(shape, np.int64)
    keep += [extents, dtype]
    flags = ROW_MAJOR | ALIGNED | (_WRITEABLE if written else 0)
    return [id(dtype), len(shape), int(extents.ctypes.data), flags]
