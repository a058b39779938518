"""Run a traced program on tensors, of the examples' sizes or, where these may change, of others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ... import nn
from ...core.op import TABLE
from ...core.recorder import Equation, Reference
from ...core.value import wrap
from .sizes import Formula, Sizes
from .varying import Family, Varying, VaryingArray

assert nn.functional  # the ops of layers are declared when they are first used


class Replay:
    """A program that can be called; a ValueError says that it is not clear how a size follows from the
    inputs' sizes.
    """

    def __init__(self, family: Family) -> None:
        self._program = family.example.program
        self._constants = {
            number: wrap(array) for number, array in family.constants.items() if isinstance(array, ndarray)
        }
        sizes = Sizes()
        for number in self._program.inputs:
            note_sizes(sizes, number, family.shapes[number])
        waiting = {n: c for n, c in family.constants.items() if isinstance(c, VaryingArray)}
        #: Between the equations stand arrays that are made of sizes: number, shape, dtype, start, distance.
        self._equations: list[Equation | tuple[int, Any, Any, Any, Any]] = []
        for equation in family.equations:
            for operand in equation.operands:
                if isinstance(operand, Reference) and operand.index in waiting:
                    constant = waiting.pop(operand.index)
                    self._equations.append(_made(sizes, family, operand.index, constant))
            operands, attrs = told(sizes, equation.operands), told(sizes, equation.attrs)
            self._equations.append(equation._replace(operands=operands, attrs=attrs))
            for number in equation.outputs:
                note_sizes(sizes, number, family.shapes[number])
        for number in self._program.outputs:
            if number in waiting:
                self._equations.append(_made(sizes, family, number, waiting.pop(number)))

    def __call__(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the program's outputs for tensors in the place of its inputs."""
        values: dict[int, Any] = {**self._constants, **dict(zip(self._program.inputs, inputs, strict=True))}

        def size(number: int, axis: int) -> int:
            return int(values[number].shape[axis])

        def number(value: Any) -> Any:
            if isinstance(value, Formula):
                return value.told(size, lambda how, a, b: how(a, b))
            if type(value) is tuple:
                return tuple(map(number, value))
            return type(value)(*map(number, value)) if _is_named(value) else value

        for step in self._equations:
            if not isinstance(step, Equation):
                made, shape, dtype, start, distance = step
                values[made] = wrap(_array(number(shape), dtype, number(start), number(distance)))
                continue
            operands = [values[o.index] if isinstance(o, Reference) else number(o) for o in step.operands]
            op = TABLE[step.op]
            given = (operands,) if op.variadic else operands
            result = op.call(*given, *map(number, step.attrs))
            parts = result if step.several else (result,)
            values.update(zip(step.outputs, parts, strict=True))
        return [values[n] for n in self._program.outputs]


def _is_named(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def note_sizes(sizes: Sizes, number: int, shape: Sequence[Any]) -> None:
    """Note where sizes stand that vary."""
    for axis, n in enumerate(shape):
        if isinstance(n, Varying):
            sizes.register(number, axis, n.values)


def told(sizes: Sizes, value: Any) -> Any:
    """Return attributes with formulas for what varies."""
    if isinstance(value, Varying):
        if (formula := sizes.formula(value.values)) is None:
            raise ValueError(f"a size ({value.values[0]}) is no clear function of the sizes of the inputs")
        return formula
    if type(value) is tuple:
        return tuple(told(sizes, v) for v in value)
    if _is_named(value) and not isinstance(value, Reference):
        return type(value)(*(told(sizes, v) for v in value))
    return value


def _made(
    sizes: Sizes, family: Family, number: int, constant: VaryingArray
) -> tuple[int, Any, Any, Any, Any]:
    start, distance = (told(sizes, n) for n in constant.progression)
    return number, told(sizes, family.shapes[number]), constant.arrays[0].dtype, start, distance


def _array(shape: Sequence[int], dtype: Any, start: Any, distance: Any) -> ndarray:
    if distance == 0:
        return np.full(shape, start, dtype)
    return (start + distance * np.arange(shape[0])).astype(dtype)
