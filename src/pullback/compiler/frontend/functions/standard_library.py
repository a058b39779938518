"""Rules of functions of the standard library that copy, search or write plain values down."""

import bisect
import copy
import json
import operator
import pickle
import weakref
from collections import OrderedDict
from typing import Any

from ....core.value import TensorBase
from ..operations import containers, iteration, operators
from ..state.guards import SCALARS
from ..state.session import Session
from .builtin_functions import refuse
from .rules import rule


@rule(bisect.bisect_left, bisect.bisect_right)
def _bisect(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    among, value, *ends = args
    if type(among) is not list or kwargs or not all(type(end) is int and end >= 0 for end in ends):
        raise refuse(session, f)
    session.whole(among)
    low, high = ends + [0, len(among)][len(ends) :]
    while low < high:
        middle = (low + high) // 2
        pair = (value, among[middle]) if f is bisect.bisect_right else (among[middle], value)
        less = operators.truth(operators.compared(session, "<", operator.lt, "__lt__", *pair))
        if less is (f is bisect.bisect_right):
            high = middle
        else:
            low = middle + 1
    return low


@rule(json.loads)
def _loads(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs or type(args[0]) not in (str, bytes):
        raise refuse(session, f)
    found = f(*args)
    for container in containers.within(found):
        session.made(container)
    return found


@rule(json.dumps)
def _dumps(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or any(type(value) not in SCALARS for value in kwargs.values()):
        raise refuse(session, f)
    _check_plain(session, f, args[0])
    return f(*args, **kwargs)


@rule(weakref.ref)
def _reference(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or not session.cells.is_cell(args[0]):
        # What the function makes is freed at another time than in eager.
        raise refuse(session, f)
    session.told(args[0])
    return session.made(f(*args))


@rule(pickle.dumps)
def _pickled(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    value = args[0] if len(args) == 1 else None
    held = value.values() if type(value) is dict else ()
    if kwargs or any(type(part) not in SCALARS or type(part) is str for part in held):
        # Two texts are written as one where they are one object, which no guard tells.
        raise refuse(session, f)
    _check_plain(session, f, value)
    return f(value)


def _check_plain(session: Session, f: Any, value: Any) -> None:
    if type(value) in SCALARS:
        return
    if type(value) not in (list, tuple, dict):
        raise refuse(session, f)
    session.whole(value)
    for part in (*value, *value.values()) if type(value) is dict else value:
        _check_plain(session, f, part)


@rule(copy.deepcopy)
def _deepcopy(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs:
        raise refuse(session, f)
    return _copied(session, args[0], {})


def _copied(session: Session, value: Any, met: dict[int, Any]) -> Any:
    """Return a copy of plain containers and tensors; one object is copied once."""
    kind = type(value)
    if kind in SCALARS:
        return value
    if id(value) in met:
        return met[id(value)]
    if isinstance(value, TensorBase):
        if value._node is not None or kind is not TensorBase._facade or session.cells.is_part(value, met):
            raise session.refusal(f"it copies a {kind.__name__} that is more than its elements")
        session.tensor_attribute(value, "__deepcopy__")
        met[id(value)] = value.detach().clone()  # type: ignore[attr-defined]  # the facade has them
        return met[id(value)]
    if kind is list:
        made: Any = session.made([])
        met[id(value)] = made
        made += [_copied(session, part, met) for part in iteration.iterate(value)]
        return made
    if kind is tuple:
        return tuple(_copied(session, part, met) for part in value)
    if kind in (dict, OrderedDict):
        made = session.made(kind())
        met[id(value)] = made
        session.whole_dict(value)
        for key, part in dict.items(value):
            if type(key) not in SCALARS:
                raise session.refusal("it copies a dict whose keys are objects")
            kind.__setitem__(made, key, _copied(session, part, met))
        return made
    raise session.refusal(f"it copies a {kind.__name__}")
