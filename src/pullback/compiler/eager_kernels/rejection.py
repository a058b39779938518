"""Draws by rejection, one element after the other, in native code: the numbers of `array.random_gamma` and
`array.random_choice`, of the same words.

How many words an element takes is known when it is done. One that finds too few leaves things as they were,
so that it begins again with more.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable

import numpy as np
from numpy import ndarray

from ...array.random import Generator
from ...array.random_choice import binomial_by_rejection, poisson_by_rejection, stirling_rest
from ...array.random_gamma import SQUEEZE, THIRD
from ..emit import python_functions
from ..emit.restricted_python import (
    Bool,
    Bytes,
    Int,
    Program,
    Real,
    Words,
    load,
    load_real,
    native,
    python,
    real,
    room,
    store,
)  # fmt: skip
from ..runtime import engine
from ..runtime.shared_kernels import address

#: Places in the table of words that a draw is told by: the elements, how many there are and are done, what
#: they become, random words, how many there are and are drawn, whether a normal number waits, and which, and
#: whether the elements are of float32.
ROWS, COUNT, DONE, OUT, SOURCE, END, NEXT, WAITS, WAITING, IS_SINGLE = range(10)
UNIT, TURN, HIGH = 2.0**-53, 2.0 * math.pi, 1 << 32
_NO_WORDS = np.empty(0, np.uint32)
_Table = ctypes.c_int64 * 10
_CALL = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Rejection:
    """The functions, made when they are first asked for."""

    def __init__(self) -> None:
        self._library: engine.Library | None = None
        self._drawers: dict[str, Callable[[Generator, ndarray], ndarray]] = {}

    def drawer(self, kind: str) -> Callable[[Generator, ndarray], ndarray] | None:
        """Return ``draw(generator, parameters)``, which gives float64 numbers for a vector of float32 or
        float64, or for pairs of float64; the caller holds the generator's lock. There is none where Python
        does not export the C library's functions.
        """
        if kind in self._drawers:  # a function of ctypes' takes longer to make than 64 numbers to draw
            return self._drawers[kind]
        if not python_functions.mathematics():
            return None
        if self._library is None:
            own = {"draw": uniform, "floor": floor}
            self._library = engine.library(Program((gammas, poissons, binomials), {}, own))
        call = _CALL(self._library.address(kind))
        found = self._drawers[kind] = lambda generator, parameters: _draw(call, generator, parameters)
        return found


def _draw(call: Callable[[object], None], generator: Generator, rows: ndarray) -> ndarray:
    wide, count, waiting = np.ascontiguousarray(rows, np.float64), len(rows), generator.next_normal
    takes = wide if wide.ndim == 1 else (wide[:, 0] * wide[:, 1] > 0) & (wide[:, 1] < 1)
    out, left = np.empty(count), _NO_WORDS
    table = _Table(address(wide), count, 0, address(out), 0, 0, 0, waiting is not None)
    place = ctypes.c_double.from_buffer(table, 8 * WAITING)
    place.value, table[IS_SINGLE] = waiting or 0.0, rows.dtype == np.float32
    while True:
        words = left
        if drawing := int(np.count_nonzero(takes[table[DONE] :])):  # two words each at least
            words = generator.to_end_of_block(2 * drawing - left.size)
            words = np.concatenate((left, words)) if left.size else words
        table[SOURCE], table[END], table[NEXT] = address(words), words.size, 0
        call(table)
        left = words[table[NEXT] :]
        if table[DONE] == count:
            break
    generator.give_back(left.size)
    generator.next_normal = place.value if table[WAITS] else None
    return out


@native
def uniform(table: Words) -> Real:
    """Return the next number in [0, 1) with 53 random bits; where there are too few words, one that ends the
    search for a Poisson number.
    """
    at = table[NEXT]
    table[NEXT] = at + 2
    if at + 2 > table[END]:
        return 0.25
    words: Bytes = table[SOURCE]
    low = load(words + 4 * at + 4, 32)
    return real((load(words + 4 * at, 32) & 0x1FFFFF) * HIGH + low) * UNIT


@native
def kept(table: Words, n: Int, at: Int, found: Real) -> Bool:
    """Keep what was found for element `n`; where there were too few words, go back to those `at` which it
    began, and return False.
    """
    if table[NEXT] > table[END]:
        table[NEXT] = at
        return False
    out: Bytes = table[OUT]
    store(out + 8 * n, 64, found)
    table[DONE] = n + 1
    return True


@native
def gammas(table: Words) -> None:
    """Draw gamma numbers of rate 1 (`array.random_gamma`)."""
    rows: Bytes = table[ROWS]
    for n in range(table[DONE], table[COUNT]):
        at = table[NEXT]
        waits = table[WAITS]
        waiting = table[WAITING]
        found = gamma(table, load_real(rows + 8 * n, 64))
        if not kept(table, n, at, found):
            table[WAITS] = waits
            table[WAITING] = waiting
            return


@native
def rounded(table: Words, number: Real) -> Real:
    """Return a number in the precision of the concentrations."""
    if table[IS_SINGLE] == 0:
        return number
    place = room(1)
    store(place, 32, number)
    return load_real(place, 32)


@native
def gamma(table: Words, concentration: Real) -> Real:
    """Draw one gamma number."""
    scale = 1.0
    raised = concentration
    if concentration == 0.0:
        return 0.0
    if concentration < 1.0:
        scale = python.pow(1.0 - uniform(table), rounded(table, 1.0 / concentration))
        raised = rounded(table, concentration + 1.0)
    length = rounded(table, raised - THIRD)
    slope = 1.0 / python.sqrt(9.0 * length)
    while table[NEXT] <= table[END]:
        y = 0.0
        x = 0.0
        while y <= 0.0:
            x = normal(table)
            y = 1.0 + slope * x
        v = y * y * y
        u = 1.0 - uniform(table)
        square = x * x
        if u < 1.0 - SQUEEZE * square * square:
            return scale * length * v
        if python.log(u) < 0.5 * square + length * (1.0 - v + python.log(v)):
            return scale * length * v
    return 0.0


@native
def normal(table: Words) -> Real:
    """Return the normal number that waits, or the first of two."""
    place: Bytes = table + WAITING
    if table[WAITS] != 0:
        table[WAITS] = 0
        return load_real(place, 64)
    angle = TURN * uniform(table)
    radius = python.sqrt(-2.0 * python.log1p(-uniform(table)))
    table[WAITS] = 1
    store(place, 64, radius * python.sin(angle))
    return radius * python.cos(angle)


@native
def poissons(table: Words) -> None:
    """Draw Poisson numbers (`array.random_choice`)."""
    rows: Bytes = table[ROWS]
    for n in range(table[DONE], table[COUNT]):
        at = table[NEXT]
        rate = load_real(rows + 8 * n, 64)
        found = poisson_by_rejection(table, rate) if rate >= 10.0 else by_product(table, rate)
        if not kept(table, n, at, found):
            return


@native
def by_product(table: Words, rate: Real) -> Real:
    """Count the uniform numbers whose product is above e^-rate."""
    count = 0.0
    if rate == 0.0:
        return count
    limit = python.exp(-rate)
    product = uniform(table)
    while product > limit:
        count = count + 1.0
        product = product * uniform(table)
    return count


@native
def floor(value: Real) -> Real:
    """Return a number rounded down."""
    return python.floor(value)


@native
def binomials(table: Words) -> None:
    """Draw binomial numbers (`array.random_choice`), for pairs of a count and a probability."""
    rows: Bytes = table[ROWS]
    for n in range(table[DONE], table[COUNT]):
        at = table[NEXT]
        found = binomial(table, load_real(rows + 16 * n, 64), load_real(rows + 16 * n + 8, 64))
        if not kept(table, n, at, found):
            return


@native
def binomial(table: Words, count: Real, p: Real) -> Real:
    """Draw one binomial number."""
    if count == 0.0 or p == 0.0:
        return 0.0
    if p >= 1.0:
        return count
    rarer = 1.0 - p if p > 0.5 else p
    by_gaps = count * rarer < 10.0
    found = by_gap(table, count, rarer) if by_gaps else binomial_by_rejection(table, count, rarer)
    return count - found if p > 0.5 else found


@native
def by_gap(table: Words, count: Real, p: Real) -> Real:
    """Count the successes whose gaps fit into the trials."""
    log_failure = python.log1p(-p)
    tried = 0.0
    successes = -1.0
    while tried <= count:
        successes = successes + 1.0
        tried = tried - python.floor(-(python.log(uniform(table)) / log_failure))
    return successes


native(poisson_by_rejection)
native(binomial_by_rejection)
native(stirling_rest)
