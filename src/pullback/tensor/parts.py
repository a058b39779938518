"""Parts of a tensor along an axis, one or several; all are views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..array import dtypes
from ..array.dtype_words import type_word
from ..core.value import TensorBase, array_of, dtype_of, number_of, shape_of
from ..ops import join, structure
from ..ops import view as v
from .api import public
from .signature import Parser
from .sizes import Ints, count, integer, is_int, sequence, tensor
from .tensor import checked_dim


def selected(shape: Sequence[int], dim: int, index: int) -> tuple[int, int]:
    """Return an axis and a place along it as non-negative numbers, or torch's errors."""
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(dim, len(shape))
    size = shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}"
        )
    return dim, index + size if index < 0 else index


@public(out=False)
def select(input: Any, dim: int, index: int) -> Any:
    """Return the part at `index` of axis `dim`, without that axis."""
    shape = shape_of(tensor("select", "input", input))
    dim, index = integer("select", "dim", 1, dim), integer("select", "index", 2, index)
    return v.select(input, *selected(shape, dim, index))


@public(out=False)
def narrow(input: Any, dim: int, start: Any, length: int) -> Any:
    """Return the places start … start + length − 1 of axis `dim`."""
    shape = shape_of(tensor("narrow", "input", input))
    if isinstance(start, TensorBase):
        if shape_of(start) != () or dtype_of(start).kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(number_of(start))
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    start, length = integer("narrow", "start", 2, start), integer("narrow", "length", 3, length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = checked_dim(integer("narrow", "dim", 1, dim), len(shape))
    size = shape[dim]
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    if start < 0:
        start += size
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return v.slice_dim(input, dim, start, start + length, 1)


@public(out=False)
def diagonal(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return the diagonal of axes `dim1` and `dim2`, as a last axis."""
    rank = len(shape_of(tensor("diagonal", "input", input)))
    a, b = checked_dim(dim1, rank), checked_dim(dim2, rank)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return v.diagonal(input, integer("diagonal", "offset", 1, offset), a, b)


@public(namespace="linalg", out=False, name="diagonal")
def linalg_diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return the diagonal of the last two axes."""
    return diagonal(A, offset, dim1, dim2)


# --- several parts ------------------------------------------------------------------------------------------


@public(out=False)
def unbind(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return the parts along axis `dim`, each without it."""
    rank = len(shape_of(tensor("unbind", "input", input)))
    dim = checked_dim(integer("unbind", "dim", 1, dim), rank)
    if not rank:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return structure.unbind(input, dim)


@public(method=False, out=False)
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of one size along axis `dim` (the last may be smaller), or parts of the given sizes."""
    parts: tuple[Any, ...] = tensor.split(split_size_or_sections, dim)
    return parts


_SPLIT = Parser(
    "split", "(Tensor input, int split_size, int dim = 0)",
    "(Tensor input, tuple of ints split_size, int dim = 0)",
)  # fmt: skip


@public(name="split", is_function=False, out=False, method=True, behind="Tensor.split")
def _split(self: Any, split_size: Any, dim: int = 0) -> tuple[Any, ...]:
    """Return parts of one size along axis `dim` (the last may be smaller), or parts of the given sizes."""
    size = split_size
    if isinstance(size, TensorBase) and count(shape_of(size)) == 1:
        size = int(array_of(size).item())
    if not isinstance(size, int):
        return split_with_sizes(self, size, dim)
    if type(dim) is not int or type(size) is not int or max(abs(size), abs(dim)) >= 1 << 63:
        dim, size = map(_SPLIT.bind((self, size, dim), {}).__getitem__, ("dim", "split_size"))
    if not (shape := shape_of(self)):
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = checked_dim(dim, len(shape))
    if size == 0 and shape[dim]:
        raise RuntimeError(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {shape[dim]}"
        )
    return join.split(self, int(size), dim)


@public(out=False)
def split_with_sizes(input: Any, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """Return parts of the given sizes along axis `dim`."""
    sizes = sequence("split_with_sizes", "split_sizes", 2, split_sizes)
    if not (shape := shape_of(input)):
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    named_dim, dim = dim, checked_dim(dim, len(shape))
    if sizes and min(sizes) < 0:
        raise RuntimeError(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(sizes)}"
        )
    if sum(sizes) != shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {shape[dim]} (input tensor's size at "
            f"dimension {named_dim}), but got split_sizes={list(sizes)}"
        )
    return join.split_with_sizes(input, sizes, dim)


@public(out=False)
def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Return at most `chunks` parts of one size along axis `dim`."""
    if not (shape := shape_of(tensor("chunk", "input", input))):
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    chunks, dim = integer("chunk", "chunks", 2, chunks), integer("chunk", "dim", 3, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = checked_dim(dim, len(shape))
    if not (size := -(-shape[dim] // chunks)):
        return join.split_with_sizes(input, (0,) * chunks, dim)
    return join.split(input, size, dim)


@public(out=False)
def tensor_split(
    input: Any, indices_or_sections: Any = None, dim: int = 0, *, indices: Any = None, sections: Any = None,
    tensor_indices_or_sections: Any = None,
) -> tuple[Any, ...]:
    """Return parts of nearly equal size along axis `dim`, or parts that end before the given places."""
    shape = shape_of(tensor("tensor_split", "input", input))
    where = next(
        (a for a in (indices_or_sections, indices, sections, tensor_indices_or_sections) if a is not None),
        None,
    )
    if not shape:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = checked_dim(integer("tensor_split", "dim", 2, dim), len(shape))
    if isinstance(where, TensorBase):
        if dtype_of(where) != dtypes.int64.numpy:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{type_word(dtype_of(where))}"
            )
        where = array_of(where).tolist()
    return _split_at(input, _places(where, shape[dim]), dim)


def _places(where: Any, size: int) -> Ints:
    """Return where the parts after the first begin."""
    if not is_int(where):
        return sequence("tensor_split", "indices", 2, where)
    if (where := int(where)) <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {where}")
    part, larger = divmod(size, where)
    return tuple(i * part + min(i, larger) for i in range(1, where))


def _split_at(x: Any, places: Ints, dim: int) -> tuple[Any, ...]:
    size = shape_of(x)[dim]
    parts = []
    start = 0
    for end in (*places, size):
        parts.append(v.slice_dim(x, dim, *clamped(start, end, size), 1))
        start = end
    return tuple(parts)


def clamped(start: int, stop: int, size: int) -> tuple[int, int]:
    """Return a slice's ends counted from 0 and within the axis, the second not before the first."""
    start = min(max(start + size if start < 0 else start, 0), size)
    stop = min(max(stop + size if stop < 0 else stop, start), size)
    return start, stop


def _split_along(name: str, input: Any, where: Any, dim: int, least: int) -> tuple[Any, ...]:
    shape = shape_of(tensor(name, "input", input))
    if len(shape) < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
            f"{len(shape)} dimensions!"
        )
    if is_int(where) and (where == 0 or shape[dim] % abs(where)):
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
            f"{shape[dim]} is not divisible by the split_size {where}!"
        )
    return _split_at(input, _places(where, shape[dim]), dim)


@public(out=False)
def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Return parts along axis 1 (axis 0 of a vector)."""
    return _split_along("hsplit", input, indices_or_sections, 0 if len(shape_of(input)) == 1 else 1, 1)


@public(out=False)
def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Return parts along axis 0."""
    return _split_along("vsplit", input, indices_or_sections, 0, 2)


@public(out=False)
def dsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """Return parts along axis 2."""
    return _split_along("dsplit", input, indices_or_sections, 2, 3)
