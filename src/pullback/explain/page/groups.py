"""Folds the boxes of a large graph into groups, so that a page shows a few dozen and opens the rest on
demand.

A level of the tree that would show more than `MOST` boxes is cut along the order in which the rules run: into
the calls of modules, else into rounds of a loop (the same lines and ops again and again), else into equal
pieces. Each group is a piece of that order without gaps, so no path leaves a group and comes back into it:
the folded graph has no cycles.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

#: Boxes that one level shows. A dozen and a few are read at a glance, a few dozen by following arrows.
MOST = 40

#: Pieces into which a level without modules is cut.
PIECES = 20

#: Steps of the longest round of a loop that is looked for.
LONGEST_ROUND = 400

#: Share of the steps that must be those of the round before.
SAME = 0.9


class Folding:
    """The tree of groups of one graph.

    Parameters
    ----------
    graph : dict
        The part "graph" of `Explanation.to_dict`.
    """

    def __init__(self, graph: dict[str, Any]) -> None:
        self.nodes: dict[int, dict[str, Any]] = {node["id"]: node for node in graph["nodes"]}
        self.groups = 0
        self.order = self._order(graph)

    def _order(self, graph: dict[str, Any]) -> list[int]:
        """Return steps in the order in which their rules run, a leaf behind the last step that sends
        to it.
        """
        steps = [node["id"] for node in graph["nodes"] if node["kind"] != "group"]
        place: dict[int, float] = {step: position for position, step in enumerate(steps)}
        last: dict[int, float] = {}
        for edge in graph["edges"]:
            last[edge["target"]] = max(last.get(edge["target"], -1), place[edge["source"]])
        for step in steps:
            if self.nodes[step]["kind"] == "leaf" and step in last:
                place[step] = last[step] + 0.5
        return sorted(steps, key=place.__getitem__)

    def tree(self) -> list[Any]:
        """Return ids of steps, and groups ``{key, title, subtitle, count, children}`` of the same.

        Pieces of a long sequence have a "part" too.
        """
        if len(self.order) <= MOST:
            return list(self.order)
        return self._fold(self.order, 0)

    def _fold(self, steps: Sequence[int], depth: int) -> list[Any]:
        """Return the boxes of one level, at most `MOST` where the graph allows it."""
        if len(steps) <= MOST:
            return list(steps)
        by_module = self._modules(steps, depth)
        if by_module is not None:
            return by_module
        period = self._period(steps)
        size = -(-len(steps) // PIECES)
        if period:
            size = -(-size // period) * period
        pieces = [steps[start : start + size] for start in range(0, len(steps), size)]
        return _numbered([self._group(piece, self._lines(piece), depth, period) for piece in pieces])

    def _modules(self, steps: Sequence[int], depth: int) -> list[Any] | None:
        """Return the steps cut where the call of a submodule begins or ends; None where that does not
        help.
        """
        runs = list(self._runs(steps, depth))
        if len(runs) == 1 and runs[0][0] is not None:
            return self._fold(steps, depth + 1)
        if len(runs) == 1 or sum(1 for part, _ in runs if part is not None) == 0:
            return None
        boxes: list[Any] = []
        for part, members in runs:
            if len(members) == 1:
                boxes += members
            elif part is None:
                boxes += self._fold(members, depth) if len(members) > MOST // 2 else members
            else:
                boxes.append(self._group(members, part, depth + 1, None))
        if len(boxes) <= MOST:
            return _opened(boxes)
        # Too many calls side by side (the layers of a deep stack): the calls themselves are cut into pieces.
        size = -(-len(runs) // PIECES)
        pieces = [runs[start : start + size] for start in range(0, len(runs), size)]
        return [
            self._group([s for _, members in piece for s in members], self._span(piece), depth, None)
            for piece in pieces
        ]

    def _runs(self, steps: Sequence[int], depth: int) -> Iterator[tuple[str | None, list[int]]]:
        """Return steps that follow each other within the same submodule, with its name."""
        current: str | None = None
        run: list[int] = []
        for step in steps:
            path = (self.nodes[step].get("module") or "").split(".")
            inside = len(path) > depth and path[0] != ""
            part = ".".join(path[: depth + 1]) if inside else None
            if self.nodes[step]["kind"] == "leaf" and not inside and run:
                part = current  # a parameter belongs to the step that uses it
            if run and part != current:
                yield current, run
                run = []
            current = part
            run.append(step)
        if run:
            yield current, run

    @staticmethod
    def _span(runs: Sequence[tuple[str | None, list[int]]]) -> str:
        names = [part for part, _ in runs if part is not None]
        if not names:
            return "between modules"
        return names[0] if names[0] == names[-1] else f"{names[0]} … {names[-1]}"

    def _period(self, steps: Sequence[int]) -> int | None:
        """Return steps in a round, where the sequence is a loop written out."""
        codes: dict[Any, int] = {}
        keys = np.array([codes.setdefault(self._what(step), len(codes)) for step in steps])
        for period in range(1, min(LONGEST_ROUND, len(keys) // 3) + 1):
            if float((keys[period:] == keys[:-period]).mean()) >= SAME:
                return period
        return None

    def _what(self, step: int) -> tuple[Any, ...]:
        node = self.nodes[step]
        return node["name"], node.get("file"), node.get("line")

    def _lines(self, steps: Sequence[int]) -> str:
        """Return the source lines of steps, or the ops where no line is known."""
        lines = [
            node["line"]
            for step in steps
            if (node := self.nodes[step]).get("line") and node["kind"] != "leaf"
        ]
        if lines:
            first, final = min(lines), max(lines)
            return f"line {first}" if first == final else f"lines {first}–{final}"
        return ", ".join(name for name, _ in Counter(self._op(step) for step in steps).most_common(3))

    def _op(self, step: int) -> str:
        node = self.nodes[step]
        return re.sub(r"Backward\d*$", "", node["name"])

    def _group(self, steps: Sequence[int], title: str, depth: int, period: int | None) -> dict[str, Any]:
        rounds = -(-len(steps) // period) if period else 1
        common = Counter(self._op(step) for step in steps if self.nodes[step]["kind"] != "leaf")
        self.groups += 1
        return {
            "key": f"g{self.groups}",
            "title": f"{rounds} × {title}" if rounds > 1 else title,
            "subtitle": ", ".join(name for name, _ in common.most_common(3)),
            "count": len(steps),
            "children": self._fold(steps, depth),
        }


def _numbered(groups: list[Any]) -> list[Any]:
    """Return groups that look alike, each with its place among them."""
    for place, group in enumerate(groups, 1):
        group["part"] = f"{place} of {len(groups)}"
    return groups


def _opened(boxes: list[Any]) -> list[Any]:
    """Return the boxes with a group that is the only one opened: it would hide all there is to see."""
    groups = [box for box in boxes if not isinstance(box, int)]
    if len(groups) != 1 or len(boxes) - 1 + len(groups[0]["children"]) > MOST:
        return boxes
    place = boxes.index(groups[0])
    return [*boxes[:place], *groups[0]["children"], *boxes[place + 1 :]]
