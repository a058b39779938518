"""In-place updates: the pure op, a write into the storage, a version bump.

On a view the write is also an ordinary differentiable `put` on the base, `put(base, new, steps)`: the base with the
elements that the view's steps select replaced. Its pullback is `put` of zeros for the base and the view's steps for the
source. The node is named `CopySlices` when printed, as in torch. A view that is stale replays its steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from .. import dtypes
from .. import graph_errors as errors
from .batched import Batched
from .calls import DIFFERENTIABLE, edge_of
from .modes import modes
from .node import LEAF, Node, Output, accumulator, edge_target, next_sequence, short_name
from .saved import FROZEN
from .value import TensorBase, dtype_of, shape_of, wrap
from .views import FUNCTION_VIEW, INFERENCE_VIEW, MULTI_VIEW, NO_GRAD_VIEW, View, bring_up_to_date, replay

#: ``put(base_value, source_value, steps)`` on any values, and ``clone(value)`` (set by `ops`: the core names no op).
put: Callable[[Any, Any, tuple[Any, ...]], Any]
clone: Callable[[Any], Any]


def use_writing_ops(put_op: Callable[..., Any], clone_op: Callable[..., Any]) -> None:
    """Take the two ops that in-place updates are made of."""
    global put, clone
    put, clone = put_op, clone_op


class CopySlices(Node):
    """History of a base after a write through a view: edges to the base before and to what was written."""

    __slots__ = ("like", "steps")
    __module__ = "torch.autograd.graph"

    def backward(self, g: Any) -> tuple[Any, ...]:
        base, source = self.edges
        g_source = None if source is None else clone(replay(laid_out_like(g, self.like), self.steps))
        if base is None:
            return None, g_source
        return put(laid_out_like(g, self.like), np.zeros((), dtype_of(g)), self.steps), g_source

    backward_graph = backward


class AsStridedBackward0(Node):
    """History of a stale view: the view's steps replayed on the base's present history."""

    __slots__ = ("like", "steps")
    __module__ = "torch.autograd.graph"

    def backward(self, g: Any) -> tuple[Any, ...]:
        zeros = np.zeros(self.like[0], dtype_of(g))
        zeros = laid_out_like(zeros, self.like)
        return (put(zeros, g, self.steps),)

    backward_graph = backward


def laid_out_like(value: Any, like: tuple[tuple[int, ...], tuple[int, ...] | None]) -> Any:
    """A value with the axis order in memory that a base has, so that the base's view steps can run on it."""
    _, order = like
    if order is None or not isinstance(value, ndarray):
        return value
    back = np.argsort(order)
    return np.ascontiguousarray(value.transpose(order)).transpose(back)


