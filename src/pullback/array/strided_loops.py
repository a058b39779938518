"""Run NumPy's loops, and copies, over large arrays from native code: on its threads, and row by row.

NumPy knows one thread, and copies operands of rows shorter than its buffer into that first where one of them
is broadcast. Native threads that call its loops are awake sooner than Python's (`threads`), and wait for
nothing. The bits are NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy import ndarray

from .broadcasting import steps_along
from .named_tuples import NamedTuple
from .strides import Ints, address, contiguous_strides
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
def _walk(shape: Ints, lies: tuple[tuple[Ints, Ints], ...]) -> _Walk:
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


def _run(ufunc: np.ufunc | None, arrays: list[ndarray], walk: _Walk, work: float) -> bool:
    operands = [(address(x), *steps) for x, steps in zip(arrays, walk.steps, strict=True)]
    given = (ufunc, [x.dtype for x in arrays], walk.sizes, operands, work)
    return bool(_HOTNESS.ask("strided", *given))


def called(ufunc: np.ufunc, operands: Sequence[Any], out: Any, element: float) -> ndarray | None:
    """Return ``ufunc(*operands, out=out)`` of arrays in C order and numbers; None where NumPy does it as
    well, or by other loops.

    Parameters
    ----------
    out
        An array, of whose elements none is another place of an operand, or ``...``.
    element
        Nanoseconds that the loop takes for an element in the cache.
    """
    dtypes = _dtypes(ufunc, tuple([x.dtype if isinstance(x, ndarray) else type(x) for x in operands]))
    if dtypes is None:
        return None
    arrays = [x if isinstance(x, ndarray) else np.asarray(x, d) for x, d in zip(operands, dtypes)]
    shape, own = np.broadcast(*arrays).shape, dtypes[-1]
    if out is not ... and (out.dtype is not own or out.shape != shape or not out.flags.c_contiguous):
        return None
    if not all(x.flags.c_contiguous and x.flags.aligned for x in arrays):
        return None
    lies = [(x.shape, x.strides) for x in arrays]
    walk = _walk(shape, (*lies, (shape, tuple([n * own.itemsize for n in contiguous_strides(shape)]))))
    size = prod(walk.sizes)
    work = max(size * element, BYTE * (sum([x.nbytes for x in arrays]) + size * own.itemsize))
    pays = work >= WORTH_THREADS and (get_num_threads() > 1 or len(walk.sizes) > 1)
    if not pays or walk.sizes[-1] < _LONG or not _HOTNESS.is_hot(work):
        return None
    result = np.empty(shape, own) if out is ... else out
    return result if _run(ufunc, [*arrays, result], walk, work) else None


def copied(target: ndarray, source: ndarray) -> bool:
    """Do ``target[...] = source`` where rows are long on both sides, or of one element in the source; return
    whether it was done.
    """
    work = 2 * BYTE * target.size * target.itemsize
    if work < WORTH_THREADS or get_num_threads() == 1 or not isinstance(source, ndarray):
        return False
    if source.dtype is not target.dtype or target.dtype.hasobject:
        return False
    walk = _walk(target.shape, ((source.shape, source.strides), (target.shape, target.strides)))
    size = target.itemsize
    if walk.steps[0][0] not in (0, size) or walk.steps[1][0] != size or walk.sizes[-1] < _LONG:
        return False
    return _HOTNESS.is_hot(work) and _run(None, [source, target], walk, work)


@functools.lru_cache(1024)
def _dtypes(ufunc: np.ufunc, kinds: tuple[Any, ...]) -> tuple[np.dtype[Any], ...] | None:
    """Return the dtypes of the loop that a ufunc takes for arrays of dtypes and numbers of types, that of its
    result last; None where it converts arrays first, or its loop needs Python.
    """
    if ufunc is np.power or ufunc.signature is not None or ufunc.nout != 1 or len(kinds) != ufunc.nin > 2:
        return None
    try:
        dtypes = ufunc.resolve_dtypes((*kinds, None))
    except TypeError:
        return None
    fits = all(given is own or given in (bool, int, float) for given, own in zip(kinds, dtypes))
    return dtypes if fits and all(dtype.kind in "biufc" for dtype in dtypes) else None
