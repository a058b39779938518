"""Memory for the values of programs."""

from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.records import record

#: Bytes at whose multiples buffers begin.
ALIGNMENT = 64


@record(eq=False)
class Buffer:
    """Memory for one contiguous array."""

    #: Unique within a program.
    number: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    #: ``"input"``, ``"constant"`` or ``"temporary"``.
    role: str = "temporary"

    @property
    def size(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """Return the memory that it takes."""
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"b{self.number}"


def aligned(size: int) -> ndarray:
    """Return so many bytes that begin where vectors may be read and written."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]
