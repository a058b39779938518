"""Sums, norms and running sums of large arrays along their last axis, on several threads.

NumPy reduces on one core, and squares of a norm would first become an array. On one thread 2048×2048 float32
take, by NumPy's calls and by these: sums of the rows 0.9 and 0.5 ms, their log-sum-exp 5.0 and 4.0 ms, the
norm of all 1.4 and 0.25 ms, running sums from the end 18 and 14.5 ms. NumPy's accumulate takes 3.3 ns an
element, products 9, the native loop of both 0.6. Parts are whole rows, so results do not depend on the
number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .elementwise import flat_views
from .named_tuples import NamedTuple
from .short_rows import ones
from .summation import write_products
from .threads import run_parts, stretches
from .tiering import Hotness

#: Elements from which the functions here are faster than NumPy's.
LARGE = 1 << 18

#: Elements in a block of rows of a chain of ufuncs.
_BLOCK = 1 << 17

#: Length of the rows that an array is cut into where all of it is reduced: short enough for the error of a
#: dot product.
_ROW = 4096

#: Length of a row up to which its sum is a product with ones, in half of the time that NumPy's sum takes; the
#: error of longer ones would pass that of NumPy's sum by pairs. Elements of a matrix in a stack of these.
#: A native loop of its own took 0.9 to 1.2 of the time (2²⁰ float32 on one thread).
_LONGEST_PRODUCT, _STACKED = 8192, 1 << 16

#: Elements of a running sum that are converted to a wider dtype at a time.
_RUNNING = 1 << 14

#: What running sums have cost in NumPy, and nanoseconds for an element. Native ones have the same bits: of
#: 16,384 float32 the sums take 118 µs and 25 so.
_SCANS, _STEP = Hotness(), 6

#: In which dtypes running sums and products of others are kept.
_WIDER = {np.dtype(np.float32): np.dtype(np.float64), np.dtype(np.complex64): np.dtype(np.complex128)}

_NATIVE = (np.dtype(np.float32), np.dtype(np.float64))


def is_over_rows(x: ndarray, dims: Sequence[int]) -> bool:
    """Return whether a reduction over `dims` is one of the rows of a large C-ordered array of real floats."""
    return (
        x.size >= LARGE
        and tuple(dims) == (x.ndim - 1,)
        and x.dtype.kind == "f"
        and x.itemsize > 2
        and x.flags.c_contiguous
    )


def _by_rows(task: Callable[..., Any], *arrays: ndarray) -> None:
    """Call ``task`` with the same stretch of the rows of each array, stretches side by side."""
    bounds = stretches(len(arrays[0]), arrays[0].size, LARGE)
    run_parts(
        lambda part: task(*(array[slice(*bounds[part])] for array in arrays)), len(bounds), uses_blas=True
    )


def _reduced(x: ndarray, keepdim: bool) -> tuple[ndarray, ndarray, ndarray]:
    """Return the rows of `x`, the array for what they become, and that as one value a row."""
    result = np.empty((*x.shape[:-1], 1) if keepdim else x.shape[:-1], x.dtype)
    return x.reshape(-1, x.shape[-1]), result, result.reshape(-1)


def row_sums(x: ndarray, keepdim: bool) -> ndarray:
    """Return the sum of each row."""
    rows, result, values = _reduced(x, keepdim)
    if (pieces := _pieces(rows.shape[1])) == 1:
        _add_rows(rows, values)
    elif pieces:
        sums = np.empty((len(rows), pieces), x.dtype)
        _add_rows(rows.reshape(sums.size, -1), sums.reshape(-1))
        values[...] = np.add.reduce(sums, axis=1, dtype=np.float64)
    else:
        _by_rows(lambda x, out: np.add.reduce(x, axis=1, out=out), rows, values)
    return result


@lru_cache(256)
def _pieces(length: int) -> int:
    """Return in how many equal pieces a row is added; 0 where there are none of a good length."""
    least = -(-length // _LONGEST_PRODUCT)
    return next((count for count in range(least, 8 * least) if length % count == 0), 0)


def _add_rows(rows: ndarray, out: ndarray) -> None:
    """Write the sum of each row, as a product with ones. Native threads change no bits: they share stacks of
    matrices whose sizes do not depend on them.
    """
    length = rows.shape[1]
    factor = ones(length, rows.dtype)
    if not large.is_there():
        _by_rows(lambda x, out: np.matmul(x, factor, out=out), rows, out)
        return
    together = max(1, _STACKED // length)
    whole = len(rows) - len(rows) % together
    stack = rows[:whole].reshape(-1, together, length)
    write_products(stack, factor[None, :, None], out[:whole].reshape(-1, together, 1))
    if whole < len(rows):
        np.matmul(rows[whole:], factor, out=out[whole:])


def total(x: ndarray) -> ndarray:
    """Return the sum of all elements as a 0-d array, in the dtype of `x`: of large arrays of real floats as
    sums of rows, in half of the time that NumPy takes.
    """
    flats = flat_views([x]) if x.size >= LARGE and x.dtype in _NATIVE else None
    if flats is None:
        return np.add.reduce(x, axis=None, out=...)
    whole = x.size - x.size % _ROW
    sums = np.empty(whole // _ROW, x.dtype)
    _add_rows(flats[0][:whole].reshape(-1, _ROW), sums)
    rest = np.add.reduce(flats[0][whole:])
    return np.asarray(np.add.reduce(sums, dtype=np.float64) + rest, x.dtype)


def row_logsumexp(x: ndarray, keepdim: bool) -> ndarray:
    """Return log Σ exp(x) of each row."""
    rows, result, values = _reduced(x, keepdim)
    if x.size >= large.SIZE and x.shape[-1] >= _WORTH_COLUMNS:
        found = large.ask("rows", "logsumexp", (rows,), ((1,), False), (True,))
        if found is not None:
            return found[0].reshape(result.shape)
    together = max(1, _BLOCK // x.shape[-1])

    def task(x: ndarray, out: ndarray) -> None:
        space = np.empty((min(together, len(x)), x.shape[1]), x.dtype)
        for start in range(0, len(x), together):
            block = x[start : start + together]
            spare = space[: len(block)]
            top = np.maximum.reduce(block, axis=1)
            top[np.isinf(top)] = 0
            np.subtract(block, top[:, None], out=spare)
            np.exp(spare, out=spare)
            sums = np.add.reduce(spare, axis=1)
            np.add(np.log(sums, out=sums), top, out=out[start : start + together])

    _by_rows(task, rows, values)
    return result


def norm(x: ndarray) -> ndarray:
    """Return √Σx² of all elements of a C-ordered array."""
    flat = x.reshape(-1)
    whole = flat.size - flat.size % _ROW
    rows = flat[:whole].reshape(-1, _ROW)
    sums = np.empty(len(rows), x.dtype)
    _by_rows(lambda x, out: np.vecdot(x, x, out=out), rows, sums)
    rest = flat[whole:]
    return np.asarray(np.sqrt(np.add.reduce(sums) + np.dot(rest, rest)), x.dtype)


def accumulated(
    ufunc: np.ufunc, x: ndarray, dim: int, reverse: bool = False, out: ndarray | None = None
) -> ndarray:
    """Return `ufunc` of all elements up to each one along `dim`, from its end with `reverse`.

    What has been gathered is kept in float64 where the elements are float32, as torch keeps it: in the dtype
    of the elements the error of a running sum grows with its length (7e-6 after 100,000 elements).
    """
    out = np.empty(x.shape, x.dtype) if out is None else out
    along = dim == x.ndim - 1
    now = along and x.size >= large.SIZE
    wide = along or (x.size < large.SIZE and math.prod(x.shape[dim + 1 :]) >= _SIDE_BY_SIDE)
    if wide and (now or (x.size >= large.ROWS and _SCANS.is_hot(_STEP * x.size))):
        shape = (-1, x.shape[dim], math.prod(x.shape[dim + 1 :]))[: 2 if along else 3]
        found = out if out.flags.c_contiguous else np.empty(x.shape, x.dtype)
        ask = large.ask if now else _SCANS.ask
        given = np.ascontiguousarray(x).reshape(shape), found.reshape(shape)
        if ask("running" if along else "running_down", ufunc.__name__, *given, reverse):
            if found is not out:
                out[...] = found
            return out
    if dim == 0 or x.size < LARGE:
        _accumulate(ufunc, x, dim, reverse, out)
        return out
    bounds = stretches(len(x), x.size, LARGE)

    def part(index: int) -> None:
        stretch = slice(*bounds[index])
        _accumulate(ufunc, x[stretch], dim, reverse, out[stretch])

    run_parts(part, len(bounds))
    return out


def _accumulate(ufunc: np.ufunc, x: ndarray, dim: int, reverse: bool, out: ndarray) -> None:
    if reverse:
        x, out = np.flip(x, dim), np.flip(out, dim)
    wide = _WIDER.get(x.dtype)
    if x.size // max(1, x.shape[dim]) >= max(_MANY_ROWS, _ROWS_AN_ELEMENT * x.shape[dim]):
        _accumulate_columns(ufunc, np.moveaxis(x, dim, 0), wide or x.dtype, np.moveaxis(out, dim, 0))
        return
    steps = dim < x.ndim - 1 and math.prod(x.shape[dim + 1 :]) >= _MANY_COLUMNS
    gather = partial(_by_columns, ufunc) if steps else ufunc.accumulate
    if wide is None:
        gather(x, dim, x.dtype, out)
        return
    lead = (slice(None),) * dim
    first, last = (*lead, slice(0, 1)), (*lead, slice(-1, None))
    length = x.shape[dim]
    together = max(1, _RUNNING * length // max(1, x.size))
    before = None
    for start in range(0, length, together):
        cut = (*lead, slice(start, start + together))
        block = x[cut].astype(wide)
        if before is not None:
            ufunc(before, block[first], out=block[first])
        gather(block, dim, wide, block)
        out[cut] = block
        before = block[last]


#: Columns from which native sums go down side by side: of 256 rows of 64 float32 they take 20 µs so and 127
#: by NumPy. Of 2²⁰ numbers, which do not stay in the cache, its steps are as fast.
_SIDE_BY_SIDE = 16

#: Rows from which one step for all of them is faster than all steps for one: NumPy takes 15 ns a row.
#: (32, 64, 32) along its last axis took 440 µs and takes 160.
_MANY_ROWS, _ROWS_AN_ELEMENT = 1024, 16
#: Columns from which that is so along another axis, however long: NumPy goes down one column after another.
#: (4, 40, 256) along its second axis took 415 µs and takes 88, (512, 512) along its first one 3,657 and 876.
_MANY_COLUMNS = 256


def _by_columns(ufunc: np.ufunc, x: ndarray, dim: int, _: np.dtype[Any], out: ndarray) -> None:
    """Do what `np.ufunc.accumulate` does of arrays of one dtype, a step for all columns at a time."""
    x, out = np.moveaxis(x, dim, 0), np.moveaxis(out, dim, 0)
    out[:1] = x[:1]
    places = list(out)
    for before, now, put in zip(places, list(x)[1:], places[1:]):
        ufunc(before, now, put)


def _accumulate_columns(ufunc: np.ufunc, x: ndarray, dtype: np.dtype[Any], out: ndarray) -> None:
    """Gather along the first axis, a step for all rows at a time."""
    block = np.empty(x.shape, dtype)
    block[...] = x
    for k in range(1, len(block)):
        ufunc(block[k - 1], block[k], out=block[k])
    out[...] = block


def is_over_all(x: ndarray, dims: Sequence[int]) -> bool:
    """Return whether a reduction over `dims` is of all elements of a large C-ordered array of real floats."""
    return (
        x.size >= LARGE
        and math.prod(x.shape[d] for d in dims) == x.size
        and x.dtype.kind == "f"
        and x.itemsize > 2
        and x.flags.c_contiguous
    )


class _Gathering(NamedTuple):
    """Say what joins two results of a native loop, how NumPy gathers a few elements (`about` one), and
    whether it is as quick about wide rows (of products, where these are combined element by element).
    """

    join: np.ufunc
    few: Callable[..., Any]
    dtypes: tuple[np.dtype[Any], ...] = _NATIVE
    quick: bool = False


_WHOLE = (np.dtype(np.int64), np.dtype(np.int32))
_GATHERED = {
    "amax": _Gathering(np.maximum, np.maximum.reduce, (*_NATIVE, *_WHOLE), quick=True),
    "amin": _Gathering(np.minimum, np.minimum.reduce, (*_NATIVE, *_WHOLE), quick=True),
    "prod": _Gathering(np.multiply, np.multiply.reduce, (*_NATIVE, _WHOLE[0]), quick=True),
    "nansum": _Gathering(np.add, np.nansum),
    "count_nonzero": _Gathering(np.add, np.count_nonzero, (*_NATIVE, *_WHOLE, np.dtype(bool))),
    "squares": _Gathering(np.add, lambda x: np.vecdot(x, x)),
    "sizes": _Gathering(np.add, lambda x: np.add.reduce(np.absolute(x))),
    "squares_about": _Gathering(np.add, lambda x, about: np.add.reduce(np.square(x - about))),
}

#: Rows and columns from which a native loop over the rows of a matrix is asked for; columns behind a middle
#: axis, and elements of a row. Narrower matrices are read as such of so many columns.
_WORTH_ROWS, _WORTH_COLUMNS, _SHORT, _WIDTH = 64, 64, 16, 512

#: Elements from which threads bring a call back where NumPy's loop is as quick on one: the largest of rows of
#: 1,024, of 2²⁰, take 119 µs there and 115 so, 20 of them before and after the loop; products of 2¹⁸ down 512
#: columns 47 and 88.
_WORTH_QUICK = 1 << 20


def gathered(
    name: str, x: ndarray, dims: Sequence[int], keepdim: bool, about: ndarray | None = None
) -> ndarray | None:
    """Return what `_GATHERED` has under a name of a large C-ordered array, over neighbouring axes, by a
    native loop on several threads; None where there is none. `about` is like the result with its axes kept.

    On one thread 2²⁰ float32 take, by NumPy's calls and by these, in µs (torch): the largest of rows of 32
    1,607, 140 (233), of all columns of 32 1,166, 181 (68), over a middle axis of 64 676, 102 (90); products
    of rows of 1,024 1,085, 117 (69); norms of them 443, 109 (128); their variances 853, 220 (6,818).
    """
    kind = _GATHERED[name]
    if x.dtype not in kind.dtypes or not x.flags.c_contiguous or not dims:
        return None
    first, last = min(dims), max(dims)
    lead, length, tail = (math.prod(x.shape[cut]) for cut in _around(first, last))
    if last - first + 1 != len(dims) and kind.join in (np.maximum, np.minimum) and length:
        found = gathered(name, x, [last], True)
        return None if found is None else kind.join.reduce(found, axis=tuple(dims), keepdims=keepdim, out=...)
    if last - first + 1 != len(dims) or not length:
        return None
    wide = tail if tail > 1 else 0 if kind.join is np.multiply else length
    if kind.quick and x.size < _WORTH_QUICK and wide >= _WIDTH:
        return None
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    given = () if about is None else (about,)
    if tail == 1 and length >= 2 * _ROW and (lead == 1 or length % _ROW == 0):
        found = _of_long_rows(name, kind, x.reshape(lead, length), *given)
    elif tail == 1:
        short = length < (_WORTH_COLUMNS if kind.join is np.add else _SHORT)
        found = None if short else _asked(name, 1, x.reshape(lead, length), *given)
    elif lead == 1:
        found = _of_columns(name, kind, x.reshape(length, tail), *given)
    else:
        found = None if tail < _SHORT else _asked(name, 1, x.reshape(lead, length, tail), *given)
    return None if found is None else found.reshape(shape)


def places(name: str, x: ndarray, dim: int) -> ndarray | None:
    """Return where the largest ("max") or smallest ("min") elements of a large array are along an axis that
    is not the last one, which is kept, by a native loop; None where there is none.

    Down the columns of 1,024×1,024 float32 NumPy takes 5.6 ms, torch 4.1 and this 0.8 on one thread.
    """
    lead, length, tail = (math.prod(x.shape[cut]) for cut in _around(dim, dim))
    if tail < _SHORT or x.dtype not in _NATIVE or not x.flags.c_contiguous:
        return None
    if lead > 1 and x.size < _WORTH_QUICK:
        return None  # of 2¹⁸ NumPy takes 209 µs and this 252
    cut = 1
    while lead * cut < _WORTH_ROWS and length % (2 * cut) == 0 and length // cut >= 2 * _WORTH_ROWS:
        cut *= 2
    if lead * cut < _SHORT:
        return None
    found = large.ask("rows", f"{name}_along", (x.reshape(lead * cut, length // cut, tail),), (1,), (True,))
    if found is None:
        return None
    values, at = (v.reshape(lead, cut, tail) for v in found)
    if cut > 1:
        best = (np.argmax if name == "max" else np.argmin)(values, axis=1, keepdims=True)
        at = np.take_along_axis(at + np.arange(0, length, length // cut)[:, None], best, 1)
    return at.reshape([1 if d == dim else n for d, n in enumerate(x.shape)])


def _around(first: int, last: int) -> tuple[slice, slice, slice]:
    return slice(first), slice(first, last + 1), slice(last + 1, None)


def _asked(name: str, dim: int, x: ndarray, about: ndarray | None = None) -> ndarray | None:
    operands, per_row = (x,), (True,)
    if about is not None:
        shape = (x.shape[1],) if dim == 0 else (len(x), 1, *x.shape[2:])
        operands, per_row = (x, about.reshape(shape)), (True, dim != 0)  # type: ignore[assignment]
    found = large.ask("rows", f"{name}_along", operands, (dim,), per_row)
    return None if found is None else found[0]


def _of_long_rows(name: str, kind: _Gathering, x: ndarray, about: ndarray | None = None) -> ndarray | None:
    """Return what is gathered along rows, of pieces of one length; a rest is left for one row alone."""
    lead, length = x.shape
    whole = length - length % _ROW
    pieces = x[:, :whole].reshape(-1, _ROW)
    given = () if about is None else (np.repeat(about.reshape(-1), len(pieces) // lead),)
    if (found := _asked(name, 1, pieces, *given)) is None:
        return None
    wide = np.float64 if kind.join is np.add and found.dtype == np.float32 else found.dtype
    result = kind.join.reduce(found.reshape(lead, -1), axis=1, dtype=wide)
    if whole < length:
        result[0] = kind.join(result[0], kind.few(x[0, whole:], *given and (about.reshape(-1)[0],)))  # type: ignore[union-attr]
    return result.astype(found.dtype, copy=False)


def _of_columns(name: str, kind: _Gathering, x: ndarray, about: ndarray | None = None) -> ndarray | None:
    """Return what is gathered down the columns of a matrix."""
    length, tail = x.shape
    together = 1
    while 2 * together * tail <= _WIDTH and length % (2 * together) == 0:
        together *= 2
    if length // together < _WORTH_ROWS or together * tail < _WORTH_COLUMNS:
        return None
    given = () if about is None else (np.tile(about.reshape(-1), together),)
    found = _asked(name, 0, x.reshape(length // together, -1), *given)
    if found is None or together == 1:
        return found
    return kind.join.reduce(found.reshape(together, tail), axis=0, dtype=found.dtype)
