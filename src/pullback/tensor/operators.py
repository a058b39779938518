"""Python's operators on tensors: each is an op's closure, attached as it is where it can be."""

from __future__ import annotations

from typing import Any

from ..core.calls import make_call
from ..ops import arithmetic, comparison, elementwise
from .api import inplace_twin
from .contract import matmul
from .math import floor_divide, positive, power, remainder
from .tensor import Tensor

def _reflected_division(self: Any, other: Any) -> Any:
    return arithmetic.mul(arithmetic.reciprocal(self), other)


def _reflected_power(self: Any, base: Any) -> Any:
    return power(base, self)


def _reflected_product(self: Any, other: Any) -> Any:
    return matmul(other, self)


def _reflected(function: Any) -> Any:
    def operator(self: Any, other: Any) -> Any:
        return function(other, self)

    return operator


def _operator(call: Any) -> Any:
    return make_call(call.op, public=True, operator=True)


_OPERATORS = {
    "__add__": _operator(arithmetic.add),
    "__radd__": _operator(arithmetic.add),
    "__sub__": _operator(arithmetic.sub),
    "__rsub__": _operator(arithmetic.rsub),
    "__mul__": _operator(arithmetic.mul),
    "__rmul__": _operator(arithmetic.mul),
    "__truediv__": _operator(arithmetic.div),
    "__rtruediv__": _reflected_division,
    "__neg__": arithmetic.neg.op.public,
    "__abs__": elementwise.abs.op.public,
    "__pow__": power,
    "__rpow__": _reflected_power,
    "__matmul__": matmul,
    "__rmatmul__": _reflected_product,
    "__floordiv__": floor_divide,
    "__rfloordiv__": _reflected(floor_divide),
    "__mod__": remainder,
    "__rmod__": _reflected(remainder),
    "__pos__": positive,
    "__eq__": _operator(comparison.eq),
    "__ne__": _operator(comparison.ne),
    "__lt__": _operator(comparison.lt),
    "__le__": _operator(comparison.le),
    "__gt__": _operator(comparison.gt),
    "__ge__": _operator(comparison.ge),
    "__and__": _operator(comparison.bitwise_and),
    "__rand__": _operator(comparison.bitwise_and),
    "__or__": _operator(comparison.bitwise_or),
    "__ror__": _operator(comparison.bitwise_or),
    "__xor__": _operator(comparison.bitwise_xor),
    "__rxor__": _operator(comparison.bitwise_xor),
    "__invert__": comparison.bitwise_not.op.public,
    "__lshift__": _operator(comparison.bitwise_left_shift),
    "__rshift__": _operator(comparison.bitwise_right_shift),
    "__iadd__": inplace_twin("add", arithmetic.add.op.public),
    "__isub__": inplace_twin("sub", arithmetic.sub.op.public),
    "__imul__": inplace_twin("mul", arithmetic.mul.op.public),
    "__itruediv__": inplace_twin("div", arithmetic.div.op.public),
    "__ipow__": inplace_twin("pow", power),
    "__ifloordiv__": inplace_twin("floor_divide", floor_divide),
    "__imod__": inplace_twin("remainder", remainder),
    "__iand__": inplace_twin("bitwise_and", comparison.bitwise_and.op.public),
    "__ior__": inplace_twin("bitwise_or", comparison.bitwise_or.op.public),
    "__ixor__": inplace_twin("bitwise_xor", comparison.bitwise_xor.op.public),
    "__hash__": object.__hash__,
}
for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
