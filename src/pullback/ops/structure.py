"""Ops of shape that the mechanism itself needs: reshape, expand, permute, sums to a shape, stack, and `put`.

`put` is what a write through a view does to the view's base; see `core.inplace`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy import ndarray

from ..array import reduction
from ..array.dtypes import COMPLEX32
from ..array.elementwise import copy_into
from ..array.layout import empty_joined, towards
from ..array.strides import bytes_of, extent, laid_out, reshaped_strides, restrided, strided, strides_of
from ..array.summation import sum_over
from ..array.transposed import c_copy
from ..core import facade
from ..core.marked import followed
from ..core.meta import Meta
from ..core.op import Call, Several, T, Term, Terms, op, renamed, view
from ..core.value import TensorBase, dtype_of, shape_of
from ..core.views import replay
from .convert import cast, clone, conj, convert

Shape = tuple[int, ...]


def _reshape(x: ndarray, /, shape: Shape) -> ndarray:
    """Return the view in another shape, with torch's strides on axes of size 1, too, or raise ValueError."""
    if x.flags.c_contiguous:
        return x.reshape(shape)
    y = x.reshape(shape, copy=False)
    if 1 in shape:
        strides = reshaped_strides(x.shape, strides_of(x), shape)
        if strides is not None and strides != strides_of(y):
            return strided(x, shape, strides)
    return y


#: The same elements in another shape, without a copy (raises ValueError where strides do not allow it).
reshape_view = view(
    "view",
    _reshape,
    lambda g, shape_x: reshape(g, shape_x),
    in_order=True,
    batch_rule=lambda size, values, dims, shape: reshape(
        permute_to_front(values[0], dims[0]), (size, *shape)
    ),
)


#: A reshape of what nobody else holds: its result is no view to autograd, as after torch's squeeze in place.
squeezed = op(
    "squeezed",
    lambda x, /, shape: x.reshape(shape),
    (lambda g, shape_x: reshape(g, shape_x),),
    kind="linear",
    batch=lambda size, shape: ((size, *shape),),
    node_name="SqueezeBackward4",
)


#: The same under the name that torch gives it where the layout has gaps or another order.
reshape_alias = renamed(reshape_view, "reshape_alias", "ReshapeAliasBackward0")


def _contiguous(x: ndarray, /) -> ndarray:
    return c_copy(x)


#: A copy in C order.
contiguous_copy = op(
    "contiguous_copy", _contiguous, (lambda g: g,), kind="linear", node_name="CloneBackward0",
    batch=lambda size: (), sizes_kept=True, ordered=64,
)  # fmt: skip


#: A copy in C order under the name that torch gives the first gradient of a leaf under `create_graph`.
copy_of = op(
    "copy_of", _contiguous, (lambda g: g,), kind="linear", node_name="CopyBackwards", batch=lambda size: ()
)


#: Another shape of a fresh contiguous value, which no other tensor shares: no view to autograd.
unsafe_view = op(
    "unsafe_view",
    lambda x, /, shape: x.reshape(shape),
    (lambda g, shape_x: reshape(g, shape_x),),
    kind="linear",
    in_order=True,
    batch_rule=lambda size, values, dims, shape: reshape(
        permute_to_front(values[0], dims[0]), (size, *shape)
    ),
)


@overload
def reshape(x: ndarray, shape: Shape) -> ndarray: ...
@overload
def reshape(x: T, shape: Shape) -> T: ...
def reshape(x: Any, shape: Shape) -> Any:
    """Return the same elements in another shape: a view where strides allow it, else of a contiguous copy."""
    if type(x) is ndarray:
        return x.reshape(shape)
    if isinstance((inner := getattr(x, "_value", None)), Meta):
        inner = inner.phantom()
    try:
        if type(inner) is ndarray and not inner.flags.c_contiguous:
            return reshape_alias(x, shape)
        return reshape_view(x, shape)
    except ValueError:
        return unsafe_view(contiguous_copy(x), shape)


