"""Elements and slices chosen by index tensors, under torch's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import dtypes
from ..array.dtype_words import type_word
from ..core.promotion import check_broadcast, unsupported
from ..core.value import TensorBase, dtype_of, shape_of
from ..errors import argument_type
from ..ops import comparison as c
from ..ops import gather as o
from ..ops import index as i
from ..ops.arithmetic import add
from ..ops.convert import cast
from ..ops.kernel_words import RARE
from ..ops.structure import expand, reshape
from .api import public
from .assign import number_array
from .data import scalar_array
from .inplace_variants import InPlace
from .math import factor, number
from .rearrange import refuse_complex_history
from .sizes import count, integer, tensor
from .tensor import checked_dim

Ints = tuple[int, ...]


def _arguments(name: str, input: Any, dim: Any, index: Any) -> int:
    """Check the first arguments of a function of an axis and an index; return the axis."""
    tensor(name, "input", input)
    dim = checked_dim(integer(name, "dim", 1, dim), len(shape_of(input)))
    tensor(name, "index", index, 2)
    return dim


def _whole_axes(shape: Ints) -> Ints:
    return shape or (1,)


# --- elements along an axis ---------------------------------------------------------------------------------


@public
def gather(input: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Return ``y[i, j] = input[index[i, j], j]`` for dim 0, and alike for others; y has the shape of `index`.

    With `sparse_grad` the gradient is a sparse tensor of the elements that were gathered.
    """
    dim = _arguments("gather", input, dim, index)
    shape, own = shape_of(input), shape_of(index)
    if count(own) == 0:
        index = cast(index, np.dtype(np.int64))
        return reshape(_gathered(input, reshape(index, (0,) * max(len(shape), 1)), dim, sparse_grad), own)
    if dtype_of(index) not in dtypes.INDICES:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if len(_whole_axes(shape)) != len(_whole_axes(own)):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    if own[:dim] != shape[:dim] or own[dim + 1 :] != shape[dim + 1 :]:
        for d, (n, m) in enumerate(zip(own, shape, strict=False)):
            if d != dim and n > m:
                raise RuntimeError(
                    f"Size does not match at dimension {d} expected index {list(own)} to be no larger than "
                    f"self {list(shape)} apart from dimension {dim}"
                )
    return _gathered(input, index, dim, sparse_grad)


def _gathered(input: Any, index: Any, dim: int, sparse_grad: bool) -> Any:
    if not sparse_grad or not input.requires_grad:
        return o.gather(input, index, dim)
    from .sparse_conversion import of_places

    return o.gather_sparse(input, index, dim, of_places)


def _check_scatter(input: Any, dim: int, index: Any, source: Any) -> None:
    if count(shape_of(index)) and dtype_of(index) not in dtypes.INDICES:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    if source is not None and dtype_of(source) != dtype_of(input):
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    shape, own = shape_of(input), shape_of(index)
    if count(own) == 0:
        return
    rank = len(_whole_axes(shape))
    if len(_whole_axes(own)) != rank:
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if source is not None and len(_whole_axes(shape_of(source))) != rank:
        given = shape_of(source)
        if 0 < len(given) < rank and all(n <= m for n, m in zip(own, given, strict=False)):
            checked_dim(len(given), len(given))  # what torch asks next
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if own == shape and (source is None or shape == shape_of(source)):
        return
    too_large = any(d != dim and n > m for d, (n, m) in enumerate(zip(own, shape, strict=False)))
    if source is None:
        if too_large:
            raise RuntimeError(
                f"Expected index {list(own)} to be no larger than self {list(shape)} apart from dimension "
                f"{dim}"
            )
    elif too_large or any(n > m for n, m in zip(own, shape_of(source), strict=False)):
        raise RuntimeError(
            f"Expected index {list(own)} to be no larger than self {list(shape)} apart from dimension {dim} "
            f"and to be no larger size than src {list(shape_of(source))}"
        )


