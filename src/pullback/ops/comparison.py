"""Comparisons, logic and bits: results without gradients; and `where`, which chooses by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import activations, dtypes
from ..array.elementwise import WORTH_BLOCKS
from ..array.numbers import scalar_like
from ..core.op import Call, Term, elementwise, of
from ..core.promotion import check_broadcast, common_dtype, promoted, unsupported
from ..core.value import TensorBase, Value
from .kernels import into, is_ordered, refuse
from .signatures import ANY, EITHER_NUMBER, INTEGERS, REAL, WHOLE


def _compared(
    name: str, kernel: np.ufunc, relation: str, *aliases: str, takes: str = ANY, **fields: Any
) -> Call:
    """Declare a comparison, and what it writes in place: ones and zeros in the first input's dtype, which
    carry a zero gradient; torch's node tells a number from a tensor.
    """

    def written(input: Term, other: Term) -> Term:
        return twins[isinstance(other, TensorBase)].op.public(input, other)

    nan = kernel is np.not_equal
    call = elementwise(
        name, kernel, None, None, summary=f"Return where ``{relation}``: {nan} where one is nan.",
        takes=takes, names=(name, *aliases), inplace=written, **fields,
    )
    first = of(call)

    def in_place(x: ndarray, y: object, /, out: object = ...) -> ndarray:
        operands = promoted((x, y), "same")
        first.refuse(operands[0].dtype)
        return into(out, np.asarray(first.kernel(*operands), x.dtype))

    twins = tuple([
        elementwise(
            f"{name}_{kind}", in_place, lambda g: zeros_of(g), rule_y, promote=None, halves=False,
            check=first.check, node_name=f"{name.capitalize()}Backward{number}", base=name,
        )
        for number, (kind, rule_y) in enumerate((("number", None), ("tensor", lambda g: zeros_of(g))))
    ])
    return call


def _ordered(name: str, kernel: np.ufunc, relation: str, alias: str) -> Call:
    def check(x: Term, y: Term) -> None:
        """Refuse complex numbers, which have no order."""
        if not is_ordered(common := common_dtype([x, y])):
            check_broadcast([x, y])
            raise unsupported(f"{name}_cpu", (), common)

    check.takes = is_ordered  # type: ignore[attr-defined]  # see `Op`
    return _compared(name, kernel, relation, alias, takes=REAL, check=check)


eq = _compared("eq", np.equal, "input = other", float8=True)
ne = _compared("ne", np.not_equal, "input ≠ other", "not_equal", float8=True)
lt = _ordered("lt", np.less, "input < other", "less")
le = _ordered("le", np.less_equal, "input ≤ other", "less_equal")
gt = _ordered("gt", np.greater, "input > other", "greater")
ge = _ordered("ge", np.greater_equal, "input ≥ other", "greater_equal")



def _question(name: str, kernel: Any, summary: str, **fields: Any) -> Call:
    """Declare a question about each element, which has no in-place variant."""
    return elementwise(name, kernel, None, promote=None, inplace=False, summary=summary, **fields)


isnan = _question("isnan", np.isnan, "Return where the elements are nan; of a complex one either part.",
                  takes=ANY, float8=True)
isfinite = _question("isfinite", np.isfinite, "Return where the elements are neither nan nor infinite.",
                     takes=ANY, float8=True)
isinf = _question("isinf", np.isinf, "Return where the elements are ∞ or −∞; of a complex one either part.",
                  takes=ANY, float8=True)


def _no_sign(x: ndarray) -> None:
    if x.dtype.kind in "cW":
        raise NotImplementedError("signbit is not implemented for complex tensors.")


signbit = _question(
    "signbit",
    lambda x, /, out=...: np.signbit(x, out=out) if x.dtype.kind in "fV" else np.less(x, 0, out=out),
    "Return where the sign is negative, that of −0 and of nan included.", takes=REAL, check=_no_sign,
)


def _logical(name: str, kernel: np.ufunc, summary: str) -> Call:
    return elementwise(name, kernel, None, None, numbers=False, summary=summary, takes=ANY)


logical_and = _logical("logical_and", np.logical_and, "Return where both elements are other than 0.")
logical_or = _logical("logical_or", np.logical_or, "Return where at least one element is other than 0.")
logical_xor = _logical("logical_xor", np.logical_xor, "Return where exactly one element is other than 0.")
logical_not = elementwise("logical_not", np.logical_not, None, promote=None,
                          summary="Return where the elements are 0.", takes=ANY)


def _bitwise(name: str, kernel: np.ufunc, torch_kernel: str, kinds: str, summary: str) -> Call:
    return elementwise(
        name, kernel, None, None, check=refuse(torch_kernel, kinds, halves=True), summary=summary,
        takes=INTEGERS if "b" in kinds else WHOLE, signatures=EITHER_NUMBER,
    )


bitwise_and = _bitwise("bitwise_and", np.bitwise_and, "bitwise_and_cpu", "fc",
                       "Return the bits that both elements have.")
bitwise_or = _bitwise("bitwise_or", np.bitwise_or, "bitwise_or_cpu", "fc",
                      "Return the bits that at least one element has.")
bitwise_xor = _bitwise("bitwise_xor", np.bitwise_xor, "bitwise_xor_cpu", "fc",
                       "Return the bits that exactly one element has.")
bitwise_not = elementwise(
    "bitwise_not", np.invert, None, promote=None, check=refuse("bitwise_not_cpu", "fc", halves=True),
    summary="Return each element with every bit turned; of bool the other value.", takes=WHOLE,
)
bitwise_left_shift = _bitwise("bitwise_left_shift", np.left_shift, "lshift_cpu", "bfc",
                              "Return ``input · 2^other``: the bits moved up.")
bitwise_right_shift = _bitwise("bitwise_right_shift", np.right_shift, "rshift_cpu", "bfc",
                               "Return ``⌊input / 2^other⌋``: the bits moved down.")


_BITS = {np.dtype(np.float32): np.dtype(np.int32), np.dtype(np.float64): np.dtype(np.int64)}

#: Elements from which one mask of bits beats branches.
_WORTH_MASK = 1024


def _is_zero(v: Any) -> bool:
    return type(v) in (int, float) and v == 0 and math.copysign(1.0, v) > 0


def _masked(condition: Term, x: Term, keep: bool) -> ndarray | None:
    """Return x where the condition is `keep`, else 0, by a mask of bits; None where that is not possible.

    `np.where` branches on each element: 301,056 random float32 take it 1,277 µs, the mask 53 µs.
    """
    if not (isinstance(x, ndarray) and isinstance(condition, ndarray) and condition.dtype.kind == "b"):
        return None
    if x.shape != condition.shape or x.size < _WORTH_MASK or x.dtype not in _BITS:
        return None
    if x.size >= WORTH_BLOCKS:
        return activations.masked(condition, x, keep)
    bits = _BITS[x.dtype]
    flags = condition.view(np.int8)
    mask = (np.negative(flags) if keep else np.subtract(flags, np.int8(1))).astype(bits)  # type: ignore[call-overload]  # NumPy's stubs are narrower than NumPy
    return np.bitwise_and(x.view(bits), mask, out=mask).view(x.dtype)  # type: ignore[call-overload]  # NumPy's stubs are narrower than NumPy


def chosen(condition: ndarray, x: ndarray, y: ndarray) -> ndarray:
    """Return `np.where` of two arrays of one dtype, by masks of bits where they are large."""
    few = activations.WORTH_BITS
    if condition.dtype.kind == "b" and (condition.size >= few or x.size >= few or y.size >= few):
        return activations.where(condition, x, y)
    return np.where(condition, x, y)


def _where(condition: ndarray, x: Any, y: Any, /, out: Any = ...) -> ndarray:
    if out is ... and type(x) is type(y) is ndarray and x.dtype == y.dtype:
        return np.asarray(chosen(condition, x, y))
    if out is ...:
        if type(x) is ndarray:
            if x.size < _WORTH_MASK and (scalar := scalar_like(x, y)) is not None:
                return np.where(condition, x, scalar)
        elif type(y) is ndarray and y.size < _WORTH_MASK and (scalar := scalar_like(y, x)) is not None:
            return np.where(condition, scalar, y)
        masked = (
            _masked(condition, x, True)
            if _is_zero(y)
            else _masked(condition, y, False) if _is_zero(x) else None
        )
        if masked is not None:
            return masked
        # What is found out below, known at once: floats with a number.
        given, other = (x, y) if type(x) is ndarray else (y, x)
        kind = type(other)
        if (kind is float or kind is int) and type(given) is ndarray and given.ndim and given.dtype in _BITS:
            number = np.array(other, given.dtype)
            return chosen(condition, x, number) if given is x else chosen(condition, number, y)
    # Rules on 0-d arrays end in NumPy's scalars, which have a dtype where Python's numbers have none.
    x, y = (np.asarray(v) if isinstance(v, np.generic) else v for v in (x, y))
    common = dtypes.result_numpy_dtype([x, y])
    x = x if isinstance(x, ndarray) and x.dtype == common else np.asarray(x).astype(common)
    y = y if isinstance(y, ndarray) and y.dtype == common else np.asarray(y).astype(common)
    return into(out, chosen(condition, x, y))


#: Elements of y where the condition x holds, else of z.
where: Call = elementwise(
    "where", _where, None, lambda g, x: where(x, g, 0), lambda g, x: where(x, 0, g), promote=None,
    halves=False, real=True, form=lambda ops, condition, x, y: ops.select(condition, x, y),
)


def _zero(x: ndarray, /, out: Any = ...) -> ndarray:
    if out is not ...:
        out[...] = 0
        return out
    return np.zeros_like(x)


#: Zeros in the shape and dtype of a value: the derivative of what is constant almost everywhere.
zeros_of = elementwise("zeros_of", _zero, None, promote=None, halves=False)

#: The comparisons of values that users never hold; rules use them.
def _near(a: ndarray, b: ndarray, /, rtol: float, atol: float, equal_nan: bool, out: object = ...) -> ndarray:
    close = np.equal(a, b, out=...)
    if equal_nan and a.dtype.kind in "fcV":
        close = np.logical_or(close, np.isnan(a) & np.isnan(b), out=...)
    if rtol == 0 and atol == 0:
        return close
    gap = np.abs(a - b)
    return np.logical_or(close, np.isfinite(gap) & (gap <= atol + np.abs(rtol * b)), out=...)


#: ``|x − y| ≤ atol + rtol·|y|``; equal infinities are near, and nans with `equal_nan`.
near = elementwise(
    "isclose", _near, None, None, promote=None, halves=False, attrs=("rtol", "atol", "equal_nan")
)


_OPERATORS: dict[str, Any] = {
    "__gt__": lambda self, other: gt(self, other),
    "__ge__": lambda self, other: ge(self, other),
    "__lt__": lambda self, other: lt(self, other),
    "__le__": lambda self, other: le(self, other),
    "__and__": lambda self, other: bitwise_and(self, other),
    "__or__": lambda self, other: bitwise_or(self, other),
    "__invert__": lambda self: logical_not(self),
}
for _name, _function in _OPERATORS.items():
    setattr(Value, _name, _function)
