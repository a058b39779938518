"""Products of large matrices by native code."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from ..emit.product import multiply


class Products:
    """The products."""

    def product(self, x: ndarray, y: ndarray) -> ndarray | None:
        """Return ``x @ y`` for two matrices of one dtype that have a stride of one element each; or None."""
        size = x.itemsize
        if x.dtype not in (np.float32, np.float64) or not (x.flags.aligned and y.flags.aligned):
            return None
        if size not in x.strides or size not in y.strides or 0 in y.shape:
            return None
        out = np.empty((len(x), y.shape[1]), x.dtype)
        multiply(x, y, out)
        return out