@public(inplace=InPlace(apart=True))
def scatter(
    input: Any, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """Return `input` with ``src[i, j]`` (or a number) at ``[index[i, j], j]``, for dim 0, others alike."""
    dim = _arguments("scatter", input, dim, index)
    source = value if src is None else src
    plain = not isinstance(source, TensorBase)
    _check_scatter(input, dim, index, None if plain else source)
    if count(shape_of(index)) == 0:
        return o.scatter_value(input, reshape(index, (0,) * max(len(shape_of(input)), 1)), dim, 0)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        kind = "sum" if reduce == "add" else "prod"
        operand = number_array(source, dtype_of(input)) if plain else source
        return o.scatter_combined(input, index, operand, dim, kind)
    if plain:
        return o.scatter_value(input, index, dim, number_array(number(source), dtype_of(input)).item())
    return o.scatter(input, index, source, dim)


@public(inplace=InPlace(apart=True))
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """Return `input` with ``src[i, j]`` added at ``[index[i, j], j]`` for dim 0, and alike for others."""
    dim = _arguments("scatter_add", input, dim, index)
    _check_scatter(input, dim, index, tensor("scatter_add", "src", src, 3))
    if count(shape_of(index)) == 0:
        index = reshape(index, (0,) * max(len(shape_of(input)), 1))
    return o.scatter_add(input, index, src, dim)


def _scatter_reduced(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    if not isinstance(include_self, bool):  # in place; the function itself asks for the kinds of arguments
        raise argument_type("scatter_reduce_", "include_self", None, "bool", include_self)
    dim = _arguments("scatter_reduce", input, dim, index)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    _check_scatter(input, dim, index, tensor("scatter_reduce", "src", src, 3))
    if count(shape_of(index)) == 0:
        index = reshape(index, (0,) * max(len(shape_of(input)), 1))
    else:
        _check_scattered(dtype_of(input), reduce, include_self)
    return o.scatter_reduce(input, index, src, dim, reduce, bool(include_self))


@public(inplace=InPlace(written=_scatter_reduced, apart=True))
def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Return `input` with ``src[i, j]`` reduced into ``[index[i, j], j]`` by sum, prod, mean, amax, amin."""
    result = _scatter_reduced(input, dim, index, src, reduce, include_self=include_self)
    refuse_complex_history("scatter_reduce", input, src)
    return result


def _check_scattered(dtype: np.dtype[Any], reduce: str, include_self: bool) -> None:
    """Raise torch's error for a dtype that it has no kernel of `scatter_reduce` for."""
    refused = {"mean": "b", "amax": "c", "amin": "c"}.get(reduce, "")
    rare = dtype in RARE or dtype == dtypes.COMPLEX32
    if rare and not include_self:
        raise unsupported("scatter_reduce_exclude_input_init", (), dtype)
    if rare or dtype.kind in refused:
        suffix = f"_reduce_{reduce}" if refused else ""
        raise unsupported(f"scatter_gather_tensor_cpu{suffix}", (), dtype)


@public
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """Return `gather` with the other axes broadcast; without `dim` from all elements as one row."""
    tensor("take_along_dim", "input", input)
    if dim is None:
        flat = reshape(input, (count(shape_of(input)),))
        _check_along(flat, indices, False)
        return o.gather(
            flat, _from_start(reshape(indices, (count(shape_of(indices)),)), shape_of(flat)[0]), 0
        )
    shape, own = shape_of(input), shape_of(indices)
    _check_along(input, indices, True)
    dim = checked_dim(dim, len(shape))
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    common = [(1, 1) if d == dim else (n, m) for d, (n, m) in enumerate(zip(shape, own, strict=True))]
    check_broadcast((np.empty([n for n, _ in common], bool), np.empty([m for _, m in common], bool)))
    whole = np.broadcast_shapes(tuple(n for n, _ in common), tuple(m for _, m in common))
    x = expand(input, tuple(shape[d] if d == dim else n for d, n in enumerate(whole)))
    places = _from_start(indices, shape[dim])
    return o.gather(x, expand(places, tuple(own[d] if d == dim else n for d, n in enumerate(whole))), dim)


def _from_start(indices: Any, size: int) -> Any:
    """Return indices with the negative ones counted from the end."""
    return c.where(c.lt(indices, 0), indices + size, indices)


def _check_along(input: Any, indices: Any, ranks: bool) -> None:
    if ranks and len(shape_of(input)) != len(shape_of(indices)):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(shape_of(input))} dimensions for input, and {len(shape_of(indices))} dimensions for "
            "indices"
        )
    if ranks and dtype_of(indices) != dtypes.int64.numpy:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {type_word(dtype_of(indices))}"
        )
    if dtype_of(indices) not in dtypes.INDICES:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")


