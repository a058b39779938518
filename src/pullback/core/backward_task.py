"""Say what a run of backward was asked for: the places to capture, the nodes that lead there, who
runs what.
"""

from __future__ import annotations

from _thread import get_ident
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from ..array import large
from ..array.deferred_import import import_later
from .node import AccumulateGrad, Node, Output, edge_target
from .tracer import running as recorder_of

errors = import_later(".graph_errors", __package__)


class Capture:
    """Map (node, output index) to positions in `autograd.grad`'s results; hold the nodes that lead there."""

    def __init__(self, edges: Sequence[Any], roots: Sequence[Node]) -> None:
        self.wanted: dict[Node, list[tuple[int, int]]] = {}
        wanted = self.wanted
        for position, edge in enumerate(edges):
            if edge is not None:
                node, index = edge_target(edge) if type(edge) is Output else (edge, 0)
                if node in wanted:
                    wanted[node].append((index, position))
                else:
                    wanted[node] = [(index, position)]
        self.results: list[Any] = [None] * len(edges)
        self.roots = roots
        self.needed = needed_nodes(roots, wanted)
        if (recorder := recorder_of()) is not None and recorder.pulls is not None:
            recorder.pulls(roots, self.wanted)


AGE = attrgetter("_seq")


def needed_nodes(roots: Sequence[Node], targets: dict[Node, Any]) -> set[Node]:
    """Return the nodes from which a target can be reached (each target included), without recursion."""
    if not targets:
        return set()
    if large.select is not None and (found := large.select(roots, targets)) is not None:
        return found
    oldest = min([node._seq for node in targets])
    seen = set(roots)
    stack = list(seen)
    users = []
    # Native code asks for these, and then leaves it to `send` where their edges lead.
    parted = set()
    every = True
    while stack:
        user = stack.pop()
        users.append(user)
        leads = user in targets
        for edge in user._edges:
            if edge is not None:
                node = edge_target(edge)[0] if type(edge) is Output else edge
                if type(edge) is Output and edge.node.is_parted:
                    parted.add(edge.node)
                if node._seq >= oldest:
                    leads = True
                    if node not in seen:
                        seen.add(node)
                        stack.append(node)
        every = every and leads
    if every:
        # From no node the way ends elsewhere.
        return seen | parted
    needed = {node for node in targets if node in seen} | parted
    # A node is younger than its inputs: what they lead to is known when it is looked at.
    users.sort(key=AGE)
    for user in users:
        for edge in user._edges:
            if edge is not None and (edge_target(edge)[0] if type(edge) is Output else edge) in needed:
                needed.add(user)
                break
    return needed


class Task:
    """One run of backward, as hooks that belong to several tensors see it.

    `accumulates` says whether what `capture` captured goes to `.grad`.
    """

    callbacks: Sequence[Callable[[], Any]] = ()  # called once every node has run; see `queue_callback`
    freed: tuple[object, ...] | None = None  # what nodes get in place of the saved values that it frees
    needed: set[Node] | None = None  # the nodes that covectors are sent to; by default all

    def __init__(
        self, roots: Sequence[tuple[Any, Any]], capture: Capture | None = None, accumulate: bool = True
    ) -> None:
        self.roots = roots
        self.capture = capture
        self.accumulates = accumulate

    def reached(self, targets: Sequence[Node]) -> int:
        """Count the nodes that run, have run, or have what arrives at them captured."""
        if self.capture is None:
            roots = [edge_target(edge)[0] for edge, _ in self.roots]
            needed = needed_nodes(roots, dict.fromkeys(targets))
        elif not self.accumulates and any(type(node) is AccumulateGrad for node in targets):
            raise errors.leaf_in_selective_run()
        else:
            needed = self.capture.needed
        return sum(node in needed for node in targets)


#: What each thread is running.
running: dict[int, Task] = {}

#: Threads whose backward runs only towards what `capture` asks for (a checkpoint asks).
selecting: set[int] = set()


def queue_callback(callback: Callable[[], Any]) -> None:
    """Have a function called at the end of the backward that this thread runs, or raise a RuntimeError."""
    if (task := running.get(get_ident())) is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    task.callbacks = (*task.callbacks, callback)


def in_backward() -> bool:
    """Return whether this thread is running a backward."""
    return get_ident() in running


def nodes_behind(roots: Iterable[Node]) -> set[Node]:
    """Return the nodes that can be reached from some, without recursion."""
    seen = set(roots)
    stack = list(seen)
    while stack:
        for edge in stack.pop()._edges:
            if edge is not None:
                node = edge_target(edge)[0] if type(edge) is Output else edge
                if node not in seen:
                    seen.add(node)
                    stack.append(node)
    return seen


def edges_to_leaves(roots: Sequence[Node | Output]) -> Counter[AccumulateGrad]:
    """Count the edges that lead to each leaf from these on."""
    nodes = [edge_target(edge)[0] for edge in roots]
    found = Counter(node for node in nodes if type(node) is AccumulateGrad)
    for user in nodes_behind(nodes):
        for edge in user._edges:
            if type(edge) is AccumulateGrad:
                found[edge] += 1
    return found
