"""Factorisations and products of several matrices under torch's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.value import dtype_of, shape_of
from ..errors import type_name
from ..graph_errors import type_word
from ..ops import factorization as ops
from ..ops.linalg import adjoint
from .api import public
from .contract import dot, matmul
from .linear_algebra import _square as check_square
from .linear_algebra import linalg_inv
from .return_types import return_type


def _matrix(x: Any, name: str, argument: str = "A") -> None:
    if len(shape_of(x)) < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")
    if dtype_of(x).kind in "biu":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {type_word(dtype_of(x))}"
        )


# --- eigenvalues and singular values ------------------------------------------------------------------------


def _hermitian(A: Any, UPLO: str) -> tuple[Any, Any]:
    if len(shape_of(A)) >= 2 and dtype_of(A).kind in "biu":
        raise NotImplementedError(f"\"linalg_eigh_cpu\" not implemented for '{type_word(dtype_of(A))}'")
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return ops.eigh(A, UPLO.upper())


@public(namespace="linalg", name="eigh")
def linalg_eigh(A: Any, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices, from the lower or upper triangle."""
    return return_type("linalg_eigh", "eigenvalues", "eigenvectors")(_hermitian(A, UPLO))


@public(namespace="linalg", name="eigvalsh")
def linalg_eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """Eigenvalues, ascending, of Hermitian matrices."""
    return _hermitian(A, UPLO)[0]


@public(namespace="linalg", name="svd")
def linalg_svd(A: Any, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """``A = U diag(S) Vh``: (…, m, n) -> (…, m, k), (…, k), (…, k, n)."""
    _matrix(A, "linalg.svd")
    return return_type("linalg_svd", "U", "S", "Vh")(ops.svd(A, bool(full_matrices)))


@public(namespace="linalg", name="svdvals")
def linalg_svdvals(A: Any, *, driver: str | None = None) -> Any:
    """Singular values, descending: (…, m, n) -> (…, min(m, n))."""
    _matrix(A, "linalg.svdvals")
    return ops.svd(A, False)[1]


@public
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """``A = U diag(S) Vᴴ`` with V itself as third result."""
    _matrix(input, "linalg.svd")
    u, s, vh = ops.svd(input, not some)
    if not compute_uv:
        rows, columns = shape_of(input)[-2:]
        lead = shape_of(input)[:-2]
        u, v = input.new_zeros((*lead, rows, rows)), input.new_zeros((*lead, columns, columns))
        return return_type("svd", "U", "S", "V")((u, s, v))
    return return_type("svd", "U", "S", "V")((u, s, adjoint(vh)))


# --- QR -----------------------------------------------------------------------------------------------------


@public(namespace="linalg", name="qr")
def linalg_qr(A: Any, mode: str = "reduced") -> Any:
    """``A = Q R`` with orthonormal columns of Q and an upper triangle R."""
    _matrix(A, "linalg.qr")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
            "'complete'"
        )
    return return_type("linalg_qr", "Q", "R")(ops.qr(A, mode))


@public
def qr(input: Any, some: bool = True) -> Any:
    """``A = Q R`` (see `torch.linalg.qr`)."""
    _matrix(input, "linalg.qr")
    return return_type("qr", "Q", "R")(ops.qr(input, "reduced" if some else "complete"))


# --- triangular systems -------------------------------------------------------------------------------------


@public(namespace="linalg", name="solve_triangular")
def linalg_solve_triangular(
    A: Any, B: Any, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Any:
    """X with ``A X = B`` (or ``X A = B``) for a triangular A: (…, n, n) with (…, n, k)."""
    check_square(A, "linalg.solve_triangular")
    _matrix(B, "linalg.solve_triangular", "B")
    a, b = shape_of(A), shape_of(B)
    if (b[-2] if left else b[-1]) != a[-1]:
        kind = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"linalg.solve_triangular: Incompatible shapes of A and B for the equation {kind} "
            f"({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})"
        )
    if dtype_of(A) != dtype_of(B):
        raise RuntimeError(
            f"linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type "
            f"{type_word(dtype_of(A))} and B of type {type_word(dtype_of(B))} instead"
        )
    return ops.solve_triangular(A, B, bool(upper), bool(left), bool(unitriangular))


