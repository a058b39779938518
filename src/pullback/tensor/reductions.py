"""Sums, means, products and counts under torch's names.

`sum` and `mean` ask for the plain call first: ``x.sum()`` costs a test and the op's closure.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import type_word
from ..core import facade
from ..core.modes import DEFAULT, NO_GRAD, modes
from ..core.promotion import unsupported
from ..core.value import TensorBase, dtype_of, shape_of
from ..ops import reduce as r
from ..ops.comparison import isnan
from ..ops.convert import cast
from ..ops.kernel_words import RARE
from ..ops.structure import sum_dims
from .api import REGISTRY, Declaration, public, with_signature
from .batching import opened
from .failed_calls import explain
from .interception import OVERRIDING, PASS, intercepted
from .out import dtype_into, write_out
from .override_dispatch import dispatch_override
from .read_calls import Public
from .sizes import NOT_GIVEN, tensor
from .tensor import checked_dim

_F = Callable[..., Any]
_INT64 = np.dtype(np.int64)


# --- arguments ----------------------------------------------------------------------------------------------


def reduction(function: _F | None = None, **options: Any) -> Any:
    """Declare a public reduction, which takes NumPy's names of the arguments, too."""
    return public(function, numpy=True, **options)


def one_dim(dim: Any, rank: int) -> int:
    """Return a dim as a non-negative index (0 for a 0-d tensor)."""
    if type(dim) is bool:
        raise TypeError("a bool is no dim")  # said in torch's words by what reads the whole call
    return checked_dim(operator.index(dim), rank)


def reduced_dims(dim: Any, rank: int) -> tuple[int, ...]:
    """Return the dims to reduce over: an int, several, or all of them for None and an empty sequence."""
    if type(dim) is int:
        if 0 <= dim < rank:
            return (dim,)
        found = checked_dim(dim, rank)
        return (found,) if rank else ()
    if dim is None:
        return tuple(range(rank))
    if type(dim) is bool or (isinstance(dim, (tuple, list)) and dim and type(dim[0]) is bool):
        raise TypeError("argument 'dim' must be tuple of ints, not bool")
    if isinstance(dim, (tuple, list)):
        dims: list[int] = []
        for d in dim:
            if (found := checked_dim(operator.index(d), rank)) in dims:
                raise RuntimeError(f"dim {found} appears multiple times in the list of dims")
            dims.append(found)
        return tuple(dims) if dims and rank else tuple(range(rank))
    return reduced_dims(operator.index(dim), rank)


def in_dtype(input: Any, dtype: Any) -> Any:
    """Return the input in the dtype that was asked for, if one was."""
    return input if dtype is None or dtype_of(input) == dtype.numpy else cast(input, dtype.numpy)


def accumulated(input: Any, dtype: Any) -> Any:
    """Return the input in the dtype of its sum: what was asked for, int64 for integers.

    Raises a RuntimeError where the input requires grad and the dtype carries none.
    """
    if dtype is not None:
        if dtype.numpy.kind in "biu" and input.requires_grad and modes().grad:
            raise RuntimeError(f"Autograd not support dtype: {type_word(dtype.numpy)}")
        return in_dtype(input, dtype)
    return cast(input, _INT64) if (d := dtype_of(input)).kind in "biu" and d != _INT64 else input


def _is_dim(v: Any) -> bool:
    items: Sequence[Any] = v if isinstance(v, (tuple, list)) else (v,)
    if items and type(items[0]) is bool:
        return False
    return all(isinstance(d, (int, np.integer)) and abs(int(d)) < 1 << 62 for d in items)


#: Stands for the tensor that a call of `sum` or `mean` lacks.
_ABSENT: Any = object()


def _is_ordinary(place: str, input: Any, dim: Any, keepdim: Any, dtype: Any, out: Any) -> bool:
    """Return whether the arguments of `sum` or `mean` need no reading: most calls' do not."""
    return (
        isinstance(input, TensorBase)
        and (keepdim is False if dim is None else isinstance(keepdim, bool) and _is_dim(dim))
        and (dtype is None or type(dtype) is dtypes.dtype)
        and (out is None or (isinstance(out, TensorBase) and not place))
    )


