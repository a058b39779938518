"""Random integers and permutations.

What this module must do:

- ``random_``: a word modulo the range, from one 32-bit output where the range is below 2²⁸ and from two
  otherwise; the bounds that torch moves so that a rounded number stays below them; its checks and warnings;
- ``randperm``: Fisher and Yates's shuffle with torch's draws, without a Python loop per element.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, lru_cache

import ml_dtypes
import numpy as np

from .dtype_words import c_name
from .random import SMALL, Generator
from .random_uniform import BFLOAT16, HALVES, check_dtype, chunks, fill, mantissa_digits, store
from .tiering import Hotness

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

# From this range on a number uses 64 random bits, to keep the remainder's bias small.
TWO_WORDS_FROM = 2**28
TWO_WORDS_FROM_PERMUTATION = (2**32 - 1) // 20

#: Elements from which a draw makes the integers of the block's other words, too: `randint(0, 8, (8, 8))`
#: takes 9 µs instead of 19 (busy machine, half of it the parser's).
_SHARED = 8

FEW = 350  # below this size single swaps in Python are faster
FEWEST = 32  # below this they are faster than native code, too

#: What NumPy or Python take for an element of a permutation beyond native code.
NANOSECONDS = 50
_HOTNESS = Hotness()

_SIGNED = tuple(map(np.dtype, (np.int8, np.int16, np.int32, np.int64)))
_BASIC = (np.dtype(np.uint8), *_SIGNED)
_UNSIGNED = tuple(map(np.dtype, (np.uint16, np.uint32, np.uint64)))
_FLOATING = tuple(map(np.dtype, (np.float16, BFLOAT16, np.float32, np.float64)))
_FULL = tuple(map(np.dtype, (np.float32, np.float64)))
_ANY_BITS = (np.dtype(np.bool_), *_BASIC, *_FLOATING)
_FULL_RANGE = tuple(map(np.dtype, (np.int64, np.float64, np.float32, BFLOAT16)))


# --- random_ --------------------------------------------------------------------------------------


def random(generator: Generator, out: np.ndarray) -> np.ndarray:
    """Fill ``out`` with integers from the whole range of its dtype that is not negative.

    For floating-point numbers that is 0 to 2ᵈ, with d the digits of the mantissa.
    """
    if out.size == 0:
        return out
    check_dtype(out.dtype, _ANY_BITS, "random_kernel_cpu")
    if out.dtype in _FLOATING:
        count = 2 ** mantissa_digits(out.dtype) + 1
    elif out.dtype == np.bool_:
        count = 2
    else:
        count = int(np.iinfo(out.dtype).max) + 1
    wide = out.dtype in (np.int64, np.float64)
    return _remainders(generator, out, count, 0, wide)


def random_below(generator: Generator, out: np.ndarray, high: int) -> np.ndarray:
    """Fill ``out`` with integers in [0, high)."""
    return random_between(generator, out, 0, high)


def random_between(generator: Generator, out: np.ndarray, low: int, high: int | None) -> np.ndarray:
    """Fill ``out`` with integers in [low, high), or from ``low`` to the largest one where ``high`` is None.

    ``low`` = -2⁶³ without ``high`` means all 64-bit integers.
    """
    if high is None and low == INT64_MIN:
        return _full_range(generator, out)
    if high is not None and _SHARED <= out.size <= SMALL and out.flags.c_contiguous:
        remainders = _small_remainders(low, high, out.dtype)
        if remainders is not None:
            with generator.lock:
                out.reshape(-1)[...] = generator.made(remainders, out.size)
            return out
    if high is not None:
        if not low < high:
            raise RuntimeError(
                f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
            )
        if out.dtype in _FLOATING:
            low, high = _first_at_least(low, out.dtype), _last_below(high, out.dtype)
            if not low < high:
                raise RuntimeError(
                    "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got "
                    f"from={low} >= to={high}"
                )
        last = high - 1
    elif out.dtype in _FLOATING:
        last = 2 ** mantissa_digits(out.dtype)
        low = _first_at_least(low, out.dtype)
        if not low < last:
            raise RuntimeError(
                "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to "
                f"dtype, but got from={low} > to_inc={last}"
            )
    elif out.dtype.kind in "cW":
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    elif out.dtype == np.uint64:
        last = -1  # torch reads 2⁶⁴ - 1 as a signed number and then refuses it
    else:
        last = 1 if out.dtype == np.bool_ else _limits(out.dtype)[1]
    _check_bounds(low, last, out.dtype)
    count = last - low + 1
    return _remainders(generator, out, count, low, count >= TWO_WORDS_FROM)


@lru_cache(maxsize=64)
def _small_remainders(low: int, high: int, dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return what makes integers in [low, high) of a word each; None where the bounds are to be looked at."""
    if dtype in _FULL:
        most = 2 ** mantissa_digits(dtype)
        least = -most
    elif dtype in _BASIC:
        least, most = _limits(dtype)
    else:
        return None
    if not (least <= low < high <= most and high - low < TWO_WORDS_FROM):
        return None
    return lambda words: (_remainder(words, high - low).astype(np.int64) + low).astype(dtype)


