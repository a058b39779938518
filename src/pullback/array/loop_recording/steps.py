"""Tell which loops a recorded function calls, how often, and on which memory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

#: Operands of a step, axes around its loop, steps, and bytes of arrays that a call needs for itself, at most.
OPERANDS, AROUND, STEPS, SCRATCH = 4, 4, 400, 1 << 20

#: What stands for a loop where a bool is asked whether it is what it was.
DECIDE = "decide"
#: Bytes of elements that loops of ours choose and gather, what they convert, by the characters of dtypes, and
#: in which dtypes they find an extreme.
MOVED, CONVERTED, SOUGHT = (1, 2, 4, 8), ("fd", "df", "?f", "?d", "?l", "lf", "ld"), "fd"

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
        Of a loop that is none of NumPy's its name (choose, gather, convert, argmax, argmin); `DECIDE` asks
        whether a bool is what it was.
    dtypes : tuple of np.dtype
    around : tuple of int
        How often, along up to `AROUND` axes.
    sizes, steps : tuple of int
        The numbers of elements and the steps in bytes that the loop is given.
    operands : tuple of Operand
        Inputs, then the output.
    """

    ufunc: Any
    dtypes: tuple[np.dtype[Any], ...]
    around: tuple[int, ...]
    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    operands: tuple[Operand, ...]


class Recording(NamedTuple):
    """Tell what a function does.

    Attributes
    ----------
    steps : list of Step
    memories : list of (int, array)
        Of each memory its kind, and an array that has it whole.
    results : list of (int, array)
        The memory of each result, and the result.
    """

    steps: list[Step]
    memories: list[tuple[int, ndarray]]
    results: list[tuple[int, ndarray]]
