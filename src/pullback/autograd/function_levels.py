"""Run custom Functions inside transforms: the top level of the arguments decides, as for ops.

A batch level runs the Function's `vmap` (or, with `generate_vmap_rule`, its `forward` and `backward` under
the batch level); a forward-mode level its `jvp`; a reverse-mode level applies the Function below and puts a
node above.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.batched import Batched
from ..core.calls import edge_of
from ..core.dual import Dual
from ..core.modes import change, modes, set_modes
from ..core.tracer import Tracer
from ..core.value import TensorBase, wrap
from ..tensor.batching import as_tensor, enter, leave
from ..tensor.duals import with_tangent
from . import forward_ad
from .function import Function, apply_plain, attach_outputs, has_setup_context, new_context, run_forward


class VmapInfo(NamedTuple):
    """Tell a Function's `vmap` the batch size and the level's randomness."""

    batch_size: int
    randomness: str


def apply_at_level(cls: type[Function], args: Sequence[Any]) -> Any:
    """Apply a Function to tensors of which some belong to a transform."""
    level = max(a._level for a in args if isinstance(a, TensorBase))
    mine = [isinstance(a, TensorBase) and a._level == level for a in args]
    values = [a._value if m else None for a, m in zip(args, mine, strict=True)]
    if any(isinstance(v, Batched) for v in values):
        _need_setup_context(cls)
        return _batched(cls, args, values, level)
    if any(isinstance(v, Dual) for v in values):
        if not forward_ad.is_open(level):
            _need_setup_context(cls)
        return _dual(cls, args, values, level)
    if any(isinstance(v, Tracer) for v in values):
        return apply_plain(cls, args, {}, level)
    _need_setup_context(cls)
    return _tracked(cls, args, mine, level)


def _need_setup_context(cls: type[Function]) -> None:
    if not has_setup_context(cls):
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), "
            "it must override the setup_context staticmethod. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )


def _lowered(argument: Any, value: Any) -> Any:
    """Return an argument below the level: a mask has the level, and neither a tangent nor a batch axis."""
    return argument if value is None else as_tensor(value)


def _each(function: Any, output: Any) -> Any:
    return tuple(map(function, output)) if isinstance(output, tuple) else function(output)


def _batched(cls: type[Function], args: Sequence[Any], values: Sequence[Any], level: int) -> Any:
    size = next(v.size for v in values if isinstance(v, Batched))
    dims = tuple(v.dim if isinstance(v, Batched) else None for v in values)
    below = [
        as_tensor(v.value) if isinstance(v, Batched) else _lowered(a, v)
        for a, v in zip(args, values, strict=True)
    ]
    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an "
            "overriden vmap staticmethod. Please set generate_vmap_rule=False or delete the overriden vmap "
            "staticmethod to avoid ambiguity. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    if own:
        outputs, out_dims = cls.vmap(VmapInfo(size, "error"), dims, *below)
        if isinstance(outputs, tuple):
            spread = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(outputs)
            return tuple(o if d is None else enter(o, d, level) for o, d in zip(outputs, spread, strict=True))
        return outputs if out_dims is None else enter(outputs, out_dims, level)
    if not cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True. For more details, please see "
            "https://pytorch.org/docs/main/notes/extending.func.html"
        )
    outputs = _rule_for(cls, dims, size, level).apply(*below)
    return _each(lambda o: enter(o, 0, level) if isinstance(o, TensorBase) else o, outputs)


def _rule_for(cls: type[Function], dims: tuple[int | None, ...], size: int, level: int) -> Any:
    """Return the Function over whole batches that runs `cls` under the batch level."""

    class Mapped(Function):
        @staticmethod
        def forward(*below: Any) -> Any:
            output = cls.forward(*_entered(below, dims, level))
            return _each(lambda o: leave(o, 0, size, level) if isinstance(o, TensorBase) else o, output)

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            inside = _entered(inputs, dims, level)
            ctx.inner = new_context(cls, inside, [None] * len(inside))
            ctx.inner.needs_input_grad = ctx.needs_input_grad
            cls.setup_context(
                ctx.inner,
                inside,
                _each(lambda o: enter(o, 0, level) if isinstance(o, TensorBase) else o, output),
            )
            # What is saved must be saved below the batch level, where the node is.
            ctx.save_for_backward(
                *(None if t is None else leave(t, 0, size, level) for t in ctx.inner.to_save)
            )

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            ctx.inner.to_save = tuple(None if t is None else enter(t, 0, level) for t in ctx.saved_tensors)
            inside = [g if g is None else enter(g, 0, level) for g in grads]
            result = ctx.inner.apply(*inside)
            result = result if isinstance(result, tuple) else (result,)
            return tuple(
                None if r is None else _summed(leave(r, 0 if d is None else d, size, level), d)
                for r, d in zip(result, dims, strict=True)
            )

    Mapped._backward_cls.__name__ = f"{cls.__name__}Backward"
    return Mapped


def _entered(values: Sequence[Any], dims: Sequence[int | None], level: int) -> tuple[Any, ...]:
    return tuple(v if d is None else enter(v, d, level) for v, d in zip(values, dims, strict=True))


def _summed(grad: Any, dim: int | None) -> Any:
    return grad.sum(0) if dim is None else grad


def _dual(cls: type[Function], args: Sequence[Any], values: Sequence[Any], level: int) -> Any:
    primals = [
        as_tensor(v.primal) if isinstance(v, Dual) else _lowered(a, v)
        for a, v in zip(args, values, strict=True)
    ]
    tangents = [as_tensor(v.tangent) if isinstance(v, Dual) else None for v in values]
    outputs = cls.apply(*primals)
    ctx = new_context(cls, primals, [None] * len(primals))
    if has_setup_context(cls):
        cls.setup_context(ctx, tuple(primals), outputs)
    else:
        run_forward(cls, ctx, primals, {})
    ctx.to_save = ctx.saved_for_forward or ()
    pushed = cls.jvp(ctx, *tangents)
    if not isinstance(outputs, tuple):
        return outputs if pushed is None else with_tangent(outputs, pushed, level)
    return tuple(o if t is None else with_tangent(o, t, level) for o, t in zip(outputs, pushed, strict=True))


def _tracked(cls: type[Function], args: Sequence[Any], mine: Sequence[bool], level: int) -> Any:
    below = [as_tensor(a._value) if m else a for a, m in zip(args, mine, strict=True)]
    outputs = _each(lambda o: wrap(o, None, level) if isinstance(o, TensorBase) else o, cls.apply(*below))
    edges = [edge_of(a) if m and modes().grad else None for a, m in zip(args, mine, strict=True)]
    node = new_context(cls, args, edges)
    # Below the level are tensors, among which no bare array must come.
    node._below = level
    before = change(grad=False)
    try:
        cls.setup_context(node, tuple(args), outputs)
    finally:
        set_modes(modes()._replace(grad=before.grad))
    return attach_outputs(node, args, outputs, any(e is not None for e in edges))
