"""Tell which loops a recorded function calls, how often, and on which memory."""

from collections.abc import Sequence
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
MOVED, SOUGHT, SORTED, MOST_SORTED = (1, 2, 4, 8, 16), "fdl?ihbB", "fdl?ihbB", 128
CONVERTED = frozenset([x + y for x in "fdl?ihbB" for y in "fdl?ihbBFD"] + ["FD", "DF"])

#: Kinds of memory: of an argument, of a result, of an array that a call needs for itself, of constants, and
#: of numbers that are drawn.
GIVEN, MADE, OWN, FIXED, DRAWN = range(5)


#: Arguments of a routine of LAPACK's, and what stands in place of an operand's number for one that is given
#: by its value, not by its address.
ROUTINE_ARGUMENTS, BY_VALUE = 16, -2


class Unrecorded(Exception):
    """Say that a function does what cannot be recorded."""


class Operand(NamedTuple):
    """Tell where an operand begins (number of the memory, bytes into it), and its steps in bytes along the
    axes around the loop.
    """

    memory: int
    offset: int
    around: tuple[int, ...]


class Routine(NamedTuple):
    """Tell a routine of LAPACK's or BLAS's.

    `sizes` and `steps` of its step tell each argument: so many bytes behind the beginning of the operand of
    that number, or (−1) the number itself.
    """

    address: int


class Step(NamedTuple):
    """Tell how often a loop is called, and with what.

    A `ufunc` that is none of NumPy's is a `Routine`, or a name (choose, gather, convert, argmax, argmin,
    argsort, search_left, search_right); `DECIDE` asks whether a bool or an int64 is what it was.
    """

    ufunc: Any
    dtypes: tuple[np.dtype[Any], ...]
    around: tuple[int, ...]  # how often, along up to `AROUND` axes
    sizes: tuple[int, ...]  # the numbers of elements that the loop is given
    steps: tuple[int, ...]  # in bytes
    operands: tuple[Operand, ...]  # inputs, then the outputs
    written: int = 1  # how many outputs there are

    def outputs(self) -> tuple[Operand, ...]:
        """Return what the loop writes."""
        return self.operands[len(self.operands) - self.written :]


class Recording(NamedTuple):
    """Tell what a function does."""

    steps: list[Step]
    memories: list[tuple[int, ndarray]]  # of each its kind, and an array that has it whole
    results: list[tuple[int, ndarray]]  # the memory of each result, and the result
    alone: bool = False  # whether OpenBLAS is to be kept from threads meanwhile
    # memories of numbers drawn behind the last decision, and generators and arguments of `Generator.made`
    draws: Sequence[tuple[int, tuple[Any, ...]]] = ()
