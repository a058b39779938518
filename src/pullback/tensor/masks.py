"""Elements chosen by masks: selection, places of what is not zero, and `where`, under torch's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import errors
from ..array import dtypes
from ..array.dtype_words import type_word
from ..array.strides import laid_out_empty
from ..core.meta import made_of
from ..core.promotion import HALVES, check_broadcast, unsupported
from ..core.tracer import is_traced
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..errors import argument_type
from ..ops import comparison as c
from ..ops import gather as o
from ..ops import view as v
from ..ops.convert import cast
from ..ops.index import index
from ..ops.kernel_words import RARE
from ..ops.strided import as_strided
from ..ops.structure import expand, unbind
from .api import public
from .argument_types import as_number, is_tensor
from .batching import refuse_dynamic
from .broadcast import expanded
from .index_parts import asked_size, traced_places
from .inplace_variants import InPlace
from .properties import common_dtype
from .sizes import count, tensor


@public
def masked_select(input: Any, mask: Any) -> Any:
    """Return the elements where `mask` holds, as a vector."""
    tensor("masked_select", "input", input)
    if dtype_of(tensor("masked_select", "mask", mask, 2)).kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    _broadcast(mask, input)
    if asked_size(mask) is not None:
        common = np.broadcast_shapes(shape_of(input), shape_of(mask))
        if common:
            places = traced_places(expand(mask, common))
            return index(expand(input, common), places, tuple(range(len(common))))
    return o.masked_select(input, mask)


def _broadcast(*values: Any) -> None:
    first = shape_of(values[0])
    for value in values:
        if shape_of(value) != first:
            check_broadcast(values)
            return


def _masked_scatter_(input: Any, mask: Any, source: Any) -> Any:
    if isinstance(mask, TensorBase):
        expanded(mask, shape_of(input))  # the input keeps its shape
    return masked_scatter(input, mask, source)


def _in_order(input: Any, mask: Any, source: Any) -> Any:
    """Replace elements where a traced mask holds: the first by the first of `source`. Where these are too few
    a place is none of them, so that the program refuses its results.
    """
    places = (mask.reshape(-1).cumsum(0) - 1).clamp(min=0)
    return where(mask, source.reshape(-1)[places].reshape(mask.shape), input)


@public(inplace=InPlace(written=_masked_scatter_), out=False)
def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """Return `input` with the elements where `mask` holds replaced by those of `source`, in order."""
    tensor("masked_scatter", "input", input)
    if dtype_of(tensor("masked_scatter", "mask", mask, 2)).kind != "b":
        word = type_word(dtype_of(mask))
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {word}")
    if dtype_of(tensor("masked_scatter", "source", source, 3)) != dtype_of(input):
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but "
            f"got{type_word(dtype_of(input))} and {type_word(dtype_of(source))}"
        )
    _broadcast(mask, input)
    shape = np.broadcast_shapes(shape_of(input), shape_of(mask))
    if is_traced(mask) and count(shape_of(source)):
        return _in_order(input, expand(mask, shape), source)
    if np.count_nonzero(np.broadcast_to(array_of(mask), shape)) > count(shape_of(source)):
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return o.masked_scatter(input, mask, source)


@public
def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """Return where elements are not zero: ``(n, rank)`` indices, or with `as_tuple` one vector per axis."""
    if not isinstance(as_tuple, bool):
        raise argument_type("nonzero", "as_tuple", None, "bool", as_tuple)
    refuse_dynamic("nonzero_numpy" if as_tuple else "nonzero", tensor("nonzero", "input", input))
    if as_tuple:
        return _columns(input)
    if dtype_of(input) in RARE:
        raise unsupported("nonzero_count_cpu", (), dtype_of(input))
    rank = len(shape_of(input))
    if (traced := traced_places(input)) is not None and rank:
        return _rows(traced)
    return made_of(input, _places)


def _places(array: np.ndarray) -> np.ndarray:
    if not array.ndim and array:
        return np.empty((1, 0), np.int64)
    found = array.nonzero() if array.ndim else ()
    if not found or not found[0].size:
        return laid_out_empty((0, array.ndim), (1, 0), np.dtype(np.int64))
    return np.concatenate(found).reshape(array.ndim, -1).T


def _rows(columns: Any) -> Any:
    """Return traced places as `nonzero` does, which gives no view."""
    rank, found = shape = shape_of(columns)
    rows = v.transpose(columns, 0, 1) if found else as_strided(columns, (0, rank), (1, 0), 0, shape, (1, 1))
    rows._view = None
    return rows


def _columns(input: Any) -> Any:
    """Return where elements are not zero, as one vector per axis."""
    if dtype_of(input) in RARE:
        raise unsupported("nonzero_count_cpu", (), dtype_of(input))
    if (traced := traced_places(input)) is not None:
        return unbind(_rows(traced), 1)
    array = array_of(input)
    # Parts of one array, made together: 16 µs with a `select` for each and a second public call, 8 so.
    return unbind(wrap(_places(array if array.ndim else array.reshape(1))), 1)


@public
def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """Return `nonzero` cut to `size` rows, or filled up to them with `fill_value`."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(input)._value
    rows = np.full((size, found.shape[1]), fill_value, np.int64)
    kept = min(size, len(found))
    rows[:kept] = found[:kept]
    return wrap(rows)


