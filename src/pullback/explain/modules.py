"""Assign each step to its module, and fold large paths into groups.

While calls are recorded every module's call notes the numbers of the nodes made within it. For a graph that
was not recorded the parameters tell: a step that reads a parameter belongs to the module that owns it, and
what is between two such steps to the module that holds both. Where there are no modules a large path folds
by source lines.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Any

from ..core.blame import next_sequence, user_frame
from ..core.modes import modes
from ..core.node import AccumulateGrad, Node, edge_target
from ..nn.modules import module_hooks
from .explanation import Step
from .names import Names

#: Calls of modules that are remembered; of more the oldest half is forgotten.
MOST_SPANS = 100_000

#: Lines that call modules which are remembered.
MOST_LINES = 256

#: Steps from which a path without modules folds by lines.
MANY = 60


@dataclass(slots=True, eq=False)
class Span:
    """One call of a module: the numbers of nodes made in it are between `start` and `end`."""

    start: int
    module: int
    path: str
    kind: str
    end: int = -1


class ModuleCalls:
    """Remember the calls of all modules while it is on."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        #: Told of each call: ``entered(module, the module around it or None)``.
        self.entered: Callable[[Any, Any], None] | None = None
        self._open: list[tuple[Any, Span]] = []
        self._handles: list[Any] = []
        self._idle = False
        #: Lines that call modules, and what is told of one that does so for the first time while it is idle.
        self.lines: set[tuple[CodeType, int]] = set()
        self.late: Callable[[], None] | None = None

    @property
    def innermost(self) -> Any:
        """Return the module whose call is running; None outside of all."""
        return self._open[-1][0] if self._open else None

    def start(self) -> None:
        """Begin to remember."""
        if self._handles and not self._idle:
            return
        self.stop()
        self._handles = [
            module_hooks.register_module_forward_pre_hook(self._enter),
            module_hooks.register_module_forward_hook(self._leave, always_call=True),
        ]

    def stop(self) -> None:
        """Remember no more."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._open = []
        self._idle = False

    def idle(self) -> None:
        """Tell only of calls without recording, and of those from a new line: evaluation often comes late."""
        self.stop()
        self._handles = [module_hooks.register_module_forward_pre_hook(self._unseen)]
        self._idle = True

    def _unseen(self, module: Any, args: Any) -> None:
        frame = user_frame(sys._getframe(1))
        line = frame.f_code, frame.f_lasti
        if line not in self.lines and self.late is not None and len(self.lines) < MOST_LINES:
            self.lines.add(line)
            self.late()
            self._enter(module, args)
        elif not modes().grad and self.entered is not None:
            self.entered(module, None)

    def _enter(self, module: Any, args: Any) -> None:
        if self.entered is not None:
            self.entered(module, self.innermost)
        path = type(module).__name__
        if not self._open:
            frame = user_frame(sys._getframe(1))
            self.lines.add((frame.f_code, frame.f_lasti))
        if self._open:
            outer, span = self._open[-1]
            inside = next((name for name, m in outer.named_modules() if m is module), None)
            path = f"{span.path}.{inside or path}"
        span = Span(next_sequence(), id(module), path, type(module).__name__)
        self._open.append((module, span))
        self.spans.append(span)
        if len(self.spans) > MOST_SPANS:
            del self.spans[: MOST_SPANS // 2]

    def _leave(self, module: Any, args: Any, output: Any) -> None:
        while self._open:
            opened, span = self._open.pop()
            span.end = next_sequence()
            if opened is module:
                break

    def around(self, nodes: Sequence[Node]) -> dict[Node, list[Span]]:
        """Return the calls in which each node was made, the outermost first."""
        found: dict[Node, list[Span]] = {}
        spans = iter(self.spans)
        upcoming = next(spans, None)
        around: list[Span] = []
        for node in sorted((n for n in nodes if type(n) is not AccumulateGrad), key=lambda n: n._seq):
            while upcoming is not None and upcoming.start < node._seq:
                around.append(upcoming)
                upcoming = next(spans, None)
            around = [span for span in around if not 0 <= span.end < node._seq]
            if around:
                found[node] = list(around)
        return found


def paths_by_parameters(nodes: Sequence[Node], names: Names) -> dict[Node, str]:
    """Return the path of the module that each node seems to belong to."""
    if not names.owners:
        return {}
    found: dict[Node, str] = {}
    ordered = sorted((n for n in nodes if type(n) is not AccumulateGrad), key=lambda n: n._seq)
    for node in ordered:
        owners = []
        for edge in node._edges:
            if edge is not None:
                target = edge_target(edge)[0]
                if type(target) is AccumulateGrad:
                    owners.append(names.owners.get(id(target.variable)))
                elif len(target._edges) == 1 and target in found and _reads_parameter(target, names):
                    owners.append(found[target])
        owner = next((o for o in owners if o is not None), None)
        if owner is not None:
            found[node] = owner
    _fill_between(ordered, found)
    return found


def _reads_parameter(node: Node, names: Names) -> bool:
    """Return whether a node is a view of a parameter and of nothing else."""
    (edge,) = node._edges
    target = None if edge is None else edge_target(edge)[0]
    return type(target) is AccumulateGrad and id(target.variable) in names.owners


def _fill_between(ordered: Sequence[Node], found: dict[Node, str]) -> None:
    """Give what is between two modules the path that both have in common."""
    known = [(position, found[node]) for position, node in enumerate(ordered) if node in found]
    for (first, before), (last, after) in pairwise(known):
        if last - first > 1:
            path = common(before, after)
            if path:
                for node in ordered[first + 1 : last]:
                    found[node] = path


def common(first: str, second: str) -> str:
    """Return the dotted path that two paths share."""
    shared = []
    for a, b in zip(first.split("."), second.split(".")):
        if a != b:
            break
        shared.append(a)
    return ".".join(shared)


def groups(steps: Sequence[Step], arrows: Sequence[Any]) -> list[Step]:
    """Return groups of the steps of one path, outer ones after those that they hold."""
    by_module: dict[str, list[int]] = {}
    place = {step.id: step for step in steps}
    for arrow in arrows:
        leaf, user = place[arrow.target], place[arrow.source]
        if leaf.kind == "leaf" and leaf.module is None and user.module is not None:
            leaf.module = user.module
    for step in steps:
        if step.module is not None:
            by_module.setdefault(step.module, []).append(step.id)
    if by_module:
        return _by_module(by_module, len(steps))
    return _by_line(steps) if len(steps) > MANY else []


def _by_module(by_module: dict[str, list[int]], next_id: int) -> list[Step]:
    members: dict[str, list[int]] = {path: list(ids) for path, ids in by_module.items()}
    for path in list(by_module):
        parts = path.split(".")
        for length in range(1, len(parts)):
            members.setdefault(".".join(parts[:length]), [])
    made = []
    for path in sorted(members, key=lambda p: (-p.count("."), p)):
        ids = members[path]
        above = path.rpartition(".")[0]
        if len(ids) < 2:
            if above:
                members[above].extend(ids)
            continue
        group = Step(next_id, "group", path, module=above or None, members=sorted(ids))
        next_id += 1
        made.append(group)
        if above:
            members[above].append(group.id)
    return made


def _by_line(steps: Sequence[Step]) -> list[Step]:
    by_line: dict[tuple[str, int], list[Step]] = {}
    for step in steps:
        if step.line is not None and step.file is not None and step.kind != "leaf":
            by_line.setdefault((step.file, step.line), []).append(step)
    next_id = len(steps)
    made = []
    for (file, line), members in by_line.items():
        if len(members) > 1:
            made.append(
                Step(
                    next_id, "group", f"line {line}: {members[0].code or ''}".rstrip(), file=file, line=line,
                    code=members[0].code, members=[s.id for s in members],
                )
            )  # fmt: skip
            next_id += 1
    return made
