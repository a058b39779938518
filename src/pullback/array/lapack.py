"""Call LAPACK on stacks of matrices whose columns are contiguous, as torch leaves them."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from . import large, scipy_functions
from .blas import SCIPY, single_threaded
from .strides import contiguous_strides, laid_out_empty

Call = Callable[..., Any]
INT32 = np.dtype(np.int32)
#: What the names of routines begin with.
_LETTERS = {np.dtype(t): letter for t, letter in zip("fdFD", "sdcz", strict=True)}


@functools.cache
def routine(name: str, dtype: np.dtype[Any]) -> Call:
    """Return LAPACK's or BLAS's routine for a dtype; SciPy's own search for one takes 50 µs."""
    own = _LETTERS[dtype] + name
    found = getattr(scipy_functions.lapack(), own, None)
    return found or getattr(scipy_functions.extension("linalg._fblas"), own)


#: What `numpy.linalg` calls.
_ROUTINES = getattr(np.linalg, "_umath_linalg", None)
#: Rows of matrices on which LAPACK's threads cost more than they give: beside those of a compiled program a
#: Cholesky factor of 200 rows takes 3.1 ms with two threads, and 0.5 with one; smaller ones have none.
ONE_THREAD = range(32, 512)
#: Routines that take threads for smaller ones, too: for four columns of a 2×2 system `getrs` wakes a second
#: thread, which spins for 20 ms of processor time; the first needs 3.4 µs where it is awake, or up to 7 ms.
_EAGER = {"gels", "getrs", "potri"}


def lapack(name: str, x: ndarray) -> Call:
    """Return LAPACK's routine for an array's dtype; on matrices of middling size it runs on one thread."""
    found = routine(name, x.dtype)
    size = max(x.shape[-2:])
    is_alone = size in ONE_THREAD or (size < ONE_THREAD.start and name in _EAGER)
    return functools.partial(_on_one_thread, found) if is_alone else found


def by_numpy(function: Call, x: ndarray, /, *args: Any, **kwargs: Any) -> Any:
    """Return what a function of `numpy.linalg` gives, on one thread where `lapack` has one."""
    if max(x.shape[-2:]) not in ONE_THREAD:
        return function(x, *args, **kwargs)
    with single_threaded():
        return function(x, *args, **kwargs)


def by_routine(name: str, *arrays: ndarray) -> ndarray | None:
    """Return what NumPy's routine of a name makes of stacks of small matrices of one dtype, with contiguous
    columns; None where it is not there, or one of the matrices has to be looked at by itself.

    The functions of `numpy.linalg` take 8 µs around the routine, which gives NaN where it fails.
    """
    x = arrays[0]
    routine = getattr(_ROUTINES, name, None)
    if routine is None or x.size == 0 or max(x.shape[-2:]) >= ONE_THREAD.start:
        return None
    if x.dtype not in _COMPUTED or arrays[-1].dtype != x.dtype:
        return None
    lead = x.shape[:-2]
    if len(arrays) > 1 and arrays[1].shape[:-2] != lead:
        lead = leading(arrays, (2,) * len(arrays))
    result = empty_columns((*lead, *arrays[-1].shape[-2:]), x.dtype)
    routine(*arrays, out=result)
    return result if np.isfinite(np.add.reduce(result, axis=None)) else None


#: Rows of a single matrix from which LAPACK's routines are called by themselves: NumPy copies there and back,
#: and inverts by solving. Of 150 rows of float64 a factor takes 81 µs in place of 115, an inverse 380 of
#: 630; of 40 a factor 19 of 25, an inverse 32 of 52, of 63 a solution with as many sides 118 of 190.
_LAPACK_ROWS = 32


def calls_lapack(x: ndarray) -> bool:
    """Return whether a matrix goes to LAPACK's routines, which SciPy has, and not to NumPy's functions."""
    return x.ndim == 2 and len(x) >= _LAPACK_ROWS and scipy_functions.is_installed()


def _on_one_thread(routine: Call, *args: Any, **kwargs: Any) -> Any:
    with SCIPY.single_threaded():
        return routine(*args, **kwargs)


def empty_columns(shape: tuple[int, ...], dtype: np.dtype[Any]) -> ndarray:
    """Return uninitialised matrices with contiguous columns."""
    turned = (*shape[:-2], shape[-1], shape[-2])
    if 0 in shape:
        # NumPy gives new empty arrays no strides of their own
        return laid_out_empty(turned, contiguous_strides(turned), dtype).swapaxes(-1, -2)
    return np.empty(turned, dtype).swapaxes(-1, -2)


def column_major(x: ndarray) -> ndarray:
    """Return a copy of matrices with contiguous columns, as LAPACK leaves its results."""
    result = empty_columns(x.shape, x.dtype)
    result[...] = x
    return result


