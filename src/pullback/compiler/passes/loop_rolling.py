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

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, Reference
from .repetition import LEAST, Period, Slice, parts
from .rolled_loop import Loop, may_pay

#: Equations that are looked at together to find where a stretch begins again.
GRAM = 6
#: Places that are tried as the beginning of the next repetition.
TRIES = 4
#: Places in a period at which it is tried to begin.
PHASES = 64


_VALUES = frozenset((Reference,))


class Roller:
    """Know of the lists of equations of one trace which values are slices of others."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        #: Values that are slices of others, and those among them that no equation makes any more.
        self.slices: dict[int, Slice] = {}
        self.virtual: set[int] = set()
        #: By the number of a value with one of its axes moved to the front, or the number of parts of one
        #: width along it: the value, that axis, and the width or 0. A list that takes such a value makes it,
        #: under a number of its own.
        self.turned: dict[int, tuple[int, int, int]] = {}
        self._turned: dict[tuple[int, int, int], int] = {}

    def kind(self, value: int) -> tuple[tuple[int, ...], Any]:
        """Return the shape and dtype of a value."""
        return self.recorder.shapes[value], self.recorder.dtypes[value]

    def made(self, shape: tuple[int, ...], dtype: Any) -> int:
        """Return the number of a new value."""
        return self.recorder.new(shape, dtype).index

    def with_first(self, value: int, axis: int, width: int = 0) -> int:
        """Return the number of a value with an axis, or its parts of a `width`, moved to the front."""
        if axis == 0 and width == 0:
            return value
        if (number := self._turned.get((value, axis, width))) is None:
            shape, dtype = self.kind(value)
            part = (width,) if width else ()
            count = shape[axis] // (width or 1)
            number = self.made((count, *shape[:axis], *part, *shape[axis + 1 :]), dtype)
            self._turned[value, axis, width] = number
            self.turned[number] = (value, axis, width)
        return number

    def note(self, equation: Equation) -> None:
        """Remember which values are slices of others."""
        if (found := parts(equation)) is not None and isinstance(equation.operands[0], Reference):
            axis, place, width = found
            stack = self.with_first(equation.operands[0].index, axis, width)
            for n, output in enumerate(equation.outputs):
                # The last part may have another width.
                if not width or self.recorder.shapes[output][axis] == width:
                    self.slices[output] = Slice(stack, place + n)


def rolled(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> Sequence[Equation]:
    """Return the equations with repetitions rolled into loops; `needed` are values that others read."""
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
        self._fronts: dict[int, int] = {}
        #: By period: where signatures cease to repeat, and how often the stretch was tried in vain.
        self._ends: dict[int, int] = {}
        self._tried: Counter[tuple[int, int]] = Counter()

    def run(self) -> Sequence[Equation]:
        equations = self.equations
        signatures = self._signatures()
        following = _following(signatures)
        position = 0
        while position < len(equations):
            if (rolled := self._loop_at(position, signatures, following)) is None:
                self.keep(equations[position])
                position += 1
            else:
                position = rolled
        for value in sorted(self.needed & self.roller.virtual):
            self.materialize(value)
        same = len(self.out) == len(equations) and all(map(operator.is_, self.out, equations))
        return equations if same else self.out

    def _signatures(self) -> list[int]:
        known: dict[Any, int] = {}
        found = []
        kind, only_values = self.roller.recorder.kind_of, _VALUES.issuperset
        for equation in self.equations:
            op, given, attrs, outputs, _ = equation
            if op in ("select", "slice") and (part := parts(equation)) is not None:
                attrs = part[::2]
            told: Any = len(given) if only_values(map(type, given)) else tuple([
                None if type(o) is Reference
                else float if type(o) in (int, float, complex) and self.array_of(equation) is not None
                else (type(o), o) for o in given
            ])  # fmt: skip
            key = (op, attrs, told, *map(kind, outputs))
            found.append(known.setdefault(key, len(known)))
        return found

    def array_of(self, equation: Equation) -> np.dtype[Any] | None:
        """Return the dtype of the array without axes that an op takes like a number; None without one."""
        if TABLE[equation.op].kind != "elementwise":
            return None
        dtypes = self.roller.recorder.dtypes
        met = {dtypes[equation.outputs[0]]}
        if np.dtype(bool) in met:
            # A comparison takes the number to what it is compared with.
            met = {dtypes[o.index] for o in equation.operands if type(o) is Reference}
        # A number meets halves as it is, an array rounded to one.
        taken = "FD" if complex in map(type, equation.operands) else "fdFD"
        return met.pop() if len(met) == 1 and all(dtype.char in taken for dtype in met) else None

    # --- equations that stay --------------------------------------------------------------------------------

    def keep(self, equation: Equation) -> None:
        """Let an equation stay."""
        if equation.op in ("cat", "stack") and self._joined(equation):
            return
        if self.roller.virtual:
            for operand in equation.operands:
                if isinstance(operand, Reference):
                    self.materialize(operand.index)
        self.roller.note(equation)
        self.out.append(equation)

    def _joined(self, equation: Equation) -> bool:
        """Write a stack, or a join of parts of one size, of which neighbours are neighbouring slices as those
        parts side by side; return whether it is one.
        """
        shapes = {self.roller.kind(o.index)[0] for o in equation.operands} if equation.op == "cat" else ()
        joins = len(shapes) == 1
        runs = list(self._runs(equation.operands)) if joins or equation.op == "stack" else []
        sliced = [len(run) for run in runs if run[0] in self.roller.virtual]
        if max(sliced, default=0) < min(LEAST, len(equation.operands)):
            return False
        shape, dtype = self.roller.kind(equation.operands[0].index)
        made = [self._part(run, shape, dtype) for run in runs]
        if len(runs) > 1:
            whole = (len(equation.operands), *shape)
            made = [self.write("cat", made, (tuple(map(len, runs)), 0), whole, dtype)]
        if axis := equation.attrs[-1]:
            order = (*range(1, axis + 1), 0, *range(axis + 1, len(shape) + 1))
            turned = (*shape[:axis], len(equation.operands), *shape[axis:])
            made = [self.write("permute", made, (order,), turned, dtype)]
        if joins:
            whole = self.roller.kind(equation.outputs[0])[0]
            self.write("view", made, (whole,), whole, dtype)
        self.out[-1] = self.out[-1]._replace(outputs=equation.outputs)
        return True

    def _runs(self, operands: Sequence[Any]) -> Iterator[list[int]]:
        """Yield the operands in runs: neighbours that are slices only, one after the other, and others."""
        run: list[int] = []
        step = 0
        for value in (operand.index for operand in operands):
            part = self.roller.slices[value] if value in self.roller.virtual else None
            last = self.roller.slices[run[-1]] if run and run[-1] in self.roller.virtual else None
            if part is None or last is None:
                goes_on = bool(run) and part is last
                moved = 0
            else:
                moved = part.index - last.index
                goes_on = part.stack == last.stack and moved in ((step,) if step else (1, -1))
            if run and not goes_on:
                yield run
                run, moved = [], 0
            run.append(value)
            step = moved
        yield run

    def _part(self, run: list[int], shape: tuple[int, ...], dtype: object) -> int:
        """Return the values of a run along a new first axis."""
        whole = (len(run), *shape)
        if run[0] not in self.roller.virtual:
            return self.write("stack", run, (0,), whole, dtype)
        stack, start = self.roller.slices[run[0]]
        end = self.roller.slices[run[-1]].index
        low = min(start, end)
        made = self.write("slice", [self.front(stack)], (0, low, low + len(run), 1), whole, dtype)
        return self.write("flip", [made], ((0,),), whole, dtype) if end < start else made

    def write(
        self, op: str, operands: Iterable[int], attrs: tuple[object, ...], shape: tuple[int, ...], dtype: Any
    ) -> int:
        """Write an equation; return the number of its result."""
        made = self.roller.made(shape, dtype)
        self.out.append(Equation(op, tuple(map(Reference, operands)), attrs, (made,), False))
        return made

    def front(self, stack: int) -> int:
        """Return the number under which a stacked value is there."""
        if stack not in self.roller.turned:
            self.materialize(stack)
            return stack
        if (made := self._fronts.get(stack)) is None:
            value, axis, width = self.roller.turned[stack]
            self.materialize(value)
            shape, dtype = self.roller.kind(stack)
            made = value
            if width:
                cut = (*shape[1 : axis + 1], shape[0], *shape[axis + 1 :])
                even = (*cut[:axis], shape[0] * width, *cut[axis + 2 :])
                if even != self.roller.kind(value)[0]:
                    made = self.write("slice", [made], (axis, 0, shape[0] * width, 1), even, dtype)
                made = self.write("view", [made], (cut,), cut, dtype)
            if axis:
                order = (axis, *(n for n in range(len(shape)) if n != axis))
                made = self.write("permute", [made], (order,), shape, dtype)
            self._fronts[stack] = made
        return made

    def materialize(self, value: int) -> None:
        """Let an equation make a value that is a slice only."""
        if value not in self.roller.virtual:
            return
        self.roller.virtual.discard(value)
        stack, index = self.roller.slices[value]
        stack, axis, width = self.roller.turned.get(stack, (stack, 0, 0))
        place = (axis, index * width, (index + 1) * width, 1) if width else (axis, index)
        op = "slice" if width else "select"
        self.out.append(Equation(op, (Reference(stack),), place, (value,), False))

    # --- loops ----------------------------------------------------------------------------------------------

    def _loop_at(self, start: int, signatures: list[int], following: list[int]) -> int | None:
        """Roll the repetitions that begin at an equation; the position after them, or None."""
        again = start
        for _ in range(TRIES):
            if (again := following[again]) < 0:
                return None
            period = again - start
            # Where the last of the fewest repetitions would end, which costs least to look at.
            if (last := start + LEAST * period - 1) >= len(signatures):
                return None
            if signatures[last] != signatures[last - period]:
                continue
            end = self._end(signatures, start, period)
            count = (end - start) // period + 1
            if count < LEAST or self._tried[period, end] >= PHASES:
                continue
            once = self.equations[start : start + period]
            # Before operands are looked at, which took half of a first call where values are large.
            if may_pay(count * period, once, (self.roller.kind(o) for e in once for o in e.outputs)):
                stretch = Period(self, start, period, count)
                found = stretch.loop()
                if found is not None and (after := Loop(stretch, *found).write()) is not None:
                    return after
            self._tried[period, end] += 1
        return None

    def _end(self, signatures: list[int], start: int, period: int) -> int:
        """Return the first position from `start` on whose signature does not come again after a period."""
        if (end := self._ends.get(period, -1)) < start:
            end, last = start, len(signatures) - period
            while end < last and signatures[end] == signatures[end + period]:
                end += 1
            self._ends[period] = end
        return end


def _following(signatures: list[int]) -> list[int]:
    """Return for each position the next one at which the same signatures follow; -1 where there is none."""
    result = [-1] * len(signatures)
    seen: dict[tuple[int, ...], int] = {}
    for n in reversed(range(len(signatures) - GRAM + 1)):
        gram = tuple(signatures[n : n + GRAM])
        result[n] = seen.get(gram, -1)
        seen[gram] = n
    return result
