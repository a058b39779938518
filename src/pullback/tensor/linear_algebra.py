"""Linear algebra under torch's names: checks and texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.value import TensorBase, dtype_of, shape_of
from ..errors import argument_type
from ..graph_errors import type_word
from ..ops import linalg as ops
from ..ops.contract import column
from ..ops.structure import expand, reshape, sum_dims
from ..ops.view import diagonal as diagonal_view
from .api import public
from .return_types import return_type
from .tensor import checked_dim


def _square(x: Any, name: str, argument: str = "A") -> None:
    if not isinstance(x, TensorBase):
        raise argument_type(name.replace(".", "_"), argument, 1, "Tensor", x)
    shape = shape_of(x)
    if len(shape) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"{name}: {argument} must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} "
            "matrices"
        )
    if dtype_of(x).kind in "biu":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {type_word(dtype_of(x))}"
        )


@public(namespace="linalg", name="inv")
def linalg_inv(A: Any) -> Any:
    """The inverse of a square matrix or of each of a stack: (…, n, n) -> (…, n, n)."""
    _square(A, "linalg.inv")
    return ops.inv(A)


@public
def inverse(input: Any) -> Any:
    """The inverse of a square matrix or of each of a stack."""
    return linalg_inv(input)


@public(namespace="linalg", name="solve")
def linalg_solve(A: Any, B: Any, *, left: bool = True) -> Any:
    """X with ``A X = B`` (or ``X A = B``): (…, n, n) with (…, n) or (…, n, k)."""
    _square(A, "linalg.solve")
    a, b = shape_of(A), shape_of(B)
    vector = len(b) == 1 or (len(a) - 1 == len(b) and b == a[:-1])
    if dtype_of(A) != dtype_of(B):
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{type_word(dtype_of(A))} and B of type {type_word(dtype_of(B))} instead"
        )
    matrix = column(B) if vector else B
    m = shape_of(matrix)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In "
            "this case linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    if (m[-2] if left else m[-1]) != a[-1]:
        kind = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {kind} ({a[-2]}x{a[-1]} and "
            f"{m[-2]}x{m[-1]})"
        )
    if not left:
        return ops.swap(ops.solve(ops.swap(A), ops.swap(matrix)))  # type: ignore[attr-defined]  # the facade and declared calls have it
    x = ops.solve(A, matrix)
    return reshape(x, shape_of(x)[:-1]) if vector else x


@public(namespace="linalg", name="cholesky")
def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """The factor L of ``A = L Lᴴ`` for a Hermitian positive-definite matrix (or its adjoint with `upper`)."""
    _square(A, "linalg.cholesky")
    factor = ops.cholesky(A)
    return ops.adjoint(factor) if upper else factor


@public
def cholesky(input: Any, upper: bool = False) -> Any:
    """The Cholesky factor (see `torch.linalg.cholesky`)."""
    return linalg_cholesky(input, upper=upper)


@public(namespace="linalg", name="det")
def linalg_det(A: Any) -> Any:
    """The determinant: (…, n, n) -> (…)."""
    _square(A, "linalg.det")
    return ops.det(A)


@public
def det(input: Any) -> Any:
    """The determinant."""
    return linalg_det(input)


@public
def logdet(input: Any) -> Any:
    """The logarithm of the determinant; nan where it is negative."""
    _square(input, "logdet")
    return linalg_det(input).log()


@public(out=False)
def trace(input: Any) -> Any:
    """The sum of a matrix's diagonal."""
    rank = len(shape_of(input))
    if rank != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {rank}")
    return sum_dims(diagonal_view(input, 0, 0, 1), (0,), False)


@public(namespace="linalg", name="slogdet")
def linalg_slogdet(A: Any) -> Any:
    """Sign and logarithm of the absolute value of the determinant, a named tuple (sign, logabsdet)."""
    _square(A, "linalg.slogdet")
    return return_type("linalg_slogdet", "sign", "logabsdet")(ops.slogdet(A))


@public
def slogdet(input: Any) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    _square(input, "linalg.slogdet")
    return return_type("slogdet", "sign", "logabsdet")(ops.slogdet(input))


@public(namespace="linalg", name="cross")
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector product along `dim`, of length 3 in both; other axes broadcast."""
    a, b = shape_of(input), shape_of(other)
    if len(a) != len(b):
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    axis = checked_dim(dim, len(a))
    if a[axis] != 3 or b[axis] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a[axis]} and {b[axis]}"
        )
    shape = np.broadcast_shapes(a, b)
    return ops.cross(expand(input, shape), expand(other, shape), axis)


@public
def cross(input: Any, other: Any, dim: int | None = None) -> Any:
    """The vector product along `dim`, or along the first axis of length 3."""
    if dim is None:
        dim = next((d for d, n in enumerate(shape_of(input)) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross(input, other, dim=dim)
