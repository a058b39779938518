"""Rearranged copies under torch's names, and views by strides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import not_implemented
from ..array.strides import extent, storage, strides_of
from ..core.inplace import requires_grad
from ..core.modes import modes
from ..core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ..core.visible import visible_layout
from ..ops import rearrange as r
from ..ops import strided as s
from ..ops import structure
from ..ops import view as v
from ..ops.copies import copies
from .api import public
from .batching import batch_levels
from .creation import check_size
from .index_parts import asked_size
from .parts import clamped, selected
from .shape import reshaped
from .sizes import (
    Ints,
    count,
    distinct_dims,
    int_or_sequence,
    integer,
    ints,
    is_int,
    listed,
    sequence,
    tensor,
)
from .sorting import searchsorted
from .tensor import checked_axis, checked_dim

errors = import_later("..core.graph_errors", __package__)
sort = import_later("..ops.sort", __package__)

# --- axes
#
# ------------------------------------------------------------------------------------------------------------


@public(out=False, method=False)
def flip(input: Any, dims: Sequence[int]) -> Any:
    """Return the axes `dims` in reverse."""
    return _flipped(tensor("flip", "input", input), sequence("flip", "dims", 2, dims))


@public(name="flip", is_function=False, out=False)
def _flip(input: Any, *dims: Any, **keyword: Any) -> Any:
    """Return the axes `dims` in reverse."""
    return _flipped(input, ints("flip", "dims", dims, keyword.get("dims")))


def _flipped(input: Any, dims: Ints) -> Any:
    return r.flip(input, distinct_dims(dims, len(shape_of(input))))


@public(out=False)
def fliplr(input: Any) -> Any:
    """Return the axis 1 in reverse."""
    if len(shape_of(tensor("fliplr", "input", input))) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return r.flip(input, (1,))


@public(out=False)
def flipud(input: Any) -> Any:
    """Return axis 0 in reverse."""
    if not shape_of(tensor("flipud", "input", input)):
        raise RuntimeError("Input must be >= 1-d.")
    return r.flip(input, (0,))


@public(out=False)
def rot90(input: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Any:
    """Return the plane of two axes turned by k·90°, from the first axis towards the second."""
    rank = len(shape_of(tensor("rot90", "input", input)))
    if len(plane := sequence("rot90", "dims", 3, dims)) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(plane)}")
    if rank < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {rank}")
    if plane[0] == plane[1] or abs(plane[0] - plane[1]) == rank:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {plane[0]} and dim1 = {plane[1]}"
        )
    turns = integer("rot90", "k", 1, k) % 4
    return r.rot90(input, turns, (checked_dim(plane[0], rank), checked_dim(plane[1], rank)))


@public(out=False)
def roll(input: Any, shifts: Any, dims: Any = ()) -> Any:
    """Return axes shifted in a circle; without `dims` the elements as one row."""
    shape = shape_of(tensor("roll", "input", input))
    by = int_or_sequence("roll", "shifts", 2, shifts)
    over = int_or_sequence("roll", "dims", 3, () if dims is None else dims)
    if not by:
        raise RuntimeError("`shifts` required")
    if not over and len(by) == 1:
        return r.roll(input, by, ())
    if len(by) != len(over):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}")
    if 0 in shape:
        return r.roll(input, (0,), (0,))
    if not shape and over:
        raise IndexError(f"Dimension specified as {over[0]} but tensor has no dimensions")
    return r.roll(input, by, tuple(checked_dim(d, len(shape)) for d in over))


@public(is_function=False, out=False)
def repeat(input: Any, *repeats: Any, **keyword: Any) -> Any:
    """Return the whole repeated along each axis; more counts than axes add leading axes."""
    return _repeated(input, ints("repeat", "repeats", repeats, keyword.get("repeats")))


def _repeated(input: Any, counts: Ints) -> Any:
    shape = shape_of(input)
    if len(counts) < len(shape):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    padded = (1,) * (len(counts) - len(shape)) + tuple(shape)
    check_size([n * size for n, size in zip(counts, padded, strict=True)])
    return r.repeat(input, counts)


@public(method=False, out=False)
def tile(input: Any, dims: Sequence[int]) -> Any:
    """Return `repeat` with as many leading ones as `dims` lacks."""
    return _tiled(tensor("tile", "input", input), sequence("tile", "dims", 2, dims))


@public(name="tile", is_function=False, out=False)
def _tile(input: Any, *dims: Any, **keyword: Any) -> Any:
    """Return `repeat` with as many leading ones as `dims` lacks."""
    return _tiled(input, ints("tile", "dims", dims, keyword.get("dims")))


def _tiled(input: Any, counts: Ints) -> Any:
    return _repeated(input, (1,) * (len(shape_of(input)) - len(counts)) + counts)


@public(out=False)
def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Any:
    """Return each place of axis `dim` (of all elements as one row) repeated, by one count or one a place."""
    if repeats is None:
        if (places := _traced_repeats(input, count(shape_of(input)))) is None:
            places = wrap(np.repeat(np.arange(shape_of(input)[0]), _counts(input)))
        _check_allocated(output_size, places, shape_of(input)[0])
        return places
    if is_int(repeats) and not isinstance(repeats, TensorBase):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        x = input if dim is not None else reshaped(input, (count(shape_of(input)),))
        shape = shape_of(x)
        dim = 0 if dim is None else checked_dim(integer("repeat_interleave", "dim", 2, dim), len(shape))
        if not shape:
            raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
        whole = shape[dim] * repeats
        if output_size is not None and output_size != whole:
            raise RuntimeError(
                f"repeat_interleave: Invalid output_size, expected {whole} but got {output_size}"
            )
        x = v.unsqueeze(x, dim + 1)
        x = structure.contiguous_copy(structure.expand(x, (*shape[: dim + 1], repeats, *shape[dim + 1 :])))
        return reshaped(x, (*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :]))
    counts = tensor("repeat_interleave", "repeats", repeats, 2)
    x = input if dim is not None else reshaped(input, (count(shape_of(input)),))
    dim = checked_axis(dim, len(shape_of(x))) if dim is not None else 0
    size = shape_of(x)[dim]
    if len(shape_of(counts)) == 1 and shape_of(counts)[0] not in (1, size):
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{shape_of(counts)[0]} and input.size({dim}) = {size}"
        )
    if (places := _traced_repeats(counts, size)) is None:
        places = np.repeat(np.arange(size), np.broadcast_to(_counts(counts), (size,)))
    _check_allocated(output_size, places, size)
    if isinstance(places, TensorBase):
        return x.index_select(dim, places)
    return r.take_places(x, dim, tuple(places.tolist()))


def _check_allocated(output_size: int | None, places: Any, size: int) -> None:
    if size and output_size is not None and output_size != len(places):
        raise RuntimeError("allocated size does not match required size")


def _traced_repeats(counts: Any, size: int) -> Any:
    """Return each place of an axis as often as traced counts say; None where no trace knows how many."""
    asked = asked_size(counts)
    if asked is None or not size or len(shape_of(counts)) > 1 or dtype_of(counts) not in _COUNTED:
        return None
    spread = counts.expand(size)
    ends = spread.cumsum(0)
    # What is refused is another size than any, so that calls tell the two apart.
    found = asked(ends[-1].where(spread.amin() >= 0, -1))
    if found < 0:
        raise RuntimeError("repeats can not be negative")
    return searchsorted(ends, wrap(np.arange(found)), right=True)


#: Dtypes of numbers of repeats.
_COUNTED = (np.dtype(np.int32), np.dtype(np.int64))


def _counts(counts: Any) -> ndarray:
    if (array := array_of(counts)).dtype not in _COUNTED:
        raise not_implemented("repeat_interleave_cpu", array.dtype)
    if array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if array.size and array.min() < 0:
        raise RuntimeError("repeats can not be negative")
    return array


# --- triangles and diagonals --------------------------------------------------------------------------------


def _triangle(name: str, input: Any, diagonal: int) -> int:
    if len(shape_of(tensor(name, "input", input))) < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
    return integer(name, "diagonal", 2, diagonal)


@public(inplace=True)
def tril(input: Any, diagonal: int = 0) -> Any:
    """Return zeros above a diagonal of the matrices of the last two axes."""
    return r.tril(input, _triangle("tril", input, diagonal))


@public(inplace=True)
def triu(input: Any, diagonal: int = 0) -> Any:
    """Return zeros below a diagonal of the matrices of the last two axes."""
    return r.triu(input, _triangle("triu", input, diagonal))


@public
def diag(input: Any, diagonal: int = 0) -> Any:
    """Return a vector as the diagonal of a matrix, or the diagonal of a matrix."""
    rank = len(shape_of(tensor("diag", "input", input)))
    diagonal = integer("diag", "diagonal", 1, diagonal)
    if rank == 1:
        return r.diag_embed(input, diagonal, 0, 1)
    if rank == 2:
        return copies["diagonal"](v.diagonal(input, diagonal, 0, 1))
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {rank}D")


@public(out=False)
def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Return the last axis on a diagonal of two new axes."""
    rank = len(shape_of(tensor("diag_embed", "input", input)))
    a, b = checked_dim(dim1, rank + 1), checked_dim(dim2, rank + 1)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return r.diag_embed(input, integer("diag_embed", "offset", 1, offset), a, b)


