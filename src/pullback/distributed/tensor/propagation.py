"""Ops on distributed tensors, done on the parts.

An elementwise op on tensors of one layout, and on copies that every process has, is done by each process on
its part. The sum of squares that a norm
takes is completed by one reduction. Any other op is done on whole tensors, which every process gathers: that
is right for every op, and slow.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from ...core.op import TABLE
from ...tensor.shape import broadcast_shapes
from ...tensor.tensor import Tensor
from .. import ReduceOp, all_reduce
from .api import DTensor
from .layout import Layout, moved, part
from .placement_types import Partial, Replicate, Shard

#: Whether plain tensors may stand beside distributed ones, as copies that every process has.
plain_is_replicated: ContextVar[bool] = ContextVar("plain_is_replicated", default=False)

#: What keeps the layout of its one tensor although it is no elementwise op of the table.
_KEEPS = frozenset(
    {"clone", "detach", "alias", "zeros_like", "ones_like", "empty_like", "full_like", "rand_like",
     "randn_like", "_to_copy", "fill", "zero"}
)  # fmt: skip


def computed(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of an op of torch's of which an argument is a distributed tensor."""
    name = func.__name__.partition(".")[0]
    given = list(_tensors((*args, *kwargs.values())))
    found = [t for t in given if isinstance(t, DTensor)]
    if name == "copy_":
        target, source = args[:2]
        if isinstance(target, DTensor):
            layout = target._layout
            local = source._local_tensor if _is_like(source, layout) else _cut(source, layout)
            target._local_tensor.copy_(local)
        else:
            target.copy_(source.full_tensor())
        return target
    plain = any(not isinstance(t, DTensor) and t.dim() for t in given)
    if plain and not plain_is_replicated.get():
        raise RuntimeError(
            f"{func} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
            "calling distributed operators!"
        )
    layout = next((t._layout for t in found if t.dim()), found[0]._layout)
    if name == "linalg_vector_norm" and (norm := _norm(func, args, kwargs, layout)) is not None:
        return norm
    if name in ("uniform", "normal"):  # each process draws the numbers of its part
        first, second, *generator = (*args[1:], *kwargs.values())
        drawn = getattr(_local(args[0]).clone(), f"{name}_")(first, second, generator=(*generator, None)[0])
        return _wrapped(drawn, layout)
    if name in _KEEPS and not plain:
        return _wrapped(func(*_mapped(args, _local), **_mapped(kwargs, _local)), layout)
    common = _common_layout(name, given)
    if common is not None:
        args, kwargs = (_mapped(value, lambda t: _part(t, common), Tensor) for value in (args, kwargs))
        return _wrapped(func(*args, **kwargs), common)
    whole = Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim, ())
    result = func(*_mapped(args, _full), **_mapped(kwargs, _full))
    return _wrapped(result, whole)


def _common_layout(name: str, given: list[Any]) -> Layout | None:
    """Return the layout in which each process does an elementwise op on its parts; None for other ops.

    It is that of the tensors in parts. Copies, which every process has, are cut to it.
    """
    op = TABLE.get(name)
    if op is None or op.kind != "elementwise":
        return None
    found = [t._layout for t in given if isinstance(t, DTensor)]
    shape = broadcast_shapes(*(tuple(t.shape) for t in given))
    divided = [one for one in found if any(not isinstance(p, Replicate) for p in one.placements)]
    common = divided[0] if divided else Layout(found[0].mesh, found[0].placements, tuple(shape))
    if any(one != common for one in divided) or any(one.mesh != common.mesh for one in found):
        return None
    if common.shape != tuple(shape) or any(isinstance(p, Partial) for p in common.placements):
        return None
    return common


def _part(tensor: Any, layout: Layout) -> Any:
    """Return this process's part of a tensor that is broadcast to the shape of a layout."""
    if isinstance(tensor, DTensor):
        if tensor._layout.placements == layout.placements and tensor._layout.shape == layout.shape:
            return tensor._local_tensor
        tensor = tensor._local_tensor
    for axis, placement in enumerate(layout.placements):
        if isinstance(placement, Shard):
            dim = placement.dim - (len(layout.shape) - tensor.dim())
            if dim >= 0 and tensor.shape[dim] != 1:
                place, count = layout.mesh.get_local_rank(axis), layout.mesh.size(axis)
                tensor = part(tensor, dim, place, count)
    return tensor


def _norm(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], layout: Layout) -> Any:
    """Return the norm of all elements of a tensor in parts; None where that is not what is asked for."""
    order = args[1] if len(args) > 1 else kwargs.get("ord", 2)
    axes = args[2] if len(args) > 2 else kwargs.get("dim")
    sharded = [p for p in layout.placements if isinstance(p, Shard)]
    every = axes is None or len(axes) in (0, len(layout.shape))
    if not every or not sharded or any(isinstance(p, Partial) for p in layout.placements) or order <= 0:
        return None
    local = func(*_mapped(args, _local), **_mapped(kwargs, _local))
    infinite = order == float("inf")
    total = (local if infinite else local**order).clone()
    for axis, placement in enumerate(layout.placements):
        if isinstance(placement, Shard):
            group = layout.mesh.get_group(axis)
            all_reduce(total, ReduceOp.MAX if infinite else ReduceOp.SUM, group=group)
    result = total if infinite else total ** (1.0 / order)
    return DTensor(result, Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim, tuple(result.shape)))


def _tensors(value: Any) -> Any:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part)


def _mapped(value: Any, change: Any, kind: type = DTensor) -> Any:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(part, change, kind) for part in value)
    if isinstance(value, dict):
        return {key: _mapped(part, change, kind) for key, part in value.items()}
    return value


def _local(tensor: DTensor) -> Any:
    return tensor._local_tensor


def _full(tensor: DTensor) -> Any:
    layout = tensor._layout
    whole = Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim, layout.shape)
    return moved(tensor._local_tensor, layout, whole)


def _is_like(value: Any, layout: Layout) -> bool:
    return isinstance(value, DTensor) and value._layout == layout


def _cut(value: Any, layout: Layout) -> Any:
    """Return this process's part of a tensor in any other layout, broadcast to the shape."""
    from .layout import cut

    return cut((_full(value) if isinstance(value, DTensor) else value).expand(layout.shape), layout)


def _wrapped(result: Any, layout: Layout) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_wrapped(part, layout) for part in result)
    if not isinstance(result, Tensor):
        return result
    sharded = any(isinstance(p, Shard) for p in layout.placements)
    shape = layout.shape if sharded else tuple(result.shape)
    return DTensor(result, Layout(layout.mesh, layout.placements, shape))


__all__ = ["computed", "plain_is_replicated"]
