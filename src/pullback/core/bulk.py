"""Large arrays in the pullback: a value that runs every op, operators included, by the parallel kernel calls.

On bare arrays a rule's operators are NumPy's own, which is fastest while arrays are small; the ops that a
rule calls ask for threads and native loops themselves. From `large.WORTH` elements on, where the operators
gain by them too, the engine hands a rule `Bulk` values instead, so that ``g * (1 - out * out)`` runs
on all cores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from .saved import plain_saved
from .value import InnerValue

if TYPE_CHECKING:
    from .node import Node
    from .op import Op


class Bulk(InnerValue):
    """A large array (or whatever ops made of one)."""

    __slots__ = ("value",)

    def __init__(self, value: ndarray) -> None:
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the array."""
        return self.value.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the array."""
        return self.value.dtype

    def array(self) -> ndarray:
        """Return the array."""
        return self.value

    @classmethod
    def run(cls, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Run the kernel on the arrays."""
        result = op.evaluate(tuple(v.value if type(v) is Bulk else v for v in inputs), attrs)
        return tuple(map(cls, result)) if isinstance(result, tuple) else cls(result)


def bulk_saved(node: Node) -> tuple[Any, ...]:
    """Return the saved tuple with arrays as `Bulk` values."""
    return tuple(Bulk(v) if type(v) is ndarray else v for v in plain_saved(node))


def unwrapped(value: object) -> Any:
    """Return the array in a `Bulk` value; anything else as it is."""
    return value.value if type(value) is Bulk else value
