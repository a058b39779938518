"""Assignment to parts of a tensor: slices, masks, index tensors, lists, None, Ellipsis."""

from __future__ import annotations

from math import prod
from typing import Any

from ..builder import ALL, FLOATS, SMOOTH, Builder, Literal, call
from ..program import expression
from . import Drawn, recipe
from .index import advanced_index
from .inplace import target
from .views import basic_index


def source_for(b: Builder, dtype: str, shape: tuple[int, ...]) -> Any:
    """A value to assign: a number, or a tensor that broadcasts to a shape."""
    if b.chance(0.35):
        return b.number(dtype)
    fitting = b.broadcastable(shape, wider=False)
    dtypes = (dtype,) if b.chance(0.8) or dtype not in FLOATS else FLOATS
    return b.pick(dtypes, where=lambda t: tuple(t.shape) == shape, shape=lambda: fitting, fresh=0.5)


@recipe(8)
def basic(b: Builder) -> Drawn:
    x, mode = target(b, ALL if b.chance(0.3) else SMOOTH, min_ndim=1)
    index = basic_index(b, b.value(x))
    part = b.value(x)[index]
    return call("setitem", x, index, source_for(b, b.dtype_of(x), tuple(part.shape)), within=mode)


@recipe(4)
def masked(b: Builder) -> Drawn:
    x, mode = target(b, ALL if b.chance(0.2) else SMOOTH, min_ndim=1)
    shape = tuple(b.value(x).shape)
    mask = b.mask(shape[: b.rng.randint(1, len(shape))])
    dtype = b.dtype_of(x)
    count = sum(mask.values) if prod(mask.shape) else 0
    value = b.number(dtype) if b.chance(0.6) else b.leaf(dtype, (count, *shape[len(mask.shape) :]))
    return call("setitem", x, mask, value, within=mode)


@recipe(5)
def advanced(b: Builder) -> Drawn:
    x, mode = target(b, ALL if b.chance(0.2) else SMOOTH, min_ndim=1)
    index = advanced_index(b, b.value(x), distinct=True)
    with_index = b.machine.names | {"x": b.value(x)}
    text = expression(index, widen=False)
    shape = tuple(eval(f"x[{text}]", with_index).shape)
    return call("setitem", x, index, source_for(b, b.dtype_of(x), shape), within=mode)


@recipe(2)
def augmented_part(b: Builder) -> Drawn:
    """`x[i] += y`, as Python runs it: read the part, update it in place, store it."""
    x, mode = target(b, SMOOTH, min_ndim=1)
    if mode:
        return None
    index = basic_index(b, b.value(x))
    part = b.next()
    value = b.scalar_like(x)
    return [
        call("getitem", x, index),
        call(b.one(("iadd", "imul")), part, value),
        call("setitem", x, index, part),
    ]


@recipe(2)
def index_put(b: Builder) -> Drawn:
    x, mode = target(b, SMOOTH, min_ndim=1)
    tensor = b.value(x)
    size = tensor.shape[0]
    if not size:
        return None
    count = b.rng.randint(1, 3)
    indices = b.indices((count,), size, negative=True)
    accumulate = b.chance(0.6)
    if not accumulate:
        indices = Literal("int64", (1,), indices.values[:1])
        count = 1
    values = b.leaf(b.dtype_of(x), (count, *tensor.shape[1:]))
    return call(".index_put_", x, (indices,), values, accumulate=accumulate, within=mode)


@recipe(1)
def attribute(b: Builder) -> Drawn:
    """Setting `.data`, `.grad` and `.requires_grad`."""
    x = b.pick(SMOOTH, where=lambda t: t.is_leaf)
    like = b.literal(b.dtype_of(x), tuple(b.value(x).shape))
    match b.one(("data", "grad", "requires_grad")):
        case "requires_grad":
            return call("setattr", x, "requires_grad", b.chance(0.7))
        case name:
            return call("setattr", x, name, None if name == "grad" and b.chance(0.2) else like)
