"""Follow the path of a covector: which rule ran when, what came in, what went out along which edge.

The loop is the engine's (`BackwardPass`), without what `backward` does for the run itself: no hook is
called, nothing is freed, no leaf accumulates. It runs on arrays, on a whole batch of covectors at once, or
on tensors that record the pullback itself; the rules do not care. `undisturbed` keeps everything around it as
it was, whatever the rules of custom functions do.
"""

import math
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import get_ident
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.quiet import IGNORE, loud, quiet
from ..core.accumulation import put_grads_back, rehearsals
from ..core.backward_task import Task, needed_nodes, nodes_behind, running, selecting
from ..core.batched import Batched
from ..core.blame import is_freed
from ..core.engine import BackwardPass
from ..core.levels import entered_level
from ..core.modes import modes, put_modes, reset_modes
from ..core.node import LEAF, AccumulateGrad, MultiNode, Node, edge_target
from ..core.value import TensorBase, innermost
from ..core.versions import is_stale
from ..tensor.random import get_rng_state, set_rng_state

#: Whether this context is looking at a pullback, so that calls within it are not explained in turn.
looking: ContextVar[bool] = ContextVar("pullback_looking", default=False)

#: A result of a node, by its position among them.
Place = tuple[Node, int]

#: ``visit(node, g, grads)`` after each rule.
Visit = Callable[[Node, Any, Sequence[Any]], None]


class Path:
    """The part of a graph between outputs and what gradients are asked for.

    `roots` are (edge, covector) as the engine takes them. `targets` are the edges at which gradients are
    asked for, by default every leaf, None for an input that is not part of any graph. `nodes` are in the
    order in which their rules run; `custom` are those of custom functions.
    """

    def __init__(self, roots: Sequence[tuple[Any, Any]], targets: Sequence[Any] | None = None) -> None:
        self.roots = [(edge, innermost(g)) for edge, g in roots]
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

    def pull(self, covectors: Sequence[Any], visit: Visit | None = None, recorded: bool = False) -> list[Any]:
        """Pull one covector per root back; return what arrives at each target, None where nothing does.

        Covectors are arrays, batches, or tensors where the pullback itself is `recorded`. `visit` is told of
        each rule that ran.
        """
        # A custom function may let go of what it holds when it has gone backward.
        contexts = [(vars(node), dict(vars(node))) for node in self.custom]
        look = _Look(self, visit, recorded)
        try:
            for (edge, _), g in zip(self.roots, covectors):
                if g is not None:
                    look.send(edge, g, g)
            look.run()
        finally:
            for held, before in contexts:
                held.clear()
                held.update(before)
        return look.results

    def pull_batch(self, output: int, rows: ndarray) -> list[ndarray | None]:
        """Pull many covectors of one output back at once; return what arrives per target, the batch first."""
        with entered_level() as level:
            covectors: list[Any] = [None] * len(self.roots)
            covectors[output] = Batched(rows, 0, level)
            results = self.pull(covectors)
        return [None if r is None else _batch_first(r, len(rows)) for r in results]


class _Look(BackwardPass):
    """The pass of `Path.pull`: what arrives is kept and shown, and nothing is done to the graph."""

    def __init__(self, path: Path, visit: Visit | None, recorded: bool) -> None:
        super().__init__(path.needed)
        self.visit = visit
        self.recorded = recorded
        self.results: list[Any] = [None] * len(path.targets)
        self.wanted: dict[Node, list[tuple[int, int]]] = {}
        for position, edge in enumerate(path.targets):
            if edge is not None:
                node, index = edge_target(edge)
                self.wanted.setdefault(node, []).append((index, position))

    def arrive(self, node: Node, g: Any) -> tuple[Any, bool]:
        """Keep what is asked for; the node runs if something is behind it."""
        for index, position in self.wanted.get(node, ()):
            self.results[position] = g[index] if isinstance(node, MultiNode) else g
        needed = self.needed
        runs = type(node) is not AccumulateGrad and (
            needed is None or any(edge is not None and edge_target(edge)[0] in needed for edge in node._edges)
        )
        if not runs and self.visit is not None:
            self.visit(node, g, ())
        return g, runs

    def pull(self, node: Node, g: Any) -> Sequence[Any]:
        """Pull back on values, or on tensors that record it."""
        if self.recorded:
            return node.backward_graph(g)
        return tuple(_dense(gi) if isinstance(gi, TensorBase) else gi for gi in node.backward(g))

    def deliver(self, node: Node, g: Any, grads: Sequence[Any]) -> None:
        """Send the covectors on, and show them as they arrive."""
        sent = tuple(
            None if gi is None or edge is None else self.send(edge, gi, g)
            for edge, gi in zip(node._edges, grads)
        )
        if self.visit is not None:
            self.visit(node, g, sent)


