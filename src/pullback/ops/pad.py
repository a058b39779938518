"""Padding with a constant, and its adjoint: cutting the padding off."""

import functools
from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.elementwise import copy_into
from ..array.layout import following_channels
from ..array.named_tuples import NamedTuple
from ..array.threads import run_parts, stretches
from ..core.connected import PIECEWISE
from ..core.op import op

#: Elements from which the border alone is filled instead of the whole result.
_WORTH_BORDERS = 1 << 16

#: The same from which the adjoints of mirrored planes go to threads: of 2²⁰ float32 one takes 2,300 µs.
_WORTH_THREADS = 1 << 18

#: (before, after) for each axis; negative numbers cut.
Amounts = tuple[tuple[int, int], ...]


def _pad(x: ndarray, /, amounts: Amounts, value: float) -> ndarray:
    shape, source, target = _places(x.shape, amounts)
    if x.size < _WORTH_BORDERS:
        # Zeros without a sign that matters are there at once.
        y = np.zeros(shape, x.dtype) if type(value) is int and not value else np.full(shape, value, x.dtype)
    else:
        y = np.empty(shape, x.dtype)
        if max(x.size, y.size) >= large.SIZE and _pad_planes(x, y, amounts, value):
            return y
        _fill_borders(y, amounts, value)
    copy_into(y[target], x[source])
    return y


@functools.lru_cache(maxsize=256)
def _places(
    size: tuple[int, ...], amounts: Amounts
) -> tuple[tuple[int, ...], tuple[slice, ...], tuple[Any, ...]]:
    """Return the shape of the result, what is copied, and where to: to find out takes 5 µs."""
    shape = tuple(n + a + b for n, (a, b) in zip(size, amounts, strict=True))
    source = tuple(slice(max(0, -a), n - max(0, -b)) for n, (a, b) in zip(size, amounts, strict=True))
    target = tuple(slice(max(0, a), n - max(0, b)) for n, (a, b) in zip(shape, amounts, strict=True))
    # With the ellipsis a 0-d array is a view, too, no number.
    return shape, source, (*target, ...)


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


