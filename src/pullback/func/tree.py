"""Nested containers as flat lists and back: tuples, named tuples, lists, dictionaries, deques.

As in torch only these classes themselves are containers, and those that a program registers with
`torch.utils._pytree`; anything else, a subclass of tuple or None among it, is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..tensor.return_types import ReturnType


class Spec(NamedTuple):
    """Shape of a container: its type, what rebuilds it, the specs of its children; a leaf has type None.

    It prints as torch's specs do.
    """

    kind: Any
    context: Any
    children: tuple[Spec, ...]

    @property
    def leaves(self) -> int:
        """Return the number of leaves."""
        return 1 if self.kind is None else sum(c.leaves for c in self.children)

    @property
    def keys(self) -> Any:
        """Return the keys of a dictionary, else None."""
        if self.kind is defaultdict:
            return self.context[1]
        return self.context if self.kind in (dict, OrderedDict) else None

    def __repr__(self) -> str:
        return self._text(2)

    def _text(self, indent: int) -> str:
        if self.kind is None:
            return "*"
        between = ",\n" + " " * indent
        children = between.join(child._text(indent + 2) for child in self.children)
        return f"TreeSpec({self.kind.__name__}, {self.context}, [{children}])"


LEAF_SPEC = Spec(None, None, ())


class NodeDef(NamedTuple):
    """Take a container type apart and put it together."""

    type: type
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Iterable[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None


#: Container type → how it is a node, for `torch.utils._pytree` and for the types that programs register
#: there.
SUPPORTED_NODES: dict[Any, NodeDef] = {}


class _Star:
    """Represent a leaf where a structure is shown as the container itself."""

    def __repr__(self) -> str:
        return "*"


def _opened(tree: Any) -> tuple[Any, Any, list[Any]] | None:
    """Return (type, what rebuilds it besides the children, the children) of a container; None for a leaf."""
    kind = type(tree)
    if kind in (tuple, list):
        return kind, None, list(tree)
    if kind in (dict, OrderedDict):
        return kind, list(tree), list(tree.values())
    if kind is defaultdict:
        return kind, [tree.default_factory, list(tree)], list(tree.values())
    if kind is deque:
        return kind, tree.maxlen, list(tree)
    if kind in SUPPORTED_NODES:
        children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
        return kind, context, list(children)
    if isinstance(tree, ReturnType) or (isinstance(tree, tuple) and hasattr(kind, "_fields")):
        return kind, kind, list(tree)
    return None


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], Spec]:
    """Return the leaves in order, and the spec that puts them back; what `is_leaf` is true of is not
    opened.
    """
    opened = None if is_leaf is not None and is_leaf(tree) else _opened(tree)
    if opened is None:
        return [tree], LEAF_SPEC
    kind, context, values = opened
    leaves: list[Any] = []
    specs = []
    for value in values:
        below, spec = flatten(value, is_leaf)
        leaves += below
        specs.append(spec)
    return leaves, Spec(kind, context, tuple(specs))


def unflatten(leaves: list[Any], spec: Spec) -> Any:
    """Put leaves back into their containers."""
    return _built(spec, iter(leaves))


# A function inside of `unflatten` that calls itself would be a cycle, which holds the leaves.
def _built(spec: Spec, values: Iterator[Any]) -> Any:
    kind = spec.kind
    if kind is None:
        return next(values)
    children = [_built(c, values) for c in spec.children]
    if kind is defaultdict:
        return defaultdict(spec.context[0], zip(spec.context[1], children, strict=True))
    if spec.keys is not None:
        return kind(zip(spec.keys, children, strict=True))
    if kind is deque:
        return deque(children, maxlen=spec.context)
    if kind in SUPPORTED_NODES and kind not in (tuple, list):
        return SUPPORTED_NODES[kind].unflatten_fn(children, spec.context)
    return kind(*children) if hasattr(kind, "_fields") else kind(children)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf."""
    leaves, spec = flatten(tree)
    return unflatten([function(v) for v in leaves], spec)


def pretty(spec: Spec) -> str:
    """Return the structure written as the container itself, with stars for the leaves."""
    return repr(unflatten([_Star()] * spec.leaves, spec))


def broadcast_prefix(prefix: Any, spec: Spec) -> list[Any] | None:
    """Return one value per leaf from a tree that may stop early (its leaf then serves the whole subtree);
    None if it does not fit.
    """
    opened = _opened(prefix)
    if opened is None:
        return [prefix] * spec.leaves
    kind, _, children = opened
    if kind is not spec.kind or len(children) != len(spec.children):
        return None
    if spec.keys is not None:
        if set(prefix) != set(spec.keys):
            return None
        children = [prefix[key] for key in spec.keys]
    result: list[Any] = []
    for child, below in zip(children, spec.children, strict=True):
        part = broadcast_prefix(child, below)
        if part is None:
            return None
        result += part
    return result
