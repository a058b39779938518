"""Do what SciPy's functions around LAPACK do, by the routines that these call, and note them.

A routine's address stands in SciPy's function (`_cpointer`), and each of its arguments is an address. So
native code can call it on the memory of a recording: of the 9 µs that `lu_factor` of 8×8 numbers took, 7 were
Python's.
"""

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy import ndarray

from .. import lapack
from ..blas import SCIPY
from .arrays import Recorded, plain_of
from .recorder import Recorder
from .steps import BY_VALUE, OPERANDS, ROUTINE_ARGUMENTS, STEPS, Operand, Routine, Step, Unrecorded

_INT32 = lapack.INT32


@lru_cache(maxsize=1)
def _takes_int32() -> bool:
    """Return whether SciPy's LAPACK reads and writes integers of 32 bits, and 64 hold them at their begin."""
    pivots = lapack.routine("getrf", np.dtype(np.float64))(np.ones((1, 1)))[1]
    return sys.byteorder == "little" and bool(pivots.dtype == _INT32)


@lru_cache(maxsize=64)
def _found(function: Any) -> tuple[Routine, Callable[..., Any]]:
    """Return the routine that one of SciPy's functions calls, and what calls it with addresses."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    at = pointer(function._cpointer, None)
    return Routine(at), ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * ROUTINE_ARGUMENTS)(at)


class _Call:
    """A call of a routine, which is noted."""

    def __init__(self, recorder: Recorder, function: Any, dtype: np.dtype[Any]) -> None:
        self._recorder, self.dtype = recorder, dtype
        self._routine, self._run = _found(function)

    def new(self, shape: tuple[int, ...], dtype: Any = None) -> Any:
        """Return an array for a result, a matrix with contiguous columns."""
        return self._recorder.own(np.empty(shape, self.dtype if dtype is None else dtype, order="F"))

    def copied(self, x: Any) -> Any:
        """Return a copy of a matrix with contiguous columns."""
        own = self.new(x.shape)
        self._recorder.copy_to(own, x)
        return own

    def clear(self, x: Any, where: ndarray) -> None:
        """Set elements to 0."""
        self._recorder.copy_to(x, self.dtype.type(0), where=where)

    def do(self, *args: Any, out: Sequence[Any]) -> None:
        """Call it with letters, numbers and arrays, of which it writes those that are `out`."""
        recorder, outs = self._recorder, [*map(plain_of, out)]
        given = [plain_of(v) if isinstance(v, ndarray) else v for v in args]
        arrays = [v for v in given if isinstance(v, ndarray) and not any(v is o for o in out)]
        read = [v for v in map(recorder.find, arrays) if v is not None]
        memories = dict.fromkeys(memory for memory, _ in read)
        written = dict.fromkeys(recorder.place(v)[0] for v in outs)
        order = [*(m for m in memories if m not in written), *written]
        words, places, kept = [], [], []
        for value in given:
            if isinstance(value, ndarray):
                if (found := recorder.find(value)) is None:
                    raise Unrecorded("an operand that nothing leads to")
                place, word = order.index(found[0]), found[1]
            else:
                place, word = -1, ord(value) if type(value) is str else value
                value = np.array(word)
            words.append(word)
            places.append(place)
            kept.append(value)
        # Fortran adds the lengths of letters, each 1.
        missing = ROUTINE_ARGUMENTS - len(words)
        self._run(*[value.ctypes.data for value in kept], *(1,) * missing)
        operands = tuple([Operand(memory, 0, ()) for memory in order])
        sizes, steps = (*words, *(1,) * missing), (*places, *(BY_VALUE,) * missing)
        if len(recorder.steps) >= STEPS or len(operands) > OPERANDS:
            raise Unrecorded("too many steps or operands")
        recorder.steps.append(Step(self._routine, (), (), sizes, steps, operands, len(written)))


def _columns(x: Any) -> bool:
    return bool(x.flags.f_contiguous)


def _potrf(call: _Call, a: Any, lower: int = 0) -> Any:
    factor, info, size = call.copied(a), call.new((), _INT32), len(a)
    call.do("L" if lower else "U", size, factor, size, info, out=(factor, info))
    kept = np.tri(size, dtype=bool)
    call.clear(factor, ~kept if lower else ~kept.T)
    return factor, info


def _getrf(call: _Call, a: Any) -> Any:
    rows, columns = a.shape
    lu, pivots, info = call.copied(a), call.new((min(a.shape),), _INT32), call.new((), _INT32)
    call.do(rows, columns, lu, rows, pivots, info, out=(lu, pivots, info))
    return lu, pivots - 1, info


def _trf(call: _Call, a: Any, lower: int = 0, lwork: int = 1) -> Any:
    """Factor a symmetric or Hermitian matrix."""
    size = len(a)
    factor, pivots, info = call.copied(a), call.new((size,), _INT32), call.new((), _INT32)
    work = call.new((lwork,))
    letter = "L" if lower else "U"
    call.do(letter, size, factor, size, pivots, work, lwork, info, out=(factor, pivots, info, work))
    return factor, pivots, info


def _geqrf(call: _Call, a: Any) -> Any:
    rows, columns = a.shape
    qr, tau, info = call.copied(a), call.new((min(a.shape),)), call.new((), _INT32)
    work = call.new((length := max(3 * columns, 1),))
    call.do(rows, columns, qr, rows, tau, work, length, info, out=(qr, tau, info, work))
    return qr, tau, work, info


def _gqr(call: _Call, a: Any, tau: Any) -> Any:
    """Multiply reflectors."""
    rows, columns = a.shape
    q, tau, info = call.copied(a), call.copied(tau), call.new((), _INT32)
    work = call.new((length := max(3 * columns, 1),))
    call.do(rows, columns, len(tau), q, rows, tau, work, length, info, out=(q, work, info))
    return q, work, info


def _gesdd(
    call: _Call, a: Any, compute_uv: int = 1, full_matrices: int = 1, lwork: int | None = None
) -> Any:  # fmt: skip
    if call.dtype.kind == "c":
        raise Unrecorded("gesdd of complex numbers, which takes more room")
    rows, columns = a.shape
    least, most = min(a.shape), max(a.shape)
    if lwork is None:
        lwork = 4 * least * least + most + 9 * least if compute_uv else 14 * least + most + 704
    # There are few operands: what is no result lies in one.
    block = call.new((a.size + lwork + 8 * least + 1,))
    copy = block[: a.size].reshape(a.shape, order="F")
    copy[...] = a
    work, rest = block[a.size : a.size + lwork], block[a.size + lwork :].view(_INT32)
    whole, info = rest[: 8 * least], rest[8 * least : 8 * least + 1]
    s = call.new((least,))
    full = compute_uv and full_matrices
    u = call.new((rows, rows if full else least) if compute_uv else (1, 1))
    vt = call.new((columns if full else least, columns) if compute_uv else (1, 1))
    letter = ("A" if full else "S") if compute_uv else "N"
    sides = (u, len(u), vt, len(vt))
    call.do(letter, rows, columns, copy, rows, s, *sides, work, lwork, whole, info, out=(s, u, vt, block))
    return u, s, vt, info.reshape(())


def _trsm(
    call: _Call, alpha: float, a: Any, b: Any, side: int = 0, lower: int = 0, trans_a: int = 0, diag: int = 0,
    overwrite_b: int = 0,
) -> Any:  # fmt: skip
    x = b if overwrite_b and _columns(b) else call.copied(b)
    a = a if _columns(a) else call.copied(a)
    factor = call.copied(np.asarray(alpha, call.dtype))
    letters = "LR"[side], "UL"[lower], "NTC"[trans_a], "NU"[diag]
    call.do(*letters, *x.shape, factor, a, len(a), x, len(x), out=(x,))
    return x


def _laswp(call: _Call, a: Any, piv: Any) -> Any:
    rows, columns = a.shape
    x, pivots = call.copied(a), piv + 1
    call.do(columns, x, rows, 1, len(pivots), pivots, 1, out=(x,))
    return x


#: What is told of routines, without their first letters.
_TOLD: dict[str, Callable[..., Any]] = {
    "potrf": _potrf, "getrf": _getrf, "sytrf": _trf, "hetrf": _trf, "geqrf": _geqrf, "orgqr": _gqr,
    "ungqr": _gqr, "gesdd": _gesdd, "trsm": _trsm, "laswp": _laswp,
}  # fmt: skip


def told_routine(
    recorder: Recorder, usual: Callable[..., Any], name: str, dtype: np.dtype[Any]
) -> Callable[..., Any]:
    """Return what stands for one of SciPy's functions while calls are recorded."""
    function = usual(name, dtype)

    def call(*args: Any, **named: Any) -> Any:
        if recorder.is_over or Recorded not in map(type, args):
            return function(*args, **named)
        if name not in _TOLD or SCIPY.is_held() or not _takes_int32():
            raise Unrecorded(f"a routine that is called in another way: {name}")
        return _TOLD[name](_Call(recorder, function, dtype), *args, **named)

    return call



