"""Values of images between their pixels, at places given by a grid: a product with a sparse matrix.

One row of the matrix per place, one column per pixel, and in it the weights of the pixels around the place.
The weights are products over the axes, so that a derivative by a coordinate is the matrix with that axis'
weights differentiated.
"""

import copy
import functools
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from .named_tuples import NamedTuple
from .ranges import linspace
from .scipy_functions import sparse
from .tiering import Hotness

#: Weights of the four taps around a place at t past the second, as coefficients of 1, t, t², t³: cubic
#: convolution with a = −0.75 (R. G. Keys, "Cubic convolution interpolation for digital image processing",
#: 1981, eq. 4).
_A = -0.75
_CUBIC = (
    (0.0, _A, -2 * _A, _A),
    (1.0, 0.0, -(_A + 3), _A + 2),
    (0.0, -_A, 2 * _A + 3, -(_A + 2)),
    (0.0, 0.0, _A, -_A),
)
_LINEAR = ((1.0, -1.0), (0.0, 1.0))
_NEAREST = ((1.0,),)
#: By mode: the weights, and where the first tap lies from the place's floor.
KERNELS = {"nearest": (_NEAREST, 0), "bilinear": (_LINEAR, 0), "bicubic": (_CUBIC, -1)}


#: Nanoseconds of a call in NumPy, of a pixel near a place, of one there in a channel, and of SciPy's import.
_CALL, _PLACE, _PIXEL, _SCIPY = 150_000, 6, 3, 50_000_000


class Sampler(NamedTuple):
    """Read values between pixels."""

    mode: str  # "bilinear", "nearest" or "bicubic"
    padding: str  # what lies outside the image: "zeros", "border" or "reflection"
    align_corners: bool  # whether −1 and 1 are the centres of the corner pixels, or their outer edges


def _reflected(c: ndarray, n: int, align_corners: bool) -> tuple[ndarray, ndarray]:
    """Return coordinates reflected into the image at corner pixels' centres or edges, and slopes ±1."""
    low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
    if not span:
        return np.zeros_like(c), np.zeros_like(c)
    distance = np.abs(c - low)
    turns = np.floor(distance / span)
    rest = distance - turns * span
    odd = turns % 2 == 1
    sign = np.where((c < low) != odd, -1.0, 1.0)
    return np.where(odd, span - rest, rest) + low, sign.astype(c.dtype)


def _bounded(c: ndarray, n: int, sampler: Sampler) -> tuple[ndarray, Any]:
    """Return coordinates brought into the image, and the derivative of that."""
    if sampler.padding == "zeros":
        return c, 1.0
    sign: Any = 1.0
    if sampler.padding == "reflection":
        c, sign = _reflected(c, n, sampler.align_corners)
    return np.minimum(np.maximum(c, 0), n - 1), sign * ((c > 0) & (c < n - 1))


#: Minus the place of an absent pixel: a sum of places with one of them is negative.
_ABSENT = 1 << 60
#: Channels up to which gathering pixels takes less than a product with a sparse matrix.
_GATHERED = 2


@functools.cache
def derived(mode: str, order: int) -> tuple[tuple[float, ...], ...]:
    """Return the coefficients of a derivative of each tap's weight."""
    if not order:
        return KERNELS[mode][0]
    # To import NumPy's polynomials takes 9 ms.
    return tuple(
        tuple([k * c for k, c in enumerate(taps)][1:]) or (0.0,) for taps in derived(mode, order - 1)
    )


