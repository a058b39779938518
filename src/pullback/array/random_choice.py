"""Draws whose outcome depends on whole distributions: multinomial and Poisson samples.

What this module must do:

- ``multinomial`` by torch's two algorithms: with replacement by searching the running sums for a uniform
  number, without (or for one sample) by the largest p/q with q exponentially distributed;
- ``poisson`` and ``binomial`` by rejection, with exactly torch's draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from .dtypes import from_numpy_dtype
from .quiet import IGNORE, loud, quiet
from .random import Generator
from .random_transform import exponential
from .random_uniform import HALVES, REALS, check_dtype, doubles
from .tiering import Hotness

#: Gives the next uniform number below 1.
Draw = Callable[[], float]

MOST_CATEGORIES = 2**24
INT64_MIN = -(2**63)
#: What a Poisson number costs in Python; in native code 0.05 µs.
NANOSECONDS = 1000
#: Rates of which all numbers are whole ones of float64.
_LARGE = 1e15
#: The logarithm of 0.
_LEAST = -math.inf
_HOTNESS = Hotness()
#: Comparisons by which rows of numbers are found at once, rather than each by halving.
_COMPARED = 1 << 15


# --- multinomial ----------------------------------------------------------------------------------


def multinomial(generator: Generator, p: np.ndarray, count: int, replacement: bool = False) -> np.ndarray:
    """Draw ``count`` indices of the last axis of ``p``, whose rows are weights that need not sum to one.

    ``p`` has shape (n,) or (m, n), the result (count,) or (m, count), int64. Equally large p/q keep their
    order, where torch's order depends on the C++ library; with float32 weights and up to 10⁴ categories
    that is rare.
    """
    if not 1 <= p.ndim <= 2:
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if p.dtype not in REALS:
        raise RuntimeError(
            "multinomial only supports floating-point dtypes for input, got: "
            + from_numpy_dtype(p.dtype).scalar_type
        )
    categories = p.shape[-1]
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and count > categories:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if categories > MOST_CATEGORIES:
        raise RuntimeError("number of categories cannot exceed 2^24")
    result = np.zeros((*p.shape[:-1], count), np.int64)
    if p.size == 0:
        return result
    if replacement and count > 1:
        wide = p.astype(np.float32) if p.dtype in HALVES else p
        with generator.lock:
            rows, drawn = wide.reshape(-1, categories), result.reshape(-1, count)
            if len(rows) > 1 and wide.size * count <= _COMPARED and _search_all(generator, rows, drawn):
                return result
            for row, own in zip(rows, drawn):
                own[...] = _search(generator, row, count)
        return result
    check_weights(p)
    q = exponential(generator, np.empty_like(p), 1.0)
    token = quiet(IGNORE)
    try:
        ratio = (p.astype(np.float32) / q.astype(np.float32)).astype(p.dtype) if p.dtype in HALVES else p / q
    finally:
        loud(token)
    if count == 1:
        result[..., 0] = ratio.argmax(axis=-1)
    else:
        result[...] = (-ratio).argsort(axis=-1, kind="stable")[..., :count]
    return result


def check_weights(p: np.ndarray) -> None:
    """Refuse rows that say nothing to draw from."""
    largest = np.maximum.reduce(p, axis=None)
    if not (largest < np.inf and np.minimum.reduce(p, axis=None) >= 0):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not (largest > 0 if p.size == p.shape[-1] else (p > 0).any(axis=-1).all()):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _search(generator: Generator, weights: np.ndarray, count: int) -> np.ndarray:
    if not np.minimum.reduce(weights) >= 0:
        raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
    if not np.maximum.reduce(weights) < np.inf:
        raise RuntimeError(
            "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
        )
    token = quiet(IGNORE)
    try:
        running = np.add.accumulate(weights)
        total = running[-1]
        if not total > 0:
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        running /= total
    finally:
        loud(token)
    running[-1] = 1
    return running.astype(np.float64).searchsorted(doubles(generator, count))


def _search_all(generator: Generator, weights: np.ndarray, drawn: np.ndarray) -> bool:
    """Do the same for all rows, if each says what to draw: 16 rows of 37 take 141 µs instead of 305."""
    token = quiet(IGNORE)
    try:
        running = np.add.accumulate(weights, axis=1)
        total = running[:, -1:]
        if not (np.minimum.reduce(weights, axis=None) >= 0 and ((total > 0) & (total < np.inf)).all()):
            return False
        running /= total.copy()
    finally:
        loud(token)
    running[:, -1] = 1
    numbers = doubles(generator, drawn.size).reshape(*drawn.shape, 1)
    # Sums of weights never fall: how many lie below a number is where it belongs.
    np.add.reduce(running[:, None] < numbers, axis=-1, dtype=np.int64, out=drawn)
    return True


# --- Poisson --------------------------------------------------------------------------------------


def poisson(generator: Generator, rates: np.ndarray) -> np.ndarray:
    """Return Poisson samples with the given rates, in an array of their shape and dtype."""
    check_dtype(rates.dtype, REALS, "poisson_cpu")
    out = np.zeros(rates.shape, rates.dtype)
    wide = rates.astype(np.float64).reshape(-1)
    with generator.lock:
        plain = _HOTNESS.is_hot(wide.size * NANOSECONDS) and bool(
            np.minimum.reduce(wide, initial=0) >= 0 and np.maximum.reduce(wide, initial=0) < _LARGE
        )
        draw = plain and _HOTNESS.ask("rejection", "poissons")
        samples = draw(generator, wide) if draw else _poissons(generator.doubles(), wide.tolist())
    values = np.asarray(samples, np.float64)
    out[...] = (values.astype(np.float32) if rates.dtype in HALVES else values).reshape(rates.shape)
    return out


def _poissons(numbers: Iterator[float], rates: list[float]) -> list[float]:
    """Return a sample for each rate: for a small one how many uniforms multiply to over e^-rate (Knuth)."""
    samples: list[float] = []
    exp = math.exp
    for rate in rates:
        if not rate >= 0:
            raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
        if rate >= 10:
            samples.append(poisson_by_rejection(numbers.__next__, rate))
            continue
        count = 0
        if rate > 0:
            limit, product = exp(-rate), 1.0
            for number in numbers:
                product *= number
                if product <= limit:
                    break
                count += 1
        samples.append(count)
    return samples


def poisson_by_rejection(draw: Draw, rate: float) -> float:
    """Return transformed rejection with squeeze: algorithm PTRS of Hörmann (1993), with its constants.

    `compiler.eager_kernels.rejection` has it translated.
    """
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    sure = 0.9277 - 3.6224 / (b - 2.0)
    while True:
        u = draw() - 0.5
        v = draw()
        distance = 0.5 - math.fabs(u)
        k = floor((2.0 * a / distance + b) * u + rate + 0.43) if distance > 0.0 else -1.0
        if distance >= 0.07 and v <= sure:
            return k
        if k < 0.0 or (distance < 0.013 and v > distance):
            continue
        log_v = math.log(v) if v > 0.0 else _LEAST
        density = k * log_rate - rate - math.lgamma(k + 1.0)
        if log_v + math.log(inverse_alpha) - math.log(a / (distance * distance) + b) <= density:
            return k


def floor(value: float) -> int:
    """Return ⌊value⌋ as a 64-bit integer; what does not fit becomes the smallest one, as on x86."""
    return math.floor(value) if abs(value) < 2.0**63 else INT64_MIN


# --- binomial -------------------------------------------------------------------------------------


def binomial(generator: Generator, counts: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return how many of `counts` trials succeed, each with its probability, in an array of their dtype."""
    check_dtype(counts.dtype, REALS, "binomial_cpu")
    shape = counts.shape
    if probabilities.shape != shape:
        shape = np.broadcast_shapes(shape, probabilities.shape)
    pairs = np.empty((*shape, 2))
    pairs[..., 0], pairs[..., 1] = counts, probabilities
    pairs = pairs.reshape(-1, 2)
    with generator.lock:
        plain = _HOTNESS.is_hot(pairs.size * NANOSECONDS) and bool(
            np.minimum.reduce(pairs, axis=None, initial=0) >= 0
            and np.maximum.reduce(pairs, axis=None, initial=0) < _LARGE
        )
        if draw := plain and _HOTNESS.ask("rejection", "binomials"):
            return draw(generator, pairs).astype(counts.dtype, copy=False).reshape(shape)
        numbers = generator.doubles()
        samples = [_binomial(numbers, count, p) for count, p in pairs.tolist()]
    return np.array(samples, np.float64).astype(counts.dtype).reshape(shape)