@public
def cholesky_solve(input: Any, L: Any, upper: bool = False) -> Any:
    """X with ``L Lᴴ X = input`` for a Cholesky factor: (…, n, k) with (…, n, n)."""
    b, a = shape_of(input), shape_of(L)
    for word, shape in (("b", b), ("u", a)):
        if len(shape) < 2:
            raise RuntimeError(
                f"{word} should have at least 2 dimensions, but has {len(shape)} dimensions instead"
            )
    if a[-1] != a[-2]:
        raise RuntimeError(
            f"cholesky_solve: A must be batches of square matrices, but they are {a[-2]} by {a[-1]} matrices"
        )
    if b[-2] != a[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for cholesky_solve: each A matrix is {a[-2]} by {a[-1]} but each b "
            f"matrix is {b[-2]} by {b[-1]}"
        )
    return ops.cholesky_solve(input, L, bool(upper))


# --- products -----------------------------------------------------------------------------------------------


@public(namespace="linalg", name="matmul")
def linalg_matmul(input: Any, other: Any) -> Any:
    """The matrix product."""
    return matmul(input, other)


@public(namespace="linalg", name="vecdot")
def linalg_vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """Σ conj(x)·y along `dim`."""
    if len(shape_of(x)) == len(shape_of(y)) == 1 and shape_of(x) != shape_of(y):
        return dot(x, y)
    return (x.conj() * y).sum(dim)


@public(namespace="linalg", name="matrix_power")
def linalg_matrix_power(A: Any, n: int) -> Any:
    """A multiplied n times by itself; for a negative n the inverse's power."""
    if isinstance(n, float):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type_name(n)}")
    a = shape_of(A)
    if len(a) < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if a[-1] != a[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {a[-2]} by {a[-1]} "
            "matrices"
        )
    if n == 0:
        return A.clone().copy_(A.new_ones(a[-1]).diag())
    base = A if n > 0 else linalg_inv(A)
    count = abs(n)
    if count == 1:
        return base.clone() if n > 0 else base
    if count == 2:
        return matmul(base, base)
    if count == 3:
        return matmul(matmul(base, base), base)
    result = None
    power = base
    while count:
        if count & 1:
            result = power if result is None else matmul(result, power)
        count >>= 1
        if count:
            power = matmul(power, power)
    return result


@public
def matrix_power(input: Any, n: int) -> Any:
    """A multiplied n times by itself."""
    return linalg_matrix_power(input, n)


def _best_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each stretch of a chain of matrices for the fewest multiplications."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split = {}
    for length in range(2, count + 1):
        for first in range(count - length + 1):
            last = first + length - 1
            options = {
                at: cost[first, at] + cost[at + 1, last] + sizes[first] * sizes[at + 1] * sizes[last + 1]
                for at in range(first, last)
            }
            split[first, last] = min(options, key=lambda at: options[at])
            cost[first, last] = options[split[first, last]]
    return split


@public(namespace="linalg", name="multi_dot")
def linalg_multi_dot(tensors: Sequence[Any]) -> Any:
    """The product of a chain of matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors.
    """
    chain = list(tensors)
    if len(chain) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(chain)}")
    first, last = len(shape_of(chain[0])) == 1, len(shape_of(chain[-1])) == 1
    for place, tensor in enumerate(chain):
        rank = len(shape_of(tensor))
        if place in (0, len(chain) - 1):
            if rank not in (1, 2):
                word = "the first tensor" if place == 0 else "the last tensor"
                raise RuntimeError(f"multi_dot(): {word} must be 1D or 2D but got {rank}D")
        elif rank != 2:
            raise RuntimeError(f"multi_dot(): tensor {place} must be 2D but got {rank}D")
    if first:
        chain[0] = chain[0].unsqueeze(0)
    if last:
        chain[-1] = chain[-1].unsqueeze(-1)
    for place in range(len(chain) - 1):
        a, b = shape_of(chain[place]), shape_of(chain[place + 1])
        if a[-1] != b[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {place} and {place + 1} with shapes {list(a)} and {list(b)} cannot be "
                "multiplied"
            )
    shape = (*(() if first else shape_of(chain[0])[:1]), *(() if last else shape_of(chain[-1])[1:]))
    splits = _best_splits([shape_of(chain[0])[0], *(shape_of(t)[1] for t in chain)])

    def product(start: int, stop: int) -> Any:
        if start == stop:
            return chain[start]
        at = splits[start, stop]
        return matmul(product(start, at), product(at + 1, stop))

    return product(0, len(chain) - 1).view(shape)


@public
def chain_matmul(*matrices: Any) -> Any:
    """The product of a chain of matrices."""
    parts = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)) else matrices
    return parts[0] if len(parts) == 1 else linalg_multi_dot(parts)
