"""Python's operators on tensors: each is an op's closure, attached as it is where it can be.

What is not the common case is served here too, for all public calls of ops: other operands, overrides,
`out=`, and errors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from .. import errors
from ..array import dtypes
from ..core import calls, facade
from ..core.calls import make_call
from ..core.op import Op
from ..core.value import TensorBase, dtype_of, run, wrap
from ..ops import arithmetic, comparison, elementwise, mixture
from .contract import matmul
from .failed_calls import explain
from .inplace_variants import inplace_variant, is_operand
from .interception import OVERRIDING, PASS, intercepted
from .math import floor_divide, positive, power, power_of, remainder, remainder_of
from .out import check_before_kernel, write_out, written_at_once
from .override_dispatch import adopt, dispatch_override, overridden, undisturbed
from .signature import ALTERNATIVES, Parser
from .tensor import Tensor
from .wrong_calls import takes_out, wrong_call

Function = Callable[..., Any]


def public_call(op: Op, inputs: tuple[object, ...], named: Mapping[str, Any], method: str = "") -> Any:
    """Do what a public closure does not inline: checks, overrides, `out=`, operators' foreign operands."""
    if not named and not OVERRIDING and len(inputs) == len(op.inputs) and _are_plain(op, inputs):
        return run(op, inputs, ())
    operator = method.startswith("__")
    if not named.keys() <= {"out"}:
        inputs, named = _by_numpys_names(inputs, named)
    out = named.get("out")
    if method and inputs[0] is calls.ABSENT:
        raise TypeError(f"unbound method TensorBase.{method}() needs an argument")
    if method and not isinstance(inputs[0], TensorBase):
        raise errors.foreign_self(method, inputs[0])
    fit = len(inputs) == len(op.inputs) and inputs[-1] is not calls.ABSENT
    wrong = method or named.keys() != {"out"} or not isinstance(out, TensorBase | None)
    if not fit or (named and (wrong or not (out is None or takes_out(op.name)))):
        if operator:
            return NotImplemented
        raise _wrong_call(op, inputs, named, method)
    if operator and not is_operand(inputs[-1]) and not adopt(inputs):
        # torch's == takes arrays; its != does not, so Python compares identities.
        if op.name != "eq" or not isinstance(inputs[-1], ndarray):
            return NotImplemented
        inputs = (inputs[0], wrap(inputs[-1]))
    if OVERRIDING:
        named = {} if out is None else {"out": out}
        if overridden(inputs):
            return dispatch_override(_called(op, method), inputs, named, operator)
        behind = None if named else partial(_checked_call, op, method)
        if (found := intercepted(op.public, behind, op.name, inputs, named)) is not PASS:
            return found
    return _checked_call(op, method, *inputs, out=out)


def _are_plain(op: Op, inputs: tuple[object, ...]) -> bool:
    """Return whether operands are tensors, but for floating numbers behind the first, which the op takes."""
    tensor, parameter = facade.Tensor, facade.Parameter
    for n, value in enumerate(inputs):
        kind = type(value)
        if kind is not tensor and kind is not parameter and not (n and kind is float and op.numbers):
            return False
    return True


#: The methods that overrides are told of where an operator was called; the others' are their own.
_BEHIND_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
    "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
}


def _called(op: Op, method: str) -> Function:
    """Return what overrides are told was called: the function, or the method as `Tensor` has it."""
    if not method:
        return op.public
    called: Function = getattr(facade.Tensor, _BEHIND_OPERATORS.get(method, method))
    return called


def override_operator(method: str, *operands: Any) -> Any:
    """Return what overrides of the operands answer to an operator; `PASS` where there are none."""
    if (OVERRIDING and overridden(operands)) or (
        not isinstance(operands[-1], TensorBase) and adopt(operands[-1:])
    ):
        return dispatch_override(getattr(facade.Tensor, method), operands, {}, True)
    return PASS


def _checked_call(op: Op, method: str, *inputs: Any, out: Any = None) -> Any:
    try:
        checked = tuple([
            v if isinstance(v, TensorBase) else checked_operand(op, i, v, bool(method))
            for i, v in enumerate(inputs)
        ])  # fmt: skip
    except TypeError:
        if adopt(inputs):
            return dispatch_override(_called(op, method), inputs, {} if out is None else {"out": out})
        if method:
            explain("Tensor", method, inputs, {})
        if op.name in _COMPARISONS:
            raise _COMPARISONS[op.name].rejected(inputs, {}) from None
        raise
    if not isinstance(checked[0], TensorBase) and not isinstance(checked[-1], TensorBase):
        checked = (wrap(np.asarray(checked[0], dtypes.result_numpy_dtype(checked[:1]))), *checked[1:])
    if out is not None and written_at_once(op, checked, out):
        return out
    if out is None:
        return run(op, checked, ())
    try:
        result = run(op, checked, ())
    except NotImplementedError as error:
        check_before_kernel(error, op.name, out, checked)
        raise
    return write_out(out, result, op.name, checked)


