"""Describe what a compiled function returns or stores as a tree, from which each call builds its own objects.

An object that the trace made is made anew by each call; one that was there before is the same in every call.
"""

import threading
from collections import OrderedDict, defaultdict, deque
from collections.abc import Sequence
from fractions import Fraction
from types import BuiltinFunctionType, MethodType, ModuleType
from typing import Any
from weakref import ReferenceType

import numpy as np

from ...array import dtypes
from ...core.device import device
from ...core.node import Node
from ...core.size import Size
from ...core.value import TensorBase
from ...tensor.return_types import ReturnType
from ...tensor.tree import register_pytree_node
from .state.deferred import Deferred, Elements, Numbers, is_drawn_array
from .state.guards import COMPARED, SCALARS
from .state.session import Session
from .unsupported import Unsupported

#: Values that are objects of their own, as a date: one that the function makes is new in each call.
_OBJECTS = COMPARED - {*SCALARS}
_VALUES = frozenset({*SCALARS, *COMPARED, dtypes.dtype, device, Size, slice, type(Ellipsis)})


class Given:
    """Hold an object that every call returns as it is."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing


class GivenContainer:
    """A container among the arguments: each call returns its own.

    Parameters
    ----------
    numbers : Numbers
        What the present call is given.
    place : int
        Among the containers.
    """

    __slots__ = ("numbers", "place")

    def __init__(self, numbers: Numbers, place: int) -> None:
        self.numbers, self.place = numbers, place

    def of_call(self) -> Any:
        """Return that of the present call."""
        return self.numbers.containers[self.place]


class Met:
    """Find containers that are in several places of the results, in two passes.

    The first pass counts the places of each container that the trace has made; in the second, the first place
    makes the object and the others share it.
    """

    def __init__(self) -> None:
        #: Lists and arrays of elements that were met, by identity.
        self.elements: set[int] = set()
        self._times: dict[int, int] = {}
        self._left: dict[int, int] = {}
        self._inside: set[int] = set()
        self._objects = _Objects()

    def again(self) -> None:
        """Begin the second pass."""
        self.elements.clear()
        self._left, self._times = self._times, {}

    def tree(self, session: Session, value: object) -> Any:
        """Return a container that the trace has made as a tree."""
        key = id(value)
        if key in self._inside:
            raise session.refusal("an object that the function makes holds itself")
        if key in session.inside:
            raise session.refusal("a list of a scheduler's is a result")
        session.exchanged.shown(value)
        times = self._times[key] = self._times.get(key, 0) + 1
        if times > 1:
            return _Same(self._objects, key, self._left.get(key) == times)
        self._inside.add(key)
        made = _container(session, value, self)
        self._inside.discard(key)
        return _First(self._objects, key, made) if self._left.get(key, 1) > 1 else made


class _Objects(threading.local):
    """Results of the present call that are in several places."""

    def __init__(self) -> None:
        self.held: dict[int, Any] = {}


class _First:
    """The first place of a shared object, as a node of a tree."""

    def __init__(self, objects: _Objects, key: int, made: Any) -> None:
        self.about = objects, key
        self.made = made


class _Same:
    """A later place of a shared object, perhaps the last, as a node of a tree."""

    def __init__(self, objects: _Objects, key: int, last: bool) -> None:
        self.about = objects, key, last


def _first(children: Any, about: tuple[_Objects, int]) -> Any:
    objects, key = about
    (objects.held[key],) = children
    return objects.held[key]


def _same(children: object, about: tuple[_Objects, int, bool]) -> Any:
    objects, key, last = about
    return objects.held.pop(key) if last else objects.held[key]


class Rebuilt:
    """A container of Python's as a node of a tree."""

    __slots__ = ("context", "kind", "parts")

    def __init__(self, kind: type, parts: list[Any], context: Any) -> None:
        self.kind = kind
        self.parts = parts
        self.context = context


