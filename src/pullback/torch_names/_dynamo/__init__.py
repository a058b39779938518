"""torch._dynamo: the names of torch's tracer by which libraries set it up and mark functions and tensors.

Nothing here traces bytecode, so marks are taken and mean nothing; see `pullback.compiler`.
"""

from typing import Any

from ...compiler import (
    OptimizedModule,
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
    substitute_in_graph,
)
from . import config, eval_frame

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "eval_frame",
    "graph_break", "is_compiling", "list_backends", "mark_dynamic", "mark_static", "mark_static_address",
    "maybe_mark_dynamic", "reset", "set_stance", "substitute_in_graph",
]  # fmt: skip


def graph_break(msg: str = "") -> None:
    """Mark where one graph is to end and the next to begin; there are none."""


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Promise that a tensor stays in its place in memory."""


def mark_static(t: Any, index: Any = None) -> None:
    """Promise that a tensor's size stays what it is."""


def mark_dynamic(t: Any, index: Any, **bounds: Any) -> None:
    """Say that a tensor's size will vary."""


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """Say that a tensor's size may vary."""
