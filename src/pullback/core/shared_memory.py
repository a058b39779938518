"""Tensors of a trace that share memory without being views of one another: ``x.data``, ``x.detach()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

from ..array.named_tuples import NamedTuple

if TYPE_CHECKING:
    from .views import Step


class Alias(NamedTuple):
    """``tensor`` is ``source.detach()`` or ``source.data``, as `how` says, or has its memory otherwise. The
    source is the view of `owner` that `steps` give, or `owner` itself.

    The references are weak: what nobody else holds shares nothing. But an owner that has the memory of yet
    another tensor is `kept`: through it alone is known that ``x.detach().detach()`` has that of `x`.
    """

    tensor: ref[Any]
    owner: ref[Any]
    steps: tuple[Step, ...]
    how: str
    kept: Any


class SharedMemory:
    """Tensors that share memory without being views of one another, but `aliases` of the one that had it
    first, or of one another; `whole`, where each of them is all of the memory.
    """

    def __init__(self, owner: object) -> None:
        self._owner = ref(owner)
        self.aliases: list[Alias] = []
        self.whole = True

    def add(self, tensor: object, source: Any, how: str) -> None:
        """Note a tensor that has the memory, as `Alias` says."""
        view = source._view
        owner, steps = (source, ()) if view is None else (view.base, view.steps)
        kept = None if owner is self._owner() else owner
        self.aliases.append(Alias(ref(tensor), ref(owner), steps, how, kept))
        self.whole &= view is None

    def held(self) -> list[Any]:
        """Return the tensors, but for those that are gone."""
        self.aliases = [alias for alias in self.aliases if alias.tensor() is not None]
        found = [self._owner(), *(alias.tensor() for alias in self.aliases)]
        return [tensor for tensor in found if tensor is not None]

    def holds(self, *tensors: Any) -> bool:
        """Return whether these are among the tensors."""
        return {*map(id, tensors)} <= {*map(id, self.held())}
