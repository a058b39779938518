"""Find lines of the user's program: where a node was made, where a tensor was last written to.

The core notes code objects and positions in them (`core.blame`); here they become `Place` objects, which are
what explanations and answers show.
"""

from __future__ import annotations

from typing import Any

from ..core.blame import Place, change_at
from ..core.blame import place_of as _place_of_node
from ..core.node import Output
from ..core.value import TensorBase
from ..core.versions import version_of


def place_of(made: Any) -> Place | None:
    """Return the line of the user's program that made a node, or the tensor that has the node behind it.

    None for a leaf and for the end of the graph at a leaf: nothing is recorded of how a leaf came to be.
    """
    if isinstance(made, TensorBase):
        made = made._node
    return _place_of_node(made.node if type(made) is Output else made)


def changed_at(tensor: Any, version: int | None = None) -> Place | None:
    """Return the line of the write that gave a tensor's storage its present version, or the one given.

    `tensor` may also be a version counter. None where the storage was never written to, or the write is no
    longer remembered.
    """
    if isinstance(tensor, TensorBase):
        if version is None:
            version = version_of(tensor)
        return change_at(tensor._counter, version) if version else None
    return change_at(tensor, tensor[0] if version is None else version)


