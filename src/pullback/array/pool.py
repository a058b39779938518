"""Maximum pooling in one, two, three … dimensions, and the adjoints of its maps.

A maximum pool gives, beside the values, *winners*: for each window the number of the tap (in C order) that it
took. They are a byte each, and the two linear maps that they define, `scatter_windows` (the covector) and
`gather_windows` (the tangent), are adjoint to one another, so one is the other's derivative. `winner_indices`
turns them into torch's indices into the plane. Averages are in `average_pool`.

Loops are over the few taps of a window, on blocks of planes that stay in the cache: 64×6×28×28 with 2×2
windows takes 0.15 ms on one thread (torch 2.13: 1.3 ms).

Shapes: x ``(N, C, *size)``, everything pooled ``(N, C, *output)``.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .geometry import pad_into
from .named_tuples import NamedTuple
from .threads import run_parts, stretches
from .tiering import Hotness

#: Bytes of input planes in a block.
_BLOCK_BYTES = 256 << 10

#: Input elements below which a thread is not worth waking. 2×2 windows of 32×16×32×32: 0.5 to 0.7 ms on one
#: thread, 0.5 to 1.6 on two.
_WORTH_THREADS = 1_000_000

#: Input elements from which native code is asked for: compiled, it takes a fifth of the time.
SMALL = _WORTH_NATIVE = 1 << 16

#: Input elements up to which maxima are looked for in all windows at once.
_FEW = 1 << 12
#: Taps above which that takes less than one tap after another, and input elements up to which the calls of
#: fewer taps take less than a call of native code, and can be recorded (`loop_recording`): 2×2 windows of
#: 8×28×28 take 25 µs in Python and 9 recorded, native code 45.
_TAPS, _RECORDED = 8, 1 << 14
#: Windows a tap up to which that holds for more elements: 192 windows of 64 took 620 µs, 60 at once.
_WINDOWS_A_TAP = 32

#: Nanoseconds that NumPy takes for the calls of a small pool, and for each element.
_CALLS, _ELEMENT = 25_000, 2


class Windows(NamedTuple):
    """Describe where the windows of a pool lie: one number per spatial dimension in each field."""

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]
    ceil_mode: bool = False

    def output(self, size: Sequence[int]) -> tuple[int, ...]:
        """Return (size + 2·padding − dilation·(kernel − 1) − 1) / stride + 1, rounded as `ceil_mode` says; a
        window that would start beyond the input and its left padding is left out.
        """
        result = []
        for n, k, s, p, d in zip(size, self.kernel, self.stride, self.padding, self.dilation):
            room = n + 2 * p - d * (k - 1) - 1
            count = (-(-room // s) if self.ceil_mode else room // s) + 1
            if self.ceil_mode and (count - 1) * s >= n + p:
                count -= 1
            result.append(count)
        return tuple(result)

    def taps(self) -> Iterator[tuple[int, ...]]:
        """Return how far each tap lies from the start of its window, in C order."""
        return product(*(range(0, k * d, d) for k, d in zip(self.kernel, self.dilation)))

    def under(self, box: ndarray, tap: Sequence[int], output: Sequence[int]) -> ndarray:
        """Return the places of a padded box ``(planes, *lengths)`` that lie under one tap of all windows."""
        return box[self.cut(tap, output)]

    def cut(self, tap: Sequence[int], output: Sequence[int]) -> tuple[slice, ...]:
        """Return the same as an index of the box."""
        steps = zip(tap, output, self.stride)
        return (slice(None), *(slice(t, t + (o - 1) * s + 1, s) for t, o, s in steps))

    def inside(
        self, size: Sequence[int], lengths: Sequence[int]
    ) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return the part of the box that is not padding, and the part of the array that it covers."""
        reach = [max(0, min(n, length - p)) for n, length, p in zip(size, lengths, self.padding)]
        return (
            tuple(slice(p, p + n) for n, p in zip(reach, self.padding)),
            tuple(slice(0, n) for n in reach),
        )

    def lengths(self, output: Sequence[int]) -> list[int]:
        """Return the size of the padded box that the windows cover."""
        return [
            (o - 1) * s + (k - 1) * d + 1
            for o, k, s, d in zip(output, self.kernel, self.stride, self.dilation)
        ]


# ----------------------------------------------------------------------------------------------------- maxima


