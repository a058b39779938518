"""Convolution in one, two, three … dimensions, its transpose, and the product that gives the weight's
covector.

All three are one sum over images n, taps i and output places o, with x at the place o·stride + i·dilation −
padding:

    conv            y[n, o]  = Σ_i  w[i] · x[n, o·s + i·d − p]
    conv_transpose  x[n, t]  = Σ_i  w[i] · y[n, o]      over the o with o·s + i·d − p = t
    conv_weight     w[i]     = Σ_n,o  x[n, o·s + i·d − p] · y[n, o]

so each is a derivative of the others, to any order:

    conv(x, w)            covectors  conv_transpose(g, w),  conv_weight(x, g)
    conv_transpose(y, w)  covectors  conv(g, w),            conv_weight(g, y)
    conv_weight(x, y)     covectors  conv_transpose(y, g),  conv(x, g)

(for complex arrays with the conjugate of what stands beside g). All gather columns (`columns`);
`conv_transpose` is a convolution for each share of places that meet the same taps. float16 and bfloat16 are
computed in float32 and rounded once. Channels that are convolved each for itself have a module of their own
(`depthwise`); so have many channels of few places (`conv_products`). Large ones of one or two dimensions run
in native code where there is any (`large`).

Shapes: x ``(N, C, *size)``, w ``(O, C / groups, *kernel)``, y ``(N, O, *output)``.
"""

import functools
from collections.abc import Sequence
from itertools import product
from math import gcd, prod
from typing import Any

import numpy as np
from numpy import ndarray

from . import columns, conv_products, depthwise, large, small_conv
from .dtypes import COMPLEX32
from .geometry import Pads, output_size
from .named_tuples import NamedTuple

#: Multiplications from which a kernel in native code is asked for: it takes 10 µs for these, and NumPy's
#: calls some 100; but a new shape is compiled first, which takes 50 ms. So is one of fewer where NumPy would
#: gather more than `small_conv` does, by ways that are slow for few channels: 7×7 of 2×1×48×48 took it 350
#: µs, its transpose 640, and a kernel 40.
WORTH_NATIVE = 1 << 20

#: The same of channels that are convolved each for itself, which NumPy does tap by tap: 8×16×20×20, 3×3 takes
#: it 350 µs, and a kernel 30.
WORTH_NATIVE_EACH = 1 << 15

#: How many times as many places as y has a transposed convolution may have, for each of its stride, to be
#: gathered.
_WIDE = 2.5

#: Products of taps with places of y up to which those of a stride above 1 are added up in one go.
_FEW = 1 << 18

Ints = tuple[int, ...]


def _native(
    x: tuple[int, ...], w: tuple[int, ...], y: tuple[int, ...], dtype: np.dtype, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int, gathered: int,
) -> Any:  # fmt: skip
    """Return the kernels in native code for arrays of these shapes, if there are any that are worth it.

    ``gathered`` are the elements that NumPy would lay out under the taps: of few channels, that takes longer
    than to multiply them.
    """
    worth = WORTH_NATIVE_EACH if w[1] == 1 and groups > 1 else WORTH_NATIVE
    if len(x) > 4 or dtype.kind != "f" or (prod(y) * prod(w[1:]) < worth and gathered <= small_conv.MOST):
        return None
    # One kernel serves any number of images.
    geometry = tuple(stride), tuple(padding), tuple(dilation), groups
    return large.ask("convolution", (1, *x[1:]), w, (1, *y[1:]), dtype, *geometry)


def as_product(
    way: conv_products.Way, x: Ints, w: Ints, y: Ints, dtype: np.dtype, stride: Sequence[int],
    padding: Sequence[int], dilation: Sequence[int], groups: int,
) -> conv_products.Plan | None:  # fmt: skip
    """Return the plan of one product for all images, where that is less work than other ways."""
    if groups != 1 or dtype.kind not in "fc" or prod(y) * prod(w[1:]) < WORTH_NATIVE or min(padding) < 0:
        return None
    geometry = tuple(stride), tuple(padding), tuple(dilation)
    return conv_products.better(way, x[0], x[2:], w, y[2:], dtype.itemsize, *geometry)


def _is_half(x: ndarray) -> bool:
    return (x.dtype.itemsize == 2 and x.dtype.kind not in "iu") or x.dtype == COMPLEX32


def _wide(x: ndarray) -> ndarray:
    return x.astype(np.complex64 if x.dtype == COMPLEX32 else np.float32)


