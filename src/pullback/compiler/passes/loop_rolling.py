"""Rolling: stretches of equations that repeat become one `scan`.

A Python loop that was traced step by step, and the pullback of its steps, are the same equations again and
again. Where they are, and what changes from one repetition to the next, is found in the list of equations:

1. Equations with the same op, attributes, shapes and dtypes have the same *signature*. A stretch in which
   signatures repeat with a period is a candidate.
2. For each operand of the period it is asked what it is in all repetitions: a value of the same repetition;
   one of the repetition before (*carried*); the same value always (*held*); or one after the other the slices
   of a stacked value (*sliced*), as those that an earlier loop stacked, or ``x[0]``, ``x[1]``, ….
3. Repetitions for which this holds throughout are rolled; the others stay as they are. What later equations
   read of the repetitions is stacked, and a value that is read by itself is selected from there.

The time this takes is linear in the number of equations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ...core.tracer import Equation, Recorder, Reference
from .repetition import LEAST, WORTH, Period, Slice
from .rolled_loop import Loop

#: Equations that are looked at together to find where a stretch begins again.
GRAM = 6
#: Places that are tried as the beginning of the next repetition.
TRIES = 4
#: Places in a period at which it is tried to begin.
PHASES = 64


class Roller:
    """Knows of the lists of equations of one trace, one after the other, which values are slices of others:
    what a loop of an earlier list stacked is sliced by those of later ones.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        #: Values that are slices of others, and those among them that no equation makes any more.
        self.slices: dict[int, Slice] = {}
        self.virtual: set[int] = set()

    def kind(self, value: int) -> tuple[tuple[int, ...], Any]:
        """Shape and dtype of a value."""
        return self.recorder.shapes[value], self.recorder.dtypes[value]

    def made(self, shape: tuple[int, ...], dtype: Any) -> int:
        """Return the number of a new value."""
        return self.recorder.new(shape, dtype).index

    def note(self, equation: Equation) -> None:
        """Remember which values are slices of others."""
        first = equation.operands[0] if equation.operands else None
        if not isinstance(first, Reference):
            return
        if equation.op == "select" and equation.attrs[0] == 0:
            self.slices[equation.outputs[0]] = Slice(first.index, equation.attrs[1])
        elif equation.op == "unbind" and equation.attrs[0] == 0:
            for n, output in enumerate(equation.outputs):
                self.slices[output] = Slice(first.index, n)


def rolled(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> list[Equation]:
    """Return the equations with loops in place of repetitions; `needed` are the values that others read."""
    return Rolling(roller, equations, set(needed)).run()


class Rolling:
    """One list of equations being rolled."""

    def __init__(self, roller: Roller, equations: Sequence[Equation], needed: set[int]) -> None:
        self.roller = roller
        self.equations = equations
        self.out: list[Equation] = []
        self.maker: dict[int, tuple[int, int]] = {}
        #: The last equation that reads a value.
        self.last: dict[int, int] = {}
        for n, equation in enumerate(equations):
            for k, output in enumerate(equation.outputs):
                self.maker[output] = (n, k)
            for operand in equation.operands:
                if type(operand) is Reference:
                    self.last[operand.index] = n
        self.last.update(dict.fromkeys(needed, len(equations)))
        self.needed = needed
        #: By period: where signatures cease to repeat, and how often the stretch was tried in vain.
        self._ends: dict[int, int] = {}
        self._tried: Counter[tuple[int, int]] = Counter()

    def run(self) -> list[Equation]:
        equations = self.equations
        signatures = self._signatures()
        following = _following(signatures)
        position = 0
        while position < len(equations):
            rolled = self._loop_at(position, signatures, following)
            if rolled is None:
                self.keep(equations[position])
                position += 1
            else:
                position = rolled
        for value in sorted(self.needed & self.roller.virtual):
            self.materialize(value)
        return self.out

    def _signatures(self) -> list[int]:
        known: dict[Any, int] = {}
        found = []
        kind = self.roller.recorder.kind_of
        for op, given, attrs, outputs, _ in self.equations:
            if op == "select":
                attrs = attrs[:1]
            operands = [None if type(o) is Reference else (type(o), o) for o in given]
            key = (op, attrs, *operands, *map(kind, outputs))
            found.append(known.setdefault(key, len(known)))
        return found

    # --- equations that stay --------------------------------------------------------------------------------

    def keep(self, equation: Equation) -> None:
        """Let an equation stay."""
        whole = self._whole(equation)
        if whole is not None:
            equation = whole
        for operand in equation.operands:
            if isinstance(operand, Reference):
                self.materialize(operand.index)
        self.roller.note(equation)
        self.out.append(equation)

    def _whole(self, equation: Equation) -> Equation | None:
        """Return a stack of neighbouring slices as a part of what they are slices of."""
        if equation.op != "stack" or equation.attrs != (0,):
            return None
        if not all(isinstance(o, Reference) and o.index in self.roller.virtual for o in equation.operands):
            return None
        parts = [self.roller.slices[o.index] for o in equation.operands]
        stack, start = parts[0]
        step = parts[1].index - start if len(parts) > 1 else 1
        if step not in (1, -1) or any(part != (stack, start + step * n) for n, part in enumerate(parts)):
            return None
        whole = equation.outputs[0]
        part = whole if step > 0 else self.roller.made(*self.roller.kind(whole))
        low = min(start, parts[-1].index)
        sliced = Equation("slice", (Reference(stack),), (0, low, low + len(parts), 1), (part,), False)
        if step > 0:
            return sliced
        self.out.append(sliced)
        return Equation("flip", (Reference(part),), ((0,),), (whole,), False)

    def materialize(self, value: int) -> None:
        """Let an equation make a value that is a slice only."""
        if value not in self.roller.virtual:
            return
        self.roller.virtual.discard(value)
        stack, index = self.roller.slices[value]
        self.out.append(Equation("select", (Reference(stack),), (0, index), (value,), False))

    # --- loops ----------------------------------------------------------------------------------------------

    def _loop_at(self, start: int, signatures: list[int], following: list[int]) -> int | None:
        """Roll the repetitions that begin at an equation; the position after them, or None."""
        again = start
        for _ in range(TRIES):
            again = following[again]
            if again < 0:
                return None
            period = again - start
            end = self._end(signatures, start, period)
            count = (end - start) // period + 1
            if count < LEAST or count * period < WORTH or self._tried[period, end] >= PHASES:
                continue
            stretch = Period(self, start, period, count)
            found = stretch.loop()
            if found is not None and (after := Loop(stretch, *found).write()) is not None:
                return after
            self._tried[period, end] += 1
        return None

    def _end(self, signatures: list[int], start: int, period: int) -> int:
        """Return the first position from `start` on whose signature does not come again after a period."""
        end = self._ends.get(period, -1)
        if end < start:
            end, last = start, len(signatures) - period
            while end < last and signatures[end] == signatures[end + period]:
                end += 1
            self._ends[period] = end
        return end


def _following(signatures: list[int]) -> list[int]:
    """For each position the next one at which the same signatures follow; -1 where there is none."""
    result = [-1] * len(signatures)
    seen: dict[tuple[int, ...], int] = {}
    for n in reversed(range(len(signatures) - GRAM + 1)):
        gram = tuple(signatures[n : n + GRAM])
        result[n] = seen.get(gram, -1)
        seen[gram] = n
    return result
