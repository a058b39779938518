"""A value whose parts are replaced one after the other, and what each part is in each of its versions."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any

from ...array.named_tuples import NamedTuple

#: One `select`: the axis, the index there, and 0. One `slice`: the axis, its place among slices of its width
#: that lie side by side, and that width.
Step = tuple[int, int, int]
Path = tuple[Step, ...]


class _Place:
    """A part: what was written to it, and which versions wrote to parts of it."""

    __slots__ = ("below", "children", "values", "written")

    def __init__(self) -> None:
        #: The versions that wrote to the whole of it, in order, and what they wrote.
        self.written: list[int] = []
        self.values: list[int] = []
        #: The versions that wrote to parts of it, in order, each with the first step that leads there.
        self.below: list[tuple[int, Step]] = []
        self.children: dict[Step, _Place] = {}


class Covered(NamedTuple):
    """Hold the last write of a whole part: version, depth, value; -1 and None where it is the base's."""

    version: int
    depth: int
    value: int | None


class History:
    """Versions of one value: each is the one before with a part replaced.

    `base` is the number of the first version, `first` the part that was written first, where the base is zero
    everywhere.
    """

    def __init__(self, base: int, first: Path | None = None) -> None:
        self.base, self.first = base, first
        #: The latest one, counted from 0.
        self.version = 0
        #: Versions that added zero to all elements not written by them, in order, which turns -0.0 to 0.0.
        self.zeros: list[int] = []
        #: Versions that are there as a value of the program, in order, and its number.
        self.made: list[tuple[int, int]] = [(0, base)]
        self.root = _Place()

    def fits(self, path: Path) -> bool:
        """Return whether written parts share no elements with this one but where one holds the other."""
        place = self.root
        for step in path:
            if place.children and next(iter(place.children))[::2] != step[::2]:
                return False
            if (found := place.children.get(step)) is None:
                return True
            place = found
        return True

    def write(self, path: Path, value: int) -> None:
        """Replace a part in a new version."""
        self.version += 1
        place = self.root
        for step in path:
            place.below.append((self.version, step))
            place = place.children.setdefault(step, _Place())
        place.written.append(self.version)
        place.values.append(value)

    def covered(self, path: Path, version: int) -> Covered:
        """Return the last write up to a version that set all of a part."""
        found = Covered(-1, 0, None)
        place: _Place | None = self.root
        for depth in range(len(path) + 1):
            if place is None:
                break
            n = bisect_right(place.written, version) - 1
            if n >= 0 and place.written[n] > found.version:
                found = Covered(place.written[n], depth, place.values[n])
            place = place.children.get(path[depth]) if depth < len(path) else None
        return found

    def is_new(self, path: Path) -> bool:
        """Return whether nothing was written to a part or to parts of it."""
        return self.covered(path, self.version).value is None and not self.has_parts(path, -1, self.version)

    def parts(self, path: Path, after: int, version: int) -> Iterable[Step]:
        """Return the steps to parts of a part that were written to after one version, up to another."""
        below = self._below(path)
        first, last = bisect_left(below, (after + 1,)), bisect_left(below, (version + 1,))
        return {step for _, step in below[first:last]}

    def has_parts(self, path: Path, after: int, version: int) -> bool:
        """Return whether parts of a part were written to after one version, up to another."""
        below = self._below(path)
        return bisect_left(below, (after + 1,)) < bisect_left(below, (version + 1,))

    def _below(self, path: Path) -> list[Any]:
        place: _Place | None = self.root
        for step in path:
            if place is None:
                return []
            place = place.children.get(step)
        return [] if place is None else place.below

    def has_zero(self, after: int, version: int) -> bool:
        """Return whether a version after one, up to another, added zero."""
        n = bisect_right(self.zeros, version) - 1
        return n >= 0 and self.zeros[n] > after

    def last_made(self, version: int) -> tuple[int, int]:
        """Return the last version up to one that is there as a value, and its number."""
        n = bisect_right(self.made, (version, 1 << 62)) - 1
        return self.made[n]
