"""Writing into all of a tensor or its diagonal: `copy_`, `fill_`, `zero_`, `fill_diagonal_`, and what
assignment through brackets is made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..array.dtype_words import sized_name
from ..array.elementwise import copy_into
from ..array.elementwise import fill as fill_array
from ..array.layout import towards
from ..core import inplace
from ..core.calls import edge_of
from ..core.meta import Meta, is_meta
from ..core.modes import modes
from ..core.node import DIFFERENTIABLE
from ..core.overlap import is_same
from ..core.promotion import check_broadcast
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..core.versions import bump
from ..core.warn import warn_once
from ..ops import index as i
from ..ops.structure import reshape
from .api import public, with_signature
from .argument_types import as_number
from .broadcast import expanded
from .data import checked_integer, overflow, scalar_array
from .meta import without_elements
from .read_calls import as_function, with_plans
from .tensor import Tensor


def number_array(value: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return a Python number as a 0-d array of a dtype, or torch's error where it does not fit."""
    if dtype.kind == "b":
        return np.array(bool(value))
    if dtype.kind in "cW":
        return np.array(value, dtype)
    if isinstance(value, complex):
        if value.imag:
            raise overflow(_at_name(dtype))
        value = value.real
    if dtype.kind in "iu":
        bound = 1 << 8 * dtype.itemsize - 1
        if not (isinstance(value, int) and 0 <= value < bound):
            value = checked_integer(int(value) if isinstance(value, bool) else value, dtype, _at_name)
        return np.array(value, dtype)
    if dtype == np.float32 and abs(value) > 3.4028235677973366e38 and abs(value) != np.inf:
        raise overflow(_at_name(dtype))
    if dtype.kind == "f" and dtype.itemsize > 2:
        return np.array(value, dtype)
    with np.errstate(over="ignore"):
        return np.array(value, np.float64).astype(dtype)


def _at_name(dtype: np.dtype[Any]) -> str:
    return sized_name(dtype).replace("c10::", "at::")


def write_copy(x: Any, source: Any, fills: bool = False, lasts: bool = True) -> Any:
    """Return x after ``x.copy_(source)``; `fills`: the source is one value, which may come from `x`; `lasts`
    as `record_write` takes it.
    """
    record = modes().grad
    edge = edge_of(source) if record else None
    wanted = edge is not None and dtype_of(x) in DIFFERENTIABLE
    a, b = x._value, source._value
    # As in ``x[i] += 1``, which assigns the view that it wrote to.
    is_there = type(a) is ndarray and type(b) is ndarray and source._counter is x._counter and is_same(a, b)
    read = () if fills or is_there else (source,)
    inplace.check_writable(x, wanted or inplace.requires_grad(x), source is x, read)
    if x._view is not None and isinstance(a, Meta) and type(a) is not Meta:
        # What inline caches note: it gets the history that an array gets, below.
        x._value = i.copy(x, source)._value
        bump(x)
        inplace.record_write(x, edge if wanted else None, lasts)
        return x
    if (
        type(a) is not ndarray
        or type(b) is not ndarray
        or (record and x._view is None and (wanted or x._node is not None))
    ):
        if type(b) is not ndarray and shape_of(source) != shape_of(x):
            source = expanded(source, shape_of(x))
        return inplace.write(x, i.copy(x, source))
    if b.dtype.kind in "cW" and a.dtype.kind not in "cW":
        warn_once("Casting complex values to real discards the imaginary part")
    inplace.announce_write(x)
    if not is_there:
        copy_into(a, towards(b, a.dtype))
    bump(x)
    inplace.record_write(x, edge if wanted else None, lasts)
    return x


def write_value(x: Any, value: Any, lasts: bool = True) -> Any:
    """Return ``x.fill_(value)`` for a 0-d tensor; return x."""
    record = modes().grad
    edge = edge_of(value) if record else None
    wanted = edge is not None and dtype_of(x) in DIFFERENTIABLE
    if not record or x._view is not None or not (wanted or x._node is not None):
        return write_copy(x, value, fills=True, lasts=lasts)
    inplace.check_writable(x, True)
    return inplace.write(x, i.fill_tensor_inplace(x, value))


def _write_number(x: Any, value: Any, zero: bool) -> Any:
    """Fill with a Python number, which carries no history."""
    recording = modes().grad and x._node is not None
    inplace.check_writable(x, inplace.requires_grad(x), overlap=True)
    if type(a := x._value) is not ndarray or (recording and x._view is None):
        call = i.zero_inplace if zero else i.fill_inplace
        return inplace.write(x, call(x) if zero else call(x, value))
    inplace.announce_write(x)
    fill_array(a, value)
    bump(x)
    inplace.record_write(x, None)
    return x


