"""Resampling of the spatial axes: nearest, linear, cubic, with and without a filter against aliasing, and the
adjoint.

Every mode is a sum over a few taps along one axis after another, y[o] = Σ_k weights[o, k] · x[places[o, k]],
so a mode is a table of places and weights (`taps`), and the adjoint is one function for all. "area" is
`pool.adaptive_avg_pool`.

Shapes: x ``(N, C, *size)``, y ``(N, C, *output)``.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy import ndarray

from .named_tuples import NamedTuple
from .taps import Taps, from_table, over_planes, transposed

Mode = Literal["nearest", "nearest-exact", "linear", "cubic", "lanczos"]

#: The free parameter of Keys' cubic kernel, and of its use as a filter.
_KEYS, _KEYS_FILTER = -0.75, -0.5


class Axis(NamedTuple):
    """Describe how one axis is resampled. `scale` is the user's output / input, which need not be the
    quotient of the sizes.
    """

    size: int
    output: int
    mode: Mode
    align_corners: bool = False
    antialias: bool = False
    scale: float | None = None


def resize(x: ndarray, axes: Sequence[Axis]) -> ndarray:
    """Resample each spatial axis of x ``(N, C, *size)``."""
    if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" and not _picks(axes):
        return resize(x.astype(np.float32), axes).astype(x.dtype)
    if x.dtype == np.uint8 and not _picks(axes):
        return _resize_bytes(x, axes)
    return over_planes(x, maps(axes, x.dtype))


def maps(axes: Sequence[Axis], dtype: np.dtype, transpose: bool = False) -> list[Taps]:
    """Return the map along each axis, or its transpose, for numbers of a dtype."""
    make = _backward if transpose else _forward
    return [make(axis, _precision(dtype)) for axis in _settled(axes)]


@lru_cache(maxsize=64)
def _forward(axis: Axis, precision: str) -> Taps:
    return from_table(*_table(axis, precision), axis.size)


@lru_cache(maxsize=64)
def _backward(axis: Axis, precision: str) -> Taps:
    return transposed(*_table(axis, precision), axis.size)


def _resize_bytes(x: ndarray, axes: Sequence[Axis]) -> ndarray:
    """Resample bytes as torch does: the last axis first, with weights of 16 bits, rounded after each axis."""
    for number, axis in reversed([*enumerate(_settled(axes), 2)]):
        matrix, digits = _byte_weights(axis)
        sums = np.moveaxis(x, number, -1).astype(np.float64) @ matrix.T  # whole numbers: float64 is exact
        rounded = np.clip((sums + 2.0 ** (digits - 1)) // 2.0**digits, 0, 255)
        x = np.moveaxis(rounded.astype(np.uint8), -1, number)
    return np.ascontiguousarray(x)


@lru_cache(maxsize=64)
def _byte_weights(axis: Axis) -> tuple[ndarray, int]:
    """Return weights (output, size) as whole numbers below 2¹⁵ over a power of two, and that power."""
    places, weights = _table(axis, "f8")
    matrix = np.zeros((axis.output, axis.size))
    np.add.at(matrix, (np.arange(axis.output)[:, None], places), weights)
    highest, digits = float(matrix.max()), 0
    while digits < 22 and int(0.5 + highest * 2 ** (digits + 1)) < 1 << 15:
        digits += 1
    scaled = matrix * 2.0**digits
    return np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)), digits


def resize_adjoint(y: ndarray, axes: Sequence[Axis]) -> ndarray:
    """Return the transpose of `resize`: y ``(N, C, *output)`` goes, weighted, to where it came from."""
    if y.dtype.itemsize == 2 and y.dtype.kind not in "iu":
        return resize_adjoint(y.astype(np.float32), axes).astype(y.dtype)
    return over_planes(y, maps(axes, y.dtype, transpose=True))


def _settled(axes: Sequence[Axis]) -> list[Axis]:
    """Return axes whose scale counts: as in torch, 2-D "nearest" to the same or twice the size ignores it."""
    return [
        axis._replace(scale=None)
        if len(axes) == 2 and axis.mode == "nearest" and axis.output in (axis.size, 2 * axis.size)
        else axis
        for axis in axes
    ]


def _picks(axes: Sequence[Axis]) -> bool:
    return all(axis.mode.startswith("nearest") for axis in axes)


def _precision(dtype: np.dtype) -> str:
    """Return what places are computed in: float64 for float64 data, else float32: rounding decides taps."""
    return "f8" if dtype.char in "dD" else "f4"


@lru_cache(maxsize=64)
def _table(axis: Axis, precision: str) -> tuple[ndarray, ndarray]:
    """Return the places ``(output, taps)`` and the weights of the taps."""
    if axis.mode.startswith("nearest"):
        return _nearest(axis), np.ones((axis.output, 1))
    if axis.size == axis.output and (axis.mode == "linear" or axis.antialias):
        return np.arange(axis.size)[:, None], np.ones((axis.size, 1))  # whatever the scale, as in torch
    if axis.antialias:
        return _filtered(axis, precision)
    kind = np.dtype(precision).type
    steps = np.arange(axis.output).astype(kind)
    if axis.align_corners:
        scale = kind((axis.size - 1) / (axis.output - 1)) if axis.output > 1 else kind(0)
        source = scale * steps
    else:
        source = kind(_ratio(axis)) * (steps + kind(0.5)) - kind(0.5)
        if axis.mode == "linear":
            source = np.maximum(source, kind(0))
    first = np.floor(source).astype(np.intp)
    if axis.mode == "linear":
        first = np.minimum(first, axis.size - 1)
        part = np.clip(source - first.astype(kind), kind(0), kind(1))
        places = np.stack([first, np.minimum(first + 1, axis.size - 1)], 1)
        return places, np.stack([kind(1) - part, part], 1)
    part = np.clip(source - first.astype(kind), kind(0), kind(1))
    places = np.clip(first[:, None] + np.arange(-1, 3), 0, axis.size - 1)
    return places, np.stack([_keys(part - kind(k), _KEYS) for k in range(-1, 3)], 1)


def _ratio(axis: Axis) -> float:
    return axis.size / axis.output if axis.scale is None else 1 / axis.scale


def _nearest(axis: Axis) -> ndarray:
    scale = np.float32(_ratio(axis))
    steps = np.arange(axis.output).astype(np.float32)
    if axis.mode == "nearest-exact":
        steps = steps + np.float32(0.5)
    return np.minimum(np.floor(steps * scale).astype(np.intp), axis.size - 1)[:, None]


def _filtered(axis: Axis, precision: str) -> tuple[ndarray, ndarray]:
    """Return the kernel widened to the step between outputs, and its weights made to sum to 1."""
    kind = np.dtype(precision).type
    if axis.align_corners:
        scale = kind((axis.size - 1) / (axis.output - 1)) if axis.output > 1 else kind(0)
    else:
        scale = kind(_ratio(axis))
    half = {"linear": 1, "cubic": 2, "lanczos": 3}[axis.mode]
    support = half * scale if scale >= 1 else kind(half)
    narrow = 1 / scale if scale >= 1 else kind(1)
    centre = scale * (np.arange(axis.output).astype(kind) + kind(0.5))
    low = np.maximum((centre - support + kind(0.5)).astype(np.intp), 0)
    high = np.minimum((centre + support + kind(0.5)).astype(np.intp), axis.size)
    taps = np.arange(max(1, int((high - low).max())))
    places = low[:, None] + taps
    distance = (places.astype(kind) - centre[:, None] + kind(0.5)) * narrow
    if axis.mode == "linear":
        weights = np.maximum(1 - np.abs(distance), 0)
    elif axis.mode == "lanczos":
        weights = np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(distance / 3), 0)
    else:
        weights = _keys(distance, _KEYS_FILTER)
    weights = np.where(places < high[:, None], weights, 0).astype(kind)
    weights /= np.add.reduce(weights, axis=1, keepdims=True)
    return np.minimum(places, axis.size - 1), weights


def _keys(t: ndarray, a: float) -> ndarray:
    """Return Keys' cubic: (a+2)|t|³ − (a+3)t² + 1 up to 1, a|t|³ − 5at² + 8a|t| − 4a up to 2, else 0."""
    t = np.abs(t)
    inner = ((a + 2) * t - (a + 3)) * t * t + 1
    outer = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    return np.where(t <= 1, inner, np.where(t < 2, outer, 0)).astype(t.dtype)
