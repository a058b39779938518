"""Find the names in a pickle without loading it: a run of its instructions in which nothing is looked up or
made.

The names that `GLOBAL` and `STACK_GLOBAL` ask for are written down; what they stand for, what calls return
and what references mean is one placeholder. Stack, marks and memo are those of the unpickler, so that a name
which a pickle takes out of its memo is found; one that a pickle computes cannot be known, and the pickle is
refused.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from .restricted import RENAMED, STEPS, Unpickler


class _Unknown:
    """Stand for a value that was not made."""


_UNKNOWN = _Unknown()


class Names(Unpickler):
    """Run a pickle's instructions for the names in them.

    Parameters
    ----------
    content : bytes
    """

    def __init__(self, content: bytes) -> None:
        super().__init__(content, lambda reference: _UNKNOWN)
        self.found: set[tuple[str, str]] = set()
        self.steps = {**STEPS, **_FURTHER}

    def old_string(self, width: int) -> None:
        """Note a string of Python 2: what its text is depends on how the file will be loaded."""
        self.reader.take(self.reader.number(width))
        self.stack.append(_UNKNOWN)

    def name(self, module: Any, name: Any) -> None:
        """Write a name down."""
        if type(module) is not str or type(name) is not str:
            raise UnpicklingError("the pickle computes a name, which cannot be followed without loading it")
        self.found.add((RENAMED.get(module, module), name))
        self.stack.append(_UNKNOWN)

    def reduce(self) -> None:
        """Note a call of two values."""
        self.taken(2)

    def new_object(self) -> None:
        """Note an instance of a class."""
        self.taken(2)

    def build(self) -> None:
        """Note attributes for the last value."""
        self._pop()
        self._top()

    def persistent(self) -> None:
        """Make a reference to a storage."""
        self.taken(1)

    def taken(self, count: int) -> None:
        """Take values from the stack for one that is not made."""
        for _ in range(count):
            self._pop()
        self.stack.append(_UNKNOWN)

    def append_item(self) -> None:
        """Take one value for what is before it."""
        self._pop()
        self._top()

    def append_items(self) -> None:
        """Take the marked values for what is before them."""
        self._popped_mark()
        self._top()

    add_items = set_items = append_items

    def set_item(self) -> None:
        """Take a key and a value for what is before them."""
        self._pop()
        self.append_item()

    def group(self, kind: Callable[[list[Any]], Any]) -> None:
        """Make a tuple or list of the marked values: no name, whatever is in it."""
        self._popped_mark()
        self.stack.append(_UNKNOWN)

    def tuple_of(self, count: int) -> None:
        """Make a tuple of the last values: no name either."""
        self.taken(count)


def _bytearray(machine: Names) -> None:
    machine.reader.take(machine.reader.number(8))
    machine.stack.append(_UNKNOWN)


#: What files hold that are not weights only.
_FURTHER: dict[bytes, Callable[[Any], Any]] = {
    pickle.NEWOBJ_EX: lambda m: m.taken(3),
    pickle.FROZENSET: lambda m: m.group(list),
    pickle.BYTEARRAY8: _bytearray,
}


def names_in(content: bytes) -> set[tuple[str, str]]:
    """Return module and name of every name in a pickle.

    Raises
    ------
    pickle.UnpicklingError
        For a pickle that is damaged, or that computes a name.
    """
    machine = Names(content)
    machine.load()
    return machine.found