def _fill_value(input: Any, value: Any) -> Any:
    """Return the value as a 0-d tensor or as a number that fits the dtype."""
    if isinstance(value, TensorBase):
        if rank := len(shape_of(value)):
            raise RuntimeError(
                f"fill_ only supports 0-dimension value tensor but got tensor with {rank} dimensions."
            )
        return value
    if isinstance(value, np.generic):
        value = as_number(value)
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError("no number")  # said in torch's words by what reads the whole call
    fitted = scalar_array(value, dtype_of(input))
    return float(fitted) if fitted.dtype.kind == "V" else fitted.item()


def _fill_(self: Any, value: Any) -> Any:
    """Write one value into every element; return the tensor."""
    inplace.check_history(self, inplace.requires_grad(self))
    value = _fill_value(self, value)
    return write_value(self, value) if isinstance(value, TensorBase) else _write_number(self, value, False)


@public(out=False, method=False, name="zero_")
def zero_(input: Any) -> Any:
    """Write 0 into every element; return the tensor."""
    return _write_number(input, 0, True)


@public(out=False, method=False)
def fill(input: Any, value: Any) -> Any:
    """Return a tensor like `input` with one value in every element."""
    if not isinstance(input, TensorBase):
        raise TypeError("no tensor")  # likewise
    value = _fill_value(input, value)
    return i.fill_tensor(input, value) if isinstance(value, TensorBase) else i.fill(input, value)


def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    """Write the elements of `src`, broadcast and cast, into this tensor; return it."""
    if isinstance(src, (bool, int, float, complex, np.number, np.bool_)):
        # Unlike `fill_`, this casts.
        src = dtypes.plain_number(src)
        dtypes.check_number(src)
        src = wrap(np.asarray(src))
    if not isinstance(src, TensorBase):
        raise errors.argument_type("copy_", "other", 1, "Tensor", src)
    if src._sparse:
        from .sparse_whole import copy_

        return copy_(self, src)
    source = src
    shape = shape_of(self)
    inplace.check_history(self, inplace.requires_grad(self) or inplace.requires_grad(source))
    if shape_of(source) != shape:
        inplace.check_writable(self, False)
        check_broadcast([np.broadcast_to(np.empty((), bool), s) for s in (shape, shape_of(source))])
        if (whole := np.broadcast_shapes(shape, shape_of(source))) != tuple(shape):
            raise RuntimeError(
                f"output with shape {list(shape)} doesn't match the broadcast shape {list(whole)}"
            )
    if is_meta(source) and not is_meta(self):
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    if is_meta(self) and not is_meta(source):
        source = without_elements(source)
    return write_copy(self, source)


_copy_.__name__ = "copy_"
for _name, _function in {
    "copy_": with_plans(_copy_), "fill_": as_function(_fill_, "fill_", "Tensor"),
    "zero_": as_function(zero_, "zero_", "Tensor")
}.items():  # fmt: skip
    _function.__name__ = _function.__qualname__ = _name
    setattr(Tensor, _name, _function)


@with_signature(is_function=False, out=False)
def fill_diagonal_(self: Any, fill_value: Any, wrap: bool = False) -> Any:
    """Fill the main diagonal in place and return the tensor.

    Parameters
    ----------
    fill_value : number
    wrap : bool
        In a matrix with more rows than columns, begin the diagonal again after each square block and a row.
    """
    if len(shape := shape_of(self)) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    places = self
    while len(shape_of(places)) > 1:
        places = places.diagonal(0, 0, 1)
    places.fill_(fill_value)
    if wrap and len(shape) == 2 and shape[0] > shape[1] + 1:
        strides, period = self.stride(), shape[1] + 1
        more = -(-shape[0] * shape[1] // period) - min(shape)
        start = self.storage_offset() + strides[0] * period
        self.as_strided((more,), (sum(strides),), start).fill_(fill_value)
    return self


def without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without the ones in front of its first other size."""
    first = next((d for d, size in enumerate(shape) if size != 1), len(shape))
    return tuple(shape[first:])


def assign(x: Any, source: Any, lasts: bool) -> None:
    """Write `source` into all of `x`, broadcast as torch's assignment does; `lasts`: it is no view that was
    taken for this alone.
    """
    shape = shape_of(x)
    if shape_of(source) != shape:
        if not shape_of(source):
            write_value(x, source, lasts)
            return
        if (own := without_leading_ones(shape_of(source))) != shape_of(source):
            source = reshape(source, own)
        source = expanded(source, shape)
    write_copy(x, source, lasts=lasts)
