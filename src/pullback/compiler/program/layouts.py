"""Say how the values lie in memory that random draws are laid out like.

Eager draws an array in the order of its memory, and a program's values are all in C order: what dropout of a
transposed value draws would go to other elements. So the program up to its draws runs once on zeros, by the
ops' array kernels, which lay their results out as eager does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from ...array.strides import contiguous_strides, laid_out_empty
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ...ops.random import DRAWS, laid_out_like
from .program import Program


def of_draws(program: Program) -> dict[int, ndarray]:
    """Return arrays without contents that lie as the values do that draws are laid out like, by the values'
    numbers; those in C order are left out.

    Raises
    ------
    NotImplementedError
        A loop whose number of steps the zeros might not end stands before a draw.
    """
    wanted = {
        o.index for e in program.equations if e.op in DRAWS
        for o in e.operands[:1] if isinstance(o, Reference)
    }  # fmt: skip
    if not wanted:
        return {}
    values: dict[int, Any] = dict(program.constants)
    for n in program.inputs:
        strides = program.strides.get(n, contiguous_strides(program.shapes[n]))
        values[n] = laid_out_empty(program.shapes[n], strides, program.dtypes[n])
        values[n][...] = 0
    with np.errstate(all="ignore"):
        for equation in _before(program, wanted):
            values.update(zip(equation.outputs, _results(equation, values), strict=True))
    found = {n: laid_out_like(values[n]) for n in wanted}
    return {n: array for n, array in found.items() if not array.flags.c_contiguous}


def _before(program: Program, wanted: set[int]) -> list[Equation]:
    """Return the equations that some values depend on, but for what draws are laid out like alone."""
    needed, kept = set(wanted), []
    for equation in reversed(program.equations):
        if needed.isdisjoint(equation.outputs):
            continue
        if equation.op == "while_loop":
            raise NotImplementedError("compile: a random draw that depends on a while_loop")
        needed |= {o.index for o in equation.operands if isinstance(o, Reference)}
        kept.append(equation)
    return kept[::-1]


def _results(equation: Equation, values: dict[int, Any]) -> tuple[Any, ...]:
    operands = tuple(values[o.index] if isinstance(o, Reference) else o for o in equation.operands)
    if equation.op in DRAWS:
        drawn = laid_out_like(operands[0])
        drawn[...] = 0
        return (drawn,)
    result = TABLE[equation.op].evaluate_in_order(operands, equation.attrs)
    return tuple(result) if equation.several else (result,)
