"""Apply functions to nested tensors: those that torch has for them, with its errors.

A rule takes the function that was called and its arguments; most call it with each part in turn.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .nested import NestedTensor, nested, refuse
from .tensor import Tensor, checked_dim

Function = Callable[..., Any]


def _mapped(func: Function, *args: Any, **kwargs: Any) -> Any:
    """Return the function of each part; of other nested arguments the part at the same place."""
    every = (*args, *kwargs.values())
    count = next(len(v._parts) for v in every if isinstance(v, NestedTensor))
    results = []
    for i in range(count):
        own = [v._parts[i] if isinstance(v, NestedTensor) else v for v in args]
        named = {k: v._parts[i] if isinstance(v, NestedTensor) else v for k, v in kwargs.items()}
        results.append(func(*own, **named))
    return nested(results)


def _in_place(func: Function, x: Any, *args: Any, **kwargs: Any) -> Any:
    _mapped(func, x, *args, **kwargs)
    return x


def _arithmetic(name: str, apply: Function) -> Function:
    """Return a binary function of two nested tensors of the same sizes, or of one and a number."""

    def rule(func: Function, x: Any, y: Any, **kwargs: Any) -> Any:
        if kwargs.get("rounding_mode") is not None:
            refuse("div.Tensor_mode")
        if isinstance(x, NestedTensor) and isinstance(y, NestedTensor):
            if x.sizes() != y.sizes():
                raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")
        else:
            other = y if isinstance(x, NestedTensor) else x
            if isinstance(other, Tensor) and other.dim():
                raise _one_is_not(x, "Expected both self and other to be nested")
        return apply(func, x, y, **kwargs)

    return rule


def _one_is_not(x: Any, text: str) -> RuntimeError:
    words = ("nested", "non-nested")
    mine, its = words if isinstance(x, NestedTensor) else words[::-1]
    return RuntimeError(f"{text}, but got a {mine} self and {its} other")


def _comparison(func: Function, x: Any, y: Any) -> Any:
    if func.__name__ not in ("eq", "__eq__"):
        if isinstance(y, Tensor):
            refuse(f"{func.__name__}.Tensor")
    elif not isinstance(x, NestedTensor) or (isinstance(y, Tensor) and (y.is_nested or y.dim())):
        raise RuntimeError("eq does not support nested tensor as other value.")
    return _mapped(func, x, y)


def _masked(apply: Function) -> Function:
    def rule(func: Function, x: Any, mask: Any, value: Any) -> Any:
        if mask.dim() and not mask.is_nested:
            raise _one_is_not(x, "Expected both self and other to be nested")
        return apply(func, x, mask, value)

    return rule


def _inner(x: Any, dim: int) -> int:
    """Return the axis of the parts that an axis of a nested tensor is; −1 for that along which they lie."""
    return checked_dim(dim, x.dim()) - 1


def _softmax(func: Function, input: Any, dim: int, *args: Any, **kwargs: Any) -> Any:
    if (axis := _inner(input, dim)) < 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return _mapped(func, input, axis, *args, **kwargs)


def _sum(func: Function, input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dim is None:
        refuse("sum")
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    if len(dims) != 1:
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    if dtype is not None:
        raise RuntimeError("NestedTensor does not support dtype argument for now.")
    if (axis := _inner(input, dims[0])) != input.dim() - 2:
        raise RuntimeError(
            "NestedTensor can only be reduced across the last dimension for now got dimension "
            f"{axis + 1} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return _mapped(func, input, axis, True)


def _transpose(func: Function, input: Any, dim0: int, dim1: int) -> Any:
    a, b = _inner(input, dim0), _inner(input, dim1)
    if a == b:
        return input
    if min(a, b) < 0:
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    return _mapped(func, input, a, b)


_ASK = "if you need this feature, please open an issue on github describing your use case."


def _unsqueeze(func: Function, input: Any, dim: int) -> Any:
    if (axis := checked_dim(dim, input.dim() + 1) - 1) < 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment " + _ASK
        )
    return _mapped(func, input, axis)


def _squeeze(func: Function, input: Any, dim: Any = None) -> Any:
    if dim is None:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeeze without the dim argument is not supported at the moment, "
            "however you can use squeeze(Tensor self, int dim) instead " + _ASK
        )
    if (axis := _inner(input, dim)) < 0:
        raise RuntimeError(
            "squeeze(): For nested tensors, squeezing dimension 0 is not supported at the moment " + _ASK
        )
    return _mapped(func, input, axis)


def _select(func: Function, input: Any, dim: int, index: int) -> Any:
    axis = _inner(input, dim)
    return input.part(index) if axis < 0 else _mapped(func, input, axis, index)


def _narrow(func: Function, input: Any, dim: int, start: int, length: int) -> Any:
    if _inner(input, dim) >= 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    count = len(input._parts)
    if not 0 <= start <= start + length <= count:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({count}).")
    return nested(input._parts[start : start + length])


def _chunk(func: Function, input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    axis = _last(input, dim, "Chunk for nested tensors is currently only supported for the last dimension.")
    size = input.size(-1)
    if size % chunks:
        raise RuntimeError(
            "Chunk for nested tensors is only supported for nested tensors with trailing dimension divisible "
            f"by chunks, got: {size} % {chunks} != 0"
        )
    return _divided([func(part, chunks, axis) for part in input._parts])


_ONLY_LAST = "split_with_sizes for nested tensors is currently only supported for the last dimension."


def _split(func: Function, input: Any, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    axis = _last(input, dim, _ONLY_LAST)
    if sum(split_sizes) != input.size(-1):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.size(-1)} (input tensor's size "
            f"at dimension {axis + 1}), but got split_sizes={list(split_sizes)}"
        )
    return _divided([func(part, split_sizes, axis) for part in input._parts])


def _last(x: Any, dim: int, text: str) -> int:
    if (axis := _inner(x, dim)) != x.dim() - 2:
        raise RuntimeError(text)
    return axis


def _divided(pieces: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    return tuple(nested(of_all) for of_all in zip(*pieces, strict=True))


def _reshaped(func: Function, input: Any, *shape: Any) -> Any:
    sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    name = func.__name__
    if not sizes or sizes[0] != len(input._parts):
        raise RuntimeError(
            f"{name}: For now nested {name} cannot change or infer the implicit batch dimension"
        )
    results = []
    for part in input._parts:
        # Of axes that stay, -1 stands for the part's own size.
        own = [part.shape[i] if n == -1 and i < part.dim() else n for i, n in enumerate(sizes[1:])]
        if int(np.prod(own)) != part.numel():
            raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {part.numel()}")
        results.append(func(part, own))
    return nested(results)


def _product(func: Function, input: Any, other: Any) -> Any:
    if not (isinstance(input, NestedTensor) and isinstance(other, NestedTensor)):
        raise _one_is_not(input, "Expected both to be nested")
    for i, (x, y) in enumerate(zip(input._parts, other._parts, strict=True)):
        if x.shape[-1] != y.shape[-2]:
            raise RuntimeError(
                f"{i}-th nested matrices in batch cannot be multiplied ({x.shape[-2]}x{x.shape[-1]} and "
                f"{y.shape[-2]}x{y.shape[-1]})"
            )
    return nested([x @ y for x, y in zip(input._parts, other._parts, strict=True)])


def _linear(func: Function, input: Any, weight: Any, bias: Any = None) -> Any:
    if (last := input.size(-1)) != weight.shape[1]:
        raise RuntimeError(
            "Shape mismatch for NestedTensor Linear: Expected input's (a nested tensor) 'last_dim' to equal "
            f"'weight.size(1), but got: last_dim = {last}, and weight.size(1) = {weight.shape[1]}"
        )
    return _mapped(func, input, weight, bias)


def _layer_norm(
    func: Function, input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    if weight is None or bias is None:
        raise ValueError("NestedTensor layer_norm requires weight and bias")
    return _mapped(func, input, normalized_shape, weight, bias, eps)


def _converted(func: Function, input: Any, *args: Any, **kwargs: Any) -> Any:
    results = [func(part, *args, **kwargs) for part in input._parts]
    same = all(a is b for a, b in zip(results, input._parts, strict=True))
    return input if same else nested(results)


_ALIKE = (
    "abs", "cos", "gelu", "isinf", "isnan", "isneginf", "isposinf", "logical_not", "neg",
    "relu", "sgn", "silu", "sin", "sqrt", "tanh", "clone", "contiguous", "dropout", "embedding", "ones_like",
    "zeros_like", "empty_like", "scaled_dot_product_attention",
)  # fmt: skip
_WRITING = ("abs_", "gelu_", "neg_", "relu_", "sgn_", "silu_", "tanh_", "zero_")
_CONVERTING = (
    "to", "type", "type_", "cpu", "float", "double", "half", "bfloat16", "int", "long", "short", "bool",
    "char", "byte",
)

#: What a function does that is called with a nested tensor: ``rule(function, *args)``.
RULES: dict[str, Function] = {
    **dict.fromkeys(_ALIKE, _mapped), **dict.fromkeys(_WRITING, _in_place),
    **dict.fromkeys(_CONVERTING, _converted), **dict.fromkeys(("eq", "__eq__", "ge", "gt"), _comparison),
    **{
        name: _arithmetic(shown, _mapped)
        for shown in ("add", "sub", "mul", "div") for name in (shown, f"__{shown}__")
    },
    **{f"{name}_": _arithmetic(name, _in_place) for name in ("add", "sub", "mul", "div")},
    "__radd__": _arithmetic("add", _mapped), "__rmul__": _arithmetic("mul", _mapped),
    "masked_fill": _masked(_mapped), "masked_fill_": _masked(_in_place),
    "true_divide": _arithmetic("div", _mapped), "softmax": _softmax, "sum": _sum, "transpose": _transpose,
    "unsqueeze": _unsqueeze, "squeeze": _squeeze, "select": _select, "narrow": _narrow, "chunk": _chunk,
    "split_with_sizes": _split, "reshape": _reshaped, "view": _reshaped, "bmm": _product, "matmul": _product,
    "__matmul__": _product, "linear": _linear, "layer_norm": _layer_norm,
    "to_padded_tensor": lambda _, x, *given, **named: x.to_padded_tensor(*given, **named),
    "unbind": lambda _, x, dim=0: NestedTensor.unbind(x, dim),
    "detach": lambda _, x: NestedTensor.detach(x), "size": lambda _, x, *dim: NestedTensor.size(x, *dim),
    "numel": lambda _, x: NestedTensor.numel(x), "is_tensor": lambda _, x: True,
    "is_floating_point": lambda _, x: x.dtype.is_floating_point,
    "is_complex": lambda _, x: x.dtype.is_complex,
    "is_same_size": lambda _, x, y: NestedTensor.is_same_size(x, y),
}  # fmt: skip
