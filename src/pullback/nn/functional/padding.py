"""`pad` in its modes. Only the constant mode has an op of its own; the others take elements by index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.value import shape_of, wrap
from ...ops import pad as ops
from ...ops.gather import index_select
from ...tensor.api import public


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
    amounts = [int(n) for n in pad]
    shape = shape_of(input)
    if len(amounts) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(amounts) > 2 * len(shape):
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(amounts)} and input of dimension {len(shape)}"
        )
    pairs = [(amounts[i], amounts[i + 1]) for i in range(0, len(amounts), 2)]
    if mode == "constant":
        full = ((0, 0),) * (len(shape) - len(pairs)) + tuple(reversed(pairs))
        return ops.pad(input, full, 0.0 if value is None else value)
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
    result = input
    for position, (before, after) in enumerate(pairs):
        axis = len(shape) - 1 - position
        places = _places(shape[axis], before, after, mode, axis, shape)
        result = index_select(result, wrap(places), axis)
    return result


def _places(size: int, before: int, after: int, mode: str, axis: int, shape: tuple[int, ...]) -> np.ndarray:
    """Which element each place of the padded axis takes."""
    places = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(places, 0, size - 1)
    if mode == "circular":
        if before > size or after > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        return places % size
    if before >= size or after >= size:
        raise RuntimeError(
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: "
            f"padding ({before}, {after}) at dimension {axis} of input {list(shape)}"
        )
    period = max(1, 2 * (size - 1))
    folded = places % period
    return np.where(folded < size, folded, period - folded)
