"""Convolutions of many channels with few places as one matrix product for all images.

The kernels in native code (`large`) and `columns` go image by image, with vectors of places that lie side by
side in one image. Where a result has a few places only, as behind the last strides of a residual network,
most of such a vector is empty, and the weight is read again for each image. Here the columns of all images
lie side by side:

    conv            y (O, N·places)       =  w (O, C·taps)   · columns (C·taps, N·places)
    conv_transpose  columns (C·taps, …)   =  wᵀ              · y (O, N·places), added to the places of x
    conv_weight     w (O, C·taps)         =  y               · columnsᵀ

Taps that lie outside of every image are left out: of a 3×3 kernel on 1×1 places one is left. A kernel of one
tap is a product for each image where these have many places: nothing is laid out for it.
"""

import functools
from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .columns import span
from .named_tuples import NamedTuple

Ints = tuple[int, ...]


class Way(NamedTuple):
    """Tell what a column costs beside a multiplication and addition, as it is copied, or its product is added
    to a place of x; the time of kernels in native code of vectors of places, by that of their lanes; and, for
    those of vectors of channels, the places that take the time of turning, less what a product takes for it.
    """

    column: int
    native: float
    turned: int


#: These were fitted to some 80 shapes on one thread with AVX-512: of 8×256×4×4 to 256 channels, 3×3, the
#: three took 1.9, 3.1 and 3.5 ms, and take 1.5, 2.3 and 1.5; of 4×512×1×1 to 512 channels 2.4, 17 and 9, and
#: take 0.6, 0.6 and 1.0. What kernels of vectors of channels turn was fitted later, to some 30 shapes: of
#: 1×512×3×3 to 512, 3×3, they take 1.0, 3.4 and 5.3 ms, products 1.5, 2.1 and 1.7.
CORRELATE, TRANSPOSE, WEIGHT = Way(145, 1.0, 0), Way(250, 1.0, 36), Way(120, 1.5, 100)

#: Bytes of a vector of the kernels in native code, and bytes of all columns up to which they are laid out.
_VECTOR, _MOST_BYTES = 64, 32 << 20

#: Places from which a kernel of one tap is a stack of products, one for each image as it lies, and all their
#: multiplications: of 2×256×56×56 to 64 channels the kernels took 14.5, 5.3 and 6.0 ms, and these 3.4, 2.8
#: and 3.4; of 2×2048×7×7 to 512 channels the second takes 8.1 so, and 2.8 as one product.
_PLACES, _STACK = 64, 1 << 23


class Tap(NamedTuple):
    """Hold the columns ``(C, *taps, N, *output)`` under a tap, and their places in x ``(C, N, *size)``."""

    columns: tuple[Any, ...]
    places: tuple[Any, ...]


class Plan(NamedTuple):
    """Hold the taps that meet an image, the box ``(O, C, *taps)`` of the weight that they fill, how many
    there are along each axis, the places of the result, whether all taps meet all of these, and whether each
    image is a product.
    """

    taps: tuple[Tap, ...]
    box: tuple[slice, ...]
    counts: Ints
    output: Ints
    is_full: bool
    is_stack: bool


