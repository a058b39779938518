"""Rules of functions of the standard library that copy, search or write plain values down."""

import bisect
import copy
import copyreg
import importlib.util
import inspect
import json
import operator
import os
import pathlib
import pickle
import re
import sys
import weakref
from collections import OrderedDict
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ....core.value import TensorBase
from ....core.versions import bump
from ..operations import attributes, calls, containers, iteration, operators
from ..state.guards import ABSENT, SCALARS, is_heap_type
from ..state.session import Session
from ..unsupported import OnlyNow
from .builtin_functions import refuse
from .rules import rule

#: Paths of Python's own.
_PATHS = (pathlib.PurePosixPath, pathlib.PosixPath, pathlib.PureWindowsPath, pathlib.WindowsPath)
#: Types of values that a copy has themselves, beside numbers and texts.
_THEMSELVES = (type, FunctionType, BuiltinFunctionType, type(Ellipsis), type(NotImplemented))
#: The type of methods of ``object``.
_METHOD = type(object().__reduce__)
#: What Python asks an object for to copy it, in order.
_ASKED_OF_COPIED = ("__deepcopy__", "__reduce_ex__", "__reduce__")
#: What the class of such an object must not have.
_OWN_WAYS = ("__del__", "__getnewargs__", "__getnewargs_ex__")


