"""Tell functions element by element: those that ONNX has under one name, others by scalar forms."""

from typing import Any

import numpy as np

from ....array import dtype_limits, dtypes
from ....compiler.lower.elementwise import Unwritten, form
from ....core.op import TABLE
from ..builder import Graph, Operand
from ..rules import RULES, Unsupported, rule

_BOOL = np.dtype(bool)

#: Functions that ONNX has under their names, but for the capital.
_NAMED = {
    name: name.capitalize() for name in (
        "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
        "atanh", "erf", "abs", "neg", "sqrt", "relu", "sigmoid", "sign", "reciprocal",
    )
}  # fmt: skip
for _name, _kind in _NAMED.items():
    RULES[_name] = lambda g, x, kind=_kind: g.node(kind, g.value(x, g.dtype))
RULES["sgn"] = RULES["sign"]

for _name, _kind in {"floor": "Floor", "ceil": "Ceil", "round": "Round"}.items():
    RULES[_name] = lambda g, x, kind=_kind: (g.node(kind, x) if x.dtype.kind == "f" else g.value(x, g.dtype))

RULES["pow"] = RULES["integer_pow"] = lambda g, x, y: g.node("Pow", g.value(x, g.dtype), g.value(y, g.dtype))
RULES["fmod"] = RULES["fmod_number"] = lambda g, x, y: (
    g.node("Mod", g.value(x, g.dtype), g.value(y, g.dtype), fmod=1)
)
RULES["where"] = lambda g, condition, x, y: (
    g.node("Where", g.value(condition, _BOOL), g.value(x, g.dtype), g.value(y, g.dtype))
)
RULES["masked_fill"] = RULES["masked_fill_tensor"] = lambda g, x, mask, value: (
    g.node("Where", g.value(mask, _BOOL), g.value(value, g.dtype), g.value(x, g.dtype))
)
RULES |= {
    "isfinite": lambda g, x: g.node("Not", g.node("Or", _isnan(g, x), _isinf(g, x))),
    "celu": lambda g, x, alpha: g.node("Celu", x, alpha=float(alpha)),
    "leaky_relu": lambda g, x, slope: g.node("LeakyRelu", x, alpha=float(slope)),
    "silu": lambda g, x: g.node("Mul", x, g.node("Sigmoid", x)),
    "hardsigmoid": lambda g, x: g.node("HardSigmoid", x, alpha=1 / 6, beta=0.5),
    "hardswish": lambda g, x: g.node("HardSwish", x),
    "mish": lambda g, x: g.node("Mish", x),
    "softshrink": lambda g, x, width: g.node("Shrink", x, bias=float(width), lambd=float(width)),
    "hardshrink": lambda g, x, width: g.node("Shrink", x, bias=0.0, lambd=float(width)),
    "logical_not": lambda g, x: g.node("Not", g.value(x, _BOOL)),
    "zeros_of": lambda g, x: g.node("Expand", g.constant(0, g.dtype), g.sizes(g.shape)),
    "classes": lambda g, x, count: x.name,
    "trunc": lambda g, x: _truncated(g, x.name, x.dtype) if x.dtype.kind == "f" else x.name,
    "frac": lambda g, x: g.node("Sub", x, _truncated(g, x.name, x.dtype)),
}


@rule("isnan")
def _isnan(g: Graph, x: Operand) -> str:
    if x.dtype.kind == "f":
        return str(g.node("IsNaN", x))
    return str(g.node("And", g.node("Not", g.value(x, _BOOL)), g.value(x, _BOOL)))


@rule("isinf")
def _isinf(g: Graph, x: Operand) -> str:
    if x.dtype.kind == "f":
        # ONNX has it for float32 and float64 alone, which hold the infinities of the others.
        return str(g.node("IsInf", x if x.dtype.itemsize > 2 else g.value(x, np.dtype(np.float32))))
    return str(g.node("And", g.node("Not", g.value(x, _BOOL)), g.value(x, _BOOL)))


@rule("elu")
def _elu(g: Graph, x: Operand, alpha: float, scale: float, input_scale: float) -> Any:
    if input_scale != 1:
        return by_form(g, "elu", (x,), (alpha, scale, input_scale))
    if scale == 1:
        return g.node("Elu", x, alpha=float(alpha))
    return g.node("Selu", x, alpha=float(alpha), gamma=float(scale))


@rule("gelu")
def _gelu(g: Graph, x: Operand, approximate: str) -> Any:
    if g.opset >= 20:
        return g.node("Gelu", x, approximate=approximate)
    return by_form(g, "gelu", (x,), (approximate,))


@rule("softplus")
def _softplus(g: Graph, x: Operand, beta: float, threshold: float) -> Any:
    scaled = x if beta == 1 else g.node("Mul", x, g.constant(beta, x.dtype))
    curved = g.node("Softplus", scaled)
    return curved if beta == 1 else g.node("Div", curved, g.constant(beta, x.dtype))


