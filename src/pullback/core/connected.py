"""Gradients that do not vary with what they were computed from, and yet stay connected to it.

The slope of ``leaky_relu`` is piecewise constant: its gradient is a function of the covector alone. In torch
the pullback is an op of the covector and the input, so under ``create_graph`` the gradient requires grad
where the input does, and a second derivative is zeros and not "unused". An op that is declared with a
`Gradient` has such a node put on what its rules return; the plain pullback is not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy import ndarray

from .blame import stamp
from .calls import edge_of
from .modes import modes
from .node import Node, Output, edge_target
from .underivable import Underivable, no_derivative
from .value import TensorBase, dtype_of, shape_of, wrap, wrap_alias


class Gradient:
    """Describe what torch's graph shows of an op's pullback.

    Attributes
    ----------
    node_name : str, optional
        The class of the node that it puts behind the gradients; by default that of LeakyReluBackward0 is
        LeakyReluBackwardBackward0.
    zeros : bool
        Whether a second derivative by the op's inputs is zeros; else there is none (convolution: each
        gradient is one of several outputs that share the inputs).
    refuses : str, optional
        torch's name of a pullback that it cannot differentiate.
    by : int, optional
        How many of the inputs, from the first, the pullback reads; by default all. The bias of a convolution
        has no part in the gradients.
    of_result : bool
        Whether the pullback reads the op's result and not its inputs.
    """

    __slots__ = ("by", "node_name", "of_result", "refuses", "zeros")

    def __init__(
        self, node_name: str | None = None, *, zeros: bool = True, refuses: str | None = None,
        by: int | None = None, of_result: bool = False,
    ) -> None:
        self.node_name, self.zeros, self.refuses = node_name, zeros, refuses
        self.by, self.of_result = by, of_result


#: The gradient of an op whose slope is piecewise constant.
PIECEWISE = Gradient()


def refused(name: str) -> Gradient:
    """Return the gradient of an op whose pullback `name` torch cannot differentiate."""
    return Gradient("NotImplemented", refuses=name)


def connecting(gradient: Gradient, node_name: str, backward_graph: Callable[..., Any]) -> Callable[..., Any]:
    """Let the recorded pullback of a node connect its gradients to the inputs of the op."""
    name = gradient.node_name or node_name.replace("Backward", "BackwardBackward")
    node_class = _node_class(gradient, name)

    def connected(self: Node, g: object, *needed: object) -> tuple[Any, ...]:
        grads = backward_graph(self, g, *needed)
        if not modes().grad:
            return tuple(grads)
        edges = self._edges if gradient.by is None else self._edges[: gradient.by]
        sources = (self,) if gradient.of_result else tuple(edge for edge in edges if edge is not None)
        if not sources:
            return tuple(grads)
        return tuple(None if gi is None else _behind(gi, node_class, sources) for gi in grads)

    return connected


def _behind(g: Any, node_class: type[Node], sources: tuple[Any, ...]) -> Any:
    """Return the gradient `g` with a node that leads to its own history and to the sources."""
    if not isinstance(g, TensorBase):
        g = wrap(np.asarray(g))
    return wrap_alias(g._value, g, _node(node_class, g, (edge_of(g), *sources)))


def refusing_node(name: str, written: TensorBase, read: Iterable[TensorBase]) -> Node:
    """Make the node behind a tensor after a write that is to come: of what torch's op `name`, which cannot be
    differentiated, makes of others.
    """
    edges = tuple(map(edge_of, (*read, written)))
    return _node(_node_class(refused(name.removeprefix("aten::")), "NotImplemented"), written, edges)


def _node(node_class: type[Node], value: TensorBase, edges: tuple[Any, ...]) -> Node:
    node = node_class()
    node._edges = edges
    node._saved = ()
    node._shape = shape_of(value)
    node._dtype = dtype_of(value)
    stamp(node)
    return node


def _node_class(gradient: Gradient, name: str) -> type[Node]:
    if gradient.refuses is not None:
        refuse = no_derivative(gradient.refuses)[0]

        def refusing(self: Node, g: object) -> Any:
            return refuse(g)

        return _class(name, Underivable, refusing)

    def backward(self: Node, g: object) -> tuple[Any, ...]:
        return (g, *(_zeros_at(edge, g) if gradient.zeros else None for edge in self._edges[1:]))

    return _class(name, Node, backward)


def _class(name: str, base: type[Node], backward: Callable[..., Any]) -> type[Node]:
    members = {"__slots__": (), "__module__": "torch.autograd.graph"}
    return type(name, (base,), {**members, "backward": backward, "backward_graph": backward})


def _zeros_at(edge: object, like: object) -> Any:
    """Return zeros for the end of an edge, of the kind of value that `like` is."""
    node, index = edge_target(edge)
    shape, dtype = (
        (node._shape[index], node._dtype[index]) if type(edge) is Output else (node._shape, node._dtype)
    )
    zeros = np.zeros(shape, dtype)
    return zeros if isinstance(like, (ndarray, np.generic)) else wrap(zeros)