def max_pool(x: ndarray, windows: Windows) -> tuple[ndarray, ndarray]:
    """Return the largest element under each window, and which tap it is under: ``(N, C, *output)`` each.

    The first of equal elements wins; a NaN wins over all numbers, and of several NaNs the last. Winners are
    unsigned integers, a byte where the window has at most 256 places.
    """
    count, output = prod(windows.kernel), windows.output(x.shape[2:])
    simple = count <= _TAPS and _FEW < 4 * x.size <= 4 * _RECORDED
    wide = count > _TAPS and prod((*x.shape[:2], *output)) <= _WINDOWS_A_TAP * count
    at_once = 0 < x.size <= (_WORTH_NATIVE if wide else _FEW) and not simple
    if at_once and (few := _largest_of_few(x, _table(x.shape[2:], windows))) is not None:
        return few
    values = np.empty((*x.shape[:2], *output), x.dtype)
    winners = np.empty(values.shape, np.min_scalar_type(prod(windows.kernel) - 1))
    if not simple and _native(
        x.shape, values.shape, x.dtype, windows, lambda k: k.maxima(np.ascontiguousarray(x), values, winners)
    ):
        return values, winners
    lowest = _lowest(x.dtype)
    taps = list(windows.taps())

    def task(planes: ndarray, largest: ndarray, winner: ndarray) -> None:
        box = padded_box(planes, windows, output, lowest)
        np.copyto(largest, windows.under(box, taps[0], output))
        winner.fill(0)
        element, number = np.empty_like(largest), np.empty_like(winner)
        greater = np.empty(largest.shape, bool)
        told = greater.view(np.uint8)
        for tap, place in enumerate(taps[1:], 1):
            np.copyto(element, windows.under(box, place, output))
            np.greater(element, largest, out=greater)
            np.maximum(element, largest, out=largest)  # of 0 and -0 the earlier stays: SIMD takes the second
            # Taps come in rising order, so the latest that was greater is the largest number.
            np.multiply(told, winner.dtype.type(tap), out=number)
            np.maximum(winner, number, out=winner)
        if _has_nan(largest):
            _settle_nans(box, windows, output, winner)
        if any(windows.padding):
            _keep_inside(largest == lowest, windows, output, winner)

    each_part(task, x, values, winners)
    return values, winners


class _Table(NamedTuple):
    """Tell which places of a plane lie under the windows, and under which tap: ``(windows, taps)`` each."""

    output: tuple[int, ...]
    places: ndarray  # where in the plane; what is padding stands for the first place that is none
    taps: ndarray


@functools.lru_cache(maxsize=256)
def _table(size: tuple[int, ...], windows: Windows) -> _Table | None:
    """Return the places under windows; None where one of these lies in the padding alone."""
    output = windows.output(size)
    count = prod(output)
    inside = np.ones((count, prod(windows.kernel)), bool)
    places = np.zeros(inside.shape, np.intp)
    cells, taps = np.indices(output).reshape(len(size), -1, 1), np.array(list(windows.taps())).T[:, None]
    for cell, tap, n, s, p in zip(cells, taps, size, windows.stride, windows.padding, strict=True):
        at = cell * s + tap - p
        inside &= (at >= 0) & (at < n)
        places = places * n + at
    if not inside.any(1).all():
        return None
    chosen = np.where(inside, np.arange(inside.shape[1]), inside.argmax(1)[:, None])
    narrow = np.min_scalar_type(inside.shape[1] - 1)
    return _Table(output, np.take_along_axis(places, chosen, 1), chosen.astype(narrow))


def _largest_of_few(x: ndarray, table: _Table | None) -> tuple[ndarray, ndarray] | None:
    """Return what `max_pool` does, of a few elements in a few calls; None where one is nan."""
    most = max(4 * _FEW, 2 * x.size) * prod(x.shape[2:])
    if table is None or x.size * table.places.size > most or x.dtype.kind not in "fiu":
        return None
    values, first = _largest(x, table.places)
    if x.dtype.kind == "f" and np.isnan(values).any():
        return None
    shape = (*x.shape[:2], *table.output)
    return values.reshape(shape), np.take(table.taps, first).reshape(shape)


def _largest(x: ndarray, places: ndarray) -> tuple[ndarray, ndarray]:
    """Return the largest elements at rows of places in planes, and which it is over all rows."""
    rows, taps = places.shape
    under = x.reshape(x.shape[0] * x.shape[1], -1).take(places, 1)
    first = under.argmax(2)
    first += np.arange(0, rows * taps, taps)
    step = np.arange(0, under.size, rows * taps)[:, None]
    return under.reshape(-1).take(first + step), first