class Instance:
    """An object of the user's class, as a node of a tree.

    Parameters
    ----------
    kind : type
        Its class.
    base : type
        The class of Python's that it is made by.
    within
        What it holds as a dict or a list does: a tree.
    contents : dict
        What its ``__dict__`` holds: trees.
    """

    __slots__ = ("base", "contents", "kind", "within")

    def __init__(self, kind: type, base: type, within: Any, contents: dict[str, Any]) -> None:
        self.kind = kind
        self.base = base
        self.within = within
        self.contents = contents


def _rebuilt(children: Any, about: tuple[Any, Any]) -> Any:
    kind, context = about
    if kind is defaultdict:
        return defaultdict(context[0], zip(context[1], children, strict=True))
    if kind is OrderedDict or kind is dict:
        return kind(zip(context, children, strict=True))
    if context is Ellipsis:
        # A method, a weak reference, or a named tuple, whose class may make them in its own way.
        return kind(*children) if kind in (MethodType, ReferenceType) else tuple.__new__(kind, children)
    if issubclass(kind, np.generic):
        return children[0].copy()
    if kind in _OBJECTS:
        maker, args, *_ = children[0].__reduce__()
        return maker(*args)
    if context is None:
        return kind(children)
    return kind(children, context)


def _instance(children: Any, about: tuple[type, Any, tuple[str, ...]]) -> Any:
    kind, base, names = about
    within, *contents = children
    made: Any = base.__new__(kind)
    if base is list:
        list.extend(made, within)
    elif within:
        # Not by `update`, by which an `OrderedDict` asks the derived class.
        for key, value in within.items():
            base.__setitem__(made, key, value)
    made.__dict__.update(zip(names, contents, strict=True))
    return made


register_pytree_node(Rebuilt, lambda node: (node.parts, (node.kind, node.context)), _rebuilt)
register_pytree_node(
    Instance,
    lambda node: ([node.within, *node.contents.values()], (node.kind, node.base, tuple(node.contents))),
    _instance,
)


register_pytree_node(_First, lambda node: ([node.made], node.about), _first)
register_pytree_node(_Same, lambda node: ([], node.about), _same)


#: For each class that users derive from, one that adds nothing but a ``__dict__``.
_PLAIN: Any = {base: type("_Plain", (base,), {}) for base in (OrderedDict, dict, list, object)}


def _base(kind: type) -> Any:
    """Return the class that a class adds nothing but a ``__dict__`` to; None where it adds slots, too."""
    base = next(base for base in _PLAIN if issubclass(kind, base))
    # Where there are no references to it, a slot may have their place.
    has_both = kind.__dictoffset__ != 0 and kind.__weakrefoffset__ != 0
    return base if has_both and kind.__basicsize__ == _PLAIN[base].__basicsize__ else None


def _mapping(session: Session, kind: Any, base: Any, value: Any, met: Met) -> Rebuilt:
    """Return what a dict holds as one of another class: without asking the methods of its own."""
    keys = tuple(base.__iter__(value))
    if any(session.is_fresh(key) and type(key) not in _VALUES for key in keys):
        raise session.refusal("an object that the function makes is a key of a result")
    parts = [outgoing(session, dict.__getitem__(value, key), met) for key in keys]
    return Rebuilt(kind, parts, (value.default_factory, keys) if kind is defaultdict else keys)


