"""Padding with a constant, and its adjoint: cutting the padding off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.elementwise import copy_into
from ..array.layout import following_channels
from ..core.connected import PIECEWISE
from ..core.op import op

#: Elements from which the border alone is filled instead of the whole result.
_WORTH_BORDERS = 1 << 16

#: (before, after) for each axis; negative numbers cut.
Amounts = tuple[tuple[int, int], ...]


def _pad(x: ndarray, /, amounts: Amounts, value: float) -> ndarray:
    shape = tuple(n + a + b for n, (a, b) in zip(x.shape, amounts, strict=True))
    if x.size < _WORTH_BORDERS:
        y = np.full(shape, value, x.dtype)
    else:
        y = np.empty(shape, x.dtype)
        if max(x.size, y.size) >= large.SIZE and _pad_planes(x, y, amounts, value):
            return y
        _fill_borders(y, amounts, value)
    source = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(x.shape, amounts, strict=True))
    target = tuple(slice(max(0, a), n - max(0, b)) for n, (a, b) in zip(shape, amounts, strict=True))
    # With the ellipsis a 0-d array is a view, too, no number.
    inside: Any = (*target, ...)
    copy_into(y[inside], x[source])
    return y


def _pad_planes(x: ndarray, y: ndarray, amounts: Amounts, value: float) -> bool | None:
    """Return the same by a native loop, where only the last two axes change."""
    lead = x.ndim - 2
    if lead < 0 or not x.flags.c_contiguous or any(amounts[k] != (0, 0) for k in range(lead)) or not y.size:
        return False
    (above, _), (left, _) = amounts[lead:]
    planes, out = x.reshape(-1, *x.shape[lead:]), y.reshape(-1, *y.shape[lead:])
    return large.ask("pad", planes, out, (above, left), np.full((), value, x.dtype))


def _fill_borders(y: ndarray, amounts: Amounts, value: float) -> None:
    for axis, (before, after) in enumerate(amounts):
        lead = (slice(None),) * axis
        if before > 0:
            y[(*lead, slice(before))] = value
        if after > 0:
            y[(*lead, slice(max(0, y.shape[axis] - after), None))] = value


def _negated(amounts: Amounts) -> Amounts:
    return tuple((-a, -b) for a, b in amounts)


#: x with `value` around it.
pad: Callable[..., Any] = op(
    "constant_pad_nd", _pad, (lambda g, amounts: pad(g, _negated(amounts), 0),),
    node_name="ConstantPadNdBackward0", place=following_channels,
    jvp=lambda primals, tangents, out, amounts, value: pad(tangents[0], amounts, 0),
    batch=lambda size, amounts, value: (((0, 0), *amounts), value),
)  # fmt: skip


# --- paddings with elements of the array itself -------------------------------------------------------------


def places(size: int, before: int, after: int, mode: str) -> np.ndarray:
    """Return which element of an axis each place of the padded axis takes."""
    if mode == "circular":
        # What a negative number cuts off is not there to wrap around to.
        cut = max(0, -before)
        rest = size - cut - max(0, -after)
        return cut + np.arange(-max(0, before), rest + max(0, after)) % max(1, rest)
    reach = np.arange(-before, size + after)
    if mode == "replicate":
        return np.clip(reach, 0, size - 1)
    period = max(1, 2 * (size - 1))
    folded = reach % period
    return np.where(folded < size, folded, period - folded)


def _pad_by(mode: str) -> Callable[..., ndarray]:
    def kernel(x: ndarray, /, amounts: Amounts) -> ndarray:
        for axis, (before, after) in enumerate(amounts, x.ndim - len(amounts)):
            x = np.take(x, places(x.shape[axis], before, after, mode), axis)
        return x

    return kernel


def _pad_adjoint(y: ndarray, /, size: tuple[int, ...], amounts: Amounts, mode: str) -> ndarray:
    lead = y.ndim - len(amounts)
    for axis, (n, (before, after)) in enumerate(zip(size, amounts, strict=True), lead):
        rows = np.moveaxis(y, axis, 0)
        x = np.zeros((n, *rows.shape[1:]), y.dtype)
        np.add.at(x, places(n, before, after, mode), rows)
        y = np.moveaxis(x, 0, axis)
    return np.ascontiguousarray(y)


def _declare(name: str, mode: str, node_name: str) -> Callable[..., Any]:
    return op(
        name, _pad_by(mode),
        (lambda g, shape_x, amounts: pad_adjoint(g, tuple(shape_x[-len(amounts) :]), amounts, mode),),
        kind="linear", node_name=node_name, batch=lambda size, amounts: (amounts,),
        place=None if mode == "circular" else following_channels,
        gradient=None if mode == "circular" else PIECEWISE, saves=() if mode == "circular" else ("x",),
        once=mode == "circular",
    )  # fmt: skip


#: Paddings with mirrored and with outermost elements, by mode and number of axes; the last axes are padded.
pads: dict[tuple[str, int], Callable[..., Any]] = {
    (mode, rank): _declare(f"{word}_pad{rank}d", mode, f"{word.capitalize()}Pad{rank}DBackward0")
    for mode, word in (("reflect", "reflection"), ("replicate", "replication"))
    for rank in (1, 2, 3)
}

#: Padding with elements from the other end. torch writes it part by part into an empty array.
circular_pad = _declare("circular_pad", "circular", "CopySlices")

for _rank in (1, 2, 3):
    pads["circular", _rank] = circular_pad

#: The transpose of a padding from the last axes' `size`.
pad_adjoint: Callable[..., Any] = op(
    "pad_adjoint", _pad_adjoint, (lambda g, amounts, mode: pads[mode, len(amounts)](g, amounts),),
    kind="linear", halves=True, node_name="ReflectionPad2DBackwardBackward0",
    batch=lambda size, *attrs: attrs,
)  # fmt: skip
