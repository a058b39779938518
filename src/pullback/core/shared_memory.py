"""Tensors of a trace that share memory without being views of one another: ``x.data``, ``x.detach()``."""

from __future__ import annotations

from typing import Any
from weakref import ref

from ..array.named_tuples import NamedTuple


class Alias(NamedTuple):
    """``tensor`` is ``source.detach()`` or ``source.data``, as `how` says, or has its memory otherwise.

    The references are weak: what nobody else holds shares nothing.
    """

    tensor: ref[Any]
    source: ref[Any]
    how: str


class SharedMemory:
    """Tensors that share memory without being views of one another, but `aliases` of the one that had it
    first, or of one another; `whole`, where each of them is all of the memory.
    """

    def __init__(self, owner: object) -> None:
        self._owner = ref(owner)
        self.aliases: list[Alias] = []
        self.whole = True

    def held(self) -> list[Any]:
        """Return the tensors, but for those that are gone."""
        found = [self._owner(), *(alias.tensor() for alias in self.aliases)]
        return [tensor for tensor in found if tensor is not None]

    def holds(self, *tensors: Any) -> bool:
        """Return whether these are among the tensors."""
        return {*map(id, tensors)} <= {*map(id, self.held())}
