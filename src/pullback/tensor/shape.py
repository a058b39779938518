"""Other shapes and orders of axes: views wherever torch makes views, with torch's errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..array.dtype_words import type_word
from ..core.meta import array_or_phantom
from ..core.value import TensorBase, dtype_of, shape_of, wrap_alias
from ..core.visible import bits_of
from ..core.warn import warn_once
from ..ops import structure
from ..ops import view as v
from ..ops.convert import conj_view
from .api import public
from .signature import Parser
from .sizes import (
    NOT_GIVEN,
    Ints,
    count,
    dims,
    distinct_dims,
    inferred,
    int_or_sequence,
    integer,
    ints,
    is_int,
    sequence,
    tensor,
)  # fmt: skip
from .tensor import Tensor, checked_dim

# --- other shapes -------------------------------------------------------------------------------------------


@public(is_function=False, out=False, name="view")
def view(input: Any, *shape: Any, size: Any = None, dtype: Any = None) -> Any:
    """Return the same storage in another shape, or read as another dtype.

    One size may be -1 and is then inferred. Raises where the strides do not allow the shape without a copy.
    """
    if dtype is None and size is None and shape and type(shape[0]) is int:
        return _viewed(input, ints("view", "size", shape))
    only = dtype if dtype is not None else shape[0] if len(shape) == 1 else None
    if isinstance(only, dtypes.dtype):
        return view_as_dtype(input, only)
    if size is None and (not shape or not (is_int(shape[0]) or isinstance(shape[0], (tuple, list)))):
        raise errors.invalid_combination(
            "view",
            shape,
            {},
            {
                "(torch.dtype dtype)": [("dtype", lambda a: isinstance(a, dtypes.dtype))],
                "(tuple of ints size)": [("size", lambda a: isinstance(a, (tuple, list)))],
            },
        )
    return _viewed(input, ints("view", "size", shape, size))


def _viewed(input: Any, shape: Ints) -> Any:
    own = shape_of(input)
    try:
        return structure.reshape_view(input, inferred(shape, count(own)))
    except ValueError:
        raise errors.with_note(
            RuntimeError(
                "view size is not compatible with input tensor's size and stride (at least one dimension "
                "spans across two contiguous subspaces). Use .reshape(...) instead."
            ),
            f"Shape {list(own)} with strides {list(input.stride())} cannot be walked as {list(shape)} "
            "without a copy.",
        ) from None


def view_as_dtype(input: Any, dtype: dtypes.dtype) -> Any:
    """Return the same bytes read as another dtype; never differentiable."""
    have, want = dtype_of(input), dtype.numpy
    a, b = have.itemsize, want.itemsize
    if a != b:
        words = f"to view {type_word(have)} as {type_word(want)} (different element sizes)"
        if not (shape := shape_of(input)):
            raise RuntimeError(f"self.dim() cannot be 0 {words}")
        if b > a and shape[-1] % (b // a):
            raise RuntimeError(f"self.size(-1) must be divisible by {b // a} {words}, but got {shape[-1]}")
        strides = input.stride()
        if strides[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {words}, but got {strides[-1]}")
        if b > a:
            for d, stride in enumerate(strides[:-1]):
                if stride % (b // a):
                    raise RuntimeError(
                        f"self.stride({d}) must be divisible by {b // a} {words}, but got {stride}"
                    )
    conjugated, negated = bits_of(input)
    if conjugated or negated:
        what = "conjugate view tensors" if conjugated else "tensors with negative bit set"
        raise RuntimeError(
            f"torch.Tensor.view is not supported for {what} when converting to a different dtype."
        )
    if type(input._value) is ndarray:
        return wrap_alias(v.of_view_dtype(input._value, want), input)
    if (recorder := getattr(input._value, "recorder", None)) is not None:
        # What a program computes does not share memory with what it was given.
        recorder.refuse(RuntimeError("the function sees a tensor's memory in another dtype"))
    return v.view_dtype(input, want)


@public(is_function=False, out=False)
def view_as(input: Any, other: Any) -> Any:
    """Return ``input.view(other.size())``."""
    return _viewed(input, tuple(shape_of(tensor("view_as", "other", other))))


@public(out=False, is_function=False, name="reshape")
def reshape_method(input: Any, *shape: Any, **keyword: Any) -> Any:
    """Return the same elements in another shape: a view where strides allow it, else a copy. One size may be
    -1.
    """
    return reshaped(input, ints("reshape", "shape", shape, keyword.get("shape")))


@public(out=False, method=False)
def reshape(input: Any, shape: Any) -> Any:
    """Return the same elements in another shape: a view where strides allow it, else a copy. One size may be
    -1.
    """
    return reshaped(input, sequence("reshape", "shape", 2, shape))


def reshaped(input: Any, shape: Ints) -> Any:
    """Return `reshape` to a tuple of ints."""
    value = input._value if isinstance(input, TensorBase) else input
    if type(value) is ndarray:
        found = inferred(shape, value.size)
        if value is not input and value.flags.c_contiguous:
            return structure.reshape_view(input, found)
        return structure.reshape(input, found)
    size = count(shape_of(input))
    return structure.reshape(input, inferred(shape, size))


@public(is_function=False, out=False)
def reshape_as(input: Any, other: Any) -> Any:
    """Return ``input.reshape(other.size())``."""
    return reshaped(input, tuple(shape_of(tensor("reshape_as", "other", other))))


@public(out=False)
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Return the axes `start_dim` to `end_dim` as one."""
    shape = shape_of(tensor("flatten", "input", input))
    start = checked_dim(integer("flatten", "start_dim", 1, start_dim), len(shape))
    end = checked_dim(integer("flatten", "end_dim", 2, end_dim), len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshaped(input, (1,))
    if start == end:
        return input
    return reshaped(input, (*shape[:start], count(shape[start : end + 1]), *shape[end + 1 :]))


def _unflatten(self: Any, dim: int, sizes: Sequence[int]) -> Any:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    _UNFLATTEN.bind((dim, sizes), {})
    return unflatten(self, dim, sizes)


_UNFLATTEN = Parser("unflatten", "(int dim, tuple of ints sizes)")


@public(out=False, method=False)
def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """Return the axis `dim` as several axes of `sizes`; one size may be -1."""
    shape = shape_of(tensor("unflatten", "input", input))
    dim = checked_dim(integer("unflatten", "dim", 2, dim), len(shape))
    if not shape:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    if not (new := sequence("unflatten", "sizes", 2, sizes)):
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        found = inferred(new, shape[dim])
    except RuntimeError as error:
        if "is invalid for input of size" not in str(error):
            raise RuntimeError(f"unflatten got an unexpected error:\n{error}") from None
        raise RuntimeError(
            f"unflatten: Provided sizes {list(new)} don't multiply up to the size of dim {dim} "
            f"({shape[dim]}) in the input tensor"
        ) from None
    return _viewed(input, (*shape[:dim], *found, *shape[dim + 1 :]))


_unflatten.__doc__ = unflatten.__doc__
public(_unflatten, name="unflatten", is_function=False, out=False)


@public(out=False)
def ravel(input: Any) -> Any:
    """Return all elements along one axis."""
    layout = array_or_phantom(tensor("ravel", "input", input))
    if layout is not None and not layout.flags.c_contiguous:
        input = structure.contiguous_copy(input)
    return reshaped(input, (-1,)) if count(shape_of(input)) else reshaped(input, (0,))


def squeeze_dims_argument(input: Any, dim: Any) -> int | Ints | None:
    """Return the checked `dim` of `squeeze`: none, one, or several."""
    rank = len(shape_of(tensor("squeeze", "input", input)))
    if dim is NOT_GIVEN:
        return None
    if is_int(dim):
        return checked_dim(int(dim), rank)
    if not isinstance(dim, (tuple, list)):
        raise errors.invalid_combination(
            "squeeze",
            (dim,),
            {},
            {
                "()": [("dim", lambda a: False)],
                "(int dim)": [("dim", is_int)],
                "(tuple of ints dim)": [("dim", lambda a: isinstance(a, (tuple, list)))],
            },
        )
    return distinct_dims(sequence("squeeze", "dim", 1, dim), rank)


@public(name="squeeze", is_function=False, out=False)
def _squeeze(input: Any, dim: Any = NOT_GIVEN, *more: Any) -> Any:
    """Return it without the axes of size 1, or without those of `dim` whose size is 1."""
    return _squeezed(input, (dim, *more) if more else dim)


@public(out=False, method=False)
def squeeze(input: Any, dim: Any = NOT_GIVEN) -> Any:
    """Return it without the axes of size 1, or without those of `dim` whose size is 1."""
    return _squeezed(input, dim)


def _squeezed(input: Any, dim: Any) -> Any:
    if (chosen := squeeze_dims_argument(input, dim)) is None:
        return v.squeeze(input)
    return v.squeeze_dim(input, chosen) if isinstance(chosen, int) else v.squeeze_dims(input, chosen)


@public(out=False)
def unsqueeze(input: Any, dim: int) -> Any:
    """Return it with a new axis of size 1 at `dim`."""
    rank = len(shape_of(tensor("unsqueeze", "input", input)))
    return v.unsqueeze(input, checked_dim(integer("unsqueeze", "dim", 1, dim), rank + 1))


# --- other orders of axes -----------------------------------------------------------------------------------


@public(out=False)
def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """Return axes `dim0` and `dim1` exchanged."""
    rank = len(shape_of(tensor("transpose", "input", input)))
    if type(dim0) is not int or type(dim1) is not int:
        dim0 = integer("transpose", "dim0", 1, dim0)
        dim1 = integer("transpose", "dim1", 2, dim1)
    return v.transpose(input, checked_dim(dim0, rank), checked_dim(dim1, rank))


@public(out=False, aliases=("swapdims",))
def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """Return axes `axis0` and `axis1` exchanged."""
    return transpose(input, axis0, axis1)


@public(out=False)
def t(input: Any) -> Any:
    """Return the transpose of a matrix; a vector as it is."""
    rank = len(shape_of(tensor("t", "input", input)))
    if rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    return v.t(input)


@public(out=False, method=False)
def permute(input: Any, dims: Any) -> Any:
    """Return the axes in the order `dims`."""
    return _permuted(tensor("permute", "input", input), sequence("permute", "dims", 2, dims))


@public(name="permute", is_function=False, out=False)
def _permute(input: Any, *dims: Any, **keyword: Any) -> Any:
    """Return the axes in the order `dims`."""
    return _permuted(input, ints("permute", "dims", dims, keyword.get("dims")))


def _permuted(input: Any, order: Ints) -> Any:
    rank = len(shape_of(input))
    if len(order) != rank:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            "desired ordering of dimensions "
            f"i.e. input.dim() = {rank} is not equal to len(dims) = {len(order)}"
        )
    canonical = dims(order, rank)
    if len({*canonical}) != rank:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return structure.permute(input, canonical)


