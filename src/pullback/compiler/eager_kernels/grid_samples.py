"""Native loops that read images at the places of a grid, add to them there, and pull a covector back to the
grid.

What depends on a place alone, its pixels and their weights, is computed once for all channels, by the forms
that programs use (`lower.sampling`). There is a loop for each size of images: the numbers of images, channels
and places are free. Sums are taken in the order of the array kernels (`array.sampler`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.sampler import Sampler
from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES, Value
from ..lower.index import Variable, constant, linear, strides_of
from ..lower.sampling import is_known, near
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import Job, number, opened

#: Nanoseconds for a place, and for a pixel that is read or written there.
PLACE, PIXEL = 10.0, 1.0

_UNKNOWN = 1 << 62
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_FIELDS = {
    **dict.fromkeys(("x", "y", "grid", "out"), "ptr"), **dict.fromkeys(("channels", "places"), "i64"),
}  # fmt: skip


class Sampling:
    """The loops, made when they are first asked for."""

    def __init__(self) -> None:
        self._made: dict[Any, Job] = {}

    def run(
        self, kind: str, x: ndarray, y: ndarray | None, grid: ndarray, out: ndarray, size: Sequence[int],
        sampler: Sampler,
    ) -> bool:  # fmt: skip
        """Write what a kind of loop makes of C-ordered arrays; return whether that was done.

        Parameters
        ----------
        kind : {"values", "adjoint", "places"}
            Values of x at the grid; y added to `out`, zeros before, at the grid; the covector of the grid,
            of which y is that of the values.
        x, out
            Images ``(N, C, *size)`` are x, or `out` of the adjoint, whose x is y.
        y
            ``(N, C, *places)``.
        grid
            ``(N, *places, rank)``.
        """
        if not is_known(sampler) or grid.dtype not in _FLOATS or x.dtype != grid.dtype:
            return False
        key = (kind, grid.dtype, tuple(size), sampler)
        job = self._made.get(key)
        if job is None:
            job = self._made[key] = Job(_LOOPS[kind](TYPES[grid.dtype], grid.dtype, tuple(size), sampler))
        images, channels, rank = grid.shape[0], x.shape[1], len(size)
        places = prod(grid.shape[1:-1])
        shared = images if kind == "adjoint" else images * places
        work = images * places * (PLACE + channels * PIXEL * 2**rank)
        parts = parallel_rows.count(shared, work, False)
        fields = (address(x), address(y), address(grid), address(out), channels, places)
        job.run(shared, parts, fields)
        return True


class _Grid:
    """The coordinates of one place, as what is lowered reads a grid: the last index says which."""

    def __init__(self, ops: Emitter, real: str, dtype: np.dtype[Any], first: str) -> None:
        self._ops, self._real, self._dtype, self._first = ops, real, dtype, first

    def at(self, _: Any, at: Sequence[Any]) -> Value:
        along = at[-1].constant
        return Value(_loaded(self._ops, self._real, "%grid", self._first, str(along)), self._dtype)


def _address(ops: Emitter, real: str, base: str, *terms: str) -> str:
    total, *others = terms
    for term in others:
        total = number(ops, f"add i64 {total}, {term}")
    return number(ops, f"getelementptr {real}, ptr {base}, i64 {total}")


def _loaded(ops: Emitter, real: str, base: str, *terms: str) -> str:
    return number(ops, f"load {real}, ptr {_address(ops, real, base, *terms)}")


class _Place:
    """Hold what is known at a place of the grid.

    Parameters
    ----------
    image, place : str
        Numbers of the image and of its place.
    """

    def __init__(
        self, ops: Emitter, real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler,
        image: str, place: str,
    ) -> None:  # fmt: skip
        self.ops, self.real, self.size, self.sampler = ops, real, size, sampler
        here = number(ops, f"add i64 {number(ops, f'mul i64 {image}, %places')}, {place}")
        self.first = number(ops, f"mul i64 {here}, {len(size)}")
        self._grid = _Grid(ops, real, dtype, self.first)
        self._image, self._place = image, place

    def taps(self, orders: tuple[int, ...]) -> list[tuple[str, Any, Value]]:
        """Return position, whether it is inside and weight of the pixels around."""
        found = near(
            self.ops, self._grid, (constant(0),) * (2 + len(self.size)), self.size, self.sampler, orders
        )
        strides = strides_of(self.size)
        return [(self.ops.position(linear(t.where, strides)), t.inside, t.weight) for t in found]

    def channel(self, channel: str) -> tuple[str, str]:
        """Return where a channel's plane begins, and where its value at the place is."""
        ops = self.ops
        plane = number(ops, f"add i64 {number(ops, f'mul i64 {self._image}, %channels')}, {channel}")
        value = number(ops, f"add i64 {number(ops, f'mul i64 {plane}, %places')}, {self._place}")
        return number(ops, f"mul i64 {plane}, {prod(self.size)}"), value


