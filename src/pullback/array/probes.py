"""Other elements for given arrays, by which to find out whether a function looks at them.

What a function asks of its arguments before it computes is about all elements or about one: that all lie
between 0 and 1, that none is a class that does not exist; or it compares two of them. So there are arrays of
one number, and arrays of which only the last element is another.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from .loop_recording.recording import lying_alike

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
    new = new if new.shape == array.shape else np.broadcast_to(new, array.shape)
    return new if new.strides == array.strides else lying_alike(array, new)


def _lists(
    arrays: Sequence[ndarray], places: Sequence[int], shift: int, both: bool, own: Any
) -> Iterator[list[ndarray]]:  # fmt: skip
    """Yield lists of arrays with other elements at some places; at each place the number is that of so many
    turns later than at the one before. Without `both` a number stands at all places or at the last one, two
    turns in a row, and floating numbers are shifted in the last turns: so each is met at each place.
    """
    beyond = 1 + max((a.size for a in arrays), default=0)
    numbers = {k: (own or {}).get(k) or _numbers(arrays[k].dtype, beyond) for k in places}
    for turn in range(max(map(len, numbers.values()), default=0)):
        several = any(arrays[k].size > 1 for k in places)
        later = shift if both else shift + (turn >= len(_INTEGERS) + 1)
        for last_only in (False,) if not several else (False, True) if both else (turn & 2 > 0,):
            yield [
                _changed(array, numbers[k][(turn + later * k) % len(numbers[k])], last_only)
                if k in numbers else array
                for k, array in enumerate(arrays)
            ]


def probe(
    arrays: Sequence[ndarray], ask: Callable[[list[ndarray]], bool], looks: bool = True, again: bool = False,
    own: Any = None,
) -> None:  # fmt: skip
    """Ask with lists of arrays like those that are given, with other elements; integers stay where they may
    be places at which nothing `looks` again. `ask` gives whether the plan takes such elements.

    All are changed together, to the same numbers and to others, and one at a time only where a plan refused
    some: what is wrong with one may then have hidden a look at another. So two arrays of floating numbers
    have 28 lists and three as many, where one at a time they had 42 and 56. What does not look, a rule of ops
    on tensors, has seven lists, in which a number stands at all places or at the last one: a look at the rule
    of a product of 256×64 numbers took 12 ms with 56 lists, of which 10 were these calls. So has a function
    that is looked at `again`, for arguments that differ from earlier ones in sizes and numbers alone.
    Arrays at some places have their `own` numbers.
    """
    small = [k for k, a in enumerate(arrays) if a.size <= MOST and (looks or a.dtype.kind not in "iu")]
    both, each = looks and not again, looks and len(small) <= _ONE_BY_ONE
    if len(small) > 1:
        shifts = range(1 + (both and each))
        taken = [ask(given) for shift in shifts for given in _lists(arrays, small, shift, both, own)]
        each &= not all(taken)
    if each or len(small) == 1:
        for k in small:
            for given in _lists(arrays, [k], 0, both, own):
                ask(given)
