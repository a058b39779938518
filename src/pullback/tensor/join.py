"""Tensors joined along an axis, and given the axes that joining asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from ..core.value import TensorBase, shape_of
from ..errors import check_stacked
from ..ops import join, structure
from ..ops import view as v
from .api import public
from .shape import reshaped
from .signature import Parser
from .sizes import integer, tensors
from .tensor import checked_dim


@public(method=False, aliases=("concat", "concatenate"))
def cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Any:
    """Return tensors one after another along axis `dim`; other sizes agree. Empty vectors are left out."""
    return concatenated("cat", tensors, dim if axis is None else axis)


def concatenated(name: str, given: Any, dim: int) -> Any:
    """Return `cat` under a function's name."""
    if type(dim) is int and type(given) in (list, tuple) and (sizes := _sizes(given, dim)):
        try:
            return join.cat_sizes(tuple(given), sizes, dim if dim >= 0 else dim + given[0]._value.ndim)
        except ValueError:
            pass  # other sizes differ, which is said below
    if not (xs := tensors(name, given)):
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [shape_of(x) for x in xs]
    for i, shape in enumerate(shapes):
        if not shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    model = next((s for s in shapes if s != (0,)), (0,))
    dim = checked_dim(integer(name, "dim", 2, dim), len(model))
    for i, shape in enumerate(shapes):
        if shape == (0,):
            continue
        if len(shape) != len(model):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(model)} and {len(shape)}"
            )
        for d, (want, have) in enumerate(zip(model, shape, strict=True)):
            if d != dim and want != have:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size {want} but got "
                    f"size {have} for tensor number {i} in the list."
                )
    if model != (0,) and (0,) in shapes:
        empty = (*model[:dim], 0, *model[dim + 1 :])
        xs = tuple(reshaped(x, empty) if s == (0,) else x for x, s in zip(xs, shapes, strict=True))
    return join.cat(xs, dim)


def _sizes(given: Sequence[Any], dim: int) -> tuple[int, ...]:
    """Return the sizes along an axis of tensors in memory of one rank; nothing if one is an empty vector."""
    sizes = []
    rank = None
    for x in given:
        value = x._value if isinstance(x, TensorBase) else None
        if type(value) is not ndarray:
            return ()
        if len(shape := value.shape) != rank:
            if rank is not None or not -len(shape) <= dim < len(shape):
                return ()
            rank = len(shape)
        if shape == (0,):
            return ()
        sizes.append(shape[dim])
    return tuple(sizes)


@public(method=False)
def stack(tensors: Any, dim: int = 0) -> Any:
    """Return tensors of one shape side by side along a new axis `dim`."""
    xs = _given("stack", tensors)
    shapes = [shape_of(x) for x in xs]
    check_stacked(shapes)
    return structure.stack(xs, checked_dim(integer("stack", "dim", 2, dim), len(shapes[0]) + 1))


def _given(name: str, given: Any) -> tuple[Any, ...]:
    if not (xs := tensors(name, given)):
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return xs


@public(method=False)
def hstack(tensors: Any) -> Any:
    """Return tensors joined along axis 1 (vectors along axis 0)."""
    xs = atleast_1d(_given("hstack", tensors))
    return concatenated("hstack", xs, 0 if len(shape_of(xs[0])) == 1 else 1)


@public(method=False)
def vstack(tensors: Any) -> Any:
    """Return tensors, vectors as rows, joined along axis 0."""
    return concatenated("vstack", atleast_2d(_given("vstack", tensors)), 0)


@public(method=False)
def row_stack(tensors: Any) -> Any:
    """Return the same as `vstack`."""
    return concatenated("row_stack", atleast_2d(_given("vstack", tensors)), 0)


@public(method=False)
def dstack(tensors: Any) -> Any:
    """Return tensors, as of rank 3, joined along axis 2."""
    return concatenated("dstack", atleast_3d(_given("dstack", tensors)), 2)


@public(method=False)
def column_stack(tensors: Any) -> Any:
    """Return tensors, vectors as columns, joined along axis 1."""
    xs = _given("column_stack", tensors)
    columns = tuple(
        reshaped(x, (1 if not shape_of(x) else shape_of(x)[0], 1)) if len(shape_of(x)) <= 1 else x for x in xs
    )
    return concatenated("column_stack", columns, 1)


# --- ranks --------------------------------------------------------------------------------------------------


def _each(name: str, given: tuple[Any, ...], function: Any) -> Any:
    items = given[0] if len(given) == 1 else given
    if isinstance(items, TensorBase):
        return function(items)
    if not (isinstance(items, tuple | list) and all(isinstance(x, TensorBase) for x in items)):
        Parser(name, "(Tensor input)", "(tuple of Tensors tensors)").bind((items,), {})
    return tuple(function(x) for x in items)


@public(method=False, out=False)
def atleast_1d(*tensors_: Any) -> Any:
    """Return tensors with at least one axis."""
    return _each("atleast_1d", tensors_, lambda x: x if len(shape_of(x)) >= 1 else reshaped(x, (1,)))


@public(method=False, out=False)
def atleast_2d(*tensors_: Any) -> Any:
    """Return tensors with at least two axes, new ones in front."""

    def raised(x: Any) -> Any:
        rank = len(shape_of(x))
        return reshaped(x, (1, 1)) if rank == 0 else v.unsqueeze(x, 0) if rank == 1 else x

    return _each("atleast_2d", tensors_, raised)


@public(method=False, out=False)
def atleast_3d(*tensors_: Any) -> Any:
    """Return tensors with at least three axes: a vector as (1, n, 1), a matrix as (n, m, 1)."""

    def raised(x: Any) -> Any:
        if (rank := len(shape_of(x))) == 0:
            return reshaped(x, (1, 1, 1))
        if rank == 1:
            x = v.unsqueeze(x, 0)
        return v.unsqueeze(x, 2) if rank < 3 else x

    return _each("atleast_3d", tensors_, raised)