@rule(bisect.bisect_left, bisect.bisect_right)
def _bisect(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
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


@rule(inspect.unwrap)
def _unwrapped(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what a function wraps in the end; Python knows by numbers of objects that it comes to an end."""
    stop = kwargs.get("stop")
    if len(args) != 1 or kwargs.keys() - {"stop"}:
        return calls.call_user(session, f, args, kwargs)
    met = [args[0]]
    while not isinstance(met[-1], type):
        within = _attribute(met[-1], "__wrapped__")
        if within is ABSENT or (stop is not None and operators.truth(calls.call(stop, (met[-1],)))):
            return met[-1]
        if any(within is each for each in met):
            break
        met.append(within)
    return calls.call_user(session, f, args, kwargs)


@rule(os.fspath, os.path.exists, os.path.isfile, os.path.isdir)
def _path(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs or type(args[0]) not in (str, bytes, *_PATHS):
        raise refuse(session, f)
    # Whether a file is there each call asks again.
    return f(*args) if f is os.fspath else session.ask(f, *args)


@rule(importlib.util.find_spec)
def _found(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Ask whether there is a module, as each call does; one that is loaded says it."""
    if len(args) != 1 or kwargs or type(args[0]) is not str or "." in args[0]:
        raise refuse(session, f)
    loaded = session.dict_item(sys.modules, args[0])
    if loaded is ABSENT:
        if session.ask(f, *args) is not None:
            raise session.refusal(f"it looks for {args[0]}, which is not loaded yet")
        return None
    spec = None if loaded is None else attributes.load_attribute(loaded, "__spec__")
    if spec is None:
        raise refuse(session, f)
    return spec


@rule(re._compiler.compile)  # type: ignore[attr-defined]  # typeshed does not have it
def _pattern(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Let eager code compile a pattern: from then on `re` has it, so that a trace finds it there."""
    raise session.refusal("it compiles a regular expression", OnlyNow)


@rule(json.loads)
def _loads(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs or type(args[0]) not in (str, bytes):
        raise refuse(session, f)
    return containers.made_within(session, f(*args))


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


def _check_plain(session: Session, f: object, value: Any) -> None:
    if type(value) in SCALARS:
        return
    if type(value) not in (list, tuple, dict):
        raise refuse(session, f)
    session.whole(value)
    for part in (*value, *value.values()) if type(value) is dict else value:
        _check_plain(session, f, part)


@rule(copy.deepcopy)
def _deepcopy(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs:
        raise refuse(session, f)
    return _copied(session, args[0], {})


def _copied(session: Session, value: Any, met: dict[int, Any]) -> Any:
    """Return a copy of plain containers and tensors; one object is copied once."""
    kind = type(value)
    made: Any
    if kind in SCALARS:
        return value
    if id(value) in met:
        return met[id(value)]
    if isinstance(value, TensorBase):
        met[id(value)] = made = _copied_tensor(session, value, met)
        return made
    if kind is list:
        made = session.made([])
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
    if kind in _THEMSELVES:
        return value
    if is_heap_type(kind) and not isinstance(value, type):
        return _copied_object(session, value, met)
    raise session.refusal(f"it copies a {kind.__name__}")


def _copied_tensor(session: Session, value: Any, met: dict[int, Any]) -> Any:
    """Return a copy of a tensor. Of tensors on one memory the copies are on one, too, of the same size."""
    recorder = session.cells.recorder
    beside = [t for t in recorder.beside(value) if t is not value]
    twin = next((t for t in beside if id(t) in met and recorder.is_same(t, value)), None)
    alone = twin is not None or not any(id(t) in met or t.numel() != value.numel() for t in beside)
    plain = value._node is None and type(value) is TensorBase._facade and alone
    if not plain or session.cells.is_part(value, met):
        raise session.refusal(f"it copies a {type(value).__name__} that is more than its elements")
    session.tensor_attribute(value, "__deepcopy__")
    if any(isinstance(copied, TensorBase) for copied in met.values()):
        # It lies apart from them as long as this does.
        session.copied.update(id(t) for t in (value, *beside) if session.cells.is_cell(t))
    made = value.detach().clone() if twin is None else met[id(twin)].data
    bump(made)  # torch writes it by `set_`
    return made


def _copied_object(session: Session, thing: object, met: dict[int, Any]) -> Any:
    """Return a copy of an object of the user's that is copied as Python's ``object`` has it.

    The attributes are asked for in Python's order: a class may have a method that is told of it.
    """
    cls = type(thing)
    plain = all(session.lookup(cls, name) is ABSENT for name in _OWN_WAYS)
    known = plain and session.lookup(cls, "__new__") is object.__new__
    tables: tuple[Any, ...] = (copy._deepcopy_dispatch, copyreg.dispatch_table)  # type: ignore[attr-defined]
    if not known or any(session.dict_item(table, cls) is not ABSENT for table in tables):
        raise session.refusal(f"it copies a {cls.__name__}")
    for name in _ASKED_OF_COPIED:
        found, own = _attribute(thing, name), getattr(object, name, None)
        if found is not ABSENT if own is None else not _is_of_object(found, name, thing):
            raise session.refusal(f"it copies a {cls.__name__}, which has a {name}")
    found = _attribute(thing, "__getstate__")
    plain = _is_of_object(found, "__getstate__", thing)
    state = _state(session, thing) if plain else operators._known(calls.call(found, ()))
    met[id(thing)] = made = session.made(object.__new__(cls))
    setter = _attribute(made, "__setstate__")
    if plain and not state and setter is not ABSENT:
        # Python tells an object that has no attributes yet from one that has none any more.
        raise session.refusal(f"it copies a {cls.__name__} without attributes, which has a __setstate__")
    if state is None:
        return made
    state = _copied(session, state, met)
    if setter is not ABSENT:
        calls.call(setter, (state,))
        return made
    held, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    if held is not None:
        attributes.load_attribute(made, "__dict__").update(iteration.mapping(held))
    for name, value in (slots or {}).items():
        attributes.store_attribute((value, made, name))
    return made


def _is_of_object(method: object, name: str, thing: object) -> bool:
    return type(method) is _METHOD and method == getattr(object, name).__get__(thing)


def _state(session: Session, thing: object) -> Any:
    """Return what ``object.__getstate__`` gives: the attributes of an object, and those in its slots."""
    held = session.dict_of(thing)
    if held is not None:
        session.whole_dict(held)
    names: list[str] = copyreg._slotnames(type(thing))  # type: ignore[attr-defined]  # which that asks, too
    slots = session.made({n: value for n in names if (value := _attribute(thing, n)) is not ABSENT})
    return (held, slots) if slots else held


def _attribute(thing: object, name: str) -> Any:
    try:
        return attributes.load_attribute(thing, name)
    except AttributeError:
        return ABSENT
