"""Find what the steps of a graph gave in the forward pass, and their slopes there.

A graph keeps what its rules need and no more. So a result is looked for where it may still be: in a variable
of the program, in the trace of a recording, in what the step itself saved or what a later step saved of it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.node import MultiNode, Node
from ..core.value import innermost
from .names import Names
from .shown import Shown, dtype_name, figures, show, widened
from .trace import Trace
from .walk import node_of, saved_results

#: Elements of a result that is shown whole in its box; of larger ones there are figures.
WHOLE = 4

#: Elements of the largest result whose slopes are worked out.
MOST_SLOPES = 2_000_000


def results(nodes: Sequence[Node], names: Names, trace: Trace | None) -> dict[Node, Shown]:
    """Return what is known of the results of nodes, as they are shown in a box."""
    found: dict[Node, ndarray] = {}

    def add(node: Any, value: Any) -> None:
        if not isinstance(node, Node) or isinstance(node, MultiNode) or node in found:
            return
        if isinstance(value, ndarray) and value.shape == node._shape:
            found[node] = value

    for tensor in (*names.held, *(t for event in (trace.events if trace else ()) for t in event.outputs)):
        add(node_of(tensor), innermost(tensor))
    for (node, _), value in saved_results(nodes).items():
        add(node, value)
    return {node: in_a_box(value) for node, value in found.items()}


def in_a_box(value: ndarray) -> Shown:
    """Return a small value whole, of a larger one the figures alone."""
    if value.size <= WHOLE:
        return show(value)
    return Shown(value.shape, dtype_name(value.dtype), None, figures(value))


def slopes(node: Node) -> list[ndarray | None] | None:
    """Return the slopes of an elementwise step, one array for each of its inputs.

    None where the step is not elementwise, or too large.
    """
    op = node._op
    if op is None or op.kind != "elementwise" or isinstance(node, MultiNode):
        return None
    dtype = node._dtype
    shape = node._shape
    if dtype is None or shape is None or np.prod(shape) > MOST_SLOPES:
        return None
    ones = np.ones(shape, dtype)
    if ones.dtype.kind not in "fV":
        return None
    with np.errstate(all="ignore"):
        found = node.backward(ones)
    return [
        None if g is None or edge is None else np.asarray(innermost(g))
        for g, edge in zip(found, node._edges)
    ]


def range_of(slope: ndarray) -> str:
    """Return in words from where to where slopes go, and how many of them are 0."""
    wide = widened(slope).ravel()
    finite = wide[np.isfinite(wide)]
    if not finite.size:
        return "here not finite anywhere" if wide.size else "here empty"
    low, high = float(finite.min()), float(finite.max())
    zeros = float((wide == 0).mean())
    text = f"here {low:.3g}" if low == high else f"here {low:.3g} to {high:.3g}"
    if 0 < zeros < 1:
        text += f", 0 for {zeros:.0%} of the elements"
    if finite.size < wide.size:
        text += f", not finite for {wide.size - finite.size} of {wide.size}"
    return text
