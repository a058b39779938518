"""Do ops on distributed tensors on the parts.

`strategies.py` says which ops each process can do on its parts, and in which layouts; tensors are brought
into these first. The sum of squares that a norm takes is completed by one reduction. Any other op is done on
whole tensors, which every process gathers: that is right for every op, and slow.
"""

from contextvars import ContextVar
from itertools import count
from typing import Any

from ...core.backward_task import in_backward
from ...tensor.creation import empty
from ...tensor.tensor import Tensor
from .. import ReduceOp, all_reduce
from .api import DTensor, mapped
from .layout import Layout, cut, local_shape, moved, without_summands
from .placement_types import Partial, Replicate, Shard
from .strategies import SIZED, VIEWS, Choice, chosen

#: Whether plain tensors may stand beside distributed ones, as copies that every process has.
plain_is_replicated: ContextVar[bool] = ContextVar("plain_is_replicated", default=False)

#: What shares the memory of its one tensor.
_KEEPS = frozenset({"detach", "alias"})
#: What makes another tensor for the places of its one tensor: for those of summands a whole one.
_MAKES = frozenset(
    {"zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "fill", "zero",
     "dropout_noise"}
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
            is_same = isinstance(source, DTensor) and source._layout == layout
            local = source._local_tensor if is_same else _cut(source, layout)
            target._local_tensor.copy_(local)
        else:
            target.copy_(source.full_tensor())
        return target
    plain = any(not isinstance(t, DTensor) and t.dim() for t in given)
    # What backward makes by itself, such as zeros, is the same in all processes.
    if plain and not plain_is_replicated.get() and not in_backward():
        raise RuntimeError(
            f"{func} got mixed torch.Tensor and DTensor, need to convert all torch.Tensor to DTensor before "
            "calling distributed operators!"
        )
    layout = next((t._layout for t in found if t.dim()), found[0]._layout)
    other = next((t._layout.mesh for t in found if t._layout.mesh != found[0]._layout.mesh), None)
    if other is not None:
        raise RuntimeError(
            f"All operands in {func} must have the same mesh, but got {found[0]._layout.mesh} and {other}."
        )
    if name == "linalg_vector_norm" and (norm := _norm(func, args, kwargs, layout)) is not None:
        return norm
    if name in ("uniform", "normal"):  # each process draws the numbers of its part
        first, second, *generator = (*args[1:], *kwargs.values())
        drawn = getattr(_local(args[0]).clone(), f"{name}_")(first, second, generator=(*generator, None)[0])
        return _wrapped(drawn, layout)
    if name in _KEEPS and not plain:
        return _wrapped(func(*mapped(args, _local), **mapped(kwargs, _local)), layout)
    if name in _MAKES and not plain:
        made = func(*mapped(args, _local), **mapped(kwargs, _local))
        return _wrapped(made, Layout(layout.mesh, without_summands(layout.placements), layout.shape))
    if (choices := chosen(name, args, kwargs, given, layout.mesh)) is not None:
        return _in_parts(func, name, args, kwargs, choices, layout.mesh)
    whole = Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim, ())
    result = func(*mapped(args, _full), **mapped(kwargs, _full))
    return _wrapped(result, whole)


def _in_parts(
    func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], choices: list[Choice], mesh: Any
) -> Any:
    """Return the result of an op that each process does on its parts, which lie as `choices` say."""
    outs = (one.outs if isinstance(one.outs, tuple) else (one.outs,) for one in choices)
    divided = any(isinstance(p, Shard) for placements in outs for p in placements)
    shapes: list[tuple[int, ...]] = []
    if divided:  # the shapes of the whole results
        results = func(*mapped(args, _shape, Tensor), **mapped(kwargs, _shape, Tensor))
        shapes = [tuple(t.shape) for t in _tensors([results])]
    places = count()

    def local(tensor: Any) -> Any:
        place = next(places)
        to = tuple(one.ins[place] for one in choices)
        if not isinstance(tensor, DTensor):
            layout = Layout(mesh, (Replicate(),) * mesh.ndim, tuple(tensor.shape))
            return moved(tensor, layout, Layout(mesh, to, layout.shape)) if tensor.dim() else tensor
        return moved(tensor._local_tensor, tensor._layout, Layout(mesh, to, tensor._layout.shape))

    args, kwargs = (mapped(value, local, Tensor) for value in (args, kwargs))

    def layout(place: int, result: Any) -> Layout:
        placements = tuple(one.outs[place] if isinstance(one.outs, tuple) else one.outs for one in choices)
        return Layout(mesh, placements, shapes[place] if divided else tuple(result.shape))

    if name in SIZED:
        if divided:
            placements = tuple(one.outs for one in choices)
            args = (args[0], local_shape(Layout(mesh, placements, shapes[0])), *args[2:])
        if name in VIEWS:  # a part may lie otherwise than the whole
            result = args[0].reshape(args[1])
            return DTensor(result, layout(0, result))
    results = func(*args, **kwargs)
    number = count()

    def wrapped(value: Any) -> Any:
        return DTensor(value, layout(next(number), value))

    return mapped(results, wrapped, Tensor)


def _shape(tensor: Any) -> Any:
    """Return a tensor without elements of the shape of the whole."""
    return empty(tuple(tensor.shape), dtype=tensor.dtype, device="meta")


def _norm(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], layout: Layout) -> Any:
    """Return the norm of all elements of a tensor in parts; None where that is not what is asked for."""
    order = args[1] if len(args) > 1 else kwargs.get("ord", 2)
    axes = args[2] if len(args) > 2 else kwargs.get("dim")
    sharded = [p for p in layout.placements if isinstance(p, Shard)]
    every = axes is None or len(axes) in (0, len(layout.shape))
    if not every or not sharded or any(isinstance(p, Partial) for p in layout.placements) or order <= 0:
        return None
    local = func(*mapped(args, _local), **mapped(kwargs, _local))
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


def _local(tensor: DTensor) -> Any:
    return tensor._local_tensor


def _full(tensor: DTensor) -> Any:
    layout = tensor._layout
    whole = Layout(layout.mesh, (Replicate(),) * layout.mesh.ndim, layout.shape)
    return moved(tensor._local_tensor, layout, whole)


def _cut(value: Any, layout: Layout) -> Any:
    """Return this process's part of a tensor in any other layout, broadcast to the shape."""
    return cut((_full(value) if isinstance(value, DTensor) else value).expand(layout.shape), layout)


def _wrapped(result: Any, layout: Layout) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(_wrapped(part, layout) for part in result)
    if not isinstance(result, Tensor):
        return result
    sharded = any(isinstance(p, Shard) for p in layout.placements)
    shape = layout.shape if sharded else tuple(result.shape)
    return DTensor(result, Layout(layout.mesh, layout.placements, shape))
