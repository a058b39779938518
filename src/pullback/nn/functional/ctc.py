"""Define the loss of connectionist temporal classification, with torch's checks."""

from math import prod
from typing import Any

import numpy as np

from ...array.ctc import padded
from ...array.dtype_words import not_implemented
from ...core.tracer import is_traced
from ...core.value import TensorBase, array_of, dtype_of, shape_of, wrap
from ...ops import ctc as ops
from ...ops.comparison import isinf, where
from ...ops.convert import as_dtype
from ...ops.mixture import maximum
from ...ops.reduce import mean_all, sum_all
from ...ops.structure import reshape
from ...ops.view import squeeze_dim
from ...tensor.api import public
from ...tensor.signature import parsed
from .loss_reduction import REDUCTIONS, check_reduction

_WHERE = " (while checking arguments for ctc_loss_allocate_outputs)"


def _lengths(name: str, given: Any) -> Any:
    """Return lengths as a vector of int64; in a trace, a tensor that has no numbers yet."""
    lengths = given if isinstance(given, TensorBase) else wrap(np.array(given, np.int64))
    if dtype_of(lengths).kind not in "iu":
        raise RuntimeError(f"{name} must be integral")
    if is_traced(lengths):
        return reshape(as_dtype(lengths, np.dtype(np.int64)), (prod(shape_of(lengths)),))
    # torch takes them as numbers: what is written to the tensor later does not count.
    return wrap(array_of(lengths).astype(np.int64, copy=False).reshape(-1))


def _check_lengths(name: str, lengths: np.ndarray) -> None:
    for n in lengths.tolist():
        if n < 0:
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {n}{_WHERE}")


def _check_targets(shape: tuple[int, ...], target_lengths: np.ndarray) -> None:
    if len(shape) == 1:
        wanted, size, dim, word = int(target_lengths.sum()), shape[0], 0, ""
    elif len(shape) == 2:
        wanted, size, dim, word = int(target_lengths.max()), shape[1], 1, "at least "
    else:
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {len(shape)}-dimensional tensor for argument #2 "
            f"'targets'{_WHERE}"
        )
    if size < wanted or (dim == 0 and size != wanted):
        raise RuntimeError(
            f"Expected tensor to have size {word}{wanted} at dimension {dim}, but got size {size} for "
            f"argument #2 'targets'{_WHERE}"
        )


def _check(shape: tuple[int, ...], targets: Any, inputs: np.ndarray, labels: np.ndarray, blank: int) -> None:
    """Raise torch's error for lengths, targets and a blank that do not go together."""
    if not 0 <= blank < shape[2]:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", inputs), ("target_lengths", labels)):
        if len(lengths) != shape[1]:
            raise RuntimeError(f"{name} must be of size batch_size")
    _check_lengths("target_lengths", labels)
    _check_targets(shape_of(targets), labels)
    _check_lengths("input_lengths", inputs)
    if (longest := int(inputs.max())) > shape[0]:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {shape[0]}, but got value {longest}{_WHERE}"
        )


@public(namespace="nn.functional", method=False, out=False)
def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return −log Σ over the alignments of a target of Π exp(log_probs) (Graves et al. 2006).

    Parameters
    ----------
    log_probs : tensor
        (T, N, C) or (T, C), logarithms of probabilities, as `log_softmax` gives them.
    targets : tensor
        (N, S) padded, or all in a row (Σ target_lengths).
    input_lengths, target_lengths : tensors (N,) or tuples of int
        How many times and labels of each sample count.
    blank : int
        The class that stands for no label.
    reduction : {"mean", "sum", "none"}
        "mean" first divides each loss by the length of its target.
    zero_infinity : bool
        Whether targets too long for their input count nothing instead of infinity.
    """
    check_reduction(reduction)
    number = REDUCTIONS.index(reduction)
    return by_number(log_probs, targets, input_lengths, target_lengths, blank, number, zero_infinity)


@parsed("ctc_loss")
def by_number(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = 0,
    zero_infinity: bool = False,
) -> Any:  # fmt: skip
    """Return :func:`torch.nn.functional.ctc_loss` with the reduction as a number, 0 where none is given."""
    alone = len(shape_of(log_probs)) != 3
    if alone:
        log_probs = log_probs.unsqueeze(1)
        if len(shape_of(targets)) == 1:
            targets = targets.unsqueeze(0)
    shape = shape_of(log_probs)
    inputs, labels = _lengths("input_lengths", input_lengths), _lengths("target_lengths", target_lengths)
    if 0 in shape:
        raise RuntimeError("log_probs tensor must not be empty")
    if len(shape) != 3:
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {len(shape)}-dimensional tensor for argument #1 "
            f"'log_probs'{_WHERE}"
        )
    if dtype_of(log_probs).name not in ("float32", "float64"):
        raise not_implemented("ctc_loss_cpu", dtype_of(log_probs))
    if any(map(is_traced, (targets, inputs, labels))):
        # Where something is wrong with the numbers, the program stops, and eager says what it is.
        rows = ops.ctc_rows(targets, inputs, labels, blank, shape[0])
    else:
        lengths = array_of(labels)
        _check(shape, targets, array_of(inputs), lengths, blank)
        rows = wrap(padded(array_of(targets), lengths, blank, int(lengths.max(initial=0))))
    losses, _ = ops.ctc_loss(log_probs, rows, inputs, labels, blank, bool(zero_infinity))
    if zero_infinity:
        losses = where(isinf(losses), wrap(np.zeros((), dtype_of(losses))), losses)
    if reduction == 1:
        return mean_all(losses / as_dtype(maximum(labels, wrap(np.array(1))), dtype_of(losses)))
    if reduction == 2:
        return sum_all(losses)
    return squeeze_dim(losses, 0) if alone else losses
