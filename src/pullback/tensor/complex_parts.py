"""Complex tensors as their parts or as pairs of real numbers: views, with torch's errors."""

from typing import Any

from numpy import ndarray

from ..array.dtype_words import type_word
from ..array.dtypes import FLOAT8_NUMPY
from ..array.strides import strides_of
from ..core.value import dtype_of, innermost, shape_of
from ..core.visible import bits_of
from ..ops import view as v
from ..ops.convert import conj_view, neg_view
from .api import public
from .sizes import tensor
from .tensor import Tensor


def _part(input: Any, index: int) -> Any:
    conjugated = bits_of(input)[0]
    pairs = v.view_as_real(conj_view(input) if conjugated else input)
    return v.select(neg_view(pairs) if conjugated and index else pairs, len(shape_of(input)), index)


@public(method=False, out=False)
def real(input: Any) -> Any:
    """Return the real part, a view; a real tensor as it is."""
    return _part(input, 0) if dtype_of(tensor("real", "input", input)).kind in "cW" else input


@public(method=False, out=False)
def imag(input: Any) -> Any:
    """Return the imaginary part, a view."""
    if dtype_of(tensor("imag", "input", input)).kind not in "cW":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _part(input, 1)


@public(method=False, out=False)
def view_as_real(input: Any) -> Any:
    """Return a complex tensor of shape (…) as a real one of shape (…, 2)."""
    if dtype_of(tensor("view_as_real", "input", input)).kind not in "cW":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return v.view_as_real(input)


@public(method=False, out=False)
def view_as_complex(input: Any) -> Any:
    """Return a real tensor of shape (…, 2) as a complex one of shape (…)."""
    dtype, shape = dtype_of(tensor("view_as_complex", "input", input)), shape_of(input)
    if dtype.kind != "f" or dtype in FLOAT8_NUMPY:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of "
            f"scalar type: {type_word(dtype)}"
        )
    if not shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if isinstance((array := innermost(input)), ndarray):
        *others, last = strides_of(array)
        if last != 1:
            raise RuntimeError("Tensor must have a last dimension with stride 1")
        if any(stride % 2 for stride in others):
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return v.view_as_complex(input)


def _set_part(index: int) -> Any:
    def assign(self: Any, value: Any) -> None:
        (_part(self, index) if dtype_of(self).kind in "cW" or index else self).copy_(value)

    return assign


for _name, _property in {
    "real": property(real, _set_part(0), doc="Return the real part, a view; a real tensor as it is."),
    "imag": property(imag, _set_part(1), doc="Return the imaginary part, a view."),
}.items():
    setattr(Tensor, _name, _property)
