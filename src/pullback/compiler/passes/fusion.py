"""Group nodes into kernels: the order of steps in which a program's buffers are filled.

Nodes come in an order in which each follows what it reads. A map or reduction joins an earlier kernel when it
may: when everything it reads is filled by then and the kernel's loops fit. The kernels of what it reads come
first, as there the values are still in registers; then kernels that read the same buffers.
"""

from collections.abc import Sequence
from math import prod

from ..lower.filling import Call, Node
from ..lower.kernel import Kernel
from ..lower.lowered import Branch, Contraction, Loop, Map, Precompiled, Reduction, Routine

Step = Kernel | Contraction | Routine | Precompiled | Call | Loop | Branch

#: Kernels further back than this are not tried unless they fill what a node reads.
LOOK_BACK = 6
#: The most nodes of a kernel: of single numbers, and of others, whose loops LLVM optimizes as a whole.
NUMBERS, MOST = 300, 150


def schedule(nodes: Sequence[Node], small: int = 1) -> list[Step]:
    """Return the steps that fill the nodes' buffers; one of 2 to `small` elements is a kernel alone."""
    steps: list[Step] = []
    filled_in: dict[int, int] = {}
    single = -1
    for node in _numbers_first(nodes):
        earliest = max((filled_in[b.number] for b in node.reads if b.number in filled_in), default=-1)
        position = None
        if isinstance(node, (Map, Reduction)) and not 1 < prod(node.shape) <= small:
            position = _joined(steps, node, earliest, single)
        if position is None:
            steps.append(Kernel(node) if isinstance(node, (Map, Reduction)) else node)  # type: ignore[arg-type]  # the other kinds are steps
            position = len(steps) - 1
            if isinstance(node, Map) and node.buffer.size == 1:
                single = position
        for buffer in node.filled:
            filled_in[buffer.number] = position
    return steps


def _numbers_first(nodes: Sequence[Node]) -> list[Node]:
    """Move maps of inputs to single numbers to the front, so that their readers can be one kernel."""
    filled = {b.number for n in nodes for b in n.filled}
    first, others = [], []
    for node in nodes:
        if (
            isinstance(node, Map) and node.buffer.size == 1
            and filled.isdisjoint(b.number for b in node.reads)
        ):
            first.append(node)
            filled.discard(node.buffer.number)
        else:
            others.append(node)
    return first + others


def _joined(steps: list[Step], node: Node, earliest: int, single: int) -> int | None:
    """Return the step that takes a node in, if one does; `single` is the last kernel of single numbers."""
    read = {b.number for b in node.reads}
    near = range(len(steps) - 1, max(earliest, len(steps) - LOOK_BACK) - 1, -1)
    candidates = [earliest] if earliest >= 0 else []
    candidates += [n for n in near if n > earliest]
    if single > earliest and node.buffer.size == 1:
        candidates.append(single)
    for position in candidates:
        if not isinstance((step := steps[position]), Kernel):
            continue
        if len(step.nodes) >= (NUMBERS if step.size <= 1 else MOST):
            continue
        related = position == earliest or not read.isdisjoint(step.buffers) or step.size <= 1
        if related and step.accept(node):
            return position
    return None
