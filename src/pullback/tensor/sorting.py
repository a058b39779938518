"""Sorting, distinct values, places in sorted rows and counts, under torch's names."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import not_implemented, type_word
from ..core.promotion import unsupported
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..errors import type_name
from ..ops import sort as o
from ..ops.arithmetic import add
from ..ops.comparison import eq, lt, ne, where
from ..ops.convert import cast
from ..ops.extreme import amax, amin
from ..ops.join import cat
from ..ops.kernel_words import RARE
from ..ops.mixture import maximum
from .api import public
from .argument_types import is_number
from .data import overflow
from .index_parts import asked_size, traced_places
from .properties import common_dtype
from .return_types import named
from .signature import Parser
from .sizes import count, integer, tensor
from .tensor import checked_axis, checked_dim

_INT64 = np.dtype(np.int64)


def _dim(name: str, input: Any, dim: Any) -> int:
    return checked_dim(integer(name, "dim", 2, dim), len(shape_of(tensor(name, "input", input))))


def _sorted(input: Any, dim: int, descending: bool, stable: bool | None = None) -> tuple[Any, Any]:
    if dtype_of(input).kind in "cW":
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    return (o.sort if stable is None else o.sort_stable)(input, dim, bool(descending))


@public
def sort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> Any:
    """Return values in order along `dim`, and the indices where they were; equal values keep their order."""
    found = _sorted(input, _dim("sort", input, dim), descending, stable)
    return named("sort", ("values", "indices"), found)


@public
def argsort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    """Return indices that sort the input along `dim`."""
    return _sorted(input, _dim("argsort", input, dim), descending)[1]


@public
def msort(input: Any) -> Any:
    """Return the input sorted along its first axis."""
    return _sorted(tensor("msort", "input", input), 0, False)[0]


@public
def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """Return the `k` largest (or smallest) values along `dim` in order, and the indices where they were."""
    dim = _dim("topk", input, dim)
    shape = shape_of(input)
    if not 0 <= integer("topk", "k", 2, k) <= (shape[dim] if shape else 1):
        raise RuntimeError("selected index k out of range")
    if dtype_of(input).kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if dtype_of(input).kind in "cW":
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    return named("topk", ("values", "indices"), o.topk(input, int(k), dim, bool(largest)))


# --- distinct values ----------------------------------------------------------------------------------------


def _distinct(
    input: Any, dim: int | None, distinct: Callable[..., Any], return_inverse: bool, return_counts: bool
) -> Any:
    if dim is not None:
        shape = shape_of(input)
        dim = checked_axis(dim, len(shape))
        others = [n for d, n in enumerate(shape) if d != dim]
        if 0 in others:
            raise RuntimeError(
                "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"
            )
    alone = not (return_inverse or return_counts)
    values, inverse, counts = _traced_distinct(input, dim, distinct) or distinct(input, dim, alone)
    results = [values]
    if return_inverse:
        results.append(inverse)
    if return_counts:
        results.append(counts)
    return results[0] if len(results) == 1 else tuple(results)


def _traced_distinct(input: Any, dim: int | None, distinct: Callable[..., Any]) -> Any:
    """Return distinct values, places and counts as other ops if a trace knows sizes; None for others."""
    if asked_size(input) is None or dim is not None or input._node is not None or not prod(shape_of(input)):
        return None
    if dtype_of(input) in RARE or dtype_of(input).kind not in "iuf":
        return None
    flat = input.reshape(-1)
    ordered, order = (flat, None) if distinct is o.unique_consecutive else flat.sort(stable=True)
    length = wrap(np.array(shape_of(flat), _INT64))
    new = cat((wrap(np.ones(1, bool)), ne(ordered[1:], ordered[:-1])), 0)
    first = traced_places(new)[0]
    rank = new.cumsum(0)
    if order is not None:
        rank = rank.scatter(0, order, rank)
    counts = cat((first, length), 0)
    # What eager gives is no view: the places are new tensors after they have got the shape.
    return ordered[first], rank.reshape(shape_of(input)) - 1, counts[1:] - counts[:-1]


#: What reads the arguments of torch's own functions behind those in Python.
_FLAGS = "bool return_inverse = False, bool return_counts = False"
_UNIQUE = Parser("_unique2", f"(Tensor input, bool sorted = True, {_FLAGS})")
_UNIQUE_DIM = Parser("unique_dim", f"(Tensor input, int dim, bool sorted = True, {_FLAGS})")
_UNIQUE_CONSECUTIVE = Parser("unique_consecutive", f"(Tensor input, {_FLAGS}, int? dim = None)")


def _check_ordered(input: Any, kernel: str) -> None:
    """Raise torch's error for a dtype without an order."""
    if dtype_of(input).kind in "cW" or dtype_of(input) in dtypes.FLOAT8_NUMPY:
        raise not_implemented(kernel, dtype_of(input))