def leading(arrays: Sequence[ndarray], ranks: Sequence[int]) -> tuple[int, ...]:
    """Return the common leading shape of stacks whose items have `ranks` axes."""
    leads = [a.shape[: a.ndim - r] for a, r in zip(arrays, ranks)]
    # NumPy takes 3 µs.
    return leads[0] if leads.count(leads[0]) == len(leads) else np.broadcast_shapes(*leads)


def _laid_out(part: Any, dtype: np.dtype[Any]) -> ndarray:
    """Return the result of a step as an array, a matrix with contiguous columns."""
    array = np.asarray(part, dtype)
    return array if array.ndim < 2 or array.flags.f_contiguous else column_major(array)


def each(
    step: Callable[..., tuple[Any, ...]],
    arrays: Sequence[ndarray],
    outputs: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    ranks: Sequence[int] | None = None,
) -> tuple[ndarray, ...]:
    """Run ``step`` on the items of stacks whose leading axes broadcast.

    `outputs` are the shape and dtype of each of its results, of which matrices are stored column by column;
    `ranks` how many axes an item of each array has (2 by default).
    """
    ranks = (2,) * len(arrays) if ranks is None else ranks
    if [a.ndim for a in arrays] == [*ranks]:
        return tuple(_laid_out(part, dtype) for part, (_, dtype) in zip(step(*arrays), outputs, strict=True))
    lead = leading(arrays, ranks)
    stacks = [np.broadcast_to(a, (*lead, *a.shape[a.ndim - r :])) for a, r in zip(arrays, ranks, strict=True)]
    results = tuple(
        empty_columns((*lead, *shape), dtype) if len(shape) == 2 else np.empty((*lead, *shape), dtype)
        for shape, dtype in outputs
    )
    for index in np.ndindex(*lead):
        for result, part in zip(results, step(*(s[index] for s in stacks)), strict=True):
            result[index] = part
    return results


#: Rows times elements of the right-hand sides from which a native kernel solves triangular systems, those of
#: factors, which LAPACK takes one call for, and stacks; and rows up to which it takes them whole. OpenBLAS
#: takes 3 to 4 times as long as MKL: for 200 rows and sides of float64 590 µs, the kernel 150; for 40 of each
#: 29 and 10. Of stacks NumPy's products take longer still: 32 systems of 8 rows and sides 112 µs and 17.
_WORTH_SOLVING, _WORTH_FACTORED, _WORTH_STACK, _WHOLE = 1 << 15, 1 << 17, 1 << 11, 512


def _is_solved_natively(a: ndarray, b: ndarray, worth: int) -> bool:
    """Return whether a native kernel solves triangular systems of these sizes, if it is there."""
    return b.size * b.shape[-2] >= worth and a.dtype.kind == "f" and large.is_there()


def solve_triangle(
    a: ndarray, b: ndarray, upper: bool, unit: bool = False, left: bool = True, over: bool = False
) -> ndarray:
    """Return X with A·X = B, or X·A = B, for matrices, of whose A a triangle is read; X may lie `over` B,
    whose columns are contiguous then.
    """
    if _is_solved_natively(a, b if left else b.T, _WORTH_SOLVING):
        x = b if over else empty_columns(b.shape, b.dtype)
        given = b if b.itemsize in b.strides else column_major(b)
        system = (a, given, x, upper) if left else (a.T, given.T, x.T, not upper)
        if _solve_natively(*system, unit):
            return x
    trsm, side, diag = lapack("trsm", a), int(not left), int(unit)
    found: ndarray
    if a.flags.f_contiguous:
        found = trsm(1.0, a, b, side=side, lower=int(not upper), diag=diag, overwrite_b=int(over))
    else:
        # The transpose lies column by column as BLAS wants it: 256 rows and 4 columns take 18 µs, 128 with a
        # copy.
        found = trsm(1.0, a.T, b, side=side, lower=int(upper), trans_a=1, diag=diag, overwrite_b=int(over))
    return found


def solve_triangles(a: ndarray, b: ndarray, upper: bool, unit: bool, left: bool = True) -> ndarray | None:
    """Return X with A·X = B, or X·A = B, for stacks of matrices whose leading axes broadcast; None where a
    native kernel does not solve them.
    """
    lead, item, rows = leading((a, b), (2, 2)), b.shape[-2:], a.shape[-1]
    if rows > _WHOLE or a.dtype.char not in "fd" or a.dtype != b.dtype or not large.is_there():
        return None
    if math.prod((*lead, *item, rows)) < _WORTH_STACK:
        return None
    x = empty_columns((*lead, *item), b.dtype)
    flat = [a, b, x]
    if len(lead) > 1 or not a.shape[:-2] == b.shape[:-2] == lead:
        flat = [np.broadcast_to(v, (*lead, *v.shape[-2:])).reshape(-1, *v.shape[-2:]) for v in flat]
    if b.itemsize not in flat[1].strides[1:]:
        flat[1] = column_major(flat[1])
    if not left:
        flat, upper = [v.swapaxes(1, 2) for v in flat], not upper
    return x if large.ask("triangle", *flat, upper, unit, False) else None


