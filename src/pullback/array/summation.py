"""Sums over any axes, with errors that do not grow with the number of rows.

NumPy adds by pairs along the innermost axis only; over others it adds row to row, and a sum of 20,000 rows
of float32 is off by 5e-6. Here 64 rows at a time are a product with ones, and the sums are added in the same
way, until there is one: errors are torch's (1e-7). It is faster, too: BLAS adds four rows per pass and takes
neighbouring rows together where they are short. Sums of float32 rows, by NumPy and here, in µs: 64×64 2.0 and
1.2, 1000×3 12 and 6, 20,000×3 240 and 16, 20,000×64 300 and 90, 1000×1000 68 and 70.
"""

import math

import numpy as np
from numpy import ndarray

from . import dtypes, large, short_rows
from .short_rows import ones
from .threads import get_num_threads, run_parts
from .tiering import Hotness
from .transposed import c_copy

Ints = tuple[int, ...]

#: Rows in one product, and the length of a row up to which neighbours are taken together. OpenBLAS runs
#: products of this size on the thread that asks.
_ROWS, _LENGTH = 64, 2048

#: Elements up to which any order of addition is good, and NumPy's call costs least.
_SMALL = 64

#: Rows up to which NumPy adds as well as a product, and faster where there are many stacks of them.
_FEW = 8

#: Elements from which stretches of columns are worth a thread.
_LARGE = 1 << 19

_F32, _F64 = _FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_HOTNESS = Hotness()
_HALVES = (dtypes.float16.numpy, dtypes.bfloat16.numpy)


def sum_over(x: ndarray, dims: Ints, keepdim: bool = False) -> ndarray:
    """Return Σx over `dims`, in the dtype of `x`; halves are added as float32 and rounded once."""
    dtype = x.dtype
    if len(dims) == 1 and (dtype is _F32 or dtype is _F64) and 0 < (size := x.size) <= short_rows.SMALL:
        axis = dims[0]
        count = x.shape[axis]
        many = size > _SMALL and count > _FEW and (axis != x.ndim - 1 or not x.flags.c_contiguous)
        if not many and (size < short_rows.LEAST_IN_ORDER or count > _FEW):
            # What the general way below ends in, 1 µs earlier.
            return np.add.reduce(x, axis, dtype, keepdims=keepdim, out=...)
    if dtype in _HALVES:
        return sum_over(x.astype(np.float32), dims, keepdim).astype(dtype)
    plain = x.size <= _SMALL or dtype.kind not in "fc" or not dims
    if not plain and len(dims) == 1:
        plain = x.shape[dims[0]] <= _FEW or (dims[0] == x.ndim - 1 and x.flags.c_contiguous)
    if plain and len(dims) == 1 and dtype.kind in "fc":
        return short_rows.reduced(np.add, x, dims[0], keepdim)
    if plain:
        return np.add.reduce(x, axis=dims, dtype=dtype, keepdims=keepdim, out=...)
    if x.ndim == 2 and dims == (0,) and dtype in _FLOATS and x.flags.c_contiguous:
        result = sum_of_rows(x)
        return result[None] if keepdim else result
    if (order := _memory_order(x)) is None:
        found = _sum_in_order(x, dims)
    else:
        places = tuple(sorted(order.index(d) for d in dims))
        found = _sum_in_order(x.transpose(order), places)
        kept = [d for d in order if d not in dims]
        found = found.transpose([kept.index(d) for d in sorted(kept)])
    if keepdim:
        return found.reshape([1 if axis in dims else size for axis, size in enumerate(x.shape)])
    return found


def sum_of_rows(x: ndarray, factors: ndarray | None = None) -> ndarray:
    """Return the sum of the rows of a C-ordered matrix of float32 or float64, each times a factor."""
    rows, length = x.shape
    if rows <= 2 * _ROWS and rows * length <= _ROWS * _LENGTH:
        return np.dot(ones(rows, x.dtype) if factors is None else factors, x)
    if factors is None:
        together = rows // _ROWS
        if together <= _ROWS and together * length <= _LENGTH and rows == together * _ROWS:
            # What the general way below comes to, 3 µs earlier.
            sums = np.matmul(ones(_ROWS, x.dtype), x.reshape(_ROWS, together * length))
            return np.matmul(ones(together, x.dtype), sums.reshape(together, length))
        return _over_rows(x.reshape(1, rows, length)).reshape(length)
    whole = rows - rows % _ROWS
    sums = np.matmul(factors[:whole].reshape(-1, 1, _ROWS), x[:whole].reshape(-1, _ROWS, length))
    rest = factors[whole:].dot(x[whole:])
    return sum_of_rows(sums.reshape(-1, length)) + rest


