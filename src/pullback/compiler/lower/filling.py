"""Nodes that fill buffers: the base of all (see `lowered`), and calls of array kernels.

A program that is found on disk has no other node than these calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...array.records import record
from .buffer import Buffer

if TYPE_CHECKING:
    from .index import Indices


@record(eq=False)
class Node:
    """Hold what fills a buffer."""

    buffer: Buffer
    #: Buffers that it reads.
    reads: list[Buffer]
    #: What its body was last found to read and compute, and for which indices.
    seen: tuple[Indices, Any] | None = None

    @property
    def filled(self) -> Sequence[Buffer]:
        """Return the buffers that it fills."""
        return (self.buffer,)


@record(eq=False, kw_only=True)
class Filling(Node):
    """Hold what fills several buffers."""

    outputs: tuple[Buffer, ...]

    @property
    def filled(self) -> Sequence[Buffer]:
        return self.outputs


@record(eq=False, kw_only=True)
class Call(Filling):
    """An op without a lowering, run by its array kernel; it fills one buffer per output."""

    op: str
    #: Buffers, or anything else as it is.
    operands: tuple[Any, ...]
    attrs: tuple[object, ...]
    several: bool = False
