"""How layers make their empty parameters and buffers."""

from __future__ import annotations

from typing import Any

from ...tensor.creation import empty, full
from ..parameter import Parameter


def empty_parameter(shape: tuple[int, ...], device: Any, dtype: Any) -> Parameter:
    """A parameter of a shape whose values are still to be drawn."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def filled_parameter(shape: tuple[int, ...], value: float, device: Any, dtype: Any) -> Parameter:
    """A parameter with one value everywhere."""
    return Parameter(full(shape, value, device=device, dtype=dtype))
