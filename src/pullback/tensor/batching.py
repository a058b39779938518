"""Entering and leaving a batch level: tensors in, one axis hidden, tensors out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..core.batched import Batched
from ..core.dual import Dual
from ..core.levels import entered_level
from ..core.value import TensorBase, shape_of, wrap, wrap_alias
from ..ops.structure import expand, permute, reshape

if TYPE_CHECKING:
    from ..core.terms import T

REQUEST = " Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."


def refuse_batched(text: str, *tensors: Any) -> None:
    """Raise torch's error for what vmap cannot do, if one of some tensors has a hidden axis."""
    if any(isinstance(v, TensorBase) and v._level and batch_levels(v) for v in tensors):
        raise RuntimeError(text)


def refuse_dynamic(name: str, tensor: Any) -> None:
    """Raise torch's error for a result whose shape would differ from row to row."""
    refuse_batched(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}.{REQUEST}", tensor
    )


def detached(tensor: Any) -> Any:
    """Return a tensor without history at its own level and at all below, and without tangents."""
    if isinstance((value := tensor._value), Dual):
        return detached(as_tensor(value.primal))
    if isinstance(value, Batched):
        return wrap_alias(Batched(detached(as_tensor(value.value)), value.dim, value._level), tensor)
    return wrap_alias(detached(value) if isinstance(value, TensorBase) else value, tensor)


def opened(tensor: Any) -> Any:
    """Return a tensor with the axes in view that the vmaps around hide, and without tangents."""
    value = tensor
    while True:
        inner = value._value if isinstance(value, TensorBase) else value
        if isinstance(inner, Batched):
            value = inner.value
        elif isinstance(inner, Dual):
            value = inner.primal
        else:
            return as_tensor(value)


def enter(tensor: Any, dim: int, level: int) -> Any:
    """Return a tensor whose axis `dim` ops do not see."""
    return wrap(Batched(tensor, dim, level), None, level)


def batch_levels(tensor: Any) -> list[tuple[int, int]]:
    """Return (level, size) of each vmap that a tensor has a hidden axis of, outermost vmap first."""
    found = []
    value = tensor
    while isinstance(value, (TensorBase, Batched, Dual)):
        if isinstance(value, Batched):
            found.append((value._level, value.size))
            value = value.value
        else:
            value = value._value if isinstance(value, TensorBase) else value.primal
    return found[::-1]


def leave(tensor: Any, dim: int, size: int, level: int) -> Any:
    """Return the tensor with its batch axis visible at `dim` (not negative); unbatched ones are repeated."""
    if isinstance(tensor, TensorBase) and tensor._level == level:
        value = tensor._value
        while isinstance(value, TensorBase) and value._level == level:
            value = value._value
        if isinstance(value, Batched) and value._level == level:
            return as_tensor(move(value.value, value.dim, dim))
        tensor = as_tensor(value)
    shape = shape_of(tensor)
    return move(expand(reshape(tensor, (1, *shape)), (size, *shape)), 0, dim)


def as_tensor(value: Any) -> Any:
    """Return a facade tensor around an inner value."""
    return value if isinstance(value, TensorBase) else wrap(value, None, getattr(value, "_level", 0))


def move(x: T, source: int, destination: int) -> T:
    """Move one axis, the others keeping their order."""
    if source == destination:
        return x
    order = [d for d in range(len(shape_of(x))) if d != source]
    order.insert(destination, source)
    return permute(x, tuple(order))


def map_over_first_axis(function: Callable[..., Sequence[Any]], args: Sequence[Any]) -> tuple[Any, ...]:
    """Call ``function(*args)`` with the first axis of every tensor hidden; the results get it back, first."""
    size = next(shape_of(a)[0] for a in args if isinstance(a, TensorBase))
    with entered_level() as level:
        results = function(*(enter(a, 0, level) if isinstance(a, TensorBase) else a for a in args))
    return tuple(None if r is None else leave(r, 0, size, level) for r in results)
