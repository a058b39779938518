"""The general call of an op on tensors: any dtypes, levels, modes and subclasses, any number of outputs.

The closures of `calls` do the common case inline; whatever else there is comes here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import is_not
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from . import facade
from .batched import Batched, of_rows
from .blame import next_sequence, stamp
from .levels import META, WRAPPER
from .marked import Marked, resolved, viewed
from .modes import DEFAULT, NO_GRAD, Modes, beneath_autocast, beneath_hooks, modes, put_modes, reset_modes
from .node import DIFFERENTIABLE, LEAF, MultiNode, Node, Output, accumulator, unrecorded
from .saved import pack_made, save
from .tracer import Tracer, running
from .value import InnerValue, TensorBase, Value, dtype_of, run, settled, shape_of, within_transform, wrap
from .views import View
from .wrapper import Wrapped, dispatched

if TYPE_CHECKING:
    from .op import Op

_new = object.__new__


def run_tensor(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> Any:
    """Run `op` on the inner values of tensors at `level`; put a node behind the result where it needs one."""
    mode = modes()
    if (mode.autocast is not None or mode.saved_hooks) and (plain := _common(mode, level)) is not None:
        return _beneath(plain, op, inputs, attrs)
    is_alone = mode is DEFAULT or mode is NO_GRAD or (mode.transform and mode.is_transform_alone)
    if not level and mode.transform and is_alone:
        return within_transform(op, inputs, mode, op.called, inputs, attrs)
    if level > META and is_alone and (result := _on_rows(op, inputs, attrs, level, mode)) is not None:
        return result
    record = op.derivable and mode.grad and not mode.inference
    inner, edges = list[Any](), list[Any]()
    wanted, traced, has_bits = False, False, op.signs is not None
    aliased = top = None
    if level and record:
        _lift(inputs, level)
    for v in inputs:
        if isinstance(v, TensorBase) and (v._level == level or (level == WRAPPER and not v._level)):
            inner.append(value := v._value)
            if (kind := type(value)) is not ndarray:
                if kind is Marked:
                    has_bits = True
                elif kind is Tracer:
                    if level and value.is_foreign() and type(settled(v)) is not Tracer:
                        return op.called(inputs, attrs)
                    traced = True
                elif isinstance(value, InnerValue) and value._level == level:
                    top = kind
            aliased = v if aliased is None else aliased
            edge = v._node
            if edge is not None and record:
                edge = accumulator(v) if edge is LEAF else edge
                wanted = True
            edges.append(edge)
        else:
            inner.append(v)
            edges.append(None)
            traced = traced or type(v) is Tracer
    if traced and level:
        inner = [_bare(v) for v in inner]
    if mode.dispatch_modes and not level:
        result = dispatched(op, inputs, attrs)
    elif level and top is not None:
        # What has the level itself has nothing above it.
        result = top.run(op, tuple(inner), attrs, level)
    elif level:
        is_plain = is_alone and not has_bits and not traced
        result = _below(op, inner, attrs, mode) if is_plain else run(op, tuple(inner), attrs)
    elif has_bits and op.is_view:
        result = viewed(op, inner[0], attrs)
    else:
        result = op.evaluate(tuple(map(resolved, inner) if has_bits else inner), attrs)
    parts = result if (several := isinstance(result, tuple)) else (result,)
    if level == WRAPPER or Wrapped in map(type, parts):
        level = WRAPPER
        outs = [wrap(r, None, level if type(r) is Wrapped else 0) for r in parts]
    else:
        outs = _around(op, attrs, aliased, parts, several, level, mode)
    if wanted:
        attach(op, inputs, inner, attrs, edges, outs, level)
    return tuple(outs) if several else outs[0]


def _common(mode: Modes, level: int) -> Modes | None:
    """Return the common record in which an op runs as in this one, hooks on what it saves aside."""
    if not mode.saved_hooks:
        return beneath_autocast(mode)
    return None if level or running() is not None else beneath_hooks(mode)


def _beneath(plain: Modes, op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Any:
    """Run an op as it runs in a common mode, and send what it saved through the hooks in force, if any."""
    since = next_sequence()
    token = put_modes(plain)
    try:
        result = op.called(inputs, attrs)
    finally:
        reset_modes(token)
    if plain is DEFAULT and modes().saved_hooks:
        results = result if isinstance(result, tuple) else (result,)
        pack_made(results, [v for v in inputs if isinstance(v, TensorBase)], since)
    return result


def _on_rows(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int, mode: Modes) -> Any:
    """Run an op at a level of vmap, on tensors without a history there; return None elsewhere.

    What the general call asks besides is known of these, a third of an op's time.
    """
    for v in inputs:
        if isinstance(v, TensorBase) and v._level == level:
            break
    else:
        return None
    if type(v._value) is not Batched or Tracer in map(type, inputs):
        return None
    rows = of_rows(op, inputs, attrs, level, mode)
    if rows is None:
        return None
    several = type(rows) is tuple
    outs = _around(op, attrs, v, rows if several else (rows,), several, level, mode)
    return tuple(outs) if several else outs[0]


def _around(
    op: Op, attrs: tuple[object, ...], source: object, parts: tuple[Any, ...], several: bool, level: int,
    mode: Modes,
) -> list[Any]:  # fmt: skip
    """Return tensors around an op's results: views of the source where it gives views."""
    if op.is_view:
        return [view_result(op, attrs, source, r, k, several, mode) for k, r in enumerate(parts)]
    return [wrap(r, None, level) for r in parts]


