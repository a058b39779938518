"""Write a derivative rule as a formula, by running it on names.

A rule is written in public ops and operators, so that it runs on values of any kind; here the values are
names, on which an op writes itself down: ``lambda g, out: g * conj(1 - out * out)`` run on the names g and
out is ``g · (1 - out²)``. Shapes and dtypes are those of the node, because rules ask for them.

A rule that uses a value twice writes its text twice, and the rule of a recurrent layer does so in every time
step: no name holds more text than the longest formula shows, or the text would double with each step.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.levels import fresh_level
from ..core.node import MultiNode, Node
from ..core.value import InnerValue, TensorBase, dtype_of, shape_of

#: How tightly a piece of text binds.
ATOM, POWER, UNARY, PRODUCT, SUM, COMPARISON, LOGIC = range(7)

#: Ops written between operands: symbol, how tightly it binds, whether the right operand must bind tighter.
INFIX = {
    "add": ("+", SUM, False), "sub": ("-", SUM, True), "mul": ("·", PRODUCT, False),
    "div": ("/", PRODUCT, True), "mm": ("@", PRODUCT, True), "matmul": ("@", PRODUCT, True),
    "bmm": ("@", PRODUCT, True), "mv": ("@", PRODUCT, True), "dot": ("@", PRODUCT, True),
    "bitwise_and": ("∧", LOGIC, False), "bitwise_or": ("∨", LOGIC, True),
    "eq": ("=", COMPARISON, True), "ne": ("≠", COMPARISON, True), "lt": ("<", COMPARISON, True),
    "le": ("≤", COMPARISON, True), "gt": (">", COMPARISON, True), "ge": ("≥", COMPARISON, True),
}  # fmt: skip

#: Ops that change nothing which a formula shows.
SILENT = {"alias_copy", "contiguous_copy", "clone", "alias"}

#: Ops by the names that a reader knows.
KNOWN = {"view": "reshape", "unsafe_view": "reshape", "zeros_of": "zeros"}

SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")

#: Characters of the longest formula; a longer one is cut.
LONGEST = 160


class Name(InnerValue):
    """A value that is written down, with how tightly its text binds; `meta` finds its shape and dtype."""

    __slots__ = ("_found", "_level", "_meta", "binding", "text")

    def __init__(self, text: str, binding: int, level: int, meta: Callable[[], tuple[Any, Any]]) -> None:
        self.text = _cut(text)
        self.binding = binding
        self._level = level
        self._meta = meta
        self._found: tuple[Any, Any] | None = None

    def _look(self) -> tuple[Any, Any]:
        if self._found is None:
            self._found = self._meta()
        return self._found

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the value."""
        return self._look()[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the value."""
        return self._look()[1]

    def array(self) -> ndarray:
        """Refuse: a name has no numbers."""
        raise RuntimeError("a name has no numbers")

    @classmethod
    def run(cls, op: Any, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Write the op down."""
        several = op.many or len(op.outputs) > 1
        found: list[tuple[tuple[Any, Any], ...]] = []

        def meta(position: int) -> Callable[[], tuple[Any, Any]]:
            def look() -> tuple[Any, Any]:
                if not found:
                    found.append(op.result_shapes(inputs, attrs))
                return found[0][position]

            return look

        text, binding = written(op, inputs, attrs)
        if several:
            count = len(op.result_shapes(inputs, attrs)) if op.many else len(op.outputs)
            return tuple(cls(f"{text}[{k}]", ATOM, level, meta(k)) for k in range(count))
        return cls(text, binding, level, meta(0))


def written(op: Any, inputs: Sequence[Any], attrs: Sequence[Any]) -> tuple[str, int]:
    """Return (text, how tightly it binds) of an op on names, numbers and arrays."""
    name = op.base
    if name == "conj" and dtype_of(inputs[0]).kind not in "cW":
        return _text(inputs[0]), _binding(inputs[0])
    if name in SILENT and inputs:
        return _text(inputs[0]), _binding(inputs[0])
    if name == "mul" and _is_square(inputs):
        return f"{_wrapped(inputs[0], ATOM)}²", POWER
    if name in INFIX:
        symbol, binding, tight = INFIX[name]
        left = _wrapped(inputs[0], binding)
        right = _wrapped(inputs[1], binding - 1 if tight else binding)
        if symbol == "+" and right.startswith("-"):
            return f"{left} - {right[1:]}", binding
        if symbol == "·" and right.startswith("1 / "):
            return f"{left} / {right[4:]}", binding
        return f"{left} {symbol} {right}", binding
    if name == "rsub":
        return f"{_wrapped(inputs[1], SUM)} - {_wrapped(inputs[0], SUM - 1)}", SUM
    if name == "neg":
        return f"-{_wrapped(inputs[0], UNARY)}", UNARY
    if name == "reciprocal":
        return f"1 / {_wrapped(inputs[0], POWER)}", PRODUCT
    if name == "sqrt":
        return f"√{_wrapped(inputs[0], ATOM)}", POWER
    if name == "rsqrt":
        return f"1 / √{_wrapped(inputs[0], ATOM)}", PRODUCT
    if name == "abs":
        return f"|{_text(inputs[0])}|", ATOM
    if name in ("pow_scalar", "pow"):
        return _power(inputs[0], attrs[0] if name == "pow_scalar" else inputs[1]), POWER
    if name in ("linear", "linear_folded"):
        return f"{_wrapped(inputs[0], PRODUCT)} @ {_wrapped(inputs[1], ATOM)}ᵀ", PRODUCT
    if name == "linear_weight":
        return f"{_wrapped(inputs[0], ATOM)}ᵀ @ {_wrapped(inputs[1], POWER)}", PRODUCT
    if name in ("t", "transpose") or (name == "permute" and _swaps_last(attrs[0])):
        return f"{_wrapped(inputs[0], ATOM)}ᵀ", POWER
    shown = [_text(v) for v in inputs if v is not None]
    shown += [f"{key}={_attribute(v)}" for key, v in zip(op.attrs, attrs) if v is not None and v is not False]
    return f"{KNOWN.get(name, name)}({', '.join(shown)})", ATOM


def _swaps_last(dims: tuple[int, ...]) -> bool:
    rank = len(dims)
    return rank > 1 and dims == (*range(rank - 2), rank - 1, rank - 2)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _is_square(inputs: Sequence[Any]) -> bool:
    x, y = inputs
    if not (isinstance(x, Name) and isinstance(y, Name)) or x.text.endswith("…"):
        return False
    return x.text == y.text and x.binding == ATOM


def _power(base: Any, exponent: Any) -> str:
    if isinstance(exponent, float) and exponent.is_integer():
        exponent = int(exponent)
    if isinstance(exponent, int) and not isinstance(exponent, bool):
        if exponent == 1:
            return _wrapped(base, ATOM)
        return f"{_wrapped(base, ATOM)}{str(exponent).translate(SUPERSCRIPTS)}"
    return f"{_wrapped(base, ATOM)}^{_wrapped(exponent, ATOM)}"


def _binding(value: Any) -> int:
    if isinstance(value, Name):
        return value.binding
    return UNARY if _text(value).startswith("-") else ATOM


def _wrapped(value: Any, binding: int) -> str:
    text = _text(value)
    return text if _binding(value) <= binding else f"({text})"


def _text(value: Any) -> str:
    if isinstance(value, Name):
        return value.text
    if isinstance(value, TensorBase):
        return _text(value._value)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, (ndarray, np.generic)):
        array = np.asarray(value)
        return _number(array.item()) if array.ndim == 0 else f"array{array.shape}"
    return _number(value)


