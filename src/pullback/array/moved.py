"""Find out where each element of a result comes from, where a function moves elements and computes none.

`flip`, `cat` and `pad` are such functions. One that is linear is known by what it does to some numbers at
random: what it gives of them are these very numbers, and zeros, or it is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy import ndarray

#: Elements of a result at most.
MOST = 1024
#: Bytes of elements of which there are enough different ones, and their kinds.
_SIZES, _KINDS = (4, 8), "fiu"


def sources(
    function: Callable[..., ndarray], arrays: Sequence[ndarray], result: ndarray
) -> list[tuple[int, int]] | None:
    """Return, for each element of a result in the order of its memory, from which array it comes and how
    many bytes behind that one's first element it stands there; (-1, 0) for a zero. None: the function
    moves no elements.

    Parameters
    ----------
    function : callable
        ``function(*arrays)``, linear in all of them together.
    arrays : sequence of array
    result : array
        What the function gives of them.
    """
    dtype = result.dtype
    if dtype.kind not in _KINDS or dtype.itemsize not in _SIZES or not 0 < result.size <= MOST:
        return None
    total = sum(a.size for a in arrays)
    if any(a.dtype != dtype for a in arrays) or total > 1 << 20:
        return None
    where = _offsets(result)
    order = np.argsort(where, kind="stable")
    if not np.array_equal(where[order], np.arange(result.size) * dtype.itemsize):
        return None
    numbers = np.random.RandomState(total).permutation(total) + 1  # its import is there already
    found = function(*_filled(arrays, numbers.astype(dtype))).reshape(-1)[order]
    with np.errstate(all="ignore"):
        places = found.astype(np.int64)
    if not np.array_equal(places.astype(dtype), found) or places.min() < 0 or places.max() > total:
        return None
    slots = np.concatenate([[-1], *(np.full(a.size, k) for k, a in enumerate(arrays))])
    offsets = np.concatenate([[0], *map(_offsets, arrays)])
    # By number: 0 stands for a zero, and number n is at place n - 1 of a permutation.
    at = np.concatenate([[0], 1 + np.argsort(numbers)])[places]
    for probe in _probes(total, dtype):
        expected = np.concatenate([np.zeros(1, dtype), probe])[at]
        if function(*_filled(arrays, probe)).reshape(-1)[order].tobytes() != expected.tobytes():
            return None
    return list(zip(slots[at].tolist(), offsets[at].tolist(), strict=True))


def _offsets(array: ndarray) -> ndarray:
    """Return how many bytes each element stands behind the first, in C order."""
    steps = [np.arange(n) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    found: ndarray = sum(np.ix_(*steps), np.zeros((1,) * array.ndim, np.int64)).reshape(-1)
    return found


def _filled(arrays: Sequence[ndarray], elements: ndarray) -> Iterator[ndarray]:
    """Yield arrays that lie in memory as some do, of other elements."""
    begin = 0
    for array in arrays:
        new = np.empty_like(array)
        new[...] = elements[begin : begin + array.size].reshape(array.shape)
        begin += array.size
        yield new


def _probes(total: int, dtype: np.dtype[np.generic]) -> Iterator[ndarray]:
    """Yield elements at random; of floating ones every other is special, each in turn."""
    stream = np.random.RandomState(total)
    for parity in range(2):
        if dtype.kind != "f":
            low = -(1 << 31) if dtype.kind == "i" else 0
            yield stream.randint(low, (1 << 31) - 1, total).astype(dtype)
            continue
        for special in (np.nan, np.inf, -np.inf, -0.0):
            probe = stream.standard_normal(total).astype(dtype)
            probe[parity::2] = special
            yield probe
