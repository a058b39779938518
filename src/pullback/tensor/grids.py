"""Tensors of all combinations: grids, index triangles, products, powers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import not_implemented, type_word
from ..core.promotion import NARROW
from ..core.value import array_of, dtype_of, shape_of, wrap
from ..core.warn import warn_once
from ..ops import creation as ops
from ..ops.cumulative import cumprod
from ..ops.gather import masked_select
from ..ops.join import cat
from ..ops.rearrange import flip
from ..ops.structure import contiguous_copy, expand, reshape, stack
from .api import public, with_signature
from .conversion import cast
from .conversion import type_name as type_name_of
from .creation import made, on_any_device
from .out import write_out
from .sizes import listed
from .sizes import tensors as checked_tensors


@public(method=False, out=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Return views of vectors over the grid that they span.

    Parameters
    ----------
    *tensors : tensors of shape (n₀,), …, (nₖ,)
        Also as one list; a tensor of no dimension counts as a vector of one element.
    indexing : {'ij', 'xy'}
        'ij': outputs of shape (n₀, n₁, …), the element of output i at (j₀, j₁, …) is ``tensors[i][jᵢ]``. 'xy'
        swaps the first two axes.

    Returns
    -------
    tuple of tensors
    """
    vectors = listed("meshgrid", tensors)
    if indexing is None:
        warn_once(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
        )
        indexing = "ij"
    if not vectors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if len({dtype_of(t) for t in vectors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for t in vectors:
        if len(shape_of(t)) > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {_stream_text(t)}"
            )
    if not isinstance(indexing, str):
        raise errors.argument_type("meshgrid", "indexing", None, "str", indexing)
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swap = indexing == "xy" and len(vectors) > 1
    if swap:
        vectors = (vectors[1], vectors[0], *vectors[2:])
    shape = tuple(shape_of(t)[0] if shape_of(t) else 1 for t in vectors)
    grids = [
        expand(reshape(t, tuple(size if axis == i else 1 for axis, size in enumerate(shape))), shape)
        for i, t in enumerate(vectors)
    ]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _stream_text(t: Any) -> str:
    """Return a matrix as C++ streams print it, which one message does."""
    rows = "\n".join(" ".join(f"{item:2g}" for item in row) for row in np.atleast_2d(array_of(t)).tolist())
    sizes = ",".join(map(str, shape_of(t)))
    return f"{rows}\n[ {type_name_of(t)}{{{sizes}}} ]"


def _triangle(name: str, find: Any, what: str) -> None:
    def indices(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> np.ndarray:
        for side, size in (("row", row), ("col", col)):
            if size < 0:
                raise RuntimeError(f"{side} must be non-negative, got{size}")
        chosen = dtypes.int64 if dtype is None else dtype
        if chosen.category != dtypes.INTEGER:
            raise not_implemented(name, chosen.numpy)
        return np.stack(find(row, offset, col)).astype(chosen.numpy)

    indices.__name__ = name
    indices.__doc__ = f"""Return the places of the {what} triangle of a (row, col) matrix, row by row.

        Parameters
        ----------
        row, col : int
        offset : int
            The diagonal that bounds the triangle; 0 is the main one, 1 the one above it.

        Returns
        -------
        tensor (2, number of places), int64
        """
    with_signature(method=False, out=False)(on_any_device(indices))


_triangle("tril_indices", np.tril_indices, "lower")
_triangle("triu_indices", np.triu_indices, "upper")


@public(method=False, out=False)
def cartesian_prod(*tensors: Any) -> Any:
    """Return all tuples with one element of each vector, the last one running fastest.

    Parameters
    ----------
    *tensors : tensors of shape (n₀,), …, (nₖ,)

    Returns
    -------
    tensor (n₀·…·nₖ, k + 1), or the vector itself where there is one
    """
    for t in checked_tensors("cartesian_prod", tensors):
        if len(shape_of(t)) != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(shape_of(t))}")
    if len(tensors) == 1:
        return tensors[0]
    grids = meshgrid(*tensors, indexing="ij")
    return stack([reshape(contiguous_copy(grid), (-1,)) for grid in grids], 1)


@with_signature(method=False, out=False)
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Return all choices of `r` elements of a vector, in the order of their places.

    Returns
    -------
    tensor (number of choices, r)
    """
    if len(shape_of(input)) != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(shape_of(input))}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return made(np.empty(0, dtype_of(input)))
    if shape_of(input)[0]:
        masked_select.op.refuse(dtype_of(input))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(shape_of(input)[0]), r)), np.int64).reshape(-1, r)
    return stack([input[wrap(np.ascontiguousarray(column))] for column in places.T], 1)


def _check_parts(first: Any, second: Any) -> None:
    a, b = dtypes.from_numpy_dtype(dtype_of(first)), dtypes.from_numpy_dtype(dtype_of(second))
    allowed = (dtypes.float16, dtypes.float32, dtypes.float64)
    if a not in allowed or b not in allowed:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {a.scalar_type} and "
            f"{b.scalar_type}"
        )
    if a is not b:
        raise RuntimeError(
            f"Expected object of scalar type {a.scalar_type} but got scalar type {b.scalar_type} for second "
            f"argument"
        )


def _given(result: Any, out: Any, name: str) -> Any:
    """Return the result, or `out` with it; torch wants the dtype to be the same."""
    if out is None:
        return result
    wanted, have = dtypes.from_numpy_dtype(dtype_of(result)), dtypes.from_numpy_dtype(dtype_of(out))
    if wanted is not have:
        raise RuntimeError(
            f"Expected object of scalar type {wanted.scalar_type} but got scalar type {have.scalar_type} for "
            "argument 'out'"
        )
    return write_out(out, result, name)


@with_signature(name="complex", method=False, out=False)
def complex_(real: Any, imag: Any, *, out: Any = None) -> Any:
    """Return complex numbers ``real + i·imag``; shapes broadcast."""
    _check_parts(real, imag)
    return _given(ops.complex(real, imag), out, "complex")


@with_signature(method=False, out=False)
def polar(abs: Any, angle: Any, *, out: Any = None) -> Any:
    """Return complex numbers ``abs·exp(i·angle)``; shapes broadcast."""
    _check_parts(abs, angle)
    if dtype_of(abs) == np.float16:
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half'")
    return _given(ops.polar(abs, angle), out, "polar")


@with_signature(method=False, out=False)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return powers of a vector as columns: ``x**(N - 1), …, x, 1``, or the other way round.

    Parameters
    ----------
    x : tensor (n,)
    N : int, optional
        The number of columns, by default n.
    increasing : bool

    Returns
    -------
    tensor (n, N)
    """
    if len(shape_of(x)) != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    columns = shape_of(x)[0] if N is None else N
    if columns < 0:
        raise RuntimeError("N must be non-negative.")
    result = _powers(x, columns)
    return result if increasing else flip(result, (1,))


def _powers(x: Any, columns: int) -> Any:
    """Return powers 0, 1, … of the elements along a new last axis."""
    base = cast(x, dtypes.int64) if dtype_of(x).kind in "biu" else x
    shape = shape_of(base)
    ones = wrap(np.ones((*shape, 1), dtype_of(base)))
    if columns < 2:
        return ones if columns else wrap(np.empty((*shape, 0), dtype_of(base)))
    repeated = expand(reshape(base, (*shape, 1)), (*shape, columns - 1))
    return cat((ones, cumprod(repeated, len(shape))), len(shape))


@with_signature(method=False, out=False)
def linalg_vander(x: Any, *, N: int | None = None) -> Any:
    """Return powers ``1, x, …, x**(N - 1)`` along a new last axis, N by default the number of elements."""
    if (dtype := dtype_of(x)).kind == "b" or dtype in NARROW:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {type_word(dtype)}"
        )
    vectors = x if shape_of(x) else reshape(x, (1,))
    columns = shape_of(vectors)[-1] if N is None else N
    if columns <= 1:
        raise RuntimeError("N must be greater than 1.")
    return _powers(vectors, columns)


@public(method=False, out=False)
def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Return places in an array of a shape as one index per axis.

    Parameters
    ----------
    indices : Tensor
        Integers, places in the array as one row.
    shape : int or sequence of int

    Returns
    -------
    tuple of Tensor
        One for each axis, in the shape of `indices`.
    """
    if indices.is_complex() or indices.is_floating_point() or dtype_of(indices).kind == "b":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, int | Sequence):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else shape
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    steps = [math.prod(sizes[d + 1 :]) for d in range(len(sizes))]
    places = indices.unsqueeze(-1).floor_divide(wrap(np.array(steps, np.int64)))
    return places.remainder(wrap(np.array(sizes, np.int64))).unbind(-1)
