"""Say how the values lie in memory that random draws are laid out like.

Eager draws an array in the order of its memory, and a program's values are all in C order: what dropout of a
transposed value draws would go to other elements. So the ops before the draws are asked where their results
lie, as a trace asks them (`core/traced_layout.py`); what cannot be asked runs once on zeros, by the ops'
array kernels, which lay their results out as eager does. A gradient lies as its leaf, and what was written as
before the write; that the trace alone knows.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ...array.strides import contiguous_strides, strides_of
from ...core.body import drawing_apart
from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, Reference
from ...core.traced_layout import strides_of_results, without_memory
from ...ops.random import DRAWS, laid_out_like
from ...ops.refusing import COPYING
from .program import Program


def settled(recorder: Recorder) -> dict[int, tuple[int, ...]]:
    """Return strides, in elements, of draws laid out like a gradient, a written or a computed value."""
    draws = [e for e in recorder.equations if e.op in DRAWS]
    if not draws:
        return {}
    layouts = recorder.layouts
    reached = set(layouts.settled)
    for equation in recorder.equations:
        if any(isinstance(o, Reference) and o.index in reached for o in equation.operands):
            reached.update(equation.outputs)
    return {
        e.outputs[0]: strides_of(layouts.stand_in(o.index)) for e in draws
        for o in e.operands[:1] if isinstance(o, Reference) and o.index in reached
    }  # fmt: skip


def of_draws(program: Program) -> dict[int, ndarray]:
    """Return arrays without contents that lie as the values do that draws are laid out like, by the draws'
    numbers; those in C order are left out.

    Raises a NotImplementedError where a loop whose number of steps the zeros might not end stands before a
    draw.
    """
    draws = {
        e.outputs[0]: o.index for e in program.equations if e.op in DRAWS
        for o in e.operands[:1] if isinstance(o, Reference)
    }  # fmt: skip
    told = {n: _zeros(program, n, program.strides[n]) for n in draws if n in program.strides}
    wanted = {o for n, o in draws.items() if n not in told}
    before = _before(program, wanted)
    with np.errstate(all="ignore"):
        try:
            # All of encoder-layer on zeros took 62 ms of the processor, and waited for kernels of its sizes.
            values = _values(program, before, asks=True)
        except Exception:  # noqa: BLE001  # zeros are not what each op takes where those before did not run
            values = _values(program, before, asks=False)
    found = {n: laid_out_like(told[n] if n in told else values[o]) for n, o in draws.items()}
    return {n: array for n, array in found.items() if not array.flags.c_contiguous}


def _values(program: Program, equations: list[Equation], asks: bool) -> dict[int, Any]:
    """Return arrays that lie as the values do, by number; where it `asks`, without their contents."""
    values: dict[int, Any] = dict(program.constants)
    for n in program.inputs:
        strides = program.strides.get(n, contiguous_strides(program.shapes[n]))
        values[n] = _zeros(program, n, strides)
    for equation in equations:
        operands = tuple(values[o.index] if isinstance(o, Reference) else o for o in equation.operands)
        found = _asked(program, equation, operands) if asks else None
        values.update(zip(equation.outputs, found or _results(equation, operands), strict=True))
    return values


def _zeros(program: Program, number: int, strides: tuple[int, ...]) -> ndarray:
    """Return zeros for a value with strides in elements."""
    dtype = program.dtypes[number]
    return without_memory(program.shapes[number], dtype, tuple([s * dtype.itemsize for s in strides]))


def _asked(program: Program, equation: Equation, operands: tuple[Any, ...]) -> list[ndarray] | None:
    """Return zeros that lie as an equation's results do; None where it is to run for that."""
    op, outputs = TABLE[equation.op], equation.outputs
    if op.is_view or op.in_order or op.draws:
        return None
    found = strides_of_results(op, operands, equation.attrs, [program.shapes[n] for n in outputs])
    if found is None:
        return None
    return [_zeros(program, n, strides) for n, strides in zip(outputs, found, strict=True)]


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


def _results(equation: Equation, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    if equation.op in DRAWS:
        drawn = laid_out_like(operands[0])
        drawn[...] = 0
        return (drawn,)
    if equation.op in COPYING:  # refuses what the zeros before it came to, and copies all else
        return (operands[0].copy(),)
    attrs = drawing_apart(equation.op, equation.attrs)
    result = TABLE[equation.op].evaluate_in_order(operands, attrs)
    return tuple(result) if equation.several else (result,)
