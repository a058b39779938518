"""Chains of NumPy's loops on small arrays, run by one native call.

A ufunc's call takes 0.3 µs on a few elements, a reduction's 0.9, and the loops themselves a twentieth of
that: `softmax` of a row is five calls. A kernel that is such a chain is written with ufuncs and `out=`. It is
recorded once as known calls are (`chain_steps`), and from then on native code
(`compiler.eager_kernels.ufunc_chains`) calls the very loops that NumPy would call. So the bits are NumPy's,
and a chain may become native at any call: when the calls have cost as much as that (`tiering`). Of 128
float32, `softmax` takes 0.3 µs instead of 4.

Inline caches (`tensor.inline_cache`) serve public functions of arrays of one shape without them. Chains are
for loops inside a kernel, covectors, and shapes that are others in each call. Without by with them, thread
time: GRU 3.6 (trained 1.5), LSTM trained 1.27, CTC 1.44, softmax forward and back 1.5; of 119 shapes in turn
softmax 1.24, log-softmax 1.45, layer norm 1.7, RMS norm 2.0, group norm 1.8, logsumexp 2.0, batch norm of
images 1.38. Activations (1.01 to 1.09) and attention (0.98 to 1.00) have none since this was measured.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .deferred_import import import_later
from .tiering import Hotness

#: Loaded when the first chain becomes native.
steps = import_later(".chain_steps", __package__)

#: Elements of the rows up to which chains are asked for, and of the result of one step of exact arithmetic.
MOST, MOST_ALONE = 4096, 1 << 15

#: What an operand is to the rows, by the shape of what stands for it: all of them, a number for each row, a
#: number for each place of a row, one number; rows three or four times as long, of which a kernel uses
#: `parts_of`.
ROWS, COLUMN, VECTOR, SCALAR, THREE, FOUR = (3, 5), (3, 1), (5,), (), (3, 15), (3, 20)

_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_HOTNESS = Hotness()


@functools.lru_cache(maxsize=1024)
def number(value: float, dtype: np.dtype[Any]) -> ndarray:
    """Return a number as chains are given it."""
    made = np.array(value, dtype)
    made.flags.writeable = False
    return made


class Unfit(Exception):
    """Say that a kernel is not a chain of loops on arrays of one dtype."""


def parts_of(x: ndarray, count: int) -> list[ndarray]:
    """Return so many parts of equal length of each row of ``(rows, length)``."""
    width = x.shape[1] // count
    return [x[:, k * width : (k + 1) * width] for k in range(count)]


def native(nanoseconds: float) -> Any:
    """Return what runs chains (`large.chains`), if the work so far and what is to be done now pay for it."""
    return _HOTNESS.get(large.chains) if _HOTNESS.is_hot(nanoseconds) else None


class Chain:
    """A kernel on rows that may become native.

    `roles` are those of `chain_steps.noted`, the first is `ROWS`; `cost` is what a call takes in NumPy, in
    nanoseconds.
    """

    __slots__ = ("_cost", "_f32", "_f64", "kernel", "roles", "spare")

    def __init__(
        self, kernel: Callable[..., Any], roles: tuple[tuple[int, ...], ...], spare: int = 0, cost: int = 5000
    ) -> None:
        self.kernel, self.roles, self.spare = kernel, roles, spare
        self._cost = cost
        self._f32: Any = None
        self._f64: Any = None

    def native(self, x: ndarray, times: int = 1) -> Callable[..., None] | None:
        """Return what runs the chain, so many times, on x and arrays that go with it, all in C order, of one
        dtype and not empty; None where NumPy is to do it.
        """
        dtype = x.dtype
        if type(x) is not ndarray or not 0 < x.size <= MOST:
            return None
        found: Any = self._f32 if dtype is _F32 else self._f64 if dtype is _F64 else False
        if found is None:
            if (source := native(self._cost * times)) is None:
                return None
            try:
                found = source.chain(steps.noted(self.kernel, self.roles, self.spare, dtype)) or False
            except Unfit:
                found = False
            if dtype is _F32:
                self._f32 = found
            else:
                self._f64 = found
        return found or None

    def run(self, x: ndarray, *others: ndarray) -> None:
        """Run the chain on rows ``(…, length)`` and others; those that it writes are in C order."""
        if not x.flags.c_contiguous:
            x = np.ascontiguousarray(x)
        if (native := self.native(x)) is not None:
            native(x, *others)
            return
        shape = (-1, x.shape[-1])
        shapes = {ROWS: shape, COLUMN: (-1, 1), VECTOR: (-1,), SCALAR: ()}
        # To reshape what has the shape takes as long as a sum.
        self.kernel(*[
            v if v.ndim == len(shapes[role]) else v.reshape(shapes[role])
            for v, role in zip((x, *others), self.roles, strict=True)
        ])  # fmt: skip
