"""Parts that are written and read one by one, as values of their own.

``table[t] = row`` in a loop is a new table for each step, equal to the one before but for a part, and its
pullback is a covector for each step, of which the part is put to zero. A read of one part is given what was
written there, so the whole is made where it is read as a whole: once after the loop, as a stack. Steps of
the loop then carry rows and not tables, and may be rolled (`loop_rolling`): 128 steps backwards in time that
write a row each and their pullback took 8.1 s of the processor in a first call and 106 µs in later ones, now
0.7 s and 7 µs.

Parts are what `select` takes, at any depth. What is added up at one place of zeros (`select_backward`) adds
zero elsewhere, which is no change but for the sign of a zero: reads after it add zero, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from .part_history import Covered, History, Path, Step

if TYPE_CHECKING:
    from .loop_rolling import Roller

#: Writes to parts from which they are looked at; parts in a row that are stacked.
LEAST = 4


def parts_apart(equations: Sequence[Equation], roller: Roller, needed: Iterable[int]) -> list[Equation]:
    """Return equations whose written parts are values; `needed` are the values that others read."""
    sums = _long_sums(equations)
    if not sums and sum(e.op == "put" and bool(_path(e)) for e in equations) < LEAST:
        return list(equations)
    return _Parting(roller, set(needed), sums).run(equations)


def _long_sums(equations: Sequence[Equation]) -> set[int]:
    """Return the sums at which values that are zero but at one part begin to be added to another value, one
    after the other, where they are many. What consists of such values alone is left to `gathered_gradients`.
    """
    placed: set[int] = set()
    first: dict[int, int] = {}
    count: Counter[int] = Counter()
    for op, operands, _, outputs, _ in equations:
        if op == "select_backward":
            placed.add(outputs[0])
        elif op == "add" and placed and all(type(o) is Reference for o in operands):
            given = [o.index for o in operands]
            rest = [n for n in given if n not in placed]
            if not rest:
                placed.add(outputs[0])
            elif len(rest) == 1:
                first[outputs[0]] = first.get(rest[0], outputs[0])
                count[first[outputs[0]]] += 1
    return {n for n, times in count.items() if times >= LEAST}


def _path(put: Equation) -> Path:
    """Return the steps with which the part begins that is written; none where the layout tells what it is."""
    steps, strides = put.attrs
    path: list[Step] = []
    if strides is None:
        for op, attrs, _ in steps:
            if op.name != "select":
                break
            path.append(attrs)
    return tuple(path)


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
        self._known: dict[Any, int] = {}

    def run(self, equations: Sequence[Equation]) -> list[Equation]:
        rules = {
            "select": self._select, "put": self._put, "add": self._add, "copy": self._copy,
            "select_backward": self._select_backward, "clone": self._again, "lay_out": self._again,
        }  # fmt: skip
        for equation in equations:
            if not self.same.keys().isdisjoint([o.index for o in equation.operands if type(o) is Reference]):
                equation = equation._replace(operands=tuple(map(self._now, equation.operands)))
            rule = rules.get(equation.op)
            if rule is None or not rule(equation):
                self.keep(equation)
        for value in sorted(self.needed):
            self._require(value)
        return self.out

    def _now(self, operand: Any) -> Any:
        if type(operand) is Reference:
            return Reference(self.same.get(operand.index, operand.index))
        return operand

    # --- equations ------------------------------------------------------------------------------------------

    def keep(self, equation: Equation) -> None:
        """Keep an equation, on values that are there."""
        read = [o.index for o in equation.operands if type(o) is Reference]
        if all(known.keys().isdisjoint(read) for known in (self.same, self.parts, self.placed)):
            self.out.append(equation)
            return
        given = [Reference(self.there(o.index)) if type(o) is Reference else o for o in equation.operands]
        self.out.append(equation._replace(operands=tuple(given)))

    def _select(self, equation: Equation) -> bool:
        x = equation.operands[0].index
        out = equation.outputs[0]
        if x not in self.parts:
            return False
        self._be(out, self._part_of(x, equation.attrs, out))
        return True

    def _again(self, equation: Equation) -> bool:
        """Let a copy of a part be that part."""
        x = equation.operands[0].index
        if x not in self.parts or equation.attrs not in ((), (None,)):
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

    def _select_backward(self, equation: Equation) -> bool:
        g, out = equation.operands[0].index, equation.outputs[0]
        inner = self.placed.get(g)
        path, value = ((), g) if inner is None else inner[1:]
        self.placed[out] = _Placed(equation, (equation.attrs[1:], *path), value)
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
        self._written(part.history, path, value, out)
        return True

    def _add(self, equation: Equation) -> bool:
        """Add what is zero but at one part to that part."""
        if not all(type(o) is Reference for o in equation.operands):
            return False
        first, second = (o.index for o in equation.operands)
        turned = first in self.placed
        if turned:
            first, second = second, first
        placed, part, out = self.placed.get(second), self.parts.get(first), equation.outputs[0]
        kinds = {self.roller.recorder.kind_of(n) for n in (first, second, out)}
        known = out in self.sums if part is None else not part.path
        if placed is None or not known or len(kinds) > 1:
            return False
        part = self._latest(first, placed.path)
        both = self._read(part, placed.path), placed.value
        kind = self.roller.kind(self.there(placed.value))
        value = self._write("add", reversed(both) if turned else both, (), *kind)
        self._written(part.history, placed.path, value, out)
        part.history.zeros.append(part.history.version)
        return True

    def _latest(self, base: int, path: Path) -> _Part:
        """Return a value as the latest version of a history in which a part may be written to."""
        part = self.parts.get(base)
        if (
            part is None or part.path or part.version != part.history.version or not part.history.fits(path)
        ):
            part = _Part(History(self.there(base)), 0, ())
        return part

    def _written(self, history: History, path: Path, value: int, out: int) -> None:
        history.write(path, value)
        self.parts[out] = _Part(history, history.version, ())

    def _be(self, number: int, value: int) -> None:
        """Let a value be another one."""
        if value != number:
            self.same[number] = self.same.get(value, value)

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
        made = self._known.get(key)
        if made is None:
            made = self._known[key] = self._write(op, (operand,), attrs, shape, self.roller.kind(operand)[1])
        return made

    def _part_of(self, x: int, step: Step, out: int | None = None) -> int:
        """Return the part of a value to which a step leads: a value that is there, or a part again."""
        part = self.parts.get(x)
        shape, dtype = self.roller.kind(x)
        if part is None or not part.history.fits((*part.path, step)):
            x = self.there(x)
            return self._once((x, step), "select", x, step, _shape_of(shape, (step,)))
        part = part._replace(path=(*part.path, step))
        if part.history.has_parts(part.path, part.covered().version, part.version):
            number = self.roller.made(_shape_of(shape, (step,)), dtype) if out is None else out
            self.parts[number] = part
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
        made = self._known.get((value, "zero"))
        if made is None:
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
        part = self.parts.get(value)
        if part is not None:
            made = self._whole(part)
            if made != value:
                self.same[value] = made
            return self.there(made) if made in self.parts else made
        placed = self.placed.pop(value, None)
        if placed is not None:
            self.keep(placed.equation)
        return value

    def _require(self, number: int) -> None:
        """Let an equation make a value under its own number."""
        made = self.there(number)
        if made != number:
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
        if not steps or len(steps) < shape[steps[0][0]]:
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

    def _joined(
        self, whole: int | None, run: list[Step], parts: list[_Part], shape: tuple[int, ...]
    ) -> int:
        """Return a value with neighbouring parts replaced."""
        axis, low = run[0]
        if whole is not None and len(run) < LEAST:
            return self._put_into(whole, run, [self._whole(part) for part in parts], shape)
        values, late = self._all_but_few_with_zero(parts)
        dtype = self.roller.kind(self.there(values[0]))[1]
        stacked = (*shape[:axis], len(run), *shape[axis + 1 :])
        made = self._write("stack", values, (axis,), stacked, dtype)
        if late is not None:
            steps = [(axis, n) for n in late]
            made = self._put_into(self._with_zero(made), steps, [values[n] for n in late], stacked)
        if whole is None:
            return made
        place = ((TABLE["slice"], (axis, low, low + len(run), 1), None),)
        return self._write("put", (whole, made), (place, None), shape, dtype)

    def _put_into(self, whole: int, steps: list[Step], values: list[int], shape: tuple[int, ...]) -> int:
        for step, value in zip(steps, values, strict=True):
            place = ((TABLE["select"], step, None),)
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
    for axis, _ in path:
        shape = (*shape[:axis], *shape[axis + 1 :])
    return shape
