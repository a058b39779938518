"""The ``match`` statement as rewritten code does it."""

import abc
from typing import Any

from ..state.deferred import Deferred
from ..state.guards import ABSENT
from ..state.session import current
from . import attributes, calls

#: Flags of classes whose objects the pattern of a sequence, or of a mapping, may match.
SEQUENCE, MAPPING = 1 << 5, 1 << 6


def has_flag(thing: object, flag: int) -> bool:
    """Return whether patterns take a thing for a sequence or mapping, as a registered class says."""
    session = current.get()
    if isinstance(thing, Deferred):
        return False
    session.typed(thing)
    session.ask(abc.get_cache_token)
    return bool(type(thing).__flags__ & flag)


def match_keys(thing: object, keys: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return what a mapping holds under the keys of a pattern; None where one is missing."""
    if not isinstance(thing, dict):
        raise current.get().refusal(f"it matches a {type(thing).__name__} with keys")
    if len(set(keys)) < len(keys):
        twice = next(each for each in keys if keys.count(each) > 1)
        raise ValueError(f"mapping pattern checks duplicate key ({twice!r})")
    missing = object()
    getter = attributes.load_attribute(thing, "get")
    values = tuple(calls.call(getter, (each, missing)) for each in keys)
    return None if any(value is missing for value in values) else values


def match_class(parts: tuple[Any, Any, tuple[str, ...], int]) -> tuple[Any, ...] | None:
    """Return the attributes that the pattern of a class asks for; None where it does not match."""
    thing, cls, names, count = parts
    if not isinstance(cls, type):
        raise TypeError("called match pattern must be a class")
    if not calls.call(isinstance, (thing, cls)):
        return None
    if count:
        session = current.get()
        fields = session.lookup(cls, "__match_args__")
        if fields is ABSENT and count == 1 and cls in _WHOLE and not names:
            return (thing,)
        if type(fields) is not tuple or len(fields) < count or not all(type(f) is str for f in fields):
            raise session.refusal(f"it matches the positions of a {cls.__name__}")
        names = (*fields[:count], *names)
        if len(set(names)) < len(names):
            raise session.refusal(f"it matches an attribute of a {cls.__name__} twice")
    found = []
    for name in names:
        try:
            found.append(attributes.load_attribute(thing, name))
        except AttributeError:
            return None
    return tuple(found)


#: Classes whose pattern with one position takes the whole object.
_WHOLE = frozenset({bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple})
