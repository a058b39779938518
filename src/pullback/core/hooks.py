"""Hooks of nodes and leaves, and the handles that remove them."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .node import Node
    from .value import TensorBase


class RemovableHandle:
    """Returned by every `register_*hook`; `remove()` takes the hook out, also as a context manager.

    The dictionary is held weakly: a handle keeps neither tensor nor graph alive.
    """

    next_id: int = 0

    def __init__(self, hooks: OrderedDict[int, Any], *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra_dict_ref = tuple(
            weakref.ref(d)
            for d in (extra_dict if isinstance(extra_dict, list) else [extra_dict])
            if d is not None
        )

    def remove(self) -> None:
        """Take the hook out; a second call does nothing."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            if (hooks := reference()) is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, ...]:
        return self.hooks_dict_ref(), self.id, tuple(reference() for reference in self.extra_dict_ref)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        hooks, self.id, *rest = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        extra = rest[0] if rest else None
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra or () if d is not None)
        # a new hook beside those that were loaded must not take the number of one
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class HookDict(OrderedDict[int, Any]):
    """An ordered dictionary of hooks."""


class NodeHooks:
    """All hooks of one node; a node without hooks has none of this.

    Attributes
    ----------
    tensor : dict of int to HookDict
        Hooks on output k's covector; each may return a replacement.
    retained : dict of int to callable
        Sets `.grad` of an output that asked to retain it; runs after the tensor hooks.
    pre, post : HookDict
        ``pre(grad_outputs)`` before and ``post(grad_inputs, grad_outputs)`` after the node runs.
    accumulated : HookDict
        ``hook(leaf)`` after a leaf's `.grad` was written.
    metadata : dict
        Free for users (``node.metadata``), and for anomaly mode.
    """

    __slots__ = ("accumulated", "metadata", "post", "pre", "retained", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}
        self.retained: dict[int, Callable[[Any], None]] = {}
        self.pre = HookDict()
        self.post = HookDict()
        self.accumulated = HookDict()
        self.metadata: dict[Any, Any] = {}

    def on_leaf(self) -> tuple[tuple[int, ...], tuple[int, ...]] | bool:
        """Return the numbers of the hooks on a leaf's covector and of those behind its `.grad`, where there
        are no others; true where one hook that comes after the node is all there is; false for anything else.
        """
        if self.retained or self.pre or any(self.tensor[k] for k in self.tensor if k):
            return False
        before, behind = tuple(self.tensor.get(0, ())), tuple(self.accumulated)
        return len(self.post) == 1 and not (before or behind) if self.post else (before, behind)


def hooks_of(node: Node) -> NodeHooks:
    """Return the hooks of a node, made when first asked for."""
    if node._hooks is None:
        node._hooks = NodeHooks()
    return node._hooks


#: Holds another object whenever a leaf has got hooks, for those who know of many leaves that they had none.
leaves_hooked = [object()]


def leaf_hooks(leaf: TensorBase) -> NodeHooks:
    """Return the hooks of a leaf; its live accumulator shares them."""
    reference = leaf._accumulator
    node = reference() if reference is not None else None
    if leaf._leaf_hooks is None:
        leaf._leaf_hooks = NodeHooks() if node is None else hooks_of(node)
        leaves_hooked[0] = object()
    if node is not None:
        node._hooks = leaf._leaf_hooks
    return leaf._leaf_hooks


def forget_removed_hooks(leaf: TensorBase) -> None:
    """Let a leaf whose hooks were all removed be one without hooks."""
    if (hooks := leaf._leaf_hooks) is None or any(hooks.tensor.values()):
        return
    if hooks.retained or hooks.pre or hooks.post or hooks.accumulated or hooks.metadata:
        return
    leaf._leaf_hooks = None
    reference = leaf._accumulator
    node = reference() if reference is not None else None
    if node is not None:
        node._hooks = None


def add_hook(hooks: HookDict, hook: Any, prepend: bool = False) -> RemovableHandle:
    """Put a hook behind the others, or before them; return the handle that removes it."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