class _Axis:
    """One axis: the pixels around each place, and their weights.

    Attributes
    ----------
    positions
        The pixels, times `step`, tap by tap; one that does not exist is negative.
    """

    def __init__(self, places: ndarray, n: int, step: int, sampler: Sampler) -> None:
        self._mode, self._weights = sampler.mode, dict[int, list[ndarray]]()
        scale = (n - 1) / 2 if sampler.align_corners else n / 2
        c = (places + 1) * scale
        if not sampler.align_corners:
            c -= 0.5
        slope: Any = 1.0
        if sampler.mode != "bicubic":
            c, slope = _bounded(c, n, sampler)
        first = np.rint(c) if sampler.mode == "nearest" else np.floor(c)
        self._fraction, self._slope = c - first, scale * slope
        kernel, offset = KERNELS[sampler.mode]
        self.positions = []
        for tap in range(len(kernel)):
            pixel = first + (tap + offset) if tap + offset else first
            if sampler.mode == "bicubic":
                pixel, _ = _bounded(pixel, n, sampler)
            inside = (pixel >= 0) & (pixel < n)
            position = np.where(inside, pixel, -(_ABSENT // step)).astype(np.intp)
            if step != 1:
                position *= step
            self.positions.append(position)

    def weights(self, order: int) -> list[ndarray]:
        """Return the taps' weights, differentiated by the coordinate: polynomials, by Horner's rule."""
        if (found := self._weights.get(order)) is None:
            found = self._weights[order] = [self._weight(c, order) for c in derived(self._mode, order)]
        return found

    def _weight(self, coefficients: Sequence[float], order: int) -> ndarray:
        t = self._fraction
        if len(coefficients) == 1:
            weight = np.full_like(t, coefficients[0])
        else:
            weight = t * coefficients[-1]
            weight += coefficients[-2]
            for coefficient in coefficients[-3::-1]:
                weight *= t
                weight += coefficient
        return weight * (self._slope if order == 1 else self._slope**order) if order else weight


class Matrices:
    """The sparse matrices (N·places, N·pixels + 1) that sample N images at a grid, and their derivatives.

    The last column stands for what lies outside the images. The grid ``(N, *places, rank)`` holds coordinates
    between −1 and 1, the last axis' first.
    """

    def __init__(self, grid: ndarray, size: Sequence[int], sampler: Sampler) -> None:
        images, rank = grid.shape[0], len(size)
        points = grid.reshape(images, -1, rank)
        self._pixels = images * prod(size)
        self._axes = []
        for axis in range(rank):
            places = np.ascontiguousarray(points[..., rank - 1 - axis])
            self._axes.append(_Axis(places, size[axis], prod(size[axis + 1 :]), sampler))
        base = (np.arange(images) * prod(size))[:, None]
        #: The pixels, for each of the combinations of taps ``(N, places)``.
        self._indices = []
        for place, *others in product(*(axis.positions for axis in self._axes)):
            for other in others:
                place = place + other
            self._indices.append(np.where(place < 0, self._pixels, place + base))
        self._matrix: Any = None
        # What was made is known by these again.
        self._grid, self._made_for = grid.copy(), (tuple(size), sampler, grid.dtype)

    def _weights(self, orders: Sequence[int]) -> Iterator[ndarray]:
        """Yield the weights of each combination of taps."""
        weights = [axis.weights(order) for axis, order in zip(self._axes, reversed(orders), strict=True)]
        for weight, *others in product(*weights):
            for other in others:
                weight = weight * other
            yield weight.astype(self._grid.dtype, copy=False)

    def of(self, orders: Sequence[int]) -> Any:
        """Return the matrix, differentiated so often by each coordinate, in the grid's order."""
        shape = *self._indices[0].shape, len(self._indices)
        # 131,072 places bilinear: 14.5 ms by columns, 34.5 ms with arrays that are stacked and compressed
        data = np.empty(shape, self._grid.dtype)
        for number, weight in enumerate(self._weights(orders)):
            data[..., number] = weight
        if self._matrix is None:
            index = np.empty(shape, np.int32 if self._pixels < 1 << 29 else np.int64)
            for number, each in enumerate(self._indices):
                index[..., number] = each
            starts = np.arange(0, index.size + 1, shape[-1], dtype=index.dtype)
            given = data.reshape(-1), index.reshape(-1), starts
            self._matrix = sparse().csr_array(given, shape=(len(starts) - 1, self._pixels + 1))
            return self._matrix
        # To make a matrix anew takes 50 µs of checks.
        found = copy.copy(self._matrix)
        found.data = data.reshape(-1)
        return found

    def times(self, orders: Sequence[int], rows: ndarray) -> ndarray:
        """Return the product of the matrix, so differentiated, with rows of channels: of few channels by
        gathering, which adds in the same order (6,272 places of one channel, bilinear: 60 µs and 230).
        """
        if rows.shape[1] > _GATHERED:
            return self.of(orders) @ rows
        total = np.zeros((self._indices[0].size, rows.shape[1]), rows.dtype)
        flat = rows.reshape(-1) if rows.shape[1] == 1 else rows
        for index, weight in zip(self._indices, self._weights(orders), strict=True):
            pixels = flat.take(index.reshape(-1), 0).reshape(total.shape)
            pixels *= weight.reshape(-1, 1)
            total += pixels
        return total

    def serves(self, grid: ndarray, size: Sequence[int], sampler: Sampler) -> bool:
        """Return whether the matrices are those of a grid."""
        return self._made_for == (tuple(size), sampler, grid.dtype) and np.array_equal(self._grid, grid)


#: The matrices of the last small grid: its pullback wants them again.
_last: list[Matrices] = []
_KEPT_NUMBERS = 1 << 16


def _matrices(grid: ndarray, size: Sequence[int], sampler: Sampler) -> Matrices:
    """Return the matrices of a grid, those of the last one where they serve."""
    for known in _last:
        if known.serves(grid, size, sampler):
            return known
    found = Matrices(grid, size, sampler)
    if grid.size <= _KEPT_NUMBERS:
        _last[:] = [found]
    return found


def _rows(x: ndarray, more: int = 0) -> ndarray:
    """Return (N, C, *size) as (N·pixels + more, C), the additional rows zeros."""
    pixels = x.shape[0] * prod(x.shape[2:])
    rows = np.empty((pixels + more, x.shape[1]), x.dtype)
    flat = x.reshape(*x.shape[:2], -1)
    rows[:pixels].reshape(x.shape[0], -1, x.shape[1])[...] = flat.transpose(0, 2, 1)
    rows[pixels:] = 0
    return rows


def _images(rows: ndarray, images: int, size: Sequence[int]) -> ndarray:
    """Return (N·pixels, C) as (N, C, *size)."""
    planes = rows.reshape(images, -1, rows.shape[1]).transpose(0, 2, 1)
    return planes.copy().reshape(images, -1, *size)


def _vanishes(sampler: Sampler, orders: Sequence[int]) -> bool:
    return max(orders) >= len(KERNELS[sampler.mode][0])


@functools.lru_cache(maxsize=256)
def _hotness(size: tuple[int, ...], sampler: Sampler) -> Hotness:
    """Return what samples of images of one size have cost: native code gives the same numbers."""
    return Hotness()


def _native(
    kind: str, x: ndarray, y: ndarray | None, grid: ndarray, size: Sequence[int], sampler: Sampler,
    out: Callable[[], ndarray],
) -> ndarray | None:  # fmt: skip
    """Return what native code makes, written into what `out` returns, where it is worth asking for."""
    if grid.dtype.kind != "f":
        return None
    cost = _CALL + (prod(grid.shape[:-1]) << len(size)) * (_PLACE + _PIXEL * x.shape[1])
    if "scipy.sparse" not in sys.modules:
        cost += _SCIPY
    hotness = _hotness(tuple(size), sampler)
    if not hotness.is_hot(cost):
        return None
    result, of_y = out(), None if y is None else np.ascontiguousarray(y)
    given = np.ascontiguousarray(x), of_y, np.ascontiguousarray(grid)
    return result if hotness.ask("samples", kind, *given, result, size, sampler) else None


def sample(x: ndarray, grid: ndarray, sampler: Sampler, orders: Sequence[int]) -> ndarray:
    """Return values of (N, C, *size) at a grid (N, *places, rank): (N, C, *places)."""
    places, size = grid.shape[1:-1], x.shape[2:]
    shape = (x.shape[0], x.shape[1], *places)
    if _vanishes(sampler, orders) or not prod(shape):
        return np.zeros(shape, x.dtype)
    if not any(orders):
        found = _native("values", x, None, grid, size, sampler, lambda: np.empty(shape, x.dtype))
        if found is not None:
            return found
    return _images(_matrices(grid, size, sampler).times(orders, _rows(x, 1)), x.shape[0], places)


def sample_adjoint(
    y: ndarray, grid: ndarray, size: Sequence[int], sampler: Sampler, orders: Sequence[int]
) -> ndarray:
    """Return the transpose of `sample`: (N, C, *places) added to the pixels (N, C, *size) around them."""
    shape = (*y.shape[:2], *size)
    if _vanishes(sampler, orders) or not y.size:
        return np.zeros(shape, y.dtype)
    if not any(orders):
        found = _native("adjoint", y, y, grid, size, sampler, lambda: np.zeros(shape, y.dtype))
        if found is not None:
            return found
    return _images((_matrices(grid, size, sampler).of(orders).T @ _rows(y))[:-1], y.shape[0], size)


def pull_to_places(g: ndarray, x: ndarray, grid: ndarray, sampler: Sampler) -> ndarray:
    """Return the covector of a grid (N, *places, rank) from that of the values (N, C, *places)."""
    size, rank = x.shape[2:], grid.shape[-1]
    if sampler.mode == "nearest" or not g.size:
        return np.zeros(grid.shape, grid.dtype)
    found = _native("places", x, g, grid, size, sampler, lambda: np.empty(grid.shape, grid.dtype))
    if found is not None:
        return found
    matrices, rows, of_g = _matrices(grid, size, sampler), _rows(x, 1), _rows(g)
    result = np.empty((len(of_g), rank), grid.dtype)
    for d in range(rank):
        slopes = matrices.times([int(k == d) for k in range(rank)], rows)
        slopes *= of_g
        # Channel by channel, as native code adds.
        result[:, d] = np.add.reduce(slopes.T, axis=0)
    return result.reshape(grid.shape)


def base_grid(size: Sequence[int], align_corners: bool, dtype: np.dtype[Any]) -> ndarray:
    """Return the coordinates of every pixel and a one, (pixels, rank + 1), read-only, for affine maps."""
    made = _kept_base_grid if prod(size) <= _KEPT_PIXELS else _base_grid
    return made(tuple(size), align_corners, dtype)


#: Pixels of an image up to which its coordinates are kept, for so many sizes.
_KEPT_PIXELS, _KEPT_SIZES = 1 << 15, 16


def _base_grid(size: tuple[int, ...], align_corners: bool, dtype: np.dtype[Any]) -> ndarray:
    """Return the same.

    They are rounded where torch rounds them: under the identity a coordinate falls on a pixel, and its last
    bit decides on which side of it the gradient is taken.
    """

    def axis(n: int) -> ndarray:
        if n == 1:
            return np.zeros(1, dtype)
        ends = linspace(-1, 1, n, dtype)
        return ends if align_corners else ends * dtype.type(n - 1) / dtype.type(n)

    points = np.meshgrid(*map(axis, size), indexing="ij")[::-1]
    grid = np.stack([*points, np.ones(size, dtype)], -1).reshape(-1, len(size) + 1)
    grid.flags.writeable = False
    return grid


_kept_base_grid = functools.lru_cache(maxsize=_KEPT_SIZES)(_base_grid)
