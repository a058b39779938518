"""A native loop that keeps numbers between two bounds, which may be others at every call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ..emit.emitter import Emitter, Module
from ..emit.scalars import TYPES
from ..passes import parallel_rows
from ..runtime.shared_kernels import address
from .flat_calls import FlatCall
from .jobs import APART, FLOATS, Jobs, loop_variable, number, opened, read, write

#: Nanoseconds for a byte.
BYTE = 0.04


class Bounding(Jobs):
    """The loops, made when they are first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self._at_once: dict[np.dtype[Any], FlatCall] = {}

    def clamp(self, x: ndarray, out: ndarray, bounds: ndarray) -> bool:
        """Return elements of a C-ordered array, NaN among them, no smaller than the first bound and no larger
        than the second; whether that was done.
        """
        if x.dtype not in FLOATS:
            return False
        job = self.job(_between, TYPES[x.dtype])
        at_once = self._at_once.get(x.dtype)
        if at_once is None:
            # The bounds come last there, for they are no array of x's shape.
            given, made = [x.dtype, x.dtype], [x.dtype]
            at_once = FlatCall(job.address, given, made, (0, 2, 1), x.itemsize * BYTE, others=1)
            self._at_once[x.dtype] = at_once
        if at_once(x, bounds, out) is not None:
            return True
        parts = parallel_rows.count(x.size, x.nbytes * BYTE, False)
        job.run(x.size, parts, (address(x), address(out), address(bounds)))
        return True


def _between(real: str) -> Emitter:
    ops = opened(Module(), dict.fromkeys(("x", "out", "bounds"), "ptr"))
    n = loop_variable("n")
    ops.line(f"%low = load {real}, ptr %bounds")
    ops.line(f"%high_at = getelementptr {real}, ptr %bounds, i64 1")
    ops.line(f"%high = load {real}, ptr %high_at")
    with ops.loop(n, "%lo", "%hi", innermost="1"):
        value = read(ops, real, "%x", ops.counters["n"], APART)
        # No comparison holds of NaN, and of 0 and -0 the element stays.
        below = number(ops, f"fcmp olt {real} {value}, %low")
        value = number(ops, f"select i1 {below}, {real} %low, {real} {value}")
        above = number(ops, f"fcmp ogt {real} {value}, %high")
        value = number(ops, f"select i1 {above}, {real} %high, {real} {value}")
        write(ops, real, value, "%out", ops.counters["n"], APART)
    return ops
