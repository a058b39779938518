"""Scalar forms of elementwise ops: an op's own kernel, run on one element of each operand.

A kernel is made of NumPy's functions. An `Element` stands for an array before it, and asks the handler of the
loop for what NumPy is asked for (NEP 13 and NEP 18 are the protocols): a formula stands once, in the
declaration of its op. Only an op whose kernel looks at values, or calls what no handler has, says what an
element is in its field `form`; without that it has no form, and its array kernel runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...core.op import TABLE, Op
from ..emit.scalars import is_float
from .handlers import MATHEMATICS, UFUNCS, Handler, Pair
from .pairs import FORMULAS

Form = Callable[..., Any]


class Unwritten(TypeError, AttributeError):
    """A kernel does what no handler of loops has."""


def form(op: Op) -> Form:
    """Return the scalar form of an op.

    It gets the handler, the operands in the dtype in which torch computes, and the op's attributes; it raises
    `Unwritten` for an op without one.
    """
    op = TABLE[op.base]
    if op.form is not None:
        return op.form
    if isinstance(op.kernel, np.ufunc):
        return functools.partial(_asked, ufunc=op.kernel)
    return functools.partial(_written, op.kernel)


def _written(kernel: Callable[..., Any], ops: Handler, *operands: Any) -> Any:
    return run(kernel, ops, *operands, out=Element(ops, ops.constant(0, operands[0].dtype)))


def run(kernel: Callable[..., Any] | None, ops: Handler, *operands: Any, **options: Any) -> Any:
    """Run a kernel of arrays on scalars of a handler."""
    assert kernel is not None
    elements = [Element(ops, x) if hasattr(x, "dtype") else x for x in operands]
    try:
        result = kernel(*elements, **options)
    except (TypeError, AttributeError) as error:
        raise Unwritten from error
    return _scalar(ops, result, result.dtype)


class Element(NDArrayOperatorsMixin):
    """Stand for an array in a kernel, of which one element is known."""

    shape = ()
    ndim = 0
    size = 1

    def __init__(self, ops: Handler, value: Any) -> None:
        self.ops = ops
        self.value = value

    @property
    def dtype(self) -> Any:
        """Return the dtype of the element."""
        return self.value.dtype

    @property
    def itemsize(self) -> int:
        """Return bytes of the element."""
        return self.dtype.itemsize

    @property
    def real(self) -> Element:
        """Return the real part of a complex element."""
        return Element(self.ops, self.value.real)

    @real.setter
    def real(self, part: object) -> None:
        self.value = Pair(_scalar(self.ops, part, self.value.real.dtype), self.value.imag)

    @property
    def imag(self) -> Element:
        """Return the imaginary part of a complex element."""
        return Element(self.ops, self.value.imag)

    @imag.setter
    def imag(self, part: object) -> None:
        self.value = Pair(self.value.real, _scalar(self.ops, part, self.value.imag.dtype))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Element:
        """Return the element in another dtype."""
        return Element(self.ops, _cast(self.ops, self.value, np.dtype(dtype)))

    def erf(self) -> Element:
        """Return the error function, which is none of NumPy's."""
        return Element(self.ops, self.ops.function("erf", self.value))

    def copy(self) -> Element:
        """Return the element apart from this one."""
        return Element(self.ops, self.value)

    def __setitem__(self, key: object, value: object) -> None:
        if key is not Ellipsis:
            raise Unwritten
        self.value = _scalar(self.ops, value, self.dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        (out,), where = options.pop("out", (None,)), options.pop("where", True)
        if method != "__call__" or options or (out is not None and type(out) is not Element):
            raise Unwritten
        result = Element(self.ops, _asked(self.ops, *inputs, ufunc=ufunc))
        if out is None:
            return result
        _copyto(out, result, where=where)
        return out

    def __array_function__(self, function: Any, types: object, args: Any, kwargs: Any) -> Any:
        if function not in _FUNCTIONS:
            raise Unwritten
        return _FUNCTIONS[function](*args, **kwargs)

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise Unwritten

    __array__ = __bool__ = __float__ = __int__ = __index__ = __len__ = __iter__ = _refuse
    __getitem__ = __getattr__ = _refuse


def _cast(ops: Handler, x: Any, dtype: np.dtype[Any]) -> Any:
    if x.dtype is dtype:
        return x
    if dtype.kind not in "bc" and (x.dtype.kind == "c" or (is_float(x.dtype) and not is_float(dtype))):
        raise Unwritten
    return ops.cast(x, dtype)


def _scalar(ops: Handler, x: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand as the handler's scalar of a dtype."""
    if type(x) is Element:
        return _cast(ops, x.value, dtype)
    if isinstance(x, (np.ndarray, np.generic)):
        return ops.constant(x.item(), dtype)
    return _cast(ops, x, dtype) if hasattr(x, "dtype") else ops.constant(x, dtype)


def _kind(x: object) -> Any:
    """Return what NumPy promotes an operand by: its dtype, or the type of a number."""
    if (found := getattr(x, "dtype", None)) is None:
        return np.dtype(bool) if type(x) is bool else next((k for k in _NUMBERS if isinstance(x, k)), int)
    if isinstance(x, np.ndarray) and x.ndim:
        raise Unwritten
    return found


#: Python's numbers as NumPy promotes them.
_NUMBERS = (int, float, complex)


@functools.cache
def _dtypes(ufunc: np.ufunc, *kinds: Any) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of the operands and the result of NumPy's loop."""
    if ufunc.nout > 1:
        raise Unwritten
    try:
        return ufunc.resolve_dtypes((*kinds, None))
    except TypeError as error:
        raise Unwritten from error


@functools.cache
def _answer(ufunc: np.ufunc, *kinds: Any) -> tuple[tuple[np.dtype[Any], ...], np.dtype[Any], Any]:
    """Return in which dtypes a handler is given operands of some kinds, that of the result, and what gives
    it: the kinds of 61,000 irregular equations are some dozens.
    """
    *wanted, result = _dtypes(ufunc, *kinds)
    paired = wanted[0].kind == "c"
    word = None if paired else _WORDS.get(ufunc, _OF_SCIPY.get(ufunc.__name__))
    formula = (FORMULAS if paired else _FORMULAS).get(ufunc)
    if (word is None and formula is None) or (ufunc in _OF_FLOATS and not (paired or is_float(wanted[0]))):
        raise Unwritten
    if formula is not None:
        return tuple(wanted), result, formula
    return tuple(wanted), result, str(word)


def _asked(ops: Handler, *operands: Any, ufunc: np.ufunc) -> Any:
    """Ask a handler for a ufunc of operands."""
    wanted, result, how = _answer(ufunc, *map(_kind, operands))
    xs = [_scalar(ops, x, dtype) for x, dtype in zip(operands, wanted, strict=True)]
    if type(how) is not str:
        return how(ops, *xs)
    found = ops.function(how, *xs) if how in MATHEMATICS else getattr(ops, how)(*xs)
    return _cast(ops, found, result)


def asking(op: Op, kinds: Sequence[np.dtype[Any]]) -> Form | None:
    """Return an op's scalar form for real dtypes that NumPy's loop takes as they are; None for others."""
    op = TABLE[op.base]
    if op.form is not None or not isinstance(op.kernel, np.ufunc):
        return None
    wanted, result, how = _answer(op.kernel, *kinds)
    if type(how) is not str or wanted != tuple(kinds) or result.kind == "c":
        return None

    def function(ops: Handler, *xs: Any) -> Any:
        return _cast(ops, ops.function(how, *xs), result)

    def method(ops: Handler, *xs: Any) -> Any:
        return _cast(ops, getattr(ops, how)(*xs), result)

    return function if how in MATHEMATICS else method


# --- NumPy's functions, by what handlers have ---------------------------------------------------------------


def _truth(ops: Handler, x: Any) -> Any:
    return ops.ne(x, ops.constant(0, x.dtype))


def _sign(ops: Handler, x: Any) -> Any:
    zero = ops.constant(0, x.dtype)
    above = ops.select(ops.gt(x, zero), ops.constant(1, x.dtype), ops.select(ops.eq(x, x), zero, x))
    return ops.select(ops.lt(x, zero), ops.constant(-1, x.dtype), above)


def _number(ops: Handler, x: Any, y: Any, order: str) -> Any:
    """Return the one of two that comes first in an order, or the one that is a number."""
    found = ops.select(getattr(ops, order)(x, y), y, x)
    return ops.select(ops.ne(x, x), y, found) if is_float(x.dtype) else found


def added_in_logs(ops: Handler, x: Any, y: Any) -> Any:
    """Return log(exp(x) + exp(y)), from the larger; of equal ones, as infinities, without a difference."""
    apart = ops.select(ops.eq(x, y), ops.constant(0, x.dtype), ops.neg(ops.abs(ops.sub(x, y))))
    return ops.add(ops.maximum(x, y), ops.function("log1p", ops.function("exp", apart)))


def _rest(ops: Handler, x: Any, y: Any) -> Any:
    """Return what is left of x by y, of the sign of y."""
    zero, left = ops.constant(0, x.dtype), ops.function("fmod", x, y)
    other = ops.ne(ops.lt(y, zero), ops.lt(left, zero))
    moved = ops.select(other, ops.add(left, y), left)
    return ops.select(ops.eq(left, zero), ops.copysign(zero, y), moved)


def _floor_divide(ops: Handler, x: Any, y: object) -> Any:
    """Return the whole quotient below x / y as NumPy and torch have it: by what is left."""
    zero, half, one = (ops.constant(k, x.dtype) for k in (0, 0.5, 1))
    left, true = ops.function("fmod", x, y), ops.div(x, y)
    quotient = ops.div(ops.sub(x, left), y)
    below = ops.and_(ops.ne(left, zero), ops.ne(ops.lt(y, zero), ops.lt(left, zero)))
    quotient = ops.select(below, ops.sub(quotient, one), quotient)
    whole = ops.floor(quotient)
    whole = ops.select(ops.gt(ops.sub(quotient, whole), half), ops.add(whole, one), whole)
    whole = ops.select(ops.eq(quotient, zero), ops.copysign(zero, true), whole)
    return ops.select(ops.eq(y, zero), true, whole)


#: Of whole numbers these are not what NumPy has.
_APART = ("floordiv", "rem", "shl", "shr")
_WORDS = {ufunc: word for word, ufunc in UFUNCS.items() if word not in _APART}
_FORMULAS: dict[np.ufunc, Callable[..., Any]] = {
    np.floor_divide: _floor_divide,
    np.fmax: functools.partial(_number, order="lt"),
    np.fmin: functools.partial(_number, order="gt"),
    np.isfinite: lambda ops, x: ops.lt(ops.abs(x), ops.constant(inf, x.dtype)),
    np.isinf: lambda ops, x: ops.eq(ops.abs(x), ops.constant(inf, x.dtype)),
    np.isnan: lambda ops, x: ops.ne(x, x),
    np.logaddexp: added_in_logs,
    np.logical_and: lambda ops, x, y: ops.and_(_truth(ops, x), _truth(ops, y)),
    np.logical_not: lambda ops, x: ops.eq(x, ops.constant(0, x.dtype)),
    np.logical_or: lambda ops, x, y: ops.or_(_truth(ops, x), _truth(ops, y)),
    np.logical_xor: lambda ops, x, y: ops.xor(_truth(ops, x), _truth(ops, y)),
    np.positive: lambda ops, x: x,
    np.reciprocal: lambda ops, x: ops.div(ops.constant(1, x.dtype), x),
    np.remainder: _rest,
    np.sign: _sign,
    np.signbit: lambda ops, x: ops.lt(ops.copysign(ops.constant(1, x.dtype), x), ops.constant(0, x.dtype)),
    np.square: lambda ops, x: ops.mul(x, x),
}
#: By the names of SciPy's functions, which are not imported for this.
_OF_SCIPY = {"gammaln": "lgamma", "psi": "digamma"}
#: What handlers have of floating numbers only.
_OF_FLOATS = {
    np.copysign, np.divide, np.floor_divide, np.isfinite, np.isinf, np.reciprocal, np.remainder, np.signbit,
} | {
    ufunc for ufunc, word in _WORDS.items() if word in MATHEMATICS
}


def _where(condition: object, x: object, y: object) -> Any:
    ops = next(v.ops for v in (condition, x, y) if type(v) is Element)
    dtype = np.result_type(*(k(0) if isinstance(k, type) else k for k in map(_kind, (x, y))))
    chosen = (_scalar(ops, v, kind) for v, kind in ((condition, np.dtype(bool)), (x, dtype), (y, dtype)))
    return Element(ops, ops.select(*chosen))


def _copyto(target: object, source: object, casting: str = "same_kind", where: object = True) -> None:
    if type(target) is not Element:
        raise Unwritten
    ops, new = target.ops, _scalar(target.ops, source, target.dtype)
    if where is not True:
        new = ops.select(_scalar(ops, where, np.dtype(bool)), new, target.value)
    target.value = new


def _empty(x: Any, dtype: Any = None, **_: Any) -> Element:
    return Element(x.ops, x.ops.constant(0, np.dtype(dtype or x.dtype)))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.copyto: _copyto,
    np.empty_like: _empty,
    np.may_share_memory: lambda x, y: x is y,
    np.polyval: lambda factors, x: functools.reduce(lambda y, c: y * x + c, factors.tolist()),
    np.result_type: lambda *xs: np.result_type(*(getattr(x, "dtype", x) for x in xs)),
    np.shape: lambda x: x.shape,
    np.where: _where,
    np.zeros_like: _empty,
}