@public(out=False)
def diagflat(input: Any, offset: int = 0) -> Any:
    """Return all elements on the diagonal of a matrix."""
    row = reshaped(tensor("diagflat", "input", input), (count(shape_of(input)),))
    return r.diag_embed(row, integer("diagflat", "offset", 1, offset), 0, 1)


@public(method=False, out=False)
def block_diag(*tensors_: Any) -> Any:
    """Return matrices along the diagonal of one, zeros elsewhere."""
    matrices = []
    for i, x in enumerate(listed("block_diag", tensors_)):
        if (rank := len(shape_of(x))) > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {rank} "
                "dimensions"
            )
        matrices.append(x if rank == 2 else reshaped(x, (1, count(shape_of(x)))))
    if not matrices:
        return wrap(np.empty((1, 0), dtypes.get_default_dtype().numpy))
    return r.block_diag(matrices, tuple(tuple(shape_of(x)) for x in matrices))


# --- parts replaced -----------------------------------------------------------------------------------------


def _same_size(src: Any, part: Ints) -> None:
    if shape_of(src) != part:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(shape_of(src))}, "
            f"slice size = {list(part)}"
        )


def refuse_complex_history(name: str, *operands: Any) -> None:
    """Raise torch's error where a derivative of complex numbers would be recorded that torch has not."""
    if dtype_of(operands[0]).kind in "cW" and modes().grad and any(map(requires_grad, operands)):
        raise RuntimeError(
            f"{name} does not support automatic differentiation for outputs with complex dtype."
        )


