"""The engine: one loop over a heap of nodes, youngest first.

A node is younger than its inputs, so when it is popped every covector that it will ever receive has arrived;
no counting of dependencies, no recursion. Covectors are inner values (bare arrays in the plain case); with
`create_graph` they are tensors and the rules' own ops are recorded. A covector is brought to the shape and
dtype of the edge that it travels along in one place, here: rules know nothing of broadcasting or promotion.
"""

from _thread import get_ident
from collections import Counter
from collections.abc import Callable, Container, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import Any

from numpy import add, float32, float64, ndarray

from ..array import large
from ..array.broadcasting import written_out
from ..array.large import WORTH, WORTH_CHAIN
from ..array.quiet import IGNORE, loud, quiet
from ..array.tiering import Hotness
from ..array.transposed import c_copy
from . import bulk, facade
from .accumulation import accumulate_grad, plus
from .backward_task import Capture, Task, edges_to_leaves, nodes_behind, running, selecting
from .blame import freed_by_caller, has_saved
from .conforming import conform, conformed
from .hooked import run_posthooks, run_prehooks
from .modes import DEFAULT, NO_GRAD, modes, put_modes
from .node import AccumulateGrad, MultiNode, Node, Output, edge_target
from .promotion import check_refused_shapes
from .pulling import pulled_of_nothing, watched
from .tracer import Tracer, refuse_all
from .underivable import Underivable

#: Nanoseconds that a native loop saves at a node. Counted by nodes and not by passes: a pass of a thousand
#: waited as long as one of twenty, 66 passes, and took twice as long meanwhile.
_SAVED = 1500
_HOTNESS = Hotness()
#: What no sequence number reaches.
_YOUNGEST = 1 << 62


class BackwardPass:
    """Pull covectors back from some roots, youngest node first, to the nodes `needed`, by default to all.

    A subclass that only looks at a graph says what happens where a covector arrives (`arrive`), how a node
    pulls it back (`pull`) and what becomes of the result (`deliver`).
    """

    #: The node whose turn it is, and how many had theirs in Python.
    node: Any = None
    visited = 0
    #: Whether `arrive` is asked at every node, or at those with hooks and `looked_at` alone.
    looks = True
    looked_at: Container[Node] = ()
    #: Whether `pull` is asked at every node, or where nothing or a large array arrived alone.
    pulls = True

    def __init__(self, needed: set[Node] | None = None) -> None:
        self.needed = needed
        self.heap: list[tuple[int, Node]] = []
        self.pending: dict[Node, Any] = {}
        #: Nodes that are to run although nothing arrived at them.
        self.empty: set[Node] = set()
        #: Nodes at which a sum waits that nothing else holds.
        self.summed: set[Node] = set()
        #: Covectors that a leaf may not keep as its own, because something else holds the same array.
        self.shared: dict[Node, Any] = {}

    def run(self) -> None:
        """Run every node that a covector reaches."""
        heap, pending, empty, deliver = self.heap, self.pending, self.empty, self.deliver
        looks, looked_at, pulls, worth = self.looks, self.looked_at, self.pulls, WORTH_CHAIN
        drain = self.native()
        while heap and (drain is None or drain() or heap):
            self.node = node = heappop(heap)[1]
            self.visited += 1
            g = pending.pop(node, None)
            if (g is None or empty) and not self.is_due(node, g):
                continue
            if looks or node._hooks is not None or node in looked_at:
                g, runs = self.arrive(node, g)
                if not runs:
                    continue
            if type(node) is AccumulateGrad:
                self.accumulate(node, g)
            else:
                special = pulls or g is None or (type(g) is ndarray and (g.size >= worth or 0 in g.strides))
                deliver(node, g, self.pull(node, g) if special else node.backward(g))

    def native(self) -> Callable[[], None] | None:
        """Return what runs the plain nodes at the top of the heap in native code; None if there is none."""
        return None

    def is_due(self, node: Node, g: object) -> bool:
        """Return whether a node still has to run: one that waited empty has run with what arrived later."""
        waited = node in self.empty
        self.empty.discard(node)
        return waited or g is not None

    def arrive(self, node: Node, g: object) -> tuple[Any, bool]:
        """Return what a node pulls back of the covector that arrived, and whether it runs."""
        return g, True

    def pull(self, node: Node, g: object) -> Sequence[Any]:
        """Return the covectors of a node's inputs."""
        return node.backward(g)

    def deliver(self, node: Node, g: object, grads: Sequence[object]) -> None:
        """Send a node's covectors along its edges."""
        for edge, gi in zip(node._edges, grads):
            if edge is not None and gi is not None:
                self.send(edge, gi, g)

    def accumulate(self, node: AccumulateGrad, g: object) -> None:
        """Keep the covector of a leaf."""

    def send(self, edge: Any, g: Any, incoming: Any, saved: tuple[Any, ...] = ()) -> Any:
        """Put a covector at the end of an edge; return it as it arrives there.

        `incoming` and `saved` are what the node that sends had and has: where `g` is one of these arrays, a
        leaf copies it.
        """
        if type(edge) is Output:
            node, index = edge_target(edge)
            if isinstance(node, MultiNode):
                return self._send_to_output(node, index, g)
            edge = node
        kind, needed, pending = type(g), self.needed, self.pending
        if needed is not None and edge not in needed:
            return None
        if kind is ndarray:
            if g.shape != edge._shape:
                g = facade.sum_to(g, edge._shape)
            if g.dtype is not edge._dtype and g.dtype != edge._dtype:
                g = facade.convert(g, edge._dtype)
        elif kind is Tracer and g.shape == edge._shape and g.dtype is edge._dtype:
            pass
        # NumPy's operators on 0-d arrays give scalars.
        elif not (
            (kind is float32 or kind is float64)
            and edge._takes_scalars and not edge._shape and edge._dtype.type is kind
        ):  # fmt: skip
            g = conform(g, edge._shape, edge._dtype)
        if edge in pending:
            before = pending[edge]
            # A traced value may have arrived there first, or a sparse one.
            if type(before) is not ndarray or type(g) is not ndarray:
                pending[edge] = plus(before, g)
            elif edge in self.summed and before.strides == g.strides:
                add(before, g, before)
            else:
                pending[edge] = add(before, g, out=...)
                self.summed.add(edge)
        else:
            if (
                kind is ndarray
                and type(edge) is AccumulateGrad
                and (g is incoming or g.base is not None or _is_saved(g, saved))
            ):
                self.shared[edge] = g
            pending[edge] = g
            heappush(self.heap, (-edge._seq, edge))
        if type(edge) is AccumulateGrad and (
            edge._hooks is not None or (kind is ndarray and g.size >= WORTH_CHAIN)
        ):
            self.hasten(edge)
        return g

    def hasten(self, leaf: AccumulateGrad) -> None:
        """Note that a covector came to a leaf that has hooks or is large."""

    def _send_to_output(self, node: MultiNode, index: int, g: object) -> Any:
        if self.needed is not None and node not in self.needed:
            return None
        g = conform(g, node._shape[index], node._dtype[index])
        if node not in self.pending:
            self.pending[node] = [None] * len(node._shape)
            heappush(self.heap, (-node._seq, node))
        slots = self.pending[node]
        slots[index] = g if slots[index] is None else plus(slots[index], g)
        return g


