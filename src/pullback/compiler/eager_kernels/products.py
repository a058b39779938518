"""Products of large matrices by native code."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.product import multiply


class Products:
    """The products."""

    def product(self, x: ndarray, y: ndarray) -> ndarray | None:
        """Return ``x @ y`` of stacks of matrices of one dtype with a stride of one element each, or None."""
        size = x.itemsize
        if x.dtype not in (np.float32, np.float64) or not (x.flags.aligned and y.flags.aligned):
            return None
        if size not in x.strides[-2:] or size not in y.strides[-2:] or 0 in y.shape:
            return None
        lead = x.shape[:-2]
        if y.shape[:-2] != lead:
            lead = np.broadcast_shapes(lead, y.shape[:-2])
            x, y = (np.broadcast_to(v, (*lead, *v.shape[-2:])) for v in (x, y))
        out = np.empty((*lead, x.shape[-2], y.shape[-1]), x.dtype)
        return out if multiply(x, y, out) else None
