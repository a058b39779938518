"""Python's operators on tensors: each is an op's closure, attached as it is."""

from __future__ import annotations

from ..ops import arithmetic
from .api import public_op
from .tensor import Tensor

Tensor.__add__ = Tensor.__radd__ = arithmetic.add.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__sub__ = arithmetic.sub.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__rsub__ = arithmetic.rsub.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__mul__ = Tensor.__rmul__ = arithmetic.mul.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__truediv__ = arithmetic.div.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__neg__ = arithmetic.neg.op.public  # type: ignore[attr-defined, method-assign, assignment]
Tensor.__pow__ = lambda self, exponent: arithmetic.pow_scalar(self, exponent)  # type: ignore[attr-defined, method-assign]

for _call in (arithmetic.mul, arithmetic.neg):
    public_op(_call)
