"""Bring covectors to the shape and dtype of the edges that they travel along."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from . import facade
from .node import MultiNode, Node, edge_target
from .tracer import Tracer
from .value import dtype_of, shape_of


def conform(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Bring a covector to the shape and dtype of an edge."""
    if type(g) is ndarray or type(g) is Tracer:
        if g.shape == shape and g.dtype is dtype:
            return g
    elif type(g) is facade.Tensor:
        if type(value := g._value) is ndarray:
            if value.shape != shape:
                g = _summed()(g, shape)
            if value.dtype is dtype:
                return g
    elif isinstance(g, np.generic):
        g = np.asarray(g)
    if shape_of(g) != shape:
        g = facade.sum_to(g, shape)
    if dtype_of(g) != dtype:
        g = facade.convert(g, dtype)
    return g


@functools.cache
def _summed() -> Callable[..., Any]:
    """Return what sums a tensor to a shape, at once where its like came often."""
    return facade.repeated(facade.sum_to)


def conformed(node: Node, grads: Sequence[Any]) -> tuple[Any, ...]:
    """Return a node's covectors as they will arrive at its inputs."""
    return tuple(
        g if g is None or edge is None else _at(g, edge) for g, edge in zip(grads, node._edges, strict=True)
    )


def _at(g: object, edge: object) -> Any:
    target, index = edge_target(edge)
    if isinstance(target, MultiNode):
        return conform(g, target._shape[index], target._dtype[index])
    return conform(g, target._shape, target._dtype)
