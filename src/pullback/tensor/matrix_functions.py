"""The pseudoinverse, least squares, rank and condition, powers, exponential and products of matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import type_word
from ..core.promotion import broadcast_shape
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..ops.comparison import gt, where
from ..ops.convert import cast
from .api import public, with_signature
from .constants import contiguous_format
from .contract import dot, element_word, matmul
from .factorizations import singular_values
from .linear_algebra import linalg_inv
from .matrix_checks import check_floating, check_matrix, check_square, is_vector
from .matrix_deprecations import superseded
from .return_types import return_type
from .sizes import integer, listed

linalg = import_later("..ops.linalg", __package__)

least_squares = import_later("..ops.least_squares", __package__)
exponential = import_later("..ops.matrix_exp", __package__)
spectral = import_later("..ops.spectral", __package__)

# --- the pseudoinverse and the rank -------------------------------------------------------------------------


def _tolerance(value: Any, x: Any, name: str, word: str) -> Any:
    """Return a tolerance as a tensor in the real dtype of `x`."""
    dtype = linalg.real_dtype(x)
    if not isinstance(value, TensorBase):
        return wrap(np.asarray(0.0 if value is None else value, dtype))
    if dtype_of(value).kind in "cW":
        raise RuntimeError(
            f"torch.{name}: {word} tensor of complex type is not supported. Got {type_word(dtype_of(value))}"
        )
    return cast(value, dtype)


def _tolerances(x: Any, atol: Any, rtol: Any, name: str) -> tuple[Any, Any]:
    """Return both tolerances: by default only the relative one, of the size of rounding."""
    absolute = _tolerance(atol, x, name, "atol")
    if rtol is None:
        default = _tolerance(least_squares.tolerance(x), x, name, "rtol")
        return absolute, where(gt(absolute, 0.0), 0.0, default)
    return absolute, _tolerance(rtol, x, name, "rtol")


def _pseudoinverse(x: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    dtype = dtype_of(x)
    if len(shape_of(x)) < 2 or dtype.char not in "fdFD":
        raise RuntimeError(
            f"linalg.pinv({type_word(dtype)}{{{list(shape_of(x))}}}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    if hermitian:
        check_square(x, "linalg.eigh")
    return least_squares.pinv(x, *_tolerances(x, atol, rtol, "linalg.pinv"), hermitian)


@with_signature()
def linalg_pinv(
    input: Any, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Any:
    """Return the pseudoinverse V diag(1/S) Uᴴ, in which singular values up to max(atol, rtol·σ₁) count as 0.

    Parameters
    ----------
    input : tensor (…, m, n)
    atol, rtol : float or tensor (…), optional
        By default rtol is max(m, n)·ε, or 0 where a positive atol is given.
    rcond : float or tensor, optional
        Another name of rtol.
    hermitian : bool
        Whether the matrices are Hermitian; only their lower triangle is read then.

    Returns
    -------
    tensor (…, n, m)

    References
    ----------
    Derivative: Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares
    problems whose variables separate".
    """
    return _pseudoinverse(input, atol, rtol if rcond is None else rcond, hermitian)


@with_signature()
def pinverse(input: Any, rcond: float = 1e-15) -> Any:
    """Return the pseudoinverse, where singular values up to rcond·σ₁ count as 0: (…, m, n) -> (…, n, m)."""
    return _pseudoinverse(input, None, rcond, False)


@with_signature()
def linalg_matrix_rank(
    input: Any, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None
) -> Any:
    """Count the singular values that exceed max(atol, rtol·σ₁): (…, m, n) -> (…), int64.

    Parameters
    ----------
    input : tensor (…, m, n)
    atol, rtol : float or tensor (…), optional
        By default rtol is max(m, n)·ε, or 0 where a positive atol is given.
    tol : float or tensor, optional
        Another name of atol, without a relative tolerance.
    hermitian : bool
        Whether the matrices are Hermitian; only their lower triangle is read then.
    """
    check_matrix(input, "torch.linalg.matrix_rank", "input")
    if dtype_of(input).char not in "fdFD":
        raise RuntimeError("This function doesn't handle types other than float and double")
    x = input.detach()
    if tol is not None:
        atol, rtol = tol, 0.0
    atol, rtol = _tolerances(x, atol, rtol, "linalg.matrix_rank")
    if 0 in shape_of(x)[-2:]:
        return wrap(np.zeros(shape_of(x)[:-2], np.int64))
    if hermitian:
        check_square(x, "linalg.eigh")
        sizes = spectral.eigvalsh(x, "L").abs()
        largest = sizes.amax(-1)
    else:
        sizes = singular_values(x)
        largest = sizes[..., 0]
    bound = atol.maximum(rtol * largest)
    return (sizes > bound.unsqueeze(-1)).sum(-1)


# --- least squares ------------------------------------------------------------------------------------------


@with_signature()
def linalg_lstsq(input: Any, b: Any, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Return X that minimises ``‖A X − B‖`` (the smallest such X where A has not full rank).

    Parameters
    ----------
    input : tensor (…, m, n)
        A.
    b : tensor (…, m) or (…, m, k)
    rcond : float, optional
        Singular values up to rcond·σ₁ count as 0; max(m, n)·ε by default. "gels" does not use it.
    driver : {"gelsy", "gels", "gelsd", "gelss"}
        LAPACK's routine: QR with column exchanges, QR (for matrices of full rank), or singular values.

    Returns
    -------
    (solution, residuals, rank, singular_values)
        (…, n, k); the squared residuals (…, k) where m > n, every rank is full and the driver is not "gelsy";
        (…) but for "gels"; (…, min(m, n)) for "gelsd" and "gelss". What is not given is empty.

    References
    ----------
    Derivative: through the pseudoinverse (Golub and Pereyra 1973).
    """
    name = "torch.linalg.lstsq"
    a, right = shape_of(input), shape_of(b)
    if len(a) < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if len(right) < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if dtype_of(input) != dtype_of(b):
        raise RuntimeError(
            f"{name}: Expected input and other to have the same dtype, but got input's dtype "
            f"{type_word(dtype_of(input))} and other's dtype {type_word(dtype_of(b))}"
        )
    gap = len(a) - len(right)
    vector = is_vector(input, b)
    if not 0 <= gap <= 1:
        raise RuntimeError(
            f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= "
            "1"
        )
    if vector and a[-2] != right[-1]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-1)")
    if not vector and a[-2] != right[-2]:
        raise RuntimeError(f"{name}: input.size(-2) should match other.size(-2)")
    if driver is None:
        driver = "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    if dtype_of(input).char not in "fdFD":
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not vector:
        broadcast_shape(a[:-2], right[:-1] if gap else right[:-2])
    rcond = least_squares.tolerance(input) if rcond is None else rcond
    parts = least_squares.lstsq(input, b, rcond, driver, vector)
    return return_type("linalg_lstsq", "solution", "residuals", "rank", "singular_values")(parts)


