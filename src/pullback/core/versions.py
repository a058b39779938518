"""Version counters: how often a storage was written to.

A counter is a one-element list that all tensors on a storage share. An inference tensor has none: what stands
in its place refuses to be read, so that saving it for backward, which reads the version, is refused where it
happens and costs the others nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn
from weakref import ref

from numpy import ndarray

from ..array.deferred_import import import_later
from .blame import written
from .modes import modes

errors = import_later(".graph_errors", __package__)


class NoVersions(list[Any]):
    """Stand for the version counter of an inference tensor."""

    __slots__ = ()

    def __getitem__(self, index: object) -> NoReturn:
        raise errors.inference_saved()


class Joined(list[Any]):
    """The version counter of a value that was packed of `parts`, (value, counter, version) each: how often
    those were written to since then.
    """

    __slots__ = ("parts",)

    def __init__(self, *tensors: Any) -> None:
        self.parts = [(t._value, t._counter, version_of(t)) for t in tensors]

    def __getitem__(self, index: Any) -> Any:
        if index != 0:
            return list(self)[index]
        return sum([int(counter[0]) - int(version) for _, counter, version in self.parts])

    def is_of(self, tensors: Iterable[Any]) -> bool:
        """Return whether these tensors were packed, as they are now."""
        return [(id(v), id(c), int(n)) for v, c, n in self.parts] == [
            (id(t._value), id(t._counter), int(version_of(t))) for t in tensors
        ]

    def stale(self) -> tuple[Any, list[Any], int]:
        """Return the first part that was written to since it was packed."""
        return next(part for part in self.parts if is_stale(*part[1:]))


class Unequal(int):
    """A version that is unequal to every number, so that what was saved before is looked at more closely."""

    __hash__ = int.__hash__

    def __ne__(self, other: object) -> bool:
        return True


class Detached(Unequal):
    """The version of a tensor that `detach_` took out of the graph.

    torch reads the history of a saved input off the tensor itself, so a backward that comes to a node that
    saved one since detached is an error there.
    """


class Replaced(Unequal):
    """The version of a tensor that was given other data."""

    arrays: list[tuple[Any, Any]]  # what tensors held before, and the tensors, weakly


class VersionOfView(int):
    """The version at which a node saved its result, which had been written into a view."""

    history: ref[Any]  # the node that the write put behind the view


def replace_data(tensor: Any, value: Any) -> None:
    """Give a tensor other data; as in torch, an op that saved the tensor as its input will see them.

    Data of another shape are not shown to it: it could only fail.
    """
    counter, old = tensor._counter, tensor._value
    if old is value:
        return  # as `Module.to` does where nothing is converted
    tensor._value = value
    if old.dtype != value.dtype:
        # Graphs of other numbers end there.
        tensor._accumulator = None
    # What other levels hold is not what nodes have saved; what a trace holds is.
    alike = type(old) is type(value) and (type(old) is ndarray or hasattr(old, "recorder"))
    if not alike or type(counter) is NoVersions or old.shape != value.shape:
        return
    version = Replaced(counter[0])
    before = getattr(counter[0], "arrays", ())
    alive = ((array, holder) for array, holder in before if array() is not None and holder() is not None)
    version.arrays = [(a, h) for a, h in alive if not (a() is old and h() is tensor)]
    version.arrays.append((ref(old), ref(tensor)))
    counter[0] = version


def is_stale(counter: list[Any], number: int) -> bool:
    """Return whether there were writes since a value was saved at version `number`."""
    now = counter[0]
    return now is None or int(now) != int(number)


def holders(counter: list[Any], value: object) -> list[Any]:
    """Return the tensors that held an array before they were given other data."""
    if type(now := counter[0]) is not Replaced:
        return []
    if not any(array() is not None for array, _ in now.arrays):
        counter[0] = int(now)
    found = [tensor() for array, tensor in now.arrays if array() is value]
    return [tensor for tensor in found if tensor is not None]


def bump(tensor: Any) -> None:
    """Count a write to the storage of `tensor`.

    Raises a RuntimeError for an inference tensor outside of inference mode: as in torch, which counts last,
    the write has been done.
    """
    if type(tensor._counter) is not NoVersions:
        written(tensor._counter)
    elif not modes().inference:
        raise errors.inference_update()


def version_of(tensor: Any) -> int:
    """Return how often the storage of `tensor` was written to; 0 where that is not counted."""
    return 0 if type(tensor._counter) is NoVersions else tensor._counter[0]
