"""Say how a new tensor among a function's results lies in memory, where it is no array of its own in C order.

Native code computes arrays in C order. A result that eager lays out otherwise, or whose memory another result
or a tensor of the caller's has, is a view of such an array: of the value that owns the memory, which the
program computes with its axes in the order of memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...array.strides import storage
from ...core.op import TABLE
from ...core.recorder import Recorder
from ...core.tracer import Tracer


class Placement(NamedTuple):
    """A part of an array."""

    #: The number of the tensor of the call whose memory it is; None for an output of the program.
    cell: int | None
    offset: int
    #: In bytes.
    strides: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def of(self, array: ndarray) -> ndarray:
        """Return the part of an array of the program, or of a cell's."""
        root, before = storage(array)
        return np.ndarray(self.shape, self.dtype, root, before + self.offset, self.strides)


class Memory:
    """Find how the results of a trace lie whose cells' values have the numbers `inputs`."""

    def __init__(self, recorder: Recorder, inputs: Any) -> None:
        self._recorder = recorder
        self._cell = {number: at for at, number in enumerate(inputs)}
        self._overwritten: set[int] | None = None
        self._in_order: dict[int, int] = {}

    def was_overwritten(self, number: int) -> bool:
        """Return whether the memory of a value was written to."""
        layouts = self._recorder.layouts
        if self._overwritten is None:
            self._overwritten = layouts.overwritten()
        return bool(self._overwritten) and layouts.of(number).root in self._overwritten

    def backing(self, number: int) -> tuple[int | None, Placement | None]:
        """Return the value to compute, none in a cell's memory, and how a value lies in it."""
        recorder = self._recorder
        shape, dtype = recorder.shapes[number], recorder.dtypes[number]
        stand_in = recorder.layouts.stand_in(number)
        layout = recorder.layouts.of(number)
        cell = self._cell.get(layout.root)
        placement = Placement(cell, layout.offset, layout.strides, shape, dtype)
        if cell is not None:
            return None, placement
        if layout.root == number and (stand_in.flags.c_contiguous or not stand_in.size):
            return number, None
        return self._permuted(layout.root), placement

    def whole(self, number: int) -> Placement:
        """Return all of a value in C order that another result has, too."""
        recorder = self._recorder
        shape, dtype = recorder.shapes[number], recorder.dtypes[number]
        return Placement(None, 0, np.empty(shape, dtype).strides, shape, dtype)

    def _permuted(self, root: int) -> int:
        """Return a value with its axes in the order of its memory."""
        array = self._recorder.layouts.stand_in(root)
        if array.flags.c_contiguous:
            return root
        known = self._in_order.get(root)
        if known is None:
            # Axes of size 1 may have any stride.
            steps = [s if n > 1 else 0 for s, n in zip(array.strides, array.shape, strict=True)]
            order = tuple(sorted(range(array.ndim), key=lambda axis: -steps[axis]))
            value = Tracer(self._recorder, root)
            permuted = Tracer.run(TABLE["permute"], (value,), (order,), value._level)
            known = self._in_order[root] = permuted.index
        return known
