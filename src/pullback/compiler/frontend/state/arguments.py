"""Arguments as what a call compares: leaves, and the containers that hold them.

A container of Python's own class is new in each call as often as not, so it is told by what it holds. All
else is a leaf, told by its identity, and what a program reads of it is guarded: sets, containers of derived
classes, which may hold more than their items, and what users have registered as nodes of trees.

An object of a user's class is a leaf at first, as a model is. Once calls give others, as a batch in each
step, it is told by what it holds. It may then be another object in each call, and the trace refuses to tell
which it is.
"""

import functools
from abc import ABCMeta
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from types import GetSetDescriptorType, MemberDescriptorType, SimpleNamespace
from typing import Any

from ....core.size import Size
from ....tensor.tree import TreeSpec, treespec_leaf
from .effects import set_slot
from .guards import ABSENT, COMPARED, dict_of, is_heap_type, is_same, slot_of

_MAPPINGS = (dict, OrderedDict, defaultdict)
#: What classes of objects that are told by what they hold derive from, beside classes of the user's.
_BASES = (OrderedDict, dict, list, SimpleNamespace, object)
#: Objects within objects that are taken apart, and what one may hold to be told by it: a list of nodes that
#: are linked is as deep as it is long, and a memory of all steps is looked through in each call.
_DEEP, _MUCH = 32, 512


