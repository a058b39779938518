"""softmax, log_softmax and logsumexp under torch's names."""

from typing import Any

from numpy import ndarray

from ..array import dtypes
from ..array.dtype_words import not_implemented
from ..core.value import TensorBase, dtype_of, shape_of
from ..ops import softmax as s
from ..ops.convert import cast
from .api import public
from .reductions import in_dtype, reduced_dims, reduction
from .sizes import integer, tensor
from .tensor import checked_dim

_USUAL = (dtypes.float32.numpy, dtypes.float64.numpy)


def checked(name: str, input: Any, dim: Any, dtype: Any) -> tuple[Any, int]:
    """Return the input, in `dtype` where one is given, and the dim from the front, after torch's checks."""
    if dtype is None and type(dim) is int and isinstance(input, TensorBase):
        value = input._value
        if type(value) is ndarray and value.dtype in _USUAL and -value.ndim <= dim < value.ndim:
            return input, dim if dim >= 0 else dim + value.ndim
    tensor(name, "input", input)
    dim = integer(name, "dim", 1, dim)
    x = in_dtype(input, dtype)
    found = checked_dim(dim, len(shape_of(x)))
    check_kernel(name, x, found)
    return x, found


def check_kernel(name: str, x: Any, dim: int) -> None:
    """Raise torch's error for a dtype that its kernels of a softmax are not written for."""
    kind = dtype_of(x)
    if (kind.kind in "biucW" or kind in dtypes.FLOAT8_NUMPY) and 0 not in shape_of(x):
        last = "lastdim_" if dim == max(len(shape_of(x)) - 1, 0) else ""
        raise not_implemented(f"{name}_{last}kernel_impl", kind)


@public
def softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """Return exp(input) / Σ exp(input) along `dim`; `dtype` casts the input first."""
    return s.softmax(*checked("softmax", input, dim, dtype))


@public
def log_softmax(input: Any, dim: int, dtype: Any = None) -> Any:
    """Return input − log Σ exp(input) along `dim`; `dtype` casts the input first."""
    return s.log_softmax(*checked("log_softmax", input, dim, dtype))


@reduction
def logsumexp(input: Any, dim: Any, keepdim: bool = False) -> Any:
    """Return log Σ exp(input) over `dim`, computed without overflow."""
    tensor("logsumexp", "input", input)
    if dim is None:
        raise TypeError("None is no dim")  # said in torch's words by what reads the whole call
    x = cast(input, dtypes.get_default_dtype().numpy) if dtype_of(input).kind in "biu" else input
    shape = shape_of(input)
    if shape and isinstance(dim, (tuple, list)) and not dim and not keepdim and 0 not in shape:
        # torch sums over all axes, of which it then takes away none.
        ones = [1] * len(shape)
        raise RuntimeError(f"output with shape [] doesn't match the broadcast shape {ones}")
    return s.logsumexp(x, reduced_dims(dim, len(shape)), keepdim)
