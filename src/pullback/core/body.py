"""Bodies: programs that an equation holds, as the body of a loop or a branch.

A body is straight-line code, as a whole program is. Running it on arrays calls the ops' kernels; replaying it
on tensors around any other values (duals, batches, tracers) runs the ops in their way, so that a body is
differentiated, batched or written down anew as a function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy import ndarray

from ..array.random import Generator
from .op import TABLE
from .recorder import Equation, Recorder, Reference
from .tracer import Tracer, running
from .value import TensorBase, Value, dtype_of, shape_of, wrap


class Body:
    """Equations between inputs and outputs, which are numbers of values; `shapes` and `dtypes` are of every
    value.
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

    @classmethod
    def of(cls, source: Body | Recorder, **parts: Sequence[Any]) -> Self:
        """Return what a trace or another body holds, but for the `inputs`, `equations` or `outputs` given."""
        own = vars(source) | parts
        return cls(
            own["inputs"], own["equations"], own["outputs"], source.constants, source.shapes, source.dtypes
        )

    def evaluate(self, arrays: Sequence[ndarray]) -> list[ndarray]:
        """Run on arrays by the ops' kernels."""
        values: dict[int, Any] = dict(self.constants)
        values.update(zip(self.inputs, arrays, strict=True))
        for equation in self.equations:
            operands = tuple(values[v.index] if isinstance(v, Reference) else v for v in equation.operands)
            result = TABLE[equation.op].evaluate_in_order(operands, equation.attrs)
            parts = result if equation.several else (result,)
            values.update(zip(equation.outputs, parts, strict=True))
        return [values[index] for index in self.outputs]

    def replay(self, *inputs: object) -> tuple[Any, ...]:
        """Run on tensors around values of any kinds by calling the ops."""
        values: dict[int, Any] = {number: wrap(array) for number, array in self.constants.items()}
        values.update(zip(self.inputs, inputs, strict=True))
        for equation in self.equations:
            operands = [values[v.index] if isinstance(v, Reference) else v for v in equation.operands]
            op = TABLE[equation.op]
            given = (operands,) if op.variadic else operands
            result = op.call(*given, *equation.attrs)
            parts = result if equation.several else (result,)
            values.update(zip(equation.outputs, parts, strict=True))
        return tuple(values[index] for index in self.outputs)

    def kinds(self, numbers: Sequence[int]) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
        """Return (shape, dtype) of some values."""
        return [(self.shapes[n], self.dtypes[n]) for n in numbers]

    def __repr__(self) -> str:
        return f"<body of {len(self.equations)} equations>"


def acts(op: str, attrs: Sequence[object]) -> bool:
    """Return whether an op does more than give its result (`Op.acts`), by itself or in bodies."""
    bodies = [a for a in attrs if isinstance(a, Body)]
    return TABLE[op].acts or any(acts(e.op, e.attrs) for body in bodies for e in body.equations)


def generators(op: str, attrs: Sequence[object]) -> list[Generator]:
    """Return what an op draws from, by itself or in bodies, as often as it does."""
    if TABLE[op].draws:
        generator = attrs[-1]
        assert isinstance(generator, Generator)
        return [generator]
    bodies = [a for a in attrs if isinstance(a, Body)]
    return [g for body in bodies for e in body.equations for g in generators(e.op, e.attrs)]


def drawing_apart(op: str, attrs: tuple[object, ...]) -> tuple[object, ...]:
    """Return attributes with which an op draws from generators of its own: numbers that are thrown away must
    not be the next of the user's stream.
    """
    if TABLE[op].draws:
        return (*attrs[:-1], Generator())
    return tuple([_apart(a) if isinstance(a, Body) else a for a in attrs])


def _apart(body: Body) -> Body:
    equations = [e._replace(attrs=drawing_apart(e.op, e.attrs)) for e in body.equations]
    return Body.of(body, equations=equations)


class BodyRecorder(Recorder):
    """A recorder that takes values from outside as further inputs: parts of other traces, of transforms, of
    recorded graphs.

    `held` are those values, `numbers` their numbers inside.
    """

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._outer = running()
        self.held: list[Any] = []
        self.numbers: list[int] = []
        self._number_of: dict[int, int] = {}

    def refuse(self, error: BaseException) -> BaseException:
        """Remember that an op could not be written down, here and in the trace around."""
        if self._outer is not None:
            self._outer.refuse(error)
        return super().refuse(error)

    def operand(self, value: object) -> tuple[Any, Any]:
        """Return (what the equation holds, what the shape rule sees) for an input of an op."""
        inner = value._value if isinstance(value, TensorBase) else value
        if isinstance(inner, Tracer) and inner.recorder is self:
            return Reference(inner.index), inner
        if not isinstance(value, Value) or _is_constant(value):
            return super().operand(value)
        if (number := self._number_of.get(id(value))) is None:
            number = self._number_of[id(value)] = self.new(shape_of(value), dtype_of(value)).index
            self.held.append(value)
            self.numbers.append(number)
        return Reference(number), value


def _is_constant(value: object) -> bool:
    """Return whether a value is a plain array without a history."""
    return isinstance(value, TensorBase) and type(value._value) is ndarray and value._node is None