def axis_order(value: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Shape of a base and the order of its axes from outermost in memory (None for C order)."""
    shape = shape_of(value)
    while isinstance(value, TensorBase):
        value = value._value
    if not isinstance(value, ndarray) or value.flags.c_contiguous:
        return shape, None
    order = tuple(sorted(range(value.ndim), key=lambda axis: -abs(value.strides[axis])))
    return shape, None if order == tuple(range(value.ndim)) else order


def replayed_node(base: Any, view: Any, record: View) -> Node:
    """The node of a view whose base was written to."""
    node = AsStridedBackward0()
    node.edges = (edge_of(base),)
    node.saved = ()
    node.hooks = None
    node.steps = record.steps
    node.like = axis_order(base._value)
    node.shape = shape_of(view._value)
    node.dtype = dtype_of(view._value)
    node.seq = next_sequence()
    return node


def check_writable(x: Any, recording: bool) -> None:
    """Raise torch's error where an in-place update of `x` is not allowed.

    Parameters
    ----------
    x : tensor
    recording : bool
        Whether the update would be recorded (grad mode on and some input requires grad).
    """
    if x._view is not None:
        bring_up_to_date(x)
    mode = modes()
    if x._inference and not mode.inference:
        raise errors.inference_update()
    value = x._value
    if type(value) is ndarray and overlaps_itself(value):
        raise errors.overlapping_write()
    if not mode.grad or not recording:
        return
    record = x._view
    if record is not None and record.creation:
        raise forbidden_view_update(x, record)
    if x._node is LEAF:
        raise errors.leaf_update()
    if record is not None and record.base._node is LEAF:
        raise errors.leaf_view_update()


def forbidden_view_update(x: Any, record: View) -> RuntimeError:
    """Build the error for an update of a view that was made where updates cannot be tracked."""
    if x._node is None or x._node is LEAF:
        return errors.view_update(record.creation, None, 0)
    node, index = edge_target(x._node)
    return errors.view_update(record.creation, short_name(node), index)


def overlaps_itself(array: ndarray) -> bool:
    """Whether two elements share memory because an axis was expanded."""
    return 0 in array.strides and any(
        stride == 0 and size > 1 for stride, size in zip(array.strides, array.shape, strict=True)
    )


def write(x: Any, new: Any) -> Any:
    """Make `x` what the pure result `new` is: values into the storage, history, version; return `x`.

    `new` is a tensor of `x`'s shape, the result of a pure op on `x` (and others); its dtype is cast to `x`'s.
    """
    if new is x:
        return x
    node = new._node if modes().grad else None
    check_writable(x, recording=node is not None or requires_grad(x))
    value = x._value
    if dtype_of(value) != dtype_of(new._value) and not _castable(dtype_of(new._value), dtype_of(value)):
        raise errors.unsafe_result(dtype_of(new._value), dtype_of(value))
    if shape_of(value) != shape_of(new._value):
        raise errors.wrong_out_shape(shape_of(value), shape_of(new._value))
    if type(value) is ndarray and type(new._value) is ndarray:
        if node is not None:
            _keep_overwritten(node, x, new)
        value[...] = new._value
        after = value
    else:
        if type(value) is ndarray and isinstance(innermost(new), Batched):
            raise errors.batched_write()
        after = new._value
        if new._level > x._level:
            x._level = new._level
        x._value = after
    x._counter[0] += 1
    record_write(x, node)
    return x


def innermost(x: Any) -> Any:
    """The first value inside a tensor that is not itself a tensor."""
    while isinstance(x, TensorBase):
        x = x._value
    return x


def _castable(source: Any, destination: Any) -> bool:
    return dtypes.can_cast(dtypes.from_numpy_dtype(source), dtypes.from_numpy_dtype(destination))


def requires_grad(x: Any) -> bool:
    """Whether `x` is part of a graph or a leaf of one."""
    return x._node is not None


def record_write(x: Any, node: Any) -> None:
    """Give `x` (and its base) the history of a write whose pure result has the node `node` (None: not recorded)."""
    record = x._view
    if record is None:
        if node is not None or modes().grad:
            _move_history(x, node)
        return
    base = record.base
    if type(base._value) is not ndarray:
        base._value = put(base._value, x._value, record.steps)
        base._level = max(base._level, x._level)
    if not modes().grad or (node is None and base._node is None):
        record.at = x._counter[0] if base._node is None else record.at
        return
    after = CopySlices()
    after.edges = (edge_of(base), node)
    after.saved = ()
    after.hooks = None
    after.steps = record.steps
    after.like = axis_order(base._value)
    after.shape = shape_of(base._value)
    after.dtype = dtype_of(base._value)
    after.seq = next_sequence()
    _move_history(base, after)
    bring_up_to_date(x)


def _move_history(x: Any, node: Any) -> None:
    """Put a new node behind `x`; a retained grad moves along, other hooks stay with the old node."""
    old = x._node
    x._node = node
    x._counter[1:] = () if node is None else (short_name(edge_target(node)[0]),)
    if node is not None and x._retained and old is not None and old is not LEAF:
        from .hooks import hooks_of

        at, index = old if type(old) is Output else (old, 0)
        retain = at.hooks.retained.pop(index, None) if at.hooks is not None else None
        if retain is not None:
            at, index = node if type(node) is Output else (node, 0)
            hooks_of(at).retained[index] = retain


def _keep_overwritten(node: Any, x: Any, new: Any) -> None:
    """What the rule saved of the overwritten value is copied; what it saved of the result is now `x` itself."""
    node = node.node if type(node) is Output else node
    saved = node.saved
    if not saved or node.op is None:
        return
    count = 3 * node.op.layout.count
    old, result = x._value, new._value
    if not any(v is old or v is result for v in saved[:count:3]):
        return
    parts = list(saved)
    for i in range(0, count, 3):
        if parts[i] is old:
            parts[i : i + 3] = (old.copy(), FROZEN, 0)
        elif parts[i] is result:
            parts[i : i + 3] = (old, x._counter, x._counter[0] + 1)
    node.saved = tuple(parts)


def detach_(x: Any) -> Any:
    """Make `x` a leaf that does not require grad, in place."""
    if x._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
            "detach_() cannot be called on these gradients. To fix this error, please refer to the "
            "Optimizer.zero_grad() function in torch/optim/optimizer.py as a solution."
        )
    x._node = None
    return x


__all__ = [
    "DIFFERENTIABLE",
    "FUNCTION_VIEW",
    "INFERENCE_VIEW",
    "MULTI_VIEW",
    "NO_GRAD_VIEW",
    "accumulator",
    "check_writable",
    "detach_",
    "wrap",
    "write",
]
