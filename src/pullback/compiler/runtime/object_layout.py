"""Say where CPython keeps what the guards of a call compare: offsets into its objects, found by looking.

Ten tensors' types, shapes and dtypes take 5 µs to compare in Python and a tenth of one in native code, which
reads the objects' memory. The offsets are found once per process on objects of known contents; where one is
not found (another interpreter, a build without the global lock) calls are checked in Python.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...core.node import AccumulateGrad, Node
from ...core.value import TensorBase, wrap
from ...core.views import View
from ..emit.restricted_python import Field

_WORD = 8


class Layout(NamedTuple):
    """Tell where Python's objects keep their members."""

    #: By the names that native functions call them.
    fields: dict[str, Field]
    #: Where a closure's cell holds what is in it, in bytes.
    cell: int
    #: Where the number is that every change of a dict renews (CPython 3.11 and 3.12).
    dict_version: int | None


def words(address: int, count: int) -> list[int]:
    """Return words of memory."""
    return list((ctypes.c_int64 * count).from_address(address))


def _offset(holder: Any, target: int, start: int = 0) -> int:
    """Return where in an object a word stands; no object is read beyond its size."""
    found = words(id(holder), sys.getsizeof(holder) // _WORD if type(holder) is tuple else _size(holder))
    return _WORD * found.index(target, start)


def _size(holder: Any) -> int:
    return max(type(holder).__basicsize__ // _WORD, 1)


@functools.cache
def layout() -> Layout | None:
    """Return the offsets; None where they are not as they must be."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != _WORD:
        return None
    if "free-threading build" in sys.version:
        return None
    try:
        return _found()
    except ValueError:
        return None


def _found() -> Layout:
    mark, other = object(), object()
    pair, several = (mark, other), [mark, other, mark]

    def inner() -> Any:
        return mark

    assert inner.__closure__ is not None
    cell = inner.__closure__[0]
    array = np.zeros((3, 5), np.float32)
    node = object()
    tensor = wrap(array, node)
    assert isinstance(tensor, TensorBase)
    tensor._view = view = View(array, (), -9, -11)
    view.chain = pair
    kind = _offset(array, id(np.ndarray))
    list_size = _offset(several, 3, 2)
    list_items = next(
        n for n in range(list_size + _WORD, _WORD * _size(several), _WORD)
        if _points_to(words(id(several) + n, 1)[0], several, [id(mark), id(other), id(mark)])
    )  # fmt: skip
    data = _offset(array, array.ctypes.data)
    rank = data + _WORD
    # The public structure of an array: data, rank, shape, strides, base, dtype, flags.
    shape, dtype, flags = rank + _WORD, rank + 4 * _WORD, rank + 5 * _WORD
    structure = words(id(array), _size(array))
    rank_there = ctypes.c_int.from_address(id(array) + rank).value
    flags_there = ctypes.c_int.from_address(id(array) + flags).value
    if (
        rank_there != 2 or structure[dtype // _WORD] != id(array.dtype) or flags_there != array.flags.num
        or words(structure[shape // _WORD], 2) != [3, 5] or words(id(tensor) + kind, 1) != [id(type(tensor))]
    ):  # fmt: skip
        raise ValueError("arrays are not laid out as NumPy documents")
    members = {
        "refcount": (0, "int32"), "type": (kind, "Object"),
        # of a float
        "number": (kind + _WORD, "Real"), "bits": (kind + _WORD, "Int"),
        # of a code object, a slice, a tuple, and of lists, whose lengths are where those of tuples are
        "file": (_offset(_found.__code__, id(_found.__code__.co_filename)), "Object"),
        "ends": (_offset(slice(mark, other), id(mark)), "inside"),
        "items": (_offset(pair, id(mark)), "inside"),
        "size": (list_size, "Int"), "listed": (list_items, "Object"),
        # of a tensor, and the record of a view
        "value": (_offset(tensor, id(array)), "Object"), "node": (_offset(tensor, id(node)), "Object"),
        "counter": (_offset(tensor, id(tensor._counter)), "Object"),
        "view": (_offset(tensor, id(view)), "Object"), "view_base": (_offset(view, id(array)), "Object"),
        "view_chain": (_offset(view, id(pair)), "Object"), "view_at": (_offset(view, id(view.at)), "Object"),
        "view_creation": (_offset(view, id(view.creation)), "Object"),
        # of an array
        "data": (data, "Bytes"), "rank": (rank, "int32"), "shape": (shape, "Words"),
        "strides": (shape + _WORD, "Words"), "array_base": (shape + 2 * _WORD, "Object"),
        "dtype": (dtype, "Object"), "flags": (flags, "int32"),
    }  # fmt: skip
    fields = {name: Field(*member) for name, member in members.items()}
    return Layout(fields | _slots_of_nodes(), _offset(cell, id(mark)), _dict_version())


def _slots_of_nodes() -> dict[str, Field]:
    names = (*Node.__slots__, "variable")
    node, marks = object.__new__(AccumulateGrad), {name: object() for name in names}
    for name, mark in marks.items():
        setattr(node, name, mark)
    return {name: Field(_offset(node, id(mark)), "Object") for name, mark in marks.items()}


def _points_to(address: int, holder: list[Any], expected: list[int]) -> bool:
    # A list's items lie on the heap: anything else that a list holds is a small number.
    return address > 1 << 16 and address % _WORD == 0 and words(address, len(holder)) == expected


def _dict_version() -> int | None:
    """Return found by changing a dict and reading it: reading leaves the number, each change renews it."""
    if sys.version_info >= (3, 13):
        return None
    offset = 3 * _WORD
    probe: dict[str, int] = {"x": 9}
    seen = []
    for value in range(4):
        before = words(id(probe) + offset, 1)[0]
        probe.get("x"), len(probe), list(probe)
        if words(id(probe) + offset, 1)[0] != before or before in seen:
            return None
        seen.append(before)
        probe["x" if value % 2 else f"y{value}"] = -value
    return offset
