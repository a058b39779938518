"""torch.nn.utils.rnn: sequences of different lengths, packed and padded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...array import dtypes
from ...array.named_tuples import NamedTuple
from ...core.value import dtype_of, shape_of
from ...ops import ragged
from ...tensor.creation import tensor
from ...tensor.interchange import as_tensor
from ...tensor.ranges import arange
from ...tensor.sorting import sort
from ...tensor.tensor import Tensor
from ..functional.packing import _pack_padded_sequence, _pad_packed_sequence

__all__ = [
    "PackedSequence", "invert_permutation", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence",
    "pad_sequence", "unpack_sequence", "unpad_sequence",
]


class PackedSequence_(NamedTuple):  # torch's name
    """The fields of a `PackedSequence`."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


def _converter(name: str, dtype: Any) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        return self.to(dtype=dtype)

    convert.__name__, convert.__qualname__ = name, f"PackedSequence.{name}"
    convert.__doc__ = f"Return it in {dtype.numpy.name}."
    return convert


class PackedSequence(PackedSequence_):
    """The elements of all sequences at step 0, then those at step 1, and so on.

    Attributes
    ----------
    data : Tensor
        (elements, …).
    batch_sizes : Tensor
        (T,): how many sequences have each step.
    sorted_indices, unsorted_indices : Tensor or None
        Which sequence has which place, and which place each sequence has.
    """

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        """Make one of its parts, or of a pair (data, batch_sizes)."""
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, list | tuple) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return it with the data converted as `Tensor.to` does; itself where that changes nothing."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else type(self)(data, *self[1:])

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Return itself."""
        return self.to("cpu", *args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Refuse, as for a tensor."""
        return type(self)(self.data.cuda(*args, **kwargs), *self[1:])

    def pin_memory(self) -> PackedSequence:
        """Return it with the data as `Tensor.pin_memory` gives it."""
        return type(self)(self.data.pin_memory(), *self[1:])

    double = _converter("double", dtypes.float64)
    float = _converter("float", dtypes.float32)
    half = _converter("half", dtypes.float16)
    long = _converter("long", dtypes.int64)
    int = _converter("int", dtypes.int32)
    short = _converter("short", dtypes.int16)
    char = _converter("char", dtypes.int8)
    byte = _converter("byte", dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Return whether the data is on a GPU."""
        return self.data.is_cuda

    def is_pinned(self) -> bool:
        """Return whether the data is in pinned memory."""
        return self.data.is_pinned()


def invert_permutation(permutation: Any) -> Any:
    """Return the inverse of a permutation (n,), or None for None."""
    if permutation is None:
        return None
    inverse = permutation.new_empty(permutation.shape)
    return inverse.scatter_(0, permutation, arange(0, permutation.numel()))


def pack_padded_sequence(
    input: Any, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are side by side, padded to one length.

    Parameters
    ----------
    input : Tensor
        (T, N, …), or (N, T, …) with `batch_first`.
    lengths : Tensor or sequence of int
        (N,), falling unless `enforce_sorted` is False.
    batch_first, enforce_sorted : bool
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(dtype=dtypes.int64)
    else:
        lengths = as_tensor(lengths, dtype=dtypes.int64)
    order = None
    if not enforce_sorted:
        lengths, order = sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = _pack_padded_sequence(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Unpack into sequences side by side: the inverse of `pack_padded_sequence`.

    Parameters
    ----------
    sequence : PackedSequence
    batch_first : bool
    padding_value : float
        What is behind the end of each.
    total_length : int, optional
        T, by default that of the longest sequence.

    Returns
    -------
    (padded, lengths)
        (T, N, …), or (N, T, …) with `batch_first`, and (N,).
    """
    longest = total = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        total = total_length
    padded, counts = _pad_packed_sequence(
        sequence.data, sequence.batch_sizes, batch_first, padding_value, total
    )
    if (unsorted := sequence.unsorted_indices) is None:
        return padded, counts
    return padded.index_select(0 if batch_first else 1, unsorted), counts[unsorted]


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Any:
    """Return sequences (T_k, …) side by side, padded to the length of the longest.

    Parameters
    ----------
    sequences : iterable of Tensor
    batch_first : bool
        (N, T, …) instead of (T, N, …).
    padding_value : float
    padding_side : {"right", "left"}
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    members = tuple(sequences)
    for k, member in enumerate(members):
        if not isinstance(member, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 0, but got {type(member).__name__}")
    if not members:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    rest = members[0].shape[1:]
    members = tuple(
        m if shape_of(m)[1:] == rest and dtype_of(m) == dtype_of(members[0])
        else members[0].new_empty((m.size(0), *rest)).copy_(m)
        for m in members
    )  # fmt: skip
    lengths = tuple(shape_of(m)[0] for m in members)
    return ragged.pad_each(members, lengths, padding_value, padding_side == "left", batch_first)


def unpad_sequence(padded_sequences: Any, lengths: Any, batch_first: bool = False) -> list[Any]:
    """Take what `pad_sequence` put together apart.

    Parameters
    ----------
    padded_sequences : Tensor
        (T, N, …), or (N, T, …) with `batch_first`.
    lengths : Tensor
        (N,).
    batch_first : bool

    Returns
    -------
    list of Tensor
    """
    if not batch_first:
        # In place, as torch does it: the caller's tensor is changed, too.
        padded_sequences.transpose_(0, 1)
    places = arange(padded_sequences.shape[1])
    return [sequence[places < length] for sequence, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Sequence[Any], enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences (T_k, …), which fall in length unless `enforce_sorted` is False."""
    lengths = tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """Return the sequences of a packed one, in their first order."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


PackedSequence.__module__ = PackedSequence_.__module__ = "torch.nn.utils.rnn"
