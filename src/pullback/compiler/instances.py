"""Objects that a function makes and returns: what stands in their ``__dict__``, as a tree, and the way back.

A model's output may be an object of a class that no tree knows, such as a cache of keys and values. Each call
gives a new one, with the tensors of that call where the traced one had its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtypes
from ..core.value import TensorBase
from ..utils._pytree import register_pytree_node, tree_map
from .reach import SCALARS, Reach
from .unsupported import Unsupported


class Instance:
    """An object as a node of a tree.

    Attributes
    ----------
    kind : type
    contents : dict of str to value
        What its ``__dict__`` holds, opened itself.
    """

    __slots__ = ("contents", "kind")

    def __init__(self, kind: type, contents: dict[str, Any]) -> None:
        self.kind = kind
        self.contents = contents


def _built(children: Any, context: tuple[type, tuple[str, ...]]) -> Any:
    kind, names = context
    made: Any = object.__new__(kind)
    made.__dict__.update(zip(names, children, strict=True))
    return made


register_pytree_node(
    Instance, lambda node: (list(node.contents.values()), (node.kind, tuple(node.contents))), _built
)


def opened(result: Any, is_new: Callable[[Any], bool]) -> Any:
    """What a function returned with `Instance` in place of the objects with tensors in them.

    Parameters
    ----------
    result
    is_new : callable
        Whether the function made an object, and left it nowhere else.
    """
    seen: set[int] = set()

    def open_(value: Any) -> Any:
        if isinstance(value, (TensorBase, *SCALARS, dtypes.dtype)) or not _is_plain(value):
            return value
        if not is_new(value) or not Reach([value]).cells:
            return value
        if id(value) in seen:
            raise Unsupported("the function returns an object with tensors in it twice")
        seen.add(id(value))
        return Instance(type(value), {name: tree_map(open_, part) for name, part in vars(value).items()})

    return tree_map(open_, result)


class _Plain:
    """What nothing stands in but a ``__dict__``."""


def _is_plain(value: Any) -> bool:
    return type(value).__basicsize__ == _Plain.__basicsize__ and hasattr(value, "__dict__")
