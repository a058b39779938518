"""Sums of tables to which rows are added at places: the second's rows are added to the first table at once.

What is read from one table at several places, as the words of a pair or both ends of an edge, has the sum of
such tables as its covector. Each would be filled with zeros, and read again to be added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...core.recorder import Equation, Reference
from ..program.program import Program

#: Ops that add to their first operand, and where among the attributes it stands that they do add.
_ADDING = {"index_add": None, "scatter_add": None, "index_put": 1}


class _Work(NamedTuple):
    """A program that is being rewritten: its equations so far, kinds of all values, and tables left out."""

    program: Program
    makers: dict[int, Equation]
    equations: list[Equation]
    shapes: list[tuple[int, ...]]
    dtypes: list[Any]
    gone: set[int]

    def keep(self, equation: Equation) -> None:
        """Write an equation down."""
        self.equations.append(equation)
        for output in equation.outputs:
            self.makers[output] = equation

    def viewed(self, value: Reference, shape: tuple[int, ...]) -> Reference:
        """Return a value in another shape."""
        if self.shapes[value.index] == shape:
            return value
        number = len(self.shapes)
        self.shapes.append(shape)
        self.dtypes.append(self.dtypes[value.index])
        self.keep(Equation("view", (value,), (shape,), (number,), False))
        return Reference(number)


def scattered_sums(program: Program) -> Program:
    """Add rows to the table that is there instead of to one of zeros which is then added to it.

    The first table began as zeros itself, so the sign of a zero is as before.
    """
    if _ADDED_TO.keys().isdisjoint({equation.op for equation in program.equations}):
        return program
    p, work = program, _Work(program, {}, [], [*program.shapes], [*program.dtypes], set())
    uses = Counter(p.outputs)
    for equation in p.equations:
        uses.update([o.index for o in equation.operands if type(o) is Reference])
    for equation in p.equations:
        found = _joined(equation, work, uses) if equation.op == "add" and not equation.attrs else None
        work.keep(equation if found is None else found)
    # They may raise, so they would not count as dead; what adds the rows now raises the same.
    equations = [equation for equation in work.equations if work.gone.isdisjoint(equation.outputs)]
    return Program(p.inputs, equations, p.outputs, p.constants, work.shapes, work.dtypes)


def _joined(equation: Equation, work: _Work, uses: Counter[int]) -> Equation | None:
    """Return a sum of two tables as rows added to one of them; None where it is another sum."""
    result = work.shapes[equation.outputs[0]]
    numbers = [o.index for o in equation.operands if type(o) is Reference and work.shapes[o.index] == result]
    if len(numbers) < 2 or not all(_from_zeros(n, work) for n in numbers):
        return None
    for base, table in (numbers, numbers[::-1]):
        if uses[table] == 1 and (made := _ADDED_TO.get(work.makers[table].op)) is not None:
            found = made(work.makers[table], Reference(base), work)
            if found is not None:
                work.gone.add(table)
                return found._replace(outputs=equation.outputs)
    return None


def _from_zeros(number: int, work: _Work) -> bool:
    """Tell whether a value is a table of zeros with rows added to it."""
    if (maker := work.makers.get(number)) is None:
        array = work.program.constants.get(number)
        return array is not None and not array.any() and not np.signbit(array).any()
    if maker.op in ("embedding_backward", "index_backward"):
        return True
    if maker.op not in _ADDING:
        return False
    place = _ADDING[maker.op]
    adds = place is None or maker.attrs[place]
    return bool(adds) and type(maker.operands[0]) is Reference and _from_zeros(maker.operands[0].index, work)


def _embedding(made: Equation, base: Reference, work: _Work) -> Equation | None:
    g, indices = made.operands
    _, padding, by_frequency = made.attrs
    if padding >= 0 or by_frequency:
        return None
    own = work.shapes[indices.index]
    count = prod(own)
    source = work.viewed(g, (count, *work.shapes[g.index][len(own) :]))
    return Equation("index_add", (base, work.viewed(indices, (count,)), source), (0, 1), (), False)


def _index(made: Equation, base: Reference, work: _Work) -> Equation:
    g, where = made.operands
    return Equation("index_put", (base, where, g), (made.attrs[1], True), (), False)


def _added(made: Equation, base: Reference, work: _Work) -> Equation | None:
    if made.operands[0].index in work.makers:
        return None
    return made._replace(operands=(base, *made.operands[1:]))


#: How the rows of a table, made by these ops, are added to another.
_ADDED_TO: dict[str, Callable[[Equation, Reference, _Work], Equation | None]] = {
    "embedding_backward": _embedding, "index_backward": _index, **dict.fromkeys(_ADDING, _added),
}  # fmt: skip
