"""The text of tensors inside transforms: what they wrap, and at which level."""

from typing import Any

from ..core.batched import Batched
from ..core.dual import Dual
from ..core.levels import META, Level, has_ended
from ..core.value import TensorBase, escaped
from ..core.visible import inside
from .batching import as_tensor
from .printing import tensor_text, wrapper_text


def levels_of(tensor: Any) -> list[int]:
    """Return the levels of the transforms around a tensor's data, outermost last."""
    levels: set[int] = set()
    value = tensor
    while value is not None:
        if isinstance(value, TensorBase) and value._level > META:
            levels.add(value._level)
        value = inside(value)
    return sorted(levels)


def wrapped_text(tensor: Any) -> str:
    """Return `BatchedTensor(lvl=1, …)` or `GradTrackingTensor(lvl=1, …)` around the inner text."""
    value = tensor._value
    if has_ended(tensor._level) and not isinstance(value, Batched):
        return repr(as_tensor(escaped(tensor, tensor._level)))
    level = levels_of(tensor).index(tensor._level) + 1
    if isinstance(value, Batched):
        return wrapper_text("BatchedTensor", repr(as_tensor(value.value)), level=level, bdim=value.dim)
    if isinstance(value, Dual):
        inner = as_tensor(value.primal)
        if inner._level or (isinstance(value._level, Level) and value._level.of_function):
            return wrapper_text("GradTrackingTensor", repr(inner), level=level)
        node = inner.grad_fn
        return tensor_text(
            inner._value, requires_grad=inner.requires_grad,
            grad_fn=None if node is None else type(node).__name__, tangent=format(as_tensor(value.tangent)),
        )
    return wrapper_text("GradTrackingTensor", repr(as_tensor(value)), level=level)
