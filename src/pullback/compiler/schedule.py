"""Grouping nodes into kernels: the order of steps in which a program's buffers are filled.

Nodes come in an order in which each follows what it reads. A map or reduction joins an earlier kernel when it
may: when everything it reads is filled by then and the kernel's loops fit. The kernels of what it reads come
first, as there the values are still in registers; then kernels that read the same buffers.
"""

from __future__ import annotations

from collections.abc import Sequence

from .kernel import Kernel
from .lowered import Call, Contraction, Loop, Map, Node, Reduction, Routine

Step = Kernel | Contraction | Routine | Call | Loop

#: Kernels further back than this are not tried unless they fill what a node reads.
LOOK_BACK = 6


def schedule(nodes: Sequence[Node]) -> list[Step]:
    """The steps that fill the nodes' buffers, in order."""
    steps: list[Step] = []
    filled_in: dict[int, int] = {}
    for node in nodes:
        earliest = max((filled_in[b.number] for b in node.reads if b.number in filled_in), default=-1)
        position = None
        if isinstance(node, (Map, Reduction)):
            position = _joined(steps, node, earliest)
        if position is None:
            steps.append(Kernel(node) if isinstance(node, (Map, Reduction)) else node)  # type: ignore[arg-type]  # the other kinds are steps
            position = len(steps) - 1
        for buffer in node.filled:
            filled_in[buffer.number] = position
    return steps


def _joined(steps: list[Step], node: Node, earliest: int) -> int | None:
    """The step that takes a node in, if one does."""
    read = {b.number for b in node.reads}
    near = range(len(steps) - 1, max(earliest, len(steps) - LOOK_BACK) - 1, -1)
    candidates = [earliest] if earliest >= 0 else []
    candidates += [n for n in near if n > earliest]
    for position in candidates:
        step = steps[position]
        if not isinstance(step, Kernel):
            continue
        related = position == earliest or not read.isdisjoint(step.buffers) or step.size <= 1
        if related and step.accept(node):
            return position
    return None
