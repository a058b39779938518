"""A stretch of equations that repeats: what each operand is in all repetitions, and where that holds."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from ...array.named_tuples import NamedTuple
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ..program.text import exact

if TYPE_CHECKING:
    from .loop_rolling import Rolling

#: Repetitions, and equations in all of them, from which a loop pays.
LEAST, WORTH = 4, 48
#: Bytes of values that are stacked for the sake of a loop.
SCATTERED = 64
#: Repetitions over which a value is carried, and its bytes where that is more than one: each repetition
#: copies what it hands on. 200 steps that read the last four and their pullback took 9.9 s of the processor
#: in a first call, as a loop of four steps at once whose slices the pullback took in no order; now 0.5.
FAR, HANDED_ON = 8, 256


class Slice(NamedTuple):
    """A value as the part at `index` of the first axis of a stacked value."""

    stack: int
    index: int  # type: ignore[assignment]  # narrower here than in the base


def parts(equation: Equation) -> tuple[int, int, int] | None:
    """Return (axis, first place, width or 0) of what gives parts side by side; None for other equations."""
    op, _, attrs, _, _ = equation
    if op in ("select", "unbind"):
        return attrs[0], attrs[1] if op == "select" else 0, 0
    if op == "slice":
        axis, start, stop, step = attrs
        width = stop - start
        return (axis, start // width, width) if step == 1 and width > 0 and start % width == 0 else None
    if op in ("split", "split_with_sizes"):
        # The last part may be another.
        widths = set(attrs[0][:-1]) if op == "split_with_sizes" else {attrs[0]}
        return (attrs[1], 0, widths.pop()) if len(widths) == 1 and 0 not in widths else None
    return None


class Slot(NamedTuple):
    """Hold what an operand of a period is.

    ``("same", position, output)``: what an equation of this repetition makes; ``("carried", position, output,
    distance)``: of so many before; ``("held", value)``; ``("sliced", stack, index, step)``, by the first
    repetition's index; ``("scattered", values)``: any others, which are stacked; ``("number", value)``: no
    value of the program; ``("numbers", values)``: numbers that are others in each repetition.
    """

    kind: str
    what: Any


class Period:
    """A stretch of equations whose signatures repeat."""

    def __init__(self, rolling: Rolling, start: int, size: int, count: int) -> None:
        self.rolling = rolling
        self.roller = rolling.roller
        self.start = start
        self.size = size
        self.count = count
        #: Positions that select from a held value: (value, first index, step).
        self.selects: dict[int, tuple[int, int, int]] = {}

    def at(self, position: int, repetition: int) -> Equation:
        """Return an equation."""
        return self.rolling.equations[self.start + repetition * self.size + position]

    def all_at(self, position: int) -> Sequence[Equation]:
        """Return an equation of each repetition."""
        begin = self.start + position
        return self.rolling.equations[begin : begin + self.count * self.size : self.size]

    def loop(self) -> tuple[list[list[Slot]], int, int] | None:
        """Return (what the operands are, first repetition, the one after the last); None for no loop."""
        if not self._is_likely():
            return None
        slots: list[list[Slot]] = []
        good = [True] * self.count
        first = [True] * self.count
        for position in range(self.size):
            found = []
            equations = self.all_at(position)
            for operands in zip(*[e.operands for e in equations], strict=True):
                if (slot := self._slot(position, operands, good, first)) is None:
                    return None
                found.append(slot)
            slots.append(found)
            selects = equations[0].op in ("select", "slice")
            if selects and not self._select(position, equations, found[0], good, first):
                return None
        begin, end = _longest(good, first)
        if end - begin < LEAST or (end - begin) * self.size < WORTH:
            return None
        return slots, begin, end

    def _is_likely(self) -> bool:
        """Return whether the repetition in the middle takes nothing from where a loop cannot."""
        equations, size = self.rolling.equations, self.size
        names = {e.op for e in equations[self.start : self.start + size]}
        if any(TABLE[name].acts for name in names):
            return False
        middle = self.count // 2
        begin = self.start + (middle - 1) * size
        for n in range(begin, begin + size):
            for was, now in zip(equations[n].operands, equations[n + size].operands, strict=True):
                if type(now) is Reference and was != now:
                    maker = self.rolling.maker.get(now.index, (-1, 0))[0]
                    if self.start <= maker < begin - (self._reach(now.index) - 1) * size:
                        return False
                    slices = self.roller.slices
                    sliced = now.index in slices and was.index in slices
                    if maker < self.start and not sliced and not self._may_be_scattered(now.index):
                        return False
        return True

    def _reach(self, value: int) -> int:
        """Return over how many repetitions a value may be carried."""
        return FAR if self._bytes(value) <= HANDED_ON else 1

    def _may_be_scattered(self, value: int) -> bool:
        return self._bytes(value) <= SCATTERED

    def _bytes(self, value: int) -> int:
        shape, dtype = self.roller.kind(value)
        return prod(shape) * dtype.itemsize

    def _slot(
        self, position: int, operands: tuple[Any, ...], good: list[bool], first: list[bool]
    ) -> Slot | None:
        """Return what an operand is in most repetitions; where it is not, they are not `good`, and where they
        may not be the first, not `first`.
        """
        if not isinstance(operands[0], Reference):
            if len(set(map(exact, operands))) == 1:
                return Slot("number", operands[0])
            return Slot("numbers", operands)
        values = [operand[0] for operand in operands]
        middle = self.count // 2
        here, before = values[middle], values[middle - 1]
        holds: list[bool] = []
        slot = None
        if here == before:
            slot = Slot("held", here)
            holds = [v == here for v in values]
        elif (made := self._made(position, middle, here)) is not None:
            slot = Slot(*made)
            place, output, distance = (*made[1], 0)[:3]
            begin = self.start + place - distance * self.size
            expected = range(begin, begin + self.count * self.size, self.size)
            makers = zip(map(self.rolling.maker.get, values), expected, strict=True)
            # What the first take comes from before the stretch.
            holds = [maker == (n, output) and n >= self.start for maker, n in makers]
        elif here in self.roller.slices and before in self.roller.slices:
            stack, index = self.roller.slices[here]
            step = index - self.roller.slices[before].index
            base = index - step * middle
            holds = [self.roller.slices.get(v) == (stack, base + step * k) for k, v in enumerate(values)]
            # Slices in no order, as of numbers of which some happen to be equal, are stacked anew.
            if step in (1, -1) and 2 * sum(holds) > self.count:
                slot = Slot("sliced", (stack, base, step))
        if slot is None:
            if not self._may_be_scattered(here):
                return None
            holds = [self._is_outside(v) for v in values]
            slot = Slot("scattered", tuple(values))
        # What comes from before the stretch may have another shape: signatures tell results only.
        kind = self.roller.kind(here) if slot.kind in ("carried", "scattered") else None
        for k, held in enumerate(holds):
            alike = kind is None or self.roller.kind(values[k]) == kind
            if not held or not alike:
                good[k] = False
                if slot.kind != "carried" or not alike:
                    first[k] = False
        return slot

    def _made(self, position: int, repetition: int, value: int) -> tuple[str, tuple[int, ...]] | None:
        """Return ("same", place) or ("carried", place and distance) of what a repetition makes."""
        if (maker := self.rolling.maker.get(value)) is None or maker[0] < self.start:
            return None
        made_in, place = divmod(maker[0] - self.start, self.size)
        if (distance := repetition - made_in) == 0 and place < position:
            return "same", (place, maker[1])
        if 0 < distance <= self._reach(value):
            return "carried", (place, maker[1], distance)
        return None

    def _is_outside(self, value: int) -> bool:
        maker = self.rolling.maker.get(value)
        return maker is None or maker[0] < self.start

    def _select(
        self, position: int, equations: Sequence[Equation], slot: Slot, good: list[bool], first: list[bool]
    ) -> bool:
        """Let a part of a held value whose index moves on be sliced."""
        places = [found for equation in equations if (found := parts(equation)) is not None]
        if not places:
            return True
        axis, _, width = places[0]
        indices = [place for _, place, _ in places]
        middle = self.count // 2
        step = indices[middle] - indices[middle - 1]
        base = indices[middle] - step * middle
        for k, index in enumerate(indices):
            if index != base + step * k:
                good[k] = first[k] = False
        if step == 0:
            return True
        if slot.kind != "held" or step not in (1, -1):
            return False
        stack = self.roller.with_first(slot.what, axis, width)
        self.selects[position] = (stack, base, step)
        return True


def _longest(good: list[bool], first: list[bool]) -> tuple[int, int]:
    """Return the longest run of repetitions of which the first may begin and the others follow."""
    best = (0, 0)
    k = 0
    while k < len(good):
        if not first[k]:
            k += 1
            continue
        end = k + 1
        while end < len(good) and good[end]:
            end += 1
        if end - k > best[1] - best[0]:
            best = (k, end)
        k = end
    return best
