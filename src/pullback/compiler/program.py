"""Programs: straight-line code over arrays, in which every value has one number and is computed once.

A program prints as Python, one equation a line; `verify` checks that it is well formed; `run` replays it with
the ops' kernels on NumPy arrays, which gives what eager gives, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.op import TABLE, Op
from ..core.tracer import Equation, Reference

_RESHAPING = frozenset({"view", "reshape_alias", "unsafe_view"})


class ProgramError(ValueError):
    """A program is not well formed."""


class Program:
    """A program with named inputs.

    Attributes
    ----------
    inputs, outputs : tuple of int
        Value numbers.
    equations : tuple of Equation
    constants : dict of int to array
    shapes, dtypes : list
        Of every value, by number.
    """

    def __init__(
        self, inputs: Sequence[int], equations: Sequence[Equation], outputs: Sequence[int],
        constants: dict[int, ndarray], shapes: Sequence[tuple[int, ...]], dtypes: Sequence[np.dtype[Any]],
    ) -> None:  # fmt: skip
        self.inputs = tuple(inputs)
        self.equations = tuple(equations)
        self.outputs = tuple(outputs)
        self.constants = dict(constants)
        self.shapes = list(shapes)
        self.dtypes = list(dtypes)

    def verify(self) -> None:
        """Raise `ProgramError` unless every value is defined once, before it is used, by an op of
        the table.
        """
        defined = {*self.inputs, *self.constants}
        if len(defined) != len(self.inputs) + len(self.constants):
            raise ProgramError("an input is defined twice")
        for number, equation in enumerate(self.equations):
            if equation.op not in TABLE:
                raise ProgramError(f"equation {number}: there is no op {equation.op!r}")
            for operand in equation.operands:
                if isinstance(operand, Reference) and operand.index not in defined:
                    raise ProgramError(f"equation {number}: {operand} is used before it is defined")
            for output in equation.outputs:
                if output in defined:
                    raise ProgramError(f"equation {number}: v{output} is defined twice")
                defined.add(output)
        for output in self.outputs:
            if output not in defined:
                raise ProgramError(f"the output v{output} is not defined")

    def run(self, *arrays: ndarray) -> list[ndarray]:
        """Replay on arrays of the inputs' shapes and dtypes.

        Raises
        ------
        TypeError
            An array has another shape or dtype than the input it is given for.
        """
        if len(arrays) != len(self.inputs):
            raise TypeError(f"the program takes {len(self.inputs)} arrays, not {len(arrays)}")
        values: dict[int, Any] = dict(self.constants)
        for index, array in zip(self.inputs, arrays, strict=True):
            if array.shape != self.shapes[index] or array.dtype != self.dtypes[index]:
                raise TypeError(
                    f"input v{index} is {self.dtypes[index]}{list(self.shapes[index])}, not "
                    f"{array.dtype}{list(array.shape)}"
                )
            values[index] = array
        for equation in self.equations:
            operands = tuple(values[v.index] if isinstance(v, Reference) else v for v in equation.operands)
            if equation.op in _RESHAPING:
                # A program's values have no strides: what eager copied to be able to view is copied here.
                operands = (np.asarray(operands[0], order="C"),)
            result = TABLE[equation.op].evaluate(operands, equation.attrs)
            parts = result if equation.several else (result,)
            values.update(zip(equation.outputs, parts, strict=True))
        return [values[index] for index in self.outputs]

    def __str__(self) -> str:
        lines = [f"def program({', '.join(f'v{i}: {self._type(i)}' for i in self.inputs)}):"]
        lines += [f"    v{i} = constant({self._type(i)})" for i in self.constants]
        for equation in self.equations:
            targets = ", ".join(f"v{o}" for o in equation.outputs) + ("," if equation.several else "")
            operands = ", ".join(map(repr, equation.operands))
            if TABLE[equation.op].variadic:
                operands = f"[{operands}]"
            attrs = "".join(f", {_shown(a)}" for a in equation.attrs)
            kinds = ", ".join(self._type(o) for o in equation.outputs)
            lines.append(f"    {targets} = {equation.op}({operands}{attrs})  # {kinds}")
        lines.append(f"    return {', '.join(f'v{o}' for o in self.outputs)}")
        return "\n".join(lines)

    def _type(self, index: int) -> str:
        return f"{self.dtypes[index]}[{','.join(map(str, self.shapes[index]))}]"


def _shown(attr: Any) -> str:
    if isinstance(attr, Op):
        return f"op({attr.name!r})"
    if isinstance(attr, tuple):
        return "(" + "".join(f"{_shown(a)}, " for a in attr).rstrip(" ") + ")" if attr else "()"
    return repr(attr)
