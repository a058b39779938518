"""Complex values in loops: pairs of real scalars, which lie beside each other in memory.

A body of a complex value gives a `Pair`. Ops that are linear with real factors, and move or add elements, are
lowered for the real and the imaginary parts apart; what goes element by element computes with `Pairs`.
Everything else is left to the array kernels.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.op import Op
from ..emit.scalars import TYPES
from . import arrangements, contractions, fourier, views
from .context import Context, broadcast
from .handlers import PARTS, Handler, Pair
from .index import Indices, constant, linear, strides_of
from .lowered import Lowered, Shape
from .pairs import Pairs, joined, part

Results = Sequence[tuple[Shape, np.dtype[Any]]]

def concern(operands: Sequence[Any], results: Results) -> bool:
    """Return whether complex values are among operands or results."""
    return any(isinstance(o, Lowered) and o.dtype in PARTS for o in operands) or any(
        dtype in PARTS for _, dtype in results
    )


def hold(operands: Sequence[Any], results: Results) -> bool:
    """Return whether native code knows the dtypes of all values, and none is empty."""
    every = (*((o.shape, o.dtype) for o in operands if isinstance(o, Lowered)), *results)
    return all((dtype in PARTS or dtype in TYPES) and 0 not in shape for shape, dtype in every)


def lowered(
    context: Context, op: Op, operands: list[Any], attrs: tuple[object, ...], results: Results,
    rules: Mapping[str, Callable[..., Any]],
) -> list[Lowered] | None:  # fmt: skip
    """Lower an op that does not go element by element; None where its array kernel is to run."""
    if not hold(operands, results):
        return None
    if op.name in _OF_VIEWS:
        return [_OF_VIEWS[op.name](context, operands[0], results[0][0])]
    if op.kind == "view" or op.name in views.SPLITS:
        return views.viewed(op, operands[0], attrs)
    context.results = results
    if op.base in views.LOWERINGS:
        return [views.LOWERINGS[op.base](context, *operands, *attrs)]
    if op.name == "cast":
        return _cast(context, operands[0], *results[0])
    if op.name == "put" and attrs[0] and attrs[0][0][0].name == "view_as_real":  # type: ignore[index]
        return _put_parts(context, *operands, *attrs)
    if op.base in fourier.LOWERINGS:
        found = fourier.LOWERINGS[op.base](context, *operands, *attrs)
        return None if found is None else [found]
    if op.base in contractions.OF_COMPLEX:
        found = contractions.LOWERINGS[op.base](context, *operands, *attrs)
        return None if found is None else [found]
    if op.base in rules and _is_apart(op, operands, attrs):
        return _apart(context, op, rules[op.base], operands, attrs, results)
    return None


def _is_apart(op: Op, operands: Sequence[Any], attrs: Sequence[Any]) -> bool:
    """Return whether each part of the result is the op of that part of the operands: the op is linear, with
    real factors. Of one whose derivative needs no value that is known.
    """
    if op.kind not in ("linear", "gather") and (op.layout.values or not op.derivable):
        return False
    for name, value in zip(op.attrs, attrs):
        # A value that is put in has the imaginary part 0.
        if isinstance(value, complex) or (name == "value" and value != 0):
            return False
    values = [o.dtype for o in operands if isinstance(o, Lowered) and o.dtype not in PARTS]
    return op.variadic or not any(op.kind != "gather" or dtype.kind not in "biu" for dtype in values)


def _apart(
    context: Context, op: Op, rule: Callable[..., Any], operands: list[Any], attrs: tuple[object, ...],
    results: Results,
) -> list[Lowered] | None:  # fmt: skip
    """Lower an op for the real parts and for the imaginary ones."""
    shape, dtype = results[0]
    found = []
    for name in Pair._fields:
        context.results = [(shape, PARTS[dtype])]
        # Real values that are joined to complex ones have imaginary parts, too; indices have none.
        parts = [
            part(o, name) if isinstance(o, Lowered) and (op.variadic or o.dtype in PARTS) else o
            for o in operands
        ]
        made: Lowered | None = rule(context, *parts, *attrs)
        if made is None:
            return None
        found.append(made)
    real, imag = found
    return [joined(real, imag, dtype)]


def _cast(context: Context, x: Lowered, shape: Shape, dtype: np.dtype[Any]) -> list[Lowered] | None:
    # The imaginary part is dropped; a whole number is the array kernel's.
    if dtype not in PARTS and (dtype.kind != "f" or x.dtype not in PARTS):
        return None
    body = broadcast(x, shape)
    return [context.map(shape, dtype, lambda ops, indices: Pairs(ops).cast(body(ops, indices), dtype))]


# --- views --------------------------------------------------------------------------------------------------


def _as_real(context: Context, x: Lowered, shape: Shape) -> Lowered:
    buffer = context.stored(x).buffer
    assert buffer is not None
    strides = strides_of(x.shape)

    def body(ops: Handler, indices: Indices) -> Any:
        return ops.load_part(buffer, linear(indices[:-1], strides) * 2 + indices[-1])

    return Lowered(shape, PARTS[x.dtype], body, cost=1)


def _put_parts(
    context: Context, base: Lowered, source: Lowered, steps: tuple[Any, ...], strides: object
) -> list[Lowered] | None:
    """Return complex numbers with some of their parts replaced, as an optimizer writes all of them."""
    parts = _as_real(context, base, (*base.shape, 2))
    # The zeros that a pullback puts in place of what was overwritten are of the dtype of its covector.
    source = part(source, "real") if source.dtype in PARTS else source
    made = arrangements.put(context, parts, source, steps[1:], strides)
    return None if made is None else [_as_complex(context, made, base.shape)]


def _as_complex(context: Context, x: Lowered, shape: Shape) -> Lowered:
    dtype = next(c for c, part in PARTS.items() if part == x.dtype)
    x = context.cheap(x)
    first, second = (_at_last(x, shape, n) for n in (0, 1))
    return joined(first, second, dtype)


def _at_last(x: Lowered, shape: Shape, place: int) -> Lowered:
    return x.rearranged(shape, lambda at: (*at, constant(place)))


_OF_VIEWS: dict[str, Callable[[Context, Lowered, Shape], Lowered]] = {
    "imag": lambda context, x, shape: part(x, "imag"),
    "real": lambda context, x, shape: part(x, "real"),
    "view_as_complex": _as_complex,
    "view_as_real": _as_real,
}
