"""What `__torch_function__` is told was called where an operator meets a class that overrides functions."""

from __future__ import annotations

import operator
from typing import Any

T = Any

BINARY = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.matmul, operator.floordiv,
    operator.mod, operator.pow, operator.lt, operator.ge, operator.and_, operator.or_, operator.xor,
    operator.lshift,
)  # fmt: skip

METHODS = (
    "add", "__rsub__", "sub", "mul", "div", "__rtruediv__", "matmul", "__rmatmul__", "__floordiv__",
    "__rfloordiv__", "remainder", "__rmod__", "__pow__", "__rpow__", "eq", "lt", "gt", "ge", "le",
    "__and__", "bitwise_and", "__or__", "bitwise_or", "__xor__", "bitwise_xor", "__lshift__",
    "__rlshift__", "add_", "sub_", "mul_", "div_", "neg", "abs", "__invert__",
)  # fmt: skip


def _tells(torch: T, func: Any) -> list[str]:
    """The function's name, and the methods that it is."""
    return [func.__name__, *(name for name in METHODS if getattr(torch.Tensor, name) is func)]


def foreign_operands(torch: T) -> None:
    class Foreign:
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return [*_tells(torch, func), *(type(a).__name__ for a in args)]

    x, other = torch.ones(2, 2), Foreign()
    for function in BINARY:
        print(function.__name__, function(x, other), function(other, x))
    print(operator.iadd(x, other), operator.itruediv(x, other))
    print(torch.is_tensor(other), torch.is_complex(other), torch.sub(other, x), x.sub(other))


def subclasses(torch: T) -> None:
    class Telling(torch.Tensor):  # type: ignore[misc, name-defined]  # a base known at run time only
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            print(*_tells(torch, func), *(type(a).__name__ for a in args))
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))

    x, y = torch.tensor([1, 2]).as_subclass(Telling), torch.tensor([3, 4])
    for function in BINARY:
        print(function.__name__)
        print(function(x, y), function(y, x))
    for function in BINARY[:4]:
        print(function(2, x))
    for unary in (operator.neg, operator.abs, operator.invert):
        print(unary(x))
    x += y
    x *= 2
    print(torch.is_tensor(x))


def attributes_are_told_of(torch: T) -> None:
    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: T, types: T, args: T = (), kwargs: T = None) -> T:
            print(" ", torch.overrides.resolve_name(func), func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    t = torch.ones(2, 2).as_subclass(Told)
    for name in ("shape", "dtype", "grad", "is_leaf", "T", "data", "real", "_base"):
        print(name, type(getattr(t, name)).__name__)
    t.requires_grad = True
    t.data = torch.zeros(2, 2)
    len(t), repr(t), t.size(), t.detach()
    resolve = torch.overrides.resolve_name
    print(resolve(torch.Tensor.shape.__get__), resolve(torch.einsum), resolve(torch.add), resolve(len))
