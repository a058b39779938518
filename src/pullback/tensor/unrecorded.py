"""The arrays of a call that leaves no history, and of a look at numbers.

A function that is several ops in torch's graph (a product of stacks is reshaped, multiplied and reshaped) is
one kernel where no node is made: there is nothing to see of the ops between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ..array.quiet import IGNORE, loud, quiet
from ..core import calls, facade
from ..core.modes import DEFAULT, INFERENCE, NO_GRAD, modes
from ..core.tracer import is_tracing
from .interception import OVERRIDING


def arrays(*tensors: Any) -> list[ndarray] | None:
    """Return the arrays of tensors of one dtype, float32 or float64, of which nothing is recorded.

    None where something may be: a transform, a subclass, a history that the call continues.
    """
    mode = modes()
    recorded = mode is DEFAULT
    if not recorded and mode is not NO_GRAD and mode is not INFERENCE:
        return None
    found: list[ndarray] = []
    dtype = None
    for tensor in tensors:
        if (kind := type(tensor)) is not facade.Tensor and kind is not facade.Parameter:
            return None
        if recorded and (tensor._node is not None or tensor._view is not None):
            return None
        if type(array := tensor._value) is not ndarray or (array.dtype is not dtype and dtype is not None):
            return None
        dtype = array.dtype
        found.append(array)
    return found if dtype is calls.F32 or dtype is calls.F64 else None


def readable(tensor: Any) -> ndarray | None:
    """Return the array of a plain tensor whose numbers may be looked at as they are: outside of traces,
    transforms and overrides. None for others.
    """
    mode = modes()
    if OVERRIDING or (mode is not DEFAULT and mode is not NO_GRAD and mode is not INFERENCE) or is_tracing():
        return None
    if (kind := type(tensor)) is not facade.Tensor and kind is not facade.Parameter:
        return None
    array = tensor._value
    return array if type(array) is ndarray else None


def in_memory(*tensors: Any) -> list[ndarray] | None:
    """Return arrays of plain tensors of one dtype, float32 or float64, histories allowed; else None."""
    found: list[ndarray] = []
    for tensor in tensors:
        if (array := readable(tensor)) is None or (found and array.dtype is not found[0].dtype):
            return None
        found.append(array)
    return found if found[0].dtype is calls.F32 or found[0].dtype is calls.F64 else None


def computed(kernel: Callable[..., Any], *given: Any) -> Any:
    """Return what a kernel gives, inf and nan in silence."""
    token = quiet(IGNORE)
    try:
        return kernel(*given)
    finally:
        loud(token)
