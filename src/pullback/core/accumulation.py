"""Covectors that meet: their sum at a node, and the `.grad` of a leaf that one is added to."""

from _thread import get_ident
from typing import Any

from numpy import asarray, broadcast_to, floating, ndarray

from ..array.layout import is_dense
from ..array.strides import contiguous_strides, laid_out, strides_of
from . import facade
from .dual import Dual
from .hooked import as_inner, as_tensor, checked_replacement
from .hooks import NodeHooks
from .node import AccumulateGrad, accumulation_lock
from .promotion import broadcast_shape
from .tracer import Tracer
from .value import TensorBase, settled

#: What threads that only look at a pullback have to put back: (leaf, its `.grad`, the grad's values, its
#: version) for each time that a rule ran a backward of its own, as a checkpoint does.
rehearsals: dict[int, list[tuple[Any, Any, Any, int]]] = {}


def plus(before: Any, g: Any) -> Any:
    """Return the sum of two covectors; of a sparse and a dense one it is dense, whichever came first."""
    if type(g) is Tracer and type(before) is Tracer and g.recorder.patterns is not None:
        return g.recorder.patterns.plus(before, g)
    if isinstance(g, TensorBase) and g._sparse:
        before = as_tensor(before)
    elif isinstance(before, TensorBase) and before._sparse:
        return as_tensor(g) + before
    return before + g


def accumulate_grad(node: AccumulateGrad, g: Any, create_graph: bool) -> None:
    """Add a covector to the leaf's `.grad`; the array becomes the leaf's own."""
    leaf = node.variable
    settled(leaf)
    if leaf._node is None:
        return
    if g is None:
        _call_accumulated(node, node._hooks, None)
        return
    if isinstance(g, floating):
        g = asarray(g)
    if isinstance(innermost := g._value if isinstance(g, TensorBase) else g, Dual) and (
        innermost._level > leaf._level
    ):
        # As in torch, a gradient that is kept for after the level has no tangent.
        g = innermost.primal if create_graph else as_inner(innermost.primal, create_graph)
    hooks = node._hooks
    if rehearsals and (changes := rehearsals.get(get_ident())) is not None:
        _note_grad(leaf, changes)
        hooks = None
    with accumulation_lock:
        old = leaf._grad
        recorder = None if create_graph or old is None else getattr(old._value, "recorder", None)
        if old is None or (recorder is not None and recorder.absent is not None and recorder.absent(leaf)):
            if create_graph:
                leaf._grad = facade.copy_of(as_tensor(g))
            else:
                if type(value := leaf._value) is Tracer:
                    value = value.recorder.layouts.stand_in(value.index)
                if type(g) is type(value) is ndarray:
                    if g.strides != value.strides:
                        g = conforming(g, value)
                    elif node._hooks is not None and (node._hooks.tensor or node._hooks.pre):
                        g = g.copy()  # a hook may have kept what it was given, which is not to change
                elif type(g) is Tracer and type(value) is ndarray:
                    g = g.recorder.layouts.conform(g, value, node._hooks is not None)
                leaf._grad = g._accumulated() if is_sparse(g) else as_tensor(g)
        elif recorder is not None:
            # In place, as below: who holds the gradient finds it changed.
            sharing = recorder.sharing(old)
            total = plus(old, as_tensor(g)).to(old.dtype)
            old._value, old._level = recorder.written(old, total._value), total._level
            recorder.tell_sharing(old, sharing)
            old._counter[0] += 1
        elif create_graph or type(old._value) is not ndarray or not isinstance(g, ndarray):
            leaf._grad = plus(old, as_tensor(g))
        else:
            old._value += g
            old._counter[0] += 1
    _call_accumulated(node, hooks, g)


def _call_accumulated(node: AccumulateGrad, hooks: NodeHooks | None, g: object) -> None:
    """Run the hooks that come after a leaf got its covector."""
    if hooks is not None:
        kept = True
        for hook in list(hooks.accumulated.values()):
            if (found := hook(node.variable)) is not None and found is not node.variable:
                checked_replacement(found, node.variable, hook)
                kept = False
        if not kept:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        for hook in list(hooks.post.values()):
            hook((), (as_tensor(g),))


def is_sparse(g: object) -> bool:
    """Return whether a covector is a sparse tensor."""
    return isinstance(g, TensorBase) and g._sparse


def conforming(g: ndarray, value: ndarray) -> ndarray:
    """Return a covector as torch lays out a leaf's: like the leaf, or in C order where the leaf has gaps. A
    leaf whose `.data` has another shape since it was used gets the covector in that shape.
    """
    if g.shape != value.shape:
        broadcast_shape(value.shape, g.shape)
        g = broadcast_to(g, value.shape).copy()
    strides = strides_of(value) if is_dense(value) else contiguous_strides(value.shape)
    if all(n == 1 or a == b for n, a, b in zip(g.shape, strides_of(g), strides, strict=True)):
        return g
    return laid_out(g, strides)


def _note_grad(leaf: Any, changes: list[tuple[Any, Any, Any, int]]) -> None:
    """Remember the `.grad` that a leaf has now."""
    if (grad := leaf._grad) is None:
        changes.append((leaf, None, None, 0))
    else:
        value = grad._value
        changes.append((leaf, grad, value.copy() if type(value) is ndarray else value, grad._counter[0]))


def put_grads_back(changes: list[tuple[Any, Any, Any, int]]) -> None:
    """Undo what a rehearsal did to the `.grad` of leaves."""
    for leaf, grad, value, version in reversed(changes):
        leaf._grad = grad
        if grad is not None:
            if type(value) is ndarray:
                grad._value[...] = value
            else:
                grad._value = value
            grad._counter[0] = version
