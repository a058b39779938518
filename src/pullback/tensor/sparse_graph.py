"""Histories of sparse tensors: what the functions of theirs leave behind for `backward`.

A rule is written as torch's table of derivatives has it, in functions of tensors, so that its covectors have
torch's layouts, and fail where torch's do. What has no rule is computed of values with their own history,
which `values_of` and `of_values` join to that of the sparse tensors.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ..core.blame import stamp
from ..core.calls import edge_of
from ..core.hooked import as_inner, as_tensor
from ..core.modes import modes
from ..core.node import DIFFERENTIABLE, Node
from ..core.value import TensorBase, dtype_of, shape_of, wrap_alias
from .constants import layout_title, strided
from .interception import without
from .tensor import Tensor

Function = Callable[..., Any]
#: Gives the covector of one input for that of the result.
Pullback = Callable[[Any], Any]


class SparseNode(Node):
    """The history of a function of sparse tensors: `_saved` is what pulls a covector back to each input."""

    __slots__ = ("_layouts",)

    __module__ = "torch.autograd.graph"

    #: The layout of each input.
    _layouts: tuple[Any, ...]

    def _pulled(self, g: Any) -> list[Any]:
        found = []
        for place, (edge, pull) in enumerate(zip(self._edges, self._saved, strict=True)):
            grad = None if edge is None or pull is None else pull(g)
            if grad is not None and grad._sparse and not grad.is_sparse:
                self._check_layout(place, grad)
            found.append(grad)
        return found

    def _check_layout(self, place: int, grad: Any) -> None:
        expected = self._layouts[place]
        if grad.layout is not expected:
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {place} - expected "
                f"layout {layout_title(expected)} but got {layout_title(grad.layout)}"
            )

    def backward(self, g: Any) -> tuple[Any, ...]:
        return tuple([as_inner(grad, False) for grad in self._pulled(as_tensor(g))])

    def backward_graph(self, g: Any) -> tuple[Any, ...]:
        return tuple(self._pulled(g))


@cache
def _node_class(name: str) -> type[SparseNode]:
    return type(name, (SparseNode,), {"__slots__": (), "__module__": SparseNode.__module__})


def is_recorded(tensors: Sequence[Any]) -> bool:
    """Return whether something among the arguments of a call has a history, and calls are recorded."""
    return modes().grad and any(isinstance(t, Tensor) and t.requires_grad for t in tensors)


def record(name: str, result: Any, inputs: Sequence[Any], pulls: Sequence[Pullback | None]) -> Any:
    """Give a result, which has no history, that of a function of the inputs."""
    if dtype_of(result) not in DIFFERENTIABLE:
        return result
    node = object.__new__(_node_class(name))
    node._edges = tuple([edge_of(t) if isinstance(t, TensorBase) else None for t in inputs])
    node._saved = tuple(pulls)
    node._layouts = tuple([getattr(t, "layout", None) for t in inputs])
    node._shape, node._dtype = shape_of(result), dtype_of(result)
    stamp(node)
    result._node = node
    return result


def values_of(x: Any) -> Any:
    """Return the values of a sparse tensor, with its history where it has one."""
    plain = x._plain
    if x._node is None or not modes().grad:
        return plain
    return record("ValuesBackward0", wrap_alias(plain._value, plain), (x,), (x._spread,))


def of_values(x: Any, values: Any, name: str) -> Any:
    """Give a sparse tensor the values that it is made of, with their history."""
    if values._node is None or not modes().grad:
        x._plain = values
        return x
    x._plain = values.detach()
    return record(name, x, (values,), (x._gathered,))


def is_of_values(x: Any) -> bool:
    """Return whether a sparse tensor was made of values that have a history."""
    node = x._node
    return isinstance(node, SparseNode) and node._layouts == (strided,)


#: A rule: ``rule(result, *args, **kwargs)`` gives, for each argument by place, what pulls back to it.
Rule = Callable[..., Sequence[Pullback | None]]


def run(handler: Function, rule: tuple[str, Rule] | None, args: tuple[Any, ...], kwargs: Any) -> Any:
    """Call a function of sparse tensors, and record it by its rule where there is one."""
    if rule is None or not is_recorded(args):
        return handler(*args, **kwargs)
    with without(grad=False):
        result = handler(*args, **kwargs)
    if not isinstance(result, TensorBase) or any(result is a for a in args):
        return result
    name, derive = rule
    pulls = derive(result, *args, **kwargs)
    return record(name, result, args[: len(pulls)], pulls)


def renamed(result: Any, name: str) -> Any:
    """Give the node of a result, which is put together from others, the name that torch's has."""
    node: Any = result.grad_fn
    if node is not None:
        kind: Any = type(node)
        node.__class__ = _renamed_class(kind, name)
    return result


@cache
def _renamed_class(kind: type[Node], name: str) -> type[Node]:
    return type(name, (kind,), {"__slots__": (), "__module__": SparseNode.__module__})
