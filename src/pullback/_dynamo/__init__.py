"""torch._dynamo: the names of torch's tracer by which libraries mark functions and tensors.

Nothing here traces bytecode, so marks are taken and mean nothing; see `pullback.compiler`.
"""

from __future__ import annotations

from typing import Any

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, reset

__all__ = [
    "allow_in_graph", "assume_constant_result", "disable", "graph_break", "is_compiling", "mark_dynamic",
    "mark_static", "mark_static_address", "maybe_mark_dynamic", "reset",
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
