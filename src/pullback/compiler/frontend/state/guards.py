"""Hold what a trace has read of Python's state, as things that a call compares.

A guard names a container by its identity: the container itself was read from another one, and that is a
guard, too, up to the function's own globals, closure and arguments.
"""

import datetime
import decimal
import fractions
import functools
import gc
import pathlib
from collections import OrderedDict, deque
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

import numpy as np

from ...runtime.object_layout import words

#: What a place holds that holds nothing.
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()

#: Values that are compared; all others are compared by identity.
SCALARS = (bool, int, float, complex, str, bytes, type(None))
COMPARED: frozenset[Any] = frozenset({
    *SCALARS, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
    decimal.Decimal, fractions.Fraction, range, pathlib.PosixPath, pathlib.PurePosixPath,
    pathlib.WindowsPath, pathlib.PureWindowsPath,
})  # fmt: skip
#: Of these, equal values may differ: in the sign of zero, say.
_BY_TEXT = (float, complex, decimal.Decimal, np.float64)

_WORD = 8
_MANAGED_DICT = 1 << 4
_HEAP = 1 << 9


def is_same(now: object, value: object) -> bool:
    """Return whether a value can stand for another one in every respect."""
    if now is value:
        return True
    kind = type(value)
    if type(now) is not kind or not (kind in COMPARED or kind in (np.float64, np.bool_)):
        return False
    # Of a NaN the object itself counts: a list is searched for it by identity.
    return now == value and (kind not in _BY_TEXT or repr(now) == repr(value))


class Guard:
    """``read(container, key)`` gave `value` when the function was traced."""

    __slots__ = ("container", "key", "read", "value", "word")

    def __init__(
        self, read: Callable[[Any, Any], Any], container: Any, key: Any, value: Any, word: int | None = None
    ) -> None:
        self.read = read
        self.container = container
        self.key = key
        self.value = value
        #: Address of a word of memory that is what it was as long as nothing else was assigned.
        self.word = word

    def holds(self) -> bool:
        """Return whether it still does."""
        now = self.read(self.container, self.key)
        return now is self.value or is_same(now, self.value)


class Contents(Guard):
    """A guard whose value is a tuple of values, compared one by one."""

    __slots__ = ()

    def holds(self) -> bool:
        """Return whether the container holds the same values in the same order."""
        now = self.read(self.container, self.key)
        return len(now) == len(self.value) and all(map(is_same, now, self.value))


class Alike(Guard):
    """A place that holds the tensor that another place holds."""

    __slots__ = ("other",)

    def __init__(self, place: Guard, other: Guard) -> None:
        super().__init__(place.read, place.container, place.key, place.value)
        self.other = other

    def holds(self) -> bool:
        """Return whether it still does, whichever tensor that is."""
        other = self.other
        return self.read(self.container, self.key) is other.read(other.container, other.key)


# --- readers ------------------------------------------------------------------------------------------------


def dict_item(container: dict[Any, Any], key: object) -> Any:
    """Return what a dict holds, whatever the methods of a class derived from it are."""
    return dict.get(container, key, ABSENT)


def dict_keys(container: dict[Any, Any], key: None = None) -> tuple[Any, ...]:
    """Return a dict's keys in order."""
    ordered = OrderedDict if isinstance(container, OrderedDict) else dict
    return tuple(ordered.__iter__(container))


def dict_length(container: dict[Any, Any], key: None = None) -> int:
    """Return the length of a dict."""
    return dict.__len__(container)


def list_item(container: list[Any], key: int) -> Any:
    """Return an item of a list."""
    try:
        return list.__getitem__(container, key)
    except IndexError:
        return ABSENT


def list_length(container: list[Any], key: None) -> int:
    """Return the length of a list."""
    return list.__len__(container)


def deque_item(container: deque[Any], key: int) -> Any:
    """Return an item of a deque."""
    return deque.__getitem__(container, key) if key < deque.__len__(container) else ABSENT


def deque_length(container: deque[Any], key: None) -> int:
    """Return the length of a deque."""
    return deque.__len__(container)


def contents(container: object, key: None) -> tuple[Any, ...]:
    """Return what a set or a deque holds, in order."""
    kinds: tuple[Any, ...] = (set, frozenset, deque)
    return tuple(next(k for k in kinds if isinstance(container, k)).__iter__(container))


def cell_contents(container: CellType, key: None) -> Any:
    """Return what a closure's cell holds."""
    try:
        return container.cell_contents
    except ValueError:
        return ABSENT


def type_of(container: object, key: None) -> type:
    """Return an object's type."""
    return type(container)


def mro_of(container: type, key: None) -> tuple[type, ...]:
    """Return the classes in which a class looks names up."""
    return type.__dict__["__mro__"].__get__(container)


def dict_of(container: object, key: None) -> Any:
    """Return an object's ``__dict__``."""
    return object.__getattribute__(container, "__dict__")


def kind_of(container: Guard, key: None) -> type:
    """Return the type of what a place holds."""
    return type(container.read(container.container, container.key))


def native_attribute(container: object, key: str) -> Any:
    """Return an attribute that is read without any of the user's code."""
    try:
        return getattr(container, key)
    except AttributeError:
        return ABSENT


def slot_of(container: Any, key: Any) -> Any:
    """Return what a slot of an object holds."""
    try:
        return key.__get__(container, type(container))
    except AttributeError:
        return ABSENT


def answer(container: Callable[..., Any], key: tuple[Any, ...]) -> Any:
    """Return what a function without effects answers."""
    return container(*key)


# --- words of memory ----------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def class_dict(cls: type) -> dict[str, Any]:
    """Return the dict behind the proxy of a class: it has a version, as all dicts have."""
    found = gc.get_referents(cls.__dict__)
    return found[0] if len(found) == 1 and type(found[0]) is dict else dict(cls.__dict__)


def is_heap_type(cls: type) -> bool:
    """Return whether a class was made while the program runs, so that it can be changed."""
    return bool(cls.__flags__ & _HEAP)


@functools.cache
def _field(kind: type, name: str) -> int | None:
    """Return the offset of the word behind an attribute of functions or classes, found on an example."""
    if kind is FunctionType:
        def probe(a: Any = object(), *, b: Any = object()) -> None:  # noqa: B008  # new objects are the point
            return None
        held: Any = getattr(probe, name)
    else:
        probe = type("Probe", (), {})
        held = mro_of(probe, None)
    try:
        return _WORD * words(id(probe), kind.__basicsize__ // _WORD).index(id(held))
    except ValueError:
        return None


def word_of_field(holder: object, kind: type, name: str) -> int | None:
    """Return the address of the word behind an attribute of a function or a class."""
    offset = _field(kind, name)
    return None if offset is None else id(holder) + offset


def word_of_dict(holder: object, held: dict[str, Any]) -> int | None:
    """Return the address of the word that points to an object's ``__dict__``."""
    cls = type(holder)
    if cls.__flags__ & _MANAGED_DICT:
        address = id(holder) - 3 * _WORD
    elif cls.__dictoffset__ > 0:
        address = id(holder) + cls.__dictoffset__
    else:
        return None
    return address if words(address, 1)[0] == id(held) else None


def word_of_type(holder: object) -> int:
    """Return the address of the word that points to an object's type."""
    return id(holder) + _WORD