#: x with `value` around it.
pad: Callable[..., Any] = op(
    "constant_pad_nd", _pad, (lambda g, amounts: pad(g, tuple((-a, -b) for a, b in amounts), 0),),
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


#: Places from which a slice is one.
_MANY = 5


def _slices(found: list[int], start: int, stop: int) -> Iterator[tuple[slice, slice]]:
    """Yield where places follow each other, up or down."""
    while start < stop:
        end, step = start + 1, found[start + 1] - found[start] if start + 1 < stop else 1
        while end < stop and abs(step) == 1 and found[end] - found[end - 1] == step:
            end += 1
        if end - start < _MANY:
            end, step = start + 1, 1
        last = found[end - 1] + step
        yield slice(start, end), slice(found[start], last if last >= 0 else None, step)
        start = end


class _Copies(NamedTuple):
    """Say how an array is padded: by copies within the result.

    Places before and behind an axis are found in the result, of which the axes before it are whole by then.
    """

    inside: Any  # where the array is in the result
    around: tuple[tuple[Any, Any], ...]  # what is to be copied next to where


def _is_whole(sizes: Sequence[int], amounts: Amounts) -> bool:
    """Return whether nothing is cut off, and there is something."""
    return 0 not in sizes and all(before >= 0 <= after for before, after in amounts)


@functools.lru_cache(maxsize=1024)
def _copies(size: tuple[int, ...], amounts: Amounts, mode: str) -> _Copies:
    """Return the copies for the last axes, of which these are the sizes."""
    inside = [slice(a, a + n) for n, (a, _) in zip(size, amounts, strict=True)]
    around = []
    for k, (n, (before, after)) in enumerate(zip(size, amounts, strict=True)):
        lead, rest = (..., *(slice(None),) * k), inside[k + 1 :]
        for target, source in _borders(n, before, after, mode):
            around.append(((*lead, target, *rest), (*lead, _moved(source, before), *rest)))
    return _Copies((..., *inside), tuple(around))


def _moved(places: slice, by: int) -> slice:
    # Downwards to the first place a slice has no end.
    stop = (-1 if places.stop is None else places.stop) + by
    return slice(places.start + by, None if stop < 0 else stop, places.step)


def _borders(size: int, before: int, after: int, mode: str) -> list[tuple[slice, slice]]:
    """Return what the places in front of an axis, and then those behind it, take."""
    found = places(size, before, after, mode).tolist()
    return [*_slices(found, 0, before), *_slices(found, before + size, len(found))]


@functools.lru_cache(maxsize=1024)
def _additions(size: int, before: int, after: int, mode: str, behind: int) -> tuple[tuple[Any, Any], ...]:
    """Return which parts of a padded axis, before `behind` others, are added to which, in order of places."""
    borders = _borders(size, before, after, mode)
    inside = slice(before, before + size), slice(0, size)
    ordered = sorted([*borders, inside], key=lambda pair: pair[0].start)
    rest = (slice(None),) * behind
    return tuple(((..., target, *rest), (..., source, *rest)) for source, target in ordered)


def _mirror_planes(x: ndarray, y: ndarray, amounts: Amounts, mode: str) -> bool | None:
    """Pad one or two axes by a native loop: 32×32×32×32 by one takes 300 µs (by NumPy 600, torch 315)."""
    if len(amounts) > 2 or not x.flags.c_contiguous or x.ndim < 2:
        return False
    lead, ((above, below), (left, right)) = x.ndim - 2, ((0, 0), *amounts)[-2:]
    height, width = x.shape[lead:]
    around = places(height, above, below, mode), places(width, left, right, mode)
    planes, out = x.reshape(-1, height, width), y.reshape(-1, *y.shape[lead:])
    return large.ask("mirror", planes, out, (above, left), np.concatenate(around, dtype=np.int64))


def _pad_by(mode: str) -> Callable[..., ndarray]:
    def kernel(x: ndarray, /, amounts: Amounts) -> ndarray:
        lead = x.ndim - len(amounts)
        if not _is_whole(x.shape, amounts):
            for axis, (before, after) in enumerate(amounts, lead):
                x = np.take(x, places(x.shape[axis], before, after, mode), axis)
            return x
        size = x.shape[lead:]
        sizes = [n + before + after for n, (before, after) in zip(size, amounts, strict=True)]
        y = np.empty((*x.shape[:lead], *sizes), x.dtype)
        if y.size >= large.SIZE and _mirror_planes(x, y, amounts, mode):
            return y
        copies = _copies(size, amounts, mode)
        copy_into(y[copies.inside], x)
        for target, source in copies.around:
            y[target] = y[source]
        return y

    return kernel


def _pad_adjoint(y: ndarray, /, size: tuple[int, ...], amounts: Amounts, mode: str) -> ndarray:
    lead = y.ndim - len(amounts)
    if len(bounds := stretches(prod(y.shape[:lead]), y.size, _WORTH_THREADS)) == 1:
        return _adjoint_of_planes(y, size, amounts, mode)
    x = np.empty((*y.shape[:lead], *size), y.dtype)
    planes, found = y.reshape(-1, *y.shape[lead:]), x.reshape(-1, *size)

    def part(index: int) -> None:
        own = slice(*bounds[index])
        found[own] = _adjoint_of_planes(planes[own], size, amounts, mode)

    run_parts(part, len(bounds))
    return x


def _adjoint_of_planes(y: ndarray, size: tuple[int, ...], amounts: Amounts, mode: str) -> ndarray:
    lead = y.ndim - len(amounts)
    whole = _is_whole(y.shape, amounts)
    for axis, (n, (before, after)) in enumerate(zip(size, amounts, strict=True), lead):
        if whole and not before and not after:
            continue
        x = np.zeros((*y.shape[:axis], n, *y.shape[axis + 1 :]), y.dtype)
        if whole:
            for target, source in _additions(n, before, after, mode, y.ndim - axis - 1):
                x[target] += y[source]
        else:
            around = places(n, before, after, mode)
            np.add.at(np.moveaxis(x, axis, 0), around, np.moveaxis(y, axis, 0))
        y = x
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