def conv(
    x: ndarray, w: ndarray, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int, bias: ndarray | None = None,
) -> ndarray:
    """Return y[n, o] = Σ_i w[i] · x[n, o·stride + i·dilation − padding], summed over the input channels of
    each group, plus a bias for each output channel, of the dtype of x.

    x is ``(N, C, *size)``, with zeros around it, w ``(O, C / groups, *kernel)`` and the bias ``(O,)``; the
    result is ``(N, O, *output)`` with output = (size + 2·padding − dilation·(kernel − 1) − 1) // stride + 1.
    """
    if _is_half(x):
        wide = None if bias is None else _wide(bias)
        return conv(_wide(x), _wide(w), stride, padding, dilation, groups, wide).astype(x.dtype)
    if type(stride) is type(padding) is type(dilation) is tuple and groups == 1:
        limits = WORTH_NATIVE, small_conv.MOST
        if (plan := _small(x.shape, w.shape, x.itemsize, stride, padding, dilation, limits)) is not None:
            y = np.empty(plan.result, x.dtype)
            small_conv.correlate(small_conv.gathered(x, plan), w, bias, y)
            return y
    output = output_size(x.shape[2:], w.shape[2:], stride, padding, dilation)
    shape = (len(x), len(w), *output)
    geometry = stride, padding, dilation, groups
    found = as_product(conv_products.CORRELATE, x.shape, w.shape, shape, x.dtype, *geometry)
    if found is not None:
        return conv_products.correlate(x, w, bias, found)
    gathered = prod(x.shape[:2]) * prod(w.shape[2:]) * prod(output)
    kernels = _native(x.shape, w.shape, shape, x.dtype, *geometry, gathered)
    if kernels is not None:
        y = np.empty(shape, x.dtype)
        whole = None if bias is None else np.ascontiguousarray(bias)
        kernels.forward(np.ascontiguousarray(x), np.ascontiguousarray(w), whole, y)
        return y
    if groups == 1 and _are_patches(x, w.shape, output, stride, padding, dilation):
        y = large.stacked(w.reshape(len(w), -1), _patches(x, w.shape[2:]).swapaxes(1, 2)).reshape(shape)
        return y if bias is None else add_bias(y, bias)
    return _correlate(x, w, stride, [(p, p) for p in padding], dilation, groups, output, bias)


@functools.lru_cache(maxsize=1024)
def _small(
    x: Ints, w: Ints, width: int, stride: Ints, padding: Ints, dilation: Ints, limits: Ints
) -> small_conv.Plan | None:
    """Return how a convolution of small images goes, None for others; it takes 6 µs to find out."""
    output = output_size(x[2:], w[2:], stride, padding, dilation)
    result = (x[0], w[0], *output)
    native, most = limits
    work, elements = prod(result) * prod(w[1:]), x[0] * prod(w[1:]) * prod(output)
    if not 0 < elements <= most or not 0 < work < native or depthwise.is_better(1, w) or min(padding) < 0:
        return None
    return small_conv.plan(x, w[2:], stride, tuple([(p, p) for p in padding]), dilation, output, width, w[0])


def add_bias(y: ndarray, bias: ndarray) -> ndarray:
    """Return y ``(N, O, *output)``, a bias for each channel added in place."""
    y += bias.reshape(-1, *(1,) * (y.ndim - 2))
    return y


def conv_transpose(
    y: ndarray, w: ndarray, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int, size: Sequence[int],
) -> ndarray:
    """Return x[n, t] = Σ_i w[i] · y[n, o] over the o with o·stride + i·dilation − padding = t: the transpose
    of `conv`, (N, O, *output) -> (N, C, *size).

    y is the covector of a convolution, or the input of a transposed one. A stride above 1 leaves the size of
    the result open; see `geometry.transposed_size`.
    """
    if _is_half(y):
        return conv_transpose(_wide(y), _wide(w), stride, padding, dilation, groups, size).astype(y.dtype)
    kernel, channels = w.shape[2:], w.shape[1] * groups
    if y.size == 0 or w.size == 0 or 0 in size:
        return np.zeros((y.shape[0], channels, *size), y.dtype)
    shape = (len(y), channels, *size)
    geometry = stride, padding, dilation, groups
    found = as_product(conv_products.TRANSPOSE, shape, w.shape, y.shape, y.dtype, *geometry)
    if found is not None:
        return conv_products.transpose(y, w, size, found)
    kernels = _native(shape, w.shape, y.shape, y.dtype, *geometry, y.size * prod(kernel))
    if kernels is not None:
        x = np.empty(shape, y.dtype)
        kernels.transpose(np.ascontiguousarray(y), np.ascontiguousarray(w), x)
        return x
    if groups == 1 and not any(padding) and _lie_side_by_side(y.shape[2:], kernel, stride, dilation, size):
        return _side_by_side(y, w)
    # Each place of y meets all taps: where x has many places for those, a sum of windows is less work.
    few = prod(stride) > 1 and y.size // len(w) * w[0].size * groups <= _FEW
    few = few and not depthwise.is_better(groups, w.shape)
    few = few or prod(size) >= _WIDE * prod(y.shape[2:]) * prod(stride)
    # Zeros around y, which other ways than scattering put there, would make infinite weights nan.
    if not few and np.isfinite(w.sum()):
        return _gather(y, w, stride, padding, dilation, groups, size)
    return _scatter(y, w, stride, padding, dilation, groups, size)


