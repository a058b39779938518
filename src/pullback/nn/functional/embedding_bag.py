"""Define bags of a table's rows under torch's name, with its checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array.dtype_words import class_name
from ...array.dtypes import int64
from ...core.meta import is_meta, looked_at
from ...core.tracer import Tracer
from ...core.value import array_of, dtype_of, shape_of
from ...core.warn import warn
from ...ops import embedding_bag as ops
from ...ops.convert import cast
from ...tensor.creation import full, zeros
from ...tensor.join import cat
from ...tensor.properties import common_dtype
from ...tensor.ranges import arange
from ...tensor.select import index_select
from ...tensor.signature import Parser
from ...tensor.sorting import searchsorted
from .embedding import check_indices, embedding, renormalise
from .loss_reduction import mirrored

_FLOATING = ("float16", "bfloat16", "float32", "float64")


def _flat(input: Any, offsets: Any, weights: Any) -> tuple[Any, Any, Any, bool]:
    """Return indices in a row, the bags' offsets, samples' weights, and whether bags were a matrix's rows."""
    if (rank := input.dim()) == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of type {type(offsets)}"
            )
        if shape_of(input)[1] == 0:
            raise RuntimeError("step must be nonzero")
        starts = ops.row_starts(input)
        return input.reshape(-1), starts, None if weights is None else weights.reshape(-1), True
    if rank != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {rank}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, weights, False


def _check_table(weight: Any, weights: Any) -> None:
    if (dtype := dtype_of(weight)).name not in _FLOATING:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, "
            f"BFloat16, Float, Double; but got {class_name(dtype)} instead (while checking arguments for "
            "embedding_bag)"
        )
    if weights is not None and dtype_of(weights) != dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {class_name(dtype)} does not equal "
            f"{class_name(dtype_of(weights))} (while checking arguments for embedding_bag)"
        )


def _look(tensor: Any, look: Callable[[np.ndarray], None]) -> None:
    """Let a check look at the elements of a tensor; a value that has none yet raises."""
    if is_meta(tensor):
        looked_at(tensor, look)
    else:
        look(array_of(tensor))


def _starts(offsets: Any, count: int, include_last_offset: bool) -> tuple[Any, int]:
    """Return where bags of so many indices begin, and where the last of them ends."""
    if include_last_offset and shape_of(offsets)[0] < 1:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")

    def look(starts: np.ndarray) -> None:
        if len(starts) and starts[0] != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                f"position 0. However, got {starts[0]}\n[ {class_name(dtype_of(offsets))}{{}} ]"
            )
        if len(starts) and starts[-1] > count:
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of "
                f"{starts[-1]}"
            )

    _look(offsets, look)
    starts = offsets if dtype_of(offsets) == int64.numpy else cast(offsets, int64.numpy)
    if include_last_offset:
        return starts[:-1], int(starts[-1])
    return starts, count if shape_of(offsets)[0] else 0


def _check_rows(tensor: Any, rows: int, fast: bool) -> None:
    def look(indices: np.ndarray) -> None:
        if ((indices >= 0) & (indices < rows)).all():
            return
        place = int(np.flatnonzero((indices < 0) | (indices >= rows))[0])
        row = int(indices[place])
        if fast:
            raise RuntimeError(
                f"Index {place} of input takes value {row} which is not in the valid range [0, {rows})"
            )
        raise RuntimeError(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {row}"
        )

    _look(tensor, look)


def _bags_of_one_length(shape: tuple[int, ...], indices: Any, weight: Any, scale: Any, mode: str) -> Any:
    """Return bags in a trace, where no index is known: `embedding` has the program check them."""
    rows = embedding(indices.reshape(shape), weight)
    if scale is not None:
        rows = rows * scale.reshape((*shape, 1))
    return rows.sum(1) if mode == "sum" else rows.mean(1)


