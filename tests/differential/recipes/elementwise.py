"""Functions of one tensor, element by element."""

from __future__ import annotations

from ..builder import ALL, FLOATS, INTS, SMOOTH, Builder, call, some
from . import Drawn, recipe

#: Defined for floating and complex tensors; integers and bools give the default dtype.
ANALYTIC = (
    "exp",
    "sin",
    "cos",
    "tan",
    "tanh",
    "sinh",
    "cosh",
    "atan",
    "asinh",
    "sigmoid",
    "log",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "exp2",
    "expm1",
    "log2",
    "log10",
    "asin",
    "acos",
    "acosh",
    "atanh",
    "sinc",
)
REAL = ("erf", "erfc", "lgamma", "digamma", "erfinv", "logit", "deg2rad", "rad2deg", "i0")
ROUNDING = ("floor", "ceil", "round", "trunc", "frac")
TESTS = ("isnan", "isinf", "isfinite", "signbit", "logical_not", "isposinf", "isneginf", "isreal")
ANY = ("neg", "abs", "square", "sgn", "positive", "conj", "conj_physical", "real", "angle")

ACTIVATIONS = (
    "relu",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "gelu",
    "silu",
    "mish",
    "softplus",
    "hardtanh",
    "hardsigmoid",
    "hardswish",
    "relu6",
    "softsign",
    "tanhshrink",
    "softshrink",
    "hardshrink",
    "logsigmoid",
    "sigmoid",
    "tanh",
)


def spelled(b: Builder, name: str) -> str:
    """As a function or as a method."""
    return f"torch.{name}" if b.chance(0.5) else f".{name}"


@recipe(6)
def analytic(b: Builder) -> Drawn:
    x = b.pick(SMOOTH if b.chance(0.85) else ALL)
    return call(spelled(b, b.one(ANALYTIC)), x)


@recipe(2)
def real(b: Builder) -> Drawn:
    return call(spelled(b, b.one(REAL)), b.pick(FLOATS if b.chance(0.9) else ALL))


@recipe(1.5)
def rounding(b: Builder) -> Drawn:
    return call(spelled(b, b.one(ROUNDING)), b.pick(FLOATS if b.chance(0.85) else (*FLOATS, *INTS)))


@recipe(1)
def tests(b: Builder) -> Drawn:
    return call(spelled(b, b.one(TESTS)), b.pick())


@recipe(3)
def any_dtype(b: Builder) -> Drawn:
    name = b.one(ANY)
    x = b.pick(where=lambda t: t.dtype is not b.torch.bool)
    if name == "real":
        return call("torch.real", x)
    return call("neg", x) if name == "neg" and b.chance(0.6) else call(spelled(b, name), x)


@recipe(0.5)
def bitwise_not(b: Builder) -> Drawn:
    x = b.pick((*INTS, "bool"))
    return call("invert", x) if b.chance(0.5) else call(spelled(b, "bitwise_not"), x)


@recipe(4)
def activation(b: Builder) -> Drawn:
    name = b.one(ACTIVATIONS)
    x = b.pick(FLOATS if b.chance(0.9) else ALL)
    kwargs = {}
    if name == "leaky_relu":
        kwargs = some(b, {"negative_slope": b.real})
    elif name in ("elu", "celu"):
        kwargs = some(b, {"alpha": lambda: b.one((0.5, 1.0, 2.0))})
    elif name == "gelu":
        kwargs = some(b, {"approximate": lambda: b.one(("none", "tanh"))})
    elif name == "softplus":
        kwargs = some(b, {"beta": lambda: b.one((1, 2, 0.5)), "threshold": lambda: b.one((2, 20))})
    elif name == "hardtanh":
        kwargs = some(b, {"min_val": lambda: b.one((-2.0, -0.5)), "max_val": lambda: b.one((0.5, 2.0))})
    elif name in ("softshrink", "hardshrink"):
        kwargs = some(b, {"lambd": lambda: b.one((0.25, 1.0))})
    return call(f"torch.nn.functional.{name}", x, **kwargs)


@recipe(1.5)
def clamp(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS))
    low, high = sorted((b.scalar_like(x), b.scalar_like(x)))
    kwargs = some(b, {"min": lambda: low, "max": lambda: high}, 0.8) or {"min": low}
    return call(spelled(b, b.one(("clamp", "clip"))), x, **kwargs)


@recipe(0.8)
def nan_to_num(b: Builder) -> Drawn:
    return call(spelled(b, "nan_to_num"), b.pick(FLOATS), **some(b, {"nan": b.real, "posinf": b.real}))


@recipe(1)
def threshold(b: Builder) -> Drawn:
    return call("torch.nn.functional.threshold", b.pick(FLOATS), b.real(), b.real())


@recipe(1)
def glu(b: Builder) -> Drawn:
    x = b.pick(FLOATS, min_ndim=1, where=lambda t: t.shape[-1] % 2 == 0, shape=lambda: (*b.shape(), 4))
    return call("torch.nn.functional.glu", x)


@recipe(0.7)
def prelu(b: Builder) -> Drawn:
    x = b.pick(FLOATS, min_ndim=2)
    count = b.value(x).shape[1] if b.chance(0.6) else 1
    return call("torch.nn.functional.prelu", x, b.leaf(b.dtype_of(x), (count,)))
