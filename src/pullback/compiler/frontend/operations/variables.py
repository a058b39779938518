"""Global and built-in names, and variables of enclosing functions, as rewritten code uses them."""

import sys
from types import CellType
from typing import Any

from ..state.guards import ABSENT
from ..state.session import current


def load_global(name: str) -> Any:
    """Return a global or built-in name."""
    session = current.get()
    frame = sys._getframe(1)
    value = session.dict_item(frame.f_globals, name)
    if value is ABSENT:
        value = session.dict_item(frame.f_builtins, name)
        if value is ABSENT:
            raise NameError(f"name '{name}' is not defined", name=name)
    return value


def store_global(value: object, name: str) -> None:
    """Assign a global name."""
    current.get().write_item(sys._getframe(1).f_globals, name, value)


def delete_global(name: str) -> None:
    """Delete a global name."""
    session = current.get()
    held = sys._getframe(1).f_globals
    if session.dict_item(held, name) is ABSENT:
        raise NameError(f"name '{name}' is not defined", name=name)
    session.delete_item(held, name)


def load_cell(cell: CellType) -> Any:
    """Return what a variable of an enclosing function holds."""
    value = current.get().cell(cell)
    if value is ABSENT:
        raise NameError("cannot access free variable: it is not associated with a value in enclosing scope")
    return value


def store_cell(value: object, cell: CellType) -> None:
    """Assign a variable of an enclosing function."""
    current.get().write_cell(cell, value)