@functools.lru_cache(maxsize=256)
def _hotness(size: tuple[int, ...], windows: Windows) -> Hotness:
    """Return what pools of small planes of one size have cost: native code gives the same numbers."""
    return Hotness()


def max_values(x: ndarray, windows: Windows) -> ndarray:
    """Return what `max_pool` does without the winners: 8 planes of 14×14 take 13 µs instead of 32."""
    shape = x.shape
    output, whole, (first, *parts) = plane_parts(shape[2:], windows)
    if len(parts) > _TAPS and 0 < x.size <= _FEW and (table := _table(shape[2:], windows)) is not None:
        return _largest(x, table.places)[0].reshape(*shape[:2], *output)
    planes = x.reshape(-1, *shape[2:])
    box = planes if whole else padded_box(planes, windows, output, _lowest(x.dtype))
    largest = box[first].copy()
    for part in parts:
        np.maximum(box[part], largest, out=largest)
    return largest.reshape(*shape[:2], *output)


@functools.lru_cache(maxsize=1024)
def plane_parts(
    size: tuple[int, ...], windows: Windows
) -> tuple[tuple[int, ...], bool, list[tuple[slice, ...]]]:
    """Return the size of the result, whether its windows reach no padding, and what lies under each tap."""
    output = windows.output(size)
    whole = not any(windows.padding) and all(n >= m for n, m in zip(size, windows.lengths(output)))
    return output, whole, [windows.cut(tap, output) for tap in windows.taps()]


def _native(
    x: tuple[int, ...], y: tuple[int, ...], dtype: np.dtype, windows: Windows, run: Callable[[Any], None]
) -> bool | None:
    """Run something with native kernels, if arrays of these shapes are worth it; whether it was run."""
    if len(x) > 4 or dtype.kind != "f" or not prod(x):
        return False

    def ran() -> bool:
        geometry = windows.kernel, windows.stride, windows.padding, windows.dilation
        if (kernels := large.ask("pools", tuple(x[2:]), tuple(y[2:]), dtype, *geometry)) is not None:
            run(kernels)
        return kernels is not None

    if prod(x) >= _WORTH_NATIVE:
        return ran()
    hotness = _hotness(x[2:], windows)
    return hotness.is_hot(_CALLS + prod(x) * _ELEMENT) and hotness.get(ran)


def _lowest(dtype: np.dtype) -> Any:
    return False if dtype.kind == "b" else np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _has_nan(values: ndarray) -> bool:
    return values.dtype.kind not in "iub" and bool(np.isnan(values).any())


def _settle_nans(box: ndarray, windows: Windows, output: Sequence[int], winner: ndarray) -> None:
    """Let the last NaN under a window win."""
    for tap, place in enumerate(windows.taps()):
        winner[np.isnan(windows.under(box, place, output))] = tap


