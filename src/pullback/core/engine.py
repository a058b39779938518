"""The engine: one loop over a heap of nodes, youngest first.

A node is younger than its inputs, so when it is popped every covector that it will ever receive has arrived;
no counting of dependencies, no recursion. Covectors are inner values (bare arrays in the plain case); with
`create_graph` they are tensors and the rules' own ops are recorded. A covector is brought to the shape and
dtype of the edge that it travels along in one place, here: rules know nothing of broadcasting or promotion.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from operator import itemgetter
from threading import get_ident
from typing import Any

import numpy as np
from numpy import add, asarray, float32, float64, floating, ndarray

from ..array.layout import is_dense
from ..array.strides import contiguous_strides, laid_out, strides_of
from ..array.transposed import c_copy
from . import bulk, structural_ops
from . import graph_errors as errors
from .blame import freed_by_caller, is_freed
from .dual import Dual
from .hooked import as_inner, as_tensor, run_posthooks, run_prehooks
from .hooks import NodeHooks
from .modes import DEFAULT, NO_GRAD, modes, put_modes, reset_modes
from .node import AccumulateGrad, MultiNode, Node, Output, accumulation_lock
from .quiet import IGNORE, loud, quiet
from .saved import check_versions
from .saved import freed as freed_error
from .tracer import Tracer, refuse_all
from .underivable import Underivable
from .value import TensorBase, dtype_of, shape_of


def conform(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Bring a covector to the shape and dtype of an edge."""
    if type(g) is ndarray or type(g) is Tracer:
        if g.shape == shape and g.dtype is dtype:
            return g
    elif isinstance(g, np.generic):
        g = np.asarray(g)
    if shape_of(g) != shape:
        g = structural_ops.sum_to(g, shape)
    if dtype_of(g) != dtype:
        g = structural_ops.convert(g, dtype)
    return g


class Capture:
    """Map (node, output index) to positions in `autograd.grad`'s results; hold the nodes that lead there."""

    def __init__(self, edges: Sequence[Any], roots: Sequence[Node]) -> None:
        self.wanted: dict[Node, list[tuple[int, int]]] = {}
        for position, edge in enumerate(edges):
            if edge is not None:
                node, index = edge if type(edge) is Output else (edge, 0)
                self.wanted.setdefault(node, []).append((index, position))
        self.results: list[Any] = [None] * len(edges)
        self.needed = needed_nodes(roots, self.wanted)


def needed_nodes(roots: Sequence[Node], targets: dict[Node, Any]) -> set[Node]:
    """The nodes from which a target can be reached (each target included), without recursion."""
    if not targets:
        return set()
    oldest = min(node._seq for node in targets)
    seen = set(roots)
    stack = list(seen)
    users: dict[Node, list[Node]] = {}
    while stack:
        user = stack.pop()
        for edge in user._edges:
            node = edge.node if type(edge) is Output else edge
            if node is not None and node._seq >= oldest:
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
                users.setdefault(node, []).append(user)
    needed = {node for node in targets if node in seen}
    stack = list(needed)
    while stack:
        for user in users.get(stack.pop(), ()):
            if user not in needed:
                needed.add(user)
                stack.append(user)
    return needed


def run_backward(
    roots: Sequence[tuple[Any, Any]],
    *,
    keep_graph: bool,
    create_graph: bool,
    capture: Capture | None = None,
    accumulate: bool = True,
    record_inner: bool = False,
    freed: tuple[Any, ...] | None = None,
) -> None:
    """Pull covectors back from the roots to the leaves (or to what `capture` asks for).

    Parameters
    ----------
    roots : sequence of (edge, covector)
        Covectors are inner values, or tensors with `create_graph`.
    keep_graph : bool
        Leave saved values in place for another run.
    create_graph : bool
        Record the pullback itself.
    capture : Capture, optional
        Collect covectors at these places; only nodes that lead there run.
    accumulate : bool
        With `capture`: add what was captured to the leaves' `.grad` instead of returning it
        (`backward(inputs=...)`).
    record_inner : bool
        Leave grad mode as it is: a transform pulls back values of lower levels, which may themselves be
        recorded.
    freed : tuple, optional
        What nodes get in place of the saved values that are freed (`blame.freed_by_caller`), where the caller
        knows.
    """
    if keep_graph:
        freed = None
    elif freed is None:
        freed = freed_by_caller(2)
    if record_inner:
        _loop(roots, freed, create_graph, capture, accumulate)
        return
    now = modes()
    if now is DEFAULT or now is NO_GRAD:
        token = put_modes(DEFAULT if create_graph else NO_GRAD)
    else:
        token = put_modes(now._replace(grad=create_graph))
    warned = quiet(IGNORE)
    thread = get_ident()
    outer = running.get(thread)
    running[thread] = Task(roots, capture, accumulate)
    narrows = capture is not None and thread not in selecting
    if narrows:
        selecting.add(thread)
    try:
        _loop(roots, freed, create_graph, capture, accumulate)
    except Exception as error:
        # A program that catches it must not be written down as one that raises it always.
        refuse_all(error)
        raise
    finally:
        if narrows:
            selecting.remove(thread)
        if outer is None:
            del running[thread]
        else:
            running[thread] = outer
        loud(warned)
        reset_modes(token)