@public(out=False)
def select_scatter(input: Any, src: Any, dim: int, index: int) -> Any:
    """Return `input` with the part at `index` of axis `dim` replaced by `src`."""
    shape = shape_of(tensor("select_scatter", "input", input))
    dim, index = integer("select_scatter", "dim", 3, dim), integer("select_scatter", "index", 4, index)
    dim, index = selected(shape, dim, index)
    _same_size(tensor("select_scatter", "src", src, 2), (*shape[:dim], *shape[dim + 1 :]))
    refuse_complex_history("select_scatter", input, src)
    return r.select_scatter(input, src, dim, index)


@public
def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Return `input` with a slice of axis `dim` replaced by `src`."""
    if not (shape := shape_of(tensor("slice_scatter", "input", input))):
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = checked_dim(dim, len(shape))
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    size = shape[dim]
    first, last = clamped(0 if start is None else start, size if end is None else end, size)
    _same_size(
        tensor("slice_scatter", "src", src, 2), (*shape[:dim], -(-(last - first) // step), *shape[dim + 1 :])
    )
    refuse_complex_history("slice_scatter", input, src)
    return r.slice_scatter(input, src, dim, first, last, step)


@public(out=False)
def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Return `input` with a diagonal replaced by `src`."""
    shape = shape_of(tensor("diagonal_scatter", "input", input))
    a, b = checked_dim(dim1, len(shape)), checked_dim(dim2, len(shape))
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n, m = shape[a], shape[b]
    length = max(min(n, m - offset) if offset >= 0 else min(n + offset, m), 0)
    _same_size(
        tensor("diagonal_scatter", "src", src, 2),
        (*(size for d, size in enumerate(shape) if d not in (a, b)), length),
    )
    return r.diagonal_scatter(input, src, offset, a, b)


