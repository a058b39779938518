"""Define dropout of elements and of channels, with the masks that torch draws.

The mask is drawn by an op that has the generator as attribute, so that a recorded program draws anew when it
runs.
"""

import math
from typing import Any

from ...array import dtypes
from ...core import graph_errors
from ...core import inplace as writing
from ...core.value import TensorBase, dtype_of, shape_of
from ...core.warn import warn
from ...ops import random as draws
from ...ops.convert import SINGLE
from ...tensor import random as random_facade
from .activation import applied
from .loss_reduction import mirrored

#: −λ·α of `selu`, the value that it tends to at −∞, negated.
_SELU_LIMIT = 1.7580993408473766


def check_probability(p: float) -> None:
    """Raise torch's error for a probability outside [0, 1]."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _is_idle(input: Any, p: Any, training: Any) -> bool:
    """Return whether a dropout leaves its input as it is.

    It fails for what torch's function in C refuses, of which the call's error then says what torch says.
    """
    if not (isinstance(input, TensorBase) and isinstance(training, bool)):
        raise TypeError("a tensor is dropped from")
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {float(p):g}")
    return not training or p == 0 or 0 in shape_of(input)


def _times(input: Any, noise: Any) -> Any:
    return input * noise


def _noise(like: Any, p: float) -> Any:
    """Return what is multiplied with. A caller gives a detached input, gone before that is written to."""
    if p < 1:
        _check_shares(dtype_of(like))
    return draws.dropout_noise.call(like, float(p), random_facade.default_generator)


def _check_shares(dtype: Any) -> None:
    """Refuse a dtype that does not hold what the elements that stay are multiplied with."""
    if not writing.castable(SINGLE, dtype):
        raise graph_errors.unsafe_result(SINGLE, dtype)


def _kept(like: Any, p: float) -> Any:
    return None if p == 1 else draws.bernoulli_number.call(
        like, 1 - float(p), random_facade.default_generator
    )


def _channels(input: Any, kept: int) -> Any:
    """Return what a mask for whole channels is laid out like: the first axes of the input, then ones."""
    if len(shape := shape_of(input)) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return input.new_empty((*shape[:kept], *(1,) * (len(shape) - kept)))


@mirrored
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Zero elements in training with probability p, and divide the others by 1 − p."""
    check_probability(p)
    if _is_idle(input, p, training):
        return input
    return applied(input, inplace, _times, _noise(input.detach(), p))


def channel_dropout(input: Any, p: float, training: bool, inplace: bool, images: bool = True) -> Any:
    """Return `dropout` of whole channels; without `images` the input is one of them."""
    idle = _is_idle(input, p, training)
    if images:
        return input if idle else applied(input, inplace, _times, _noise(_channels(input, 2), p))
    one = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = channel_dropout(one, p, training, inplace)
    return result.squeeze_(0) if inplace else result.squeeze(0)


@mirrored
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return `dropout` of whole channels of (N, C, L) or (C, L)."""
    check_probability(p)
    if (rank := input.dim()) not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {rank}D input. Note that dropout1d exists "
            "to provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
            "optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return channel_dropout(input, p, training, inplace, rank == 3)


def _warn_of_rank(rank: int, axes: int) -> None:
    warn(
        f"dropout{axes}d: Received a {rank}-D input to dropout{axes}d, which is deprecated and will result "
        "in an error in a future release. To retain the behavior and silence this warning, please use "
        f"dropout instead. Note that dropout{axes}d exists to provide channel-wise dropout on inputs with "
        f"{axes} spatial dimensions, a channel dimension, and an optional batch dimension (i.e. {axes + 1}D "
        f"or {axes + 2}D inputs)."
    )


@mirrored
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return `dropout` of whole channels of (N, C, H, W)."""
    check_probability(p)
    if (rank := input.dim()) not in (3, 4):
        _warn_of_rank(rank, 2)
    if rank == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
            "is desired - input is interpreted as shape (N, C, L), where C is the channel dim. This behavior "
            "will change in a future release to interpret the input as one without a batch dimension, i.e. "
            "shape (C, H, W). To maintain the 1D channel-wise dropout behavior, please switch to using "
            "dropout1d instead."
        )
    return channel_dropout(input, p, training, inplace)


@mirrored
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Return `dropout` of whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    check_probability(p)
    if (rank := input.dim()) not in (4, 5):
        _warn_of_rank(rank, 3)
    return channel_dropout(input, p, training, inplace, rank == 5)


@mirrored
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Do dropout that keeps mean and variance of `selu`'s output: dropped elements take its limit at −∞."""
    check_probability(p)
    return input if _is_idle(input, p, training) else _with_limit(input, _kept(input.detach(), p), p, inplace)


@mirrored
def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Return `alpha_dropout` of whole channels of (N, C, *spatial)."""
    check_probability(p)
    if _is_idle(input, p, training):
        return input
    return _with_limit(input, _kept(_channels(input, 2), p), p, inplace)


def _with_limit(input: Any, keep: Any, p: float, inplace: bool) -> Any:
    if keep is None:
        return applied(input, inplace, _times, input.new_zeros(()))
    dtype = dtype_of(input)
    _check_shares(dtypes.int64.numpy if dtype.kind == "b" else dtype)
    a = 1 / math.sqrt((_SELU_LIMIT * _SELU_LIMIT * p + 1) * (1 - p))
    shift = (keep + -1) * (_SELU_LIMIT * a) + _SELU_LIMIT * a * p
    return applied(input, inplace, lambda input, factor, shift: input * factor + shift, keep * a, shift)
