"""Native loops that read images at the places of a grid, add to them there, and pull a covector back to the
grid.

The pixels around a place and their weights are computed by the forms that programs use (`lower.sampling`), in
loops over some places, which vectorize: to compute them again for each channel takes less time than to read
the pixels. Where values are added to the images, which goes place by place, they are kept for some places.
There is a kernel for each size of images: the numbers of images, channels and places are free. Sums are taken
in the order of the array kernels (`array.sampler`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.sampler import Sampler
from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES, Value
from ..lower.index import constant, linear, strides_of
from ..lower.sampling import TAPS, near
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .jobs import APART, FLOATS, Job, loop_variable, opened

#: Nanoseconds for a pixel that is read, and for one that is added to.
READ, ADDED = 0.5, 1.5

#: Places that a part takes at a time, and those of which pixels and weights are kept.
_STRETCH, _KEPT = 1024, 64

_FIELDS = {
    **dict.fromkeys(("x", "y", "grid", "out"), "ptr"),
    **dict.fromkeys(("channels", "places", "stretches"), "i64"),
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

        Of "values" it is those of the images x ``(N, C, *size)`` at the grid ``(N, *places, rank)``; of
        "adjoint", y ``(N, C, *places)`` added to the images `out`, zeros before, at the grid, x being y; of
        "places", the covector of the grid, of which y is that of the values.
        """
        if grid.dtype not in FLOATS or x.dtype != grid.dtype:
            return False
        key = (kind, grid.dtype, tuple(size), sampler)
        job = self._made.get(key)
        if job is None:
            job = self._made[key] = Job(_written(kind, TYPES[grid.dtype], grid.dtype, tuple(size), sampler))
        images, channels, taps = grid.shape[0], x.shape[1], TAPS[sampler.mode] ** len(size)
        places = prod(grid.shape[1:-1])
        stretches = -(-places // (_KEPT if kind == "adjoint" else _STRETCH))
        # Two images share no pixel.
        shared = images if kind == "adjoint" else images * stretches
        work = images * places * channels * taps * (ADDED if kind == "adjoint" else READ)
        parts = parallel_rows.count(shared, work, False)
        job.run(shared, parts, (*map(address, (x, y, grid, out)), channels, places, stretches))
        return True


class _Grid:
    """The coordinates of one place, as what is lowered reads a grid: the last index says which."""

    def __init__(self, ops: Emitter, real: str, dtype: np.dtype[Any], first: str) -> None:
        self._ops, self._real, self._dtype, self._first = ops, real, dtype, first

    def at(self, _: object, at: Sequence[Any]) -> Value:
        along = str(at[-1].constant)
        return Value(self._ops.read_entry(self._real, "%grid", self._first, along, more=APART), self._dtype)


class _Kernel:
    """Write the loops of one kernel, for numbers `real` as LLVM names them and images of so many pixels."""

    def __init__(self, real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> None:
        self.ops: Any = opened(Module(), _FIELDS)
        self.real, self.dtype, self.size, self.sampler = real, dtype, size, sampler
        self.zero = self.ops.constant(0, dtype)
        self.taps = TAPS[sampler.mode] ** len(size)

    def near(self, image: str, place: str, orders: tuple[int, ...]) -> list[tuple[str, Any, Value]]:
        """Return position, whether it is inside and weight of the pixels around a place of an image."""
        ops = self.ops
        here = ops.sum(ops.product(image, "%places"), place)
        grid = _Grid(ops, self.real, self.dtype, ops.product(here, str(len(self.size))))
        at = (constant(0),) * (2 + len(self.size))
        strides = strides_of(self.size)
        found = near(ops, grid, at, self.size, self.sampler, orders)
        return [(ops.position(linear(t.where, strides)), t.inside, t.weight) for t in found]

    def plane(self, image: str, channel: str) -> str:
        """Return the number of a channel's plane."""
        return self.ops.sum(self.ops.product(image, "%channels"), channel)

    def pixels(self, plane: str) -> str:
        """Return where the pixels of a plane begin."""
        return self.ops.product(plane, str(prod(self.size)))

    @contextmanager
    def stretch(self) -> Iterator[tuple[str, str, str]]:
        """Go over stretches of places: image, first place and the end."""
        ops, unit = self.ops, loop_variable("u")
        with ops.loop(unit, "%lo", "%hi"):
            at = ops.counters["u"]
            image = ops.value(f"udiv i64 {at}, %stretches")
            begin = ops.product(ops.value(f"urem i64 {at}, %stretches"), str(_STRETCH))
            yield image, begin, self.end(begin, _STRETCH)

    def end(self, begin: str, length: int) -> str:
        """Return where a stretch ends."""
        end = self.ops.sum(begin, str(length))
        before = self.ops.value(f"icmp slt i64 {end}, %places")
        return self.ops.value(f"select i1 {before}, i64 {end}, i64 %places")

    def weighed(self, plane: str, taps: Any) -> Value:
        """Return the sum of the pixels of a plane by weights, of those outside of zeros."""
        ops, total = self.ops, None
        for position, inside, weight in taps:
            pixel = Value(ops.read_entry(self.real, "%x", plane, position, more=APART), self.dtype)
            term = ops.mul(weight, ops.select(inside, pixel, self.zero))
            total = term if total is None else ops.add(total, term)
        assert total is not None
        return total

    def values(self) -> None:
        """Write the values at the places."""
        ops, channel, each = self.ops, loop_variable("c"), loop_variable("i")
        with self.stretch() as (image, begin, end), ops.loop(channel, "0", "%channels"):
            plane = self.plane(image, ops.counters["c"])
            pixels, first = self.pixels(plane), ops.product(plane, "%places")
            with ops.loop(each, begin, end, "1"):
                place = ops.counters["i"]
                total = self.weighed(pixels, self.near(image, place, (0,) * len(self.size)))
                ops.write_entry(self.real, total.name, "%out", first, place, more=APART)

    def places(self) -> None:
        """Write the covector of the grid: per coordinate, channel by channel."""
        ops, real, rank = self.ops, self.real, len(self.size)
        channel, each, blank = (loop_variable(name) for name in "ciz")
        with self.stretch() as (image, begin, end):
            first = ops.product(image, "%places")
            low, high = (ops.product(ops.sum(first, at), str(rank)) for at in (begin, end))
            with ops.loop(blank, low, high, "1"):
                ops.write_entry(real, self.zero.name, "%out", ops.counters["z"], more=APART)
            with ops.loop(channel, "0", "%channels"):
                plane = self.plane(image, ops.counters["c"])
                pixels, of_y = self.pixels(plane), ops.product(plane, "%places")
                with ops.loop(each, begin, end, "1"):
                    place = ops.counters["i"]
                    given = Value(ops.read_entry(real, "%y", of_y, place, more=APART), self.dtype)
                    here = ops.product(ops.sum(first, place), str(rank))
                    for d in range(rank):
                        taps = self.near(image, place, tuple(int(k == d) for k in range(rank)))
                        term = ops.mul(given, self.weighed(pixels, taps))
                        before = Value(ops.read_entry(real, "%out", here, str(d), more=APART), self.dtype)
                        ops.write_entry(real, ops.add(before, term).name, "%out", here, str(d), more=APART)

    def adjoint(self) -> None:
        """Add the values at the places to the pixels around."""
        ops, real = self.ops, self.real
        image, stretch, each, channel, adding = (loop_variable(name) for name in "nsica")
        where, within, weights = (ops.slot(f"[{self.taps * _KEPT} x {kind}]") for kind in ("i64", "i8", real))
        with ops.loop(image, "%lo", "%hi"), ops.loop(stretch, "0", "%stretches"):
            n = ops.counters["n"]
            begin = ops.product(ops.counters["s"], str(_KEPT))
            count = ops.value(f"sub i64 {self.end(begin, _KEPT)}, {begin}")
            with ops.loop(each, "0", count, "1"):
                i = ops.counters["i"]
                taps = self.near(n, ops.sum(begin, i), (0,) * len(self.size))
                for k, (position, inside, weight) in enumerate(taps):
                    ops.write_entry("i64", position, where, str(k * _KEPT), i, more=APART)
                    ops.write_entry(real, weight.name, weights, str(k * _KEPT), i, more=APART)
                    flag = ops.value(f"zext i1 {inside.name} to i8")
                    ops.write_entry("i8", flag, within, str(k * _KEPT), i, more=APART)
            with ops.loop(channel, "0", "%channels"):
                plane = self.plane(n, ops.counters["c"])
                pixels, of_y = self.pixels(plane), ops.sum(ops.product(plane, "%places"), begin)
                with ops.loop(adding, "0", count):
                    self._add(where, within, weights, pixels, of_y)

    def _add(self, where: str, within: str, weights: str, pixels: str, of_y: str) -> None:
        ops, real, at = self.ops, self.real, self.ops.counters["a"]
        given = Value(ops.read_entry(real, "%y", of_y, at), self.dtype)
        for k in range(self.taps):
            entry = ops.sum(str(k * _KEPT), at)
            weight = Value(ops.read_entry(real, weights, entry), self.dtype)
            flag = ops.value(f"trunc i8 {ops.read_entry('i8', within, entry)} to i1")
            term = ops.select(Value(flag, _BOOL), ops.mul(weight, given), self.zero)
            pixel = ops.entry(real, "%out", pixels, ops.read_entry("i64", where, entry))
            before = Value(ops.value(f"load {real}, ptr {pixel}"), self.dtype)
            ops.line(f"store {real} {ops.add(before, term).name}, ptr {pixel}")


_BOOL = np.dtype(bool)


def _written(kind: str, real: str, dtype: np.dtype[Any], size: tuple[int, ...], sampler: Sampler) -> Emitter:
    kernel = _Kernel(real, dtype, size, sampler)
    getattr(kernel, kind)()
    return kernel.ops
