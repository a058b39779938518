"""Sparse tensors that a trace comes upon: their values are inputs of the program, their places a part of it.

The functions of sparse tensors look at places with NumPy, and compute with values by ordinary ops. So a call
must find the same places, unchanged, and may find other values in the tensor that holds them.
"""

from collections.abc import Callable
from typing import Any

from numpy import ndarray

from ....core.value import TensorBase
from ....tensor.sparse import Sparse
from .guards import Contents


def _places(t: Any) -> list[Any]:
    return [part for part in t.__dict__.values() if isinstance(part, TensorBase) and part is not t._plain]


def layout_of(t: Any, key: None) -> tuple[Any, ...]:
    """Return what a program has of a sparse tensor: all but its values, with the versions of its places."""
    versions = (fact for part in _places(t) for fact in (part._value, part._counter[0]))
    return (t._node, *t.__dict__, *t.__dict__.values(), *versions)


class SparseInputs:
    """The sparse tensors of a trace, as they were when it met them.

    Parameters
    ----------
    refusal : callable
        Makes the error of a trace that cannot be.
    """

    def __init__(self, refusal: Callable[[str], Exception]) -> None:
        self._refusal = refusal
        self._met: dict[int, tuple[Any, dict[str, Any], Any, int]] = {}

    def meet(self, t: Sparse) -> Contents | None:
        """Return the guard of a sparse tensor; None where it has been met before."""
        if id(t) in self._met:
            return None
        if t.requires_grad or t._node is not None:
            raise self._refusal("it is given a sparse tensor that requires grad")
        guard = Contents(layout_of, t, None, layout_of(t, None))
        if any(type(part._value) is not ndarray for part in _places(t)):
            raise self._refusal("the places of a sparse tensor are traced")
        self._met[id(t)] = t, dict(t.__dict__), t._value, t._counter[0]
        return guard

    def check(self) -> None:
        """Refuse a function that changes a sparse tensor."""
        for t, parts, value, version in self._met.values():
            same = all(t.__dict__.get(name) is part for name, part in parts.items())
            if not (same and t._node is None and t._value is value and t._counter[0] == version):
                raise self._refusal("a sparse tensor is changed")

    def put_back(self) -> None:
        """Let the tensors hold what they held when they were met."""
        for t, parts, value, version in self._met.values():
            t.__dict__.clear()
            t.__dict__.update(parts)
            t._value, t._node, t._counter[0] = value, None, version