def _expand(x: ndarray, /, shape: Shape) -> ndarray:
    new = len(shape) - x.ndim
    if x.shape == shape[new:]:
        strides = (0,) * new + x.strides
    else:
        strides = (0,) * new + tuple([
            0 if have == 1 and want != 1 else stride
            for have, want, stride in zip(x.shape, shape[new:], x.strides, strict=True)
        ])  # fmt: skip
    if 0 in shape:
        strides = bytes_of(shape, strides, 1)
    if x.flags.contiguous:
        kind = type(x) if isinstance(x, ndarray) else ndarray  # numbers of NumPy's are no arrays
        return kind(shape, x.dtype, x, 0, strides)
    one = x.base
    if type(one) is ndarray and one.size == 1 and one.dtype == x.dtype:
        # A covector that was spread from one number is spread further: 0.5 µs instead of 3.
        return np.ndarray(shape, x.dtype, one, 0, strides)
    return restrided(x, shape, strides)


#: The array repeated along axes of size 1 and new leading axes, without a copy.
expand = view(
    "expand", _expand, lambda g, shape_x: sum_to(g, shape_x), overlaps=True,
    batch_rule=lambda size, values, dims, shape: _expand_batched(values[0], dims[0], shape),
)


def _expand_batched(value: Term, dim: int, shape: Shape) -> Term:
    x = permute_to_front(value, dim)
    own = shape_of(x)
    missing = len(shape) - (len(own) - 1)
    return expand(reshape(x, (own[0], *(1,) * missing, *own[1:])), (own[0], *shape))


def _inverse(dims: Sequence[int]) -> tuple[int, ...]:
    inverse = [0] * len(dims)
    for position, dim in enumerate(dims):
        inverse[dim] = position
    return tuple(inverse)


#: Axes in another order.
permute: Call = view(
    "permute", lambda x, /, dims: x.transpose(dims), lambda g, dims: permute(g, _inverse(dims)),
    batch=lambda size, dims: ((0, *(d + 1 for d in dims)),),
)


def permute_to_front(x: T, dim: int) -> T:
    """Return the value with axis `dim` moved first."""
    rank = len(shape_of(x))
    return x if dim == 0 else permute(x, (dim, *(d for d in range(rank) if d != dim)))


def _sum(x: ndarray, /, dims: tuple[int, ...], keepdim: bool) -> ndarray:
    if x.size >= reduction.LARGE and reduction.is_over_rows(x, dims):
        return reduction.row_sums(x, keepdim)
    return sum_over(x, dims, keepdim)


def _sum_rule(g: Term, shape_x: Shape, dims: tuple[int, ...], keepdim: bool) -> Term:
    if not keepdim and dims:
        g = reshape(g, tuple([1 if axis in dims else size for axis, size in enumerate(shape_x)]))
    return _expand(g, shape_x) if type(g) is ndarray else expand(g, shape_x)


#: Sum over `dims` (non-negative); the input's dtype is the output's.
sum_dims: Call = op(
    "sum", _sum, (_sum_rule,), kind="reduce", halves=True, node_name="SumBackward1", linear=True,
    batch=lambda size, dims, keepdim: (tuple(d + 1 for d in dims), keepdim),
)


@functools.lru_cache(maxsize=1024)
def _spread_dims(have: Shape, shape: Shape) -> tuple[int, ...]:
    """Return the axes that a value of a shape has more of when it was broadcast."""
    lead = len(have) - len(shape)
    return tuple(range(lead)) + tuple(
        [lead + axis for axis, size in enumerate(shape) if size == 1 and have[lead + axis] != 1]
    )