def _full_range(generator: Generator, out: np.ndarray) -> np.ndarray:
    if out.size == 0:
        return out
    kernel = "random_full_64_bits_range_kernel_cpu"
    check_dtype(out.dtype, (*_BASIC, *_FULL_RANGE), kernel)
    if out.dtype not in _FULL_RANGE:
        raise RuntimeError(f"{kernel} handles only int64, double, float and bfloat16")
    return _remainders(generator, out, 2**64, 0, True)


def _remainders(generator: Generator, out: np.ndarray, count: int, base: int, wide: bool) -> np.ndarray:
    """Fill ``out`` with (random bits) mod ``count`` + ``base``, from 64 bits each where ``wide``."""

    def write(flat: np.ndarray) -> None:
        for piece in chunks(flat):
            if wide:
                numbers = _remainder(words64(generator, piece.size), count).view(np.int64)
            else:
                numbers = _remainder(generator.words(piece.size), count)
            if base:
                numbers = numbers.astype(np.int64)  # wraps around as torch's 64-bit sum does
                numbers += base
            if piece.dtype in HALVES:
                store(piece, numbers)
            else:
                piece[...] = numbers

    with generator.lock:
        return fill(out, write)


def words64(generator: Generator, count: int) -> np.ndarray:
    """Return 64-bit outputs (uint64), the first of two words being the high one."""
    words = generator.words(2 * count)
    numbers = words[::2].astype(np.uint64)
    numbers <<= 32
    numbers |= words[1::2]
    return numbers


def _remainder(words: np.ndarray, count: int) -> np.ndarray:
    if count & (count - 1) == 0:
        return words & words.dtype.type(count - 1)
    # NumPy divides by a scalar with vector instructions but has none for the remainder: 0.2 ns an element
    # against 1.5 ns.
    divisor = words.dtype.type(count)
    return words - words // divisor * divisor


def _first_at_least(low: int, dtype: np.dtype) -> int:
    """Return the smallest integer from ``low`` on that the dtype represents, as torch computes it."""
    if (represented := _through(low + 1, dtype)) < low:
        return represented + (1 << abs(low + 1).bit_length() - mantissa_digits(dtype))
    return low


def _last_below(high: int, dtype: np.dtype) -> int:
    """Return the largest bound up to ``high`` to which no number below rounds, as torch computes it."""
    if (represented := _through(high - 1, dtype)) >= high:
        return represented - (1 << abs(high - 1).bit_length() - mantissa_digits(dtype))
    return high


@lru_cache(maxsize=64)
def _through(number: int, dtype: np.dtype) -> int:
    """Return a 64-bit integer converted to the dtype and back, as an x86 processor does it."""
    wrapped = np.array((number - INT64_MIN) % 2**64 + INT64_MIN, np.int64)
    with np.errstate(over="ignore"):
        value = float(wrapped.astype(np.float32).astype(dtype) if dtype in HALVES else wrapped.astype(dtype))
    return int(value) if INT64_MIN <= value < 2.0**63 else INT64_MIN


def _check_bounds(low: int, last: int, dtype: np.dtype) -> None:
    bounds = (("from", low), ("to - 1", last))
    if dtype in _FLOATING:
        limit = float(ml_dtypes.finfo(dtype).max)
        _check_limits(bounds, -limit, limit, dtype)
        digits = mantissa_digits(dtype)
        for name, value in bounds:
            if not -(2**digits) <= value <= 2**digits:
                warnings.warn(
                    f"{name} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                    f"{c_name(dtype)} can support discrete uniform distribution only within this range. This "
                    "warning will become an error in version 1.7 release, please fix the code in advance",
                    UserWarning,
                    stacklevel=2,
                )
    elif dtype == np.uint64:
        _check_limits(bounds, 0, INT64_MAX, dtype)
    elif dtype == np.bool_:
        _check_limits(bounds, 0, 1, dtype)
    elif dtype in _BASIC or dtype in _UNSIGNED:
        _check_limits(bounds, *_limits(dtype), dtype)
    else:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")


@cache
def _limits(dtype: np.dtype) -> tuple[int, int]:
    """Return the least and the largest integer of a dtype; NumPy takes 0.5 µs for each."""
    found = np.iinfo(dtype)
    return int(found.min), int(found.max)


def _check_limits(bounds: tuple[tuple[str, int], ...], least: float, most: float, dtype: np.dtype) -> None:
    for name, value in bounds:
        if not least <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {c_name(dtype)}")


