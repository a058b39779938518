"""Run closures of optimizers as native code, where the step that calls them cannot be one program."""

import dis
from collections.abc import Callable
from types import CellType, CodeType, FunctionType
from typing import Any

from ..core import backend

#: Closures that are remembered.
MANY = 4


class Closures:
    """The closures that an optimizer was given, compiled from the second time on.

    A function that is made anew in every step, around the step's own arguments, is the same one if it has the
    same code: what is compiled has variables of its own, which take the values of those around it. Where it
    assigns to them it stays as it is. Where a function inside it has them too, which may be kept and called
    later, only the very same closure is compiled, with its own variables.
    """

    def __init__(self) -> None:
        self._found: dict[CodeType, tuple[FunctionType, Callable[[], Any] | None]] = {}

    def native(self, closure: Callable[[], Any]) -> Callable[[], Any]:
        """Return the closure as native code once it is known."""
        if type(closure) is not FunctionType or closure.__defaults__ or closure.__kwdefaults__:
            return closure
        code, around = closure.__code__, closure.__closure__ or ()
        twin, known = self._found.get(code, (None, None))
        if twin is None or twin.__globals__ is not closure.__globals__:
            if not _assigns(code):
                if len(self._found) == MANY:
                    self._found.clear()
                self._found[code] = closure if _hands_on(code) else _twin(closure), None
            return closure
        if twin is not closure:
            if _hands_on(code):
                self._found[code] = closure, None
                return closure
            try:
                for own_cell, cell in zip(twin.__closure__ or (), around, strict=True):
                    own_cell.cell_contents = cell.cell_contents
            except ValueError:  # a variable has no value yet
                return closure
        if known is None:
            known = backend.compiled(twin)
            self._found[code] = twin, known
        return known


def _twin(closure: FunctionType) -> FunctionType:
    """Return the same function around variables of its own, which have no values yet."""
    own = tuple(CellType() for _ in closure.__closure__ or ()) or None
    return FunctionType(closure.__code__, closure.__globals__, closure.__name__, closure=own)


def _assigns(code: CodeType) -> bool:
    """Return whether code assigns to variables of the functions around it."""
    return any(
        step.opname in ("STORE_DEREF", "DELETE_DEREF") and step.argval in code.co_freevars
        for step in dis.get_instructions(code)
    )


def _hands_on(code: CodeType) -> bool:
    """Return whether a function inside code has variables of the functions around it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return any(not set(code.co_freevars).isdisjoint(each.co_freevars) for each in inner)
