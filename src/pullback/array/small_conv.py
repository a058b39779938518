"""Convolutions of small images, in as few calls of NumPy as there can be.

All columns of all images fit the near caches: they are one copy of a view of the padded images, and the
rest is one product. What `columns` does for large ones (blocks, threads, long runs) takes 60 µs before it
begins; a 3×3 convolution of 8×28×28 takes 85 µs so and 40 here.
"""

import functools
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy import ndarray

from .geometry import Pads
from .named_tuples import NamedTuple

#: Elements of all columns up to which these are taken: 3×3 of 1×8×28×28 takes 30 µs so, and 82 by `columns`.
MOST = 1 << 17

Ints = tuple[int, ...]


class Plan(NamedTuple):
    """Hold what does not depend on the numbers: the padded images, where the images are in them, the view of
    their columns ``(N, C, *kernel, *output)``, the columns ``(N, C·taps, places)`` and the result.
    """

    padded: Ints
    inside: tuple[slice, ...] | None
    shape: Ints
    strides: Ints
    columns: Ints
    result: Ints


def fits(x: ndarray, kernel: Sequence[int], output: Sequence[int], groups: int, pads: Pads) -> bool:
    """Return whether the convolution is one for this module."""
    count = x.shape[0] * x.shape[1] * prod(kernel) * prod(output)
    return groups == 1 and 0 < count <= MOST and all(a >= 0 and b >= 0 for a, b in pads)


@functools.lru_cache(maxsize=1024)
def plan(
    shape: Ints, kernel: Ints, stride: Ints, pads: Pads, dilation: Ints, output: Ints, size: int,
    channels: int = 0,
) -> Plan:  # fmt: skip
    """Return the plan for images of a shape, with elements of `size` bytes."""
    n, c, *extents = shape
    # A window may begin within the image and end beyond its padding where nothing is read.
    padded = (n, c, *(e + before + after for e, (before, after) in zip(extents, pads, strict=True)))
    steps = [size]
    for extent in padded[:0:-1]:
        steps.insert(0, steps[0] * extent)
    inside = None
    if any(before or after for before, after in pads):
        spans = zip(extents, pads, strict=True)
        inside = (slice(None), slice(None), *(slice(before, before + e) for e, (before, _) in spans))
    taps = [s * d for s, d in zip(steps[2:], dilation, strict=True)]
    places = [s * t for s, t in zip(steps[2:], stride, strict=True)]
    columns = (n, c * prod(kernel), prod(output))
    strides = (*steps[:2], *taps, *places)
    return Plan(padded, inside, (n, c, *kernel, *output), strides, columns, (n, channels, *output))


def columns(
    x: ndarray, kernel: Sequence[int], stride: Sequence[int], pads: Pads, dilation: Sequence[int],
    output: Sequence[int],
) -> ndarray:  # fmt: skip
    """Return the columns ``(N, C·taps, places)``."""
    found = plan(
        x.shape, tuple(kernel), tuple(stride), tuple(pads), tuple(dilation), tuple(output), x.itemsize
    )
    return gathered(x, found)


def gathered(x: ndarray, plan: Plan) -> ndarray:
    """Return the same by a plan."""
    if plan.inside is not None:
        padded = np.zeros(plan.padded, x.dtype)
        padded[plan.inside] = x
    else:
        padded = np.ascontiguousarray(x)
    view: ndarray = type(padded)(plan.shape, x.dtype, padded, 0, plan.strides)
    return view.reshape(plan.columns)


def correlate(columns: ndarray, w: ndarray, bias: ndarray | None, y: ndarray) -> None:
    """Write the product of a weight with columns to y ``(N, O, *output)``."""
    flat = y.reshape(len(y), len(w), -1)
    np.matmul(w.reshape(len(w), -1), columns, out=flat)
    if bias is not None:
        flat += bias[:, None]


def weight(columns: ndarray, y: ndarray, shape: Ints) -> ndarray:
    """Return what a covector y of the result gives a weight of a shape."""
    flat = y.reshape(len(y), y.shape[1], -1)
    if len(y) == 1:
        return (flat[0] @ columns[0].T).reshape(shape)
    return np.add.reduce(np.matmul(flat, columns.swapaxes(1, 2)), axis=0).reshape(shape)
