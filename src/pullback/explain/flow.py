"""Find the values and the covectors of a graph, as far as they can still be had, without disturbing it.

What backward freed is worked out anew where that is possible: a node's inputs and result are known when a
variable of the program still holds them, when another node saved them, or when they follow from leaves by ops
that need nothing else. What cannot be had is told, so that an answer can be as uncertain as it is.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.blame import is_freed, written_since
from ..core.engine import BackwardPass
from ..core.node import LEAF, AccumulateGrad, MultiNode, Node, edge_target
from ..core.saved import Packed
from ..core.value import TensorBase, innermost
from ..core.versions import is_stale
from .finite import is_finite
from .walk import reachable, results_of, saved_results

#: Gives other values for the inputs of an op, by its name.
Moving = Callable[[str, Iterable[Any]], list[Any]]

#: Attributes that freed nodes of these ops have had, but for rare programs: what a linear layer passes.
LIKELY: dict[str, tuple[Any, ...]] = {"addmm": (1, 1)}


@dataclass
class Visit:
    """Record what one node did with its covector.

    `sent` is what went out along each edge, as it arrives there; `mended` whether that is what the node sends
    for inputs that were moved.
    """

    node: Node
    incoming: Any
    sent: list[tuple[Any, Any]]
    mended: bool = False

    @property
    def covectors(self) -> list[ndarray]:
        """Return the covectors that came in."""
        several = self.incoming if isinstance(self.incoming, list) else [self.incoming]
        return [np.asarray(g) for g in several if g is not None]


class Flow:
    """A graph below some roots; `tensors` are what the program's variables hold now.

    `nodes` has the youngest first. `stuck` has those whose rule could not run, because what they saved is
    gone; `assumed` is whether a value was worked out with attributes that are likely and not known.
    """

    def __init__(self, roots: Iterable[Any], tensors: Iterable[Any]) -> None:
        self.roots = list(roots)
        self.nodes = reachable({edge_target(edge)[0] for edge in self.roots})
        self.values: dict[tuple[Node, int], ndarray] = {}
        self.constants: dict[tuple[Node, int], Any] = {}
        self.stuck: list[Node] = []
        self.assumed = False
        inside = set(self.nodes)
        first_use: dict[Node, int] = {}
        for node in self.nodes:
            for edge in node._edges:
                if edge is not None:
                    first_use[edge_target(edge)[0]] = node._seq  # youngest first: the oldest use stays
        for tensor in tensors:
            edge = tensor._node
            if edge is not None and edge is not LEAF and isinstance(tensor._value, ndarray):
                node, index = edge_target(edge)
                if node in inside and not written_since(tensor._counter, node._seq):
                    self.values[node, index] = tensor._value
        for place, value in saved_results(self.nodes).items():
            self.values.setdefault(place, value)
        for node in self.nodes:
            self._read(node, first_use.get(node, node._seq))
        for node in reversed(self.nodes):
            self._compute(node)

    def _read(self, node: Node, used: int) -> None:
        if isinstance(node, AccumulateGrad):
            value = innermost(node.variable)
            # What an optimizer's step wrote over is not what the graph was computed from.
            if isinstance(value, ndarray) and not written_since(node.variable._counter, used):
                self.values[node, 0] = value
            return
        op, saved = node._op, node._saved
        if op is None or not isinstance(saved, tuple) or is_freed(saved):
            return
        for k, i in enumerate(op.layout.input_index):
            value = saved[3 * k]
            if value is None or type(value) is Packed or isinstance(value, TensorBase):
                continue
            stale = isinstance(value, ndarray) and is_stale(saved[3 * k + 1], saved[3 * k + 2])
            if i >= 0 and not stale and (i >= len(node._edges) or node._edges[i] is None):
                self.constants[node, i] = value

    def inputs_of(self, node: Node) -> list[Any]:
        """Return the values of a node's inputs; None for each that is not known."""
        return [
            self.constants.get((node, k)) if edge is None else self.values.get(edge_target(edge))
            for k, edge in enumerate(node._edges)
        ]

    def output_of(self, node: Node) -> ndarray | None:
        """Return the value of a node's result, or of its first."""
        return self.values.get((node, 0))

    def _compute(self, node: Node) -> None:
        op, inputs = node._op, self.inputs_of(node)
        if op is None or (node, 0) in self.values or op.joint or len(inputs) != len(op.inputs):
            return
        try:
            value = self._evaluated(node, inputs)
        except (ValueError, TypeError, IndexError, ArithmeticError):
            return
        if isinstance(value, ndarray):
            self.values[node, 0] = value

    def _attributes(self, node: Node) -> tuple[Any, ...] | None:
        layout = node._op.layout
        if not layout.attrs:
            return ()
        saved = node._saved
        if not isinstance(saved, tuple):
            return None
        if is_freed(saved):
            self.assumed = self.assumed or node._op.base in LIKELY
            return LIKELY.get(node._op.base)
        return tuple(saved[3 * layout.count + len(layout.metadata) :])

    def _runnable(self, node: Node) -> Node | None:
        """Return the node itself, or a likeness of a freed one with what it saved; None if that is gone."""
        if not node._frees or not is_freed(node._saved):
            return node
        return self._likeness(node, self.inputs_of(node), self.output_of(node))

    def tried(self, node: Node, moved: Moving) -> ndarray | None:
        """Return the result of a node's op on inputs that are moved; None where it cannot be run."""
        try:
            value = self._evaluated(node, self.inputs_of(node), moved)
        except Exception:  # noqa: BLE001  # a kernel on other numbers: nothing is claimed then
            return None
        return value if isinstance(value, ndarray) else None

    def _evaluated(self, node: Node, inputs: list[Any], moved: Moving | None = None) -> Any:
        """Return what a node's op gives on some inputs; None where it is no plain op, or one is not known."""
        op = node._op
        attrs = None if op is None or isinstance(node, MultiNode) else self._attributes(node)
        if attrs is None or op.variadic or op.many or len(op.outputs) != 1 or any(v is None for v in inputs):
            return None
        with np.errstate(all="ignore"):
            return op.evaluate(tuple(inputs if moved is None else moved(op.base, inputs)), attrs)

    def tried_back(self, node: Node, g: Any, moved: Moving) -> Sequence[Any] | None:
        """Return what a node sends back for inputs that are moved; None where it cannot be run."""
        value = self.tried(node, moved)
        if value is None:
            return None
        likeness = self._likeness(node, moved(node._op.base, self.inputs_of(node)), value)
        try:
            with np.errstate(all="ignore"):
                return None if likeness is None else [
                    None if sent is None else innermost(sent) for sent in likeness.backward(g)
                ]
        except Exception:  # noqa: BLE001  # as above
            return None

    def result_with(self, node: Node, value: ndarray) -> ndarray | None:
        """Return the first root for another result of a node; None where what depends on it cannot be run."""
        results = {(node, 0): value}
        changed = {node}
        try:
            for later in reversed(self.nodes):
                if later in changed or not any(
                    edge is not None and edge_target(edge)[0] in changed for edge in later._edges
                ):
                    continue
                known = [
                    self.constants.get((later, k)) if edge is None
                    else results.get(edge_target(edge), self.values.get(edge_target(edge)))
                    for k, edge in enumerate(later._edges)
                ]  # fmt: skip
                found = self._evaluated(later, known)
                if found is None:
                    return None
                results[later, 0] = found
                changed.add(later)
        except Exception:  # noqa: BLE001  # kernels on other numbers: nothing is claimed then
            return None
        return results.get(edge_target(self.roots[0]))

    def _likeness(self, node: Node, inputs: list[Any], output: Any) -> Node | None:
        """Return a node like another one, with given values in place of what it saved."""
        op = node._op
        if op is None or op.variadic or op.many or isinstance(node, MultiNode):
            return None
        attrs = self._attributes(node)
        if attrs is None:
            return None
        layout = op.layout
        wants = (True,) if op.joint else tuple(edge is not None for edge in node._edges)
        saved: list[Any] = []
        for keep, i in zip(layout.needed(wants), layout.input_index):
            value = (inputs[i] if i >= 0 else output) if keep else None
            if keep and value is None:
                return None
            saved += (value, [0], 0)
        for i in layout.metadata_inputs:
            edge = node._edges[i]
            if edge is None:
                return None
            saved.append(_shape(edge))
        saved += attrs
        likeness = object.__new__(type(node))
        for name in ("_edges", "_shape", "_dtype", "_seq", "level"):
            if hasattr(node, name):
                setattr(likeness, name, getattr(node, name))
        likeness._hooks = None
        likeness._saved = tuple(saved)
        return likeness

    def pull(
        self, covectors: Iterable[Any], passing: frozenset[Node] = frozenset(), moved: Moving | None = None
    ) -> list[Visit]:
        """Pull covectors back, youngest node first; return what each node did.

        No hook is called, no leaf accumulates, nothing is freed. The nodes of `passing` hand their covector
        on as it is, in place of what their rule says. Nodes that make a finite covector one that is not send
        on what they send for inputs that are `moved`, where that is finite, and their visit says so.
        """
        look = _Look(self, passing, moved)
        with np.errstate(all="ignore"):
            for edge, g in zip(self.roots, covectors):
                look.send(edge, g, g)
            look.run()
        return look.visits