# --- the condition ------------------------------------------------------------------------------------------

_ORDERS = (2, -2, 1, -1, math.inf, -math.inf)


@with_signature()
def linalg_cond(input: Any, p: Any = None) -> Any:
    """Return the condition ``‖A‖ ‖A⁻¹‖`` in the matrix norm of order `p`: (…, n, n) -> (…).

    Parameters
    ----------
    input : tensor (…, n, n)
        (…, m, n) for the orders 2 and −2.
    p : {None, 2, -2, 1, -1, inf, -inf, "fro", "nuc"}
        2 by default. Infinite where A is singular, but for the orders that use singular values.
    """
    from .norms import matrix_norm

    if len(shape_of(input)) < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    order = 2 if p is None else p
    if order not in (*_ORDERS, "fro", "nuc"):
        word = order if isinstance(order, str) else f"{float(order):g}"
        raise RuntimeError(f"linalg.cond got an invalid norm type: {word}")
    if order not in (2, -2):
        word = order if isinstance(order, str) else f"{float(order):g}"
        check_square(input, f"linalg.cond(ord={word})")
    if 0 in shape_of(input):
        return wrap(np.zeros(shape_of(input)[:-2], linalg.real_dtype(input)))
    if order in (2, -2, "nuc"):
        sizes = singular_values(input)
        if order == "nuc":
            return sizes.sum(-1) * sizes.reciprocal().sum(-1)
        first, last = linalg.narrow(sizes, -1, 0, 1), linalg.narrow(sizes, -1, shape_of(sizes)[-1] - 1, 1)
        return (first / last if order == 2 else last / first).squeeze(-1)
    check_floating(input, "linalg.cond")
    inverse, info = linalg.inv_ex(input, "")
    inverse = inverse.masked_fill((info > 0).unsqueeze(-1).unsqueeze(-1), math.inf)
    result = matrix_norm(input, order) * matrix_norm(inverse, order)
    return result.nan_to_num(math.inf, math.inf, -math.inf)