def _usual(value: Any, dim: Any, keepdim: Any) -> tuple[int, ...] | None:
    """Return the dims of a sum or mean where an array of floating or complex numbers is reduced along one
    axis or several, so that nothing has to be read; else None.
    """
    if type(keepdim) is not bool or type(value) is not np.ndarray or value.dtype.kind not in "fc":
        return None
    rank = value.ndim
    if type(dim) is int:
        return (dim if dim >= 0 else dim + rank,) if -rank <= dim < rank else None
    if (type(dim) is not tuple and type(dim) is not list) or not dim:
        return None
    dims: list[int] = []
    for d in dim:
        if type(d) is not int or not -rank <= d < rank or (d := d if d >= 0 else d + rank) in dims:
            return None
        dims.append(d)
    return tuple(dims)


def _read(place: str, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the dtype that arguments of `sum` or `mean` name, which are read as torch's parser reads them,
    or torch's error where they do not fit.
    """
    if args[0] is _ABSENT:
        if place:
            raise TypeError(f"unbound method TensorBase.{name}() needs an argument")
        args = ()
    elif len(args) == 3 and args[2] is False:
        args = args[: 1 if args[1] is None else 2]
    explain(place, name, args, named)
    dtype: Any = named.get("dtype")
    return dtypes.BY_PYTHON_TYPE.get(dtype, dtype)


def _taken_by_name(
    place: str, name: str, by_place: tuple[Any, ...], dtype: Any, out: Any, names: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """Return (input, dim, keepdim) of a call of `sum` or `mean` that gives arguments by name, NumPy's among
    them, or too many: then it raises torch's TypeError, which tells what was given by name from what was by
    place.
    """
    input, dim, keepdim, *rest = given = by_place
    if not rest and (found := _named_dim(names, dim, keepdim)) is not None:
        return input, *found
    if keepdim is False and len(given) == 3:
        given = given[: 1 if dim is _ABSENT else 2]
    left = dict(names)
    if input is _ABSENT:
        input = left.pop("input", _ABSENT)
    if dim is _ABSENT:
        dim = left.pop("dim", left.pop("axis", _ABSENT))
    if keepdim is False:
        keepdim = left.pop("keepdim", left.pop("keepdims", False))
    fits = type(input) in OVERRIDING or _is_ordinary(place, input, dim, keepdim, None, None)
    if left or rest or not fits:
        _read(place, name, given, {**names, **_given(dtype=dtype, out=out)})
    dim = None if dim is _ABSENT else dim
    return input, dim, keepdim


def _named_dim(names: dict[str, Any], dim: Any, keepdim: Any) -> tuple[int, bool] | None:
    """Return (dim, keepdim) if one or both are given by these names and nothing is to be read; else None."""
    if len(names) > 2:
        return None
    for name, value in names.items():
        if name == "dim" and dim is _ABSENT:
            dim = value
        elif name == "keepdim" and keepdim is False:
            keepdim = value
        else:
            return None
    return (dim, keepdim) if type(dim) in (int, tuple, list) and type(keepdim) is bool else None


def _given(**arguments: Any) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _sums(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the signature of sums and means."""


def _asking_first(function: _F) -> _F:
    """Return a function that asks first what is known of calls like one."""
    call = Public(function).call
    call.__name__, call.__doc__ = function.__name__, function.__doc__
    function.public = call  # type: ignore[attr-defined]  # functions take attributes
    call.behind = function  # type: ignore[attr-defined]  # what a trace runs
    return call


def _declare(make: Callable[[str], _F]) -> _F:
    """Declare `sum` or `mean`, as a function and as a method: each says itself what is wrong with a call."""
    function, method = _asking_first(make("")), _asking_first(make("Tensor"))
    for declared in (function, method):
        declared.__qualname__ = declared.__name__
        declared.__wrapped__ = _sums  # type: ignore[attr-defined]  # what `inspect.signature` follows
    REGISTRY.append(Declaration(function.__name__, function, "", method, False, True))
    return function


def _overridden(function: Any, name: str, input: Any, dim: Any, keepdim: bool, dtype: Any, out: Any) -> Any:
    """Return a subclass's or a mode's answer to `sum` or `mean`; `PASS` where none does."""
    overrides = type(input) in OVERRIDING
    if not overrides and ((now := modes()) is DEFAULT or now is NO_GRAD):
        return PASS
    named = _given(dim=dim, keepdim=None if keepdim is False else keepdim, dtype=dtype, out=out)
    if overrides:
        return dispatch_override(function.public, (input,), named)
    return intercepted(function.public, None, name, (input,), named)


# --- sum and mean -------------------------------------------------------------------------------------------


def _reducing(name: str, text: str, of_all: _F, over: _F, prepared: _F, kinds: str = "") -> _F:
    """Declare `sum` or `mean`, by the ops over all elements and over dims.

    `prepared` gives the input in the dtype in which it is reduced. With `kinds` only arrays of such dtypes
    are reduced at once: values of a transform have no NumPy dtype.
    """

    def make(place: str) -> _F:
        def reduced(
            input: Any = _ABSENT, dim: Any = _ABSENT, keepdim: bool = False, /, *rest: Any, dtype: Any = None,
            out: Any = None, **names: Any,
        ) -> Any:  # fmt: skip
            if names or rest:
                given = (input, dim, keepdim, *rest)
                input, dim, keepdim = _taken_by_name(place, name, given, dtype, out, names)
            elif dim is _ABSENT:
                dim = None
            if OVERRIDING:
                found = _overridden(reduced, name, input, dim, keepdim, dtype, out)
                if found is not PASS:
                    return found
            if dtype is None and out is None:
                t = type(input)
                if t is facade.Tensor or t is facade.Parameter:
                    value = input._value
                    if dim is not None:
                        if (dims := _usual(value, dim, keepdim)) is not None:
                            return over(input, dims, keepdim)
                    elif keepdim is False and (
                        not kinds or (type(value) is np.ndarray and value.dtype.kind in kinds)
                    ):
                        return of_all(input)
            if not _is_ordinary(place, input, dim, keepdim, dtype, out):
                dtype = _read(place, name, (input, dim, keepdim), _given(dtype=dtype, out=out))
            x = prepared(input, dtype, out)
            if dim is None and not keepdim and dtype_of(x).kind not in "biu":
                result = of_all(x)
            else:
                result = over(x, reduced_dims(dim, len(shape_of(input))), keepdim)
            return result if out is None else write_out(out, result, name)

        return errors.with_name(reduced, name, text)

    return _declare(make)


def _no_mean(name: str, which: str, kind: np.dtype[Any]) -> RuntimeError:
    return RuntimeError(
        f"{name}(): could not infer output dtype. {which} dtype must be either a floating point or complex "
        f"dtype. Got: {type_word(kind)}"
    )


def _in_dtype_of_mean(input: Any, dtype: Any, out: Any) -> Any:
    kind = dtype_of(input) if dtype is None else dtype.numpy
    if kind.kind in "biu":
        raise _no_mean("mean", "Input" if dtype is None else "Optional", kind)
    return in_dtype(input, dtype_into("mean", dtype, out, input))


sum_all = _reducing(
    "sum", "Return the sum of all elements, or over `dim`; integers are summed in int64.", r.sum_all,
    sum_dims, lambda input, dtype, out: accumulated(input, dtype_into("sum", dtype, out, input)),
)  # fmt: skip
mean_all = _reducing(
    "mean", "Return the mean of all elements, or over `dim`.", r.mean_all, r.mean_dims, _in_dtype_of_mean,
    kinds="fc",
)  # fmt: skip


@reduction
def nansum(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the sum of what is not nan."""
    tensor("nansum", "input", input)
    if dtype_of(input).kind in "cW":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    x = accumulated(input, dtype)
    whole = dtype_of(input).kind in "biu"
    if dtype_of(x).kind in "cW" and not whole:
        raise unsupported("nansum_cpu", (), dtype_of(x))
    add = sum_dims if whole or dtype_of(x).kind in "biu" else r.nansum
    return add(x, reduced_dims(dim, len(shape_of(x))), keepdim)


@reduction
def nanmean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the mean of what is not nan."""
    tensor("nanmean", "input", input)
    if dtype_of(input).kind in "biu":
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but got "
            f"{type_word(dtype_of(input))}"
        )
    if dtype is not None and dtype.numpy.kind in "biu":
        raise _no_mean("nanmean", "Optional", dtype.numpy)
    present = sum_all(isnan(input).logical_not(), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / present


# --- products -----------------------------------------------------------------------------------------------


@reduction
def prod(input: Any, dim: Any = NOT_GIVEN, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Return the product of all elements, or along `dim`."""
    tensor("prod", "input", input)
    if isinstance(dim, (tuple, list)) or (keepdim and dim is NOT_GIVEN):
        raise TypeError("one dim")  # said in torch's words by what reads the whole call
    x = accumulated(input, dtype)
    if dim is NOT_GIVEN:
        return r.prod_all(x)
    rank = len(shape_of(x))
    found = one_dim(dim, rank)
    return r.prod_dim(x, found, keepdim)


# --- logic and counts ---------------------------------------------------------------------------------------


def _tested_dims(dim: Any, rank: int) -> tuple[int, ...]:
    """Return the dims that `all` and `any` reduce over; unlike for sums an empty sequence means none."""
    return () if isinstance(dim, (tuple, list)) and not dim else reduced_dims(dim, rank)


@reduction(name="all")
def all_of(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether all elements, over `dim`, are not 0."""
    tensor("all", "input", input)
    return r.all_dims(input, _tested_dims(dim, len(shape_of(input))), keepdim)


@reduction(name="any")
def any_of(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """Return whether any element, over `dim`, is not 0."""
    tensor("any", "input", input)
    return r.any_dims(input, _tested_dims(dim, len(shape_of(input))), keepdim)


@with_signature("(Tensor input)", out=False)
def _is_all_true(input: Any) -> Any:
    """Return whether all elements are true, those of the other rows of a vmap included: what checks ask."""
    return all_of(_flags(input, 2144))


@with_signature("(Tensor input)", out=False)
def _is_any_true(input: Any) -> Any:
    """Return whether any element is true, those of the other rows of a vmap included."""
    return any_of(_flags(input, 2148))


def _flags(input: Any, line: int) -> Any:
    if dtype_of(input).kind != "b":
        raise RuntimeError(
            "self.scalar_type() == at::kBool INTERNAL ASSERT FAILED at "
            f'"/__w/pytorch/pytorch/aten/src/ATen/native/ReduceOps.cpp":{line}, please report a bug to '
            'PyTorch. '
        )
    return opened(input)


@with_signature("(Tensor input, tuple of ints[1] dim = (), *, bool keepdim = False, int mode = 0)")
def hash_tensor(input: Any, dim: tuple[int, ...] = (), *, keepdim: bool = False, mode: int = 0) -> Any:
    """Return the exclusive or, over `dim`, of the bits of the elements, as uint64.

    Elements are first widened to float64 or int64.

    Parameters
    ----------
    input : Tensor
        Of real numbers.
    dim : int or tuple of ints
        All by default.
    keepdim : bool
    mode : int
        0; torch has no other.

    Returns
    -------
    Tensor of uint64
        Without the axes `dim`, or with size 1 there.
    """
    shape = shape_of(input)
    dims = reduced_dims(dim, len(shape))
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    if 0 in shape and not dim:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    for d in dims:
        if shape[d] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    if dtype_of(input).kind in "cW":
        raise unsupported("xor_sum_cpu", (), dtype_of(input))
    return r.hash_dims(input, dims, keepdim)


@reduction(out=False)
def count_nonzero(input: Any, dim: Any = None) -> Any:
    """Count the elements, over `dim`, that are not 0."""
    tensor("count_nonzero", "input", input)
    if (dim is None or (isinstance(dim, tuple | list) and not dim)) and dtype_of(input) in RARE:
        raise unsupported("nonzero_count_cpu", (), dtype_of(input))
    return r.count_nonzero(input, reduced_dims(dim, len(shape_of(input))))