def _lift(inputs: tuple[object, ...], level: int) -> None:
    """Make tensors that were made in a trace, and were no part of it until now, values of it."""
    recorder = running()
    if recorder is not None and recorder.lifts and recorder.level == level:
        for v in inputs:
            if isinstance(v, TensorBase) and v._node is not None and type(v._value) is ndarray:
                recorder.lift(v)


def _below(op: Op, inner: list[Any], attrs: tuple[object, ...], mode: Modes) -> Any:
    """Run an op below a level. Tensors around arrays are a remembered call (`Op.again`)."""
    tensor, parameter, called = facade.Tensor, facade.Parameter, op.again
    for v in inner:
        if (kind := type(v)) is tensor or kind is parameter:
            if v._level or type(v._value) is not ndarray:
                return run(op, tuple(inner), attrs)
            if v._value.dtype.kind in "iu":
                called = op.call
        elif isinstance(v, Value):
            return run(op, tuple(inner), attrs)
    return within_transform(op, inner, mode, called, *((tuple(inner),) if op.variadic else inner), *attrs)


def _bare(v: Any) -> Any:
    """Return the array of a trace's constant, which may meet a constant covector; other values stay."""
    if type(v) is Tracer:
        return v
    constant = isinstance(v, TensorBase) and v._node is None and type(v._value) is ndarray
    return v._value if constant else v


def view_result(
    op: Op, attrs: tuple[object, ...], parent: Any, value: Any, index: int, several: bool, mode: Any
) -> Any:
    """Return the tensor around a view, or one of several, that an op took of another tensor."""
    out = _new(TensorBase._facade)
    out._value = value
    out._node = unrecorded(parent, value) if parent._node is not None and not mode.grad else None
    out._counter = parent._counter
    out._view = View.of(parent, op, attrs, index if several else None, mode)
    if parent._level:
        out._level = parent._level
    if parent._born:
        out._born = parent._born
    return out


def attach(
    op: Op,
    tensors: Sequence[Any],
    inner: Sequence[Any],
    attrs: tuple[object, ...],
    edges: Sequence[Any],
    outs: Sequence[Any],
    level: int,
) -> None:
    """Make the node of a call and put it behind the differentiable outputs."""
    carried = []
    for k in range(len(outs)) if op.many else op.differentiable_outputs:
        value = (out := outs[k])._value
        dtype = value.recorder.dtypes[value.index] if type(value) is Tracer else dtype_of(value)
        if dtype in DIFFERENTIABLE:
            carried.append((out, dtype))
    if not carried:
        return
    node = _new(op.general_class)
    node.level = level  # type: ignore[attr-defined]  # the general class has the slot
    node._edges = tuple(edges)
    layout = op.layout
    if op.joint:
        wants: tuple[bool, ...] = (True,)
    else:
        wants = tuple(map(is_not, edges, repeat(None)))
    save(node, layout, tensors, inner, attrs, outs, wants)
    if isinstance(node, MultiNode):
        node._shape = tuple([shape_of(out._value) for out, _ in carried])
        node._dtype = tuple([dtype for _, dtype in carried])
        for k, (out, _) in enumerate(carried):
            out._node = Output(node, k)
    else:
        out, node._dtype = carried[0]
        value = out._value
        node._shape = value.recorder.shapes[value.index] if type(value) is Tracer else shape_of(value)
        out._node = node
    stamp(node)
    for created in node_watchers:
        created(node)


#: Called with each node that the general path makes (anomaly mode keeps the stack of the call).
node_watchers: list[Callable[[Node], None]] = []


TensorBase.run = staticmethod(run_tensor)  # type: ignore[method-assign]  # `value` knows no calls
