"""Fold the steps of a graph into the boxes that a beginner knows: calls of modules and functions, rounds of a
loop, and pieces of what is too large to be seen at once.

Each group is a piece of the order in which the rules run, without gaps, so no path leaves a group and comes
back into it: the folded graph has no cycles. Of the calls within calls those are open that fit on a screen.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

#: Boxes that one level shows at most.
MOST = 40

#: Boxes that are open to begin with: as many as are read at a glance, on a phone too; and with the leaves.
FITS = 10
FITS_WITH_LEAVES = 16

#: Leaves of one box that are boxes of their own: more are in a row that is wider than the picture.
LEAVES_IN_A_ROW = 4

#: Pieces into which a level without modules is cut.
PIECES = 20

#: Boxes in the longest round of a loop that is looked for.
LONGEST_ROUND = 400

#: Rounds that make a loop.
FEWEST_ROUNDS = 3

#: Share of the steps that must be those of the round before, where a long level is cut along its rounds.
SAME = 0.9

#: A step, or a group ``{key, kind, title, subtitle, count, children}``.
Box = Any


class Folding:
    """The tree of groups of one graph, which is the part "graph" of `Explanation.to_dict`.

    `titles` has what a step is called that is all there is to see of a call: "Tanh model.1".
    """

    def __init__(self, graph: dict[str, Any]) -> None:
        self.nodes: dict[int, dict[str, Any]] = {node["id"]: node for node in graph["nodes"]}
        self.groups = 0
        self.titles: dict[int, str] = {}
        self.users: dict[int, int] = {}
        self.order = self._order(graph)
        self.scopes = {step: self._scopes(step) for step in self.order}

    def _order(self, graph: dict[str, Any]) -> list[int]:
        """Return steps in the order in which their rules run, a leaf behind the last that sends to it."""
        steps = [node["id"] for node in graph["nodes"] if node["kind"] != "group"]
        place: dict[int, float] = {step: position for position, step in enumerate(steps)}
        for edge in graph["edges"]:
            user = self.users.get(edge["target"])
            if user is None or place[edge["source"]] > place[user]:
                self.users[edge["target"]] = edge["source"]
        for step in steps:
            if self._is_leaf(step) and step in self.users:
                place[step] = place[self.users[step]] + 0.5
        return sorted(steps, key=place.__getitem__)

    def _is_leaf(self, step: int) -> bool:
        return bool(self.nodes[step]["kind"] == "leaf")

    def _scopes(self, step: int) -> list[tuple[str, str]]:
        """Return key and title of the calls around a step; of a leaf, those of the step that uses it."""
        if self._is_leaf(step) and step in self.users:
            step = self.users[step]
        node = self.nodes[step]
        if node.get("scopes"):
            return [(key, title) for key, title in node["scopes"]]
        parts = (node.get("module") or "").split(".")
        return [(".".join(parts[: k + 1]),) * 2 for k in range(len(parts))] if parts != [""] else []

    # --- the tree -------------------------------------------------------------------------------------------

    def tree(self) -> list[Box]:
        """Return ids of steps, and groups of the same. Pieces of sequences have a "part", loops "rounds"."""
        leaves = [step for step in self.order if self._is_leaf(step)]
        inner = [step for step in self.order if not self._is_leaf(step)]
        boxes = self._opened(self._level(inner, 0))
        if len(boxes) + len(leaves) <= FITS_WITH_LEAVES and self._widest(boxes) <= LEAVES_IN_A_ROW:
            return [*boxes, *leaves]
        self.groups = 0
        self.titles = {}
        return self._opened(self._level(self.order, 0))

    def _widest(self, boxes: Sequence[Box]) -> int:
        """Return the most leaves that the steps of one box send to."""
        box_of = {step: place for place, box in enumerate(boxes) for step in self._steps(box)}
        users = (user for leaf, user in self.users.items() if self._is_leaf(leaf))
        return max(Counter(box_of[user] for user in users if user in box_of).values(), default=0)

    def _level(self, steps: Sequence[int], depth: int) -> list[Box]:
        """Return the boxes of one level: the calls there, with what was made in them, and what is between."""
        boxes: list[Box] = []
        for scope, run in self._runs(steps, depth):
            if scope is None:
                boxes += run
                continue
            made = [step for step in run if not self._is_leaf(step)]
            if len(made) == 1 and len(run) == 1:
                self.titles.setdefault(made[0], scope[1])
                boxes += run
                continue
            inside = self._level(run, depth + 1)
            if len(inside) == 1 and not isinstance(inside[0], int):
                inside[0]["title"] = scope[1]  # a module that only calls one function, or one module
                boxes += inside
                continue
            is_call = all(len(self.scopes[step]) <= depth + 2 for step in run)
            boxes.append(self._group(scope[1], inside, len(run), "call" if is_call else "container"))
        boxes = self._loops(boxes)
        return boxes if len(boxes) <= MOST else self._pieces(boxes)

    def _runs(self, steps: Sequence[int], depth: int) -> list[tuple[tuple[str, str] | None, list[int]]]:
        """Return the steps that follow each other within one call, with that call."""
        runs: list[tuple[tuple[str, str] | None, list[int]]] = []
        for step in steps:
            scopes = self.scopes[step]
            scope = scopes[depth] if len(scopes) > depth else None
            if runs and (runs[-1][0] or ("",))[0] == (scope or ("",))[0]:
                runs[-1][1].append(step)
            else:
                runs.append((scope, [step]))
        return runs

    def _opened(self, boxes: list[Box]) -> list[Box]:
        """Return the boxes with as many containers opened as fit, the first ones first."""
        while True:
            for place, box in enumerate(boxes):
                if not isinstance(box, int) and box["kind"] in ("container", "piece"):
                    grown = len(boxes) - 1 + len(box["children"])
                    alone = sum(not isinstance(other, int) for other in boxes) == 1
                    if grown <= FITS or (alone and grown <= MOST):
                        boxes = [*boxes[:place], *box["children"], *boxes[place + 1 :]]
                        break
            else:
                return boxes

    # --- loops and pieces -----------------------------------------------------------------------------------

    def _loops(self, boxes: list[Box]) -> list[Box]:
        """Put rounds of a loop into one box: the same boxes again and again."""
        found = self._repeated([self._what(box) for box in boxes])
        if found is None:
            return boxes
        start, period, rounds = found
        end = start + period * rounds
        parts = [boxes[at : at + period] for at in range(start, end, period)]
        children = [
            part[0] if period == 1 else self._group(self._lines(part), part, self._count(part), "call")
            for part in parts
        ]
        if len(children) > MOST:
            children = self._pieces(children)
        first = parts[0][0] if period == 1 else children[0]
        title = self.titles.get(first) or self._name(first) if isinstance(first, int) else first["title"]
        loop = self._group(title, children, sum(map(self._count, parts)), "loop")
        loop["rounds"] = rounds
        if period > 1:
            loop["title"] = self._lines(boxes[start:end])
        return [*boxes[:start], loop, *self._loops(boxes[end:])]

    @staticmethod
    def _repeated(keys: Sequence[Any]) -> tuple[int, int, int] | None:
        """Return where the longest loop begins, the length of a round, and the number of rounds."""
        codes: dict[Any, int] = {}
        numbers = np.array([codes.setdefault(key, len(codes)) for key in keys])
        best: tuple[int, int, int, int] | None = None
        for period in range(1, min(LONGEST_ROUND, len(keys) // FEWEST_ROUNDS) + 1):
            same = np.concatenate([[False], numbers[period:] == numbers[:-period], [False]])
            turns = np.flatnonzero(np.diff(same.astype(np.int8)))
            for first, last in zip(turns[::2].tolist(), turns[1::2].tolist()):
                rounds = (last - first) // period + 1
                covered = rounds * period
                if rounds >= FEWEST_ROUNDS and (best is None or covered > best[0]):
                    best = (covered, first, period, rounds)
        return None if best is None else best[1:]

    def _pieces(self, boxes: list[Box]) -> list[Box]:
        """Return a level that is too wide cut into equal pieces, along the rounds of a loop."""
        size = -(-len(boxes) // PIECES)
        period = self._period(boxes)
        if period:
            size = -(-size // period) * period
        parts = [boxes[start : start + size] for start in range(0, len(boxes), size)]
        return _numbered([
            self._group(
                self._span(part, period), part if len(part) <= MOST else self._pieces(part),
                self._count(part), "piece",
            )
            for part in parts
        ])  # fmt: skip

    def _period(self, boxes: Sequence[Box]) -> int | None:
        """Return the boxes in a round, where the sequence is a loop written out."""
        codes: dict[Any, int] = {}
        keys = np.array([codes.setdefault(self._what(box), len(codes)) for box in boxes])
        for period in range(1, min(LONGEST_ROUND, len(keys) // FEWEST_ROUNDS) + 1):
            if float((keys[period:] == keys[:-period]).mean()) >= SAME:
                return period
        return None

    # --- what a box is called -------------------------------------------------------------------------------

    def _what(self, box: Box) -> tuple[Any, ...]:
        if not isinstance(box, int):
            return box["title"], box["count"]
        node = self.nodes[box]
        return node["name"], node.get("file"), node.get("line"), box if self._is_leaf(box) else None

    def _span(self, boxes: Sequence[Box], period: int | None) -> str:
        names = [box["title"] for box in boxes if not isinstance(box, int)]
        if names and not period:
            return names[0] if names[0] == names[-1] else f"{names[0]} … {names[-1]}"
        rounds = -(-len(boxes) // period) if period else 1
        title = self._lines(boxes)
        return f"{rounds} × {title}" if rounds > 1 else title

    def _lines(self, boxes: Sequence[Box]) -> str:
        """Return the source lines of steps, or the ops where no line is known."""
        steps = [step for box in boxes for step in self._steps(box)]
        lines = [
            node["line"]
            for step in steps
            if (node := self.nodes[step]).get("line") and node["kind"] != "leaf"
        ]
        if lines:
            first, final = min(lines), max(lines)
            return f"line {first}" if first == final else f"lines {first}–{final}"
        return self._ops(steps)

    def _ops(self, steps: Sequence[int]) -> str:
        common = Counter(self._name(step) for step in steps if not self._is_leaf(step))
        return ", ".join(name for name, _ in common.most_common(3))

    def _name(self, step: int) -> str:
        node = self.nodes[step]
        return node.get("known_as") or re.sub(r"Backward\d*$", "", node["name"])

    def _steps(self, box: Box) -> list[int]:
        if isinstance(box, int):
            return [box]
        return [step for child in box["children"] for step in self._steps(child)]

    def _count(self, boxes: Sequence[Box]) -> int:
        return sum(1 if isinstance(box, int) else box["count"] for box in boxes)

    def _group(self, title: str, children: list[Box], count: int, kind: str) -> dict[str, Any]:
        self.groups += 1
        return {
            "key": f"g{self.groups}", "kind": kind, "title": title,
            "subtitle": self._ops([step for child in children for step in self._steps(child)][:400]),
            "count": count, "children": children,
        }  # fmt: skip


def _numbered(boxes: list[Box]) -> list[Box]:
    """Return boxes that look alike, each group with its place among them."""
    for place, group in enumerate(boxes, 1):
        if not isinstance(group, int):
            group["part"] = f"{place} of {len(boxes)}"
    return boxes