@public(out=False, behind="_return_output")
def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None
) -> Any:
    """Return the distinct values (or slices along `dim`) in order; on request places and counts, too."""
    # torch asks these of several functions' for which it is.
    bool(return_counts), bool(return_inverse)
    flags = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    if dim is None:
        _UNIQUE.bind((input,), flags)
    else:
        _UNIQUE_DIM.bind((input, dim), flags)
    _check_ordered(input, "unique" if dim is None else "unique_dim")
    return _distinct(input, dim, o.unique if dim is None else o.unique_dim, return_inverse, return_counts)


@public(out=False, behind="_consecutive_return_output")
def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the values (or slices along `dim`) without those equal to the one before."""
    bool(return_counts), bool(return_inverse)
    flags = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
    _UNIQUE_CONSECUTIVE.bind((input,), flags)
    _check_ordered(input, "unique" if dim is None else "unique_dim")
    return _distinct(input, dim, o.unique_consecutive, return_inverse, return_counts)


# --- places in sorted rows ----------------------------------------------------------------------------------


def _as_tensor(v: Any) -> Any:
    """Return the tensor, or a number as one."""
    if isinstance(v, TensorBase):
        return v
    if not is_number(v):
        raise TypeError(f"expected a Tensor or a number, not {type_name(v)}")
    return wrap(np.asarray(v))


def _met(boundaries: Any, input: Any) -> tuple[Any, Any]:
    """Return boundaries and what is looked for among them, in the dtype in which they meet."""
    common = common_dtype(boundaries, input)
    return cast(boundaries, common), cast(_as_tensor(input), common)


@public
def searchsorted(
    sorted_sequence: Any, input: Any, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Any = None,
) -> Any:  # fmt: skip
    """Return where values go into the rows of a sorted tensor: before equal elements, or after (`right`)."""
    name = "torch.searchsorted()"
    shape = shape_of(tensor("searchsorted", "sorted_sequence", sorted_sequence))
    if side is not None:
        if side not in ("left", "right"):
            raise RuntimeError(f"{name}: side can only be 'left' or 'right' but got {side}")
        if right and side == "left":
            raise RuntimeError(
                f"{name}: side and right can't be set to opposites, got side of left while right was True"
            )
    own = shape_of(_as_tensor(input))
    if not own and len(shape) != 1 and shape:
        raise RuntimeError(
            f"{name}: input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({len(shape)}) and input value's dim(0) numel(1)"
        )
    if not shape:
        raise RuntimeError(f"{name}: boundaries tensor should have positive dimension, but got 0 dimension")
    if len(shape) != 1 and shape[:-1] != own[:-1]:
        raise RuntimeError(
            f"{name}: boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(shape)} and input "
            f"value tensor {list(own)}"
        )
    if sorter is not None:
        if shape_of(sorter) != shape:
            raise RuntimeError(
                f"{name}: boundary and sorter must have the same size, but got boundary tensor {list(shape)}"
                f"and got sorter tensor {list(shape_of(sorter))}"
            )
        if dtype_of(sorter) != dtypes.int64.numpy:
            raise RuntimeError(
                f"{name}: sorter must be a tensor of long dtype but got dtype {type_word(dtype_of(sorter))}"
            )
        from ..ops.gather import gather

        sorted_sequence = gather(sorted_sequence, sorter, len(shape) - 1)
    return o.searchsorted(*_met(sorted_sequence, input), bool(right) or side == "right", bool(out_int32))


@public
def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Return in which interval between sorted `boundaries` each element lies."""
    rank = len(shape_of(tensor("bucketize", "boundaries", boundaries, 2)))
    if rank != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({rank})")
    return o.searchsorted(*_met(boundaries, input), bool(right), bool(out_int32))