class _Look(BackwardPass):
    """The pass of `Flow.pull`: nodes without what they need are passed over."""

    def __init__(self, flow: Flow, passing: frozenset[Node], moved: Moving | None) -> None:
        super().__init__()
        self.flow = flow
        self.passing = passing
        self.moved = moved
        self.mended: set[Node] = set()
        self.visits: list[Visit] = []

    def arrive(self, node: Node, g: Any) -> tuple[Any, bool]:
        """Note what a leaf gets; the others run."""
        leaf = isinstance(node, AccumulateGrad)
        if leaf:
            self.visits.append(Visit(node, g, []))
        return g, not leaf

    def pull(self, node: Node, g: Any) -> Sequence[Any] | None:  # type: ignore[override]  # None: it is stuck
        """Run the rule on what the node saved, or on what was worked out anew."""
        if node in self.passing:
            return [None if edge is None else _handed_on(g, _shape(edge)) for edge in node._edges]
        runnable = self.flow._runnable(node)
        try:
            sent = None if runnable is None else runnable.backward(g)
        except RuntimeError:
            return None
        if self.moved is not None and sent is not None and _all_finite(_several(g)) and not _all_finite(sent):
            other = self.flow.tried_back(node, g, self.moved)
            if other is not None and _all_finite(other):
                self.mended.add(node)
                return other
        return sent

    def deliver(self, node: Node, g: Any, grads: Sequence[Any] | None) -> None:
        """Send the covectors on, and note them as they arrive."""
        if grads is None:
            self.flow.stuck.append(node)
            return
        sent = [
            (edge, self.send(edge, innermost(gi), g))
            for edge, gi in zip(node._edges, grads)
            if edge is not None and gi is not None
        ]
        self.visits.append(Visit(node, g, sent, node in self.mended))


def _several(g: Any) -> Iterable[Any]:
    return g if isinstance(g, list) else [g]


def _all_finite(values: Iterable[Any]) -> bool:
    return all(is_finite(v) for v in values if v is not None)


def _handed_on(g: Any, shape: tuple[int, ...]) -> ndarray:
    """Return a covector in another shape: as it is, or its size everywhere."""
    value = np.asarray(g[0] if isinstance(g, list) else g)
    return value if value.shape == shape else np.full(shape, np.abs(value).mean(), value.dtype)


def leading_to(nodes: list[Node], leaf: Node) -> set[Node]:
    """Return the nodes from which a leaf can be reached, and the leaf itself."""
    found: set[Node] = {leaf}
    for node in reversed(nodes):
        if any(e is not None and edge_target(e)[0] in found for e in node._edges):
            found.add(node)
    return found


def _shape(edge: Any) -> tuple[int, ...]:
    node, index = edge_target(edge)
    return results_of(node)[index][0]
