"""Products of a row or a column with many matrices by NumPy's own loop, whose parts run on the native
threads.

NumPy calls BLAS for one matrix after another on the thread that asks. Here parts call the same loop for some
of the matrices each, with the same bits.
"""

from __future__ import annotations

import ctypes

import numpy as np
from numpy import ndarray

from ...array.locks import computed
from ..emit.restricted_python import Bytes, Int, Object, Program, Words, native, room, run
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Parts
from .ufunc_chains.loops import loop_of

#: Places in the context: matrices and parts, NumPy's loop and its data; the sizes of a product, the bytes
#: from place to place in its operands and result, where these are, and the bytes to their next matrix.
UNITS, PARTS, LOOP, DATA, SIZES, STEPS, OPERANDS, NEXT = 0, 1, 2, 3, 4, 7, 13, 16
#: Nanoseconds for a byte of a matrix: 2²⁰ float32 take 84 µs on one thread.
BYTE = 0.02


class StackedProducts:
    """The function, made when it is first asked for."""

    def __init__(self) -> None:
        self._library = engine.library(Program((product_part,), {}))

    @computed
    def _parts(self) -> Parts:
        return Parts(self._library.address("product_part"))

    def run(self, x: ndarray, y: ndarray, out: ndarray) -> bool:
        """Write ``x @ y`` of stacks, one perhaps a single matrix; return whether there is a loop."""
        operands = (x, y, out)
        try:
            loop = loop_of(np.matmul, tuple([v.dtype for v in operands]))
        except LookupError:
            return False
        work = (x.nbytes + y.nbytes) * BYTE
        parts = min(len(out), parallel_rows.count(len(out), work, False, parallel_rows.FINE))
        words = (
            len(out), parts, *loop, *x.shape[1:], y.shape[2],
            *[step for v in operands for step in v.strides[1:]],
            *map(address, operands), *[v.strides[0] if len(v) > 1 else 0 for v in operands],
        )  # fmt: skip
        self._parts.run((ctypes.c_int64 * len(words))(*words), parts)
        return True


@native
def product_part(context: Words, part: Int) -> None:
    """Call the loop on a part's share of the matrices."""
    loops: Object = context + LOOP
    loop: Object = loops[0]
    data: Object = loops[1]
    addresses: Object = context + OPERANDS
    begin = part * context[UNITS] // context[PARTS]
    pointers = room(3)
    sizes = room(4)
    steps = room(9)
    sizes[0] = (part + 1) * context[UNITS] // context[PARTS] - begin
    for k in range(3):
        base: Bytes = addresses[k]
        pointers[k] = base + begin * context[NEXT + k]
        sizes[k + 1] = context[SIZES + k]
        steps[k] = context[NEXT + k]
    for k in range(6):
        steps[k + 3] = context[STEPS + k]
    run(loop, pointers, sizes, steps, data)
