"""Nodes of writes through views, and of views whose base was written to. Loaded with the first of them."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import layout
from ..array.strides import laid_out, strides_of
from . import facade
from .blame import is_freed, next_sequence, stamp
from .calls import edge_of
from .marked import followed
from .meta import array_or_phantom, is_meta
from .modes import DEFAULT, change, modes, set_modes
from .node import Node, Output, edge_target
from .saved import saved_errors
from .value import dtype_of, innermost, shape_of, wrap
from .views import View, replay

_new = object.__new__

#: The nodes of a view's steps, the last one first, each with its output where it has several, else None.
Chain = tuple[tuple[Node, int | None], ...]


class CopySlices(Node):
    """History of a base after a write through a view: edges to the base before and to what was written.

    Covectors are first laid out as the base is, because the view's steps can only be replayed on such a
    layout.
    """

    __slots__ = ("computed", "steps", "strides")
    __module__ = "torch.autograd.graph"
    _frees = True

    computed: bool
    steps: tuple[Any, ...]
    strides: tuple[int, ...] | None

    def name(self) -> str:
        """Return the name of the node."""
        return "torch::autograd::CopySlices"

    def backward(self, g: Any) -> tuple[Any, ...]:
        if is_freed(self._saved):
            raise saved_errors.freed(self)
        base, source = self._edges
        g = laid_out_like(g, self.strides)
        if type(g) is ndarray and base is not None and all(op.signs is None for op, _, _ in self.steps):
            # What the two ops below give, in one pass: 7 µs instead of 11 for one row of 48.
            before = laid_out(g, self.strides)
            part = followed(before, self.steps)
            g_source = None if source is None else layout.copy(part)
            part[...] = 0
            return before, g_source
        g_source = None if source is None else facade.clone(replay(g, self.steps))
        if base is None:
            return None, g_source
        return facade.put(g, np.zeros((), dtype_of(g)), self.steps, self.strides), g_source

    backward_graph = backward

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return (node, output index) of the base before, then of what was written.

        Where an op computed that from the view, the node stands for the op, and the op's other inputs follow.
        """
        shown = super().next_functions
        source = self._edges[1]
        return (shown[0], *edge_target(source)[0].next_functions[1:]) if self.computed else shown


class AsStridedBackward0(Node):
    """History of a stale view: the rules of the view's steps, run one after the other on the base's present
    history.

    `chain` has the nodes of the steps, last step first, with the step's output where it has several. It lies
    `inside` where it leads from an op that was computed from the view and written to it: in torch the op then
    hangs in the base's history, not behind a view.
    """

    __slots__ = ("__weakref__", "chain", "inside")
    __module__ = "torch.autograd.graph"

    chain: Chain
    inside: bool

    def again(self) -> AsStridedBackward0:
        """Return another node that does the same, for an op that is computed from the view: as in torch, it
        does not keep this one alive, which messages name as long as something else does.
        """
        node = AsStridedBackward0()
        for name in (*Node.__slots__, "chain"):
            setattr(node, name, getattr(self, name))
        node.inside = True
        return node

    def __lt__(self, other: object) -> bool:
        return False  # this and the one that it was made from have one number: either may be first

    def backward(self, g: object) -> tuple[Any, ...]:
        for node, index in self.chain:
            (g,) = node.backward(_only(node, index, g))
        return (g,)

    def backward_graph(self, g: object) -> tuple[Any, ...]:
        if 0 in self._shape and not self.inside:
            edge = self._edges[0]
            return (None if edge is None else wrap(np.zeros(*_shape_and_dtype(edge))),)
        for node, index in self.chain:
            (g,) = node.backward_graph(_only(node, index, g))
        return (g,)


def _shape_and_dtype(edge: object) -> tuple[Any, Any]:
    node, index = edge_target(edge)
    return (node._shape[index], node._dtype[index]) if type(edge) is Output else (node._shape, node._dtype)


def _only(node: Node, index: int | None, g: object) -> Any:
    """Return the covectors of a step's outputs when only one of them has one."""
    return g if index is None else [g if k == index else None for k in range(len(node._shape))]


def laid_out_like(value: Any, strides: Any) -> Any:
    """Return a value with a base's strides (None: C order), so that the base's view steps can run on it."""
    array = innermost(value)
    if strides is None and isinstance(array, ndarray) and array.flags.c_contiguous:
        return value
    return facade.lay_out(value, strides)


def layout_of(value: object) -> tuple[int, ...] | None:
    """Return strides in elements of the array at the bottom of a value, or that a traced value would have;
    None for C order and where there is no array.
    """
    if type(value) is not ndarray:  # which says so at once: a write asks
        value = None if is_meta(value) else array_or_phantom(value)
    return None if not isinstance(value, ndarray) or value.flags.c_contiguous else strides_of(value)


def _as_before(base: Any, view: Any, record: View, steps: tuple[Any, ...]) -> Chain | None:
    """Return the nodes of a view's steps, the last one first, as the view had them before the write: 2 µs
    instead of 13 for one step. None where they are not known or would be others now.
    """
    a, b, node = view._value, base._value, view._node
    plain = type(a) is ndarray and type(b) is ndarray and modes() is DEFAULT and not record.creation
    if not plain or base._rearranged or a.base is not (b if b.base is None else b.base):
        return None  # the memory of the base may be another by now
    known: list[Any] = []
    if type(node) is AsStridedBackward0:
        known += [step for step, index in node.chain if index is None]
    else:
        for op, _, index in reversed(steps):
            if index is not None or op.signs is not None or type(node) is not op.node_class or node._frees:
                return None
            known.append(node)
            (node,) = node._edges
    if len(known) != len(steps):
        return None
    chain: Chain = ()
    edge = edge_of(base)
    for before in reversed(known):
        step = _new(type(before))
        step._edges = (edge,)
        step._saved, step._shape, step._dtype = before._saved, before._shape, before._dtype
        step._hooks, step._seq, step._code, step._at = None, next_sequence(), before._code, before._at
        edge, chain = step, ((step, None), *chain)
    return chain


def _replayed(base: Any, record: View, steps: tuple[Any, ...]) -> tuple[Any, Chain]:
    """Return the nodes of a view's steps, the last one first, and the edge below them."""
    if (before := modes()) is not DEFAULT:
        change(grad=True, inference=False)
    try:
        whole = wrap(base._value, edge_of(base), base._level)
        edge: Any = replay(whole, steps)._node
    finally:
        if before is not DEFAULT:
            set_modes(before)
    chain: list[tuple[Node, int | None]] = []
    for _ in takewhile(lambda step: step[0].signs is None, reversed(steps)):
        step, index = edge if type(edge) is Output else (edge, None)
        chain.append((step, index))
        (edge,) = step._edges
    return edge, tuple(chain)


def replayed_node(base: object, view: Any, record: View) -> Node | Output:
    """Return the node of a view whose base was written to.

    As in torch, the steps together are one node, up to a step that sees complex values as pairs, pairs as
    complex or numbers with other signs: that and those before it keep their own.
    """
    steps = record.steps
    edge, chain = edge_of(base), _as_before(base, view, record, steps)
    if chain is None:
        edge, chain = _replayed(base, record, steps)
        if not chain:
            return edge
    node = _new(AsStridedBackward0)
    node._edges = (edge,)
    node._saved = ()
    node.chain = chain
    node.inside = False
    value = view._value
    plain = type(value) is ndarray
    node._shape, node._dtype = (value.shape, value.dtype) if plain else (shape_of(value), dtype_of(value))
    stamp(node)
    return node
