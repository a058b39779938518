"""Indexing with tensors, lists and masks; gather, scatter and their like."""

from __future__ import annotations

from math import prod
from typing import Any

from ..builder import FLOATS, SMOOTH, Builder, Literal, call
from . import Drawn, recipe
from .elementwise import spelled
from .inplace import target


def advanced_index(b: Builder, tensor: Any, distinct: bool = False) -> Any:
    """An index with at least one list, integer tensor or mask. `distinct` names no element twice."""
    shape = tuple(tensor.shape)
    place = b.rng.randrange(len(shape))
    size = shape[place]
    items: list[Any] = [slice(None)] * place
    if place and b.chance(0.4):
        items = [Ellipsis]
        place = len(shape) - 1
        size = shape[place]
    if b.chance(0.15):
        items.insert(0, None)
    if not size or b.chance(0.2):
        items.append(b.mask((size,)))
        return tuple(items)
    count = b.rng.randint(1, min(3, size)) if distinct else b.rng.randint(0 if b.chance(0.1) else 1, 3)
    numbers = (
        b.rng.sample(range(size), count)
        if distinct
        else [b.rng.randint(-size, size - 1) for _ in range(count)]
    )
    if count and b.chance(0.3):
        items.append(numbers)
    else:
        two = not distinct and count == 2 and b.chance(0.3)
        items.append(Literal(b.one(("int64", "int64", "int32")), (2, 1) if two else (count,), tuple(numbers)))
    if items[0] is not Ellipsis and None not in items and place + 1 < len(shape) and b.chance(0.4):
        following = shape[place + 1]
        if following and b.chance(0.5):
            items.append(Literal("int64", (), (b.rng.randint(-following, following - 1),)))
        elif following and b.chance(0.5):
            items.append(b.rng.randint(-following, following - 1))
        else:
            items.append(slice(0, 2))
    return tuple(items) if len(items) > 1 or b.chance(0.3) else items[0]


