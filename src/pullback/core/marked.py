"""Arrays that are read conjugated or negated: what `conj` and `imag` of a conjugate are without a copy.

A `Marked` holds the array whose memory it shares, and two bits. View ops run on that memory and carry the
bits along, or change them, as `Op.signs` says; a write puts the signs on what it writes; every other op gets
the elements with their signs worked out. Rules and kernels never meet one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.layout import as_first
from ..array.strides import settled
from .value import InnerValue, TensorBase, array_of, run
from .value import settled as held

if TYPE_CHECKING:
    from .op import Op


class Marked(InnerValue):
    """An array of which the elements are the conjugates, or the negatives, of what is in memory."""

    __slots__ = ("conjugated", "memory", "negated")

    def __init__(self, memory: ndarray, conjugated: bool, negated: bool) -> None:
        self.memory = memory
        self.conjugated = conjugated
        self.negated = negated

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the array."""
        return self.memory.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the array."""
        return self.memory.dtype

    def signed(self, array: ndarray) -> ndarray:
        """Return an array conjugated and negated as the bits say, which twice is nothing."""
        if self.conjugated:
            array = np.conjugate(array, out=...)
        return np.negative(array, out=...) if self.negated else array

    def array(self) -> ndarray:
        """Return the elements, in memory of their own."""
        return as_first(self.signed(self.memory), (self.memory,))

    copy = array

    def __setitem__(self, index: Any, values: ndarray) -> None:
        self.memory[index] = self.signed(values)

    def over(self, memory: ndarray) -> Any:
        """Return the same bits on other memory."""
        return marked(memory, self.conjugated, self.negated)

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Run the op on the elements."""
        return run(op, tuple(map(resolved, inputs)), attrs)


#: What a tensor holds that has memory.
IN_MEMORY = (ndarray, Marked)


def marked(memory: ndarray, conjugated: bool, negated: bool) -> Any:
    """Return an array with bits; the array itself where none is set."""
    return Marked(memory, conjugated, negated) if conjugated or negated else memory


def resolved(value: object) -> Any:
    """Return the elements of a marked array; any other value as it is."""
    return value.array() if type(value) is Marked else value


def memory_of(value: object) -> ndarray:
    """Return the array in whose memory a tensor or value lies."""
    if type(value) is ndarray:
        return value
    while isinstance(value, TensorBase):
        value = held(value)
    if type(value) is Marked:
        return value.memory
    return array_of(value)


def viewed(op: Op, value: object, attrs: tuple[object, ...]) -> Any:
    """Run a view op on an array or a marked one; the results share its memory."""
    bits = (value.conjugated, value.negated) if type(value) is Marked else (False, False)
    if op.signs is not None:
        bits = op.signs(*bits)
    result = shown(op, memory_of(value), attrs)
    return tuple(marked(r, *bits) for r in result) if isinstance(result, tuple) else marked(result, *bits)


def shown(op: Op, memory: ndarray, attrs: tuple[object, ...]) -> Any:
    """Return what a view op shows of an array's memory, the signs left aside."""
    return op.kernel(settled(memory), *attrs) if op.kind == "view" else memory[...]


def followed(value: Any, steps: tuple[Any, ...]) -> Any:
    """Take a view's steps on an array; writes to the result reach the array."""
    for op, attrs, index in steps:
        value = viewed(op, value, attrs)
        if index is not None:
            value = value[index]
    return value
