"""Find the names in a pickle without loading it: a run of its instructions in which nothing is looked up or
made.

The names that `GLOBAL` and `STACK_GLOBAL` ask for are written down; what they stand for, what calls return
and what references mean is one placeholder. Stack, marks and memo are those of the unpickler, so that a name
which a pickle takes out of its memo is found; one that a pickle computes cannot be known, and the pickle is
refused.
"""

import pickle
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any

from .restricted import RENAMED, STEPS, Unpickler

#: In place of a value that was not made.
_UNKNOWN = object()
Step = Callable[[Any], Any]


class Names(Unpickler):
    """Run a pickle's instructions for the names in them."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content, lambda reference: _UNKNOWN)
        self.found: set[tuple[str, str]] = set()
        self.steps = _STEPS

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


def _made_of(count: int) -> Step:
    """Return the step that takes values for one that is not made."""

    def step(machine: Unpickler) -> None:
        for _ in range(count):
            machine._pop()
        machine.stack.append(_UNKNOWN)

    return step


def _put_into(count: int) -> Step:
    """Return the step that takes values for what is before them."""

    def step(machine: Unpickler) -> None:
        for _ in range(count):
            machine._pop()
        machine._top()

    return step


def _made_of_marked(machine: Unpickler) -> None:
    machine._popped_mark()
    machine.stack.append(_UNKNOWN)


def _marked_put_into(machine: Unpickler) -> None:
    machine._popped_mark()
    machine._top()


_STEPS: dict[bytes, Step] = {
    **STEPS,
    **dict.fromkeys((pickle.TUPLE1, pickle.BINPERSID), _made_of(1)),
    **dict.fromkeys((pickle.TUPLE2, pickle.REDUCE, pickle.NEWOBJ), _made_of(2)),
    **dict.fromkeys((pickle.TUPLE3, pickle.NEWOBJ_EX), _made_of(3)),
    **dict.fromkeys((pickle.TUPLE, pickle.LIST, pickle.FROZENSET), _made_of_marked),
    **dict.fromkeys((pickle.APPEND, pickle.BUILD), _put_into(1)), pickle.SETITEM: _put_into(2),
    **dict.fromkeys((pickle.APPENDS, pickle.ADDITEMS, pickle.SETITEMS), _marked_put_into),
    pickle.BYTEARRAY8: lambda machine: machine.old_string(8),
}  # fmt: skip


def names_in(content: bytes) -> set[tuple[str, str]]:
    """Return module and name of every name in a pickle; refuse one that is damaged, or computes a name."""
    machine = Names(content)
    machine.load()
    return machine.found
