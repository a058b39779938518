"""Find the tensors in what a module returns, and the leaves that a backward from them would reach."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from ...core.node import AccumulateGrad, edge_target
from ...tensor.tensor import Tensor


def tensors_in(value: Any) -> Iterator[Tensor]:
    """Yield the tensors in nested lists, tuples, dictionaries and data classes."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from tensors_in(getattr(value, name))


def with_tensors(value: Any, replace: Callable[[Tensor], Any]) -> Any:
    """Return nested lists, tuples, dictionaries and data classes with each tensor replaced."""
    if isinstance(value, Tensor):
        return replace(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(with_tensors(item, replace) for item in value))
    if isinstance(value, (list, tuple)):
        return type(value)(with_tensors(item, replace) for item in value)
    if isinstance(value, dict):
        result = copy(value)
        for key, item in value.items():
            result[key] = with_tensors(item, replace)
        return result
    if hasattr(value, "__dataclass_fields__"):
        result = copy(value)
        for name in value.__dataclass_fields__:
            object.__setattr__(result, name, with_tensors(getattr(value, name), replace))
        return result
    return value


def leaves_behind(outputs: Sequence[Tensor]) -> set[int]:
    """Return the identities of the leaves that the history of `outputs` leads to."""
    found = {id(t) for t in outputs if t.requires_grad and t.is_leaf}
    stack = [t.grad_fn for t in outputs if t.grad_fn is not None]
    seen = set(stack)
    while stack:
        node: Any = stack.pop()
        if type(node) is AccumulateGrad:
            found.add(id(node.variable))
        for edge in node._edges:
            target = None if edge is None else edge_target(edge)[0]
            if target is not None and target not in seen:
                seen.add(target)
                stack.append(target)
    return found