def _number(value: Any) -> str:
    if isinstance(value, float):
        if value == math.inf or value == -math.inf:
            return "∞" if value > 0 else "-∞"
        return f"{value:.6g}"
    return str(value)


def _attribute(value: Any) -> str:
    return getattr(value, "__name__", None) or str(value)


def formulas(node: Node) -> list[str]:
    """Return one line for each input that a covector goes to: ``g_x = …``.

    A rule that asks for numbers, or that is code rather than a formula, is left out.
    """
    op = node._op
    if op is None or node._saved is None:
        return []
    level = fresh_level()
    try:
        return _joint(node, op, level) if op.joint else _each(node, op, level)
    except _UNPRINTABLE:
        return []


#: What a rule raises that cannot run on names.
_UNPRINTABLE = (TypeError, ValueError, RuntimeError, AttributeError, LookupError)


def _each(node: Node, op: Any, level: int) -> list[str]:
    g = _covector(node, level)
    picked = _names(node, op, level)
    lines = []
    for position, (rule, edge) in enumerate(zip(op.rules, node._edges)):
        if rule is None or edge is None:
            continue
        try:
            result = rule(g, *(picked[name] for name in op.layout.wanted[position]))
        except _UNPRINTABLE:
            continue
        lines.append(_line(op.inputs[position], result, len(op.inputs)))
    return [line for line in lines if line]


def _joint(node: Node, op: Any, level: int) -> list[str]:
    g = _covector(node, level)
    picked = _names(node, op, level)
    wanted = op.layout.wanted[0]
    arguments = [picked[name] for name in wanted if name != "needs"]
    needs = tuple(edge is not None for edge in node._edges)
    results = op.rules[0](g, *arguments, **({"needs": needs} if "needs" in wanted else {}))
    names = op.inputs if not op.variadic else [f"{op.inputs[0]}[{k}]" for k in range(len(results))]
    return [
        line
        for name, result, edge in zip(names, results, node._edges)
        if edge is not None and result is not None and (line := _line(name, result, len(results)))
    ]


def _line(name: str, result: Any, count: int) -> str:
    if not isinstance(result, (Name, TensorBase)):
        return ""
    text = _text(result)
    return f"g_{name} = {text}" if count > 1 else text


def _covector(node: Node, level: int) -> Any:
    """Return the covector, or those of a node with several results, as names."""
    if isinstance(node, MultiNode):
        return tuple(
            Name(f"g{k}", ATOM, level, _known(shape, dtype))
            for k, (shape, dtype) in enumerate(zip(node._shape, node._dtype))
        )
    return Name("g", ATOM, level, _known(node._shape, node._dtype))


def _known(shape: Any, dtype: Any) -> Callable[[], tuple[Any, Any]]:
    return lambda: (shape, dtype)


def _names(node: Node, op: Any, level: int) -> dict[str, Any]:
    """Return what a rule may ask for: saved arrays as names, numbers and attributes as they are."""
    layout, saved = op.layout, node._saved
    assert saved is not None  # `formulas` has looked
    picked: dict[str, Any] = {}
    for position, name in enumerate(layout.values):
        value = saved[3 * position]
        if isinstance(value, (ndarray, InnerValue, TensorBase)):
            value = Name(name, ATOM, level, _known(shape_of(value), dtype_of(value)))
        elif hasattr(value, "unpack"):
            value = Name(name, ATOM, level, _unknown)
        picked[name] = value
    rest = saved[3 * layout.count :]
    picked |= dict(zip((*layout.metadata, *layout.attrs), rest))
    return picked


def _unknown() -> tuple[Any, Any]:
    raise RuntimeError("a value that went through a pack hook is not looked at")
