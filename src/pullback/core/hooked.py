"""Runs the hooks of nodes, which see covectors as tensors.

As in torch, the hooks of a tensor run wherever a covector arrives at it, those of a node only where the node
itself runs; both are given None where nothing arrived.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array.dtype_words import class_name
from .hooks import NodeHooks
from .marked import resolved
from .node import MultiNode, Node
from .value import TensorBase, dtype_of, shape_of, wrap


def as_tensor(g: object) -> Any:
    """Return a covector as users see it in hooks and in `.grad`."""
    if type(g) is ndarray:
        return wrap(g)
    return (
        g
        if g is None or isinstance(g, TensorBase)
        else wrap(np.asarray(g) if np.isscalar(g) else g, None, _level(g))
    )


def _level(g: object) -> int:
    return getattr(g, "_level", 0)


def as_inner(t: object, create_graph: bool) -> Any:
    """Return a covector as the loop carries it."""
    return t if create_graph or not isinstance(t, TensorBase) or t._sparse else resolved(t._value)


def run_prehooks(node: Node, hooks: NodeHooks, g: object, runs: bool, create_graph: bool) -> Any:
    """Run the hooks of a node's outputs and, where the node itself `runs`, those that come before it."""
    # All hooks see the same tensor: one may leave an attribute on it for another.
    ts = _shown(node, g)
    for index in sorted(set(hooks.tensor) | set(hooks.retained)):
        if index >= len(ts):
            continue
        for hook in list(hooks.tensor.get(index, {}).values()):
            if (replacement := hook(ts[index])) is not None:
                ts[index] = checked_replacement(replacement, ts[index], hook)
        if index in hooks.retained and ts[index] is not None:
            hooks.retained[index](ts[index])
    for hook in list(hooks.pre.values()) if runs else ():
        if (replacement := hook(tuple(ts))) is not None:
            ts = list(_checked_replacements(replacement, ts, hook))
    gs = [as_inner(v, create_graph) for v in ts]
    return (gs if any(v is not None for v in gs) else None) if isinstance(node, MultiNode) else gs[0]


def _shown(node: Node, g: Any) -> list[Any]:
    """Return the covectors of a node's outputs as hooks see them."""
    if not isinstance(node, MultiNode):
        return [as_tensor(g)]
    return [None] * len(node._shape) if g is None else [as_tensor(v) for v in g]


def checked_replacement(replacement: object, g: object, hook: object) -> Any:
    """Return a hook's replacement, or raise as torch where it lacks the covector's shape and dtype."""
    if g is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(replacement, TensorBase):
        raise TypeError(f"expected Variable, but hook returned '{type(replacement).__name__}'")
    before, after = dtype_of(g), dtype_of(replacement)
    if before != after:
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has changed the type of value (was "
            f"{class_name(before)} got {class_name(after)})"
        )
    if shape_of(replacement) != shape_of(g):
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
    return replacement


def hook_name(hook: object) -> str:
    """Return torch's name of a hook in messages."""
    return getattr(hook, "__name__", "<unknown>")


def _checked_replacements(replacement: object, values: Sequence[object], hook: object) -> tuple[Any, ...]:
    """Return what a node's hook gives for the covectors that it was given, or raise as torch does."""
    if not isinstance(replacement, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(replacement).__name__}'")
    if len(replacement) != len(values):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(replacement)}, "
            f"but expected {len(values)})"
        )
    return tuple(
        None if new is None else checked_replacement(new, g, hook)
        for new, g in zip(replacement, values, strict=True)
    )


def run_posthooks(
    node: Node, hooks: NodeHooks, grads: Sequence[object], g: object, create_graph: bool
) -> tuple[Any, ...]:
    """Run the hooks that come after the node, and return the covectors that go on."""
    outputs = tuple(_shown(node, g))
    found = list(grads)
    which = node.derivable_inputs()
    for hook in list(hooks.post.values()):
        shown = (*(as_tensor(found[i]) for i in which), *node.absent_inputs())
        if (replacement := hook(shown, outputs)) is not None:
            for i, value in zip(which, _checked_replacements(replacement, shown, hook)):
                found[i] = as_inner(value, create_graph)
    return tuple(found)
