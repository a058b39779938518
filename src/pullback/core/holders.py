"""Remember which tensor held an array, of tensors that changed after nodes may have saved it.

A node keeps arrays where torch's keeps tensors, which later show whether they require grad by now, and in
which arrangement. Such changes are rare: each is noted here, and looked up where torch would look at the
tensor. A node that was made after the change saved the tensor as it is, or another that shares its array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from numpy import ndarray

from .blame import next_sequence
from .node import LEAF, accumulator, edge_target

if TYPE_CHECKING:
    from .node import Node

_Entries = dict[int, tuple[Any, Any, int, int]]

#: By the identity of an array: weak references to it, which ends the entry, and to the tensor; a number:
#: nodes made before the change have lower ones; the number of the node that was behind the tensor then.
_holders: _Entries = {}
#: The same for the arrays that own the memory of tensors that are no views.
_owners: _Entries = {}


class HolderReference(ref[Any]):
    """A weak reference of this module's, which does not keep two tensors from being swapped."""


def note_holder(tensor: Any, array: Any) -> None:
    """Note that `tensor` holds `array`, and is about to change."""
    if type(array) is ndarray:
        _note(_holders, tensor, array, _number(accumulator(tensor) if tensor._node is LEAF else tensor._node))
        if tensor._view is None:
            _note(_owners, tensor, array if array.base is None else array.base, 0)


def _number(edge: object) -> int:
    return 0 if edge is None else edge_target(edge)[0]._seq + 1


def _note(entries: _Entries, tensor: object, array: object, history: int) -> None:
    if isinstance(array, ndarray):
        key = id(array)
        kept = ref(array, lambda _: entries.pop(key, None))
        entries[key] = kept, HolderReference(tensor), next_sequence(), history


def _noted(entries: _Entries, array: object, node: Node, history: int) -> Any:
    found = entries.get(id(array))
    if found is None or found[0]() is not array or found[2] < node._seq or found[3] != history:
        return None
    return found[1]()


def holder_of(array: object, node: Node, edge: object) -> Any:
    """Return the tensor that changed since a node saved its array, with the history `edge`, or None."""
    return _noted(_holders, array, node, _number(edge)) if _holders else None


def base_of(array: object, node: Node) -> Any:
    """Return the tensor, no view, that changed since a node saved a view of its memory, or None."""
    owner = getattr(array, "base", None) if _owners else None
    return None if owner is None else _noted(_owners, owner, node, 0)
