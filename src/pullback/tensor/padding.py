"""Padding in its modes, with torch's checks."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from ..array.deferred_import import import_later
from ..core.value import shape_of
from ..errors import argument_type
from .api import public, with_signature

ops = import_later("..ops.pad", __package__)


@public(namespace="nn.functional", method=False, out=False)
def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """Pad the last axes.

    Parameters
    ----------
    pad : sequence of int
        (before, after) of the last axis, then of the one before it, …; negative numbers cut.
    mode : {"constant", "reflect", "replicate", "circular"}
    value : float, optional
        For the constant mode (0).
    """
    amounts = [operator.index(n) for n in pad]
    shape = shape_of(input)
    if len(amounts) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(amounts) > 2 * len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(amounts)} and input of dimension {len(shape)}"
        )
    pairs = [(amounts[i], amounts[i + 1]) for i in range(0, len(amounts), 2)]
    if not isinstance(mode, str):
        raise argument_type("pad", "mode", 3, "str", mode)
    if mode == "constant":
        return _constant(input, pairs, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(shape) not in (len(pairs) + 1, len(pairs) + 2):
        raise NotImplementedError(
            f"Padding size {len(amounts)} is not supported for {len(shape)}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    ordered = tuple(reversed(pairs))
    _check_amounts(shape[-len(pairs) :], ordered, mode, shape)
    result = ops.pads[mode, len(pairs)](input, ordered)
    if mode == "circular" and type(result._counter) is list:
        # torch writes the middle and what wraps around into an empty tensor, which counts as updates.
        result._counter[0] = 1 + sum(n > 0 for n in amounts)
    return result


def _constant(input: Any, pairs: list[tuple[int, int]], value: Any) -> Any:
    shape = shape_of(input)
    full = ((0, 0),) * (len(shape) - len(pairs)) + tuple(reversed(pairs))
    if any(n + min(a, 0) + min(b, 0) < 0 for n, (a, b) in zip(shape, full, strict=True)):
        raise RuntimeError("narrow(): length must be non-negative.")
    return ops.pad(input, full, value)


def _check_amounts(
    size: tuple[int, ...], amounts: tuple[tuple[int, int], ...], mode: str, shape: tuple[int, ...]
) -> None:
    first, rank = len(shape) - len(size), len(size)
    if mode != "circular" and 0 in shape[1 if len(shape) == rank + 2 else 0 :]:
        raise RuntimeError(
            f"Expected {rank + 1}D or {rank + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    for position, (n, (before, after)) in reversed(list(enumerate(zip(size, amounts, strict=True)))):
        if mode == "circular" and (before > n or after > n):
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "circular" and n + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        if mode == "reflect" and (before >= n or after >= n):
            raise RuntimeError(
                f"Argument #{4 + 2 * (len(size) - 1 - position)}: Padding size should be less than the "
                f"corresponding input dimension, but got: padding ({before}, {after}) at dimension "
                f"{first + position} of input {list(shape)}"
            )
    output = [n + before + after for n, (before, after) in zip(size, amounts, strict=True)]
    if mode != "circular" and max(output) < 1:
        names = ("D", "H", "W")[-len(size) :]
        before_text = " ".join(f"{a}: {n}" for a, n in zip(names, size, strict=True))
        after_text = " ".join(f"{a}: {n}" for a, n in zip(names, output, strict=True))
        raise RuntimeError(f"input ({before_text}) is too small. Calculated output {after_text}")


@with_signature(method=False, out=False)
def constant_pad_nd(input: Any, pad: Sequence[int], value: Any = 0) -> Any:
    """Pad the last axes with a number.

    Parameters
    ----------
    pad : sequence of int
        (before, after) of the last axis, then of the one before it, …; negative numbers cut.
    value : number
    """
    rank = len(shape_of(input))
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * rank:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {rank}dimensions."
        )
    return _constant(input, [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)], value)
