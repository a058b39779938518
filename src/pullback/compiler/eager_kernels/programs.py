"""Eager ops on large arrays as programs of one equation, for arrays of some very shapes.

They are lowered, compiled and kept on disk as any program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import locks
from ...core.levels import fresh_level
from ...core.op import TABLE
from ...core.recorder import Recorder
from ...core.tracer import Tracer
from ..program.program import Program
from ..runtime.executable import Executable


def traced(
    function: Callable[..., Any], shapes: Sequence[tuple[int, ...] | None], dtypes: Sequence[Any]
) -> tuple[Program, list[int | None]]:
    """Return the program of a function of arrays, and which of its outputs each result is."""
    recorder = Recorder(fresh_level())
    inputs = [
        None if shape is None else recorder.new(shape, dtype)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    results = function(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    outputs: list[int] = []
    places: list[int | None] = []
    for result in results:
        if not isinstance(result, Tracer):
            places.append(None)
            continue
        if result.index not in outputs:
            outputs.append(result.index)
        places.append(outputs.index(result.index))
    given = [v.index for v in inputs if v is not None]
    program = Program(
        given, recorder.equations, outputs, recorder.constants, recorder.shapes, recorder.dtypes
    )
    program.verify()
    return program, places


class Programs:
    """The programs, each made when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[Any, tuple[Executable, list[Any]]] = {}
        self._lock = locks.reentrant_lock()
        self._begin()
        locks.in_child(self._begin)

    def _begin(self) -> None:
        """Forget the program being made, which no thread of a forked child would finish."""
        self._making = False

    def run(
        self, name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...]
    ) -> list[ndarray] | None:
        """Return the results of an op; None while a program is being made, as tracing asks for shapes."""
        key = (name, attrs, *((None if x is None else (x.shape, x.dtype)) for x in operands))
        found = self._made.get(key)
        if found is None:
            with self._lock:
                if self._making:
                    return None
                self._making = True
                try:
                    found = self._made[key] = self._program(name, operands, attrs)
                finally:
                    self._making = False
        executable, places = found
        results = executable.ran([np.ascontiguousarray(x) for x in operands if x is not None])
        return [results[at] for at in places]

    def _program(self, name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...]) -> Any:
        shapes = [None if x is None else x.shape for x in operands]
        dtypes = [None if x is None else x.dtype for x in operands]
        program, places = traced(lambda *xs: TABLE[name].call(*xs, *attrs), shapes, dtypes)
        return Executable(program), places