def sum_to(x: Any, shape: Shape) -> Any:
    """Return the sum to a shape that broadcasts to `x`'s: the transpose of `expand`."""
    if (have := shape_of(x)) == shape:
        return x
    if (lead := len(have) - len(shape)) < 0:
        return expand(x, shape)
    bare = type(x) is ndarray and x.dtype != COMPLEX32  # whose sum the op refuses, as torch's
    if lead and bare and have[lead:] == shape:  # a bias: the common case
        return sum_over(x, (0,) if lead == 1 else tuple(range(lead)))
    dims = _spread_dims(have, shape)
    if bare:
        if not lead:
            return sum_over(x, dims, True) if dims else x
        return sum_over(x, dims).reshape(shape) if dims else x
    if have[lead:] == shape and not isinstance(x, TensorBase):
        # No node to be seen: a trace is spared to ask how the sum lies.
        return sum_dims(x, dims, False)
    return reshape(sum_dims(x, dims, False), shape) if dims else x


def _stack(xs: tuple[ndarray, ...], /, dim: int) -> ndarray:
    first = xs[0].shape
    shape = (*first[:dim], len(xs), *first[dim:])
    if dim == len(first):
        whole = np.empty(shape, xs[0].dtype)
    else:
        # torch joins along the axis that follows and shows the result with one axis more.
        whole = empty_joined(xs, (*first[:dim], len(xs) * first[dim], *first[dim + 1 :])).reshape(shape)
    lead = (slice(None),) * dim
    for i, x in enumerate(xs):
        copy_into(whole[(*lead, i, ...)], x)  # type: ignore[arg-type]  # NumPy knows no tuples of slices
    return whole


#: Values of one shape side by side along a new axis.
stack = op(
    "stack", _stack, lambda g, dim: tuple(unbind(g, dim)), kind="linear", variadic=True, promote="same",
    batch=lambda size, dim: (dim + 1,), ordered=4
)


def _unbind(x: ndarray, /, dim: int) -> tuple[ndarray, ...]:
    lead = (slice(None),) * dim
    return tuple(x[(*lead, i, ...)] for i in range(x.shape[dim]))  # type: ignore[arg-type]  # NumPy's stubs are narrower than NumPy


#: The slices along an axis.
unbind: Several = view(
    "unbind", _unbind, lambda g, dim: stack(g, dim), many=True, batch=lambda size, dim: (dim + 1,)
)


def _lay_out_batched(
    size: int, values: Terms, dims: tuple[Any, ...], strides: tuple[int, ...] | None
) -> Term:
    x = permute_to_front(values[0], dims[0])
    return lay_out(x, None if strides is None else (extent(shape_of(x)[1:], strides), *strides))


#: A copy with the given strides in elements (None: C order).
lay_out = op(
    "lay_out",
    lambda x, /, strides: laid_out(x, strides),
    (lambda g: g,), kind="linear", node_name="CloneBackward0",
    batch_rule=_lay_out_batched
)


def _put(
    base: ndarray, source: ndarray, /, steps: tuple[Any, ...], strides: tuple[int, ...] | None
) -> ndarray:
    new = laid_out(np.asarray(base), strides)  # a covector without axes may come as a scalar
    part = followed(new, steps)
    copy_into(part, towards(source, part.dtype))
    return new


#: `base` with the elements that the view steps select replaced by `source`; `strides` (None: C order) is the
#: layout on which the steps can run.
put: Call = op(
    "put", _put,
    (
        lambda g, steps, strides: put(g, np.zeros((), dtype_of(g)), steps, strides),
        lambda g, shape_source, steps, strides: sum_to(replay(lay_out(g, strides), steps), shape_source),
    ),
    kind="linear", node_name="CopySlices", once=True,
)


facade.provide(
    sum_to=sum_to, convert=convert, copy_of=copy_of, put=put, clone=clone, lay_out=lay_out, cast=cast,
    conj=conj, front=permute_to_front,
    expand=lambda x, shape: expand(reshape(x, (1, *shape_of(x))), shape),
    reshape=reshape,
    select=lambda x, i: unbind(x, 0)[i],
    stack=lambda xs: stack(xs, 0),
)
