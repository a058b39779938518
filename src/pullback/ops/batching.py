"""Batching rules that are put together from ops of several families: flat places, slices by index, masks,
sums with products, places in sorted rows, writes through views.

They stand apart from the declarations because each needs ops that are declared later than its own. A rule
answers NotImplemented where the loop over the rows has to do it, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..core.op import Term, of
from ..core.value import dtype_of, shape_of
from ..core.views import replay
from ..core.visible import concrete
from . import contract, gather, sort, structure
from .arithmetic import add, mul
from .comparison import lt, where
from .convert import cast
from .cumulative import cumsum
from .index import put, take
from .structure import expand, permute_to_front, reshape, sum_dims

Values = tuple[Any, ...]
Dims = tuple[int | None, ...]
INT64 = np.dtype(np.int64)


def fronts(size: int, values: Values, dims: Dims) -> list[Any]:
    """Return the values with the batch axis first in each."""
    return [
        expand(v, (size, *shape_of(v))) if d is None else permute_to_front(v, d)
        for v, d in zip(values, dims, strict=True)
    ]


def _flat(x: Term) -> Term:
    """Return rows as vectors."""
    shape = shape_of(x)
    return reshape(x, (shape[0], prod(shape[1:])))


# --- flat places --------------------------------------------------------------------------------------------


def _positive(index: Term, size: int) -> Term:
    return where(lt(index, np.asarray(0)), add(index, np.asarray(size)), index)


def _take(size: int, values: Values, dims: Dims) -> Any:
    if dims[0] is None:
        return take(values[0], permute_to_front(values[1], dims[1] or 0))
    x, index = fronts(size, values, dims)
    rows = _flat(x)
    places = _positive(_flat(index), shape_of(rows)[1])
    return reshape(gather.gather(rows, places, 1), shape_of(index))


def _put(size: int, values: Values, dims: Dims, accumulate: bool) -> Any:
    x, index, source = fronts(size, values, dims)
    rows = _flat(x)
    places = _positive(_flat(index), shape_of(rows)[1])
    write = gather.scatter_add if accumulate else gather.scatter
    return reshape(write(rows, places, _flat(source), 1), shape_of(x))


# --- slices by index ----------------------------------------------------------------------------------------


def _slices(call: Callable[..., Any], by_element: Callable[..., Any]) -> Callable[..., Any]:
    """Return a shared index: the axis moves by one. A batched index names elements instead: ``by_element(x,
    places, source, dim, *attrs)`` with the place of every element of a slice.
    """

    def rule(size: int, values: Values, dims: Dims, dim: int, *attrs: Any) -> Any:
        x, index, *source = fronts(size, values, dims)
        if len(shape := shape_of(x)) == 1:
            return NotImplemented
        if dims[1] is None:
            return call(x, values[1], *source, dim + 1, *attrs)
        count = prod(shape_of(index)[1:])
        whole = (*shape[: dim + 1], count, *shape[dim + 2 :])
        places = expand(reshape(index, (size, *(1,) * dim, count, *(1,) * (len(shape) - dim - 2))), whole)
        return by_element(x, places, *(reshape(s, whole) for s in source), dim + 1, *attrs)

    return rule


def _fill_tensor(size: int, values: Values, dims: Dims, dim: int) -> Any:
    x, index, number = fronts(size, values, dims)
    if len(shape := shape_of(x)) == 1:
        return NotImplemented
    count = prod(shape_of(index)[1:])
    whole = (*shape[: dim + 1], count, *shape[dim + 2 :])
    places = reshape(index, (size, *(1,) * dim, count, *(1,) * (len(shape) - dim - 2)))
    numbers = cast(reshape(number, (size, *(1,) * (len(shape) - 1))), dtype_of(x))
    return gather.scatter(x, expand(places, whole), expand(numbers, whole), dim + 1)


def _index_reduce(size: int, values: Values, dims: Dims, dim: int, reduce: str, include_self: bool) -> Any:
    x, index, source = fronts(size, values, dims)
    if len(shape := shape_of(source)) == 1:
        return NotImplemented
    row = (size, *(1,) * dim, shape[dim + 1], *(1,) * (len(shape) - dim - 2))
    places = expand(reshape(index, row), shape)
    return gather.scatter_reduce(x, places, source, dim + 1, reduce, include_self)


# --- masks --------------------------------------------------------------------------------------------------


def _masked_select(size: int, values: Values, dims: Dims) -> Any:
    x, mask = values
    held = None if dims[1] is not None else concrete(mask)
    if held is None:
        raise RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
            "because for each batch this would return a differently shaped Tensor. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )
    x = permute_to_front(x, dims[0] or 0)
    shape = np.broadcast_shapes(shape_of(x)[1:], held.shape)
    x = reshape(x, (size, *(1,) * (len(shape) + 1 - len(shape_of(x))), *shape_of(x)[1:]))
    places = np.flatnonzero(np.broadcast_to(held, shape))
    return gather.index_select(_flat(expand(x, (size, *shape))), places, 1)


def _in_order(mask: Term, source: Term) -> Term:
    """Return for every element of rows of masks the element of the row's source that the mask reads there."""
    length = shape_of(source)[1]
    places = add(cumsum(cast(mask, INT64), 1, False), np.asarray(-1))
    last = np.asarray(length - 1)
    places = where(lt(places, np.asarray(0)), np.asarray(0), where(lt(places, last), places, last))
    return gather.gather(source, places, 1)


