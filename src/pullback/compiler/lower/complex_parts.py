"""Complex values in loops: pairs of real scalars, which lie beside each other in memory.

A body of a complex value gives a `Pair`. Ops that are linear with real factors, and move or add elements, are
lowered for the real and the imaginary parts apart; what goes element by element has a form of pairs here,
which computes as NumPy does. Everything else is left to the array kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan, prod
from typing import Any

import numpy as np

from ...core.op import Op
from ..emit.emitter import TYPES
from . import views
from .context import Context, broadcast
from .handlers import PARTS, Pair
from .index import Indices, constant, linear, strides_of
from .lowered import Lowered, Shape

Results = Sequence[tuple[Shape, np.dtype[Any]]]

#: Ops whose rule serves both parts.
_APART = frozenset({
    "cat", "constant_pad_nd", "gather", "index_select", "mean", "mean_all", "pad_adjoint", "reflection_pad1d",
    "reflection_pad2d", "reflection_pad3d", "replication_pad1d", "replication_pad2d", "replication_pad3d",
    "roll", "select_backward", "slice_backward", "stack", "sum", "sum_all", "tril", "triu", "unfold_backward",
    "zero_inplace",
})  # fmt: skip

#: Of these, those that may join real values with complex ones.
_JOINING = ("cat", "stack")


def concern(operands: Sequence[Any], results: Results) -> bool:
    """Return whether complex values are among operands or results."""
    return any(isinstance(o, Lowered) and o.dtype in PARTS for o in operands) or any(
        dtype in PARTS for _, dtype in results
    )


def lowered(
    context: Context, op: Op, operands: list[Any], attrs: tuple[Any, ...], results: Results,
    rules: Mapping[str, Callable[..., Any]],
) -> list[Lowered] | None:  # fmt: skip
    """Lower an op; None where its array kernel is to run."""
    given = [o for o in operands if isinstance(o, Lowered)]
    if any(0 in shape for shape, _ in results) or any(0 in o.shape for o in given):
        return None
    every = (*(o.dtype for o in given), *(dtype for _, dtype in results))
    if any(dtype not in PARTS and dtype not in TYPES for dtype in every):
        return None
    if op.name in _OF_VIEWS:
        return [_OF_VIEWS[op.name](context, operands[0], results[0][0])]
    if op.kind == "view" or op.name in views.SPLITS:
        return views.viewed(op, operands[0], attrs)
    context.results = results
    if op.name in views.LOWERINGS:
        return [views.LOWERINGS[op.name](context, *operands, *attrs)]
    if op.name == "constant_pad_nd" and attrs[1] != 0:
        return None
    if op.name == "cast":
        return _cast(context, operands[0], *results[0])
    if op.name in _APART:
        if op.name in _JOINING:
            operands = [_with_zeros(o) if isinstance(o, Lowered) else o for o in operands]
        return _apart(context, rules[op.name], operands, attrs, results)
    form = _FORMS.get(op.name)
    if form is None or None in operands:
        return None
    shape, dtype = results[0]
    part = PARTS.get(dtype, dtype)
    # What many elements share is computed once.
    shared = [
        context.stored(o) if isinstance(o, Lowered) and o.cost > 1 and 8 * prod(o.shape) <= prod(shape) else o
        for o in operands
    ]
    bodies = [broadcast(o, shape) if isinstance(o, Lowered) else None for o in shared]

    def body(ops: Any, indices: Indices) -> Any:
        pairs = [
            _pair_of(ops, b(ops, indices), part) if b is not None else _number(ops, o, part)
            for b, o in zip(bodies, shared, strict=True)
        ]
        return form(ops, part, *pairs, *attrs)

    return [context.map(shape, dtype, body)]


def _pair_of(ops: Any, x: Any, part: np.dtype[Any]) -> Pair:
    if isinstance(x, Pair):
        return Pair(ops.cast(x.real, part), ops.cast(x.imag, part))
    return Pair(ops.cast(x, part), ops.constant(0, part))


def _number(ops: Any, value: Any, part: np.dtype[Any]) -> Pair:
    value = complex(value)
    return Pair(ops.constant(value.real, part), ops.constant(value.imag, part))


def _apart(
    context: Context, rule: Callable[..., Any], operands: list[Any], attrs: tuple[Any, ...], results: Results
) -> list[Lowered] | None:
    """Lower an op for the real parts and for the imaginary ones."""
    shape, dtype = results[0]
    found = []
    for name in Pair._fields:
        context.results = [(shape, PARTS[dtype])]
        parts = [
            _part(o, name) if isinstance(o, Lowered) and o.dtype in PARTS else o for o in operands
        ]
        made: Lowered | None = rule(context, *parts, *attrs)
        if made is None:
            return None
        found.append(made)
    real, imag = found
    return [joined(real, imag, dtype)]


def _with_zeros(x: Lowered) -> Lowered:
    """Return a value whose imaginary part is zero, where it has none."""
    complex_of = {part: whole for whole, part in PARTS.items()}
    if x.dtype not in complex_of:
        return x
    part = x.dtype
    return Lowered(
        x.shape, complex_of[part], lambda ops, indices: _pair_of(ops, x.at(ops, indices), part), cost=x.cost
    )


def _part(x: Lowered, name: str) -> Lowered:
    return Lowered(
        x.shape, PARTS[x.dtype], lambda ops, indices: getattr(x.at(ops, indices), name), cost=x.cost
    )


def joined(real: Lowered, imag: Lowered, dtype: np.dtype[Any]) -> Lowered:
    """Return the complex value of two parts."""

    def body(ops: Any, indices: Indices) -> Pair:
        return Pair(real.at(ops, indices), imag.at(ops, indices))

    return Lowered(real.shape, dtype, body, cost=real.cost + imag.cost)


def _cast(context: Context, x: Lowered, shape: Shape, dtype: np.dtype[Any]) -> list[Lowered] | None:
    if dtype not in PARTS:
        # The imaginary part is dropped; a whole number is the array kernel's.
        return None if dtype.kind not in "f" or x.dtype not in PARTS else _cast_real(context, x, shape, dtype)
    part, body = PARTS[dtype], broadcast(x, shape)
    return [context.map(shape, dtype, lambda ops, indices: _pair_of(ops, body(ops, indices), part))]


def _cast_real(context: Context, x: Lowered, shape: Shape, dtype: np.dtype[Any]) -> list[Lowered]:
    body = broadcast(_part(x, "real"), shape)
    return [context.map(shape, dtype, lambda ops, indices: ops.cast(body(ops, indices), dtype))]


# --- views --------------------------------------------------------------------------------------------------


def _as_real(context: Context, x: Lowered, shape: Shape) -> Lowered:
    buffer = context.stored(x).buffer
    assert buffer is not None
    strides = strides_of(x.shape)

    def body(ops: Any, indices: Indices) -> Any:
        return ops.load_part(buffer, linear(indices[:-1], strides) * 2 + indices[-1])

    return Lowered(shape, PARTS[x.dtype], body, cost=1)


def _as_complex(context: Context, x: Lowered, shape: Shape) -> Lowered:
    dtype = next(c for c, part in PARTS.items() if part == x.dtype)
    x = context.stored(x) if x.cost > 1 else x
    first, second = (_at_last(x, shape, n) for n in (0, 1))
    return joined(first, second, dtype)


def _at_last(x: Lowered, shape: Shape, place: int) -> Lowered:
    return Lowered(
        shape, x.dtype, lambda ops, indices: x.at(ops, (*indices, constant(place))), cost=x.cost
    )


_OF_VIEWS: dict[str, Callable[[Context, Lowered, Shape], Lowered]] = {
    "imag": lambda context, x, shape: _part(x, "imag"),
    "real": lambda context, x, shape: _part(x, "real"),
    "view_as_complex": _as_complex,
    "view_as_real": _as_real,
}


# --- elements -----------------------------------------------------------------------------------------------


def _product(ops: Any, part: Any, x: Pair, y: Pair) -> Pair:
    return Pair(
        ops.sub(ops.mul(x.real, y.real), ops.mul(x.imag, y.imag)),
        ops.add(ops.mul(x.real, y.imag), ops.mul(x.imag, y.real)),
    )


def _quotient(ops: Any, part: Any, x: Pair, y: Pair) -> Pair:
    """Divide as NumPy does: Smith 1962, "Algorithm 116: Complex division"."""
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


def _by_number(form: Callable[..., Pair]) -> Callable[..., Pair]:
    return lambda ops, part, x, other: form(ops, part, x, _number(ops, other, part))


def _sign(ops: Any, part: Any, x: Pair) -> Pair:
    """x/|x|, 0 at 0; of an infinite part its sign, and nan where both are infinite."""
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


def _each(word: str) -> Callable[..., Pair]:
    def form(ops: Any, part: Any, *xs: Pair) -> Pair:
        operation = getattr(ops, word)
        return Pair(operation(*(x.real for x in xs)), operation(*(x.imag for x in xs)))

    return form


def _chosen(ops: Any, part: Any, condition: Pair, x: Pair, y: Pair) -> Pair:
    holds = ops.ne(condition.real, ops.constant(0, part))
    return Pair(ops.select(holds, x.real, y.real), ops.select(holds, x.imag, y.imag))


def _conjugate(ops: Any, part: Any, x: Pair) -> Pair:
    return Pair(x.real, ops.neg(x.imag))


#: By op name; of the handler, the dtype of the parts, pairs, and the op's attributes. Some results are real.
_FORMS: dict[str, Callable[..., Any]] = {
    "_conj": _conjugate,
    "abs": lambda ops, part, x: ops.function("hypot", x.real, x.imag),
    "add": _each("add"),
    "as_complex": lambda ops, part, x: x,
    "complex": lambda ops, part, x, y: Pair(x.real, y.real),
    "conj": _conjugate,
    "conj_physical": _conjugate,
    "div": _quotient,
    "div_number": _by_number(_quotient),
    "mul": _product,
    "mul_number": _by_number(_product),
    "neg": _each("neg"),
    "rsub": lambda ops, part, x, y: _each("sub")(ops, part, y, x),
    "rsub_tensor": lambda ops, part, x, y: _each("sub")(ops, part, y, x),
    "sgn": _sign,
    "sub": _each("sub"),
    "where": _chosen,
}
