"""Sums, norms and running sums of large arrays along their last axis, on several threads.

NumPy reduces on one core, and squares of a norm would first become an array. On one thread 2048×2048 float32
take, by NumPy's calls and by these: sums of the rows 0.9 and 0.5 ms, their log-sum-exp 5.0 and 4.0 ms, the
norm of all 1.4 and 0.25 ms, running sums from the end 18 and 14.5 ms. NumPy's accumulate takes 3.3 ns an
element, the native loop, where there is one, 0.7. Parts are whole rows, so results do not depend on the
number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from . import large
from .threads import run_parts, stretches

#: Elements from which the functions here are faster than NumPy's.
LARGE = 1 << 18

#: Elements in a block of rows of a chain of ufuncs.
_BLOCK = 1 << 17

#: Length of the rows that an array is cut into where all of it is reduced: short enough for the error of a
#: dot product.
_ROW = 4096

#: Length of a row up to which its sum is a product with ones, in half of the time that NumPy's sum takes; the
#: error of longer ones would pass that of NumPy's sum by pairs.
_LONGEST_PRODUCT = 8192


#: Elements of a running sum that are converted to a wider dtype at a time.
_RUNNING = 1 << 14

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
    if x.size >= large.SIZE and large.ask("sums", rows, values):
        return result
    if x.shape[-1] <= _LONGEST_PRODUCT:
        ones = np.ones(x.shape[-1], x.dtype)
        _by_rows(lambda x, out: np.matmul(x, ones, out=out), rows, values)
    else:
        _by_rows(lambda x, out: np.add.reduce(x, axis=1, out=out), rows, values)
    return result


def row_logsumexp(x: ndarray, keepdim: bool) -> ndarray:
    """Return log Σ exp(x) of each row."""
    rows, result, values = _reduced(x, keepdim)
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


def running_sums(x: ndarray, dim: int, reverse: bool) -> ndarray:
    """Return running sums along `dim`, from its end with `reverse`."""
    out = np.empty(x.shape, x.dtype)
    if x.size >= large.SIZE and dim == x.ndim - 1:
        length = x.shape[-1]
        rows = np.ascontiguousarray(x).reshape(-1, length)
        if large.ask("running_sums", rows, out.reshape(-1, length), reverse):
            return out
    return accumulated(np.add, x, dim, reverse, out)


def accumulated(
    ufunc: np.ufunc, x: ndarray, dim: int, reverse: bool = False, out: ndarray | None = None
) -> ndarray:
    """Return `ufunc` of all elements up to each one along `dim`, from its end with `reverse`.

    What has been gathered is kept in float64 where the elements are float32, as torch keeps it: in the dtype
    of the elements the error of a running sum grows with its length (7e-6 after 100,000 elements).
    """
    out = np.empty(x.shape, x.dtype) if out is None else out
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
    rows = x.size // max(1, x.shape[dim])
    if rows >= max(_MANY_ROWS, _ROWS_AN_ELEMENT * x.shape[dim]):
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


#: Rows and columns from which a native loop over the rows of a matrix is asked for.
_WORTH_ROWS, _WORTH_COLUMNS = 64, 64


def over_first(name: str, x: ndarray) -> ndarray | None:
    """Return the op `name` over the first axis of a large array, by a native loop where there is one."""
    if x.ndim < 2 or len(x) < _WORTH_ROWS or x.size < len(x) * _WORTH_COLUMNS:
        return None
    if x.dtype not in _NATIVE or not x.flags.c_contiguous:
        return None
    found = large.ask("rows", name, (x.reshape(len(x), -1),), ((0,), False), (True,))
    return None if found is None else found[0].reshape(x.shape[1:])