@public(out=False, aliases=("moveaxis",))
def movedim(input: Any, source: Any, destination: Any) -> Any:
    """Return the axes `source` moved to the places `destination`; the others keep their order."""
    rank = len(shape_of(tensor("movedim", "input", input)))
    sources = int_or_sequence("movedim", "source", 1, source)
    places = int_or_sequence("movedim", "destination", 2, destination)
    if len(sources) != len(places):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the "
            f"same number of dims as destination ({list(places)} dims)"
        )
    a, b = dims(sources, rank), dims(places, rank)
    for name, canonical, given in (("source", a, sources), ("destination", b, places)):
        if len(set(canonical)) != len(canonical):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if not rank:
        return v.alias(input)
    order = [-1] * rank
    for source_dim, place in zip(a, b, strict=True):
        order[place] = source_dim
    rest = iter(d for d in range(rank) if d not in a)
    return structure.permute(input, tuple([next(rest) if d < 0 else d for d in order]))


@public(out=False)
def adjoint(input: Any) -> Any:
    """Return the matrices of the last two axes transposed and conjugated."""
    return _adjoint(tensor("adjoint", "input", input), "tensor.adjoint()")


def _adjoint(x: Any, name: str) -> Any:
    if (rank := len(shape_of(x))) < 2:
        if not rank:
            name = "adjoint()" if name == "tensor.adjoint()" else name.replace("tensor", "Tensor", 1)
            warn_once(f"{name} is deprecated on 0-D tensors. Consider using x.conj().")
            return conj_view(x) if dtype_of(x).kind in "cW" else x
        raise RuntimeError(
            f"{name} is only supported on matrices or batches of matrices. Got {rank}-D tensor."
        )
    turned = v.transpose(x, rank - 2, rank - 1)
    return conj_view(turned) if dtype_of(x).kind in "cW" else turned


_IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
_REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
    "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def _reversed_axes(self: Any) -> Any:
    """Return the axes in reverse order."""
    if not (rank := len(shape_of(self))):
        warn_once(_IDENTITY.format("T"))
    elif rank != 2:
        warn_once(_REVERSED)
    return structure.permute(self, tuple(range(rank - 1, -1, -1)))


def _matrix_transpose(self: Any) -> Any:
    """Return the last two axes exchanged."""
    if (rank := len(shape_of(self))) < 2:
        if rank:
            raise RuntimeError(
                f"tensor.mT is only supported on matrices or batches of matrices. Got {rank}-D tensor."
            )
        warn_once(_IDENTITY.format("mT"))
        return self
    return v.transpose(self, rank - 2, rank - 1)


def _hermitian(self: Any) -> Any:
    """Return the matrix transposed and conjugated."""
    if (rank := len(shape_of(self))) not in (0, 2):
        note = ". For batches of matrices, consider using tensor.mH" if rank > 2 else "."
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor{note}")
    return _adjoint(self, "tensor.H")


for _name, _property in {
    "T": property(_reversed_axes),
    "mT": property(_matrix_transpose),
    "H": property(_hermitian),
    "mH": property(lambda self: _adjoint(self, "tensor.mH"), doc="Exchange the last two axes and conjugate."),
}.items():
    setattr(Tensor, _name, _property)
