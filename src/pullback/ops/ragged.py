"""Sequences of different lengths: packed by step, and padded to one length.

A packed sequence has the elements of all sequences at step 0, then those at step 1, and so on; the sequences
are sorted by falling length, so that each step has those of the first few.
"""

import numpy as np
from numpy import ndarray

from ..core.op import Call, Term, Terms, Variadic, op
from ..core.value import shape_of
from .join import split_with_sizes
from .structure import contiguous_copy, permute, reshape

Lengths = tuple[int, ...]


def _present(total: int, lengths: Lengths) -> ndarray:
    """Return (total, sequences): which sequences have which steps."""
    return np.less(np.arange(total)[:, None], np.array(lengths, np.int64))


def _pad(x: ndarray, /, lengths: Lengths, total: int, value: float) -> ndarray:
    out = np.full((total, len(lengths), *x.shape[1:]), value, x.dtype)
    out[_present(total, lengths)] = x
    return out


#: (T, N, …) to the rows that sequences of these lengths have.
pack: Call = op(
    "pack_padded_sequence",
    lambda x, /, lengths: x[_present(len(x), lengths)],
    (lambda g, shape_x, lengths: pad(g, lengths, shape_x[0], 0.0),),
    node_name="PackPaddedSequenceBackward0",
)  # fmt: skip
#: The other way round, with a value where there is nothing; torch writes it in slices.
pad: Call = op(
    "pad_packed_sequence", _pad, (lambda g, lengths: pack(g, lengths),), node_name="CopySlices", once=True
)


def _of_one(x: Term) -> Term:
    """Return it without the axis of the sequences, of which there is one."""
    shape = shape_of(x)
    return reshape(x, (shape[0], *shape[2:]))


def _pad_each(
    xs: tuple[ndarray, ...], /, lengths: Lengths, value: float, left: bool, batch_first: bool
) -> ndarray:
    total = max(lengths)
    axes = (len(xs), total) if batch_first else (total, len(xs))
    out = np.full((*axes, *xs[0].shape[1:]), value, xs[0].dtype)
    each = out if batch_first else out.swapaxes(0, 1)
    for k, x in enumerate(xs):
        each[k, total - len(x) if left else 0 :][: len(x)] = x
    return out


def _pad_each_rule(g: Term, lengths: Lengths, left: bool, batch_first: bool) -> Terms:
    if batch_first:
        g = permute(g, (1, 0, *range(2, len(shape_of(g)))))
    total = max(lengths)
    pulled = []
    for k, length in enumerate(lengths):
        own = _of_one(split_with_sizes(g, (k, 1, len(lengths) - k - 1), 1)[1])
        before, after = (total - length, 0) if left else (0, total - length)
        pulled.append(contiguous_copy(split_with_sizes(own, (before, length, after), 0)[1]))
    return tuple(pulled)


#: Sequences (T_k, …) side by side: (max T, N, …) or (N, max T, …), with a value before or behind what there
#: is of each.
pad_each: Variadic = op(
    "pad_sequence", _pad_each, _pad_each_rule, variadic=True, node_name="CopySlices", once=True
)