class Task:
    """One run of backward, as hooks that belong to several tensors see it.

    Attributes
    ----------
    roots : sequence of (edge, covector)
    capture : Capture or None
    accumulate : bool
        Whether what was captured goes to `.grad`.
    """

    __slots__ = ("__weakref__", "accumulate", "capture", "roots")

    def __init__(
        self, roots: Sequence[tuple[Any, Any]], capture: Capture | None = None, accumulate: bool = True
    ) -> None:
        self.roots = roots
        self.capture = capture
        self.accumulate = accumulate

    def reached(self, targets: Sequence[Node]) -> int:
        """Count the nodes that run, have run, or have what arrives at them captured."""
        if self.capture is None:
            roots = [edge.node if type(edge) is Output else edge for edge, _ in self.roots]
            needed = needed_nodes(roots, dict.fromkeys(targets))
        elif not self.accumulate and any(type(node) is AccumulateGrad for node in targets):
            raise errors.leaf_in_selective_run()
        else:
            needed = self.capture.needed
        return sum(node in needed for node in targets)


#: What each thread is running.
running: dict[int, Task] = {}

#: Threads whose backward runs only towards what `capture` asks for (a checkpoint asks).
selecting: set[int] = set()

#: What threads that only look at a pullback have to put back: (leaf, its `.grad`, the grad's values, its
#: version) for each time that a rule ran a backward of its own, as a checkpoint does.
rehearsals: dict[int, list[tuple[Any, Any, Any, int]]] = {}


