"""Tensors that a node saved and that `detach_` then took out of the graph.

torch reads the history of a saved input off the tensor itself, so a backward that comes to a node that saved
one since detached is an error there. Nodes here keep values, not tensors: `detach_` leaves a hook on the node
that made the tensor, which looks, when a covector arrives, whether what led there had saved it.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any

from . import engine
from . import graph_errors as errors
from .hooks import add_hook, hooks_of
from .node import LEAF, AccumulateGrad, Node, Nowhere, edge_target


class _Refusal:
    """The hook: raises where a node saved what was output `index` of the node that holds it."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __call__(self, covectors: tuple[Any, ...]) -> None:
        running = engine.running.get(get_ident())
        stack = [edge_target(edge)[0] for edge, _ in running.roots] if running is not None else []
        seen = set(stack)
        while stack:
            user = stack.pop()
            for i, edge in enumerate(user._edges):
                if edge is None:
                    continue
                node, index = edge_target(edge)
                if index == self.index and self._is_on(node) and _saves(user, i):
                    raise errors.detached_in_place()
                if node not in seen:
                    seen.add(node)
                    stack.append(node)

    def _is_on(self, node: Node) -> bool:
        return node._hooks is not None and any(hook is self for hook in node._hooks.pre.values())


def _saves(user: Node, position: int) -> bool:
    """Whether a node saved the value of its input at a position."""
    if user._op is None:
        return False
    layout = user._op.layout
    needed = layout.needed(tuple(edge is not None for edge in user._edges))
    return any(keep and i == position for keep, i in zip(needed, layout.input_index, strict=True))


def refuse_saved(x: Any) -> None:
    """Before `detach_`: backward is to refuse what saved `x` while it had a history."""
    if x._node is None or x._node is LEAF:
        return
    node, index = edge_target(x._node)
    if not isinstance(node, AccumulateGrad | Nowhere):
        add_hook(hooks_of(node).pre, _Refusal(index))