@rule("prelu")
def _prelu(g: Graph, x: Operand, slope: Operand) -> Any:
    above = g.node("Greater", x, g.constant(0, x.dtype))
    return g.node("Where", above, x, g.node("Mul", x, slope))


@rule("clamp", "hardtanh")
def _clamp(g: Graph, x: Operand, low: Any, high: Any) -> Any:
    limits = [None if v is None else g.value(v, g.dtype) for v in (low, high)]
    return g.node("Clip", g.value(x, g.dtype), *limits)


for _name, _kind in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    RULES[_name] = lambda g, x, y, kind=_kind: g.node(kind, g.value(x, _BOOL), g.value(y, _BOOL))


@rule("pow_scalar")
def _pow_scalar(g: Graph, x: Operand, exponent: Any) -> Any:
    if exponent == 2:
        base = g.value(x, g.dtype)
        return g.node("Mul", base, base)
    return g.node("Pow", g.value(x, g.dtype), g.value(exponent, g.dtype))


def _divided_down(g: Graph, x: Any, y: Any) -> Any:
    """Return ⌊x / y⌋; ONNX rounds the quotient of integers toward zero."""
    if g.dtype.kind == "f":
        return g.node("Floor", g.node("Div", g.value(x, g.dtype), g.value(y, g.dtype)))
    x, y = g.value(x, g.dtype), g.value(y, g.dtype)
    # Mod has the sign of the divisor: what is left is a whole multiple.
    return g.node("Div", g.node("Sub", x, g.node("Mod", x, y)), y)


RULES["div_floor"] = RULES["floor_divide"] = RULES["floor_divide_"] = _divided_down


@rule("div_trunc")
def _div_trunc(g: Graph, x: Any, y: Any) -> Any:
    quotient = g.node("Div", g.value(x, g.dtype), g.value(y, g.dtype))
    return _truncated(g, quotient, g.dtype) if g.dtype.kind == "f" else quotient


def _truncated(g: Graph, x: str, dtype: np.dtype[Any]) -> Any:
    below = g.node("Less", x, g.constant(0, dtype))
    return g.node("Where", below, g.node("Ceil", x), g.node("Floor", x))


@rule("remainder", "remainder_number")
def _remainder(g: Graph, x: Any, y: Any) -> Any:
    x, y = g.value(x, g.dtype), g.value(y, g.dtype)
    if g.dtype.kind != "f":
        return g.node("Mod", x, y)
    return g.node("Sub", x, g.node("Mul", y, g.node("Floor", g.node("Div", x, y))))


@rule("nan_to_num")
def _nan_to_num(g: Graph, x: Operand, nan: float, posinf: float | None, neginf: float | None) -> Any:
    if x.dtype.kind != "f":
        return x.name
    limits = dtype_limits.finfo(dtypes.from_numpy_dtype(x.dtype))
    found = g.node("Where", _isnan(g, x), g.constant(nan, x.dtype), x)
    for infinity, number in ((np.inf, posinf), (-np.inf, neginf)):
        wanted = (limits.max if infinity > 0 else limits.min) if number is None else number
        is_so = g.node("Equal", x, g.constant(infinity, x.dtype))
        found = g.node("Where", is_so, g.constant(wanted, x.dtype), found)
    return found


@rule("logaddexp")
def _logaddexp(g: Graph, x: Any, y: Any) -> Any:
    """Return the larger, and what the smaller adds."""
    x, y = g.value(x, g.dtype), g.value(y, g.dtype)
    gap = g.node("Neg", g.node("Abs", g.node("Sub", x, y)))
    return g.node("Add", g.node("Max", x, y), g.node("Softplus", gap))


# --- by scalar forms ----------------------------------------------------------------------------------------

#: Operands that are conditions, by op.
_CONDITIONS = {"where": 0, "masked_fill": 1, "masked_fill_tensor": 1}


class Term:
    """A value as a form sees it: a name and a dtype."""

    def __init__(self, name: str, dtype: np.dtype[Any]) -> None:
        self.name = name
        self.dtype = dtype


