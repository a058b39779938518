"""Turn nested containers into flat lists and back: tuples, named tuples, lists, dictionaries, deques.

A container type is a node when it is registered: tuple, list, dict, named tuples, OrderedDict, defaultdict,
deque and torch's results with names are, and those that a program registers with `torch.utils._pytree`;
anything else, a subclass of tuple or None among it, is a leaf. A dictionary's values come in the order of its
keys' insertion.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ..array.named_tuples import NamedTuple
from .return_types import ReturnType

K = TypeVar("K")
T = TypeVar("T")
PyTree = Any
Context = Any
FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]
FlattenWithKeys = Callable[[Any], tuple[list[tuple[Any, Any]], Any]]
IsLeaf = Callable[[Any], bool] | None


class NodeDef(NamedTuple):
    """Take a container type apart and put it together."""

    type: type
    flatten_fn: FlattenFunc
    unflatten_fn: UnflattenFunc
    flatten_with_keys_fn: FlattenWithKeys | None


#: Container type → how it is a node.
SUPPORTED_NODES: dict[type, NodeDef] = {}


class SequenceKey(NamedTuple):
    """A place in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Sequence[T]) -> T:
        """Return the child at this key."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """A place in a mapping."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Mapping[Any, T]) -> T:
        """Return the child at this key."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """An attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: object) -> Any:
        """Return the attribute of this name."""
        return getattr(obj, self.name)


def register_pytree_node(
    cls: type, flatten_fn: FlattenFunc, unflatten_fn: UnflattenFunc, *,
    serialized_type_name: str | None = None, to_dumpable_context: object = None,
    from_dumpable_context: object = None, flatten_with_keys_fn: FlattenWithKeys | None = None,
) -> None:
    """Make a container type a node.

    Parameters
    ----------
    cls : type
    flatten_fn : callable
        ``flatten_fn(container)`` gives its children and what else it takes to put them together again.
    unflatten_fn : callable
        ``unflatten_fn(children, context)`` puts them together.
    flatten_with_keys_fn : callable, optional
        As `flatten_fn`, with (key, child) for each child.
    serialized_type_name, to_dumpable_context, from_dumpable_context
        Taken for torch's sake.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)


def _sequence_keys(flatten: FlattenFunc) -> FlattenWithKeys:
    def with_keys(tree: object) -> tuple[list[tuple[SequenceKey, Any]], Any]:
        children, context = flatten(tree)
        return [(SequenceKey(k), child) for k, child in enumerate(children)], context

    return with_keys


def _dict_flatten_with_keys(tree: dict[K, T]) -> tuple[list[tuple[MappingKey, T]], list[Any]]:
    return [(MappingKey(key), value) for key, value in tree.items()], _flatten_default(tree)[1]


def _flatten_default(tree: dict[K, T]) -> tuple[list[T], list[Any]]:
    keys = list(tree)
    return list(tree.values()), [tree.default_factory, keys] if isinstance(tree, defaultdict) else keys


def _dict_flatten(tree: dict[K, T]) -> tuple[list[T], list[K]]:
    return list(tree.values()), list(tree)


def _dict_unflatten(values: Iterable[T], keys: Iterable[K]) -> dict[K, T]:
    return dict(zip(keys, values, strict=True))


def _sequence(kind: type, context: Callable[[Any], object], build: UnflattenFunc) -> None:
    def flatten(tree: Iterable[T]) -> tuple[list[T], object]:
        return list(tree), context(tree)

    register_pytree_node(kind, flatten, build, flatten_with_keys_fn=_sequence_keys(flatten))


def _mapping(kind: type, build: UnflattenFunc) -> None:
    register_pytree_node(kind, _flatten_default, build, flatten_with_keys_fn=_dict_flatten_with_keys)


class namedtuple_node:
    """Stand for all named tuples among the registered types."""


_sequence(tuple, lambda _: None, lambda values, _: tuple(values))
_sequence(list, lambda _: None, lambda values, _: list(values))
_mapping(dict, lambda values, keys: dict(zip(keys, values)))
_mapping(OrderedDict, lambda values, keys: OrderedDict(zip(keys, values)))
_mapping(defaultdict, lambda values, context: defaultdict(context[0], zip(context[1], values)))
_sequence(deque, lambda tree: tree.maxlen, lambda values, length: deque(values, maxlen=length))


def _flatten_named(tree: Iterable[T]) -> tuple[list[T], type]:
    return list(tree), type(tree)


def _named_keys(tree: Any) -> tuple[list[tuple[GetAttrKey, Any]], type]:
    return [(GetAttrKey(name), getattr(tree, name)) for name in type(tree)._fields], type(tree)


register_pytree_node(
    namedtuple_node, _flatten_named, lambda values, kind: kind(*values), flatten_with_keys_fn=_named_keys
)
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})


def is_namedtuple_class(cls: object) -> bool:
    """Return whether a class is a named tuple's."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def _get_node_type(tree: object) -> type:
    kind = type(tree)
    return namedtuple_node if kind not in SUPPORTED_NODES and is_namedtuple_class(kind) else kind


def _node(tree: object) -> NodeDef | None:
    kind = _get_node_type(tree)
    if (found := SUPPORTED_NODES.get(kind)) is None and issubclass(kind, ReturnType):
        flatten: FlattenFunc = lambda tree: (list(tree), None)  # noqa: E731  # one of two halves of a node
        found = NodeDef(kind, flatten, lambda values, _: kind(values), _sequence_keys(flatten))
        SUPPORTED_NODES[kind] = found
    return found


