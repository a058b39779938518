"""Complex scalars in loops: compute with pairs of real ones as NumPy computes with complex numbers.

`Pairs` is a handler over another one: it knows complex dtypes, for which that one has none. What NumPy's
functions are of pairs stands in `FORMULAS`, so that the kernel of an elementwise op serves complex values as
it serves real ones (see `elementwise`).
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from .handlers import PARTS, Handler, Pair
from .index import Indices
from .lowered import Lowered

if TYPE_CHECKING:
    from .butterflies import Arithmetic


class Pairs:
    """Handle scalars of which some are pairs, whose parts `ops` computes with."""

    def __init__(self, ops: Handler) -> None:
        self.ops = ops

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ops, name)

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Any:
        """Return a number of a dtype."""
        if (part := PARTS.get(dtype)) is None:
            return self.ops.constant(value, dtype)
        value = complex(value)
        return Pair(self.ops.constant(value.real, part), self.ops.constant(value.imag, part))

    def cast(self, x: Any, dtype: np.dtype[Any]) -> Any:
        """Return a scalar in another dtype; of a pair that is to be real, the real part."""
        if (part := PARTS.get(dtype)) is None:
            return self.ops.cast(x.real if isinstance(x, Pair) else x, dtype)
        if isinstance(x, Pair):
            return Pair(self.ops.cast(x.real, part), self.ops.cast(x.imag, part))
        return Pair(self.ops.cast(x, part), self.ops.constant(0, part))

    def select(self, condition: Any, x: Any, y: Any) -> Any:
        """Return one of two scalars of a dtype, by a bool."""
        if not isinstance(x, Pair):
            return self.ops.select(condition, x, y)
        return Pair(self.ops.select(condition, x.real, y.real), self.ops.select(condition, x.imag, y.imag))

    def pair(self, real: object, imag: object) -> Pair:
        """Return the complex scalar of two parts."""
        return Pair(real, imag)


def product(ops: Arithmetic, x: Pair, y: Pair) -> Pair:
    """Return the product of two pairs."""
    return Pair(
        ops.sub(ops.mul(x.real, y.real), ops.mul(x.imag, y.imag)),
        ops.add(ops.mul(x.real, y.imag), ops.mul(x.imag, y.real)),
    )


def _quotient(ops: Handler, x: Pair, y: Pair) -> Pair:
    """Divide as NumPy does: Smith 1962, "Algorithm 116: Complex division"."""
    part = x.real.dtype
    a, b = ops.abs(y.real), ops.abs(y.imag)
    by_real = ops.ge(a, b)
    zero, one = ops.constant(0, part), ops.constant(1, part)
    ratio = ops.select(by_real, ops.div(y.imag, y.real), ops.div(y.real, y.imag))
    large, small = ops.select(by_real, y.real, y.imag), ops.select(by_real, y.imag, y.real)
    scale = ops.div(one, ops.add(large, ops.mul(small, ratio)))
    real = ops.select(
        by_real, ops.add(x.real, ops.mul(x.imag, ratio)), ops.add(ops.mul(x.real, ratio), x.imag)
    )
    imag = ops.select(
        by_real, ops.sub(x.imag, ops.mul(x.real, ratio)), ops.sub(ops.mul(x.imag, ratio), x.real)
    )
    nothing = ops.and_(ops.eq(a, zero), ops.eq(b, zero))
    return Pair(
        ops.select(nothing, ops.div(x.real, a), ops.mul(real, scale)),
        ops.select(nothing, ops.div(x.imag, a), ops.mul(imag, scale)),
    )


def _sign(ops: Handler, x: Pair) -> Pair:
    """Return x/|x|, 0 at 0; of an infinite part its sign, and nan where both are infinite."""
    part = x.real.dtype
    size = ops.function("hypot", x.real, x.imag)
    zero, infinite = ops.constant(0, part), ops.constant(inf, part)
    none, beyond = ops.eq(size, zero), ops.eq(size, infinite)
    parts = []
    for own, other in ((x.real, x.imag), (x.imag, x.real)):
        own_infinite = ops.eq(ops.abs(own), infinite)
        both = ops.and_(own_infinite, ops.eq(ops.abs(other), infinite))
        sign = ops.copysign(ops.constant(1, part), own)
        far = ops.select(both, ops.constant(nan, part), ops.select(own_infinite, sign, zero))
        near = ops.select(none, zero, ops.div(own, size))
        parts.append(ops.select(beyond, far, near))
    return Pair(*parts)


def _of_parts(word: str) -> Callable[..., Pair]:
    def formula(ops: Handler, *xs: Pair) -> Pair:
        operation = getattr(ops, word)
        return Pair(operation(*(x.real for x in xs)), operation(*(x.imag for x in xs)))

    return formula


def _exponential(ops: Handler, x: Pair) -> Pair:
    """Return the exponential as C's standard has it, for parts that are infinite or too large alone."""
    dtype = x.real.dtype
    zero, one, infinite = (ops.constant(value, dtype) for value in (0, 1, inf))
    beyond = 80 if dtype == np.float32 else 700
    is_large = ops.gt(x.real, ops.constant(beyond, dtype))
    size = ops.function("exp", ops.sub(x.real, ops.select(is_large, ops.constant(beyond, dtype), zero)))
    scale = ops.select(is_large, ops.constant(exp(beyond), dtype), one)
    parts = []
    for word, far in (("cos", ops.eq(ops.abs(x.real), infinite)), ("sin", ops.eq(x.real, ops.neg(infinite)))):
        turn = ops.function(word, x.imag)
        turn = ops.select(ops.and_(far, ops.ne(turn, turn)), one, turn)
        parts.append(ops.mul(ops.mul(size, turn), scale))
    return Pair(parts[0], ops.select(ops.eq(x.imag, zero), x.imag, parts[1]))


#: What NumPy's functions are of pairs; some results are real.
FORMULAS: dict[np.ufunc, Callable[..., Any]] = {
    np.absolute: lambda ops, x: ops.function("hypot", x.real, x.imag),
    np.add: _of_parts("add"),
    np.conjugate: lambda ops, x: Pair(x.real, ops.neg(x.imag)),
    np.divide: _quotient,
    np.exp: _exponential,
    np.equal: lambda ops, x, y: ops.and_(ops.eq(x.real, y.real), ops.eq(x.imag, y.imag)),
    np.multiply: product,
    np.negative: _of_parts("neg"),
    np.not_equal: lambda ops, x, y: ops.or_(ops.ne(x.real, y.real), ops.ne(x.imag, y.imag)),
    np.positive: lambda ops, x: x,
    np.sign: _sign,
    np.square: lambda ops, x: product(ops, x, x),
    np.subtract: _of_parts("sub"),
}


def part(x: Lowered, name: str) -> Lowered:
    """Return the real or the imaginary part of a value."""
    if x.dtype in PARTS:
        return Lowered(
            x.shape, PARTS[x.dtype], lambda ops, indices: getattr(x.at(ops, indices), name), cost=x.cost
        )
    if name == "real":
        return x
    return Lowered(x.shape, x.dtype, lambda ops, indices: ops.constant(0, x.dtype), cost=0)


def joined(real: Lowered, imag: Lowered, dtype: np.dtype[Any]) -> Lowered:
    """Return the complex value of two parts."""

    def body(ops: Handler, indices: Indices) -> Pair:
        return Pair(real.at(ops, indices), imag.at(ops, indices))

    return Lowered(real.shape, dtype, body, cost=real.cost + imag.cost)
