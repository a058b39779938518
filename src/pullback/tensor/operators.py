"""Python's operators on tensors: each is an op's closure, attached as it is where it can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import dtypes
from ..core.calls import make_call
from ..core.value import TensorBase, dtype_of
from ..ops import arithmetic, comparison, elementwise, mixture
from .contract import matmul
from .inplace_twins import inplace_twin
from .interception import OVERRIDING, PASS
from .math import floor_divide, positive, power, power_of, remainder, remainder_of
from .tensor import Tensor
from .whole_calls import override_operator


def _answering(method: str, function: Any, *known: type, inner: Any = None) -> Any:
    """Return an operator that has no answer to operands of other types than those that the function knows.

    Parameters
    ----------
    method
        What overrides are told was called.
    function
        What gives the result.
    known
        The types of operands that the function has answers or errors for.
    inner
        What the function does with a tensor and a number, where nothing can override it.
    """

    def operator(self: Any, other: Any) -> Any:
        if inner is not None and type(self) is Tensor and type(other) in (int, float):
            return inner(self, other)
        if isinstance(other, TensorBase) and not OVERRIDING:
            return function(self, other)
        found = override_operator(method, self, other)
        if found is not PASS:
            return found
        if not isinstance(other, known):
            return NotImplemented
        dtypes.check_number(other)
        return function(self, other)

    return operator


def _reflected(function: Any) -> Any:
    def operator(self: Any, other: Any) -> Any:
        return function(other, self)

    return operator


def _inverted(self: Any) -> Any:
    found = override_operator("__invert__", self)
    if found is not PASS:
        return found
    if dtype_of(self).kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return comparison.bitwise_not.op.public(self)


_NUMBERS = (TensorBase, bool, int, float, complex, np.generic)

#: Ops whose closures are operators as they are.
_PLAIN = {
    "__add__": arithmetic.add,
    "__radd__": arithmetic.add,
    "__sub__": arithmetic.sub,
    "__rsub__": arithmetic.rsub,
    "__mul__": arithmetic.mul,
    "__rmul__": arithmetic.mul,
    "__truediv__": arithmetic.div,
    "__eq__": comparison.eq,
    "__ne__": comparison.ne,
    "__lt__": comparison.lt,
    "__le__": comparison.le,
    "__gt__": comparison.gt,
    "__ge__": comparison.ge,
    "__and__": comparison.bitwise_and,
    "__rand__": comparison.bitwise_and,
    "__or__": comparison.bitwise_or,
    "__ror__": comparison.bitwise_or,
    "__xor__": comparison.bitwise_xor,
    "__rxor__": comparison.bitwise_xor,
    "__lshift__": comparison.bitwise_left_shift,
    "__rshift__": comparison.bitwise_right_shift,
}

#: What operators are called that are not a method under another name: overrides read it.
_OWN_NAMES = {
    **{name: name for name in _PLAIN},
    **{
        name: name
        for name in (
            "__floordiv__", "__rfloordiv__", "__rpow__", "__rmatmul__", "__rmod__", "__rlshift__",
            "__rrshift__",
        )
    },
    "__invert__": "__invert__", "__matmul__": "matmul", "__mod__": "remainder", "__pow__": "pow",
    "__rdiv__": "__rdiv__",
}

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
    "__iadd__": inplace_twin("add", arithmetic.add.op.public, operator=True),
    "__isub__": inplace_twin("sub", arithmetic.sub.op.public, operator=True),
    "__imul__": inplace_twin("mul", arithmetic.mul.op.public, operator=True),
    "__itruediv__": inplace_twin("div", arithmetic.div.op.public, operator=True),
    "__ipow__": inplace_twin("pow", power, operator=True),
    "__ifloordiv__": inplace_twin("floor_divide", mixture.floor_divide_, operator=True),
    "__imod__": inplace_twin("remainder", remainder, operator=True),
    "__iand__": inplace_twin("bitwise_and", comparison.bitwise_and.op.public, operator=True),
    "__ior__": inplace_twin("bitwise_or", comparison.bitwise_or.op.public, operator=True),
    "__ilshift__": inplace_twin(
        "bitwise_left_shift", comparison.bitwise_left_shift.op.public, operator=True
    ),
    "__irshift__": inplace_twin(
        "bitwise_right_shift", comparison.bitwise_right_shift.op.public, operator=True
    ),
    "__ixor__": inplace_twin("bitwise_xor", comparison.bitwise_xor.op.public, operator=True),
    "__hash__": lambda self: id(self),
}
for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
for _name, _own in _OWN_NAMES.items():
    _OPERATORS[_name].__name__ = _OPERATORS[_name].__qualname__ = _own
