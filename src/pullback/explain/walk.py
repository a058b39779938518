"""The path of a covector: which rule ran when, what came in, what went out along which edge.

The loop is the engine's, without what the engine does for the run itself: no hook is called, nothing is
freed, no leaf accumulates. It runs on arrays, on a whole batch of covectors at once, or on tensors that
record the pullback itself; the rules do not care. `undisturbed` keeps everything around it as it was,
whatever the rules of custom functions do.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from heapq import heappop, heappush
from threading import get_ident
from typing import Any

import numpy as np
from numpy import ndarray

from ..core import engine
from ..core.batched import Batched
from ..core.engine import conform, needed_nodes
from ..core.levels import entered_level
from ..core.modes import modes, put_modes, reset_modes
from ..core.node import AccumulateGrad, MultiNode, Node, edge_target
from ..core.quiet import IGNORE, loud, quiet
from ..core.value import TensorBase
from ..tensor.random import get_rng_state, set_rng_state

#: Whether this context is looking at a pullback, so that calls within it are not explained in turn.
looking: ContextVar[bool] = ContextVar("pullback_looking", default=False)

#: ``visit(node, g, grads)`` after each rule.
Visit = Callable[[Node, Any, Sequence[Any]], None]


class Path:
    """The part of a graph between outputs and what gradients are asked for.

    Parameters
    ----------
    roots : sequence of (edge, covector)
        As the engine takes them.
    targets : sequence of edges, optional
        Where gradients are asked for; by default at every leaf.

    Attributes
    ----------
    nodes : list of Node
        In the order in which their rules run.
    targets : list of edges or None
        None for an input that is not part of any graph.
    custom : list of Node
        The nodes of custom functions.
    """

    def __init__(self, roots: Sequence[tuple[Any, Any]], targets: Sequence[Any] | None = None) -> None:
        self.roots = [(edge, array_at_bottom(g)) for edge, g in roots]
        starts = [edge_target(edge)[0] for edge, _ in roots]
        self.needed: set[Node] | None = None
        if targets is None:
            self.nodes = reachable(starts)
            leaves = [node for node in self.nodes if type(node) is AccumulateGrad]
            self.targets: list[Any] = sorted(leaves, key=lambda node: node._seq)
        else:
            wanted: dict[Node, Any] = {edge_target(e)[0]: None for e in targets if e is not None}
            self.needed = needed_nodes(starts, wanted)
            self.nodes = sorted(self.needed, key=lambda node: -node._seq)
            self.targets = list(targets)
        self.custom = [node for node in self.nodes if hasattr(node, "__dict__")]

    def pull(
        self, covectors: Sequence[Any], visit: Visit | None = None, recorded: bool = False
    ) -> list[Any]:
        """Pull one covector per root back; return what arrives at each target, None where nothing does.

        Parameters
        ----------
        covectors : sequence of values
            Arrays, batches, or tensors with `recorded`.
        visit : callable, optional
            Told of each rule that ran.
        recorded : bool
            Whether the pullback itself is recorded.
        """
        # A custom function may let go of what it holds when it has gone backward.
        contexts = [(vars(node), dict(vars(node))) for node in self.custom]
        try:
            return self._pull(covectors, visit, recorded)
        finally:
            for held, before in contexts:
                held.clear()
                held.update(before)

    def _pull(self, covectors: Sequence[Any], visit: Visit | None, recorded: bool) -> list[Any]:
        heap: list[tuple[int, Node]] = []
        pending: dict[Node, Any] = {}
        wanted: dict[Node, list[tuple[int, int]]] = {}
        results: list[Any] = [None] * len(self.targets)
        for position, edge in enumerate(self.targets):
            if edge is not None:
                node, index = edge_target(edge)
                wanted.setdefault(node, []).append((index, position))
        for (edge, _), g in zip(self.roots, covectors):
            if g is not None:
                self._send(edge, g, pending, heap)
        while heap:
            node = heappop(heap)[1]
            g = pending.pop(node)
            for index, position in wanted.get(node, ()):
                results[position] = g[index] if isinstance(node, MultiNode) else g
            if type(node) is AccumulateGrad or not self._leads_on(node):
                if visit is not None:
                    visit(node, g, ())
                continue
            grads = node.backward_graph(g) if recorded else node.backward(g)
            if not recorded:
                grads = tuple(_dense(gi) if isinstance(gi, TensorBase) else gi for gi in grads)
            sent = tuple(
                None if gi is None or edge is None else self._send(edge, gi, pending, heap)
                for edge, gi in zip(node._edges, grads)
            )
            if visit is not None:
                visit(node, g, sent)
        return results

    def _leads_on(self, node: Node) -> bool:
        needed = self.needed
        return needed is None or any(
            edge is not None and edge_target(edge)[0] in needed for edge in node._edges
        )

    def _send(self, edge: Any, g: Any, pending: dict[Node, Any], heap: list[tuple[int, Node]]) -> Any:
        """Put a covector at the end of an edge and return it as it arrives there."""
        node, index = edge_target(edge)
        if self.needed is not None and node not in self.needed:
            return None
        if isinstance(node, MultiNode):
            g = conform(g, node._shape[index], node._dtype[index])
            if node not in pending:
                pending[node] = [None] * len(node._shape)
                heappush(heap, (-node._seq, node))
            slots = pending[node]
            slots[index] = g if slots[index] is None else slots[index] + g
            return g
        g = conform(g, node._shape, node._dtype)
        if node in pending:
            pending[node] = pending[node] + g
        else:
            pending[node] = g
            heappush(heap, (-node._seq, node))
        return g

    def pull_batch(self, output: int, rows: ndarray) -> list[ndarray | None]:
        """Pull many covectors of one output back at once.

        Parameters
        ----------
        output : int
            Position among the roots.
        rows : ndarray
            Covectors along the first axis.

        Returns
        -------
        list of (ndarray or None)
            What arrives at each target, the batch first.
        """
        with entered_level() as level:
            covectors: list[Any] = [None] * len(self.roots)
            covectors[output] = Batched(rows, 0, level)
            results = self.pull(covectors)
        return [None if r is None else _batch_first(r, len(rows)) for r in results]


def _dense(tensor: Any) -> Any:
    """The inner value of a covector that a rule gave as a tensor."""
    return (tensor.to_dense() if tensor.is_sparse else tensor)._value


def _batch_first(value: Any, size: int) -> ndarray:
    if isinstance(value, Batched):
        return np.moveaxis(np.asarray(array_at_bottom(value.value)), value.dim, 0)
    array = np.asarray(array_at_bottom(value))
    return np.broadcast_to(array, (size, *array.shape))


def array_at_bottom(value: Any) -> Any:
    """Return the array inside a tensor; anything else as it is."""
    while isinstance(value, TensorBase):
        value = value._value
    return value


def reachable(starts: Iterable[Node]) -> list[Node]:
    """All nodes that can be reached, youngest first."""
    seen = set(starts)
    stack = list(seen)
    while stack:
        for edge in stack.pop()._edges:
            if edge is not None:
                node = edge_target(edge)[0]
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
    return sorted(seen, key=lambda node: -node._seq)


@contextmanager
def undisturbed(path: Path, narrow: bool = False) -> Iterator[None]:
    """Within: rules may run, and whatever they do to the run is put back at the end.

    That is: random streams, the `.grad` of leaves that a rule's own backward wrote to, warnings that would be
    shown only once. (What contexts of custom functions hold is put back after every run, by `Path.pull`.)

    Parameters
    ----------
    path : Path
    narrow : bool
        Whether the backward that is looked at runs only towards some inputs.
    """
    thread = get_ident()
    now = modes()
    streams = get_rng_state(), random.getstate(), np.random.get_state()
    outer = engine.running.get(thread)
    outer_changes = engine.rehearsals.get(thread)
    narrows = narrow and thread not in engine.selecting
    changes: list[tuple[Any, Any, Any, int]] = []
    flag = looking.set(True)
    token = put_modes(now._replace(grad=False, anomaly=False, watcher=None))
    warned = quiet(IGNORE)
    engine.running[thread] = engine.Task(path.roots)
    engine.rehearsals[thread] = changes
    if narrows:
        engine.selecting.add(thread)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if narrows:
            engine.selecting.remove(thread)
        if outer_changes is None:
            del engine.rehearsals[thread]
        else:
            engine.rehearsals[thread] = outer_changes
        if outer is None:
            del engine.running[thread]
        else:
            engine.running[thread] = outer
        loud(warned)
        reset_modes(token)
        looking.reset(flag)
        engine.put_grads_back(changes)
        set_rng_state(streams[0])
        random.setstate(streams[1])
        np.random.set_state(streams[2])
