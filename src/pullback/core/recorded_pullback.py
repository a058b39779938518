"""The pullback of an op's node that is itself recorded, for derivatives of higher order (`create_graph`).

The rules are called on tensors at their places in the graph. As a function of the covector and of what the
node saved that is a call like any other, so it is done at once where its like came often before
(`facade.repeated`). What nothing asks for is not computed: of a network's derivative by its input, half of it
would be gradients of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from . import facade
from .node import Node, Output
from .saved import graph_reader, picker, plain_saved
from .tracer import Tracer
from .value import wrap

if TYPE_CHECKING:
    from .op import Op


def recorded_pullback(op: Op, several: bool) -> Callable[..., Any]:
    """Return ``backward_graph(node, g, needed)`` of an op's nodes, where `needed` are the nodes that
    covectors are sent to, by default all; `several` says that `g` is a list.
    """
    fill = several and not op.partial
    has_rule = [True] * len(op.rules) if op.joint else [rule is not None for rule in op.rules]
    readers: dict[tuple[bool, ...], Callable[[Node], list[Any]]] = {}

    def backward(self: Node, g: Any, needed: Collection[Node] | None = None) -> tuple[Any, ...]:
        edges = self._edges
        needs = tuple([edge is not None for edge in edges] if needed is None else [
            edge is not None and (edge[0] if type(edge) is Output else edge) in needed for edge in edges
        ])  # fmt: skip
        read = readers.get(needs)
        if read is None:
            asking = (True,) if op.joint else tuple(map(all, zip(needs, has_rule, strict=True)))
            read = readers[needs] = graph_reader(op.layout, op.differentiable_outputs, asking)
        if fill:
            g = materialized(self, g)
        return spread(op.pulled(g, needs, *read(self)), needs)

    return backward


def pullback_of_tensors(op: Op, general: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``backward(node, g)`` of nodes that may belong to a transform's level: below that, covectors and
    what was saved may be plain tensors, whose like may have come before.
    """
    behind = 3 * op.layout.count

    def backward(self: Node, g: Any) -> tuple[Any, ...]:
        if type(g) is Tracer and g.recorder.patterns is not None:
            return g.recorder.patterns.pulled(self, g, general)
        if type(g) is not facade.Tensor or type(g._value) is not ndarray:
            return general(self, g)
        saved = plain_saved(self)
        needs = tuple([edge is not None for edge in self._edges])
        return spread(op.pulled(g, needs, *saved[:behind:3], *saved[behind:]), needs)

    return backward


def spread(grads: tuple[Any, ...], needs: tuple[bool, ...]) -> tuple[Any, ...]:
    """Return covectors at their places among all inputs, None for those that need none."""
    if False not in needs:
        return grads
    each = iter(grads)
    return tuple([next(each) if need else None for need in needs])


def pulled_by_rules(op: Op) -> Callable[..., tuple[Any, ...]]:
    """Return what gives the covectors of the inputs that need one, from what arrived, which these are, and
    what was saved without version counters; at once where its like came often before.
    """
    pulled: Callable[..., tuple[Any, ...]] = facade.repeated(_pulled(op))
    return pulled


def _pulled(op: Op) -> Callable[..., tuple[Any, ...]]:
    layout, rules = op.layout, op.rules
    pickers = [picker([layout.short[n] for n in names if n != "needs"]) for names in layout.wanted]
    if not op.joint:

        def pulled(g: Any, needs: tuple[bool, ...], *saved: Any) -> tuple[Any, ...]:
            return tuple([
                None if rule is None else rule(g, *pick(saved))
                for rule, pick, need in zip(rules, pickers, needs, strict=True) if need
            ])  # fmt: skip

        return pulled
    rule, pick, wants_needs = rules[0], pickers[0], "needs" in layout.wanted[0]

    def pulled_together(g: Any, needs: tuple[bool, ...], *saved: Any) -> tuple[Any, ...]:
        named = {"needs": needs} if wants_needs else {}
        grads = rule(g, *pick(saved), **named)  # type: ignore[misc]  # a joint op has a rule
        return tuple([gi for gi, need in zip(grads, needs, strict=True) if need])

    return pulled_together


def materialized(node: Node, g: Sequence[Any]) -> tuple[Any, ...]:
    """Return covectors of a node with several outputs, zeros where none arrived."""
    if all(v is not None for v in g):
        return tuple(g)
    some = next(v for v in g if v is not None)
    return tuple(
        zeros_like_value(some, shape, dtype) if v is None else v
        for v, shape, dtype in zip(g, node._shape, node._dtype, strict=True)
    )


def zeros_like_value(like: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return zeros of the same kind (array or tensor) as `like`."""
    zeros = np.zeros(shape, dtype)
    return zeros if isinstance(like, (ndarray, np.generic)) else wrap(zeros)