# --- whole slices -------------------------------------------------------------------------------------------


@public
def index_select(input: Any, dim: int, index: Any) -> Any:
    """Return slices of axis `dim`, in the order of the vector `index`."""
    dim = _arguments("index_select", input, dim, index)
    if len(shape_of(index)) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not shape_of(input) and count(shape_of(index)) != 1:
        raise RuntimeError(
            f"index_select(): Index to scalar can have only 1 value, got {count(shape_of(index))} value(s)"
        )
    if dtype_of(index) not in dtypes.INDICES:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if len(shape_of(input)) < 2 and dtype_of(input).kind == "u" and dtype_of(input).itemsize > 1:
        raise unsupported("index_select", (), dtype_of(input))
    return o.index_select(input, index, dim)


def _check_slices(name: str, input: Any, dim: int, index: Any, source: Any) -> None:
    """Do torch's checks of `index_add` and `index_reduce`."""
    own, shape, size = shape_of(index), shape_of(source), shape_of(input)
    if len(own) > 1:
        raise IndexError(
            f"{name}: Index is supposed to be a vector, but got dim: {len(own)} with type: "
            f"{type_word(dtype_of(index))} and size: {list(own)}"
        )
    if dtype_of(index) not in dtypes.INDICES:
        raise RuntimeError(
            f"{name}: Expected dtype int32/int64 for index but got: {type_word(dtype_of(index))}"
        )
    if dtype_of(input) != dtype_of(source):
        raise RuntimeError(
            f"{name}: self ({type_word(dtype_of(input))}) and source ({type_word(dtype_of(source))}) must "
            "have the same scalar type"
        )
    if dim and dim >= len(shape):
        raise RuntimeError(
            f"{name}: Indexing dim {dim} is out of bounds of the source tensor with dim {len(shape)}"
        )
    along = (shape[dim] if dim < len(shape) else 1) if shape else 1
    if count(own) != along and not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if count(own) != along:
        raise RuntimeError(
            f"{name}: Number of indices ({count(own)}) should be equal to source.size(dim): ({along}), for "
            f"dim: {dim}"
        )
    if (*size[:dim], *size[dim + 1 :]) != (*shape[:dim], *shape[dim + 1 :]) or len(size) != len(shape):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(size)} source.shape = {list(shape)}"
        )


@public(inplace=InPlace(apart=True))
def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """Return `input` with ``alpha · source`` added to the slices of axis `dim` that `index` names."""
    dim = _arguments("index_add", input, dim, index)
    _check_slices("index_add_()", input, dim, index, tensor("index_add", "source", source, 3))
    if o.is_scattered(len(shape_of(input)), dim, alpha):
        o.scatter_add.op.refuse(dtype_of(input))
    elif len(shape_of(input)) > 1:
        add.op.refuse(dtype_of(input))
    return o.index_add(input, index, source, dim, factor(alpha, input))