class Forms:
    """The handler of scalar forms that writes nodes; see `compiler.lower.handlers`."""

    def __init__(self, g: Graph) -> None:
        self.g = g

    def _node(self, kind: str, *xs: Term, dtype: np.dtype[Any] | None = None, **attrs: Any) -> Term:
        name = self.g.node(kind, *(x.name for x in xs), **attrs)
        return Term(name, xs[-1].dtype if dtype is None else dtype)

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Term:
        return Term(self.g.value(value, dtype), dtype)

    def cast(self, x: Term, dtype: np.dtype[Any]) -> Term:
        return Term(self.g.cast(x.name, x.dtype, dtype), dtype)

    def select(self, condition: Term, x: Term, y: Term) -> Term:
        return self._node("Where", self.cast(condition, _BOOL), x, y, dtype=x.dtype)

    def function(self, name: str, *xs: Term) -> Term:
        x = xs[0]
        one = self.constant(1, x.dtype)
        if name in _NAMED or name == "pow":
            return self._node(name.capitalize(), *xs)
        if name == "expm1":
            return self.sub(self._node("Exp", x), one)
        if name == "log1p":
            return self._node("Log", self.add(x, one))
        if name == "exp2":
            return self._node("Pow", self.constant(2, x.dtype), x)
        if name in ("log2", "log10"):
            scale = self.constant(1 / np.log(2.0 if name == "log2" else 10.0), x.dtype)
            return self.mul(self._node("Log", x), scale)
        if name == "erfc":
            return self.sub(one, self._node("Erf", x))
        if name == "hypot":
            return self._node("Sqrt", self.add(self.mul(x, x), self.mul(xs[1], xs[1])))
        if name == "fmod":
            return self._node("Mod", *xs, fmod=1)
        if name == "atan2":
            return self._atan2(*xs)
        raise Unsupported(f"ONNX has no {name}")

    def _atan2(self, y: Term, x: Term) -> Term:
        """Return the angle, by the quotient's, turned by π where x is negative."""
        plain = self._node("Atan", self.div(y, x))
        zero, turn = self.constant(0, x.dtype), self.constant(np.pi, x.dtype)
        turned = self.select(self.lt(y, zero), self.sub(plain, turn), self.add(plain, turn))
        return self.select(self.lt(x, zero), turned, plain)

    def ne(self, x: Term, y: Term) -> Term:
        return self._node("Not", self.eq(x, y), dtype=_BOOL)

    def not_(self, x: Term) -> Term:
        return self._node("Not" if x.dtype == _BOOL else "BitwiseNot", x)

    def trunc(self, x: Term) -> Term:
        return Term(_truncated(self.g, x.name, x.dtype), x.dtype)

    def rem(self, x: Term, y: Term) -> Term:
        return self._node("Mod", x, y, fmod=1)

    def copysign(self, x: Term, y: Term) -> Term:
        size, zero = self._node("Abs", x), self.constant(0, y.dtype)
        return self.select(self.lt(y, zero), self._node("Neg", size), size)

    def __getattr__(self, name: str) -> Any:
        if name in _COMPARISONS:
            kind = _COMPARISONS[name]
            return lambda x, y: self._node(kind, x, y, dtype=_BOOL)
        if name in _LOGIC:
            logic, bits = _LOGIC[name]
            return lambda x, y: self._node(logic if x.dtype == _BOOL else bits, x, y)
        if name in _PLAIN:
            return lambda *xs: self._node(_PLAIN[name], *xs)
        raise Unsupported(f"ONNX has no {name}")


_COMPARISONS = {"eq": "Equal", "lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_LOGIC = {"and_": ("And", "BitwiseAnd"), "or_": ("Or", "BitwiseOr"), "xor": ("Xor", "BitwiseXor")}
_PLAIN = {
    **_NAMED, "add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "floor": "Floor", "ceil": "Ceil",
    "maximum": "Max", "minimum": "Min", "rint": "Round",
}  # fmt: skip


def computed_in(operands: Any, result: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which an op computes: the result's; where that is a truth, the operands'."""
    if result != _BOOL:
        return result
    found = None
    for wide in (True, False):
        # Operands without axes count where those with axes are of a lower category.
        for x in operands:
            if isinstance(x, Operand) and bool(x.shape) == wide:
                kind = dtypes.from_numpy_dtype(x.dtype)
                if found is None or (wide or _category(kind) > _category(found)):
                    found = kind if found is None else dtypes.promote_types(found, kind)
    if found is None or (not found.is_floating_point and any(type(x) is float for x in operands)):
        return np.dtype(np.float32)
    return found.numpy


def _category(kind: Any) -> int:
    return 2 if kind.is_floating_point else 1 if kind is not dtypes.BY_NAME["bool"] else 0


def by_form(g: Graph, name: str, operands: Any, attrs: Any) -> str:
    """Tell an elementwise op by its scalar form."""
    dtype = computed_in(operands, g.dtype)
    if dtype == _BOOL and name not in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"):
        dtype = _BOOL if name.startswith(("eq", "ne")) else np.dtype(np.int32)  # arithmetic on truths
    condition = _CONDITIONS.get(name)
    terms = []
    for n, x in enumerate(operands):
        own = _BOOL if n == condition else dtype
        terms.append(Term(g.value(x, own), own))
    handler = Forms(g)
    try:
        found = form(TABLE[name])(handler, *terms, *attrs)
    except Unwritten:
        raise Unsupported("it has no rule for ONNX") from None
    return handler.cast(found, g.dtype).name
