"""Call elementwise ops on small arrays as one native function, from the call to its result.

Python takes 1.1 µs for `exp` of 8×8 numbers, of which NumPy's loop is 0.05. An op whose kernel is a chain of
ufuncs (`chains`) becomes a native function when it has been called so often that this pays. The function
knows arrays of one dtype or of two, tensors around such which nothing leads to, and Python's numbers; it
gives None for all else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .chains import ROWS, SCALAR, Unfit, native, steps

if TYPE_CHECKING:
    from .chain_steps import Variant

#: Calls after which an op is looked at, which takes 0.2 ms, and nanoseconds that each takes longer than a
#: native one.
CALLS, _SAVED = 100, 1000
#: How many combinations of attributes of an op are counted at once.
_MOST_COUNTED = 64

#: The dtypes of which there are variants.
DTYPES = tuple(map(np.dtype, (np.float32, np.float64, np.int64, np.bool_)))
#: The kind of those of which only ufuncs have variants: kernels look for zeros among divisors, and so does
#: NumPy's power for exponents below 0.
_WHOLE = "i"
_MASK = np.dtype(bool)

Call = Callable[..., Any]


def refuse(*operands: Any) -> None:
    """Take no operands: what stands for the native function of an op that has none."""


class ElementwiseCalls:
    """The native functions of an op, whose ``kernel(*operands, *attrs)`` computes with ufuncs, `np.where` and
    `np.copyto`.

    `numbers` says whether the last of two inputs may be a number. Where `promote`, as the op's, is None, one
    of several inputs may be a mask. `dtypes` are those of which the kernel takes arrays as they are;
    `lays_out` is as in a `chains.Variant`.
    """

    __slots__ = ("_counts", "_kernel", "_lays_out", "_variants", "compiled")

    def __init__(
        self, kernel: Call, inputs: int, numbers: bool, promote: str | None, dtypes: Iterable[Any],
        lays_out: bool = True,
    ) -> None:
        self._kernel, self._lays_out = kernel, lays_out
        kinds = [dtype for dtype in DTYPES if dtype in set(dtypes)]
        if not isinstance(kernel, np.ufunc) or kernel is np.power:
            kinds = [dtype for dtype in kinds if dtype.kind != _WHOLE]
        alike, masks = (ROWS,) * inputs, promote is None
        self._variants: list[tuple[Any, Any]] = []
        if inputs == 2 and isinstance(kernel, np.ufunc) and not masks:
            # What has no loop of integers takes them beside floating numbers.
            pairs = itertools.permutations(DTYPES if promote == "float" else kinds, 2)
            self._variants += [(alike, pair) for pair in pairs if not {*pair}.isdisjoint(kinds)]
        self._variants += [(alike, (dtype,) * inputs) for dtype in kinds]
        if numbers:
            self._variants += [((ROWS, SCALAR), (dtype, dtype)) for dtype in kinds if dtype.kind in "fi"]
        if masks and inputs == 2:
            self._variants += [(alike, (dtype, _MASK)) for dtype in kinds if dtype.kind == "f"]
        elif masks and inputs == 3:
            for dtype in (dtype for dtype in kinds if dtype.kind == "f"):
                for roles in (alike, (ROWS, ROWS, SCALAR), (ROWS, SCALAR, ROWS)):
                    self._variants.append((roles, (_MASK, dtype, dtype)))
        #: By attributes, or their text where one is 0, which may be -0.0: the function, or `refuse`.
        self.compiled: dict[Any, Call] = {}
        self._counts: dict[Any, int] = {}

    def find(self, attrs: tuple[Any, ...]) -> Call:
        """Count a call with some attributes that are not known, and return the function for it."""
        key = repr(attrs) if 0 in attrs else attrs
        count = self._counts[key] = self._counts.get(key, 0) + 1
        source = None if count % CALLS else native(CALLS * _SAVED)
        if source is None:
            if len(self._counts) > _MOST_COUNTED:
                self._counts.clear()
            return refuse
        self._counts.pop(key, None)  # another thread may have been here
        if len(self.compiled) >= _MOST_COUNTED:
            self.compiled.clear()
        variants = [] if complex in map(type, attrs) else list(self._fitting(attrs))
        found: Call = (source.call(variants) if variants else None) or refuse
        self.compiled[key] = found
        return found

    def _fitting(self, attrs: tuple[Any, ...]) -> Iterable[Variant]:
        def kernel(*operands: Any) -> Any:
            return self._kernel(*operands, *attrs, out=...)

        told = self._kernel if isinstance(self._kernel, np.ufunc) else kernel
        for roles, dtypes in self._variants:
            try:
                yield steps.variant_of(told, roles, dtypes)._replace(lays_out=self._lays_out)
            except Unfit:
                continue