def _loop(
    roots: Sequence[tuple[Any, Any]],
    freed: tuple[Any, ...] | None,
    create_graph: bool,
    capture: Capture | None,
    accumulate: bool,
) -> None:
    heap: list[tuple[int, Node]] = []
    pending: dict[Node, Any] = {}
    # Covectors that a leaf may not keep as its own, because something else holds the same array.
    shared: dict[Node, Any] = {}
    needed = None if capture is None else capture.needed
    now = modes()
    watched = now.anomaly or now.watcher is not None
    large = bulk.SIZE
    # Nodes that are to run although nothing arrived at them.
    empty: set[Node] = set()
    for edge, g in roots:
        # As in torch, the hooks of a single output run even where nothing that was asked for lies behind it.
        _send(edge, g, pending, heap, needed if len(roots) > 1 else None)
    try:
        while heap:
            node = heappop(heap)[1]
            g = pending.pop(node, None)
            if g is None:
                if node not in empty:
                    continue  # it ran with what arrived later
                empty.remove(node)
            elif empty:
                empty.discard(node)
            hooks = node._hooks
            if capture is None:
                if hooks is not None:
                    g = run_prehooks(node, hooks, g, True, create_graph)
            else:
                g, goes_on = _at_place(node, hooks, g, capture, accumulate, create_graph)
                if not goes_on:
                    continue
            if type(node) is AccumulateGrad:
                if capture is None:
                    if shared and shared.get(node, node) is g:
                        g = c_copy(g)
                    accumulate_grad(node, g, create_graph)
                continue
            if g is None:
                grads = _of_nothing(node, create_graph)
            elif watched:
                grads = _watched(node, g, create_graph)
            elif create_graph:
                grads = node.backward_graph(g)
            elif type(g) is ndarray and g.size >= large:
                grads = tuple(map(bulk.unwrapped, node.backward_bulk(bulk.Bulk(g))))
            else:
                grads = node.backward(g)
            saved = node._saved
            if freed is not None and node._frees and ((saved and saved[0] is not None) or _holds(node)):
                node._saved = freed
            if hooks is not None and hooks.post:
                grads = run_posthooks(node, hooks, grads, g, create_graph)
            for edge, gi in zip(node._edges, grads):  # lengths agree; `strict` costs 0.1 µs a node
                if gi is None or edge is None:
                    if edge is not None:
                        _send_nothing(node, grads, pending, heap, needed, empty)
                    continue
                if type(edge) is Output or needed is not None:
                    _send(edge, gi, pending, heap, needed)
                    continue
                kind = type(gi)
                if kind is float32 or kind is float64:
                    # NumPy's operators on 0-d arrays give scalars.
                    if edge._takes_scalars and not edge._shape and edge._dtype.type is kind:
                        if edge in pending:
                            pending[edge] = pending[edge] + gi
                        else:
                            pending[edge] = gi
                            heappush(heap, (-edge._seq, edge))
                        continue
                    gi = asarray(gi)
                    kind = ndarray
                if kind is ndarray:
                    if gi.shape != edge._shape:
                        gi = structural_ops.sum_to(gi, edge._shape)
                    if gi.dtype is not edge._dtype and gi.dtype != edge._dtype:
                        gi = structural_ops.convert(gi, edge._dtype)
                    if edge in pending:
                        before = pending[edge]
                        # A traced value may have arrived there first, or a sparse one.
                        plain = type(before) is ndarray
                        pending[edge] = add(before, gi, out=...) if plain else plus(before, gi)
                        continue
                    if type(edge) is AccumulateGrad and (
                        gi is g or gi.base is not None or _is_saved(gi, saved)
                    ):
                        shared[edge] = gi
                else:
                    gi = conform(gi, edge._shape, edge._dtype)
                if edge in pending:
                    pending[edge] = plus(pending[edge], gi)
                else:
                    pending[edge] = gi
                    heappush(heap, (-edge._seq, edge))
    except Exception:
        if capture is None:
            _fill_ready_leaves(node, pending, create_graph, roots)
        raise


def _fill_ready_leaves(
    failed: Node, pending: dict[Node, Any], create_graph: bool, roots: Sequence[tuple[Any, Any]]
) -> None:
    """Accumulate what waits for leaves that neither the failed node nor another that has not run leads to:
    torch fills a leaf as soon as it is ready, not in the order of age.
    """
    stack = [node for node in (failed, *pending) if type(node) is not AccumulateGrad]
    reached = set(stack)
    while stack:
        for edge in stack.pop()._edges:
            node = edge.node if type(edge) is Output else edge
            if node is not None and node not in reached:
                reached.add(node)
                stack.append(node)
    if isinstance(failed, Underivable):
        reached.update(_sent_after(failed, roots))
    for node, g in pending.items():
        if type(node) is AccumulateGrad and node not in reached:
            if node._hooks is not None:
                g = run_prehooks(node, node._hooks, g, True, create_graph)
            accumulate_grad(node, c_copy(g) if isinstance(g, ndarray) else g, create_graph)


def _sent_after(failed: Node, roots: Sequence[tuple[Any, Any]]) -> list[Node]:
    """What the node that led to a failed one sends covectors to after it: an underivable node runs at once,
    before the leaves behind it in the same node's edges.
    """
    stack = [edge.node if type(edge) is Output else edge for edge, _ in roots]
    seen = set(stack)
    consumers = []
    while stack:
        user = stack.pop()
        targets = [edge.node if type(edge) is Output else edge for edge in user._edges]
        if failed in targets:
            consumers.append((user._seq, targets[targets.index(failed) + 1 :]))
        for node in targets:
            if node is not None and node not in seen:
                seen.add(node)
                stack.append(node)
    return min(consumers, key=itemgetter(0))[1] if consumers else []


def _is_saved(value: ndarray, saved: tuple[Any, ...]) -> bool:
    """Whether a rule returned a saved array as it is: a leaf must not take it as its own `.grad`."""
    for s in saved:  # noqa: SIM110  # a fifth of what `any` over a generator costs
        if s is value:
            return True
    return False


