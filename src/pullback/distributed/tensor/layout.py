"""Say where the elements of a distributed tensor are, and how they get from one layout into another.

A layout is a mesh, a placement for each of its dimensions and the shape of the whole. Dimensions of the mesh
divide an axis one after the other; an axis is divided as `chunk` does it, so that the last processes may have
fewer elements than the others, or none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...tensor.creation import zeros
from ...tensor.join import cat
from .. import ReduceOp, all_gather, all_reduce
from ..device_mesh import DeviceMesh
from .placement_types import Partial, Placement, Replicate, Shard, _StridedShard

_OPERATIONS = {
    "sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "max": ReduceOp.MAX, "min": ReduceOp.MIN,
    "product": ReduceOp.PRODUCT,
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """A mesh, a placement for each of its dimensions and the shape of the whole tensor."""

    mesh: DeviceMesh
    placements: tuple[Placement, ...]
    shape: tuple[int, ...]


def part_sizes(size: int, count: int) -> list[int]:
    """Return how many of `size` elements each of `count` processes has."""
    each = -(-size // count)
    return [max(0, min(each, size - each * place)) for place in range(count)]


def part(tensor: Any, dim: int, place: int, count: int) -> Any:
    """Return the part of a tensor that a process has."""
    sizes = part_sizes(tensor.shape[dim], count)
    return tensor.narrow(dim, sum(sizes[:place]), sizes[place])


def factor_of(placement: Shard) -> int:
    """Return how many stretches of an axis a placement divides each by itself."""
    return placement.split_factor if isinstance(placement, _StridedShard) else 1


def stretches(tensor: Any, placement: Shard) -> tuple[Any, int, Any]:
    """Return a tensor with an axis of stretches before the one that is divided, that one's number, and what
    joins the two again. Where there is one stretch the tensor stays as it is.
    """
    dim, factor, shape = placement.dim, factor_of(placement), tensor.shape
    if factor == 1:
        return tensor, dim, lambda joined: joined
    spread = tensor.reshape(*shape[:dim], factor, shape[dim] // factor, *shape[dim + 1 :])
    return spread, dim + 1, lambda joined: joined.flatten(dim, dim + 1)


def sizes_of(shape: Sequence[int], placement: Shard, count: int) -> list[int]:
    """Return how many elements each of `count` processes has along the axis of a placement."""
    factor = factor_of(placement)
    return [factor * size for size in part_sizes(shape[placement.dim] // factor, count)]


def local_shape(layout: Layout) -> tuple[int, ...]:
    """Return the shape of what this process has."""
    return tuple(_shapes(layout)[-1])


def _shapes(layout: Layout) -> list[list[int]]:
    """Return the shape of the whole, and of what each dimension of the mesh in turn leaves this process."""
    shapes = [list(layout.shape)]
    for axis, placement in enumerate(layout.placements):
        shape = list(shapes[-1])
        if isinstance(placement, Shard):
            sizes = sizes_of(shape, placement, layout.mesh.size(axis))
            shape[placement.dim] = sizes[layout.mesh.get_local_rank(axis)]
        shapes.append(shape)
    return shapes


def without_summands(placements: Iterable[Placement]) -> tuple[Placement, ...]:
    """Return placements with copies where there are summands."""
    return tuple(Replicate() if isinstance(p, Partial) else p for p in placements)


def local_offsets(layout: Layout) -> tuple[int, ...]:
    """Return where in the whole tensor the part of this process begins."""
    places: list[Sequence[int]] = [range(size) for size in layout.shape]
    for axis, placement in enumerate(layout.placements):
        if isinstance(placement, Shard):
            count, place = layout.mesh.size(axis), layout.mesh.get_local_rank(axis)
            rows = np.array(places[placement.dim]).reshape(factor_of(placement), -1)
            sizes = part_sizes(rows.shape[1], count)
            start = sum(sizes[:place])
            places[placement.dim] = rows[:, start : start + sizes[place]].reshape(-1).tolist()
    for numbers in places:
        if len(numbers) and numbers[-1] - numbers[0] != len(numbers) - 1:
            raise NotImplementedError(
                "what this process has of a distributed tensor lies in several places of it: redistribute it "
                f"first (placements {layout.placements})"
            )
    return tuple(
        numbers[0] if len(numbers) else size for numbers, size in zip(places, layout.shape, strict=True)
    )


def normalised(placements: Sequence[Placement] | None, mesh: DeviceMesh, dims: int) -> tuple[Placement, ...]:
    """Return a placement for each dimension of a mesh, with axes counted from the front."""
    found = [Replicate()] * mesh.ndim if placements is None else list(placements)
    if len(found) != mesh.ndim:
        raise ValueError(
            f"`placements` must have the same length as `device_mesh.ndim`! Found placements length: "
            f"{len(found)}, and device_mesh.ndim: {mesh.ndim}."
        )
    return tuple(Shard(p.dim + dims) if isinstance(p, Shard) and p.dim < 0 else p for p in found)


def cut(whole: Any, layout: Layout) -> Any:
    """Return what this process has of a tensor that it knows as a whole."""
    local = whole
    for axis, placement in enumerate(layout.placements):
        count, place = layout.mesh.size(axis), layout.mesh.get_local_rank(axis)
        if isinstance(placement, Shard):
            spread, dim, join = stretches(local, placement)
            local = join(part(spread, dim, place, count))
        elif isinstance(placement, Partial):
            if placement.reduce_op == "sum":
                local = local if place == 0 else zeros(local.shape, dtype=local.dtype)
            elif placement.reduce_op != "avg":
                raise RuntimeError(f"a whole tensor cannot become {placement!r}")
    return local


def gathered(local: Any, dim: int, size: int, group: Any) -> Any:
    """Return the parts of all processes of a group, joined along an axis that has `size` elements in all."""
    if (count := group.size()) == 1:
        return local
    sizes = part_sizes(size, count)
    if missing := sizes[0] - local.shape[dim]:
        shape = list(local.shape)
        shape[dim] = missing
        local = cat([local, zeros(shape, dtype=local.dtype)], dim)
    parts = [zeros(local.shape, dtype=local.dtype) for _ in range(count)]
    all_gather(parts, local.contiguous(), group=group)
    return cat([one.narrow(dim, 0, n) for one, n in zip(parts, sizes, strict=True)], dim)


def moved(local: Any, old: Layout, new: Layout) -> Any:
    """Return what this process has of a tensor in another layout, `local` being that in the old one."""
    if old.placements == new.placements:
        return local
    same = 0  # dimensions of the mesh in front that stay as they are
    while old.placements[same] == new.placements[same]:
        same += 1
    shapes = _shapes(old)
    for axis in reversed(range(same, old.mesh.ndim)):
        placement, group = old.placements[axis], old.mesh.get_group(axis)
        if isinstance(placement, Shard):
            spread, dim, join = stretches(local, placement)
            size = shapes[axis][placement.dim] // factor_of(placement)
            local = join(gathered(spread, dim, size, group))
        elif isinstance(placement, Partial):
            local = local.clone()
            all_reduce(local, _OPERATIONS[placement.reduce_op], group=group)
    rest = tuple(Replicate() for _ in range(same)) + new.placements[same:]
    return cut(local, Layout(new.mesh, rest, tuple(shapes[same])))
