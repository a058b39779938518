"""Find gradients that the program reads only after `zero_grad` has cleared them, and note which it reads."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...core.blame import place_at
from ..source import At
from .collected import Findings
from .makers import values_of
from .reach import listed


class Cleared:
    """Follow the gradients of leaves from `zero_grad` to the lines that read them.

    `read_whole` has the ids of leaves whose gradient the program has read while there was one.
    """

    def __init__(self) -> None:
        self.read_whole: set[int] = set()
        #: Where the gradient of each leaf was cleared last, after how many calls of backward.
        self._cleared: dict[int, tuple[At, int]] = {}
        #: The lines that read nothing after a clearing, each with that clearing and the leaves.
        self._missed: dict[At, tuple[At, dict[int, Any]]] = {}

    def clears(self, leaves: Iterable[Any], at: At, backwards: int) -> None:
        """Note that leaves are about to be cleared; those without a gradient stay as they are."""
        for leaf in leaves:
            if leaf._grad is not None and (id(leaf) in self._cleared or some(leaf._grad)):
                self._cleared[id(leaf)] = at, backwards

    def reads(self, leaf: Any, at: At, backwards: int) -> None:
        """Note that the program reads the gradient of a leaf, after some calls of backward."""
        key = id(leaf)
        if key in self.read_whole:
            return
        if some(leaf._grad):
            self.read_whole.add(key)
            return
        cleared = self._cleared.get(key)
        if cleared is not None and cleared[1] == backwards:
            self._missed.setdefault(at, (cleared[0], {}))[1][key] = leaf

    def report(self, name_of: Callable[[Any], str | None], findings: Findings) -> None:
        """Say which gradients were read only when they had been cleared."""
        if findings.has("cleared too early"):
            return
        for read, (cleared, leaves) in self._missed.items():
            never = [leaf for key, leaf in leaves.items() if key not in self.read_whole]
            place = place_at(*read)
            if not never or place is None:
                continue
            several = len(never) > 1
            findings.tell(
                "read after it was cleared", cleared, s="s" if several else "",
                names=listed(never, name_of), are="are" if several else "is", place=place,
                them="them" if several else "it"
            )


def some(grad: Any) -> bool:
    """Return whether there is a gradient that is not 0."""
    value = values_of(grad)
    return value is not None and bool(np.any(value))