def _dense(tensor: Any) -> Any:
    """Return the inner value of a covector that a rule gave as a tensor."""
    return (tensor.to_dense() if tensor.is_sparse else tensor)._value


def _batch_first(value: Any, size: int) -> ndarray:
    if isinstance(value, Batched):
        return np.moveaxis(np.asarray(innermost(value.value)), value.dim, 0)
    array = np.asarray(innermost(value))
    return np.broadcast_to(array, (size, *array.shape))


def node_of(tensor: Any) -> Node | None:
    """Return the node whose result a tensor is; None for a leaf and for what has no history."""
    return None if tensor._node is None or tensor._node is LEAF else edge_target(tensor._node)[0]


def nodes_of(tensors: Iterable[Any]) -> list[Node]:
    """Return the nodes whose results some tensors are."""
    return [node for tensor in tensors if (node := node_of(tensor)) is not None]


def results_of(node: Node) -> list[tuple[Any, Any]]:
    """Return (shape, dtype) of each of a node's results; None for what is not known of one."""
    several = isinstance(node, MultiNode)
    return list(zip(node._shape, node._dtype)) if several else [(node._shape, node._dtype)]


def size_of(nodes: Iterable[Node]) -> int:
    """Return how many numbers the results of nodes have together."""
    return sum(math.prod(shape) for n in nodes for shape, _ in results_of(n) if shape is not None)


def reachable(starts: Iterable[Node]) -> list[Node]:
    """Return all nodes that can be reached, youngest first."""
    return sorted(nodes_behind(starts), key=lambda node: -node._seq)


def saved_results(nodes: Sequence[Node]) -> dict[Place, ndarray]:
    """Return results of nodes that some node saved, as they were in the run."""
    found: dict[Place, ndarray] = {}
    for node in nodes:
        op, saved = node._op, node._saved
        if op is None or not isinstance(saved, tuple) or is_freed(saved) or op.variadic:
            continue
        layout = op.layout
        for position in range(layout.count):
            value, counter, version = saved[3 * position : 3 * position + 3]
            if not isinstance(value, ndarray) or is_stale(counter, version):
                continue
            at, output = layout.input_index[position], layout.output_index[position]
            if at >= 0:
                edge = node._edges[at] if at < len(node._edges) else None
                if edge is not None:
                    found.setdefault(edge_target(edge), value)
            elif output in op.differentiable_outputs:
                found.setdefault((node, op.differentiable_outputs.index(output)), value)
            elif output >= len(op.outputs):
                found.setdefault((node, 0), value)
    return found


@contextmanager
def undisturbed(path: Path, narrow: bool = False) -> Iterator[None]:
    """Let rules run within the block, and put back at the end whatever they do to the run.

    That is: random streams, the `.grad` of leaves that a rule's own backward wrote to, warnings that would be
    shown only once. (What contexts of custom functions hold is put back after every run, by `Path.pull`.)
    `narrow` is whether the backward that is looked at runs only towards some inputs.
    """
    thread = get_ident()
    now = modes()
    streams = get_rng_state(), random.getstate(), np.random.get_state()
    outer = running.get(thread)
    outer_changes = rehearsals.get(thread)
    narrows = narrow and thread not in selecting
    changes: list[tuple[Any, Any, Any, int]] = []
    flag = looking.set(True)
    token = put_modes(now._replace(grad=False, anomaly=False, watcher=None))
    warned = quiet(IGNORE)
    running[thread] = Task(path.roots)
    rehearsals[thread] = changes
    if narrows:
        selecting.add(thread)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if narrows:
            selecting.remove(thread)
        if outer_changes is None:
            del rehearsals[thread]
        else:
            rehearsals[thread] = outer_changes
        if outer is None:
            del running[thread]
        else:
            running[thread] = outer
        loud(warned)
        reset_modes(token)
        looking.reset(flag)
        put_grads_back(changes)
        set_rng_state(streams[0])
        random.setstate(streams[1])
        np.random.set_state(streams[2])