def _by_numpys_names(
    inputs: tuple[object, ...], named: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the inputs with those given by NumPy's names for them, and what else was given by name."""
    left = {ALTERNATIVES.get(key, key): value for key, value in named.items()}
    if len(left) < len(named):
        return inputs, dict(named)
    places = dict(zip(("input", "other"), inputs))
    found = [left.pop(name, v) if v is calls.ABSENT else v for name, v in places.items()]
    return (*found, *inputs[2:]), dict(named) if left.keys() - {"out"} else left


def _wrong_call(op: Op, inputs: tuple[object, ...], named: Mapping[str, Any], method: str) -> Exception:
    """Build the error for a call with too few, too many, unknown or wrong named arguments."""
    given = tuple(v for v in inputs if v is not calls.ABSENT)
    error = None
    for place in ("Tensor",) if method else ("", "special", "linalg", "nn"):
        error = error or wrong_call(place, method or op.name, given[1:] if method else given, named)
    return error or TypeError(
        f"{method or op.name}() takes {len(op.inputs)} positional arguments but {len(given)} were given"
    )


#: What reads the arguments of comparisons, asked for their errors only.
_COMPARISONS = {name: Parser(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}

#: Functions whose first operand may be a number too.
_NUMBERS_FIRST = frozenset({"add", "sub", "mul", "div"})


def checked_operand(op: Op, position: int, v: Any, method: bool = False) -> Any:
    """Return an operand as ops take it, or raise torch's TypeError; a method does not count itself."""
    if isinstance(v, TensorBase):
        return v
    if op.numbers if position else op.name in _NUMBERS_FIRST:
        v = dtypes.plain_number(v)
        if isinstance(v, (bool, int, float, complex)):
            dtypes.check_number(v)
            return v
    name = ("input", "other")[min(position, 1)]
    raise errors.argument_type(op.name, name, position + (not method), "Tensor", v)


facade.provide(public_call=public_call)


def _answering(method: str, function: Any, *known: type, inner: Any = None) -> Any:
    """Return an operator that has no answer to operands of other types than those that the function knows.

    `method` is what overrides are told was called, `inner` what the function does with a tensor and a number
    that nothing overrides.
    """

    def operator(self: Any, other: Any) -> Any:
        if not OVERRIDING or undisturbed(self, other):
            if inner is not None and type(self) is Tensor and type(other) in (int, float):
                return inner(self, other)
            if isinstance(other, TensorBase):
                return function(self, other)
        if (found := override_operator(method, self, other)) is not PASS:
            return found
        if not isinstance(other, known):
            return NotImplemented
        other = dtypes.plain_number(other)
        dtypes.check_number(other)
        return function(self, other)

    return operator


def _reflected(function: Any) -> Any:
    def operator(self: Any, other: Any) -> Any:
        return function(other, self)

    return operator


def _inverted(self: Any) -> Any:
    if (found := override_operator("__invert__", self)) is not PASS:
        return found
    if dtype_of(self).kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return comparison.bitwise_not.op.public(self)


_NUMBERS = (TensorBase, bool, int, float, complex, np.generic)

#: Ops whose closures are operators as they are.
_PLAIN = {
    "__sub__": arithmetic.sub, "__rsub__": arithmetic.rsub, "__truediv__": arithmetic.div,
    "__lshift__": comparison.bitwise_left_shift, "__rshift__": comparison.bitwise_right_shift,
    **dict.fromkeys(("__add__", "__radd__"), arithmetic.add),
    **dict.fromkeys(("__mul__", "__rmul__"), arithmetic.mul),
    **dict.fromkeys(("__and__", "__rand__"), comparison.bitwise_and),
    **dict.fromkeys(("__or__", "__ror__"), comparison.bitwise_or),
    **dict.fromkeys(("__xor__", "__rxor__"), comparison.bitwise_xor),
    **{f"__{name}__": getattr(comparison, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}  # fmt: skip

#: What operators are called that are not a method under another name: overrides read it.
_OWN_NAMES = {
    name: name
    for name in (
        *_PLAIN, "__floordiv__", "__rfloordiv__", "__rpow__", "__rmatmul__", "__rmod__", "__rlshift__",
        "__rrshift__", "__invert__", "__rdiv__",
    )
} | {"__matmul__": "matmul", "__mod__": "remainder", "__pow__": "pow"}  # fmt: skip

_OPERATORS = {
    **{name: make_call(call.op, public=True, method=name) for name, call in _PLAIN.items()},
    **dict.fromkeys(
        ("__rdiv__", "__rtruediv__"),
        _answering("__rtruediv__", lambda x, other: x.reciprocal() * other, *_NUMBERS, np.ndarray),
    ),
    "__neg__": make_call(arithmetic.neg.op, public=True, method="neg"),
    "__abs__": make_call(elementwise.abs.op, public=True, method="abs"),
    "__pow__": _answering("__pow__", power, *_NUMBERS, inner=power_of),
    "__rpow__": _answering("__rpow__", _reflected(power), *_NUMBERS),
    "__matmul__": _answering("matmul", matmul, TensorBase),
    "__rmatmul__": _answering("__rmatmul__", _reflected(matmul), TensorBase),
    "__floordiv__": _answering("__floordiv__", floor_divide, *_NUMBERS),
    "__rfloordiv__": _answering("__rfloordiv__", _reflected(floor_divide), *_NUMBERS),
    "__mod__": _answering("remainder", remainder, *_NUMBERS, inner=remainder_of),
    "__rmod__": _answering("__rmod__", _reflected(remainder), *_NUMBERS),
    "__pos__": positive,
    "__invert__": _inverted,
    "__rlshift__": _answering("__rlshift__", _reflected(comparison.bitwise_left_shift), *_NUMBERS),
    "__rrshift__": _answering("__rrshift__", _reflected(comparison.bitwise_right_shift), *_NUMBERS),
    **{
        f"__i{name}__": inplace_variant(op.name, op.public, operator=True)
        for name in ("add", "sub", "mul", "truediv", "and", "or", "xor", "lshift", "rshift")
        for op in (_PLAIN[f"__{name}__"].op,)
    },
    "__ipow__": inplace_variant("pow", power, operator=True),
    "__ifloordiv__": inplace_variant("floor_divide", mixture.floor_divide_, operator=True),
    "__imod__": inplace_variant("remainder", remainder, operator=True),
    "__hash__": lambda self: id(self),
}
for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
for _name, _own in _OWN_NAMES.items():
    _OPERATORS[_name].__name__ = _OPERATORS[_name].__qualname__ = _own