@public(inplace=InPlace(apart=True))
def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Return `input` with slices of `source` reduced by `index`: "prod", "mean", "amax" or "amin"."""
    dim = _arguments("index_reduce", input, dim, index)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}."
        )
    _check_slices("index_reduce_()", input, dim, index, tensor("index_reduce", "source", source, 3))
    _check_reduced(dtype_of(input), len(shape_of(input)), reduce, include_self)
    return o.index_reduce(input, index, source, dim, reduce, bool(include_self))


def _check_reduced(dtype: np.dtype[Any], rank: int, reduce: str, include_self: bool) -> None:
    """Raise torch's error for a dtype that it has no kernel of `index_reduce` for."""
    word = None
    if dtype in RARE or dtype.kind in "bcW":
        if not include_self:
            word = "index_reduce_func_exclude_input_init"
        elif rank < 2:
            word = "index_func_"
        elif reduce in ("amax", "amin") and dtype.kind != "b":
            word = "maximum_cpu" if reduce == "amax" else "minimum_cpu"
        elif reduce == "mean" and dtype.kind != "c":
            word = {"b": "div_floor_cpu", "W": "div_cpu"}.get(dtype.kind, "add_stub")
    if word is not None:
        raise unsupported(word, (), dtype)


@public(inplace=InPlace(apart=True))
def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """Return `input` with the slices of axis `dim` that `index` names replaced by those of `source`."""
    dim = _arguments("index_copy", input, dim, index)
    own, shape, size = shape_of(index), shape_of(tensor("index_copy", "source", source, 3)), shape_of(input)
    if len(own) > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {len(own)})")
    if not shape and count(own) != 1:
        raise IndexError(
            f"index_copy_(): When source is scalar, index should have one element (got {count(own)})"
        )
    if len(shape) != len(size) and shape and size:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. "
            f"Source dimensionality ({len(shape)}), destination dimensionality ({len(size)})"
        )
    if dtype_of(index) != dtypes.int64.numpy:
        raise RuntimeError(
            f"index_copy_(): Expected a long tensor for index, but got {type_word(dtype_of(index))}"
        )
    if dtype_of(input) != dtype_of(source):
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{type_word(dtype_of(input))} and (source) {type_word(dtype_of(source))}"
        )
    rest, own_rest = (*size[:dim], *size[dim + 1 :]), (*shape[:dim], *shape[dim + 1 :])
    if rest != own_rest:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, rest))} at dimension {dim} and source slice shape: "
            f"{' '.join(map(str, own_rest))} at dimension 0."
        )
    if shape and count(own) != shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({count(own)}) should be equal to source.size(dim) "
            f"({shape[dim]})"
        )
    return o.index_copy(input, index, source, dim)


@public(inplace=InPlace(fills=True))
def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """Return `input` with one value in the slices of axis `dim` that `index` names."""
    dim = _arguments("index_fill", input, dim, index)
    if isinstance(value, TensorBase) and shape_of(value):
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(shape_of(value))} dimension(s)."
        )
    if dtype_of(index) != dtypes.int64.numpy:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if len(shape_of(index)) > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if dtype_of(value).kind in "cW" and dtype_of(input).kind not in "cW":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    o.index_fill_tensor.op.refuse(dtype_of(input))
    if isinstance(value, TensorBase):
        return o.index_fill_tensor(input, index, value, dim)
    return o.index_fill(input, index, dim, scalar_array(value, dtype_of(input)).item())


# --- flat places --------------------------------------------------------------------------------------------


@public
def take(input: Any, index: Any) -> Any:
    """Return elements of `input` as one row at the places `index`."""
    tensor("take", "input", input)
    if dtype_of(tensor("take", "index", index, 2)) != dtypes.int64.numpy:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {type_word(dtype_of(index))}")
    if not count(shape_of(input)) and count(shape_of(index)):
        raise IndexError("take(): tried to take from an empty tensor")
    return i.take(input, index)


@public(inplace=InPlace(apart=True), out=False)
def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Return `input` with the elements at flat places replaced by those of `source`, or with these added."""
    tensor("put", "input", input)
    if dtype_of(tensor("put", "index", index, 2)) != dtypes.int64.numpy:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {type_word(dtype_of(index))}")
    if dtype_of(input) != dtype_of(tensor("put", "source", source, 3)):
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{type_word(dtype_of(input))} and source.dtype = {type_word(dtype_of(source))}"
        )
    given, wanted = count(shape_of(source)), count(shape_of(index))
    if given != wanted:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{given}, index.numel() = {wanted}"
        )
    return i.put(input, index, source, bool(accumulate))
