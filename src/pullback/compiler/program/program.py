"""Programs: straight-line code over arrays, in which every value has one number and is computed once.

A program prints as Python, which reads back as an equal program (see `text`); `verify` checks that it is well
formed; `run` replays it with the ops' kernels on NumPy arrays, which gives what eager gives, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from numpy import ndarray

from ...core.body import Body
from .text import parsed, same_code, written
from .verify import verify


class Program(Body):
    """A body that stands alone: it is verified, replayed with checks, printed and read back.

    `strides` are those, in elements, of the inputs that are not given in C order, which random draws follow,
    and of draws that the equations do not tell it of. They are no part of the text.
    """

    strides: Mapping[int, tuple[int, ...]] = MappingProxyType({})

    def verify(self) -> None:
        """Raise `ProgramError` unless each value is defined once, before its use, by an op of the table."""
        verify(self)

    def run(self, *arrays: ndarray) -> list[ndarray]:
        """Replay on arrays of the inputs' shapes and dtypes, or raise a TypeError where one has others."""
        if len(arrays) != len(self.inputs):
            raise TypeError(f"the program takes {len(self.inputs)} arrays, not {len(arrays)}")
        for index, array in zip(self.inputs, arrays, strict=True):
            if array.shape != self.shapes[index] or array.dtype != self.dtypes[index]:
                raise TypeError(
                    f"input v{index} is {self.dtypes[index]}{list(self.shapes[index])}, not "
                    f"{array.dtype}{list(array.shape)}"
                )
        return self.evaluate(arrays)

    @classmethod
    def read(cls, text: str) -> Program:
        """Return the program that a text writes down: ``Program.read(str(program)) == program``."""
        return cls(**parsed(text))

    def __str__(self) -> str:
        return written(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and same_code(self, other)

    def __hash__(self) -> int:
        return hash((self.inputs, self.outputs, len(self.equations)))