def _send(
    edge: Any, g: Any, pending: dict[Node, Any], heap: list[tuple[int, Node]], needed: set[Node] | None
) -> None:
    """Put a covector at the end of an edge (the general case of what the loop does inline)."""
    node, index = edge if type(edge) is Output else (edge, 0)
    if needed is not None and node not in needed:
        return
    if isinstance(node, MultiNode):
        g = conform(g, node._shape[index], node._dtype[index])
        if node not in pending:
            pending[node] = [None] * len(node._shape)
            heappush(heap, (-node._seq, node))
        slots = pending[node]
        slots[index] = g if slots[index] is None else plus(slots[index], g)
        return
    g = conform(g, node._shape, node._dtype)
    if needed is None and type(node) is AccumulateGrad and isinstance(g, ndarray):
        g = g.copy()
    if node in pending:
        pending[node] = plus(pending[node], g)
    else:
        pending[node] = g
        heappush(heap, (-node._seq, node))


def _send_nothing(
    node: Node,
    grads: Sequence[Any],
    pending: dict[Node, Any],
    heap: list[tuple[int, Node]],
    needed: set[Node] | None,
    empty: set[Node],
) -> None:
    """Let the nodes run, too, for which a node has no covector: as in torch, their hooks are called and what
    they saved is looked at.
    """
    for i in node.derivable_inputs():
        edge = node._edges[i]
        if edge is not None and grads[i] is None:
            target = edge.node if type(edge) is Output else edge
            if target not in pending and target not in empty and (needed is None or target in needed):
                empty.add(target)
                heappush(heap, (-target._seq, target))


def _holds(node: Node) -> bool:
    """Whether a node has anything to free: an op saves only what the inputs that require grad need."""
    op = node._op
    return op is None or op.once or any(v is not None for v in node._saved[: 3 * op.layout.count : 3])


def _of_nothing(node: Node, create_graph: bool) -> Sequence[Any]:
    """What a node gives at which nothing arrived: nothing, but it may raise what it would raise otherwise;
    only a function of the user's may make something of it.
    """
    op = node._op
    if op is None and isinstance(node, MultiNode):
        run = node.backward_graph if create_graph else node.backward
        return run([None] * len(node._shape))
    if isinstance(node, Underivable):
        return node.backward(None)
    if op is not None:
        if is_freed(node._saved):
            raise freed_error(node)
        check_versions(node, op.layout.count)
    return (None,) * len(node._edges)


def plus(before: Any, g: Any) -> Any:
    """The sum of two covectors; of a sparse and a dense one it is dense, whichever came first."""
    if is_sparse(g):
        before = as_tensor(before)
    elif is_sparse(before):
        return as_tensor(g) + before
    return before + g


def _at_place(
    node: Node, hooks: NodeHooks | None, g: Any, capture: Capture, accumulate: bool, create_graph: bool
) -> tuple[Any, bool]:
    """Run the hooks of a node and capture what is asked for there; return the covector and whether the node
    itself runs.

    As in torch, `autograd.grad` gives what arrived before the hooks where it goes on to other nodes.
    """
    needed = capture.needed
    wanted = node in capture.wanted
    if wanted and not accumulate:
        runs = any((e.node if type(e) is Output else e) in needed for e in node._edges if e is not None)
    else:
        runs = node in needed
    if wanted and runs and not accumulate:
        _capture(node, g, capture, accumulate, create_graph)
    if hooks is not None:
        g = run_prehooks(node, hooks, g, runs, create_graph)
    if wanted and (accumulate or not runs):
        _capture(node, g, capture, accumulate, create_graph)
    return g, runs


def _capture(node: Node, g: Any, capture: Capture, accumulate: bool, create_graph: bool) -> None:
    for index, position in capture.wanted[node]:
        value = g[index] if g is not None and isinstance(node, MultiNode) else g
        if accumulate and type(node) is AccumulateGrad:
            accumulate_grad(node, c_copy(value) if isinstance(value, ndarray) else value, create_graph)
        elif value is not None:
            before = capture.results[position]
            capture.results[position] = value if before is None else plus(before, value)


