"""torch.utils._pytree: nested containers as flat lists and back, a private module that libraries use.

The containers and their specs are those of `tensor.tree`.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from ..tensor.return_types import ReturnType
from ..tensor.tree import (  # noqa: F401  # under the names that libraries know
    BUILTIN_TYPES,
    STANDARD_DICT_TYPES,
    SUPPORTED_NODES,
    Context,
    FlattenFunc,
    GetAttrKey,
    IsLeaf,
    MappingKey,
    NodeDef,
    PyTree,
    SequenceKey,
    TreeSpec,
    UnflattenFunc,
    _broadcast_to_and_flatten,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    _get_node_type,
    _node,
    is_namedtuple_class,
    namedtuple_node,
    register_pytree_node,
    tree_flatten,
    tree_map,
    tree_unflatten,
    treespec_leaf,
    treespec_pprint,
)

KeyEntry = Any
KeyPath = tuple[Any, ...]


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


# The halves of these nodes under torch's names, with which libraries register containers of their own.
for _name, _kind in (
    ("tuple", tuple), ("list", list), ("ordereddict", OrderedDict), ("defaultdict", defaultdict),
    ("deque", deque), ("namedtuple", namedtuple_node),
):  # fmt: skip
    globals()[f"_{_name}_flatten"] = SUPPORTED_NODES[_kind].flatten_fn
    globals()[f"_{_name}_flatten_with_keys"] = SUPPORTED_NODES[_kind].flatten_with_keys_fn
    globals()[f"_{_name}_unflatten"] = SUPPORTED_NODES[_kind].unflatten_fn
del _name, _kind


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


PyTreeSpec = TreeSpec


def LeafSpec() -> TreeSpec:
    """Return the spec of a leaf."""
    return TreeSpec(None)


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Return whether a tree is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _node(tree) is None


_is_leaf = tree_is_leaf


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


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
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
    return reduce(lambda found, key: key.get(found), kp, obj)
