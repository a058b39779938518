"""Nested containers as flat lists and back: tuples, named tuples, lists, dictionaries."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple


class Spec(NamedTuple):
    """Shape of a container: its type, what rebuilds it, the specs of its children; a leaf has type None."""

    kind: Any
    keys: Any
    children: tuple[Spec, ...]

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return 1 if self.kind is None else sum(c.leaves for c in self.children)


LEAF_SPEC = Spec(None, None, ())


def flatten(tree: Any) -> tuple[list[Any], Spec]:
    """The leaves in order, and the spec that puts them back."""
    if isinstance(tree, (dict, OrderedDict)):
        keys: Any = list(tree)
        values = list(tree.values())
    elif isinstance(tree, (tuple, list)):
        keys, values = None, list(tree)
    else:
        return [tree], LEAF_SPEC
    leaves: list[Any] = []
    specs = []
    for value in values:
        below, spec = flatten(value)
        leaves += below
        specs.append(spec)
    return leaves, Spec(type(tree), keys, tuple(specs))


def unflatten(leaves: list[Any], spec: Spec) -> Any:
    """Put leaves back into their containers."""
    values = iter(leaves)

    def build(spec: Spec) -> Any:
        if spec.kind is None:
            return next(values)
        children = [build(c) for c in spec.children]
        if spec.keys is not None:
            return spec.kind(zip(spec.keys, children, strict=True))
        return spec.kind(*children) if hasattr(spec.kind, "_fields") else spec.kind(children)

    return build(spec)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf."""
    leaves, spec = flatten(tree)
    return unflatten([function(v) for v in leaves], spec)


def broadcast_prefix(prefix: Any, spec: Spec) -> list[Any] | None:
    """One value per leaf from a tree that may stop early (its leaf then serves the whole subtree);
    None if it does not fit.
    """
    if spec.kind is None or not isinstance(prefix, (tuple, list, dict)):
        return [prefix] * spec.leaves if not isinstance(prefix, (tuple, list, dict)) else None
    children = list(prefix.values()) if isinstance(prefix, dict) else list(prefix)
    if len(children) != len(spec.children):
        return None
    result: list[Any] = []
    for child, below in zip(children, spec.children, strict=True):
        part = broadcast_prefix(child, below)
        if part is None:
            return None
        result += part
    return result