def accumulate_grad(node: AccumulateGrad, g: Any, create_graph: bool) -> None:
    """Add a covector to the leaf's `.grad`; the array becomes the leaf's own."""
    leaf = node.variable
    if leaf._node is None:
        return
    if g is None:
        _call_accumulated(node, node._hooks, None)
        return
    if isinstance(g, floating):
        g = asarray(g)
    if isinstance(innermost := g._value if isinstance(g, TensorBase) else g, Dual) and (
        innermost._level > leaf._level
    ):
        # As in torch, a gradient that is kept for after the level has no tangent.
        g = innermost.primal if create_graph else as_inner(innermost.primal, create_graph)
    hooks = node._hooks
    if rehearsals and (changes := rehearsals.get(get_ident())) is not None:
        _note_grad(leaf, changes)
        hooks = None
    with accumulation_lock:
        old = leaf._grad
        if old is None:
            if create_graph:
                leaf._grad = structural_ops.copy_of(as_tensor(g))
            else:
                value = leaf._value
                if type(g) is type(value) is ndarray:
                    if g.strides != value.strides:
                        g = conforming(g, value)
                    elif node._hooks is not None and (node._hooks.tensor or node._hooks.pre):
                        g = g.copy()  # a hook may have kept what it was given, which is not to change
                leaf._grad = g._accumulated() if is_sparse(g) else as_tensor(g)
        elif not create_graph and (recorder := getattr(old._value, "recorder", None)) is not None:
            # In place, as below: who holds the gradient finds it changed.
            sharing = recorder.sharing(old)
            total = plus(old, as_tensor(g))
            for t in (old, *sharing):
                t._value, t._level = total._value, total._level
            old._counter[0] += 1
        elif create_graph or type(old._value) is not ndarray or not isinstance(g, ndarray):
            leaf._grad = plus(old, as_tensor(g))
        else:
            old._value += g
            old._counter[0] += 1
    _call_accumulated(node, hooks, g)


def _call_accumulated(node: AccumulateGrad, hooks: NodeHooks | None, g: Any) -> None:
    """Run the hooks that come after a leaf got its covector."""
    if hooks is not None:
        for hook in list(hooks.accumulated.values()):
            hook(node.variable)
        for hook in list(hooks.post.values()):
            hook((), (as_tensor(g),))


def is_sparse(g: Any) -> bool:
    """Whether a covector is a sparse tensor."""
    return isinstance(g, TensorBase) and g._sparse


def conforming(g: ndarray, value: ndarray) -> ndarray:
    """A covector as torch lays out a leaf's: like the leaf, or in C order where the leaf has gaps."""
    strides = strides_of(value) if is_dense(value) else contiguous_strides(value.shape)
    if all(n == 1 or a == b for n, a, b in zip(g.shape, strides_of(g), strides, strict=True)):
        return g
    return laid_out(g, strides)


def _note_grad(leaf: Any, changes: list[tuple[Any, Any, Any, int]]) -> None:
    """Remember the `.grad` that a leaf has now."""
    grad = leaf._grad
    if grad is None:
        changes.append((leaf, None, None, 0))
    else:
        value = grad._value
        changes.append((leaf, grad, value.copy() if type(value) is ndarray else value, grad._counter[0]))


def put_grads_back(changes: list[tuple[Any, Any, Any, int]]) -> None:
    """Undo what a rehearsal did to the `.grad` of leaves."""
    for leaf, grad, value, version in reversed(changes):
        leaf._grad = grad
        if grad is not None:
            if type(value) is ndarray:
                grad._value[...] = value
            else:
                grad._value = value
            grad._counter[0] = version


def _watched(node: Node, g: Any, create_graph: bool) -> Any:
    """Run a node under anomaly detection, where a failure or a NaN names the forward call that made the node,
    or as an event of a profile.
    """
    mode = modes()
    run = node.backward_graph if create_graph else node.backward
    position = None if mode.watcher is None else mode.watcher.enter(type(node).__name__)
    try:
        grads = run(g)
    except Exception:
        if mode.anomaly:
            errors.anomaly_trace(node)
        raise
    finally:
        if position is not None:
            mode.watcher.leave(position)
    if mode.anomaly and mode.anomaly_check_nan:
        for index, gi in enumerate(grads):
            if gi is not None:
                value = gi
                while isinstance(value, TensorBase):
                    value = value._value
                if (
                    isinstance(value, (ndarray, np.generic))
                    and value.dtype.kind != "b"
                    and bool(np.isnan(value).any())
                ):
                    errors.anomaly_trace(node)
                    raise RuntimeError(
                        f"Function '{type(node).__name__}' returned nan values in its {index}th output."
                    )
    return grads
