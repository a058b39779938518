"""Iteration, unpacking and keys as rewritten code does them."""

import operator
from collections import OrderedDict
from collections.abc import Callable, Iterator
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from ....core.size import Size
from ....core.value import TensorBase
from ..state.deferred import Applied, Deferred, Elements
from ..state.guards import ABSENT
from ..state.session import Session, current
from . import attributes, calls, containers, operators, subscripts


def iterate(thing: Any) -> Any:
    """Return an iterator whose ``next`` runs nothing that is not seen."""
    session = current.get()
    kind = type(thing)
    if kind in (str, bytes, range, Size) or isinstance(thing, TensorBase):
        return session.made(iter(thing))
    if isinstance(thing, Elements):
        return session.made(iter(containers.made_within(session, thing.read())))
    thing = containers.behind_proxy(thing)
    if containers.is_container(thing):
        return iterate(containers.special(session, thing, "__iter__"))
    if containers.is_view(thing):
        containers.follow_view(session, thing)
        return session.made(iter(thing))
    if kind in containers.ITERATORS or kind is GeneratorType:
        if session.is_fresh(thing):
            return thing
        raise session.refusal("it goes on with an iterator that was there before")
    if isinstance(thing, np.ndarray) and session.is_fresh(thing):
        return session.made(iter(thing))
    if isinstance(thing, Applied) and thing.function is np.arange:
        # How many numbers there are is a part of the program.
        count = Applied(session, int, len, (thing,)).known()
        numbers = [Applied(session, np.float64, operator.getitem, (thing, n)) for n in range(count)]
        return session.made(iter(numbers))
    session.typed(thing)
    maker = session.lookup(kind, "__iter__")
    if type(maker) is FunctionType:
        return _walked(session, calls.call_function(session, maker, (thing,), {}))
    if maker is ABSENT:
        getter = session.lookup(kind, "__getitem__")
        if type(getter) is FunctionType:
            return session.made(_by_number(session, getter, thing))
        return session.made(iter(thing))
    if isinstance(kind, type) and type(thing).__name__ in ("EnumType", "EnumMeta"):
        return session.made(iter(thing))
    raise session.refusal(f"it iterates over a {kind.__name__}")


def collected(thing: object) -> list[Any]:
    """Return ``list(thing)``, for which Python also asks how long it will be."""
    walk = iterate(thing)
    kind = type(thing)
    known = containers.EXACT | containers.ITERATORS | {str, bytes, range, Size, Elements}
    if kind not in known:
        session = current.get()
        for name in ("__len__", "__length_hint__"):
            method = session.lookup(kind, name)
            if method is not ABSENT:
                if type(method) is FunctionType and not isinstance(thing, TensorBase):
                    calls.call_function(session, method, (thing,), {})
                break
    return list(walk)


def _walked(session: Session, found: object) -> Any:
    """Return an iterator of the user's as one that runs rewritten code."""
    if type(found) in containers.ITERATORS or type(found) is GeneratorType:
        return iterate(found)
    session.typed(found)
    step = session.lookup(type(found), "__next__")
    if step is ABSENT:
        raise TypeError(f"iter() returned non-iterator of type '{type(found).__name__}'")
    if type(step) is not FunctionType:
        raise session.refusal(f"it iterates over a {type(found).__name__}")

    def walk() -> Iterator[Any]:
        while True:
            try:
                value = calls.call_function(session, step, (found,), {})
            except StopIteration:
                return
            yield value

    return session.made(walk())


def _by_number(session: Session, getter: FunctionType, thing: object) -> Iterator[Any]:
    number = 0
    while True:
        try:
            value = calls.call_function(session, getter, (thing, number), {})
        except IndexError:
            return
        yield value
        number += 1


def sequence(thing: object) -> Any:
    """Return a thing of which Python may take as many values as it assigns, and one more."""
    return _to_take_apart(thing, iterate)


def unpacked(thing: object) -> Any:
    """Return a thing as one that Python may take apart by itself."""
    return _to_take_apart(thing, lambda thing: list(iterate(thing)))


def extended(thing: object) -> Any:
    """Return a thing as one that Python may add to a list by itself."""
    return _to_take_apart(thing, lambda thing: list(collected(thing)))


def _to_take_apart(thing: object, taken: Callable[[Any], Any]) -> Any:
    if type(thing) is tuple or isinstance(thing, TensorBase):
        return thing
    if current.get().is_fresh(thing) and type(thing) is list:
        return thing
    try:
        return taken(thing)
    except TypeError:
        if hasattr(type(thing), "__iter__"):
            raise
        return thing


def mapping(thing: object) -> Any:
    """Return a mapping as a dict that Python may take apart by itself."""
    session = current.get()
    # Of a derived class that iterates in its own way Python asks for keys and items.
    own = (dict.__iter__, OrderedDict.__iter__)
    if isinstance(thing, dict) and session.lookup(type(thing), "__iter__") in own:
        session.whole_dict(thing)
        return thing
    keys = attributes.load_attribute(thing, "keys")
    return {key: subscripts.load_item(thing, key) for key in iterate(calls.call(keys, ()))}


def mapping_or_pairs(thing: object) -> dict[Any, Any]:
    """Return what ``dict(thing)`` holds."""
    if isinstance(thing, dict) or hasattr(type(thing), "keys"):
        return mapping(thing)
    found = {}
    for pair in iterate(thing):
        first, second = unpacked(pair)
        found[key(first)] = second
    return found


def made(thing: object) -> Any:
    """Note a container or function that was just made."""
    return current.get().made(thing)


def new_dict(parts: tuple[Any, ...]) -> dict[Any, Any]:
    """Return a dict of keys and values that stand in turn."""
    return made(dict(zip(map(key, parts[::2]), parts[1::2])))


def new_set(parts: tuple[Any, ...]) -> set[Any]:
    """Return a set of values."""
    return made(set(map(key, parts)))


def key(thing: object) -> Any:
    """Return a thing that becomes a key, whose hash and comparison must be Python's own."""
    if isinstance(thing, TensorBase):
        current.get().told(thing)
        return thing
    if type(thing) in operators.PLAIN or is_hashed_plainly(thing):
        return thing
    if isinstance(thing, Deferred):
        return thing.known()
    raise current.get().refusal(f"a {type(thing).__name__} becomes a key")


def is_hashed_plainly(thing: Any) -> bool:
    """Return whether hashing a value, and comparing it, runs none of the user's code."""
    if operators.is_plain(thing) or isinstance(thing, TensorBase):
        return True
    if type(thing) in (tuple, frozenset):
        return all(map(is_hashed_plainly, thing))
    cls = type(thing)
    session = current.get()
    if id(thing) in session.arguments:
        raise session.refusal(f"a {cls.__name__} that the function is given is a key")
    session.typed(thing)
    return (
        session.lookup(cls, "__hash__") is object.__hash__ and session.lookup(cls, "__eq__") is object.__eq__
    )
