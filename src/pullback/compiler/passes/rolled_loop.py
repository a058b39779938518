"""Writing the repetitions of a period as a loop: its body, what it takes, and what leaves it."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ...core.body import Body
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ...ops.loops import scan
from ..program.program import Program
from ..runtime import image
from .repetition import WORTH, Period, Slice, Slot

#: Equations from which a loop pays even where values are large and repetitions would be fused.
LONG = 1000
#: Bytes of a value up to which a repetition gains nothing by being fused with the next.
LARGE = 1 << 15


class Loop:
    """The repetitions from `begin` to below `end` of a period, to be written as a scan."""

    def __init__(self, period: Period, slots: list[list[Slot]], begin: int, end: int) -> None:
        self.period = period
        self.rolling = period.rolling
        self.roller = period.roller
        self.slots = slots
        self.begin = begin
        self.end = end
        self.length = end - begin
        self.first = period.start + begin * period.size
        self.after = period.start + end * period.size
        # The body's values, renumbered.
        self.shapes: list[tuple[int, ...]] = []
        self.dtypes: list[Any] = []
        self.constants: dict[int, Any] = {}
        #: By (position, output, how many repetitions ago, the value with which it begins): the body's value.
        self.carries: dict[tuple[int, int, int, int], int] = {}
        #: What a repetition hands on for each of them.
        self.handed_on: list[tuple[int, int] | int] = []
        self.sliced: dict[Any, int] = {}
        self.held: dict[int, int] = {}
        self.local: dict[tuple[int, int], int] = {}

    def write(self) -> int | None:
        """Write the loop and what it needs; the position after it, or None where it does not pay."""
        if (equations := self._body_equations()) is None:
            return None
        finals, stacked, selects = self._read_outside()
        carries = list(self.carries)
        outputs = [self.local[n] if isinstance(n, tuple) else n for n in self.handed_on]
        outputs += [self.local[place] for place in stacked]
        inputs = [*self.carries.values(), *self.sliced.values(), *self.held.values()]
        body = Body(inputs, equations, outputs, self.constants, self.shapes, self.dtypes)
        if not self._pays(body):
            return None
        # Only now: where there is no loop, the equations that select stay.
        for position in selects:
            self._note_selects(position)
        for n in range(self.period.start, self.first):
            self.rolling.keep(self.rolling.equations[n])
        reverse = self._direction()
        operands = [carry[-1] for carry in carries]
        operands += [self._stack(key, reverse) for key in self.sliced]
        operands += list(self.held)
        for value in operands:
            self.rolling.materialize(value)
        results = [self._final(carry, finals) for carry in carries]
        results += [self._stacked(place, reverse, finals) for place in stacked]
        attrs = (body, len(carries), len(self.sliced), self.length, reverse)
        self.rolling.out.append(
            Equation(scan.op.name, tuple(map(Reference, operands)), attrs, tuple(results), True)
        )
        return self.after

    # --- the body -------------------------------------------------------------------------------------------

    def _new(self, kind: tuple[tuple[int, ...], Any]) -> int:
        self.shapes.append(kind[0])
        self.dtypes.append(kind[1])
        return len(self.shapes) - 1

    def _body_equations(self) -> list[Equation] | None:
        period = self.period
        result = []
        for position, slots in enumerate(self.slots):
            equation = period.at(position, self.begin)
            if position in period.selects:
                value, base, step = period.selects[position]
                key = (value, base + step * self.begin, step)
                kind = self.roller.kind(equation.outputs[0])
                local = self.sliced.get(key)
                self.local[position, 0] = self._slice(key, kind) if local is None else local
                continue
            operands: list[Any] = []
            for n, slot in enumerate(slots):
                found = self._operand(slot, equation.operands[n], equation)
                # Some ops take None, as for weights that are not given.
                if found is None and slot.kind != "number":
                    return None
                operands.append(found)
            outputs = []
            for n, value in enumerate(equation.outputs):
                self.local[position, n] = self._new(self.roller.kind(value))
                outputs.append(self.local[position, n])
            result.append(equation._replace(operands=tuple(operands), outputs=tuple(outputs)))
        return result

    def _slice(self, key: object, kind: tuple[tuple[int, ...], Any]) -> int:
        self.sliced[key] = self._new(kind)
        return self.sliced[key]

    def _operand(self, slot: Slot, given: Any, equation: Equation) -> Any:
        """Return the body's operand; None where the value outside is not there when the loop begins."""
        kind, what = slot
        if kind == "number":
            return given
        if kind == "numbers":
            array = np.array(what[self.begin : self.end], self.rolling.array_of(equation))
            stack = self.roller.recorder.operand(array)[0].index
            key = (stack, 0, 1)
            local = self.sliced.get(key)
            return Reference(self._slice(key, ((), array.dtype)) if local is None else local)
        if kind == "same":
            return Reference(self.local[what])
        value = given.index
        if kind == "carried":
            position, output, distance = what
            return self._carried(position, output, distance, value) if self._is_before(value) else None
        if kind == "held":
            return self._held(value)
        if kind == "sliced":
            stack, base, step = what
            key = (stack, base + step * self.begin, step)
            if not self._is_before(stack):
                return None
        else:
            key = what[self.begin : self.end]
            if not all(map(self._is_before, key)):
                return None
        local = self.sliced.get(key)
        return Reference(self._slice(key, self.roller.kind(value)) if local is None else local)

    def _carried(self, position: int, output: int, distance: int, value: int) -> Reference:
        """Return what an equation made `distance` repetitions ago, first a value from before the loop."""
        key = (position, output, distance, value)
        if (local := self.carries.get(key)) is None:
            made: tuple[int, int] | int = (position, output)
            if distance > 1:
                before = self.period.at(position, self.begin - distance + 1).outputs[output]
                made = self._carried(position, output, distance - 1, before).index
            local = self.carries[key] = self._new(self.roller.kind(value))
            self.handed_on.append(made)
        return Reference(local)

    def _held(self, value: int) -> Reference | None:
        if not self._is_before(value):
            return None
        if (local := self.held.get(value)) is None:
            array = self.roller.recorder.constants.get(value)
            local = self._new(self.roller.kind(value))
            if array is None:
                self.held[value] = local
            else:
                self.constants[local] = array
        return Reference(local)

    def _is_before(self, value: int) -> bool:
        value = self.roller.turned.get(value, (value,))[0]
        maker = self.rolling.maker.get(value)
        return maker is None or maker[0] < self.first

    # --- what leaves it -------------------------------------------------------------------------------------

    def _read_outside(self) -> tuple[dict[tuple[int, int], int], list[tuple[int, int]], list[int]]:
        """Return (the values of the last repetition that are carried and read outside by themselves, the
        places of which other repetitions are read outside, the positions of selects that are).
        """
        finals: dict[tuple[int, int], int] = {}
        stacked, selects = [], []
        carried = {(position, output) for position, output, distance, _ in self.carries if distance == 1}
        for place in self.local:
            position, output = place
            equations, last = self.period.all_at(position), self.rolling.last.get
            read = [
                k for k in range(self.begin, self.end)
                if last(equations[k].outputs[output], -1) >= self.after
            ]
            if not read:
                continue
            if position in self.period.selects:
                selects.append(position)
            elif read == [self.end - 1] and place in carried:
                finals[place] = equations[self.end - 1].outputs[output]
            else:
                stacked.append(place)
        return finals, stacked, selects

    def _note_selects(self, position: int) -> None:
        value, base, step = self.period.selects[position]
        for k in range(self.begin, self.end):
            part = self.period.at(position, k).outputs[0]
            self.roller.slices[part] = Slice(value, base + step * k)
            self.roller.virtual.add(part)

    def _final(self, carry: tuple[int, int, int, int], finals: dict[tuple[int, int], int]) -> int:
        position, output, distance, value = carry
        found = finals.pop((position, output), None) if distance == 1 else None
        return self.roller.made(*self.roller.kind(value)) if found is None else found

    def _stacked(self, place: tuple[int, int], reverse: bool, finals: object) -> int:
        position, output = place
        shape, dtype = self.roller.kind(self.period.at(position, self.begin).outputs[output])
        stack = self.roller.made((self.length, *shape), dtype)
        for n, k in enumerate(range(self.begin, self.end)):
            value = self.period.at(position, k).outputs[output]
            self.roller.slices[value] = Slice(stack, self.length - 1 - n if reverse else n)
            self.roller.virtual.add(value)
        return stack

    # --- what it takes --------------------------------------------------------------------------------------

    def _direction(self) -> bool:
        """Return whether most of what is sliced goes from the last slice to the first."""
        steps = [key[2] for key in self.sliced if len(key) == 3 and key[2] in (1, -1)]
        return sum(steps) < 0

    def _stack(self, key: Any, reverse: bool) -> int:
        """Return the stacked value whose slices the loop takes, in the loop's direction."""
        write = self.rolling.write
        if len(key) != 3 or key[2] not in (1, -1):
            for value in key:
                self.rolling.materialize(value)
            shape, dtype = self.roller.kind(key[0])
            return write("stack", key[::-1] if reverse else key, (0,), (self.length, *shape), dtype)
        stack, index, step = key
        stack = self.rolling.front(stack)
        shape, dtype = self.roller.kind(stack)
        whole = (self.length, *shape[1:])
        start = index if step > 0 else index - self.length + 1
        if start != 0 or self.length != shape[0]:
            stack = write("slice", [stack], (0, start, start + self.length, 1), whole, dtype)
        if (step < 0) != reverse:
            stack = write("flip", [stack], ((0,),), whole, dtype)
        return stack

    def _pays(self, body: Body) -> bool:
        """Return whether the loop has native code, and repetitions gain nothing by being fused."""
        kinds = zip(body.shapes, body.dtypes, strict=True)
        if not may_pay(len(body.equations) * self.length, body.equations, kinds):
            return False
        return image.is_native(Program.of(body))


def may_pay(size: int, body: Sequence[Equation], kinds: Iterable[tuple[tuple[int, ...], Any]]) -> bool:
    """Return whether a loop of `size` equations in all is long, or does not gain by being fused."""
    if size < WORTH:
        return False
    return (
        size >= LONG
        or all(prod(s) * d.itemsize <= LARGE for s, d in kinds)
        or any(TABLE[e.op].kind == "bilinear" or e.op.startswith("addmm") for e in body)
    )
