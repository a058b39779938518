"""Find lines of the user's program: where a node was made, where a tensor was last written to, who is asking.

The core notes code objects and positions in them (`core.blame`); here they become `Place` objects, which are
what explanations and answers show.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from ..core.blame import Place, change_at, changes, own_file, place_at, user_frame
from ..core.blame import place_of as _place_of_node
from ..core.node import Output
from ..core.value import TensorBase
from ..core.versions import version_of


def frame_of_caller() -> FrameType:
    """Return the frame of the user's program that called into pullback."""
    return user_frame(sys._getframe(1))


def place_of_frame(frame: FrameType) -> Place | None:
    """Return the place that a frame of the user's program is at."""
    return place_at(frame.f_code, frame.f_lasti)


def place_of_caller() -> Place | None:
    """Return the line of the user's program that called into pullback; None if all frames are pullback's."""
    return place_of_frame(frame_of_caller())


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


__all__ = [
    "Place", "changed_at", "changes", "frame_of_caller", "own_file", "place_at", "place_of",
    "place_of_caller", "place_of_frame",
]