def _solve_natively(a: ndarray, b: ndarray, x: ndarray, upper: bool, unit: bool, zeros: bool = False) -> bool:
    """Write X with A·X = B, which may be B, by a native kernel; return whether there is one. With `zeros` B
    is a triangle, too.
    """
    rows = len(a)
    if rows <= _WHOLE:
        return bool(large.ask("triangle", a, b, x, upper, unit, zeros))
    middle = rows // 16 * 8
    first, then = slice(middle), slice(middle, rows)
    if upper:
        first, then = then, first
    if not _solve_natively(a[first, first], b[first], x[first], upper, unit):
        return False
    np.subtract(b[then], large.multiplied(a[then, first], x[first]), out=x[then])
    return _solve_natively(a[then, then], x[then], x[then], upper, unit)


def solve_factored(lu: ndarray, pivots: ndarray, b: ndarray, adjointed: bool = False) -> ndarray:
    """Return X with A·X = B, or Aᴴ·X = B, from what `getrf` gives."""
    if not _is_solved_natively(lu, b, _WORTH_FACTORED):
        found: ndarray = lapack("getrs", lu)(lu, pivots, b, 2 if adjointed else 0)[0]
        return found
    laswp = lapack("laswp", b)
    if adjointed:
        x = solve_triangle(lu.T, solve_triangle(lu.T, b, False), True, True, over=True)
        return laswp(x, pivots, inc=-1)
    x = solve_triangle(lu, laswp(b, pivots), False, True, over=True)
    return solve_triangle(lu, x, True, over=True)


#: Rows and columns up to which a native kernel factors stacks of matrices, and elements from which it does:
#: to call LAPACK takes 4 µs for each. 1,000 matrices of 3×3 take 4.4 ms so, the kernel 0.14, 8 of 32×32
#: 139 µs and 72. What NumPy makes of factors by a call of its own, as determinants, takes less.
_PIVOTED, _WORTH_PIVOTED = 64, 1 << 8


def factor_stack(
    x: ndarray, y: ndarray | None = None
) -> tuple[ndarray, ndarray, ndarray, ndarray | None] | None:
    """Return what `getrf` gives for a stack of matrices, exchanges counted from 1, and the solutions for
    right-hand sides y; None where a native kernel does not find them, or the factors are not all finite.
    """
    if x.ndim < 3 or x.dtype.char not in "fd" or max(x.shape[-2:]) > _PIVOTED or x.size < _WORTH_PIVOTED:
        return None
    lead = x.shape[:-2]
    if not large.is_there() or (y is not None and (y.dtype != x.dtype or leading((x, y), (2, 2)) != lead)):
        return None
    lu, info, solution = column_major(x), np.empty(lead, INT32), None
    pivots = np.empty((*lead, min(x.shape[-2:])), INT32)
    if y is not None:
        solution = empty_columns((*lead, *y.shape[-2:]), y.dtype)
        solution[...] = y
    if not (large.ask("pivoted", lu, solution, pivots, info) and np.isfinite(np.add.reduce(lu, None))):
        return None
    if solution is not None:
        flat = [v.reshape(-1, *v.shape[-2:]) for v in (lu, solution, solution)]
        large.ask("triangle", *flat, False, True, False)
        large.ask("triangle", *flat, True, False, False)
    return lu, pivots, info, solution


def inverse_triangle(a: ndarray, upper: bool) -> ndarray | None:
    """Return the inverse of a triangle of a matrix, where a native kernel finds it."""
    if not _is_solved_natively(a, a, _WORTH_FACTORED):
        return None
    x = np.eye(len(a), dtype=a.dtype).T
    return x if _solve_natively(a, x, x, upper, False, True) else None


def failure(info: ndarray) -> tuple[str, int]:
    """Return the first failure's place ('(Batch element 1): ', or '' for a single matrix) and number."""
    position = int(np.flatnonzero(info)[0])
    return (f"(Batch element {position}): " if info.ndim else ""), int(info.reshape(-1)[position])


_COMPUTED = frozenset(map(np.dtype, "fdFD"))


def _no_info(x: ndarray) -> ndarray:
    return np.zeros(x.shape[:-2], INT32)
