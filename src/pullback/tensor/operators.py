"""Python's operators on tensors: each is an op's closure, attached as it is where it can be."""

from __future__ import annotations

from typing import Any

from ..core.value import TensorBase
from ..ops import arithmetic, comparison, elementwise
from .api import inplace_twin
from .contract import matmul
from .math import power
from .tensor import Tensor

_NUMBERS = (bool, int, float, complex)


def _reflected_division(self: Any, other: Any) -> Any:
    return arithmetic.mul(arithmetic.reciprocal(self), other)


def _reflected_power(self: Any, base: Any) -> Any:
    return power(base, self)


def _reflected_product(self: Any, other: Any) -> Any:
    return matmul(other, self)


def _compare(call: Any) -> Any:
    compare = call.op.public

    def operator(self: Any, other: Any) -> Any:
        if isinstance(other, (TensorBase, *_NUMBERS)):
            return compare(self, other)
        return NotImplemented

    return operator


_OPERATORS = {
    "__add__": arithmetic.add.op.public,
    "__radd__": arithmetic.add.op.public,
    "__sub__": arithmetic.sub.op.public,
    "__rsub__": arithmetic.rsub.op.public,
    "__mul__": arithmetic.mul.op.public,
    "__rmul__": arithmetic.mul.op.public,
    "__truediv__": arithmetic.div.op.public,
    "__rtruediv__": _reflected_division,
    "__neg__": arithmetic.neg.op.public,
    "__abs__": elementwise.abs.op.public,
    "__pow__": power,
    "__rpow__": _reflected_power,
    "__matmul__": matmul,
    "__rmatmul__": _reflected_product,
    "__eq__": _compare(comparison.eq),
    "__ne__": _compare(comparison.ne),
    "__lt__": comparison.lt.op.public,
    "__le__": comparison.le.op.public,
    "__gt__": comparison.gt.op.public,
    "__ge__": comparison.ge.op.public,
    "__and__": comparison.bitwise_and.op.public,
    "__rand__": comparison.bitwise_and.op.public,
    "__or__": comparison.bitwise_or.op.public,
    "__ror__": comparison.bitwise_or.op.public,
    "__xor__": comparison.bitwise_xor.op.public,
    "__rxor__": comparison.bitwise_xor.op.public,
    "__invert__": comparison.bitwise_not.op.public,
    "__lshift__": comparison.bitwise_left_shift.op.public,
    "__rshift__": comparison.bitwise_right_shift.op.public,
    "__iadd__": inplace_twin("add", arithmetic.add.op.public),
    "__isub__": inplace_twin("sub", arithmetic.sub.op.public),
    "__imul__": inplace_twin("mul", arithmetic.mul.op.public),
    "__itruediv__": inplace_twin("div", arithmetic.div.op.public),
    "__ipow__": inplace_twin("pow", power),
    "__hash__": object.__hash__,
}
for _name, _function in _OPERATORS.items():
    setattr(Tensor, _name, _function)
