"""Say what every program must be: each value defined once, before it is used, by an op of the table that
takes such operands and attributes; with `kinds`, of the shapes and dtypes that the op's shape rule gives.

The passes are verified before and after each (`pipeline.optimized`); shapes and dtypes, whose rules may run a
kernel on zeros, where `KINDS` is set, as the tests do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...core.body import Body
from ...core.levels import fresh_level
from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, Reference
from ...core.tracer import Tracer

if TYPE_CHECKING:
    from .program import Program

#: Whether the passes' programs are checked for shapes and dtypes, too.
KINDS = False


class ProgramError(ValueError):
    """A program is not well formed."""


def verify(program: Program | Body, kinds: bool = False) -> None:
    """Raise `ProgramError` where a program is not well formed, with `kinds` by the ops' shape rules, too."""
    defined = {*program.inputs, *program.constants}
    if len(defined) != len(program.inputs) + len(program.constants):
        raise ProgramError("an input is defined twice")
    for number, equation in enumerate(program.equations):
        try:
            _check_op(equation)
            for operand in equation.operands:
                if type(operand) is Reference and operand[0] not in defined:
                    raise ProgramError(f"{operand} is used before it is defined")
            for output in equation.outputs:
                if output in defined:
                    raise ProgramError(f"v{output} is defined twice")
                defined.add(output)
            if equation.op == "scan":
                _check_scan(program, equation)
        except ProgramError as error:
            raise ProgramError(f"equation {number}: {error}") from None
    for output in program.outputs:
        if output not in defined:
            raise ProgramError(f"the output v{output} is not defined")
    if kinds:
        _check_kinds(program)


def _check_op(equation: Equation) -> None:
    if (op := TABLE.get(equation.op)) is None:
        raise ProgramError(f"there is no op {equation.op!r}")
    if not op.variadic and len(equation.operands) != len(op.inputs):
        raise ProgramError(f"{op.name} takes {len(op.inputs)} operands, not {len(equation.operands)}")
    if len(equation.attrs) > len(op.attrs):
        raise ProgramError(f"{op.name} has {len(op.attrs)} attributes, not {len(equation.attrs)}")
    for attribute in equation.attrs:
        # As `Hashable` asks, in a tenth of the time.
        if type(attribute).__hash__ is None:
            raise ProgramError(f"an attribute of {op.name} may change")
        if isinstance(attribute, Body):
            verify(attribute)
    if not op.many and len(equation.outputs) != len(op.outputs):
        raise ProgramError(f"{op.name} has {len(op.outputs)} outputs, not {len(equation.outputs)}")


def _check_scan(program: Program | Body, scan: Equation) -> None:
    """Compare what a loop is given with what its body takes."""
    body, carries, slices, length, _ = scan.attrs
    for n, (operand, taken) in enumerate(zip(scan.operands, body.inputs, strict=True)):
        wanted, dtype = body.shapes[taken], body.dtypes[taken]
        if carries <= n < carries + slices:
            wanted = (length, *wanted)
        found = program.shapes[operand.index]
        if (tuple(found), program.dtypes[operand.index]) != (tuple(wanted), dtype):
            raise ProgramError(f"a loop is given {operand} of shape {found} for one of shape {wanted}")


def _check_kinds(program: Program | Body) -> None:
    recorder = Recorder(fresh_level())
    recorder.shapes, recorder.dtypes = program.shapes, program.dtypes
    for number, array in program.constants.items():
        if (array.shape, array.dtype) != (program.shapes[number], program.dtypes[number]):
            raise ProgramError(f"the constant v{number} is {array.dtype}{list(array.shape)}")
    for number, equation in enumerate(program.equations):
        seen = tuple(
            program.constants.get(o.index, Tracer(recorder, o.index)) if isinstance(o, Reference) else o
            for o in equation.operands
        )
        with np.errstate(all="ignore"):
            expected = TABLE[equation.op].result_shapes(seen, equation.attrs)
        found = [(program.shapes[n], program.dtypes[n]) for n in equation.outputs]
        if [(tuple(shape), dtype) for shape, dtype in expected] != found:
            raise ProgramError(f"equation {number}: {equation.op} gives {expected}, not {found}")
