"""torch.utils._pytree: nested containers as flat lists and back, a private module that libraries use.

A container type is a node when it is registered: tuple, list, dict, named tuples, OrderedDict, defaultdict,
deque and torch's results with names are; everything else, None too, is a leaf. A dictionary's values come in
the order of its keys' insertion.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..func.tree import SUPPORTED_NODES, NodeDef
from ..tensor.return_types import ReturnType

PyTree = Any
Context = Any
FlattenFunc = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFunc = Callable[[Iterable[Any], Context], PyTree]


class SequenceKey(NamedTuple):
    """A place in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Return the child at this key."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """A place in a mapping."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Return the child at this key."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """An attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Return the attribute of this name."""
        return getattr(obj, self.name)


KeyEntry = Any
KeyPath = tuple[Any, ...]


BUILTIN_TYPES: frozenset[Any]
STANDARD_DICT_TYPES = frozenset({dict, OrderedDict, defaultdict})


def register_pytree_node(
    cls: type, flatten_fn: FlattenFunc, unflatten_fn: UnflattenFunc, *,
    serialized_type_name: str | None = None, to_dumpable_context: Any = None,
    from_dumpable_context: Any = None, flatten_with_keys_fn: Any = None,
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


_register_pytree_node = register_pytree_node


def register_dataclass(
    cls: type, *, field_names: list[str] | None = None, drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Make a dataclass a node whose children are its fields."""
    names = field_names or [f.name for f in dataclasses.fields(cls) if f.init]
    names = [name for name in names if name not in (drop_field_names or ())]

    def flatten(obj: Any) -> tuple[list[Any], Any]:
        return [getattr(obj, name) for name in names], None

    def with_keys(obj: Any) -> tuple[list[tuple[Any, Any]], Any]:
        return [(GetAttrKey(name), getattr(obj, name)) for name in names], None

    register_pytree_node(
        cls, flatten, lambda values, _: cls(**dict(zip(names, values))), flatten_with_keys_fn=with_keys
    )


def _sequence_keys(flatten: FlattenFunc) -> Callable[[Any], tuple[list[tuple[Any, Any]], Any]]:
    def with_keys(tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, context = flatten(tree)
        return [(SequenceKey(k), child) for k, child in enumerate(children)], context

    return with_keys


def _dict_flatten_with_keys(tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(MappingKey(key), value) for key, value in tree.items()], _flatten_default(tree)[1]


def _flatten_default(tree: Any) -> tuple[list[Any], Any]:
    keys = list(tree)
    return list(tree.values()), [tree.default_factory, keys] if isinstance(tree, defaultdict) else keys


def _dict_flatten(tree: Any) -> tuple[list[Any], Any]:
    return list(tree.values()), list(tree)


def _dict_unflatten(values: Iterable[Any], keys: Any) -> dict[Any, Any]:
    return dict(zip(keys, values, strict=True))


def _sequence(kind: Any, context: Callable[[Any], Any], build: UnflattenFunc) -> None:
    def flatten(tree: Any) -> tuple[list[Any], Any]:
        return list(tree), context(tree)

    register_pytree_node(kind, flatten, build, flatten_with_keys_fn=_sequence_keys(flatten))


def _mapping(kind: Any, build: UnflattenFunc) -> None:
    register_pytree_node(kind, _flatten_default, build, flatten_with_keys_fn=_dict_flatten_with_keys)


class namedtuple_node:
    """Stand for all named tuples among the registered types."""


_sequence(tuple, lambda _: None, lambda values, _: tuple(values))
_sequence(list, lambda _: None, lambda values, _: list(values))
_mapping(dict, lambda values, keys: dict(zip(keys, values)))
_mapping(OrderedDict, lambda values, keys: OrderedDict(zip(keys, values)))
_mapping(defaultdict, lambda values, context: defaultdict(context[0], zip(context[1], values)))
_sequence(deque, lambda tree: tree.maxlen, lambda values, length: deque(values, maxlen=length))


def _flatten_named(tree: Any) -> tuple[list[Any], Any]:
    return list(tree), type(tree)


def _named_keys(tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(GetAttrKey(name), getattr(tree, name)) for name in type(tree)._fields], type(tree)


register_pytree_node(
    namedtuple_node, _flatten_named, lambda values, kind: kind(*values), flatten_with_keys_fn=_named_keys
)
BUILTIN_TYPES = frozenset(SUPPORTED_NODES)

# The halves of these nodes under torch's names, with which libraries register containers of their own.
for _name, _kind in (
    ("tuple", tuple), ("list", list), ("ordereddict", OrderedDict), ("defaultdict", defaultdict),
    ("deque", deque), ("namedtuple", namedtuple_node),
):  # fmt: skip
    globals()[f"_{_name}_flatten"] = SUPPORTED_NODES[_kind].flatten_fn
    globals()[f"_{_name}_flatten_with_keys"] = SUPPORTED_NODES[_kind].flatten_with_keys_fn
    globals()[f"_{_name}_unflatten"] = SUPPORTED_NODES[_kind].unflatten_fn
del _name, _kind


def is_namedtuple_class(cls: Any) -> bool:
    """Return whether a class is a named tuple's."""
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_namedtuple_instance(obj: Any) -> bool:
    """Return whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj: Any) -> bool:
    """Return whether an object is a named tuple or the class of one."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Return whether a class is one of torch's results with names."""
    return isinstance(cls, type) and issubclass(cls, ReturnType)


def is_structseq_instance(obj: Any) -> bool:
    """Return whether an object is one of torch's results with names."""
    return isinstance(obj, ReturnType)


def is_structseq(obj: Any) -> bool:
    """Return whether an object is one of torch's results with names, or the class of one."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


def _get_node_type(tree: Any) -> Any:
    kind = type(tree)
    return namedtuple_node if kind not in SUPPORTED_NODES and is_namedtuple_class(kind) else kind


def _node(tree: Any) -> NodeDef | None:
    kind = _get_node_type(tree)
    found = SUPPORTED_NODES.get(kind)
    if found is None and issubclass(kind, ReturnType):
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

    def __init__(self, type: Any, context: Any = None, children_specs: Iterable[TreeSpec] = ()) -> None:
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

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """Put leaves into the containers."""
        values = list(leaves)
        if len(values) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(values)} but the spec refers to a "
                f"pytree that holds {self.num_leaves} items ({self})."
            )
        return self._build(iter(values))

    def _build(self, values: Iterator[Any]) -> Any:
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
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
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


PyTreeSpec = TreeSpec


def LeafSpec() -> TreeSpec:
    """Return the spec of a leaf."""
    return TreeSpec(None)


_LEAF = TreeSpec(None)


def treespec_leaf() -> TreeSpec:
    """Return the spec of a leaf."""
    return _LEAF


IsLeaf = Callable[[Any], bool] | None


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a tree is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _node(tree) is None


_is_leaf = tree_is_leaf


def _flatten(tree: Any, leaves: list[Any], is_leaf: IsLeaf) -> TreeSpec:
    node = None if is_leaf is not None and is_leaf(tree) else _node(tree)
    if node is None:
        leaves.append(tree)
        return _LEAF
    children, context = node.flatten_fn(tree)
    return TreeSpec(_get_node_type(tree), context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
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


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """Put leaves into the containers of a spec."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            "tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item "
            f"of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """Return the leaves one by one."""
    return iter(tree_leaves(tree, is_leaf))


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """Return the leaves in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """Return the spec."""
    return tree_flatten(tree, is_leaf)[1]


def arg_tree_leaves(*args: Any, **kwargs: Any) -> list[Any]:
    """Return the leaves of all arguments."""
    return [leaf for tree in (*args, *kwargs.values()) for leaf in tree_leaves(tree)]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to each leaf, and to what stands at its place in further trees.

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


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Call a function on each leaf for what it does, and return the tree."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    for values in zip(leaves, *others):
        func(*values)
    return tree


def map_only(wanted: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Decorate a function of leaves: leaves of other types stay as they are."""
    fits = wanted if callable(wanted) and not isinstance(wanted, type) else lambda v: isinstance(v, wanted)

    def decorate(func: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda leaf: func(leaf) if fits(leaf) else leaf

    return decorate


def tree_map_only(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """Apply a function to the leaves of some types, or of which a predicate holds."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(
    type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: Any, is_leaf: IsLeaf = None
) -> Any:
    """Call a function on such leaves for what it does, and return the tree."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds of all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a predicate holds of a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None
) -> bool:
    """Return whether a predicate holds of all leaves of some types."""
    return all(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def tree_any_only(
    type_or_types: Any, /, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None
) -> bool:
    """Return whether a predicate holds of a leaf of some types."""
    return any(pred(leaf) for leaf in tree_iter(tree, is_leaf) if isinstance(leaf, type_or_types))


def _with_paths(tree: Any, path: KeyPath, is_leaf: IsLeaf) -> Iterator[tuple[KeyPath, Any]]:
    node = None if is_leaf is not None and is_leaf(tree) else _node(tree)
    if node is None:
        yield path, tree
        return
    if node.flatten_with_keys_fn is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {type(tree)}. Please pass a flatten_with_keys_fn "
            "argument to register_pytree_node."
        )
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _with_paths(child, (*path, key), is_leaf)


def tree_flatten_with_path(
    tree: Any, is_leaf: IsLeaf = None
) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """Return the leaves, each with the keys that lead to it, and the spec."""
    return list(_with_paths(tree, (), is_leaf)), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[KeyPath, Any]]:
    """Return the leaves, each with the keys that lead to it."""
    return list(_with_paths(tree, (), is_leaf))


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Apply a function to the keys that lead to each leaf, and the leaf."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    others = [spec.flatten_up_to(rest) for rest in rests]
    return spec.unflatten([func(*pair, *values) for pair, *values in zip(found, *others)])


def keystr(kp: KeyPath) -> str:
    """Return keys as they would be written behind the tree's name."""
    return "".join(str(key) for key in kp)


def key_get(obj: Any, kp: KeyPath) -> Any:
    """Return what keys lead to."""
    for key in kp:
        obj = key.get(obj)
    return obj


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """Return one value for each leaf of a spec, from a tree that may stop early; None where it does not
    fit.
    """
    if tree_is_leaf(tree, is_leaf):
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
        below = _broadcast_to_and_flatten(child, spec, is_leaf)
        if below is None:
            return None
        found += below
    return found


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a spec as the tree that it makes, with ``*`` for each leaf."""

    class Star:
        def __repr__(self) -> str:
            return "*"

    return repr(treespec.unflatten([Star() for _ in range(treespec.num_leaves)]))