def _spread(x: Term, shape: tuple[int, ...]) -> Term:
    """Return rows of a batch, broadcast to a shape."""
    size, *own = shape_of(x)
    return expand(reshape(x, (size, *(1,) * (len(shape) - len(own)), *own)), (size, *shape))


def _masked_place(size: int, values: Values, dims: Dims, shape: tuple[int, ...]) -> Any:
    g, mask = fronts(size, values, dims)
    if not prod(shape_of(g)[1:]):
        return np.zeros((size, *shape), dtype_of(g))
    mask = _spread(mask, shape)
    placed = reshape(_in_order(_flat(mask), _flat(g)), (size, *shape))
    return where(mask, placed, np.zeros((), dtype_of(g)))


def _masked_scatter(size: int, values: Values, dims: Dims) -> Any:
    x, mask, source = fronts(size, values, dims)
    if not prod(shape_of(source)[1:]):
        return NotImplemented
    shape = np.broadcast_shapes(shape_of(x)[1:], shape_of(mask)[1:])
    mask = _spread(mask, shape)
    placed = reshape(_in_order(_flat(mask), _flat(source)), (size, *shape))
    return where(mask, placed, _spread(x, shape))


# --- sums with products -------------------------------------------------------------------------------------


def _add_product(product: Callable[[Any, Any], Any], rank: int) -> Callable[..., Any]:
    """Return beta·b + alpha·product(x, y), where `product` knows the batch axis and rows have `rank` axes."""

    def rule(size: int, values: Values, dims: Dims, beta: object, alpha: object) -> Any:
        b, x, y = fronts(size, values, dims)
        result = product(x, y)
        if alpha != 1:
            result = mul(result, np.asarray(alpha, dtype_of(result)))
        if not beta:
            return result
        b = reshape(b, (size, *(1,) * (rank + 1 - len(shape_of(b))), *shape_of(b)[1:]))
        return add(result, b if beta == 1 else mul(b, np.asarray(beta, dtype_of(b))))

    return rule


def _matrix_vector(x: Term, y: Term) -> Term:
    product = contract.matmul(x, contract.column(y))
    return reshape(product, shape_of(product)[:-1])


def _outer(x: Term, y: Term) -> Term:
    size, length = shape_of(y)
    return mul(contract.column(x), reshape(y, (size, 1, length)))


# --- places in sorted rows ----------------------------------------------------------------------------------


def _searchsorted(size: int, values: Values, dims: Dims, right: bool, small: bool) -> Any:
    sequence, wanted = values
    if dims[0] is None and len(shape_of(sequence)) == 1:
        return sort.searchsorted(sequence, permute_to_front(wanted, dims[1] or 0), right, small)
    sequence, wanted = fronts(size, values, dims)
    shape = shape_of(wanted)
    if len(shape_of(sequence)) == 2:
        wanted = _flat(wanted)
    return reshape(sort.searchsorted(sequence, wanted, right, small), shape)


def _isin(size: int, values: Values, dims: Dims, invert: bool) -> Any:
    return NotImplemented if dims[1] is not None else sort.isin(
        permute_to_front(values[0], dims[0] or 0), values[1], invert
    )


# --- writes through views -----------------------------------------------------------------------------------


def _write(size: int, values: Values, dims: Dims, steps: Any, strides: Any) -> Any:
    """Return a write through a view: the view's steps tell its places in the base, the same in every row."""
    base, source = values
    if any(op.signs is not None for op, _, _ in steps):
        return NotImplemented
    shape = shape_of(base) if dims[0] is None else shape_of(base)[: dims[0]] + shape_of(base)[dims[0] + 1 :]
    probe = replay(structure.lay_out(np.empty(shape, dtype_of(base)), strides), steps)
    if probe.dtype != dtype_of(base):  # seen as real, complex or other numbers
        return NotImplemented
    places = np.asarray(replay(structure.lay_out(np.arange(prod(shape)).reshape(shape), strides), steps))
    base = expand(base, (size, *shape)) if dims[0] is None else permute_to_front(base, dims[0])
    source = expand(source, (size, *shape_of(source))) if dims[1] is None else permute_to_front(
        source, dims[1]
    )
    new = _flat(cast(_spread(source, places.shape), dtype_of(base)))
    return reshape(gather.index_copy(_flat(base), places.reshape(-1), new, 1), (size, *shape))


RULES: dict[Any, Callable[..., Any]] = {
    take: _take,
    put: _put,
    gather.index_select: _slices(gather.index_select, gather.gather),
    gather.index_add: _slices(
        gather.index_add,
        lambda x, places, source, dim, alpha: gather.scatter_add(
            x, places, source if alpha == 1 else mul(source, np.asarray(alpha, dtype_of(source))), dim
        ),
    ),
    gather.index_copy: _slices(gather.index_copy, gather.scatter),
    gather.index_fill: _slices(gather.index_fill, gather.scatter_value),
    gather.index_fill_tensor: _fill_tensor,
    gather.index_reduce: _index_reduce,
    gather.masked_select: _masked_select,
    gather.masked_place: _masked_place,
    gather.masked_scatter: _masked_scatter,
    contract.baddbmm: _add_product(contract.matmul, 3),
    contract.addmv: _add_product(_matrix_vector, 1),
    contract.addr: _add_product(_outer, 2),
    contract.addbmm: _add_product(lambda x, y: sum_dims(contract.matmul(x, y), (1,), False), 2),
    sort.searchsorted: _searchsorted,
    sort.isin: _isin,
    structure.put: _write,
}

for _call, _rule in RULES.items():
    of(_call).batch_rule = _rule
