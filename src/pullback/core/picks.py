"""Copies that a trace makes where eager code has views: of elements that a traced integer selects.

``P[k]`` of a tensor ``k`` is a view in eager code, and one program for all numbers needs a copy. It may stand
for the view as long as nobody could tell: while one of the two is written to, the other must have no user, or
be written to with it. ``P[k] += x`` reads a copy, adds to it and writes it back to where it came from.
"""

import sys
from collections.abc import Callable
from typing import Any

from .value import TensorBase


class Pick:
    """A copy, told by its counter of writes, the tensor that it is of, at a version, and the key."""

    __slots__ = ("counter", "key", "own", "places", "source", "version")

    def __init__(self, copy: Any, source: Any, key: Any) -> None:
        self.counter, self.own = copy._counter, copy._counter[0]
        self.source, self.version, self.key = source, source._counter[0], key
        #: The versions of the tensors in the key, which may say another place later.
        self.places = _versions(key)

    def is_alike(self) -> bool:
        """Return whether neither the copy nor its source was written to."""
        return bool(self.counter[0] == self.own and self.source._counter[0] == self.version)


def _versions(key: object) -> list[int]:
    parts = key if type(key) is tuple else (key,)
    return [part._counter[0] for part in parts if isinstance(part, TensorBase)]


class Picks:
    """The copies of a trace that could still be told from views."""

    def __init__(self) -> None:
        self.noted: list[Pick] = []
        self.allowed = True

    def note(self, copy: Any, source: Any, key: Any) -> None:
        """Note a copy that stands for ``source[key]``."""
        self.noted.append(Pick(copy, source, key))

    def before_write(self, tensor: Any) -> None:
        """Forget the copies of a tensor that nobody has any more: a write to it cannot be told by them."""
        if self.noted:
            written = tensor._counter
            self.noted = [
                p for p in self.noted
                if p.source._counter is not written or not p.is_alike() or sys.getrefcount(p.counter) > 2
            ]  # fmt: skip

    def stored(self, tensor: Any, key: object, value: object, is_last: Callable[[Any], bool]) -> Pick | None:
        """Return the copy that is about to be written back to where it came from, if it is one.

        `is_last` says of a tensor whether it was written to by the last equation: nothing has read its source
        since then.
        """
        counter: Any = getattr(value, "_counter", None)
        for pick in reversed(self.noted):
            if pick.counter is counter:
                same = pick.key is key and pick.places == _versions(key)
                back = same and pick.source is tensor and pick.counter[0] > pick.own
                return pick if back and pick.version == tensor._counter[0] and is_last(value) else None
        return None

    def could_tell(self, kept: set[int], held: set[int]) -> bool:
        """Return whether a copy or its source was written to alone, or both are left to the user.

        Tensors are told by their counters of writes: those that are results, and those that anything has.
        """
        return any(
            not p.is_alike() or (id(p.counter) in kept and id(p.source._counter) in held) for p in self.noted
        )
