"""Find lines of the user's program: where a node was made, where a tensor was last written to, who calls.

The core notes code objects and positions in them (`core.blame`); here they become `Place` objects, which are
what explanations and answers show.
"""

import sys
from types import CodeType, FrameType
from typing import Any

from ..core.blame import Place, change_at
from ..core.blame import place_of as _place_of_node
from ..core.node import Output
from ..core.value import TensorBase
from ..core.versions import version_of
from .trace import is_foreign

At = tuple[CodeType, int]


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


def position_of(frame: FrameType | None) -> At | None:
    """Return the program's position from a frame outward; None where it is pullback's all through."""
    while frame is not None and is_foreign(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is None else (frame.f_code, frame.f_lasti)


def deepcopied() -> Any:
    """Return what the program gives to the call of `copy.deepcopy` that is running."""
    frame: FrameType | None = sys._getframe(1)
    found = None
    while frame is not None and is_foreign(frame.f_code.co_filename):
        if frame.f_code.co_name == "deepcopy" and "memo" in frame.f_locals:
            found = frame.f_locals.get("x")
        frame = frame.f_back
    return found


def making(frame: FrameType | None, module: Any) -> At | None:
    """Return the position that makes a module: outside the constructors that run for it."""
    while frame is not None:
        code = frame.f_code
        own = code.co_name == "__init__" and frame.f_locals.get(code.co_varnames[0]) is module
        if not own and not is_foreign(code.co_filename):
            return code, frame.f_lasti
        frame = frame.f_back
    return None
