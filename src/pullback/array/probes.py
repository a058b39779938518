"""Other elements for given arrays, by which to find out whether a function looks at them.

What a function asks of its arguments before it computes is about all elements or about one: that all lie
between 0 and 1, that none is a class that does not exist. So there are arrays of one number, and arrays of
which only the last element is another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy import ndarray

#: Elements of an array that is given others, at most.
MOST = 1 << 16
#: Arrays that are also given other elements one at a time, at most.
_ONE_BY_ONE = 3

_FLOATS = (0.0, -0.5, 2.5, 1e30, np.nan, np.inf, -np.inf)
_INTEGERS = (0, -1, 1, 5)


def _numbers(dtype: np.dtype[np.generic], beyond: int) -> list[ndarray]:
    """Return numbers of a dtype that functions are likely to tell apart. One is beyond all sizes, as no index
    may be; it is no larger, for functions that take as many steps.
    """
    if dtype.kind == "b":
        return [np.array(False), np.array(True)]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)  # type: ignore[type-var]  # by its kind
        return [np.array(min(max(n, info.min), info.max), dtype) for n in (*_INTEGERS, beyond)]
    with np.errstate(all="ignore"):  # halves hold no 1e30
        return [np.array(number).astype(dtype) for number in _FLOATS]


def _changed(array: ndarray, number: ndarray, last_only: bool) -> ndarray:
    # What is repeated along an axis stays so: views of it have the strides that were noted.
    once = array[(*[slice(None if stride else 1) for stride in array.strides], ...)]
    new = once.copy(order="K")
    new[(-1,) * array.ndim if last_only else ...] = number
    return new if new.shape == array.shape else np.broadcast_to(new, array.shape)


def probes(arrays: Sequence[ndarray], looks: bool = True) -> Iterator[list[ndarray]]:
    """Yield lists of arrays like those that are given, with other elements; integers stay where they may be
    places at which nothing `looks` again. What does not look, a rule of ops on tensors, is given others all
    together only: 14 lists where three arrays had 56, and a look at the rule of a product of 256×64 numbers
    took 12 ms, of which 10 were these calls.
    """
    beyond = 1 + max((a.size for a in arrays), default=0)
    small = [k for k, a in enumerate(arrays) if a.size <= MOST and (looks or a.dtype.kind not in "iu")]
    together = [small] if len(small) > 1 else []
    alone = [[k] for k in small] if len(small) <= (_ONE_BY_ONE if looks else 1) else []
    for places in together + alone:
        numbers = {k: _numbers(arrays[k].dtype, beyond) for k in places}
        for turn in range(max(map(len, numbers.values()))):
            for last_only in (False, True):
                yield [
                    _changed(array, numbers[k][turn % len(numbers[k])], last_only) if k in numbers else array
                    for k, array in enumerate(arrays)
                ]