class TreeSpec:
    """Describe how a tree is put together: the type and context of each node, leaves left out.

    Parameters
    ----------
    type : type or None
        None for a leaf.
    context
        What the node's type keeps beside its children.
    children_specs : list of TreeSpec
    """

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")
    __module__ = "torch.utils._pytree"

    def __init__(
        self, type: type | None, context: Any = None, children_specs: Iterable[TreeSpec] = ()
    ) -> None:
        self.type = type
        self._context = context
        self._children = list(children_specs)
        self.num_children = len(self._children)
        self.num_leaves: int = 1 if type is None else sum(c.num_leaves for c in self._children)
        self.num_nodes: int = 1 + sum(c.num_nodes for c in self._children)

    @property
    def context(self) -> Any:
        """Return what the node's type keeps beside its children."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        """Return the specs of the children."""
        return self._children

    def children(self) -> list[TreeSpec]:
        """Return the specs of the children."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """Return the spec of one child."""
        return self._children[index]

    def is_leaf(self) -> bool:
        """Return whether this is a leaf."""
        return self.type is None

    def unflatten(self, leaves: Iterable[object]) -> Any:
        """Put leaves into the containers."""
        if len(values := list(leaves)) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(values)} but the spec refers to a "
                f"pytree that holds {self.num_leaves} items ({self})."
            )
        return self._build(iter(values))

    def _build(self, values: Iterator[object]) -> Any:
        if self.type is None:
            return next(values)
        children = [child._build(values) for child in self._children]
        return SUPPORTED_NODES[self.type].unflatten_fn(children, self._context)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """Return what a tree of this shape holds at the places of the leaves; subtrees stay whole."""
        subtrees: list[Any] = []
        self._collect(tree, subtrees)
        return subtrees

    def _collect(self, tree: Any, subtrees: list[Any]) -> None:
        if self.type is None:
            subtrees.append(tree)
            return
        kind = _get_node_type(tree)
        both_mappings = self.type in STANDARD_DICT_TYPES and kind in STANDARD_DICT_TYPES
        if kind is not self.type and not both_mappings:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind!r}.")
        node = _node(tree)
        children, context = node.flatten_fn(tree) if node is not None else ([], None)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if both_mappings:
            keys = self._context[1] if self.type is defaultdict else self._context
            if set(keys) != set(tree):
                missing, extra = set(keys) - set(tree), set(tree) - set(keys)
                detail = f"; missing key(s): {missing}" if missing else ""
                detail += f"; extra key(s): {extra}" if extra else ""
                raise ValueError(f"Node keys mismatch{detail}.")
            children = [tree[key] for key in keys]
        elif context != self._context:
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self._context!r}, but got "
                f"{context!r}."
            )
        for spec, child in zip(self._children, children):
            spec._collect(child, subtrees)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return (self.type, self._context, self._children) == (other.type, other._context, other._children)

    def __hash__(self) -> int:
        context = self._context
        return hash((self.type, tuple(context) if isinstance(context, list) else context, *self._children))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        children = [child.__repr__(indent + 2) for child in self._children]
        listed = children[0] if children else ""
        listed += "".join(f",\n{' ' * (indent + 2)}{child}" for child in children[1:])
        return f"TreeSpec({self.type.__name__}, {self._context!r}, [{listed}])"


_LEAF = TreeSpec(None)


def treespec_leaf() -> TreeSpec:
    """Return the spec of a leaf."""
    return _LEAF


def _flatten(tree: object, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    node = None if is_leaf is not None and is_leaf(tree) else _node(tree)
    if node is None:
        leaves.append(tree)
        return _LEAF
    children, context = node.flatten_fn(tree)
    return TreeSpec(_get_node_type(tree), context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_flatten(tree: object, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """Return the leaves in order, and the spec that puts them back.

    Parameters
    ----------
    tree
    is_leaf : callable, optional
        Says of a container that it is to be a leaf.
    """
    leaves: list[Any] = []
    spec = _flatten(tree, leaves, is_leaf)
    return leaves, spec


def tree_unflatten(leaves: Iterable[object], treespec: TreeSpec) -> Any:
    """Put leaves into the containers of a spec."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item "
            f"of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_map(func: Callable[..., Any], tree: object, *rests: object, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to each leaf, and to what has its place in further trees.

    Parameters
    ----------
    func : callable
    tree
    *rests
        Trees of the same shape, or with subtrees where `tree` has leaves.
    is_leaf : callable, optional
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(*values) for values in zip(leaves, *others)])


def _broadcast_to_and_flatten(tree: object, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """Return one value for each leaf of a spec, from a tree that may stop early; None if it does not fit."""
    if (is_leaf is not None and is_leaf(tree)) or _node(tree) is None:
        return [tree] * treespec.num_leaves
    if treespec.is_leaf():
        return None
    node = _node(tree)
    if node is None or _get_node_type(tree) is not treespec.type:
        return None
    children, context = node.flatten_fn(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list[Any] = []
    for child, spec in zip(children, treespec.children()):
        if (below := _broadcast_to_and_flatten(child, spec, is_leaf)) is None:
            return None
        found += below
    return found


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a spec as the tree that it makes, with ``*`` for each leaf."""

    class Star:
        def __repr__(self) -> str:
            return "*"

    return repr(treespec.unflatten([Star() for _ in range(treespec.num_leaves)]))
