"""Make the empty parameters and buffers of layers."""

from typing import Any

from ...tensor.creation import empty
from ..parameter import Parameter

#: A size of one axis may stand alone, as errors then name it.
Shape = int | tuple[int, ...]


def empty_parameter(shape: Shape, device: Any, dtype: Any) -> Parameter:
    """Return a parameter of a shape whose values are still to be drawn."""
    return Parameter(empty(shape, device=device, dtype=dtype))


def optional_parameter(wanted: bool, shape: Shape, device: Any, dtype: Any) -> Parameter | None:
    """Return a parameter as `empty_parameter` makes it if it is wanted, else None, which keeps its name."""
    return empty_parameter(shape, device, dtype) if wanted else None
