"""Replace one piece of a graph by another wherever it occurs."""

import copy
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, NamedTuple

from ..nn import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_arg


class Match(NamedTuple):
    """Describe where a pattern was found: its last node, and the graph's node for each of the pattern's."""

    anchor: Node
    nodes_map: dict[Node, Node]


class _Pattern:
    """A graph to look for; its inputs stand for anything, its other nodes for nodes like them."""

    def __init__(self, graph: Graph) -> None:
        self.inputs = [n for n in graph.nodes if n.op == "placeholder"]
        self.inner = [n for n in graph.nodes if n.op not in ("placeholder", "output")]
        output = graph.output_node()
        self.results: list[Node] = []
        map_arg(output.args[0], self.results.append)
        #: Results that no other node of the pattern takes: matching begins at them and goes backwards.
        self.anchors = [n for n in dict.fromkeys(self.results) if set(n.users) == {output}]

    def found_in(self, graph: Graph) -> Iterator[dict[Node, Any]]:
        """Yield the matches that share no node, in the order of the graph."""
        used: set[Node] = set()
        for start in list(graph.nodes):
            for found in self._from(self.anchors, [start], graph, {}):
                nodes = {found[n] for n in self.inner}
                if not nodes & used and self._closed(found, nodes):
                    used |= nodes
                    yield found
                    break

    def _from(
        self, anchors: list[Node], starts: list[Node], graph: Graph, found: dict[Node, Any]
    ) -> Iterator[dict[Node, Any]]:
        if not anchors:
            yield found
            return
        for node in starts:
            trial = dict(found)
            if self._alike(anchors[0], node, trial):
                yield from self._from(anchors[1:], list(graph.nodes), graph, trial)

    def _alike(self, wanted: Any, given: Any, found: dict[Node, Any]) -> bool:
        if not isinstance(wanted, Node):
            return self._same_value(wanted, given, found)
        if wanted in found:
            return found[wanted] is given
        if wanted.op == "placeholder":
            found[wanted] = given
            return True
        if not isinstance(given, Node) or (wanted.op, wanted.target) != (given.op, given.target):
            return False
        if given in (found[n] for n in self.inner if n in found):
            return False
        found[wanted] = given
        return self._same_value(wanted.args, given.args, found) and self._same_value(
            dict(wanted.kwargs), dict(given.kwargs), found
        )

    def _same_value(self, wanted: Any, given: Any, found: dict[Node, Any]) -> bool:
        if isinstance(wanted, (list, tuple)):
            return (
                isinstance(given, (list, tuple))
                and len(wanted) == len(given)
                and all(self._alike(w, g, found) for w, g in zip(wanted, given, strict=True))
            )
        if isinstance(wanted, dict):
            return (
                isinstance(given, dict)
                and wanted.keys() == given.keys()
                and all(self._alike(w, given[key], found) for key, w in wanted.items())
            )
        return type(wanted) is type(given) and bool(wanted == given)

    def _closed(self, found: dict[Node, Any], nodes: set[Node]) -> bool:
        """Return whether only the pattern's results are used outside the match."""
        return all(n in self.results or set(found[n].users) <= nodes for n in self.inner)


def _graph_of(what: Any) -> Graph:
    if isinstance(what, Graph):
        return what
    graph: Graph = (what if isinstance(what, GraphModule) else symbolic_trace(what)).graph
    return graph


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Replace each occurrence of a pattern; occurrences that overlap an earlier one stay.

    Parameters
    ----------
    gm : GraphModule
        Changed in place and compiled anew.
    pattern, replacement : callable or GraphModule
        Functions with the same inputs, or their graphs. In the pattern an input stands for any value.
    """
    wanted, new = _Pattern(_graph_of(pattern)), _graph_of(replacement)
    inputs = [n for n in new.nodes if n.op == "placeholder"]
    matches = list(wanted.found_in(gm.graph))
    replaced: dict[Node, Node] = {}
    for found in matches:
        if len(inputs) != len(wanted.inputs):
            raise AssertionError(f"Placeholder count mismatch: {len(wanted.inputs)} vs {len(inputs)}")
        for n in wanted.inputs:
            value = found[n]
            found[n] = replaced.get(value, value) if isinstance(value, Node) else value
        _replace(gm.graph, wanted, found, new, inputs, replaced)
    gm.recompile()
    if isinstance(replacement, Module):
        _bring_modules(gm, replacement)
    return [Match(wanted.anchors[0], found) for found in matches]


def _replace(
    graph: Graph, wanted: _Pattern, found: dict[Node, Any], new: Graph, inputs: list[Node],
    replaced: dict[Node, Node],
) -> None:  # fmt: skip
    values = {inner: found[outer] for inner, outer in zip(inputs, wanted.inputs, strict=True)}
    returned = [found[n] for n in wanted.results]
    users = set(chain.from_iterable(n.users for n in returned))
    place = next((n for n in graph.nodes if n in users), None)
    if place is None:
        last = [n for n in graph.nodes if n in returned][-1]
        place = last.next
    with graph.inserting_before(place):
        result = graph.graph_copy(new, values)
    results = (result,) if isinstance(result, Node) else tuple(result)
    if len(returned) != len(results):
        raise AssertionError(f"Returning nodes count mismatch: {len(returned)} vs {len(results)}")
    for old, value in zip(returned, results, strict=True):
        old.replace_all_uses_with(value)
        replaced[old] = value
    for n in reversed(wanted.inner):
        graph.erase_node(found[n])


def _bring_modules(gm: GraphModule, replacement: Module) -> None:
    """Give the module what the new nodes call and read; take out what none calls any more."""
    gm.delete_all_unused_submodules()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        parent, _, name = node.target.rpartition(".")
        held = [_at(module, parent, name) for module in (gm, replacement)]
        if held[0] is None and held[1] is not None:
            if isinstance((value := copy.deepcopy(held[1])), Module):
                gm.add_submodule(node.target, value)
            else:
                setattr(gm, node.target, value)
    gm.graph.lint()


def _at(module: Module, parent: str, name: str) -> Any:
    try:
        return getattr(module.get_submodule(parent), name, None)
    except AttributeError:
        return None


__all__ = ["Match", "replace_pattern"]
