"""Closures of optimizers as native code, where the step that calls them cannot be one program."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..core import backend

#: Closures that are remembered.
MANY = 4


class Closures:
    """The closures that an optimizer was given, compiled from the second time on.

    A function that is made anew in every step is the same one if it has the same code and the same variables
    around it. One with variables of its own in every step stays as it is.
    """

    def __init__(self) -> None:
        self._found: dict[Any, tuple[Callable[[], Any], Callable[[], Any] | None]] = {}

    def native(self, closure: Callable[[], Any]) -> Callable[[], Any]:
        """Return the closure as native code once it is known."""
        if type(closure) is not FunctionType or closure.__defaults__ or closure.__kwdefaults__:
            return closure
        name = closure.__code__, *map(id, closure.__closure__ or ())
        first, known = self._found.get(name, (None, None))
        if first is None:
            if len(self._found) == MANY:
                self._found.clear()
            # The first keeps the variables alive, so that no others have their identity.
            self._found[name] = closure, None
            return closure
        if known is None:
            known = backend.compiled(first)
            self._found[name] = first, known
        return known
