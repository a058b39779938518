"""Parts that are written and read one by one, as values of their own.

``table[t] = row`` in a loop is a new table for each step, equal to the one before but for a part, and its
pullback is a covector for each step, of which the part is put to zero. A read of one part is given what was
written there, so the whole is made where it is read as a whole: once after the loop, as a stack. Steps of
the loop then carry rows and not tables, and may be rolled (`loop_rolling`): 128 steps backwards in time that
write a row each and their pullback took 8.1 s of the processor in a first call and 106 µs in later ones, now
0.7 s and 7 µs.

Parts are what `select` takes, at any depth, and `slice` of slices of one width side by side. What is added
up at one place of zeros (`select_backward`, `slice_backward`) adds zero elsewhere, which is no change but for
the sign of a zero: reads after it add zero, too. The pullback of ``x[0]``, ``x[1]``, … is such a sum from
zeros on, whose time would grow with the square of their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from .part_history import Covered, History, Path, Step
from .simplification import renumbered

if TYPE_CHECKING:
    from .loop_rolling import Roller

#: Writes to parts from which they are looked at; parts in a row that are stacked.
LEAST = 4


def parts_apart(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> list[Equation]:
    """Return equations whose written parts are values; `needed` are the values that others read."""
    sums = _long_sums(equations)
    if not sums and len([e for e in equations if e.op == "put" and _path(e)]) < LEAST:
        return list(equations)
    return _Parting(roller, set(needed), sums).run(equations)


def _long_sums(equations: Sequence[Equation]) -> set[int]:
    """Return the sums where many values that are zero but at one part begin to be added up."""
    placed: dict[int, tuple[int, ...]] = {}
    first: dict[int, int] = {}
    ways: dict[int, tuple[int, ...]] = {}
    count: Counter[int] = Counter()
    for equation in equations:
        if (op := equation.op) in _PLACING:
            if (step := _step(equation)) is not None:
                placed[equation.outputs[0]] = step[::2]
        elif op != "add" or not placed or (given := _summands(equation)) is None:
            continue
        elif not placed.keys().isdisjoint(given):
            out = equation.outputs[0]
            rest = [n for n in given if n not in placed]
            way = {placed[n] for n in given if n in placed}
            if len(way) == 1:
                begin = first.get(rest[0], out) if rest else out
                first[out] = begin = begin if ways.get(begin, *way) in way else out
                ways[begin] = way.pop()
                count[begin] += 2 - len(rest)
    return {n for n, times in count.items() if times >= LEAST}


def _summands(add: Equation) -> tuple[int, int] | None:
    """Return the two values that are added up; None where one of them is a number."""
    x, y = add.operands
    return (x[0], y[0]) if type(x) is Reference and type(y) is Reference else None


def _path(put: Equation) -> Path:
    """Return the steps with which the part begins that is written; none where the layout tells what it is."""
    steps, strides = put.attrs
    path: list[Step] = []
    if strides is None:
        for op, attrs, _ in steps:
            if op.name != "select":
                break
            path.append((*attrs, 0))
    return tuple(path)


#: What gives zeros that have a value in them; what may begin a part, or be one, whatever it is given.
_PLACING = frozenset(("select_backward", "slice_backward"))
_BEGINNING = _PLACING | {"put", "copy"}


def _step(equation: Equation) -> Step | None:
    """Return where zeros have a value in them; None for slices that lie between others."""
    if equation.op == "select_backward":
        return (*equation.attrs[1:], 0)
    _, axis, start, stop, step = equation.attrs
    width = stop - start
    if step == 1 and width > 0 and start % width == 0:
        return axis, start // width, width
    return None


class _Part(NamedTuple):
    """A value as a part of a version."""

    history: History
    version: int
    path: Path

    def covered(self) -> Covered:
        """Return the last write that set all of it."""
        return self.history.covered(self.path, self.version)


class _Placed(NamedTuple):
    """A value that is zero but at one part."""

    equation: Equation
    path: Path
    value: int


class _Parting:
    """One list of equations, whose written parts become values."""

    def __init__(self, roller: Roller, needed: set[int], sums: set[int]) -> None:
        self.roller = roller
        self.needed = needed
        self.sums = sums
        self.out: list[Equation] = []
        #: What is not, or not yet, made by an equation.
        self.parts: dict[int, _Part] = {}
        self.placed: dict[int, _Placed] = {}
        self.same: dict[int, int] = {}
        #: Each of these as an operand.
        self._met: set[tuple[int]] = set()
        self._known: dict[Any, int] = {}

    def run(self, equations: Sequence[Equation]) -> list[Equation]:
        rules = {
            "select": self._select, "put": self._put, "add": self._add, "copy": self._copy,
            "select_backward": self._zeros, "slice_backward": self._zeros, "clone": self._again,
            "lay_out": self._again,
        }  # fmt: skip
        for equation in equations:
            if self._met.isdisjoint(equation.operands):
                rule = rules[equation.op] if equation.op in _BEGINNING else None
            else:
                if not self.same.keys().isdisjoint([o[0] for o in equation.operands if type(o) is Reference]):
                    equation = equation._replace(operands=renumbered(equation.operands, self.same))
                rule = rules.get(equation.op)
            if rule is None or not rule(equation):
                self.keep(equation)
        for value in sorted(self.needed):
            self._require(value)
        return self.out

    # --- equations ------------------------------------------------------------------------------------------

    def keep(self, equation: Equation) -> None:
        """Keep an equation, on values that are there."""
        if self._met.isdisjoint(equation.operands):
            self.out.append(equation)
            return
        given = [Reference(self.there(o.index)) if type(o) is Reference else o for o in equation.operands]
        self.out.append(equation._replace(operands=tuple(given)))

    def _select(self, equation: Equation) -> bool:
        x = equation.operands[0].index
        out = equation.outputs[0]
        if x not in self.parts:
            return False
        self._be(out, self._part_of(x, (*equation.attrs, 0), out))
        return True

    def _again(self, equation: Equation) -> bool:
        """Let a copy of a part be that part."""
        if (x := equation.operands[0].index) not in self.parts or equation.attrs not in ((), (None,)):
            return False
        self._be(equation.outputs[0], x)
        return True

    def _copy(self, equation: Equation) -> bool:
        """Let what is written be the value itself, where it has the place's shape and dtype."""
        out, source = equation.outputs[0], equation.operands[1]
        if type(source) is not Reference or self.roller.kind(source.index) != self.roller.kind(out):
            return False
        self._be(out, source.index)
        return True

    def _zeros(self, equation: Equation) -> bool:
        g, out, step = equation.operands[0].index, equation.outputs[0], _step(equation)
        if step is None:
            return False
        inner = self.placed.get(g)
        path, value = ((), g) if inner is None else inner[1:]
        self.placed[out] = _Placed(equation, (step, *path), value)
        self._met.add((out,))
        return True

    def _put(self, equation: Equation) -> bool:
        base, source = equation.operands
        path, out = _path(equation), equation.outputs[0]
        if not path or not all(type(o) is Reference for o in (base, source)):
            return False
        part = self._latest(base.index, path)
        value, rest = source.index, equation.attrs[0][len(path) :]
        shape, dtype = self.roller.kind(out)
        if self.roller.kind(value)[1] != dtype:
            return False
        shape = _shape_of(shape, path)
        if rest:
            row = self._read(part, path)
            value = self._write("put", (row, value), (rest, None), shape, dtype)
        elif self.roller.kind(value)[0] != shape:
            value = self._write("expand", (value,), (shape,), shape, dtype)
        part.history.write(path, value)
        self._be_part(out, _Part(part.history, part.history.version, ()))
        return True

    def _add(self, equation: Equation) -> bool:
        """Add what is zero but at one part to that part."""
        if (given := _summands(equation)) is None or self.placed.keys().isdisjoint(given):
            return False
        first, second = given
        turned = first in self.placed and second not in self.placed
        if turned:
            first, second = second, first
        placed, part, out = self.placed[second], self.parts.get(first), equation.outputs[0]
        kinds = {self.roller.recorder.kind_of(n) for n in (first, second, out)}
        known = out in self.sums if part is None else not part.path
        if not known or len(kinds) > 1:
            return False
        part = self._begun(self.placed[first]) if first in self.placed else self._latest(first, placed.path)
        history, value = part.history, placed.value
        if not history.fits(placed.path):
            return False
        if history.first is None or not history.is_new(placed.path):
            both = self._read(part, placed.path), value
            kind = self.roller.kind(self.there(value))
            value = self._write("add", reversed(both) if turned else both, (), *kind)
        history.write(placed.path, value)
        if history.zeros or history.first != placed.path:
            # Of zeros, the part that is written has had zero added to it, too.
            history.version += history.first is not None
            history.zeros.append(history.version)
        self._be_part(out, _Part(history, history.version, ()))
        return True

    def _begun(self, placed: _Placed) -> _Part:
        """Return zeros of which one part was written."""
        shape, dtype = self.roller.kind(placed.equation.outputs[0])
        base = self.roller.recorder.operand(np.broadcast_to(np.zeros((), dtype), shape))[0].index
        self._known[base, "zero"] = base
        history = History(base, placed.path)
        history.write(placed.path, placed.value)
        return _Part(history, history.version, ())

    def _latest(self, base: int, path: Path) -> _Part:
        """Return a value as the latest version of a history in which a part may be written to."""
        part = self.parts.get(base)
        if part is None or part.path or part.version != part.history.version or not part.history.fits(path):
            part = _Part(History(self.there(base)), 0, ())
        return part

    def _be(self, number: int, value: int) -> None:
        """Let a value be another one."""
        if value != number:
            self.same[number] = self.same.get(value, value)
            self._met.add((number,))

    def _be_part(self, number: int, part: _Part) -> None:
        """Let a value be a part."""
        self.parts[number] = part
        self._met.add((number,))

    # --- values ---------------------------------------------------------------------------------------------

    def _write(
        self, op: str, operands: Iterable[int], attrs: tuple[object, ...], shape: tuple[int, ...], dtype: Any
    ) -> int:
        """Write an equation; return the number of its result."""
        given = tuple([Reference(self.there(o)) for o in operands])
        made = self.roller.made(shape, dtype)
        self.out.append(Equation(op, given, attrs, (made,), False))
        return made

    def _once(self, key: Any, op: str, operand: int, attrs: tuple[Any, ...], shape: tuple[int, ...]) -> int:
        if (made := self._known.get(key)) is None:
            made = self._known[key] = self._write(op, (operand,), attrs, shape, self.roller.kind(operand)[1])
        return made

    def _part_of(self, x: int, step: Step, out: int | None = None) -> int:
        """Return the part of a value to which a step leads: a value that is there, or a part again."""
        part = self.parts.get(x)
        shape, dtype = self.roller.kind(x)
        if part is None or not part.history.fits((*part.path, step)):
            x = self.there(x)
            op, attrs = _taking(step)
            return self._once((x, step), op, x, attrs, _shape_of(shape, (step,)))
        part = part._replace(path=(*part.path, step))
        if part.history.has_parts(part.path, part.covered().version, part.version):
            number = self.roller.made(_shape_of(shape, (step,)), dtype) if out is None else out
            self._be_part(number, part)
            return number
        return self._covering(part)

    def _covering(self, part: _Part) -> int:
        """Return a part, without what was written to parts of it alone."""
        value, zero = self._bare(part)
        return self._with_zero(value) if zero else value

    def _bare(self, part: _Part) -> tuple[int, bool]:
        """Return a part, without what was written to parts of it alone, and whether zero is to be added."""
        history, version, path = part
        after, depth, value = part.covered()
        zero = history.has_zero(after, version)
        if value is None:
            # Of what was given, once for all parts that are read.
            value, zero = (self._with_zero(history.base) if zero else history.base), False
        for step in path[depth:]:
            value = self._part_of(value, step)
        return value, zero

    def _with_zero(self, value: int) -> int:
        """Return a value plus zero, which differs where that is -0.0."""
        value = self.there(value)
        shape, dtype = self.roller.kind(value)
        if (made := self._known.get((value, "zero"))) is None:
            made = self.roller.made(shape, dtype)
            self.out.append(Equation("add", (Reference(value), 0), (), (made,), False))
            # Another zero changes nothing.
            self._known[value, "zero"] = self._known[made, "zero"] = made
        return made

    def _read(self, part: _Part, path: Path) -> int:
        """Return the number of a part of a version, made by an equation."""
        return self._whole(part._replace(path=(*part.path, *path)))

    def there(self, value: int) -> int:
        """Return the number under which a value is made by an equation, or given."""
        value = self.same.get(value, value)
        if (part := self.parts.get(value)) is not None:
            if (made := self._whole(part)) != value:
                self.same[value] = made
            return self.there(made) if made in self.parts else made
        if (placed := self.placed.pop(value, None)) is not None:
            self.keep(placed.equation)
        return value

    def _require(self, number: int) -> None:
        """Let an equation make a value under its own number."""
        if (made := self.there(number)) != number:
            self.out.append(Equation("clone", (Reference(made),), (), (number,), False))

    def _whole(self, part: _Part) -> int:
        """Return the number of a part, put together from what was written to parts of it."""
        history, version, path = part
        made: int | None = self._known.get(part)
        if made is not None:
            return made
        shape = _shape_of(self.roller.kind(history.base)[0], path)
        after, before = history.last_made(version) if not path else (part.covered().version, -1)
        steps = sorted(history.parts(path, after, version))
        if not steps or len(steps) * max(1, steps[0][2]) < shape[steps[0][0]]:
            if path:
                made = self.there(self._covering(part))
            else:
                made = self._with_zero(before) if history.has_zero(after, version) else before
        for run in _runs(steps):
            made = self._joined(made, run, [part._replace(path=(*path, step)) for step in run], shape)
        made = history.base if made is None else made
        self._known[part] = made
        if not path and version > after:
            history.made.append((version, made))
            history.made.sort()
        return made

    def _joined(self, whole: int | None, run: list[Step], parts: list[_Part], shape: tuple[int, ...]) -> int:
        """Return a value with neighbouring parts replaced."""
        axis, low, width = run[0]
        if whole is not None and len(run) < LEAST:
            return self._put_into(whole, run, [self._whole(part) for part in parts], shape)
        values, late = self._all_but_few_with_zero(parts)
        dtype = self.roller.kind(self.there(values[0]))[1]
        low, high = low * max(1, width), (low + len(run)) * max(1, width)
        stacked = (*shape[:axis], high - low, *shape[axis + 1 :])
        op, widths = ("cat", ((width,) * len(run),)) if width else ("stack", ())
        made = self._write(op, values, (*widths, axis), stacked, dtype)
        if late is not None:
            steps = [(axis, n, width) for n in late]
            made = self._put_into(self._with_zero(made), steps, [values[n] for n in late], stacked)
        if whole is None:
            return made
        place = ((TABLE["slice"], (axis, low, high, 1), None),)
        return self._write("put", (whole, made), (place, None), shape, dtype)

    def _put_into(self, whole: int, steps: list[Step], values: list[int], shape: tuple[int, ...]) -> int:
        for step, value in zip(steps, values, strict=True):
            op, attrs = _taking(step)
            place = ((TABLE[op], attrs, None),)
            whole = self._write("put", (whole, value), (place, None), shape, self.roller.kind(value)[1])
        return whole

    def _all_but_few_with_zero(self, parts: list[_Part]) -> tuple[list[int], list[int] | None]:
        """Return parts, and None; or, where zero is to be added to nearly all of them, the parts without it
        and the places of the others: it is then added to all at once.
        """
        leaves = [not p.history.has_parts(p.path, p.covered().version, p.version) for p in parts]
        if not all(leaves):
            return [self._whole(part) for part in parts], None
        found = [self._bare(part) for part in parts]
        late = [n for n, (_, zero) in enumerate(found) if not zero]
        if len(late) <= 2:
            return [self.there(value) for value, _ in found], late
        return [self._with_zero(value) if zero else self.there(value) for value, zero in found], None


def _runs(steps: Iterable[Step]) -> list[list[Step]]:
    """Return steps to parts that lie beside each other together."""
    runs: list[list[Step]] = []
    for step in steps:
        if runs and runs[-1][-1][1] + 1 == step[1]:
            runs[-1].append(step)
        else:
            runs.append([step])
    return runs


def _shape_of(shape: tuple[int, ...], path: Path) -> tuple[int, ...]:
    """Return the shape of a part."""
    for axis, _, width in path:
        shape = (*shape[:axis], *((width,) if width else ()), *shape[axis + 1 :])
    return shape


def _taking(step: Step) -> tuple[str, tuple[int, ...]]:
    """Return the op that takes a part, and its attributes."""
    axis, index, width = step
    return ("slice", (axis, index * width, (index + 1) * width, 1)) if width else ("select", (axis, index))