def _binomial(numbers: Iterator[float], count: float, p: float) -> float:
    if not count > 0 or not p > 0:
        return math.nan if math.isnan(count) or math.isnan(p) else 0
    if p >= 1:
        return count
    if p > 0.5:
        return count - _binomial(numbers, count, 1 - p)
    if count * p >= 10:
        return binomial_by_rejection(numbers.__next__, count, p)
    return _binomial_by_gaps(numbers, count, p)


def _binomial_by_gaps(numbers: Iterator[float], count: float, p: float) -> float:
    """Add up geometric gaps between successes until they exceed the trials (Devroye 1986, X.4)."""
    log_failure = math.log1p(-p)
    log, ceil, most = math.log, math.ceil, math.inf
    tried = successes = 0.0
    for u in numbers:
        gap = log(u) / log_failure if u else most
        tried += ceil(gap) if gap < most else most
        if tried > count:
            break
        successes += 1
    return successes


def binomial_by_rejection(draw: Draw, count: float, p: float) -> float:
    """Return transformed rejection with squeeze: algorithm BTRS of Hörmann (1993), with its constants.

    `compiler.eager_kernels.rejection` has it translated.
    """
    spread = math.sqrt(count * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * p
    centre = count * p + 0.5
    sure = 0.92 - 4.2 / b
    ratio = p / (1.0 - p)
    alpha = (2.83 + 5.1 / b) * spread
    mode = floor((count + 1.0) * p)
    while True:
        u = draw() - 0.5
        v = draw()
        distance = 0.5 - math.fabs(u)
        k = floor((2.0 * a / distance + b) * u + centre) if distance > 0.0 else -1.0
        if distance >= 0.07 and v <= sure:
            return k
        if k < 0.0 or k > count:
            continue
        log_v = math.log(v * alpha / (a / (distance * distance) + b)) if v > 0.0 else _LEAST
        bound = (
            (mode + 0.5) * math.log((mode + 1.0) / (ratio * (count - mode + 1.0)))
            + (count + 1.0) * math.log((count - mode + 1.0) / (count - k + 1.0))
            + (k + 0.5) * math.log(ratio * (count - k + 1.0) / (k + 1.0))
            + stirling_rest(mode)
            + stirling_rest(count - mode)
            - stirling_rest(k)
            - stirling_rest(count - k)
        )
        if log_v <= bound:
            return k


def stirling_rest(k: float) -> float:
    """Return log k! − (k + ½)·log(k + 1) + (k + 1) − ½·log 2π, the rest of Stirling's formula, of a whole
    number: those of 0 to 9 as they are, others by its series.
    """
    if k > 9.0:
        square = (k + 1.0) * (k + 1.0)
        return (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
    if k < 3.0:
        return 0.0810614667953272 if k < 1.0 else 0.0413406959554092 if k < 2.0 else 0.0276779256849983
    if k < 6.0:
        return 0.02079067210376509 if k < 4.0 else 0.0166446911898211 if k < 5.0 else 0.0138761288230707
    if k < 8.0:
        return 0.0118967099458917 if k < 7.0 else 0.0104112652619720
    return 0.00925546218271273 if k < 9.0 else 0.00833056343336287
