"""The pullback of an op's node that is itself recorded, for derivatives of higher order (`create_graph`).

The rules are called on tensors at their places in the graph. As a function of the covector and of what the
node saved that is a call like any other, so it is done at once where its like came often before
(`facade.repeated`). What nothing asks for is not computed: of a network's derivative by its input, half of it
would be gradients of weights.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from . import facade
from .batched import Batched, front
from .levels import fresh_level
from .modes import DEFAULT, NO_GRAD, modes
from .node import Node, edge_target
from .saved import Packed, graph_reader, picker, plain_saved
from .tracer import Tracer
from .value import TensorBase, Value, shape_of, wrap

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
            edge is not None and edge_target(edge)[0] in needed for edge in edges
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

    def backward(self: Node, g: object) -> Any:
        if Packed in map(type, self._saved[:behind:3]):
            return general(self, g)  # unpack hooks run once
        if type(g) is Tracer and g.recorder.patterns is not None:
            return g.recorder.patterns.pulled(self, g, general)
        if type(g) is not facade.Tensor or ((kind := type(g._value)) is not ndarray and kind is not Batched):
            return general(self, g)
        saved = plain_saved(self)
        needs = tuple([edge is not None for edge in self._edges])
        if kind is Batched:
            rows = _pulled_for_rows(op, needs, (g, *saved[:behind:3]), saved[behind:])
            return general(self, g) if rows is None else spread(rows, needs)
        return spread(op.pulled(g, needs, *saved[:behind:3], *saved[behind:]), needs)

    return backward


#: What pulls back for whole batches, by which inputs need it and the axis of the batch in each value.
_FOR_ROWS: dict[tuple[Op, tuple[bool, ...], tuple[int | None, ...]], Callable[..., Any]] = {}


def _pulled_for_rows(
    op: Op, needs: tuple[bool, ...], values: Sequence[Any], attrs: tuple[object, ...]
) -> tuple[Any, ...] | None:
    """Return covectors of rows of a batch, at once where their like came often; None where what a vmap
    holds is no plain tensor. The rules' ops one by one take 20 to 60 µs under it, a plan 10.
    """
    level, mode = values[0]._level, modes()
    if mode is not DEFAULT and mode is not NO_GRAD:
        return None
    given: list[Any] = []
    dims: list[int | None] = []
    for v in values:
        dim = None
        if type(v) is facade.Tensor or type(v) is facade.Parameter:
            if v._level == level and type(rows := v._value) is Batched:
                v, dim = rows.value, rows.dim
            if type(v) is not facade.Tensor and type(v) is not facade.Parameter:
                return None
            # Kernels are not to be tried with other places than were given, which some do not check.
            if v._level or type(v._value) is not ndarray or v._value.dtype.kind in "iu":
                return None
        elif isinstance(v, (Value, ndarray)):
            return None
        given.append(v)
        dims.append(dim)
    key = op, needs, tuple(dims)
    found = _FOR_ROWS.get(key)
    if found is None:
        found = _FOR_ROWS[key] = facade.repeated(partial(_of_rows, *key))
    grads = found(*given, *attrs)
    return tuple([g if g is None else wrap(Batched(g, 0, level), None, level) for g in grads])


def _of_rows(op: Op, needs: tuple[bool, ...], dims: tuple[int | None, ...], *given: Any) -> tuple[Any, ...]:
    """Return the covectors of all rows, the batch first, of values with the batch along these axes."""
    level = fresh_level()
    size = shape_of(given[0])[dims[0] or 0]
    hidden = [v if d is None else wrap(Batched(v, d, level), None, level) for v, d in zip(given, dims)]
    grads = op.pulled(hidden[0], needs, *hidden[1:], *given[len(dims) :])
    return tuple([g if g is None else _shown(g, level, size) for g in grads])


def _shown(g: Any, level: int, size: int) -> Any:
    own = g._value if isinstance(g, TensorBase) and g._level == level else None
    value = front(g, None, size) if own is None else front(own.value, own.dim, size)
    return value if isinstance(value, TensorBase) else wrap(value)


def spread(grads: tuple[object, ...], needs: tuple[bool, ...]) -> tuple[Any, ...]:
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

        def pulled(g: object, needs: tuple[bool, ...], *saved: object) -> tuple[Any, ...]:
            return tuple([
                None if rule is None else rule(g, *pick(saved))
                for rule, pick, need in zip(rules, pickers, needs, strict=True) if need
            ])  # fmt: skip

        return pulled
    rule, pick, wants_needs = rules[0], pickers[0], "needs" in layout.wanted[0]

    def pulled_together(g: object, needs: tuple[bool, ...], *saved: object) -> tuple[Any, ...]:
        named = {"needs": needs} if wants_needs else {}
        grads = rule(g, *pick(saved), **named)  # type: ignore[misc]  # a joint op has a rule
        return tuple([gi for gi, need in zip(grads, needs, strict=True) if need])

    return pulled_together


def materialized(node: Node, g: Sequence[object]) -> tuple[Any, ...]:
    """Return covectors of a node with several outputs, zeros where none arrived."""
    if all(v is not None for v in g):
        return tuple(g)
    some = next(v for v in g if v is not None)
    return tuple(
        zeros_like_value(some, shape, dtype) if v is None else v
        for v, shape, dtype in zip(g, node._shape, node._dtype, strict=True)
    )


def zeros_like_value(like: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return zeros of the same kind (array or tensor) as `like`."""
    zeros = np.zeros(shape, dtype)
    return zeros if isinstance(like, (ndarray, np.generic)) else wrap(zeros)
