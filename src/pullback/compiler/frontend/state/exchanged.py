"""Tell a container that each call leaves anew in a place by what it holds, as the state of an LSTM.

The trace is given a copy, whose tensors are found through the place. That is sound as long as nothing tells
the copy from the container: it is not written to, is no result, and no other place is found to hold the
container. Where one of these turns out to be so, the next trace tells the container by its identity.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from ....core.value import TensorBase
from .effects import copied
from .guards import ABSENT, Contents, Guard

if TYPE_CHECKING:
    from .reads import Reads

#: How deep containers may be in others, and how many things they may hold, that are looked at in each call.
_DEEP, _MUCH = 8, 256


def is_plain(thing: object) -> bool:
    """Return whether something is a container that holds its items and nothing else."""
    kind = type(thing)
    if kind in (tuple, list, dict):
        return True
    return isinstance(thing, tuple) and hasattr(kind, "_fields") and not kind.__dictoffset__


def _items(thing: Any) -> Iterable[Any]:
    """Return the items of such a container, whatever the methods of a class of tuples are."""
    if isinstance(thing, dict):
        return thing.values()
    return tuple.__iter__(thing) if isinstance(thing, tuple) else thing


def told(container: Guard, key: Collection[int]) -> tuple[Any, ...]:
    """Return all that the container in a place is told by, in order, of tensors only that they are there.

    One whose identity is in `key` is told by that: the call changes it. One that was met before is told by
    where.
    """
    found: list[Any] = []
    met: dict[int, int] = {}

    def add(thing: Any, depth: int) -> None:
        if isinstance(thing, TensorBase):
            found.append(TensorBase)
        elif not is_plain(thing) or depth > _DEEP or len(found) > _MUCH or id(thing) in key:
            found.append(thing)
        elif id(thing) in met:
            found.append(met[id(thing)])
        else:
            start = len(found)
            found.extend((type(thing), len(thing)))
            if isinstance(thing, dict):
                found.extend(thing)
            for each in _items(thing):
                add(each, depth + 1)
            met[id(thing)] = start

    add(container.read(container.container, container.key), 0)
    return tuple(found)


def part(container: Guard, key: tuple[tuple[Any, Any], ...]) -> Any:
    """Return what is at a path in the container in a place; `ABSENT` where that is another kind of thing."""
    thing: Any = container.read(container.container, container.key)
    for kind, at in key:
        if kind is not type(thing):
            return ABSENT
        try:
            thing = (tuple if issubclass(kind, tuple) else kind).__getitem__(thing, at)
        except LookupError:
            return ABSENT
    return thing


class Exchanged:
    """The containers of one trace that are told by what they hold."""

    def __init__(self, session: Reads) -> None:
        self._session = session
        #: The places of lists and dicts by the identity of their copies, with these and what they held.
        self._copies: dict[int, tuple[Any, Any, Any]] = {}
        #: The places of containers by their identity.
        self._originals: dict[int, Any] = {}
        #: The places that the next trace tells by identity.
        self._again: set[Any] = set()
        #: Containers that the call changes, by identity.
        self._changed: set[int] = set()

    def read(self, name: Any, guard: Guard) -> Any:
        """Return the copy of a container in a place; `ABSENT` where it is to be told by its identity."""
        session = self._session
        place = Guard(guard.read, guard.container, guard.key, ABSENT)
        held = told(place, self._changed)
        apart = {*session.arguments, *session.there, *self._originals}
        if name in session.knowledge.whole or len(held) > _MUCH or told(place, apart) != held:
            return ABSENT
        place.value = self._copy(name, place, guard.value, (), {})
        session.note(Contents(told, place, self._changed, held), (*name, "told"))
        session.places[name] = place
        return place.value

    def _copy(
        self, name: Any, place: Guard, thing: Any, path: tuple[tuple[Any, Any], ...], done: dict[int, Any]
    ) -> Any:
        session, kind = self._session, type(thing)
        if isinstance(thing, TensorBase):
            session.cells.meet(thing, Guard(part, place, path, thing))
            return thing
        if not is_plain(thing) or len(path) > _DEEP:
            return session.seen(thing)
        if id(thing) in done:
            return done[id(thing)]
        self._originals[id(thing)] = name
        items = thing.items() if kind is dict else enumerate(_items(thing))
        parts = [(at, self._copy(name, place, each, (*path, (kind, at)), done)) for at, each in items]
        if isinstance(thing, tuple):
            made = session.made(tuple.__new__(kind, (each for _, each in parts)))
        else:
            made = session.made(dict(parts) if kind is dict else [each for _, each in parts])
            self._copies[id(made)] = (name, made, copied(made))
        done[id(thing)] = made
        return made

    def shown(self, thing: object) -> None:
        """Tell a container by its identity, next time, if it, or its copy, is seen elsewhere."""
        name = self._originals.get(id(thing)) or self._copies.get(id(thing), (None,))[0]
        if name is not None:
            self._again.add(name)

    def finish(self, changed: set[int], changes_given: bool) -> bool:
        """Look at what the trace has written to, at its end; return whether it must be done again."""
        self._changed |= changed
        for name, made, before in self._copies.values():
            pairs = [(*each, *_items(each)) if isinstance(each, dict) else each for each in (made, before)]
            if changes_given or len(made) != len(before) or any(map(operator.is_not, *pairs)):
                self._again.add(name)
        self._session.knowledge.whole |= self._again
        return bool(self._again)
