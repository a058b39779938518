"""Arguments as what a call compares: leaves, and the containers that hold them.

A container of Python's own class is new in each call as often as not, so it is told by what it holds. All
else is a leaf, told by its identity, and what a program reads of it is guarded: sets, containers of derived
classes, which may hold more than their items, and what users have registered as nodes of trees.

An object of a user's class is a leaf at first, as a model is. Once a call gives another one, as a batch that
is a dataclass, it is told by its attributes.
"""

from collections import OrderedDict, defaultdict, deque
from collections.abc import Sequence
from types import GetSetDescriptorType, SimpleNamespace
from typing import Any

from ....func.tree import TreeSpec, treespec_leaf
from .guards import dict_of, is_heap_type, is_same

_MAPPINGS = (dict, OrderedDict, defaultdict)


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


def is_record(cls: type) -> bool:
    """Return whether objects of a class are told by their attributes, once a call gives another object.

    All that such an object holds is in its ``__dict__``, and it cannot be a key, which its identity tells:
    dataclasses that are compared by their fields, and namespaces.
    """
    if type(cls) is not type or cls.__hash__ is not None or hasattr(cls, "__del__"):
        return False
    own = [base for base in cls.__mro__ if base not in (object, SimpleNamespace)]
    return cls.__dictoffset__ != 0 and all(
        is_heap_type(base) and not vars(base).get("__slots__")
        and type(vars(base).get("__dict__")) in (type(None), GetSetDescriptorType)
        for base in own
    )  # fmt: skip


def taken_apart(
    args: Any, kwargs: Any, records: frozenset[type] = frozenset()
) -> tuple[list[Any], TreeSpec, list[Any]]:
    """Return the leaves of arguments in order, how they were put together, and the containers.

    Objects of the classes in `records` are containers of their attributes.
    """
    leaves: list[Any] = []
    nodes: list[Any] = []
    children = [_flattened(each, leaves, nodes, records, set()) for each in (args, kwargs)]
    return leaves, TreeSpec(tuple, None, children), nodes


def _flattened(
    tree: Any, leaves: list[Any], nodes: list[Any], records: frozenset[type], met: set[int]
) -> TreeSpec:
    kind = type(tree)
    # One that is met again may hold itself.
    if kind in records and id(tree) not in met:
        met.add(id(tree))
        nodes.append(tree)
        return TreeSpec(kind, None, [_flattened(dict_of(tree, None), leaves, nodes, records, met)])
    values, context = tree, None
    if kind in _MAPPINGS:
        values, context = tree.values(), Context(tree)
        if kind is defaultdict:
            context.append(tree.default_factory)
    elif kind is deque:
        context = Context([tree.maxlen])
    elif kind is not tuple and kind is not list and not _is_plain_tuple(kind):
        leaves.append(tree)
        return treespec_leaf()
    nodes.append(tree)
    return TreeSpec(kind, context, [_flattened(value, leaves, nodes, records, met) for value in values])


def _is_plain_tuple(kind: type) -> bool:
    """Return whether a class is that of a named tuple whose objects hold nothing but their items."""
    return issubclass(kind, tuple) and not kind.__dictoffset__ and (
        getattr(kind, "__iter__", None) is tuple.__iter__
    )