# --- randperm -------------------------------------------------------------------------------------


def permute(generator: Generator, out: np.ndarray) -> np.ndarray:
    """Fill a vector with the integers below its length in random order; return it."""
    out[...] = randperm(generator, out.size, out.dtype)
    return out


def randperm(generator: Generator, n: int, dtype: np.dtype) -> np.ndarray:
    """Return the integers below ``n`` in random order.

    Up to about 2·10⁸ of them: in turn, element i swaps with element i + z, z < n - i. Beyond: in turn, i goes
    to place z ≤ i, and what was there to place i.
    """
    dtype = np.dtype(dtype)
    check_permutation(n, dtype)
    if n <= 1:
        return np.zeros(n, dtype)
    with generator.lock:
        if n < TWO_WORDS_FROM_PERMUTATION:
            words: np.ndarray = generator.words(n - 1)
            is_hot = n >= FEWEST and _HOTNESS.is_hot(n * NANOSECONDS)
            order = _HOTNESS.ask("shuffled", words) if is_hot else None
            if order is None:
                distances = words % np.arange(n, 1, -1, dtype=np.uint32)
                order = shuffle_in_turn(n, distances) if n < FEW else shuffle_at_once(n, distances)
        else:
            order = insert_at_once(n, words64(generator, n) % np.arange(1, n + 1, dtype=np.uint64))
    return (order.astype(np.float32) if dtype in HALVES else order).astype(dtype, copy=False)


def shuffle_in_turn(n: int, distances: np.ndarray) -> np.ndarray:
    """Return 0, 1, ... after swapping element i with element i + distances[i], for i = 0, 1, ..."""
    order = list(range(n))
    for i, distance in enumerate(distances.tolist()):
        order[i], order[i + distance] = order[i + distance], order[i]
    return np.array(order)


def shuffle_at_once(n: int, distances: np.ndarray) -> np.ndarray:
    """Do ``shuffle_in_turn`` without doing one swap after the other.

    Step i puts what is in place p = i + distance into place i, and what was in place i into place p. So what
    place p holds before step i comes from the last earlier step that put something there: the value that
    this step's own place held before it. Sorting the steps by (p, i) finds these steps; following them to the
    first one finds the values. 1,000,000 elements take 38 ms, one swap after the other 450 (torch: 4.4).
    """
    step = np.arange(n - 1)
    place, step, before = _by_place(step + distances.astype(np.int64), step)

    # The last step to put a value into a place before that place's own step: the group's last one, or, when
    # that one is the place's own step, the one before.
    source = np.arange(n)
    last = np.append(place[1:] != place[:-1], True)
    other = step != place
    source[place[last & other]] = step[last & other]
    own = ~other & (before >= 0)
    source[place[own]] = before[own]
    source = _follow(source)

    order = np.empty(n, np.int64)
    order[step] = np.where(before >= 0, source[before], place)
    order[-1] = source[-1]
    return order


def insert_at_once(n: int, places: np.ndarray) -> np.ndarray:
    """Return what comes of putting i into place p = places[i] ≤ i and what was there into place i, in turn.

    A place keeps the last i put into it. A place that nothing was put into keeps what step i moved there: the
    number that an earlier step put into p, or, without one, what step p moved to its own place.
    """
    place, step, before = _by_place(places.astype(np.int64), np.arange(n))
    moved = np.empty(n, np.int64)  # the number that step i moves, or where negative ~(the step to look at)
    moved[step] = np.where(before >= 0, before, np.where(step == place, step, ~place))
    source = _follow(np.where(moved < 0, ~moved, np.arange(n)))
    order = moved[source]
    last = np.append(place[1:] != place[:-1], True)
    order[place[last]] = step[last]
    return order


def _by_place(place: np.ndarray, step: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sort steps by (place, step); give each the step before it at the same place, or -1."""
    key = np.sort(place << 32 | step)
    place, step = key >> 32, key & 0xFFFFFFFF
    before = np.full(step.size, -1)
    before[1:] = np.where(place[1:] == place[:-1], step[:-1], -1)
    return place, step, before


def _follow(source: np.ndarray) -> np.ndarray:
    """Replace each index by the end of its chain; an end points at itself."""
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def check_permutation(n: int, dtype: np.dtype) -> None:
    """Raise torch's error for a length or a dtype that no permutation has."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype == np.float16 and n > 2049:
        raise RuntimeError("n cannot be greater than 2049 for Half type.")
    if dtype == np.float32 and n > 2**24 + 1:
        raise RuntimeError("n cannot be greater than 2^24+1 for Float type.")
    if dtype.kind in "iu" and n - 1 > _limits(dtype)[1]:
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
    check_dtype(dtype, (*_BASIC, *_FLOATING), "randperm")
