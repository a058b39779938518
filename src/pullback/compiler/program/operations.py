"""Hold what the text of a program imports: each op as a function on arrays, and what makes constants.

``from pullback.compiler.program.operations import add`` gives a function that runs the array kernel of `add`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.body import Body
from ...core.op import TABLE
from ...ops import declare_all
from .text import MAKERS

declare_all()


def body(function: Callable[..., Any]) -> Body:
    """Return a function of a program's text as a loop or branch takes it: its equations."""
    return _Function(function)


class _Function(Body):
    """A body that is run by a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def evaluate(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        return list(self._function(*arrays))


def __getattr__(name: str) -> Any:
    if name in MAKERS:
        return MAKERS[name]
    if name not in TABLE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    op = TABLE[name]

    def operation(*arguments: Any) -> Any:
        count = len(op.inputs)
        operands, attrs = arguments[:count], arguments[count:]
        if op.variadic and isinstance(arguments[0], list):
            operands, attrs = tuple(arguments[0]), arguments[1:]
        return op.evaluate_in_order(tuple(operands), attrs)

    operation.__name__ = operation.__qualname__ = name
    return operation
