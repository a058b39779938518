"""Define the subject of freezing: a program, the arrays that it holds, and the shapes of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from numpy import ndarray

from ...core.value import TensorBase

if TYPE_CHECKING:
    from ...compiler.program.program import Program


class Subject(NamedTuple):
    """A model or a step, written down."""

    program: Program  # its inputs are the state, then the arguments
    state: dict[str, ndarray]  # what it holds, in the order of the inputs
    paths: list[str]  # what the arguments that are tensors are called
    written: list[tuple[int, int]]  # (input, output): what a call writes to the state, or to an argument
    returned: list[dict[str, Any]]  # results: the output that each is in, and what is done to it then
    result: Any  # what is returned, with a `Place` for each of these


def other_arguments(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[str]:
    """Return as text the arguments that are no tensors, which are parts of a program."""
    found: list[str] = []
    waiting: list[Any] = [*reversed((*args, *kwargs.values()))]
    while waiting:
        if isinstance((value := waiting.pop()), Mapping):
            waiting += reversed([*value.values()])
        elif isinstance(value, (list, tuple)):
            waiting += reversed(value)
        elif value is None or isinstance(value, (bool, int, float, str)):
            found.append(repr(value))
        elif not isinstance(value, TensorBase):
            found.append(type(value).__name__)
    return found
