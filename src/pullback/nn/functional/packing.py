"""Define packing and unpacking of sequences as torch's top level has them; programs use `nn.utils.rnn`."""

from typing import Any

import numpy as np

from ...core.value import array_of, wrap
from ...ops import ragged
from ...tensor.api import public
from ...tensor.signature import parsed


def _lengths(lengths: Any, batch: int) -> tuple[int, ...]:
    """Return checked lengths as numbers."""
    if (given := array_of(lengths)).ndim != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {given.ndim}D cpu Long tensor"
        )
    if len(given) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(given)} (batch_size={batch})"
        )
    if (given[-1:] <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (given[1:] > given[:-1]).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    return tuple(map(int, given))


@public(method=False, out=False)
@parsed("_pack_padded_sequence", "(Tensor input, Tensor lengths, bool batch_first)")
def _pack_padded_sequence(input: Any, lengths: Any, batch_first: bool) -> tuple[Any, Any]:
    """Pack (T, N, …), or (N, T, …) with `batch_first`, whose sequences have falling lengths (N,).

    Returns
    -------
    (data, batch_sizes)
        (elements, …) and (T,): how many sequences have each step.
    """
    steps = input.transpose(0, 1) if batch_first else input
    batch = steps.size(1)
    if not steps.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    counts = _lengths(lengths, batch)
    total = min(counts[0], steps.size(0))
    sizes = np.add.reduce(np.less(np.arange(total)[:, None], np.array(counts)), axis=1, dtype=np.int64)
    return ragged.pack(steps, counts), wrap(sizes)


@public(method=False, out=False)
@parsed(
    "_pad_packed_sequence",
    "(Tensor data, Tensor batch_sizes, bool batch_first, Number padding_value, int total_length)",
)
def _pad_packed_sequence(
    data: Any, batch_sizes: Any, batch_first: bool, padding_value: float, total_length: int
) -> tuple[Any, Any]:
    """Unpack to (total_length, N, …), or (N, total_length, …) with `batch_first`.

    Returns
    -------
    (padded, lengths)
    """
    sizes = array_of(batch_sizes)
    if total_length < len(sizes):
        raise RuntimeError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    lengths = np.add.reduce(np.greater(sizes[:, None], np.arange(int(sizes[0]))), axis=0, dtype=np.int64)
    padded = ragged.pad(data, tuple(map(int, lengths)), total_length, padding_value)
    return (padded.transpose(0, 1) if batch_first else padded), wrap(lengths)
