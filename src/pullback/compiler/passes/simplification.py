"""Simplification of programs: algebra, common subexpressions, dead code."""

from collections.abc import Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

import numpy as np

from ...core.body import Body, acts
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ...ops.refusing import stays
from ..program.program import Program
from ..program.text import exact

_new_tuple = tuple.__new__


def renumbered(operands: Sequence[Any], numbers: Mapping[int, int]) -> tuple[Any, ...]:
    """Return operands with the numbers that some values turned out to have."""
    return tuple([Reference(numbers.get(o.index, o.index)) if type(o) is Reference else o for o in operands])


class _Rewriter:
    """Go through a program's equations; says which values turned out to be others."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.same: dict[int, int] = {}
        self.makers: dict[int, Equation] = {}
        self.equations: list[Equation] = []

    def updated(self, equation: Equation) -> Equation:
        """Return the equation on the values that its operands turned out to be."""
        for value in equation.operands:
            if type(value) is Reference and value.index in self.same:
                return equation._replace(operands=renumbered(equation.operands, self.same))
        return equation

    def keep(self, equation: Equation) -> None:
        """Keep an equation."""
        self.equations.append(equation)
        for output in equation.outputs:
            self.makers[output] = equation

    def replace(self, number: int, by: int) -> None:
        """Let a value be another."""
        self.same[number] = self.same.get(by, by)

    def kind(self, number: int) -> tuple[Any, Any]:
        """Return shape and dtype of a value."""
        return self.program.shapes[number], self.program.dtypes[number]

    def result(self) -> Program:
        """Return the program that is left."""
        outputs = [self.same.get(n, n) for n in self.program.outputs]
        return Program.of(self.program, equations=self.equations, outputs=outputs)


def algebra(program: Program) -> Program:
    """Leave out what gives back its operand: ``x * 1``, ``x / 1``, ``x - 0``, ``-(-x)``, casts to the dtype
    at hand and back from a wider one, transposes that undo each other, a shape given anew.
    """
    work = _Rewriter(program)
    for equation in program.equations:
        equation = work.updated(equation)
        source = _unchanged(equation, work)
        if source is not None and work.kind(source) == work.kind(equation.outputs[0]):
            work.replace(equation.outputs[0], source)
        else:
            work.keep(equation)
    return work.result()


#: Constants of more elements are not searched for one number.
LOOKED_AT = 4096
#: Ops that give back their first operand where the second, or the attribute, is this number.
_NEUTRAL = {"mul": 1, "mul_number": 1, "div": 1, "div_number": 1, "sub": 0, "pow_scalar": 1}
#: Those in which complex numbers meet the number's zero part: an infinite part makes a nan of it.
_MIXING = frozenset({"mul", "mul_number", "div", "div_number"})
_SHAPING = frozenset({"view", "expand", "reshape_alias"})


def _unchanged(equation: Equation, work: _Rewriter) -> int | None:
    """Return the value that an equation gives back; None where it computes one."""
    name, operands = equation.op, equation.operands
    if not operands or not isinstance(operands[0], Reference) or len(equation.outputs) != 1:
        return None
    x = operands[0].index
    if name in _NEUTRAL:
        if work.program.dtypes[x].kind in "cW" and name in _MIXING:
            return None
        others = (*operands[1:], *equation.attrs)
        return x if len(others) == 1 and _is_number(others[0], _NEUTRAL[name], work) else None
    if name in _SHAPING:
        return x
    if name == "cast":
        return _cast_back(equation, x, work)
    if name == "permute" and list(equation.attrs[0]) == sorted(equation.attrs[0]):
        return x
    inner = work.makers.get(x)
    if inner is None or inner.op != name or not isinstance(inner.operands[0], Reference):
        return None
    before = inner.operands[0].index
    if name in ("neg", "t", "logical_not", "bitwise_not"):
        return before
    if name == "transpose":
        return before if set(inner.attrs) == set(equation.attrs) else None
    if name == "permute":
        (first,), (second,) = inner.attrs, equation.attrs
        return before if [first[d] for d in second] == list(range(len(first))) else None
    return None


def _is_number(value: object, wanted: int, work: _Rewriter) -> bool:
    """Tell whether an operand or attribute is a real number, by its text or as a constant everywhere."""
    if isinstance(value, Reference):
        array = work.program.constants.get(value.index)
        if array is None or array.dtype.kind not in "fiu" or not 0 < array.size <= LOOKED_AT:
            return False
        value = array[(0,) * array.ndim].item()
        if (array != value).any() or (wanted == 0 and np.signbit(array).any()):
            return False
    if type(value) not in (int, float) or value != wanted:
        return False
    return not (wanted == 0 and np.signbit(value))


def _cast_back(equation: Equation, x: int, work: _Rewriter) -> int | None:
    """Return the value before a cast: at hand already, or cast to a dtype that holds all of its values."""
    dtype = work.program.dtypes[equation.outputs[0]]
    if work.program.dtypes[x] == dtype:
        return x
    inner = work.makers.get(x)
    if inner is None or inner.op != "cast" or not isinstance(inner.operands[0], Reference):
        return None
    before = inner.operands[0].index
    if work.program.dtypes[before] != dtype:
        return None
    return before if _holds(work.program.dtypes[x], dtype) else None


def _holds(wide: np.dtype[Any], narrow: np.dtype[Any]) -> bool:
    """Tell whether a dtype has all numbers of another; NumPy calls the cast of int64 to float64 safe, too."""
    try:
        if not np.can_cast(narrow, wide, "safe"):
            return False
    except TypeError:
        return False
    # The bits of a whole number's largest power of two.
    digits = 8 * narrow.itemsize - (narrow.kind == "i")
    return narrow.kind not in "iu" or wide.kind not in "fc" or digits <= np.finfo(wide).nmant + 1


def common_subexpressions(program: Program) -> Program:
    """Compute what is computed twice once; what acts, as a random draw, does so as often as it did."""
    same: dict[Any, Reference] = {}
    equations = _once(program.equations, frozenset(), {}, same)
    outputs = [same[n,][0] if (n,) in same else n for n in program.outputs]
    return Program.of(program, equations=equations, outputs=outputs)


def computed_once(
    halves: tuple[Sequence[Equation], Sequence[Equation]], wanted: Iterable[int]
) -> tuple[list[Equation], list[Equation]]:
    """Return the equations of a call and those of its pullback without those that compute what earlier ones
    do, but for wanted values.

    What is computed more than once from what a half is given, as a weight transposed in each step of a loop,
    comes first in it, so that all steps are alike.
    """
    known: dict[Any, tuple[int, ...]] = {}
    same: dict[Any, Reference] = {}
    stay = frozenset(wanted)
    call, pullback = (_once(half, stay, known, same) for half in halves)
    repeated = {reference[0] for reference in same.values()}
    return _repeated_first(call, repeated), _repeated_first(pullback, repeated)


def _repeated_first(equations: list[Equation], repeated: set[int]) -> list[Equation]:
    made = {n for e in equations for n in e.outputs} if repeated else set()
    first: list[Equation] = []
    rest: list[Equation] = []
    for equation in equations:
        if not repeated.isdisjoint(equation.outputs) and made.isdisjoint(
            [o.index for o in equation.operands if type(o) is Reference]
        ):
            made.difference_update(equation.outputs)
            first.append(equation)
        else:
            rest.append(equation)
    return first + rest


#: What stands for itself in a key: see `exact`.
_ITSELF = frozenset((Reference, NoneType))


def _once(
    equations: Sequence[Equation], wanted: frozenset[int], known: dict[Any, tuple[int, ...]],
    same: dict[Any, Reference],
) -> list[Equation]:  # fmt: skip
    """Return equations but for what earlier ones do, which are `known` by what they compute; note which
    values are the `same`.
    """
    kept = []
    acting = {op for op in {e.op for e in equations} if TABLE[op].acts}
    acting |= {e.op for e in equations if e.attrs and Body in map(type, e.attrs) and acts(e.op, e.attrs)}
    moved, plain = same.keys(), _ITSELF.issuperset
    for equation in equations:
        op, operands, attrs, outputs, several = equation
        if not moved.isdisjoint(operands):
            operands = tuple([same.get(o, o) for o in operands])
            equation = _new_tuple(Equation, (op, operands, attrs, outputs, several))
        if op not in acting:
            told = operands if plain(map(type, operands)) else tuple(map(exact, operands))
            key = op, told, attrs and exact(attrs)
            if (before := known.setdefault(key, outputs)) is not outputs and wanted.isdisjoint(outputs):
                for n, m in zip(outputs, before, strict=True):
                    same[n,] = Reference(m)
                continue
        kept.append(equation)
    return kept


def dead_code(program: Program) -> Program:
    """Leave out equations and constants that no output depends on."""
    kept, wanted = _needed(program.equations, program.outputs, program.dtypes)
    constants = {n: array for n, array in program.constants.items() if n in wanted}
    return Program(program.inputs, kept, program.outputs, constants, program.shapes, program.dtypes)


def dead_equations(equations: Sequence[Equation], roller: Any, wanted: Iterable[int]) -> list[Equation]:
    """Leave out equations of a trace that the wanted values do not depend on."""
    return needed(equations, wanted, roller.recorder.dtypes)


def needed(equations: Sequence[Equation], outputs: Iterable[int], dtypes: Sequence[Any]) -> list[Equation]:
    """Return the equations that values depend on, and those that act or may raise."""
    return _needed(equations, outputs, dtypes)[0]


def _needed(
    equations: Sequence[Equation], outputs: Iterable[int], dtypes: Sequence[Any]
) -> tuple[list[Equation], set[int]]:
    """Return `needed`, and the values that are read: by these, or as outputs."""
    wanted = set(outputs)
    kept = []
    for equation in reversed(equations):
        if not wanted.isdisjoint(equation.outputs) or stays(equation, dtypes):
            for o in equation.operands:
                if type(o) is Reference:
                    wanted.add(o[0])
            kept.append(equation)
    kept.reverse()
    return kept, wanted