def _bags_from_offsets(indices: Any, offsets: Any, weight: Any, scale: Any, mode: str) -> Any:
    """Return bags in a trace by the bag that each sample is in, where no offset is known.

    The program refuses offsets that do not begin at 0, fall, or end behind the last sample.
    """
    count, bags = shape_of(indices)[0], shape_of(offsets)[0]
    offsets = offsets.to(int64)
    lengths = cat([offsets[1:], full((1,), count, dtype=int64)]) - offsets
    for found, limit in ((offsets[:1], 1), (lengths, count + 1)):
        index_select(zeros(limit), 0, found)
    bag = searchsorted(offsets, arange(count), right=True) - 1
    rows = embedding(indices, weight)
    if scale is not None:
        rows = rows * scale.reshape((count, 1))
    total = zeros(bags, shape_of(weight)[1], dtype=weight.dtype).index_add(0, bag, rows)
    return total if mode == "sum" else total / lengths.clamp(min=1).to(weight.dtype).unsqueeze(1)


def _in_order(input: Any, weight: Any) -> tuple[Any, Any]:
    """Return indices and table, also where they are given in the order that torch had once."""
    if weight.dtype != int64 or not input.is_floating_point():
        return input, weight
    warn(
        "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
        "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`."
    )
    return weight, input


def _check_mode(mode: str, scale_grad_by_freq: bool, sparse: bool) -> None:
    """Check how bags are reduced, and whether the gradient can be had so."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")


_PARSER = Parser("embedding_bag")


@mirrored
def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Any = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """Return sums, means or maxima of bags of rows: ``out[b] = Σ per_sample_weights[i] · weight[input[i]]``,
    i in bag b.

    Parameters
    ----------
    input : tensor of int
        (B, L), a bag per row, or (L,), bag b from ``offsets[b]`` up to the next offset.
    weight : tensor
        (rows, columns).
    offsets : tensor of int, optional
        (B,), for one-dimensional `input` only.
    max_norm, norm_type : float
        The picked rows of `weight` are first scaled, in place, down to that norm.
    scale_grad_by_freq : bool
        Divide a row's gradient by how often it was picked.
    mode : {"mean", "sum", "max"}
    sparse : bool
        The gradient is a sparse tensor of the rows that were picked.
    per_sample_weights : tensor, optional
        In the shape of `input`; for "sum" only.
    include_last_offset : bool
        Whether the last offset is the end of the last bag.
    padding_idx : int, optional
        A row that does not count and gets no gradient.

    Returns
    -------
    tensor
        (B, columns); rows of zeros for empty bags.
    """
    input, weight = _in_order(input, weight)
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    indices, offsets, scale, fixed = _flat(input, offsets, per_sample_weights)
    _check_mode(mode, scale_grad_by_freq, sparse)
    if max_norm is not None:
        renormalise(weight, array_of(indices), max_norm, norm_type)
    if scale is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
            f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    plain = mode != "max" and padding_idx is None and max_norm is None and not (sparse or scale_grad_by_freq)
    if fixed and plain and isinstance(indices._value, Tracer):
        return _bags_of_one_length(shape_of(input), indices, weight, scale, mode)
    traced = isinstance(indices._value, Tracer) or isinstance(offsets._value, Tracer)
    if traced and plain and not include_last_offset and 0 not in (*shape_of(indices), *shape_of(offsets)):
        return _bags_from_offsets(indices, offsets, weight, scale, mode)
    _PARSER.bind(
        (weight, indices, offsets, scale_grad_by_freq, 0, sparse, scale, include_last_offset, padding_idx), {}
    )
    rows = shape_of(weight)[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got "
            f"{padding_idx}"
        )
    # torch brings both to their common dtype.
    common = common_dtype(offsets, indices)
    indices, offsets = (v if dtype_of(v) == common else cast(v, common) for v in (indices, offsets))
    check_indices(indices, "embedding_bag")
    _check_table(weight, scale)
    count = shape_of(indices)[0]
    starts, end = _starts(offsets, count, include_last_offset and not fixed)
    # torch has another kernel, with another text, for these
    fast = mode != "max" and padding_idx is None and dtype_of(weight).name != "float64"
    _check_rows(indices, rows, fast)
    padding = -1 if padding_idx is None else padding_idx % rows
    if mode == "max":
        return ops.embedding_bag_max(weight, indices, starts, padding)[0]
    if end < count:
        indices, scale = indices[:end], None if scale is None else scale[:end]
    options = (mode, padding, bool(scale_grad_by_freq))
    if sparse:
        from ...tensor.sparse_conversion import of_rows

        return ops.embedding_bag_sparse(weight, indices, starts, scale, *options, of_rows)
    return ops.embedding_bag(weight, indices, starts, scale, *options)