def _memory_order(x: ndarray) -> list[int] | None:
    """Return the axes as they follow one another in memory; None where that is their own order."""
    if x.flags.c_contiguous:
        return None
    order = sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis]))
    return None if order == list(range(x.ndim)) else order


def _sum_in_order(x: ndarray, dims: Ints) -> ndarray:
    """Return sums of an array whose axes are in the order of memory.

    Neighbouring axes that are both reduced, or both kept, are one. The last run goes first, and NumPy adds it
    by pairs; then each is a stack of matrices whose rows are added.
    """
    shape = tuple([size for axis, size in enumerate(x.shape) if axis not in dims])
    runs: list[tuple[bool, int]] = []
    for axis, size in enumerate(x.shape):
        if size == 1:
            continue
        reduced = axis in dims
        if runs and runs[-1][0] == reduced:
            runs[-1] = reduced, runs[-1][1] * size
        else:
            runs.append((reduced, size))
    rows = [size for reduced, size in runs[:-1] if reduced]
    if not rows or max(rows) <= _FEW:
        return np.add.reduce(x, axis=dims, out=...)
    if not x.flags.c_contiguous:
        x = c_copy(x)
    if x.dtype.kind == "c":
        # The two parts are columns of their own, of which a product makes no further infinities.
        parts = x.view(x.real.dtype).reshape(*x.shape, 2)
        return _sum_in_order(parts, dims).view(x.dtype)[..., 0]
    x = x.reshape([size for _, size in runs])
    if runs[-1][0]:
        x = short_rows.reduced(np.add, x, -1)
        del runs[-1]
    kept = 1
    for reduced, size in reversed(runs):
        if reduced:
            x = _over_rows(x.reshape(-1, size, kept))
        else:
            kept *= size
    return x.reshape(shape)


def _over_rows(x: ndarray) -> ndarray:
    """Return the sum of the rows of each matrix of a stack."""
    stack, rows, length = x.shape
    if rows <= _FEW:
        return np.add.reduce(x, axis=1)
    if length > _LENGTH:
        return _by_stretches(x)
    while rows > _ROWS:
        # Only rows that follow one another in memory can be taken together.
        together = max(1, min(rows // _ROWS, _LENGTH // length)) if x.flags.c_contiguous else 1
        blocks = rows // (_ROWS * together)
        whole = blocks * _ROWS * together
        cut = x[:, :whole].reshape(stack, blocks, _ROWS, together * length)
        sums = _added(cut.reshape(-1, *cut.shape[2:])).reshape(stack, blocks * together, length)
        if whole < rows:
            sums[:, 0] += _over_rows(x[:, whole:])
        x, rows = sums, blocks * together
    return np.matmul(ones(rows, x.dtype), x)


def _added(x: ndarray) -> ndarray:
    """Return the sum of the rows of each matrix of a stack, of few rows."""
    result = np.empty((len(x), 1, x.shape[2]), x.dtype)
    write_products(ones(x.shape[1], x.dtype)[None, None], x, result)
    return result[:, 0]


def write_products(x: ndarray, y: ndarray, out: ndarray) -> None:
    """Write products of a row or a column with a stack's matrices, on native threads if they are many."""
    size = x.size + y.size
    large_enough = size >= _LARGE and get_num_threads() > 1 and large.is_there()
    if not (large_enough and _HOTNESS.is_hot(size / 12) and _HOTNESS.ask("stacked", x, y, out)):
        np.matmul(x, y, out=out)


def _by_stretches(x: ndarray) -> ndarray:
    """Return the same of long rows, by stretches of columns that don't depend on the threads."""
    stack, _, length = x.shape
    result = np.empty((stack, length), x.dtype)
    count = math.ceil(length / _LENGTH)

    def part(index: int) -> None:
        cut = slice(index * _LENGTH, (index + 1) * _LENGTH)
        result[:, cut] = _over_rows(x[:, :, cut])

    if x.size >= _LARGE and get_num_threads() > 1:
        run_parts(part, count, uses_blas=True)
    else:
        for index in range(count):
            part(index)
    return result
