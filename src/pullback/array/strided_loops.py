"""Run NumPy's loops, and copies, over large arrays from native code: on its threads, and row by row.

NumPy knows one thread, and copies operands of rows shorter than its buffer into that first where one of them
is broadcast. Native threads that call its loops are awake sooner than Python's (`threads`), and wait for
nothing. The bits are NumPy's.
"""

import functools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from .broadcasting import steps_along
from .named_tuples import NamedTuple
from .strides import Ints, address, contiguous_strides, overlaps
from .threads import get_num_threads
from .tiering import Hotness

#: Nanoseconds for a byte that is read or written once, and elements of a row for which a loop is called.
BYTE, _LONG = 0.016, 64
#: Nanoseconds of work from which it is asked for: Python takes 15 µs for a call. On one thread NumPy is as
#: fast where arrays are alike; of 2²⁰ float32 times a column it takes 304 µs, row by row 254.
WORTH_THREADS = 60_000
_HOTNESS = Hotness()


class _Walk(NamedTuple):
    """Say how operands are gone through: sizes of the axes that are left when neighbours that all of them
    walk evenly are one, and of each operand the bytes from place to place along the last and then the others.
    """

    sizes: Ints
    steps: tuple[Ints, ...]


@functools.lru_cache(1024)
def walk_of(shape: Ints, lies: tuple[tuple[Ints, Ints], ...]) -> _Walk:
    """Return how operands of some shapes and strides are gone through together."""
    every = [steps_along(own, strides, shape) for own, strides in lies]
    sizes: list[int] = []
    kept: list[list[int]] = [[] for _ in every]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        if sizes and all(own[-1] == steps[axis] * size for own, steps in zip(kept, every, strict=True)):
            sizes[-1] *= size
            for own, steps in zip(kept, every, strict=True):
                own[-1] = steps[axis]
        else:
            sizes.append(size)
            for own, steps in zip(kept, every, strict=True):
                own.append(steps[axis])
    if not sizes:
        return _Walk((1,), ((0,),) * len(every))
    return _Walk(tuple(sizes), tuple([(own[-1], *own[:-1]) for own in kept]))


class Plan:
    """Run a native loop over arrays that lie as others did, and numbers of the same types.

    `job` is what `StridedLoops.job` gave, `numbers` the places of operands that are numbers, `like` that of
    an operand after which a new result is laid out, None for C order; all addresses are multiples of
    `aligned`.
    """

    __slots__ = ("_aligned", "_dtypes", "_job", "_like", "_numbers", "_shape")

    def __init__(
        self, job: Callable[[Sequence[int]], None], dtypes: Sequence[np.dtype[Any]], shape: Ints,
        numbers: Ints, like: int | None, aligned: int,
    ) -> None:
        self._job, self._dtypes, self._shape = job, dtypes, shape
        self._numbers, self._like, self._aligned = numbers, like, aligned

    def __call__(self, operands: Sequence[Any], out: Any) -> ndarray | None:
        """Return the result, in `out` if that is an array; None where the loop is not for them."""
        if self._numbers:
            operands = list(operands)
            for place in self._numbers:
                try:
                    operands[place] = np.asarray(operands[place], self._dtypes[place])
                except OverflowError:
                    return None
        if out is not ...:
            if overlaps(out, operands):
                return None
        elif self._like is None:
            out = np.empty(self._shape, self._dtypes[-1])
        else:
            out = np.empty_like(operands[self._like], self._dtypes[-1])
        addresses = [address(x) for x in operands]
        addresses.append(address(out))
        for place in addresses:
            if place % self._aligned:
                return None
        self._job(addresses)
        return out


def planned(ufunc: np.ufunc, operands: Sequence[Any], out: Any, element: float, flat: bool) -> Plan | None:
    """Return how ``ufunc(*operands, out=out)`` is computed; None where NumPy does it as well, or by other
    loops.

    No element of the array `out` is another place of an operand, or it is ``...``. The loop takes `element`
    nanoseconds for an element in the cache; in the `flat` case all arrays have one shape and lie without gaps
    in the same order of axes.
    """
    dtypes = loop_dtypes(ufunc, tuple([x.dtype if isinstance(x, ndarray) else type(x) for x in operands]))
    if dtypes is None:
        return None
    arrays = [x for x in operands if isinstance(x, ndarray)]
    shape, own = np.broadcast(*arrays).shape, dtypes[-1]
    if out is not ... and (out.dtype is not own or out.shape != shape):
        return None
    ordered = [*arrays, out] if out is not ... else arrays
    if not all(x.flags.aligned and (flat or x.flags.c_contiguous) for x in ordered):
        return None
    walked = (prod(shape),) if flat else shape
    lies: list[tuple[Ints, Ints]] = []
    for x in operands:
        if not isinstance(x, ndarray) or not x.ndim:
            lies.append(((), ()))
        else:
            lies.append((walked, (x.itemsize,)) if flat else (x.shape, x.strides))
    walk = walk_of(walked, (*lies, (walked, tuple([n * own.itemsize for n in contiguous_strides(walked)]))))
    size = prod(walk.sizes)
    work = max(size * element, BYTE * (sum([x.nbytes for x in arrays]) + size * own.itemsize))
    pays = work >= WORTH_THREADS and (get_num_threads() > 1 or len(walk.sizes) > 1)
    if not pays or walk.sizes[-1] < _LONG or not _HOTNESS.is_hot(work):
        return None
    if (job := _HOTNESS.ask("strided", ufunc, dtypes, walk.sizes, walk.steps, work)) is None:
        return None
    numbers = tuple([k for k, x in enumerate(operands) if not isinstance(x, ndarray)])
    like = next(k for k, x in enumerate(operands) if isinstance(x, ndarray) and x.ndim) if flat else None
    return Plan(job, dtypes, shape, numbers, like, max([dtype.alignment for dtype in dtypes]))


def copying(target: ndarray, source: ndarray) -> Plan | None:
    """Return how ``target[...] = source`` is done with long rows on both sides, or one source element."""
    work = 2 * BYTE * target.size * target.itemsize
    if work < WORTH_THREADS or get_num_threads() == 1 or not isinstance(source, ndarray):
        return None
    if source.dtype is not target.dtype or target.dtype.hasobject:
        return None
    walk = walk_of(target.shape, ((source.shape, source.strides), (target.shape, target.strides)))
    size = target.itemsize
    if walk.steps[0][0] not in (0, size) or walk.steps[1][0] != size or walk.sizes[-1] < _LONG:
        return None
    if not _HOTNESS.is_hot(work):
        return None
    dtypes = (target.dtype, target.dtype)
    job = _HOTNESS.ask("strided", None, dtypes, walk.sizes, walk.steps, work)
    return None if job is None else Plan(job, dtypes, target.shape, (), None, 1)


@functools.lru_cache(1024)
def loop_dtypes(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...] | None:
    """Return the dtypes of the loop that a ufunc takes for arrays of dtypes and numbers of types, that of its
    result last; None where it converts arrays first, or its loop needs Python.
    """
    if ufunc is np.power or ufunc.signature is not None or ufunc.nout != 1 or len(kinds) != ufunc.nin > 2:
        return None
    try:
        dtypes = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        return None
    # A dtype equals the type of Python's numbers of its kind, so that types are told apart by `is`.
    fits = all(k is own or k is bool or k is int or k is float for k, own in zip(kinds, dtypes))
    return dtypes if fits and all(dtype.kind in "biufc" for dtype in dtypes) else None
