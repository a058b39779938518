"""`fill_diagonal_`: one number on the main diagonal, in place."""

from __future__ import annotations

from typing import Any

from ..core.value import shape_of
from .api import with_signature


@with_signature("(Number fill_value, bool wrap = False)", is_function=False, out=False)
def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Fill the main diagonal in place and return the tensor.

    Parameters
    ----------
    fill_value : number
    wrap : bool
        In a matrix with more rows than columns, begin the diagonal again after each square block and a row.
    """
    shape = shape_of(self)
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    places = self
    while len(shape_of(places)) > 1:
        places = places.diagonal(0, 0, 1)
    places.fill_(fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        strides, period = self.stride(), shape[1] + 1
        more = -(-shape[0] * shape[1] // period) - min(shape)
        start = self.storage_offset() + strides[0] * period
        self.as_strided((more,), (sum(strides),), start).fill_(fill_value)
    return self