def outgoing(session: Session, value: Any, met: Met) -> Any:
    """Return a value as a tree.

    Parameters
    ----------
    value
        A result of the function, or what it assigns to a place of the user's.
    met : Met
        The containers that were met before.
    """
    kind = type(value)
    if kind is Size and not session.was_there(value):
        return Rebuilt(Size, list(value), None)
    if isinstance(value, TensorBase) and any(value is tagged for tagged in session.tagged):
        raise session.refusal("a result has attributes that the function has set")
    if (isinstance(value, np.generic) or kind in _OBJECTS) and not session.was_there(value):
        if kind is Fraction and isinstance(value.numerator, Deferred):
            raise session.refusal("a Fraction of a number of the call is a result")
        return Rebuilt(kind, [Given(value)], None)
    if is_drawn_array(value):
        raise session.refusal("a list or array that is drawn is a result")
    if isinstance(value, Deferred) and value.kind in (list, np.ndarray):
        own = {*map(id, value.with_rows() if isinstance(value, Elements) else (value,))}
        if not met.elements.isdisjoint(own):
            raise session.refusal("a list or array of elements is a result twice")
        met.elements |= own
    if kind in _VALUES or isinstance(value, (TensorBase, Deferred, Given, GivenContainer, np.generic)):
        return value
    if isinstance(value, tuple) and session.was_there(value):
        return Given(value)
    if kind is tuple:
        return met.tree(session, value) if value else value
    if id(value) in session.arguments:
        return session.given_container(value)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        if kind.__dictoffset__ and value.__dict__:
            raise session.refusal("a named tuple with attributes of its own is a result")
        return met.tree(session, value)
    bound = getattr(value, "__self__", None) if isinstance(value, BuiltinFunctionType) else None
    if isinstance(value, (type, ModuleType)) or (
        isinstance(value, BuiltinFunctionType) and (bound is None or isinstance(bound, ModuleType))
    ):
        return Given(value)
    if isinstance(value, MethodType) and not session.was_there(value):
        if session.is_fresh(value.__self__):
            raise session.refusal("a method of an object that the function makes is a result")
        return Rebuilt(MethodType, [Given(value.__func__), Given(value.__self__)], Ellipsis)
    if not session.is_fresh(value):
        if isinstance(value, ReturnType):
            return Rebuilt(kind, [outgoing(session, part, met) for part in value], None)
        if session.was_there(value):
            return Given(value)
        raise session.refusal(f"a {kind.__name__} is a result")
    return met.tree(session, value)


def _container(session: Session, value: Any, met: Met) -> Any:
    kind = type(value)
    if kind in (list, tuple):
        return kind(outgoing(session, part, met) for part in value)
    if isinstance(value, tuple):
        return Rebuilt(kind, [outgoing(session, part, met) for part in value], Ellipsis)
    if kind is ReferenceType:
        # The trace makes them of tensors that were there before, without a function to be called.
        return Rebuilt(kind, [outgoing(session, value(), met)], Ellipsis)
    if kind is deque:
        return Rebuilt(deque, [outgoing(session, part, met) for part in value], value.maxlen)
    if kind in (set, frozenset):
        return Rebuilt(kind, [outgoing(session, part, met) for part in value], None)
    if kind in (dict, OrderedDict, defaultdict):
        return _mapping(session, kind, kind, value, met)
    base = _base(kind)
    held = None if base is None else value.__dict__
    if held is not None and held is not value:
        session.typed(value)
        within: Any = None
        if base is list:
            within = [outgoing(session, part, met) for part in list.__iter__(value)]
        elif base is not object:
            within = _mapping(session, dict, base, value, met)
        contents = {name: outgoing(session, part, met) for name, part in held.items()}
        return Instance(kind, base, within, contents)
    raise session.refusal(f"a {kind.__name__} that the function makes is a result")


def check_values(leaves: Sequence[Any]) -> None:
    """Refuse results that no call could give again."""
    kinds = (TensorBase, Deferred, Given, GivenContainer, *SCALARS, dtypes.dtype)
    for leaf in leaves:
        if isinstance(leaf, Node):
            raise Unsupported("the function returns a node of the graph")
        if type(leaf) is slice and all(type(p) in SCALARS for p in (leaf.start, leaf.stop, leaf.step)):
            continue
        if not isinstance(leaf, kinds) and type(leaf).__hash__ is None:
            raise Unsupported(f"the function returns a {type(leaf).__name__}")
