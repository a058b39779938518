"""Run ufuncs on operands that are broadcast in front of a short axis, as differences of all points are.

NumPy runs its loop once for each stretch over which every operand steps evenly, 10 ns each: differences of
108 points in three dimensions take it 132 µs, those of 2,000 in eight to 16 means 459, those of 200 in three
in float64 498. Here operands are first repeated by a native loop, after which there is one stretch: 28, 98
and 84 µs (one thread, least of 200, 2026-11-26, busy). The bits are NumPy's.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy import ndarray

from .named_tuples import NamedTuple
from .strides import contiguous_strides
from .tiering import Hotness

#: Elements of a stretch that NumPy's loops need no help with, nanoseconds that each shorter one costs, and
#: how many of them pay for what is asked here.
_LONG, _STRETCH, LEAST = 64, 8, 1500
#: Ufuncs that give floating results of their operands' dtype.
_CLOSED = frozenset((np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum))
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@functools.lru_cache(256)
def _hotness(wide: int) -> Hotness:
    """Return the account of rows of so many bytes, for which there is a loop."""
    return Hotness()


def plans(operands: tuple[Any, ...]) -> tuple[_Plan | None, ...] | None:
    """Return how the arrays among a ufunc's operands are repeated; None where NumPy goes by long stretches,
    or they cannot be, which depends on how they lie alone.
    """
    arrays = [x for x in operands if isinstance(x, ndarray) and x.ndim]
    whole = np.broadcast(*arrays)
    if whole.ndim < 2 or not whole.size or whole.size < LEAST * whole.shape[-1]:
        return None
    return _planned(whole.shape, tuple([(x.shape, x.strides, x.itemsize) for x in arrays]))


def spread(call: Any, operands: tuple[Any, ...], found: tuple[_Plan | None, ...]) -> ndarray | None:
    """Return a ufunc's result, in C order, of operands repeated as planned; None without native code."""
    given: list[Any] = []
    own: ndarray | None = None
    rest = iter(found)
    for x in operands:
        plan = next(rest) if isinstance(x, ndarray) and x.ndim else None
        if plan is not None:
            if (x := _repeated(x, plan)) is None:
                return None
            if plan.strides is None:
                own = x
        given.append(x)
    kinds = [x.dtype for x in given if isinstance(x, ndarray) and x.ndim]
    if own is not None and call in _CLOSED and kinds[0] in _FLOATS and all(x is kinds[0] for x in kinds):
        return call(*given, out=own)
    return call(*given, out=...)


def written_out(x: ndarray) -> ndarray:
    """Return an array with repeated elements written out, where NumPy would go by short stretches."""
    if x.ndim < 2 or not x.size or x.size < LEAST * x.shape[-1]:
        return x
    plans = _planned(x.shape, ((x.shape, x.strides, x.itemsize),))
    found = None if plans is None or plans[0] is None else _repeated(x, plans[0])
    return x if found is None else found


class _Plan(NamedTuple):
    """Say how an operand is written out: what of it is taken, its elements in C order or not, the shapes that
    are written one after another, the last shape, and strides where repetitions in front of it are kept.
    """

    taken: tuple[Any, ...]
    written: tuple[tuple[int, int, int], ...]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None


@functools.lru_cache(1024)
def _planned(
    shape: tuple[int, ...], lies: tuple[tuple[tuple[int, ...], tuple[int, ...], int], ...]
) -> tuple[_Plan | None, ...] | None:
    """Return the plans of arrays of some shapes, strides and sizes of elements, None for one that stays as it
    is; None where NumPy's stretches are long, or an array's axes do not lie in order.
    """
    steps = [steps_along(own, strides, shape) for own, strides, _ in lies]
    if (stretch := _stretch(shape, steps)) >= _LONG or math.prod(shape) < LEAST * stretch:
        return None
    plans = []
    for (own, _, size), step in zip(lies, steps, strict=True):
        kept = [s for s in step if s]
        if kept and (kept[-1] < 0 or kept != sorted(kept, reverse=True)):
            return None
        plans.append(_plan(shape, len(own), step, size) if kept else None)
    return tuple(plans)


def steps_along(own: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """Return how far apart elements lie along each axis of the result; 0 where they are repeated."""
    steps = [0 if size == 1 else step for size, step in zip(own, strides, strict=True)]
    return [0] * (len(shape) - len(own)) + steps


def _stretch(shape: tuple[int, ...], steps: list[list[int]]) -> int:
    """Return how many elements of the result follow one another evenly in all operands."""
    length, inner = 1, [0] * len(steps)
    for axis in reversed(range(len(shape))):
        if shape[axis] == 1:
            continue
        if length == 1:
            inner = [step[axis] for step in steps]
        elif any(step[axis] != first * length for step, first in zip(steps, inner, strict=True)):
            break
        length *= shape[axis]
    return length


def _plan(shape: tuple[int, ...], rank: int, steps: list[int], size: int) -> _Plan | None:
    if all(step or extent == 1 for step, extent in zip(steps, shape, strict=True)):
        return None
    lead = len(shape) - rank
    taken = tuple([slice(None) if step else 0 for step in steps[lead:]])
    outside = math.prod([extent for step, extent in zip(steps, shape, strict=True) if step])
    done = 1
    written: list[tuple[int, int, int]] = []
    for axis in reversed(range(len(shape))):
        if steps[axis]:
            done, outside = done * shape[axis], outside // shape[axis]
        elif shape[axis] > 1:
            if outside == 1 and done >= _LONG:
                last = shape[axis + 1 :]
                strides = (*(0,) * (axis + 1), *[n * size for n in contiguous_strides(last)])
                return _Plan(taken, tuple(written), shape, strides)
            written.append((outside, shape[axis], done))
            done *= shape[axis]
    return _Plan(taken, tuple(written), shape, None)


def _repeated(x: ndarray, plan: _Plan) -> ndarray | None:
    """Return an operand with its repeated elements written out; None where native code is not at hand."""
    data = np.ascontiguousarray(x[plan.taken])
    for shape in plan.written:
        outside, times, done = shape
        wider = np.empty(shape, x.dtype)
        wide = done * x.itemsize
        hotness = _hotness(wide if wide <= _LONG else 0)
        if not hotness.is_hot(outside * times * _STRETCH):
            return None
        if not hotness.ask("spread", data.reshape(outside, done), wider):
            return None
        data = wider
    if plan.strides is None:
        return data.reshape(plan.shape)
    return np.ndarray(plan.shape, x.dtype, data, strides=plan.strides)
