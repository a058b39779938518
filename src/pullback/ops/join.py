"""Joining values along an axis, and splitting one into parts: each is the other's rule."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.elementwise import copy_into
from ..array.layout import empty_joined
from ..array.threads import get_num_threads
from ..core.op import Several, Term, Terms, op, view
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from .view import slice_kernel


def _cat(xs: tuple[ndarray, ...], /, sizes: tuple[int, ...], dim: int) -> ndarray:
    first = xs[0]
    shape = (*first.shape[:dim], sum(sizes), *first.shape[dim + 1 :])
    if prod(shape) >= large.SIZE and get_num_threads() > 1:
        whole, start = empty_joined(xs, shape), 0
        lead = (slice(None),) * dim
        for x in xs:
            stop = start + x.shape[dim]
            copy_into(whole[(*lead, slice(start, stop))], x)
            start = stop
        return whole
    if first.ndim < 4 and first.size:
        for x in xs:
            if not x.flags.c_contiguous:
                break
        else:
            return np.concatenate(xs, dim)
    return np.concatenate(xs, axis=dim, out=empty_joined(xs, shape))


def _cat_rule(g: Term, sizes: tuple[int, ...], dim: int) -> Terms:
    parts = split_with_sizes(g, sizes, dim)
    if 0 not in sizes or len(shape_of(g)) != 1:
        return parts
    # As in torch, the covector of a vector without elements is new and has no history.
    empty = np.zeros(0, dtype_of(g))
    new = wrap(empty) if isinstance(g, TensorBase) else empty
    return tuple(part if size else new for part, size in zip(parts, sizes))


#: Values side by side along axis `dim`; `sizes` are theirs there.
cat_sizes = op(
    "cat", _cat, _cat_rule, kind="linear", variadic=True, promote="same",
    batch=lambda size, sizes, dim: (sizes, dim + 1), ordered=3,
)


def cat(xs: Any, dim: int) -> Any:
    """Return values side by side along axis `dim`."""
    sizes = tuple([shape_of(x)[dim] for x in xs])
    return _cat(xs, sizes, dim) if all(type(x) is ndarray for x in xs) else cat_sizes(xs, sizes, dim)


def _split_with_sizes(x: ndarray, /, sizes: tuple[int, ...], dim: int) -> tuple[ndarray, ...]:
    parts, start = [], 0
    for size in sizes:
        parts.append(slice_kernel(x, dim, start, start + size, 1))
        start += size
    return tuple(parts)


#: Parts of the given sizes of axis `dim`.
split_with_sizes: Several = view(
    "split_with_sizes", _split_with_sizes,
    lambda g, dim: cat(g, dim),
    many=True,
    batch=lambda size, sizes, dim: (sizes, dim + 1),
)


def _split(x: ndarray, /, size: int, dim: int) -> tuple[ndarray, ...]:
    length = x.shape[dim]
    count = max(-(-length // size), 1) if size else 1
    return _split_with_sizes(x, (*(size,) * (count - 1), length - size * (count - 1)), dim)


#: Parts of `split_size` places of axis `dim`; the last may be smaller.
split = view(
    "split",
    lambda x, /, split_size, dim: _split(x, split_size, dim),
    lambda g, dim: cat(g, dim),
    many=True,
    batch=lambda size, split_size, dim: (split_size, dim + 1),
)