def _lie_side_by_side(
    output: Ints, kernel: Ints, stride: Sequence[int], dilation: Sequence[int], size: Sequence[int]
) -> bool:
    """Return whether every place is under one tap of one window."""
    for o, k, s, d, n in zip(output, kernel, stride, dilation, size, strict=True):
        if n != o * k or (s != k and o > 1) or (d != 1 and k > 1):
            return False
    return True


def _are_patches(
    x: ndarray, w: Ints, output: Ints, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int]
) -> bool:
    """Return whether one product of the patches under the windows is much less work than one for each tap
    along an axis: 4×3×224×224 by 192 of 16×16 took 28 ms of processor time so, and takes 5.
    """
    kernel, work = w[2:], len(x) * prod(output) * prod(w)
    if prod(kernel) == 1 or any(padding) or work < WORTH_NATIVE:
        return False
    return _lie_side_by_side(output, kernel, stride, dilation, x.shape[2:])


def _patches(x: ndarray, kernel: Ints) -> ndarray:
    """Return what lies under windows side by side: ``(N, windows, C · taps)``."""
    rank, cut = len(kernel), [n for size, k in zip(x.shape[2:], kernel) for n in (size // k, k)]
    axes = 0, *range(2, 2 + 2 * rank, 2), 1, *range(3, 3 + 2 * rank, 2)
    return x.reshape(*x.shape[:2], *cut).transpose(axes).reshape(len(x), prod(cut[::2]), -1)


def _side_by_side(y: ndarray, w: ndarray) -> ndarray:
    """Return `conv_transpose` for windows side by side: one product, whose numbers find their places."""
    output, kernel = y.shape[2:], w.shape[2:]
    products = large.stacked(w.reshape(len(w), -1).T, y.reshape(*y.shape[:2], -1))
    products = products.reshape(len(y), w.shape[1], *kernel, *output)
    rank = len(output)
    axes = [axis for k in range(rank) for axis in (2 + rank + k, 2 + k)]
    size = [o * k for o, k in zip(output, kernel, strict=True)]
    return products.transpose(0, 1, *axes).reshape(len(y), w.shape[1], *size)


def conv_weight(
    x: ndarray, y: ndarray, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int,
) -> ndarray:
    """Return w[i] = Σ_n,o x[n, o·stride + i·dilation − padding] · y[n, o]: what a covector y of `conv` gives
    the weight, ``(O, C / groups, *kernel)``.
    """
    if _is_half(x):
        return conv_weight(_wide(x), _wide(y), kernel, stride, padding, dilation, groups).astype(x.dtype)
    shape = (y.shape[1], x.shape[1] // groups, *kernel)
    if 0 in x.shape or 0 in y.shape or 0 in shape:
        return np.zeros(shape, x.dtype)
    geometry = stride, padding, dilation, groups
    found = as_product(conv_products.WEIGHT, x.shape, shape, y.shape, x.dtype, *geometry)
    if found is not None:
        return conv_products.weight(x, y, shape, found)
    y = np.ascontiguousarray(y)
    gathered = prod(x.shape[:2]) * prod(kernel) * prod(y.shape[2:])
    kernels = _native(x.shape, shape, y.shape, x.dtype, *geometry, gathered)
    if kernels is not None:
        w = np.empty(shape, x.dtype)
        kernels.weight(np.ascontiguousarray(x), y, w)
        return w
    if groups == 1 and _are_patches(x, shape, y.shape[2:], stride, padding, dilation):
        rows = y.swapaxes(0, 1).reshape(shape[0], -1)
        return large.multiplied(rows, _patches(x, shape[2:]).reshape(rows.shape[1], -1)).reshape(shape)
    pads = [(p, p) for p in padding]
    if depthwise.is_better(groups, shape):
        return depthwise.weight(x, y, kernel, stride, pads, dilation)
    if small_conv.fits(x, kernel, y.shape[2:], groups, pads):
        flat = small_conv.columns(x, kernel, stride, pads, dilation, y.shape[2:])
        return small_conv.weight(flat, y, shape)
    along = y.shape[1] // groups
    return columns.Columns(x, kernel, stride, pads, dilation, y.shape[2:], along, groups).products(y)


def _correlate(
    x: ndarray, w: ndarray, stride: Sequence[int], pads: Pads, dilation: Sequence[int], groups: int,
    output: Sequence[int], bias: ndarray | None = None,
) -> ndarray:
    """Return `conv` with a padding of its own, maybe negative, at each end of each axis."""
    y = np.empty((x.shape[0], w.shape[0], *output), x.dtype)
    if y.size == 0:
        return y
    if x.size == 0 or w.size == 0:
        y[...] = 0
        return y if bias is None else add_bias(y, bias)
    if depthwise.is_better(groups, w.shape):
        depthwise.correlate(x, w, stride, pads, dilation, y)
        return y if bias is None else add_bias(y, bias)
    if small_conv.fits(x, w.shape[2:], output, groups, pads):
        flat = small_conv.columns(x, w.shape[2:], stride, pads, dilation, output)
        small_conv.correlate(flat, w, bias, y)
        return y
    gathered = columns.Columns(x, w.shape[2:], stride, pads, dilation, output, w.shape[0] // groups, groups)
    gathered.run(w, y, bias)
    return y


class _Share(NamedTuple):
    """Places along an axis of a transposed convolution that meet the same taps: with them it is a convolution
    of stride 1.
    """

    places: slice
    taps: slice
    pads: tuple[int, int]
    dilation: int


def _shares(o: int, k: int, s: int, d: int, p: int, n: int) -> list[_Share]:
    """Return the shares of an axis of `n` places, from `o`, those with taps only."""
    step, found = s // gcd(s, d), []
    for first in range(min(s, n)):
        taps = [i for i in range(k) if (first + p - i * d) % s == 0]
        if taps:
            count, apart = -(-(n - first) // s), step * d // s
            low = (taps[-1] * d - first - p) // s
            pads = low, count - o - low + apart * (len(taps) - 1)
            # The last tap comes first: the kernel is turned around.
            backwards = slice(taps[-1], taps[0] - 1 if taps[0] else None, -step)
            found.append(_Share(slice(first, None, s), backwards, pads, apart))
    return found


def _gather(
    y: ndarray, w: ndarray, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int, size: Sequence[int],
) -> ndarray:
    """Return `conv_transpose` as convolutions with the turned kernel, one for places a stride apart."""
    kernel, channels = w.shape[2:], w.shape[1] * groups
    turned = w.reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2).reshape(channels, -1, *kernel)
    axes = [*map(_shares, y.shape[2:], kernel, stride, dilation, padding, size)]
    every = slice(None), slice(None)
    x: ndarray | None = None
    for shares in product(*axes):
        part = turned[(*every, *[share.taps for share in shares])]
        pads, apart = [share.pads for share in shares], [share.dilation for share in shares]
        counts = [len(range(*share.places.indices(n))) for share, n in zip(shares, size, strict=True)]
        found = _correlate(y, part, (1,) * len(counts), pads, apart, groups, counts)
        if found.shape[2:] == tuple(size):
            return found
        if x is None:
            x = np.empty((len(y), channels, *size), y.dtype)
            if prod(map(len, axes)) < prod(stride):
                x.fill(0)  # no tap reaches some places
        x[(*every, *[share.places for share in shares])] = found
    return np.zeros((len(y), channels, *size), y.dtype) if x is None else x


def _scatter(
    y: ndarray, w: ndarray, stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
    groups: int, size: Sequence[int],
) -> ndarray:
    """Return `conv_transpose`: for each tap one addition of its product with y, image by image."""
    output, kernel = y.shape[2:], w.shape[2:]
    channels, places = w.shape[1] * groups, prod(output)
    taps = w.reshape(groups, w.shape[0] // groups, -1).swapaxes(1, 2)
    x = np.empty((len(y), channels, *size), y.dtype)
    covered = [(o - 1) * s + (k - 1) * d + 1 for o, s, k, d in zip(output, stride, kernel, dilation)]
    most = max(1, columns.BLOCK_BYTES // (channels * prod(kernel) * places * y.itemsize))
    box_size = [max(n + p, c) for n, p, c in zip(size, padding, covered)]
    every = slice(None), slice(None)
    inside = tuple(slice(p, p + n) for p, n in zip(padding, size))
    for start in range(0, len(y), most):
        images = y[start : start + most]
        products = np.matmul(taps, images.reshape(len(images), groups, -1, places))
        products = products.reshape(len(images), channels, *kernel, *output)
        box = np.zeros((len(images), channels, *box_size), y.dtype)
        for tap in np.ndindex(*kernel):
            reach = [
                slice(i * d, i * d + (o - 1) * s + 1, s) for i, d, o, s in zip(tap, dilation, output, stride)
            ]
            part = box[(*every, *reach)]
            np.add(part, products[(*every, *tap)], out=part)
        x[start : start + most] = box[(*every, *inside)]
    return x
