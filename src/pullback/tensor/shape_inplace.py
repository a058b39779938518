"""Twins of view ops in place: they change sizes and strides, not elements."""

from __future__ import annotations

from typing import Any

from ..core.inplace import check_history, rearrange, requires_grad
from ..core.op import TABLE
from ..core.value import shape_of
from ..ops import rearranged
from .api import public
from .rearrange import layout_argument
from .shape import squeeze_dims_argument
from .sizes import NOT_GIVEN, integer
from .tensor import checked_dim


def _removed(shape: tuple[int, ...], dims: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the steps that put back removed axes of size 1."""
    return tuple((TABLE["unsqueeze"], (d,), None) for d in sorted(dims) if shape and shape[d] == 1)


def _check(x: Any) -> None:
    """Refuse a tensor whose history cannot be kept, which torch does before it looks at the arguments."""
    check_history(x, requires_grad(x))


@public(is_function=False, out=False)
def squeeze_(self: Any, dim: Any = NOT_GIVEN, *more: Any) -> Any:
    """Apply :func:`squeeze` in place."""
    _check(self)
    if more:
        dim = (dim, *more)
    shape = shape_of(self)
    if (chosen := squeeze_dims_argument(self, dim)) is None:
        return rearrange(self, rearranged.squeeze, (), _removed(shape, tuple(range(len(shape)))))
    if isinstance(chosen, int):
        return rearrange(self, rearranged.squeeze_dim, (chosen,), _removed(shape, (chosen,)))
    return rearrange(self, rearranged.squeeze_dims, (chosen,), _removed(shape, chosen))


@public(is_function=False, out=False)
def unsqueeze_(self: Any, dim: int) -> Any:
    """Apply :func:`unsqueeze` in place."""
    dim = integer("unsqueeze_", "dim", 1, dim)
    _check(self)
    dim = checked_dim(dim, len(shape_of(self)) + 1)
    return rearrange(self, rearranged.unsqueeze, (dim,), ((TABLE["squeeze_dim"], (dim,), None),))


@public(is_function=False, out=False)
def transpose_(self: Any, dim0: int, dim1: int) -> Any:
    """Apply :func:`transpose` in place."""
    rank = len(shape_of(self))
    dim0, dim1 = integer("transpose_", "dim0", 1, dim0), integer("transpose_", "dim1", 2, dim1)
    _check(self)
    dims = (checked_dim(dim0, rank), checked_dim(dim1, rank))
    if not rank:
        return rearrange(self, rearranged.scalar_transpose, (), ((TABLE["alias"], (), None),))
    return rearrange(self, rearranged.transpose, dims, ((TABLE["transpose"], dims, None),))


@public(is_function=False, out=False, aliases=("swapdims_",))
def swapaxes_(self: Any, axis0: int, axis1: int) -> Any:
    """Apply :func:`swapaxes` in place."""
    return transpose_(self, axis0, axis1)


@public(is_function=False, out=False)
def t_(self: Any) -> Any:
    """Apply :func:`t` in place."""
    _check(self)
    if (rank := len(shape_of(self))) > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {rank}D")
    return rearrange(self, rearranged.t, (), ((TABLE["t"], (), None),))


@public(is_function=False, out=False)
def as_strided_(self: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Apply :func:`as_strided` in place."""
    shape, strides, offset, at, own = layout_argument("as_strided_", self, size, stride, storage_offset)
    offset -= at
    before = tuple(shape_of(self))
    back = (before, own, -offset, shape, strides)
    return rearrange(
        self,
        rearranged.as_strided,
        (shape, strides, offset, before, own),
        ((TABLE["as_strided"], back, None),),
    )
