"""Functions of two or three tensors that broadcast."""

from __future__ import annotations

from ..builder import ALL, COMPLEX, FLOATS, INTS, SMOOTH, Builder, NothingFits, call, some
from . import Drawn, recipe
from .elementwise import spelled

ARITHMETIC = ("add", "sub", "mul", "truediv")
NAMED = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
REAL = ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "copysign", "fmod", "remainder", "logaddexp")


def not_bool(b: Builder, spare: float = 0.9) -> tuple[str, ...]:
    return tuple(name for name in ALL if name != "bool") if b.chance(spare) else ALL


@recipe(10)
def arithmetic(b: Builder) -> Drawn:
    x = b.pick(not_bool(b))
    y = b.partner(x, not_bool(b, 0.95)) if b.chance(0.6) else b.scalar(b.dtype_of(x))
    name = b.one(ARITHMETIC)
    if b.chance(0.6):
        pair = (y, x) if b.chance(0.3) else (x, y)
        return call(name, *pair)
    kwargs = {}
    if name in ("add", "sub") and b.chance(0.4):
        kwargs = {"alpha": b.one((2, -1, 3)) if b.dtype_of(x) in INTS else b.one((2, -1, 0.5))}
    return call(spelled(b, NAMED[name]), x, y, **kwargs)


@recipe(1.2)
def same_twice(b: Builder) -> Drawn:
    x = b.pick(not_bool(b))
    return call(b.one(ARITHMETIC[:3]), x, x)


@recipe(2)
def power(b: Builder) -> Drawn:
    x = b.pick(not_bool(b))
    y = b.one((2, 3, 2, 0.5, -1, 0, 1, 2.0)) if b.chance(0.7) else b.partner(x, SMOOTH)
    if b.chance(0.15):
        return call("pow", b.one((2, 3.0, 0, 0.5)), x)
    return call("pow", x, y) if b.chance(0.6) else call(spelled(b, "pow"), x, y)


@recipe(1.2)
def division(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS))
    y = b.partner(x, (*FLOATS, *INTS)) if b.chance(0.6) else b.one((1, 2, -3, 0.5, 2.5))
    match b.one(("floordiv", "mod", "mode", "floor_divide", "true_divide")):
        case "mode":
            return call(spelled(b, "div"), x, y, rounding_mode=b.one(("floor", "trunc", None)))
        case ("floordiv" | "mod") as name:
            return call(name, x, y)
        case name:
            return call(spelled(b, name), x, y)


@recipe(2.5)
def real(b: Builder) -> Drawn:
    name = b.one(REAL)
    x = b.pick((*FLOATS, *INTS) if b.chance(0.3) else FLOATS)
    y = b.partner(x, (*FLOATS, *INTS) if b.chance(0.2) else FLOATS)
    if name == "copysign" and b.value(y).isnan().any():
        raise NothingFits  # which sign a function gives its nan is the processor's
    return call(spelled(b, name), x, y)


@recipe(3)
def comparison(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS, "bool") if b.chance(0.9) else ALL)
    y = b.partner(x, (*FLOATS, *INTS, "bool")) if b.chance(0.6) else b.scalar(b.dtype_of(x))
    name = b.one(COMPARISONS)
    return call(name, x, y) if b.chance(0.7) else call(spelled(b, name), x, y)


@recipe(1)
def logical(b: Builder) -> Drawn:
    name = b.one(("logical_and", "logical_or", "logical_xor"))
    x = b.pick()
    return call(spelled(b, name), x, b.partner(x))


@recipe(1)
def bitwise(b: Builder) -> Drawn:
    x = b.pick((*INTS, "bool"))
    y = b.partner(x, (*INTS, "bool")) if b.chance(0.8) else b.one((1, 3, True))
    return call(b.one(("and_", "or_", "xor")), x, y)


@recipe(0.4)
def shift(b: Builder) -> Drawn:
    return call(b.one(("lshift", "rshift")), b.pick(("int64", "int32")), b.rng.randint(0, 3))


@recipe(4)
def where(b: Builder) -> Drawn:
    x = b.pick()
    condition = b.pick(("bool",), where=lambda t: t.shape == b.value(x).shape) if b.chance(0.3) else None
    if condition is None:
        condition = b.mask(b.broadcastable(tuple(b.value(x).shape)))
    y = b.partner(x) if b.chance(0.7) else b.scalar(b.dtype_of(x))
    first, second = (y, x) if b.chance(0.3) else (x, y)
    return call("torch.where", condition, first, second)


@recipe(1.5)
def masked_fill(b: Builder) -> Drawn:
    x = b.pick()
    mask = b.mask(b.broadcastable(tuple(b.value(x).shape)))
    return call(
        spelled(b, "masked_fill"), x, mask, b.scalar_like(x) if b.chance(0.8) else b.leaf(b.dtype_of(x), ())
    )


@recipe(1)
def clamp_by_tensor(b: Builder) -> Drawn:
    """Bounds do not widen the shape: torch 2.13 then fails in backward."""
    x = b.pick(FLOATS)
    kwargs = some(
        b,
        {"min": lambda: b.partner(x, FLOATS, wider=False), "max": lambda: b.partner(x, FLOATS, wider=False)},
        0.7,
    )
    return call(spelled(b, "clamp"), x, **kwargs) if kwargs else None


@recipe(1)
def lerp(b: Builder) -> Drawn:
    x = b.pick(SMOOTH)
    own = (b.dtype_of(x),)
    weight = b.partner(x, own) if b.chance(0.5) else b.one((0.25, 0.75, -0.5))
    return call(spelled(b, "lerp"), x, b.partner(x, own), weight)


@recipe(1.2)
def fused(b: Builder) -> Drawn:
    x = b.pick(SMOOTH)
    own = (b.dtype_of(x),)
    name = b.one(("addcmul", "addcdiv"))
    return call(
        spelled(b, name),
        x,
        b.partner(x, own),
        b.partner(x, own),
        **some(b, {"value": lambda: b.one((2, -0.5))}),
    )


@recipe(0.7)
def complex_pair(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"))
    y = b.partner(x, (b.dtype_of(x),))
    return call(b.one(("torch.complex", "torch.polar")), x, y)


@recipe(0.6)
def complex_mixture(b: Builder) -> Drawn:
    x = b.pick(COMPLEX)
    return call(b.one(ARITHMETIC), x, b.partner(x, FLOATS))


@recipe(0.5)
def heaviside(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    return call(spelled(b, "heaviside"), x, b.partner(x, (b.dtype_of(x),)))


@recipe(0.6)
def xlogy(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    return call(spelled(b, "xlogy"), x, b.partner(x, FLOATS))


@recipe(0.7)
def comparison_of_all(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    y = b.partner(x, (b.dtype_of(x),))
    return call(b.one(("torch.equal", "torch.allclose", "torch.isclose")), x, y)