@recipe(7)
def indexed(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    return call("getitem", x, advanced_index(b, b.value(x)))


@recipe(3)
def by_mask(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    shape = tuple(b.value(x).shape)
    mask = b.mask(shape[: b.rng.randint(1, len(shape))])
    if b.chance(0.4):
        return call(spelled(b, "masked_select"), x, b.mask(b.broadcastable(shape, wider=False)))
    return call("getitem", x, mask)


@recipe(4)
def gather(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1, where=lambda t: t.numel() > 0)
    shape = tuple(b.value(x).shape)
    dim = b.dim(b.value(x))
    place = dim % len(shape)
    sizes = tuple(b.rng.randint(1, 3) if d == place else b.rng.randint(1, n) for d, n in enumerate(shape))
    return call(spelled(b, "gather"), x, dim, b.indices(sizes, shape[place]))


@recipe(2)
def index_select(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1, where=lambda t: t.numel() > 0)
    dim = b.dim(b.value(x))
    index = b.indices((b.rng.randint(1, 4),), b.value(x).shape[dim], b.one(("int64", "int32")))
    return call(spelled(b, "index_select"), x, dim, index)


@recipe(1.5)
def take(b: Builder) -> Drawn:
    x = b.pick(where=lambda t: t.numel() > 0)
    tensor = b.value(x)
    if b.chance(0.6) or not tensor.dim():
        return call(
            spelled(b, "take"), x, b.indices(b.shape(b.one((0, 1, 2))), tensor.numel(), negative=True)
        )
    dim = b.dim(tensor)
    shape = tuple(2 if d == dim % tensor.dim() else n for d, n in enumerate(tensor.shape))
    return call(spelled(b, "take_along_dim"), x, b.indices(shape, tensor.shape[dim]), dim)


def scatter_arguments(
    b: Builder, shape: tuple[int, ...], distinct: bool
) -> tuple[int, Literal, tuple[int, ...]] | None:
    """dim, an index tensor and the shape of a source that fit a target's shape."""
    if not prod(shape) or not shape:
        return None
    dim = b.rng.randrange(len(shape))
    sizes = tuple(b.rng.randint(1, n) for n in shape)
    if not distinct:
        return dim, b.indices(sizes, shape[dim]), sizes
    # Distinct along `dim`: a cyclic shift, so that no element is written twice.
    after = prod(sizes[dim + 1 :])
    shift = b.rng.randrange(shape[dim])
    values = tuple((k // after % sizes[dim] + shift) % shape[dim] for k in range(prod(sizes)))
    return dim, Literal("int64", sizes, values), sizes


@recipe(4)
def scatter(b: Builder) -> Drawn:
    in_place = b.chance(0.4)
    x, mode = target(b, SMOOTH, min_ndim=1) if in_place else (b.pick((*SMOOTH, "int64"), min_ndim=1), "")
    name = b.one(("scatter", "scatter", "scatter_add", "scatter_reduce"))
    fitting = scatter_arguments(b, tuple(b.value(x).shape), distinct=name == "scatter")
    if fitting is None:
        return None
    dim, index, sizes = fitting
    dtype = b.dtype_of(x)
    source: Any = b.leaf(dtype, sizes)
    suffix = "_" if in_place else ""
    kwargs: dict[str, Any] = {}
    if name == "scatter" and b.chance(0.3):
        source = b.number(dtype)
    if name == "scatter_reduce":
        reductions = ("sum", "prod", "mean", "amax", "amin") if dtype in FLOATS else ("sum", "prod")
        kwargs = {"reduce": b.one(reductions), "include_self": b.chance(0.6)}
    return call(f".{name}{suffix}", x, dim, index, source, within=mode, **kwargs)


@recipe(4)
def index_updates(b: Builder) -> Drawn:
    in_place = b.chance(0.5)
    x, mode = target(b, SMOOTH, min_ndim=1) if in_place else (b.pick((*SMOOTH, "int64"), min_ndim=1), "")
    tensor = b.value(x)
    if not tensor.numel():
        return None
    dim = b.dim(tensor)
    size = tensor.shape[dim]
    suffix = "_" if in_place else ""
    dtype = b.dtype_of(x)
    match b.one(("index_add", "index_add", "index_copy", "index_fill")):
        case "index_fill":
            index = b.indices((b.rng.randint(1, 3),), size)
            return call(f".index_fill{suffix}", x, dim, index, b.number(dtype), within=mode)
        case name:
            count = b.rng.randint(1, 3) if name == "index_add" else b.rng.randint(1, size)
            values = (
                tuple(b.rng.sample(range(size), count))
                if name == "index_copy"
                else (b.indices((count,), size).values)
            )
            shape = tuple(count if d == dim % tensor.dim() else n for d, n in enumerate(tensor.shape))
            kwargs = {"alpha": 2} if name == "index_add" and b.chance(0.3) else {}
            index = Literal("int64", (count,), values)
            return call(f".{name}{suffix}", x, dim, index, b.leaf(dtype, shape), within=mode, **kwargs)


@recipe(1)
def index_put(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, min_ndim=1, where=lambda t: t.shape[0] > 0)
    shape = tuple(b.value(x).shape)
    count = b.rng.randint(1, 3)
    indices = (b.indices((count,), shape[0]),)
    return call(
        spelled(b, "index_put"), x, indices, b.leaf(b.dtype_of(x), (count, *shape[1:])), accumulate=True
    )


@recipe(1)
def masked_scatter(b: Builder) -> Drawn:
    x = b.pick(SMOOTH)
    mask = b.mask(tuple(b.value(x).shape))
    return call(spelled(b, "masked_scatter"), x, mask, b.leaf(b.dtype_of(x), (max(b.value(x).numel(), 1),)))


@recipe(1)
def nonzero(b: Builder) -> Drawn:
    x = b.pick()
    return call(
        spelled(b, "nonzero"), x, **({"as_tuple": True} if b.chance(0.4) and b.value(x).dim() else {})
    )


@recipe(2)
def embedding(b: Builder) -> Drawn:
    weight = b.pick(("float32", "float64"), ndim=2, where=lambda t: t.numel() > 0)
    rows = b.value(weight).shape[0]
    index = b.indices(b.shape(b.one((1, 2))), rows)
    kwargs = {"padding_idx": b.rng.randrange(rows)} if b.chance(0.3) else {}
    return call("torch.nn.functional.embedding", index, weight, **kwargs)


@recipe(0.8)
def one_hot(b: Builder) -> Drawn:
    index = b.indices(b.shape(b.one((0, 1, 2))), 4)
    return call(
        "torch.nn.functional.one_hot",
        index,
        **({"num_classes": 5} if b.chance(0.5) or not prod(index.shape) else {}),
    )


@recipe(0.6)
def bincount(b: Builder) -> Drawn:
    index = b.indices((4,), 5)
    return call("torch.bincount", index, **({"minlength": 7} if b.chance(0.5) else {}))


@recipe(0.6)
def searchsorted(b: Builder) -> Drawn:
    edges = Literal("float32", (4,), tuple(sorted(b.real() for _ in range(4))))
    x = b.pick(("float32",))
    right = {"right": b.chance(0.5)}
    if b.chance(0.5):
        return call("torch.bucketize", x, edges, **right)
    return call("torch.searchsorted", edges, x, **right)


@recipe(0.5)
def select_and_slice_scatter(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, min_ndim=1, where=lambda t: t.numel() > 0)
    shape = list(b.value(x).shape)
    dim = b.rng.randrange(len(shape))
    if b.chance(0.5):
        source = b.leaf(b.dtype_of(x), tuple(shape[:dim] + shape[dim + 1 :]))
        return call("torch.select_scatter", x, source, dim, b.rng.randrange(shape[dim]))
    shape[dim] = 1
    start = b.rng.randrange(b.value(x).shape[dim])
    return call("torch.slice_scatter", x, b.leaf(b.dtype_of(x), tuple(shape)), dim, start, start + 1)