def _values(real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> Emitter:
    ops: Any = opened(Module(), _FIELDS)
    zero = ops.constant(0, dtype)
    each, channel = Variable("i", _UNKNOWN), Variable("c", _UNKNOWN)
    with ops.loop(each, "%lo", "%hi"):
        place = _split(ops, real, dtype, size, sampler)
        taps = place.taps((0,) * len(size))
        with ops.loop(channel, "0", "%channels"):
            plane, value = place.channel(ops.counters["c"])
            total = _weighed(ops, real, plane, taps, zero)
            ops.line(f"store {real} {total.name}, ptr {_address(ops, real, '%out', value)}")
    return ops


def _split(ops: Emitter, real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> _Place:
    """Return the place that a loop over the places of all images has reached."""
    at = ops.counters["i"]
    image = number(ops, f"udiv i64 {at}, %places")
    place = number(ops, f"sub i64 {at}, {number(ops, f'mul i64 {image}, %places')}")
    return _Place(ops, real, dtype, size, sampler, image, place)


def _weighed(ops: Any, real: str, plane: str, taps: Any, zero: Value, values: Any = None) -> Value:
    """Return the sum of the pixels of a plane, or of values at hand, by weights."""
    values = values or _pixels(ops, real, plane, taps, zero)
    total = None
    for (_, _, weight), value in zip(taps, values, strict=True):
        term = ops.mul(weight, value)
        total = term if total is None else ops.add(total, term)
    assert total is not None
    return total


def _pixels(ops: Any, real: str, plane: str, taps: Any, zero: Value) -> list[Value]:
    """Return the pixels of a plane, those outside as zeros."""
    found = []
    for position, inside, weight in taps:
        value = Value(_loaded(ops, real, "%x", plane, position), weight.dtype)
        found.append(ops.select(inside, value, zero))
    return found


def _adjoint(real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> Emitter:
    ops: Any = opened(Module(), _FIELDS)
    zero = ops.constant(0, dtype)
    image, each, channel = Variable("n", _UNKNOWN), Variable("i", _UNKNOWN), Variable("c", _UNKNOWN)
    with ops.loop(image, "%lo", "%hi"), ops.loop(each, "0", "%places"):
        place = _Place(ops, real, dtype, size, sampler, ops.counters["n"], ops.counters["i"])
        taps = place.taps((0,) * len(size))
        with ops.loop(channel, "0", "%channels"):
            plane, value = place.channel(ops.counters["c"])
            given = Value(_loaded(ops, real, "%y", value), dtype)
            for position, inside, weight in taps:
                term = ops.select(inside, ops.mul(weight, given), zero)
                address = _address(ops, real, "%out", plane, position)
                before = Value(number(ops, f"load {real}, ptr {address}"), dtype)
                ops.line(f"store {real} {ops.add(before, term).name}, ptr {address}")
    return ops


def _places(real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> Emitter:
    ops: Any = opened(Module(), _FIELDS)
    zero, rank = ops.constant(0, dtype), len(size)
    each, channel = Variable("i", _UNKNOWN), Variable("c", _UNKNOWN)
    sums = [ops.slot(real) for _ in range(rank)]
    with ops.loop(each, "%lo", "%hi"):
        place = _split(ops, real, dtype, size, sampler)
        taps = [place.taps(tuple(int(k == d) for k in range(rank))) for d in range(rank)]
        for total in sums:
            ops.line(f"store {real} {zero.name}, ptr {total}")
        with ops.loop(channel, "0", "%channels"):
            plane, value = place.channel(ops.counters["c"])
            given = Value(_loaded(ops, real, "%y", value), dtype)
            values = _pixels(ops, real, plane, taps[0], zero)
            for total, around in zip(sums, taps, strict=True):
                term = ops.mul(given, _weighed(ops, real, plane, around, zero, values))
                before = Value(number(ops, f"load {real}, ptr {total}"), dtype)
                ops.line(f"store {real} {ops.add(before, term).name}, ptr {total}")
        for d, total in enumerate(sums):
            done = number(ops, f"load {real}, ptr {total}")
            ops.line(f"store {real} {done}, ptr {_address(ops, real, '%out', place.first, str(d))}")
    return ops


_LOOPS = {"values": _values, "adjoint": _adjoint, "places": _places}