@public(out=False)
def argwhere(input: Any) -> Any:
    """Return where elements are not zero, as ``(n, rank)`` indices."""
    return nonzero(input)


def _is_scalar(value: object) -> bool:
    return isinstance(value, (int, float, complex))


_CONDITION, _OTHER = ("condition", is_tensor), ("other", is_tensor)
_SELF, _NUMBER = ("self", _is_scalar), ("other", _is_scalar)
_WHERE_SIGNATURES: dict[str, list[tuple[str, Callable[[object], bool]]]] = {
    "(Tensor condition)": [_CONDITION],
    "(Tensor condition, Tensor input, Tensor other, *, Tensor out = None)": [
        _CONDITION, ("input", is_tensor), _OTHER, ("out", is_tensor),
    ],
    "(Tensor condition, Number self, Tensor other)": [_CONDITION, _SELF, _OTHER],
    "(Tensor condition, Tensor input, Number other)": [_CONDITION, ("input", is_tensor), _NUMBER],
    "(Tensor condition, Number self, Number other)": [_CONDITION, _SELF, _NUMBER],
}  # fmt: skip


def _as_tensor(number: Any, other: Any) -> Any:
    """Return a number that meets few floats as a tensor of their dtype, which saves the op 12 µs."""
    if (type(number) is not float and type(number) is not int) or not isinstance(other, TensorBase):
        return number
    x = other._value
    if type(x) is not np.ndarray or x.size >= _FEW or x.dtype not in _FLOATS:
        return number
    known = -_HELD <= number <= _HELD or (number - number != 0)
    return wrap(np.array(number, x.dtype)) if known else number


#: What every floating dtype holds, besides infinities and nan.
_HELD = 65504
#: Elements from which a mask of bits puts zeros.
_FEW = 1024
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def _choice(condition: Any, chosen: Any, other: Any) -> Any:
    if isinstance(chosen, TensorBase):
        other = _as_tensor(other, chosen)
    else:
        chosen = _as_tensor(chosen, other)
    if dtype_of(condition).kind != "b":
        if dtype_of(condition) != np.uint8:
            raise RuntimeError(
                "where expected condition to be a boolean tensor, but got a tensor with dtype "
                f"{type_word(dtype_of(condition))}"
            )
        condition = cast(condition, np.dtype(np.bool_))
    _broadcast(condition, chosen, other)
    if not isinstance(chosen, TensorBase) and not isinstance(other, TensorBase):
        common = dtypes.result_numpy_dtype([chosen, other])
        chosen, other = np.asarray(chosen, common), np.asarray(other, common)
    numbers = [v for v in (chosen, other) if not isinstance(v, (TensorBase, np.ndarray))]
    if numbers:
        from .limits import check_held  # which is declared with what indexes

        if (common := common_dtype(chosen, other)) not in HALVES:  # of which torch makes infinities
            check_held(common, *numbers)
        # As in torch, a tensor that meets a number is cast before, which counts for its covector.
        chosen, other = (
            cast(v, common) if isinstance(v, TensorBase) and dtype_of(v) != common else v
            for v in (chosen, other)
        )
    return c.where(condition, chosen, other)


@public(method=False)
def where(condition: Any, *args: Any, **named: Any) -> Any:
    """Return elements of `input` where `condition` holds, else of `other`; of a lone condition the places."""
    if not named and len(args) == 2 and isinstance(condition, TensorBase):
        x, y = args
        if isinstance(x, TensorBase) and isinstance(y, TensorBase) and dtype_of(condition).kind == "b":
            shape = shape_of(condition)
            if shape_of(x) != shape or shape_of(y) != shape:
                _broadcast(condition, x, y)
            return c.where(condition, x, y)
    operands = [*args, *(named[k] for k in ("input", "self", "other") if k in named)]
    if isinstance(condition, TensorBase) and named.keys() <= {"input", "self", "other"}:
        if not operands:
            refuse_dynamic("where", condition)
            return _columns(condition)
        if len(operands) == 2 and all(
            isinstance(v, (TensorBase, bool, int, float, complex, np.generic)) for v in operands
        ):
            return _choice(condition, *(as_number(v) if isinstance(v, np.generic) else v for v in operands))
    raise errors.invalid_combination("where", (condition, *args), named, _WHERE_SIGNATURES)


@public(name="where", is_function=False, out=False)
def where_method(self: Any, condition: Any, other: Any) -> Any:
    """Return elements of this tensor where `condition` holds, else of `other`."""
    return _choice(tensor("where", "condition", condition), self, other)