# --- counts -------------------------------------------------------------------------------------------------


def _number(value: int) -> Any:
    return wrap(np.full((), value, _INT64))


@public(out=False)
def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count each of 0, 1, 2, … in a vector of integers, or sum `weights` where it occurs."""
    dtype, shape = dtype_of(tensor("bincount", "input", input)), shape_of(input)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if dtype.kind not in "iu":
        raise not_implemented("bincount_cpu", dtype)
    if len(shape) == 1 and not shape[0]:
        return wrap(np.zeros(minlength, np.int64))
    size, length, negative = asked_size(input), None, False
    if len(shape) == 1 and size is not None:
        # A trace knows the number of bins; it is another trace where an element is negative.
        most = add(cast(amax(input, (0,), False), _INT64), _number(1))
        below = lt(amin(input, (0,), False), wrap(np.zeros((), dtype)))
        length = size(where(below, _number(-1), maximum(most, _number(minlength))))
        negative = length < 0
    elif len(shape) == 1 and input._level == 0:
        negative = array_of(input).min() < 0
    if len(shape) != 1 or negative:
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and shape_of(weights) != shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    return o.bincount(input, weights, int(minlength), length)


@public
def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Count the elements in each of `bins` equal parts of [min, max] (if equal, of the input's range)."""
    dtype = dtype_of(tensor("histc", "input", input))
    if isinstance(min, complex) or isinstance(max, complex):
        raise overflow("double")
    if dtype in RARE or dtype.kind not in "fiuV":
        spread = min == max and dtype.kind != "b"
        made = "histogram_cpu" if dtype.kind in "c" else "linspace_cpu"
        raise unsupported("aminmax_cpu" if spread else made, (), dtype)
    if dtype.kind not in "fV":
        raise unsupported("histogram_cpu", (), dtype)
    if (bins := integer("histc", "bins", 2, bins)) <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    low, high = float(min), float(max)
    if low == high and count(shape_of(input)):
        array = o.orderable(array_of(input))
        low, high = float(array.min()), float(array.max())
        # The nan that a minimum gives on x86 has its sign set.
        low, high = (math.copysign(v, -1) if math.isnan(v) else v for v in (low, high))
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histc: range of [{_c_number(low)}, {_c_number(high)}] is not finite")
    if low > high:
        raise RuntimeError("torch.histc: max must be larger than min")
    if low == high:
        low, high = low - 1, high + 1
    return o.histc(input, bins, low, high)


def _c_number(value: float) -> str:
    """Return a number as C++ prints it, the sign of nan included."""
    return f"{'-' * (math.copysign(1, value) < 0)}nan" if value != value else f"{value:g}"


@public
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return which of `elements` occur among `test_elements`."""
    x, test = (_as_tensor(v) for v in (elements, test_elements))
    for v in (x, test):
        if dtype_of(v).kind in "bcW":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {type_word(dtype_of(v))}")
    if test is not test_elements:
        return (ne if invert else eq)(x, test_elements)
    common = common_dtype(x, test)
    return o.isin(cast(x, common), cast(test, common), bool(invert))
