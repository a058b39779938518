"""Programs: straight-line code over arrays, in which every value has one number and is computed once.

A program prints as Python, which reads back as an equal program (see `text`); `verify` checks that it is well
formed; `run` replays it with the ops' kernels on NumPy arrays, which gives what eager gives, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.body import RESHAPING
from ..core.op import TABLE
from ..core.tracer import Equation, Reference
from .text import parsed, same_code, written
from .verify import verify


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
        verify(self)

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
            if equation.op in RESHAPING:
                # A program's values have no strides: what eager copied to be able to view is copied here.
                operands = (np.asarray(operands[0], order="C"),)
            result = TABLE[equation.op].evaluate(operands, equation.attrs)
            parts = result if equation.several else (result,)
            values.update(zip(equation.outputs, parts, strict=True))
        return [values[index] for index in self.outputs]

    @classmethod
    def read(cls, text: str) -> Program:
        """The program that a text writes down: ``Program.read(str(program)) == program``."""
        return cls(**parsed(text))

    def __str__(self) -> str:
        return written(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and same_code(self, other)

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs, len(self.equations)))
