"""Make the empty parameters and buffers of layers."""

from __future__ import annotations

from typing import Any

from ...tensor.creation import empty, full
from ..parameter import Parameter


def empty_parameter(shape: tuple[int, ...], device: Any, dtype: Any) -> Parameter:
    """Return a parameter of a shape whose values are still to be drawn."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def optional_parameter(wanted: bool, shape: tuple[int, ...], device: Any, dtype: Any) -> Parameter | None:
    """Return a parameter as `empty_parameter` makes it if it is wanted, else None, which keeps its name."""
    return empty_parameter(shape, device, dtype) if wanted else None


def filled_parameter(shape: tuple[int, ...], value: float, device: Any, dtype: Any) -> Parameter:
    """Return a parameter with one value everywhere."""
    return Parameter(full(shape, value, device=device, dtype=dtype))
