"""Remember which tensor held an array, of tensors that changed after nodes may have saved it.

A node keeps arrays where torch's keeps tensors, which later show whether they require grad by now, and in
which arrangement. Such changes are rare: each is noted here, and looked up where torch would look at the
tensor. A node that was made after the change saved the tensor as it is, or another that shares its array.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from numpy import ndarray

from .blame import next_sequence

_Entries = dict[int, tuple[Any, Any, int]]

#: By the identity of an array: weak references to it, which ends the entry, and to the tensor, and a number:
#: nodes made before the change have lower ones.
_holders: _Entries = {}
#: The same for the arrays that own the memory of tensors that are no views.
_owners: _Entries = {}


def note_holder(tensor: Any, array: Any) -> None:
    """Note that `tensor` holds or held `array`, and is changing."""
    if type(array) is ndarray:
        _note(_holders, tensor, array)
        if tensor._view is None:
            _note(_owners, tensor, array if array.base is None else array.base)


def _note(entries: _Entries, tensor: Any, array: Any) -> None:
    if isinstance(array, ndarray):
        key = id(array)
        entries[key] = ref(array, lambda _: entries.pop(key, None)), ref(tensor), next_sequence()


def _noted(entries: _Entries, array: Any, node: Any) -> Any:
    found = entries.get(id(array))
    return found[1]() if found is not None and found[0]() is array and node._seq < found[2] else None


def holder_of(array: Any, node: Any) -> Any:
    """The tensor that changed since a node saved its array; None where there is none, or no more."""
    return _noted(_holders, array, node)


def base_of(array: Any, node: Any) -> Any:
    """The tensor, no view, that changed since a node saved an array that is a view of its memory, or None."""
    owner = getattr(array, "base", None)
    return None if owner is None else _noted(_owners, owner, node)
