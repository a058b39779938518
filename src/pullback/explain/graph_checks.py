"""Check on the graph of a backward that fails whether, after a mend, anything used up is still in its way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from threading import get_ident
from typing import Any

from ..core.backward_task import running
from ..core.blame import Place, changes, freed_when, is_freed
from ..core.node import AccumulateGrad, Node, edge_target
from ..core.versions import is_stale
from .carried import Boundary, leads
from .scene import Scene
from .walk import reachable


def roots() -> list[Node]:
    """Return the nodes that the backward which is running began at."""
    task = running.get(get_ident())
    return [] if task is None else [edge_target(edge)[0] for edge, _ in task.roots]


def written_only_at(place: Place | None, failing: Node | None) -> bool:
    """Return whether all saved values that were written over were so at one line, and nowhere else.

    Without that line each has the version that backward expects. Nodes before the `failing` one have run
    already.
    """
    if place is None or failing is None:
        return False
    written = 0
    for counter, version in _stale([failing, *reachable(roots())]):
        places = changes(counter, version)
        if not places or int(counter[0]) - int(version) != len(places):
            return False
        if any((p.file, p.line) != (place.file, place.line) for p in places):
            return False
        written += 1
    return written > 0


def _stale(nodes: Iterable[Node]) -> Iterator[tuple[Any, Any]]:
    for node in nodes:
        saved = node._saved
        if node._op is None or not isinstance(saved, tuple) or is_freed(saved):
            continue
        for k in range(node._op.layout.count):
            counter, version = saved[3 * k + 1], saved[3 * k + 2]
            if isinstance(counter, list) and is_stale(counter, version):
                yield counter, version


def free_without(name: str, found: Iterable[Boundary], scenes: Iterable[Scene]) -> bool:
    """Return whether the graph is whole once it is cut off at what a variable or attribute leads to."""
    makers = {boundary.maker for boundary in found}
    values = [scene.value(name) for scene in scenes]
    if not makers or not all(any(leads(value, maker) for value in values) for maker in makers):
        return False
    seen: set[Node] = set()
    waiting = roots()
    begun = max((node._seq for node in waiting), default=-1)  # what is freed later, this backward has freed
    while waiting:
        node = waiting.pop()
        if node in seen or node in makers:
            continue
        seen.add(node)
        saved = node._saved
        freed = type(node) is not AccumulateGrad and isinstance(saved, tuple) and is_freed(saved)
        if freed and freed_when(saved or ()) < begun:
            return False
        waiting += [edge_target(edge)[0] for edge in node._edges if edge is not None]
    return bool(seen)
