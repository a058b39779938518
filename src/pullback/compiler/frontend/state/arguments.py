"""Arguments as what a call compares: leaves, and the containers that hold them.

A container of Python's own class is new in each call as often as not, so it is told by what it holds. All
else is a leaf, told by its identity, and what a program reads of it is guarded: sets, containers of derived
classes, which may hold more than their items, and what users have registered as nodes of trees.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from typing import Any

from ....func.tree import TreeSpec, treespec_leaf
from .guards import all_same

_MAPPINGS = (dict, OrderedDict, defaultdict)


class Context(list[Any]):
    """Hold what a container has beside its values.

    Two are equal only where each part can stand for the other's.

    Of keys, 1 is not True; an object is itself alone, whatever it says it is equal to.
    """

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and all_same(tuple(self), tuple(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


def taken_apart(args: Any, kwargs: Any) -> tuple[list[Any], TreeSpec, list[Any]]:
    """Return the leaves of arguments in order, how they were put together, and the containers."""
    leaves: list[Any] = []
    nodes: list[Any] = []
    spec = TreeSpec(tuple, None, [_flattened(each, leaves, nodes) for each in (args, kwargs)])
    return leaves, spec, nodes


def _flattened(tree: Any, leaves: list[Any], nodes: list[Any]) -> TreeSpec:
    kind = type(tree)
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
    return TreeSpec(kind, context, [_flattened(value, leaves, nodes) for value in values])


def _is_plain_tuple(kind: type) -> bool:
    """Return whether a class is that of a named tuple whose objects hold nothing but their items."""
    return issubclass(kind, tuple) and not kind.__dictoffset__ and (
        getattr(kind, "__iter__", None) is tuple.__iter__
    )