# --- strides ------------------------------------------------------------------------------------------------


def layout_argument(
    function: str, input: Any, size: Any, stride: Any, storage_offset: int | None
) -> tuple[Ints, Ints, int, int, Ints]:
    """Return checked sizes, strides and offset, where the input begins in its storage, and its strides."""
    shape = sequence(function, "size", 2, size)
    strides = sequence(function, "stride", 3, stride)
    if len(shape) != len(strides):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(n < 0 for n in strides):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(strides)}"
        )
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(strides)}"
        )
    array = visible_layout(input)
    root, begin = storage(array)
    at = begin // array.itemsize
    offset = at if storage_offset is None else storage_offset
    reach = extent(shape, strides)
    if input._level and batch_levels(input):
        _check_row(shape, strides, offset, storage_offset or 0, at, extent(array.shape, strides_of(array)))
    elif offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if reach and (offset + reach) * array.itemsize > root.nbytes:
        raise errors.outside_storage(shape, strides, offset, array.itemsize, root.nbytes)
    return shape, strides, offset, at, strides_of(array)


def _check_row(shape: Ints, strides: Ints, offset: int, given: int, at: int, length: int) -> None:
    """Raise torch's error where a view of a row, which is `length` elements long, leaves the row."""
    reach = extent(shape, strides)
    if not reach or (length and offset >= at and offset + reach <= at + length):
        return
    ranges = (
        f"`result` can access some memory in range [{offset}, {offset + reach}], but `tensor` can only "
        f"access some memory in range [{at}, {at + length}]."
        if length
        else "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with "
        "some storage."
    )
    raise RuntimeError(
        f"result = tensor.as_strided({list(shape)}, {list(strides)}, {given}) can access memory outside of "
        f"`tensor`. {ranges} This is not supported inside of vmap, please try to rewrite the `as_strided` "
        "call as a sequence of PyTorch view operations"
    )


@public(out=False)
def as_strided(input: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Return the view of the input's storage with the given sizes and strides (in elements)."""
    shape, strides, offset, at, own = layout_argument(
        "as_strided", tensor("as_strided", "input", input), size, stride, storage_offset
    )
    return s.as_strided(input, shape, strides, offset - at, tuple(shape_of(input)), own)


@public(out=False)
def as_strided_scatter(
    input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None
) -> Any:
    """Return `input` with the elements that `as_strided` selects replaced by `src`."""
    layout = visible_layout(tensor("as_strided_scatter", "input", input))
    if any(n > 1 and step == 0 for n, step in zip(layout.shape, layout.strides, strict=True)):
        # As in torch, places are then counted in a copy.
        input = structure.contiguous_copy(input)
    shape, strides, _, at, own = layout_argument("as_strided_scatter", input, size, stride, storage_offset)
    _same_size(tensor("as_strided_scatter", "src", src, 2), shape)
    return s.as_strided_scatter(input, src, shape, strides, storage_offset, at, own)


@public(is_function=False, out=False)
def unfold(input: Any, dimension: int, size: int, step: int) -> Any:
    """Return windows of `size` places of an axis, `step` apart, along a new last axis."""
    shape = shape_of(tensor("unfold", "input", input))
    dim = checked_dim(integer("unfold", "dimension", 1, dimension), len(shape))
    length = shape[dim] if shape else 1
    size, step = integer("unfold", "size", 2, size), integer("unfold", "step", 3, step)
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return s.unfold(input, dim, size, step) if shape else v.slice_dim(reshaped(input, (1,)), 0, 0, size, 1)
