"""Check matrices as torch does, with its texts."""

from typing import Any

import numpy as np

from ..array.deferred_import import import_later
from ..array.dtype_words import type_word
from ..array.dtypes import BY_NUMPY
from ..core.value import dtype_of, shape_of
from .tensor import checked_axis

errors = import_later("..core.graph_errors", __package__)


def check_matrix(x: Any, name: str, argument: str = "A") -> None:
    """Raise unless `x` has two axes or more."""
    if len(shape_of(x)) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(x: Any, name: str, argument: str = "A") -> None:
    """Raise unless `x` is a square matrix or a stack of them."""
    check_matrix(x, name, argument)
    rows, columns = shape_of(x)[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{name}: {argument} must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )


def check_floating(x: Any, name: str, halves: bool = False) -> None:
    """Raise unless the elements are real or complex numbers, of 32 bits or more unless `halves`."""
    dtype = dtype_of(x)
    kind = BY_NUMPY[dtype]
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {type_word(dtype)}"
        )
    if kind.to_real().itemsize < 4 and not halves:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {type_word(dtype)}")


def check_same_dtype(x: Any, y: Any, name: str, first: str = "A", second: str = "B") -> None:
    """Raise unless both have one dtype."""
    a, b = dtype_of(x), dtype_of(y)
    if a != b:
        raise RuntimeError(
            f"{name}: Expected {first} and {second} to have the same dtype, but found {first} of type "
            f"{type_word(a)} and {second} of type {type_word(b)} instead"
        )


def check_system(x: Any, y: Any, left: bool, name: str) -> None:
    """Raise unless ``A X = B`` (or ``X A = B``) makes sense."""
    check_square(x, name, "A")
    check_matrix(y, name, "B")
    a, b = shape_of(x), shape_of(y)
    if (b[-2] if left else b[-1]) != a[-1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )


def check_right_side(b: Any, a: Any, name: str) -> None:
    """Raise what torch's older solvers raise unless ``A X = b`` makes sense."""
    rows, columns = shape_of(a)[-2:]
    if dtype_of(a) != dtype_of(b):
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_word(dtype_of(b))} and A of "
            f"type {type_word(dtype_of(a))} instead."
        )
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    checked_axis(-2, len(shape_of(b)))
    height, width = shape_of(b)[-2:]
    if height != rows:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} but each b matrix "
            f"is {height} by {width}"
        )


def last_size(x: Any) -> int:
    """Return the size of the last axis, which must exist."""
    shape = shape_of(x)
    return shape[checked_axis(-1, len(shape))]


def is_vector(x: Any, y: Any) -> bool:
    """Return whether a right-hand side is one vector per matrix."""
    a, b = shape_of(x), shape_of(y)
    return len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])


def int32_of(pivots: Any) -> bool:
    """Return whether row exchanges are counted as LAPACK counts them."""
    return dtype_of(pivots) == np.int32
