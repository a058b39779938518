"""Gamma and Dirichlet numbers with exactly torch's draws.

What this module must do:

- gamma numbers of rate 1 by the rejection method of Marsaglia and Tsang (2000), one element after the other,
  the concentration below 1 raised by 1 and the number multiplied with a uniform number's power (their
  section 6);
- Dirichlet numbers as gamma numbers over their sum, drawn in double precision whatever the dtype.

The normal numbers share the waiting half of a pair with all other draws of the generator.
"""

from __future__ import annotations

import math

import numpy as np

from .random import Generator
from .random_uniform import FULL, check_dtype
from .tiering import Hotness

THIRD = float(np.float32(1 / 3))
SQUEEZE = float(np.float32(0.0331))
#: What a number costs in Python; in native code 0.05 µs.
NANOSECONDS = 1000
_HOTNESS = Hotness()


def standard_gamma(generator: Generator, concentration: np.ndarray) -> np.ndarray:
    """Return gamma numbers with the given concentrations and rate 1, in an array of their shape and dtype."""
    check_dtype(concentration.dtype, FULL, "gamma_cpu")
    kind = concentration.dtype.type
    flat = concentration.reshape(-1)
    with generator.lock:
        draw = _HOTNESS.is_hot(flat.size * NANOSECONDS) and _HOTNESS.ask("rejection", "gammas")
        drawn = draw(generator, flat) if draw else np.array(_gammas(generator, *_parts(flat)), np.float64)
    return _at_least_tiny(drawn.astype(kind).reshape(concentration.shape))


def _parts(flat: np.ndarray) -> tuple[list[float], ...]:
    """Return what depends on the concentration alone, whose own precision decides the last bits: the exponent
    of one below 1, else 0; the length and the slope.
    """
    kind = flat.dtype.type
    raised = flat < 1
    with np.errstate(all="ignore"):
        exponents = np.where(raised, kind(1) / flat, 0)
        lengths = (np.where(raised, flat + kind(1), flat) - kind(THIRD)).astype(np.float64)
        return flat.tolist(), exponents.tolist(), lengths.tolist(), (1.0 / np.sqrt(9.0 * lengths)).tolist()


def dirichlet(generator: Generator, concentration: np.ndarray) -> np.ndarray:
    """Return numbers whose last axis has a Dirichlet distribution, in an array of the input's dtype."""
    check_dtype(concentration.dtype, FULL, "dirichlet")
    gammas = standard_gamma(generator, concentration.astype(np.float64))
    kind = concentration.dtype.type
    shares = (gammas / _row_sums(gammas)).astype(kind)
    return np.minimum(_at_least_tiny(shares), np.nextafter(kind(1), kind(0)))


def _row_sums(rows: np.ndarray) -> np.ndarray:
    """Return the sums of the last axis, the terms added in the order in which torch adds float64 numbers.

    Lanes of four numbers are added up four at a time, then the numbers left over, then the four lanes.
    """
    if rows.ndim == 0:
        return rows
    columns = np.moveaxis(rows, -1, 0)
    size = len(columns)
    lanes = columns[: size - size % 4].reshape(size // 4, 4, *columns.shape[1:])
    rounds = len(lanes) // 4
    sums = np.zeros((4, 4, *columns.shape[1:]))
    for i in range(rounds):
        sums += lanes[4 * i : 4 * i + 4]
    for lane in lanes[4 * rounds :]:
        sums[0] += lane
    lane_sums = sums[0] + sums[1] + sums[2] + sums[3]
    total = np.zeros(columns.shape[1:])
    for term in (*columns[len(lanes) * 4 :], *lane_sums):
        total = total + term
    return total[..., None]


def _at_least_tiny(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers, but the smallest normal one for those below it and for nan."""
    tiny = np.finfo(numbers.dtype).tiny
    return np.where(numbers > tiny, numbers, tiny)


def _gammas(generator: Generator, *parts: list[float]) -> list[float]:
    """Return one number for each concentration: `length`·v for a v that is near 1, times a power of a uniform
    number where that is due.

    The normal numbers are those of the scalar path, whose pairs the generator keeps the second half of.
    """
    draw, waiting = generator.doubles().__next__, generator.next_normal
    log, log1p, sqrt, sin, cos, turn = math.log, math.log1p, math.sqrt, math.sin, math.cos, 2.0 * math.pi
    samples: list[float] = []
    for concentration, exponent, length, slope in zip(*parts, strict=True):
        scale = 1.0
        if concentration == 0:
            samples.append(0.0)
            continue
        if exponent:
            scale = _power(1 - draw(), exponent)
        while True:
            y = 0.0
            while y <= 0:
                if waiting is None:
                    angle = turn * draw()
                    radius = sqrt(-2.0 * log1p(-draw()))
                    x, waiting = radius * cos(angle), radius * sin(angle)
                else:
                    x, waiting = waiting, None
                y = 1.0 + slope * x
            v = y * y * y
            u = 1 - draw()
            square = x * x
            if u < 1.0 - SQUEEZE * square * square or log(u) < 0.5 * square + length * (1.0 - v + log(v)):
                samples.append(scale * length * v)
                break
    generator.next_normal = waiting
    return samples


def _power(base: float, exponent: float) -> float:
    """Return base^exponent for a base in (0, 1]; a negative concentration has a negative exponent."""
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return math.inf
