"""Norms that torch keeps at its top level beside those of `torch.linalg`."""

from typing import Any

from ..array.dtype_words import type_word
from ..core.value import dtype_of, shape_of
from ..core.warn import warn_once
from ..ops.reduce import norm_dims
from .api import public, with_signature
from .norms import matrix_norm
from .signature import Parser, described
from .sizes import count, is_int
from .tensor import checked_dim


def _warn(name: str, instead: str) -> None:
    warn_once(
        f"at::{name} is deprecated and it is just left for JIT compatibility. It will be removed in a future "
        f"PyTorch release. Please use `{instead}` instead",
    )


def _frobenius_norm(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return the Euclidean norm ``√Σ|x|²`` over one axis or two, or over all where `dim` is empty.

    Parameters
    ----------
    input : Tensor
    dim : int or sequence of int
    keepdim : bool
    """
    _warn("frobenius_norm", "linalg.vector_norm(A, 2., dim, keepdim)")
    rank = len(shape_of(input))
    if len(dim) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dim)} dimensions instead.")
    if dtype_of(input).kind in "biu":
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. Got "
            f"{type_word(dtype_of(input))} instead."
        )
    dims = tuple(checked_dim(d, rank) for d in dim) or tuple(range(rank))
    return norm_dims(input, 2.0, dims, keepdim)


def _nuclear_norm(input: Any, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """Return the sum of the singular values of matrices.

    Parameters
    ----------
    input : Tensor
    dim : sequence of int, optional
        The axes of rows and columns, by default the last two.
    keepdim : bool
    """
    _warn("nuclear_norm", "linalg.matrix_norm(A, 'nuc', dim, keepdim)")
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    return matrix_norm(input, "nuc", dim, keepdim)


def _publish(name: str, function: Any, *signatures: str) -> None:
    parser = Parser(name, *signatures)

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > 1 and is_int(args[1]) and name == "frobenius_norm":
            args = (args[0], (args[1],), *args[2:])
        return function(**parser.bind(args, kwargs))

    public(described(call, function, parser), name=name, method=False)


_OVER = "(Tensor input, tuple of ints dim, bool keepdim = False, *, Tensor out = None)"
_publish("frobenius_norm", _frobenius_norm, _OVER)
_publish("nuclear_norm", _nuclear_norm, _OVER, "(Tensor input, bool keepdim = False, *, Tensor out = None)")


@with_signature(method=False, out=False)
def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """Return the norm of order `pow` over all axes but `dim`, which the others stay beside with size 1; over
    all for −1.

    Parameters
    ----------
    v : Tensor
    pow, dim : int
    """
    if dim == -1:
        return v.norm(pow)
    shape = shape_of(v)
    last = len(shape) - 1
    if dim not in (0, last):
        dim = checked_dim(dim, len(shape))
        return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)
    kept = shape[dim]
    rest = count(shape) // kept if kept else 0
    rows = v.contiguous().view((kept, rest) if dim == 0 else (rest, kept))
    return rows.norm(pow, 1 if dim == 0 else 0).view([kept if d == dim else 1 for d in range(last + 1)])