def _keep_inside(empty: ndarray, windows: Windows, output: Sequence[int], winner: ndarray) -> None:
    """Let the first place that is not padding win where a window holds nothing above −∞."""
    if not empty.any():
        return
    first = np.zeros(output, winner.dtype)
    for axis, (o, k, s, p, d) in enumerate(
        zip(output, windows.kernel, windows.stride, windows.padding, windows.dilation)
    ):
        inside = -(-np.maximum(p - np.arange(o) * s, 0) // d)
        first = first * k + on_axis(np.minimum(inside, k - 1), axis, len(output)).astype(winner.dtype)
    np.copyto(winner, first, where=empty & (winner == 0))


def winner_indices(winners: ndarray, windows: Windows, size: Sequence[int]) -> ndarray:
    """Return the place of each winner in its plane, counted in C order: torch's indices, int64."""
    reach, starts = _index_parts(windows, winners.shape[2:], tuple(size))
    indices: ndarray = np.take(reach, winners)  # as a function, which is recorded
    indices += starts
    return indices


@functools.lru_cache(maxsize=256)
def _index_parts(windows: Windows, output: tuple[int, ...], size: tuple[int, ...]) -> tuple[ndarray, ndarray]:
    """Return how far in a plane each tap reaches, and where each window begins."""
    steps = [prod(size[axis + 1 :]) for axis in range(len(size))]
    reach = [sum(t * step for t, step in zip(tap, steps)) for tap in windows.taps()]
    starts = np.zeros((1,) * len(output), np.int64)
    for axis, (o, s, p, step) in enumerate(zip(output, windows.stride, windows.padding, steps)):
        starts = starts + on_axis((np.arange(o) * s - p) * step, axis, len(output))
    return np.array(reach, np.int64), starts


def scatter_windows(y: ndarray, winners: ndarray, windows: Windows, size: Sequence[int]) -> ndarray:
    """Add each y ``(N, C, *output)`` to the place of its window's winner in ``(N, C, *size)``."""
    if y.dtype.itemsize == 2 and y.dtype.kind not in "iu":
        return scatter_windows(y.astype(np.float32), winners, windows, size).astype(y.dtype)
    output = y.shape[2:]
    x = np.empty((*y.shape[:2], *size), y.dtype)
    if type(y) is ndarray and _native(
        x.shape, y.shape, y.dtype, windows,
        lambda k: k.spread(np.ascontiguousarray(y), np.ascontiguousarray(winners), x),
    ):  # fmt: skip
        return x
    x[...] = 0
    lengths = windows.lengths(output)
    fits = not any(windows.padding) and all(length <= n for length, n in zip(lengths, size))
    places = _Places(windows, output, size if fits else lengths)
    inside, covered = windows.inside(size, lengths)

    def task(source: ndarray, winner: ndarray, target: ndarray) -> None:
        box = target if fits else np.zeros((len(source), *lengths), y.dtype)
        np.add.at(box.reshape(-1), places.of(winner), source.reshape(-1))
        if not fits:
            target[(slice(None), *covered)] = box[(slice(None), *inside)]

    each_part(task, np.ascontiguousarray(y), winners, x)
    return x


def gather_windows(x: ndarray, winners: ndarray, windows: Windows) -> ndarray:
    """Return the element of x ``(N, C, *size)`` under each window's winner: ``(N, C, *output)``."""
    output = winners.shape[2:]
    y = np.empty(winners.shape, x.dtype)
    lengths = windows.lengths(output)
    places = _Places(windows, output, lengths)

    def task(planes: ndarray, winner: ndarray, target: ndarray) -> None:
        box = np.ascontiguousarray(padded_box(planes, windows, output, 0))
        target.reshape(-1)[...] = box.reshape(-1)[places.of(winner)]

    each_part(task, x, winners, y)
    return y


class _Places:
    """Turn places of winners into places in planes that follow one another."""

    def __init__(self, windows: Windows, output: Sequence[int], lengths: Sequence[int]) -> None:
        steps = [prod(lengths[axis + 1 :]) for axis in range(len(lengths))]
        taps = [sum(t * step for t, step in zip(tap, steps)) for tap in windows.taps()]
        self._plane = prod(lengths)
        self._reach = np.array(taps, np.intp)
        self._starts = np.zeros((1,) * len(output), np.intp)
        for axis, (o, s, step) in enumerate(zip(output, windows.stride, steps)):
            self._starts = self._starts + on_axis(np.arange(o) * s * step, axis, len(output))

    def of(self, winner: ndarray) -> ndarray:
        """Return one-dimensional, for winners ``(planes, *output)``."""
        places = np.take(self._reach, winner.astype(np.intp))
        places += self._starts
        places += on_axis(np.arange(len(winner)) * self._plane, 0, winner.ndim)
        return places.reshape(-1)


def on_axis(values: ndarray, axis: int, ndim: int) -> ndarray:
    """Return numbers along one of so many axes, of one element along the others."""
    shape = [1] * ndim
    shape[axis] = len(values)
    return values.reshape(shape)


# --------------------------------------------------------------------------------------------------- adaptive


def adaptive_bounds(size: int, output: int) -> list[tuple[int, int]]:
    """Return the window o of an adaptive pool reaches from ⌊o·size / output⌋ to ⌈(o + 1)·size / output⌉."""
    return [(o * size // output, -(-(o + 1) * size // output)) for o in range(output)]


@functools.lru_cache(maxsize=256)
def even_windows(size: tuple[int, ...], output: tuple[int, ...]) -> Windows | None:
    """Return the same windows as those of an ordinary pool, where the sizes divide."""
    if 0 in output or 0 in size or any(n % o for n, o in zip(size, output)):
        return None
    kernel = tuple(n // o for n, o in zip(size, output))
    return Windows(kernel, kernel, (0,) * len(kernel), (1,) * len(kernel))


def adaptive_max_pool(x: ndarray, output: Sequence[int]) -> tuple[ndarray, ndarray]:
    """Return maxima over the windows of `adaptive_avg_pool`, and their indices into the plane, int64."""
    size = x.shape[2:]
    if (windows := even_windows(size, tuple(output))) is not None:
        values, winners = max_pool(x, windows)
        return values, winner_indices(winners, windows, size)
    shape = (*x.shape[:2], *output)
    if 0 < x.size <= _FEW and 0 not in shape:
        places = _adaptive_places(size, tuple(output))
        largest, first = _largest(x, places)
        if not _has_nan(largest):
            return largest.reshape(shape), np.take(places, first).reshape(shape)
    values = np.empty(shape, x.dtype)
    indices = np.empty(shape, np.int64)
    plane = np.arange(prod(size)).reshape(size)
    for cell in product(*(enumerate(adaptive_bounds(n, o)) for n, o in zip(size, output))):
        place: tuple[Any, ...] = (..., *(index for index, _ in cell))
        box: tuple[Any, ...] = tuple(slice(*bounds) for _, bounds in cell)
        elements = x[(slice(None), slice(None), *box)]
        elements = elements.reshape(*x.shape[:2], prod(elements.shape[2:]))
        first = elements.argmax(axis=-1)
        if _has_nan(elements):
            # Of several the last one wins, as in `max_pool`; argmax takes the first.
            nans = np.isnan(elements)
            first = np.where(nans.any(-1), nans.shape[-1] - 1 - nans[..., ::-1].argmax(-1), first)
        values[place] = np.take_along_axis(elements, first[..., None], axis=-1)[..., 0]
        indices[place] = plane[box].reshape(-1)[first]
    return values, indices


@functools.lru_cache(maxsize=256)
def _adaptive_places(size: tuple[int, ...], output: tuple[int, ...]) -> ndarray:
    """Return the places under each window, its first again behind the last where others have more."""
    plane = np.arange(prod(size)).reshape(size)
    boxes = [
        plane[tuple(slice(*bounds) for bounds in cell)].reshape(-1)
        for cell in product(*(adaptive_bounds(n, o) for n, o in zip(size, output)))
    ]
    most = max(map(len, boxes))
    return np.array([np.pad(box, (0, most - len(box)), constant_values=box[0]) for box in boxes])


# ---------------------------------------------------------------------------------------------------- indices
# into planes


def gather_planes(x: ndarray, indices: ndarray) -> ndarray:
    """Return x[n, c] taken at `indices` ``(N, C, *output)`` into its flattened plane."""
    flat = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    places = indices.reshape(*indices.shape[:2], prod(indices.shape[2:]))
    return np.take_along_axis(flat, places, axis=2).reshape(indices.shape)


def scatter_planes(y: ndarray, indices: ndarray, size: Sequence[int]) -> ndarray:
    """Add each y ``(N, C, *output)`` to place `indices` of its flattened plane of ``(N, C, *size)``."""
    from .scatter import index_sum

    planes, plane = y.shape[0] * y.shape[1], prod(size)
    places = indices.reshape(planes, prod(indices.shape[2:])) + np.arange(planes)[:, None] * plane
    return index_sum(y.reshape(-1), places.reshape(-1), planes * plane).reshape(*y.shape[:2], *size)


# ----------------------------------------------------------------------------------------------------- blocks


def padded_box(planes: ndarray, windows: Windows, output: Sequence[int], fill: Any) -> ndarray:
    """Return what the windows cover of ``(planes, *size)``, with `fill` in the padding."""
    pads = [(p, p) for p in windows.padding]
    starts = (0,) * len(pads)
    return pad_into(planes[:, None], pads, starts, windows.lengths(output), fill=fill)[:, 0]


def each_part(task: Callable[..., None], *arrays: ndarray) -> None:
    """Call `task` with the same block of planes ``(planes, *spatial)`` of every array, side by side."""
    flat = [array.reshape(-1, *array.shape[2:]) for array in arrays]
    if all(0 < array.nbytes <= _BLOCK_BYTES for array in arrays):
        task(*flat)
        return
    largest = max(flat, key=lambda array: array.size)
    count = len(largest)
    if any(array.size == 0 for array in flat):
        for array in flat[1:]:
            array.fill(0)
        return
    if largest.nbytes <= _BLOCK_BYTES:
        task(*flat)
        return
    together = max(1, _BLOCK_BYTES // (prod(largest.shape[1:]) * largest.itemsize))
    bounds = stretches(count, largest.size, _WORTH_THREADS)

    def part(index: int) -> None:
        low, high = bounds[index]
        for start in range(low, high, together):
            stop = min(start + together, high)
            task(*(array[start:stop] for array in flat))

    run_parts(part, len(bounds))