@functools.lru_cache(maxsize=1024)
def better(
    way: Way, images: int, size: Ints, w: Ints, output: Ints, itemsize: int, stride: Ints,
    padding: Ints, dilation: Ints,
) -> Plan | None:  # fmt: skip
    """Return the plan of a convolution of one group that is less work by one of the three ways, else None."""
    if 0 in (images, *size, *w, *output):
        return None
    found = plan(size, w[2:], stride, padding, dilation, output)
    columns = images * prod(output)
    met = prod(found.counts)
    is_stack = found.is_full and prod(w[2:]) == 1 and prod(output) >= _PLACES and columns * prod(w) >= _STACK
    # The covectors that the images give the weight are added.
    if is_stack and (way != WEIGHT or prod(w) <= sum(w[:2]) * prod(output)):
        return found._replace(is_stack=True)
    if met == 0 or columns * w[1] * met * itemsize > _MOST_BYTES:
        return None
    lanes, outputs = _VECTOR // itemsize, w[1] if way == TRANSPOSE else w[0]
    if (outputs % lanes == 0) if way == WEIGHT else (outputs >= 2 * lanes):
        axes = zip(size, padding, stride, strict=True)
        places: float = prod([_positions(*axis) for axis in axes] if way == TRANSPOSE else output)
        places += way.turned / images
    else:
        # The places of an image that are computed, those between its rows with them, in whole vectors.
        each = 1
        for n, p, s, o in zip(size, padding, stride, output, strict=True):
            each = (each - 1) * -(-(n + 2 * p) // s) + o
        places = way.native * (-(-each // lanes) * lanes)
    work = (1.1 + way.column / w[0]) * prod(output) * met
    return found if work < 0.9 * places * prod(w[2:]) else None


def _positions(size: int, padding: int, stride: int) -> int:
    """Return how many results of each remainder by the stride a transposed convolution computes."""
    return (size - 1 + padding) // stride + 1 - max(0, -((stride - 1 - padding) // stride))


@functools.lru_cache(maxsize=1024)
def plan(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, output: Ints) -> Plan:
    """Return how the taps of a kernel meet images of a size."""
    axes = []
    for n, k, s, p, d, o in zip(size, kernel, stride, padding, dilation, output, strict=True):
        spans = [(i, *span(i * d - p, s, o, n)) for i in range(k)]
        axes.append([found for found in spans if found[1].stop > found[1].start])
    first = [axis[0][0] if axis else 0 for axis in axes]
    counts = tuple([axis[-1][0] + 1 - axis[0][0] if axis else 0 for axis in axes])
    taps, every = [], slice(None)
    for met in product(*axes):
        index = [i - begin for (i, _, _), begin in zip(met, first, strict=True)]
        columns = (every, *index, every, *(target for _, target, _ in met))
        taps.append(Tap(columns, (every, every, *(source for _, _, source in met))))
    full = all(target == slice(0, o) for axis, o in zip(axes, output, strict=True) for _, target, _ in axis)
    box = every, every, *(slice(begin, begin + count) for begin, count in zip(first, counts, strict=True))
    return Plan(tuple(taps), box, counts, output, full and len(taps) == prod(counts), False)


def _columns(x: ndarray, plan: Plan) -> ndarray:
    """Return the columns of all images, ``(C · taps, N · places)``."""
    images, channels = x.shape[:2]
    make = np.empty if plan.is_full else np.zeros
    columns = make((channels, *plan.counts, images, *plan.output), x.dtype)
    turned = x.swapaxes(0, 1)
    for tap in plan.taps:
        columns[tap.columns] = turned[tap.places]
    return columns.reshape(channels * prod(plan.counts), -1)


def _weights(w: ndarray, plan: Plan) -> ndarray:
    """Return a weight's taps that meet an image, ``(O, C · taps)``."""
    return w[plan.box].reshape(len(w), -1)


def _by_image(y: ndarray, *index: Any) -> ndarray:
    """Return the places of each image, ``(N, O, places)``."""
    return y[index].reshape(*y.shape[:2], -1)


def _by_channel(y: ndarray) -> ndarray:
    """Return the places of all images, ``(N, O, *output)`` -> ``(O, N · places)``."""
    return y.swapaxes(0, 1).reshape(y.shape[1], -1)


def correlate(x: ndarray, w: ndarray, bias: ndarray | None, plan: Plan) -> ndarray:
    """Return `conv` of x and w, of one group, plus a bias."""
    if plan.is_stack:
        y = large.stacked(_weights(w, plan), _by_image(x, *plan.taps[0].places))
        if bias is not None:
            y += bias[:, None]
        return y.reshape(len(x), len(w), *plan.output)
    found = large.multiplied(_weights(w, plan), _columns(x, plan))
    if bias is not None:
        found += bias[:, None]
    return np.ascontiguousarray(found.reshape(len(w), len(x), *plan.output).swapaxes(0, 1))


def transpose(y: ndarray, w: ndarray, size: Sequence[int], plan: Plan) -> ndarray:
    """Return `conv_transpose` of y and w, of one group."""
    images, channels = len(y), w.shape[1]
    if plan.is_stack:
        found = large.stacked(_weights(w, plan).T, _by_image(y)).reshape(images, channels, *plan.output)
        if plan.output == tuple(size):
            return found
        x = np.zeros((images, channels, *size), y.dtype)
        x[plan.taps[0].places] = found
        return x
    columns = large.multiplied(_weights(w, plan).T, _by_channel(y))
    columns = columns.reshape(channels, *plan.counts, images, *plan.output)
    x = np.zeros((channels, images, *size), y.dtype)
    for tap in plan.taps:
        part = x[tap.places]
        np.add(part, columns[tap.columns], out=part)
    return np.ascontiguousarray(x.swapaxes(0, 1))


def weight(x: ndarray, y: ndarray, shape: Ints, plan: Plan) -> ndarray:
    """Return `conv_weight` of x and y, of one group, of a weight's shape."""
    if plan.is_stack:
        columns = _by_image(x, *plan.taps[0].places).swapaxes(1, 2)
        return np.sum(large.stacked(_by_image(y), columns), 0).reshape(shape)
    found = large.multiplied(_by_channel(y), _columns(x, plan).T).reshape(*shape[:2], *plan.counts)
    if found.shape == shape:
        return found
    w = np.zeros(shape, x.dtype)
    w[plan.box] = found
    return w
