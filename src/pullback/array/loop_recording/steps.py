"""Tell which loops a recorded function calls, how often, and on which memory."""

from typing import Any

import numpy as np
from numpy import ndarray

from ..named_tuples import NamedTuple

#: Operands of a step, axes around its loop, steps, and bytes of arrays that a call needs for itself, at most:
#: a long short-term memory of 40 steps is 408 loops, which take 180 µs in Python and 52 played.
OPERANDS, AROUND, STEPS, SCRATCH = 4, 4, 1200, 1 << 20

#: What stands for a loop where a bool or an int64 is asked whether it is what it was.
DECIDE = "decide"
#: Bytes of elements that loops of ours choose and gather, what they convert, by the characters of dtypes, in
#: which dtypes they find an extreme, and which they sort: so many along an axis at most, for they insert.
MOVED, SOUGHT, SORTED, MOST_SORTED = (1, 2, 4, 8), "fdl?ihbB", "fdl?ihbB", 128
CONVERTED = frozenset([x + y for x in "fdl?ihbB" for y in "fdl?ihbBFD"] + ["FD", "DF"])

#: Kinds of memory: of an argument, of a result, of an array that a call needs for itself, and of constants.
GIVEN, MADE, OWN, FIXED = range(4)


class Unrecorded(Exception):
    """Say that a function does what cannot be recorded."""


class Operand(NamedTuple):
    """Tell where an operand begins (number of the memory, bytes into it), and its steps in bytes along the
    axes around the loop.
    """

    memory: int
    offset: int
    around: tuple[int, ...]


class Step(NamedTuple):
    """Tell how often a loop is called, and with what.

    Attributes
    ----------
    ufunc : ufunc, or str
        Of a loop that is none of NumPy's its name (choose, gather, convert, argmax, argmin, argsort,
        search_left, search_right); `DECIDE` asks whether a bool or an int64 is what it was.
    dtypes : tuple of np.dtype
    around : tuple of int
        How often, along up to `AROUND` axes.
    sizes, steps : tuple of int
        The numbers of elements and the steps in bytes that the loop is given.
    operands : tuple of Operand
        Inputs, then the outputs.
    written : int
        How many outputs there are.
    """

    ufunc: Any
    dtypes: tuple[np.dtype[Any], ...]
    around: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    operands: tuple[Operand, ...]
    written: int = 1

    def outputs(self) -> tuple[Operand, ...]:
        """Return what the loop writes."""
        return self.operands[len(self.operands) - self.written :]


class Recording(NamedTuple):
    """Tell what a function does.

    Attributes
    ----------
    steps : list of Step
    memories : list of (int, array)
        Of each memory its kind, and an array that has it whole.
    results : list of (int, array)
        The memory of each result, and the result.
    alone : bool
        Whether OpenBLAS is to be kept from threads meanwhile.
    """

    steps: list[Step]
    memories: list[tuple[int, ndarray]]
    results: list[tuple[int, ndarray]]
    alone: bool = False