# --- the exponential ----------------------------------------------------------------------------------------


def _exponential(input: Any) -> Any:
    check_square(input, "linalg.matrix_exp")
    check_floating(input, "linalg.matrix_exp", halves=True)
    return exponential.matrix_exp(input)


@with_signature()
def linalg_matrix_exp(input: Any) -> Any:
    """Return the exponential Σ Aᵏ / k! of square matrices: (…, n, n) -> (…, n, n).

    References
    ----------
    ---------- Higham 2005, "The scaling and squaring method for the matrix exponential revisited". Its
    derivative is part of the exponential of [[A, E], [0, A]].
    """
    return _exponential(input)


@with_signature()
def matrix_exp(input: Any) -> Any:
    """Return the exponential of square matrices (see `torch.linalg.matrix_exp`)."""
    return _exponential(input)


# --- products -----------------------------------------------------------------------------------------------


@public(namespace="linalg", name="matmul")
def linalg_matmul(input: Any, other: Any) -> Any:
    """Return the matrix product."""
    return matmul(input, other)


@public(namespace="linalg", name="vecdot")
def linalg_vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """Return Σ conj(x)·y along `dim`."""
    check_floating(x, "linalg.vecdot", halves=True)
    if dtype_of(x) != dtype_of(y):
        raise RuntimeError(
            "linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
            f"{type_word(dtype_of(x))} and y of type {type_word(dtype_of(y))} instead"
        )
    if len(shape_of(x)) == len(shape_of(y)) == 1:
        if shape_of(x) != shape_of(y) or dtype_of(x) in dtypes.FLOAT8_NUMPY:
            return dot(x, y)
        dim = 0
    return (x.conj() * y).sum(dim)


@public(namespace="linalg", name="matrix_power")
def linalg_matrix_power(A: Any, n: int) -> Any:
    """Return a multiplied n times by itself; for a negative n the inverse's power."""
    n = integer("linalg_matrix_power", "n", 2, n)
    if len(a := shape_of(A)) < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if a[-1] != a[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {a[-2]} by {a[-1]} "
            "matrices"
        )
    if n == 0:
        return A.clone(memory_format=contiguous_format).copy_(A.new_ones(a[-1]).diag())
    base = A if n > 0 else linalg_inv(A)
    if (count := abs(n)) == 1:
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
    """Return a multiplied n times by itself."""
    return linalg_matrix_power(input, n)


def _best_splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Return where to split each stretch of a chain of matrices for the fewest multiplications."""
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
    """Return the product of a chain of matrices in the order that takes the fewest multiplications.

    The first and the last may be vectors.
    """
    chain = list(tensors)
    listed("linalg_multi_dot", (chain,))
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
    for place, tensor in enumerate(chain[1:], 1):
        if dtype_of(tensor) != dtype_of(chain[0]):
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{element_word(chain[0])} and tensor {place} {element_word(tensor)}"
            )
    shapes = [list(shape_of(t)) for t in chain]
    if first:
        chain[0] = chain[0].unsqueeze(0)
    if last:
        chain[-1] = chain[-1].unsqueeze(-1)
    for place in range(len(chain) - 1):
        a, b = shape_of(chain[place]), shape_of(chain[place + 1])
        if a[-1] != b[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {place} and {place + 1} with shapes {shapes[place]} and "
                f"{shapes[place + 1]} cannot be multiplied"
            )
    shape = (*(() if first else shape_of(chain[0])[:1]), *(() if last else shape_of(chain[-1])[1:]))
    splits = _best_splits([shape_of(chain[0])[0], *(shape_of(t)[1] for t in chain)])
    return _product(chain, splits, 0, len(chain) - 1).view(shape)


def _product(chain: Sequence[Any], splits: dict[tuple[int, int], int], start: int, stop: int) -> Any:
    if start == stop:
        return chain[start]
    at = splits[start, stop]
    return matmul(_product(chain, splits, start, at), _product(chain, splits, at + 1, stop))


@public
def chain_matmul(*matrices: Any) -> Any:
    """Return the product of a chain of matrices."""
    parts = matrices[0] if len(matrices) == 1 and isinstance(matrices[0], (list, tuple)) else matrices
    superseded("chain_matmul")
    if not parts:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for part in parts:
        if len(shape_of(part)) != 2:
            raise RuntimeError(f"Tensor dimension is {len(shape_of(part))}, expected 2 instead.")
    return parts[0].clone() if len(parts) == 1 else linalg_multi_dot(parts)