class Context(list[Any]):
    """Hold what a container has beside its values.

    Two are equal only where each part can stand for the other's.

    Of keys, 1 is not True; an object is itself alone, whatever it says it is equal to.
    """

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and _same_keys(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


def _same_keys(now: Sequence[Any], keys: Sequence[Any]) -> bool:
    """Return whether keys can stand for others; one that is a tuple is made anew in each call."""
    return len(now) == len(keys) and all(
        is_same(a, b) or (type(a) is type(b) is tuple and _same_keys(a, b))
        for a, b in zip(now, keys, strict=True)
    )


class Again:
    """Stand in a spec for an object that was met before, by its number among the containers."""


def is_record(cls: Any) -> bool:
    """Return whether objects of a class can be told by what they hold, once calls give others.

    All that such an object holds is in its ``__dict__``, in slots, or in it as a dict or list.
    """
    if type(cls) not in (type, ABCMeta) or cls in COMPARED or hasattr(cls, "__del__"):
        return False
    own = [base for base in cls.__mro__ if base not in _BASES]
    return cls not in _BASES[:-2] and cls is not object and all(
        is_heap_type(base) and type(vars(base).get("__dict__")) in (type(None), GetSetDescriptorType)
        and not _is_of_ours(base) and (base.__base__ in own or _is_of_python(base))
        for base in own
    )  # fmt: skip


def _is_of_python(base: type) -> bool:
    """Return whether a class is made by a statement, which gives it references or slots; C may hide more."""
    return base.__base__ is OrderedDict or "__weakref__" in vars(base) or "__slots__" in vars(base)


def _is_of_ours(base: type) -> bool:
    """Return whether a class is one that the trace knows otherwise, as modules and optimizers."""
    package, _, within = base.__module__.partition(".")
    return package in ("torch", "pullback") and not within.startswith("distributions.")


@functools.lru_cache(maxsize=4096)
def slots_of(cls: type) -> tuple[MemberDescriptorType, ...]:
    """Return the slots of a class and its bases."""
    return tuple(
        slot for base in reversed(cls.__mro__) if is_heap_type(base) for slot in vars(base).values()
        if type(slot) is MemberDescriptorType and slot.__objclass__ is base
    )  # fmt: skip


def mapping_of(kind: type) -> type[dict[Any, Any]]:
    """Return Python's class that a class of dicts derives from."""
    return OrderedDict if issubclass(kind, OrderedDict) else dict


def _parts(thing: object) -> tuple[Any, list[tuple[Callable[..., None] | None, Any, Any]]]:
    """Return the parts of an object that is told by what it holds, with a context.

    Returns
    -------
    context
        Its keys and the slots that are filled.
    parts : list of tuple
        What puts another value there, if anything does, the key, and what is there.
    """
    parts: list[Any] = []
    kind: Any = type(thing)
    for slot in slots_of(kind):
        if (value := slot_of(thing, slot)) is not ABSENT:
            parts.append((set_slot, slot, value))
    if isinstance(thing, dict):
        keys = mapping_of(kind).__iter__(thing)
        parts += [(dict.__setitem__, key, dict.__getitem__(thing, key)) for key in keys]
    elif isinstance(thing, list):
        parts += [(list.__setitem__, n, value) for n, value in enumerate(list.__iter__(thing))]
    context = Context(key for _, key, _ in parts)
    if kind.__dictoffset__:
        parts.append((None, None, dict_of(thing, None)))
    return context, parts


def taken_apart(
    args: object, kwargs: object, records: frozenset[type] = frozenset()
) -> tuple[list[Any], TreeSpec, list[Any]]:
    """Return the leaves of arguments in order, how they were put together, and the containers.

    Objects of the classes in `records` are containers of what they hold.
    """
    walk = _Walk(records)
    children = [walk.of(each, 0) for each in (args, kwargs)]
    return walk.leaves, TreeSpec(tuple, None, children), walk.nodes


class _Walk:
    def __init__(self, records: frozenset[type]) -> None:
        self.records = records
        self.leaves: list[Any] = []
        self.nodes: list[Any] = []
        #: Objects that were met, by identity, and their numbers among the containers.
        self._met: dict[int, int] = {}

    def of(self, tree: Any, depth: int) -> TreeSpec:
        """Return how a part of the arguments is put together."""
        kind = type(tree)
        if kind in self.records and (depth < _DEEP or id(tree) in self._met):
            number = self._met.setdefault(id(tree), len(self.nodes))
            if number < len(self.nodes):
                return TreeSpec(Again, number)
            self.nodes.append(tree)
            context, parts = _parts(tree)
            return TreeSpec(kind, context, [self.of(value, depth + 1) for _, _, value in parts])
        values, context = tree, None
        if kind in _MAPPINGS:
            values, context = tree.values(), Context(tree)
            if kind is defaultdict:
                context.append(tree.default_factory)
        elif kind is deque:
            context = Context([tree.maxlen])
        elif kind is not tuple and kind is not list and not _is_plain_tuple(kind):
            self.leaves.append(tree)
            return treespec_leaf()
        self.nodes.append(tree)
        children = [self.of(value, depth) for value in values]
        if has_attributes(kind):
            children.append(self.of(dict_of(tree, None), depth))
        return TreeSpec(kind, context, children)


def _is_plain_tuple(kind: type) -> bool:
    """Return whether a class is that of a named tuple whose objects give their items in order."""
    return issubclass(kind, tuple) and getattr(kind, "__iter__", None) is tuple.__iter__


def has_attributes(kind: type) -> bool:
    """Return whether objects of a class of tuples hold attributes beside their items."""
    return issubclass(kind, tuple) and kind.__dictoffset__ != 0


def come_anew(exchanged: Iterable[tuple[Any, Any]], records: frozenset[type]) -> frozenset[type]:
    """Return the classes whose objects are told by what they hold from here on.

    An object that can be a key may be one of two that take turns, as two players: it has to be a third one.

    Parameters
    ----------
    exchanged : iterable of tuple
        What earlier calls were given, and what this one is given in its place.
    """
    found, held = set(records), dict[type, set[int]]()
    for before, now in exchanged:
        cls = type(now)
        if cls in found or not is_record(cls):
            continue
        others = held.setdefault(cls, {id(now)})
        others.add(id(before))
        by_identity: Any = object.__hash__
        if cls.__hash__ is by_identity and len(others) < 3:
            continue
        within = _within(before, now, frozenset({*found, cls}))
        if len(taken_apart((now,), {}, within)[0]) <= _MUCH:
            found |= within
    return frozenset(found)


def _within(before: object, now: object, records: frozenset[type]) -> frozenset[type]:
    """Add the classes of the objects within an object that are others, too."""
    while True:
        leaves, spec, _ = taken_apart((before,), {}, records)
        others, also, _ = taken_apart((now,), {}, records)
        pairs = zip(leaves, others, strict=True) if spec == also else ()
        new = {type(now) for before, now in pairs if before is not now and type(before) is type(now)}
        more = frozenset(filter(is_record, new - records))
        if not more:
            return records
        records |= more


class StandIns:
    """Put what stands for numbers into the arguments, for as long as a trace runs.

    Parameters
    ----------
    made : callable
        Returns what stands for the number at a place among the leaves.
    put : callable
        Calls a function that puts a value in a place, with the value that is to be put back.
    """

    def __init__(
        self, nodes: Sequence[Any], places: frozenset[int], made: Callable[[int, Any], Any],
        put: Callable[..., None],
    ) -> None:  # fmt: skip
        times: dict[int, int] = {}
        for node in nodes:
            times[id(node)] = times.get(id(node), 0) + 1
        #: Containers that are in several places; another call may have several in their stead.
        self._shared = {name for name, count in times.items() if count > 1}
        self._places, self._made, self._put = places, made, put
        self._at = 0
        #: The places at which something stands for a number, and the tuples that were made anew.
        self.used: set[int] = set()
        self.tuples: list[tuple[Any, Any]] = []

    def within(self, tree: Any, spec: TreeSpec) -> Any:
        """Return a part of the arguments with what stands for numbers."""
        at = self._at
        if spec.is_leaf():
            self._at += 1
            if at not in self._places:
                return tree
            self.used.add(at)
            return self._made(at, tree)
        fixed = spec.type in (Again, Size) or has_attributes(type(tree))
        if fixed or self._places.isdisjoint(range(at, at + spec.num_leaves)):
            self._at += spec.num_leaves
            return tree
        if isinstance(tree, tuple):
            return self._tuple(tree, spec)
        if id(tree) in self._shared:
            self._at += spec.num_leaves
            return tree
        if is_record(spec.type):
            parts = _parts(tree)[1]
        elif isinstance(tree, dict):
            parts = [(dict.__setitem__, key, value) for key, value in tree.items()]
        else:
            parts = [(type(tree).__setitem__, n, value) for n, value in enumerate(tree)]
        for (put, key, value), child in zip(parts, spec.children_specs, strict=True):
            now = self.within(value, child)
            if now is not value and put is not None:
                self._put(put, tree, key, now, value)
        return tree

    def _tuple(self, tree: Any, spec: TreeSpec) -> Any:
        parts = [self.within(part, child) for part, child in zip(tree, spec.children_specs, strict=True)]
        if all(now is part for now, part in zip(parts, tree, strict=True)):
            return tree
        made = tuple.__new__(type(tree), parts)
        self.tuples.append((tree, made))
        return made