def _is_saved(value: ndarray, saved: tuple[object, ...]) -> bool:
    """Return whether a rule returned a saved array as it is: a leaf must not take it as its own `.grad`."""
    for s in saved:  # noqa: SIM110  # a fifth of what `any` over a generator costs
        if s is value:
            return True
    return False


class Backward(BackwardPass, Task):
    """The pass of `backward` and `grad`: hooks are called, saved values freed, leaves filled.

    Its arguments are those of `run_backward`, but that saved values stay where `freed` is None.
    """

    looks = False
    #: How many covectors may still come to each leaf, once that is asked.
    awaited: Counter[AccumulateGrad] | None = None

    def __init__(
        self, roots: Sequence[tuple[Any, Any]], freed: tuple[object, ...] | None, create_graph: bool,
        capture: Capture | None, accumulate: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.roots = roots
        self.freed = freed
        self.create_graph = create_graph
        self.capture = capture
        self.accumulates = accumulate
        if capture is not None:
            self.looked_at = capture.wanted
            if not capture.needed.issuperset(capture.roots):
                self.looked_at = {**dict.fromkeys({*capture.roots} - capture.needed), **capture.wanted}
        now = modes()
        self.is_plain = now is DEFAULT or now is NO_GRAD
        self.watched = not self.is_plain and (now.anomaly or now.watcher is not None)
        self.pulls = self.watched or create_graph

    def run(self) -> None:
        """Send the covectors of the roots, then run every node that one reaches."""
        capture, roots = self.capture, self.roots
        if capture is not None and len(roots) > 1:
            self.needed = capture.needed
        for edge, g in roots:
            self.send(edge, g, g)
        # As in torch, the hooks of a single output run even where nothing that was asked for lies behind it.
        if capture is not None:
            self.needed = capture.needed
        super().run()
        if self.is_plain and self.visited:
            _HOTNESS.is_hot(_SAVED * self.visited)

    def native(self) -> Callable[[], None] | None:
        """Return the native loop for this pass, where it has paid; see `large.backward_loop`."""
        if not (self.is_plain and (_HOTNESS.compiled or _HOTNESS.is_hot(0))):
            return None
        # It needs no second look at what is compiled where it has been here.
        drain = large.backward_loop() if _HOTNESS.compiled else _HOTNESS.get(large.backward_loop)
        if drain is None:
            return None
        _HOTNESS.compiled = True
        capture = self.capture
        results = None if capture is None or self.accumulates else capture.results
        return partial(
            drain, self, self.heap, self.pending, self.needed, self.looked_at or None, self.empty,
            self.summed, self.shared, self.freed, results, self.deliver, self.send,
            True if self.create_graph else None,
        )  # fmt: skip

    def arrive(self, node: Node, g: object) -> tuple[Any, bool]:
        """Run the hooks of a node and capture what is asked for there.

        As in torch, `autograd.grad` gives what arrived before the hooks where it goes on to other nodes.
        """
        capture, hooks = self.capture, node._hooks
        if capture is None:
            return run_prehooks(node, hooks, g, True, self.create_graph), True  # type: ignore[arg-type]  # asked where there are hooks
        needed = capture.needed
        wanted = node in capture.wanted
        if wanted and not self.accumulates:
            runs = bool(node._edges) and any(
                edge is not None and edge_target(edge)[0] in needed for edge in node._edges
            )
        else:
            runs = node in needed
        before = wanted and runs and not self.accumulates
        if before:
            self._capture(node, g, capture)
        if hooks is not None:
            g = run_prehooks(node, hooks, g, runs, self.create_graph)
        if wanted and not before:
            self._capture(node, g, capture)
        return g, runs and type(node) is not AccumulateGrad

    def hasten(self, leaf: AccumulateGrad) -> None:
        """Run a leaf next where nothing more is to arrive there, as torch does.

        By its age it would come behind all other nodes where a graph of an earlier step still lives, as after
        ``loss = ...``: hooks would be called late, new gradients wait to be added to those that are there.
        """
        if self.capture is None and (leaf._hooks is not None or leaf.variable._grad is not None):
            if self.awaited is None:
                self.awaited = edges_to_leaves([edge for edge, _ in self.roots])
            self.awaited[leaf] -= 1
            if not self.awaited[leaf]:
                del self.awaited[leaf]
                heappush(self.heap, (-_YOUNGEST - len(self.awaited), leaf))

    def _capture(self, node: Node, g: Any, capture: Capture) -> None:
        if self.accumulates and type(node) is AccumulateGrad:
            # Once, however often a leaf is asked for.
            accumulate_grad(node, c_copy(g) if isinstance(g, ndarray) else g, self.create_graph)
            return
        for index, position in capture.wanted[node]:
            value = g[index] if g is not None and isinstance(node, MultiNode) else g
            if value is not None:
                before = capture.results[position]
                capture.results[position] = value if before is None else plus(before, value)

    def accumulate(self, node: AccumulateGrad, g: object) -> None:
        """Add the covector of a leaf to its `.grad`."""
        if self.shared and self.shared.pop(node, node) is g:
            g = c_copy(g)
        accumulate_grad(node, g, self.create_graph)

    def pull(self, node: Node, g: object) -> Sequence[Any]:
        """Return the covectors of a node's inputs: on large arrays in parallel, recorded, or watched."""
        if g is None:
            return pulled_of_nothing(node, self.create_graph)
        if self.watched:
            return watched(node, g, self.create_graph)
        if self.create_graph:
            if self.needed is None or node._op is None:
                return node.backward_graph(g)
            return node.backward_graph(g, self.needed)  # type: ignore[call-arg]  # what nodes of ops take
        op = node._op
        if op is not None and op.kind == "elementwise" and type(g) is ndarray and not g.flags.c_contiguous:
            # A sum gives each element of a row the same: so few of them at a time, g·x takes 150 µs for
            # 2,000×16×8 numbers, and 70 with g written out.
            g = written_out(g)
        if type(g) is ndarray and (g.size >= WORTH or node.is_chained):
            return tuple(map(bulk.unwrapped, node.backward_bulk(bulk.Bulk(g))))
        return node.backward(g)

    def deliver(self, node: Node, g: object, grads: Sequence[object]) -> None:
        """Free what a node saved and send its covectors along its edges."""
        saved, freed = node._saved, self.freed
        if freed is not None and node._frees and ((saved and saved[0] is not None) or has_saved(node)):
            node._saved = freed
        if node._hooks is not None and node._hooks.post:
            # As in torch, hooks see what will arrive.
            grads = run_posthooks(node, node._hooks, self._arriving(node, grads), g, self.create_graph)
        pending, needed, captures = self.pending, self.needed, not self.accumulates
        for edge, gi in zip(node._edges, grads):  # lengths agree; `strict` costs 0.1 µs a node
            if edge is None:
                continue
            if gi is None:
                self._send_nothing(node, grads)
            elif (
                type(gi) is ndarray
                and type(edge) is not Output
                and (captures or type(edge) is not AccumulateGrad)
                and gi.shape == edge._shape
                and gi.dtype is edge._dtype
                and edge not in pending
                and (needed is None or edge in needed)
            ):
                # What `send` would do.
                pending[edge] = gi
                heappush(self.heap, (-edge._seq, edge))
            else:
                self.send(edge, gi, g, saved)

    def _arriving(self, node: Node, grads: Sequence[object]) -> Sequence[object]:
        """Return a node's covectors as they arrive; as in torch an op computes none that nobody asked for."""
        found, needed = conformed(node, grads), self.needed
        if needed is None or node._op is None:
            return found
        return [
            gi if edge is not None and edge_target(edge)[0] in needed else None
            for edge, gi in zip(node._edges, found)
        ]

    def _send_nothing(self, node: Node, grads: Sequence[object]) -> None:
        """Let nodes without a covector run, as torch does: hooks are called, what is saved is looked at."""
        for i in node.derivable_inputs():
            edge = node._edges[i]
            if edge is None or grads[i] is not None:
                continue
            target = edge_target(edge)[0]
            waits = target in self.pending or target in self.empty
            if not waits and (self.needed is None or target in self.needed):
                self.empty.add(target)
                heappush(self.heap, (-target._seq, target))

    def fill_ready_leaves(self) -> None:
        """Accumulate what waits for leaves that neither the node that failed nor another that has not run
        leads to: torch fills a leaf as soon as it is ready, not in the order of age.
        """
        reached = nodes_behind(
            node for node in (self.node, *self.pending) if type(node) is not AccumulateGrad
        )
        if isinstance(self.node, Underivable):
            reached.update(self.node.sent_after(self.roots))
        for node, g in self.pending.items():
            if type(node) is AccumulateGrad and node not in reached:
                if node._hooks is not None:
                    g = run_prehooks(node, node._hooks, g, True, self.create_graph)
                accumulate_grad(node, c_copy(g) if isinstance(g, ndarray) else g, self.create_graph)


def run_backward(
    roots: Sequence[tuple[Any, Any]],
    *,
    keep_graph: bool,
    create_graph: bool,
    capture: Capture | None = None,
    accumulate: bool = True,
    record_inner: bool = False,
    freed: tuple[object, ...] | None = None,
) -> None:
    """Pull covectors, inner values or tensors with `create_graph`, back from the roots to the leaves.

    With `keep_graph` saved values stay for another run; by default nodes get `freed` in their place
    (`blame.freed_by_caller`), where the caller knows. `create_graph` records the pullback itself,
    `record_inner` leaves grad mode as it is: a transform pulls back values of lower levels, which may
    themselves be recorded. With `capture` covectors are collected at these places, and only nodes that lead
    there run; `accumulate` adds them to the leaves' `.grad` instead of returning them
    (`backward(inputs=...)`).
    """
    if keep_graph:
        freed = None
    elif freed is None:
        freed = freed_by_caller(2)
    if record_inner:
        Backward(roots, freed, create_graph, capture, accumulate).run()
        return
    now, thread = modes(), get_ident()
    if now is DEFAULT or now is NO_GRAD:
        within = DEFAULT if create_graph else NO_GRAD
    else:
        within = now._replace(grad=create_graph)
    outer = running.get(thread)
    narrows = capture is not None and thread not in selecting
    backward = Backward(roots, freed, create_graph, capture, accumulate)
    warned = None
    # An interrupt comes behind any call: what was changed before the block would stay so.
    try:
        put_modes(within)
        warned = quiet(IGNORE)
        running[thread] = backward
        if narrows:
            selecting.add(thread)
        backward.run()
        while backward.callbacks:
            callback, *backward.callbacks = backward.callbacks
            callback()
    except Exception as error:
        if capture is None and backward.node is not None:
            backward.fill_ready_leaves()
        # A program that catches it must not be written down as one that raises it always.
        refuse_all(error)
        check_refused_shapes(error)
        raise
    finally:
        try:
            put_modes(now)
        finally:
            if warned is not None:
                loud(warned)
            if narrows:
                selecting.discard(thread)
            if outer is None:
                running.pop(thread, None)
            else:
                running[thread] = outer
