"""Tracing: a value that writes down an equation instead of computing.

A `Tracer` stands for one value of a program. Running an op on tracers appends an equation (op, operands,
attributes) to the program and makes tracers of the shapes and dtypes that the op's shape rule gives. Arrays
that meet a tracer become constants of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from .bulk import unwrapped
from .value import InnerValue, TensorBase, array_of

_tracing: ContextVar[bool] = ContextVar("pullback_tracing", default=False)


def is_tracing() -> bool:
    """Whether a function is being written down as a program."""
    return _tracing.get()


@contextmanager
def tracing() -> Iterator[None]:
    """Let loops that are called by name be written down as loops, for a ``with`` block."""
    token = _tracing.set(True)
    try:
        yield
    finally:
        _tracing.reset(token)


class Reference(NamedTuple):
    """Operand of an equation: value number `index` of the program."""

    index: int  # type: ignore[assignment]  # narrower here than in the base

    def __repr__(self) -> str:
        return f"v{self.index}"


class Equation(NamedTuple):
    """``outputs = op(*operands, *attrs)``; an operand is a `Reference`, a Python number or None."""

    op: str
    operands: tuple[Any, ...]
    attrs: tuple[Any, ...]
    outputs: tuple[int, ...]
    several: bool


class Recorder:
    """What a trace has written down so far.

    Attributes
    ----------
    shapes, dtypes : list
        Of every value, by number.
    equations : list of Equation
    constants : dict of int to array
        Values that were arrays when they met a tracer.
    """

    def __init__(self, level: int) -> None:
        self.level = level
        self.shapes: list[tuple[int, ...]] = []
        self.dtypes: list[np.dtype[Any]] = []
        self.equations: list[Equation] = []
        self.constants: dict[int, ndarray] = {}
        self._constant_of: dict[int, tuple[ndarray, int]] = {}

    def new(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
        """A tracer for a new value."""
        self.shapes.append(tuple(shape))
        self.dtypes.append(dtype)
        return Tracer(self, len(self.shapes) - 1)

    def operand(self, value: Any) -> tuple[Any, Any]:
        """(what the equation holds, what the shape rule sees) for an input of an op."""
        if isinstance(value, Tracer):
            if value.recorder is not self:
                raise RuntimeError("a value of one trace was used in another")
            return Reference(value.index), value
        if isinstance(value, TensorBase):
            value = array_of(value)
        value = unwrapped(value)
        if isinstance(value, (ndarray, np.generic)):
            array = np.asarray(value)
            known = self._constant_of.get(id(array))
            if known is None:
                constant = self.new(array.shape, array.dtype)
                self.constants[constant.index] = array
                self._constant_of[id(array)] = known = (array, constant.index)
            return Reference(known[1]), array
        return value, value


class Tracer(InnerValue):
    """One value of a program under construction."""

    __slots__ = ("index", "recorder")

    def __init__(self, recorder: Recorder, index: int) -> None:
        self.recorder = recorder
        self.index = index

    @property
    def _level(self) -> int:  # type: ignore[override]  # the recorder's
        return self.recorder.level

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value."""
        return self.recorder.shapes[self.index]

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the value."""
        return self.recorder.dtypes[self.index]

    def array(self) -> ndarray:
        """Refuse: a traced value has no numbers yet."""
        error = RuntimeError("a traced value has no data: its numbers are known only when the program runs")
        error.add_note(
            "item(), numpy(), bool() and Python control flow on a traced tensor cannot be written down."
        )
        raise error

    def escaped(self) -> Any:
        """Refuse: outside the body of a loop its values are not there."""
        raise RuntimeError(
            "a tensor from the body of a loop or branch was used outside: what a body makes leaves it by "
            "being returned"
        )

    @classmethod
    def run(cls, op: Any, inputs: tuple[Any, ...], attrs: tuple[Any, ...], level: int) -> Any:
        """Append an equation and return tracers for its outputs."""
        recorder = next(v for v in inputs if isinstance(v, Tracer) and v._level == level).recorder
        pairs = [recorder.operand(v) for v in inputs]
        results = op.result_shapes(tuple(seen for _, seen in pairs), attrs)
        outputs = tuple(recorder.new(shape, dtype) for shape, dtype in results)
        several = op.many or len(op.outputs) > 1
        recorder.equations.append(
            Equation(
                op.name, tuple(held for held, _ in pairs), attrs, tuple(o.index for o in outputs), several
            )
        )
        return outputs if several else outputs[0]
