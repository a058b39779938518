"""Order: sort, topk, median, unique. Where torch leaves the order of ties open, the values have none."""

from __future__ import annotations

from typing import Any

from ..builder import FLOATS, INTS, Builder, Ref, call, some
from . import Drawn, recipe
from .elementwise import spelled

ORDERED = (*FLOATS, *INTS)


def distinct(b: Builder, dtypes: tuple[str, ...] = ORDERED, min_ndim: int = 1) -> Ref:
    """A tensor without ties and without nan."""

    def fits(tensor: Any) -> bool:
        values = tensor.detach().flatten().tolist()
        return 0 < len(values) == len(set(values)) and all(value == value for value in values)

    shape = b.one(((4,), (5,), (2, 3), (3, 2), (2, 1, 3)))
    numbers = iter(b.rng.sample(range(-20, 40), 8))
    found = b.find(dtypes, min_ndim=min_ndim, where=fits)
    if found is not None:
        return found
    floats = tuple(name for name in FLOATS if name in dtypes)
    return b.leaf(b.dtype(floats), shape, values=lambda: next(numbers) / 4)


@recipe(4)
def sort(b: Builder) -> Drawn:
    x = b.pick(ORDERED) if b.chance(0.3) else distinct(b)
    kwargs = some(b, {"dim": lambda: b.dim(b.value(x)), "descending": lambda: b.chance(0.6)}, 0.5)
    if b.value(x).numel() != len(set(b.value(x).detach().flatten().tolist())):
        kwargs["stable"] = True
    return call(spelled(b, b.one(("sort", "sort", "argsort"))), x, **kwargs)


@recipe(3)
def topk(b: Builder) -> Drawn:
    x = distinct(b)
    dim = b.dim(b.value(x))
    kwargs = some(b, {"largest": lambda: False}, 0.3)
    return call(spelled(b, "topk"), x, b.rng.randint(1, b.value(x).shape[dim]), dim, **kwargs)


@recipe(2)
def median(b: Builder) -> Drawn:
    x = distinct(b)
    name = b.one(("median", "nanmedian"))
    return call(spelled(b, name), x, *((b.dim(b.value(x)),) if b.chance(0.6) else ()))


@recipe(1)
def kthvalue(b: Builder) -> Drawn:
    x = distinct(b)
    dim = b.dim(b.value(x))
    return call(spelled(b, "kthvalue"), x, b.rng.randint(1, b.value(x).shape[dim]), dim)


@recipe(1)
def mode(b: Builder) -> Drawn:
    x = distinct(b)
    return call(spelled(b, "mode"), x, *((b.dim(b.value(x)),) if b.chance(0.5) else ()))


@recipe(1)
def unique(b: Builder) -> Drawn:
    x = b.pick((*ORDERED, "bool"))
    return call(
        spelled(b, "unique"),
        x,
        **some(b, {"return_inverse": lambda: True, "return_counts": lambda: True}, 0.3),
    )


@recipe(1)
def quantile(b: Builder) -> Drawn:
    # The gradient goes to one of several equal elements, and which one torch leaves open.
    x = distinct(b, ("float32", "float64"))
    kwargs = some(b, {"dim": lambda: b.dim(b.value(x)), "keepdim": lambda: True}, 0.4)
    return call(spelled(b, "quantile"), x, b.one((0.0, 0.25, 0.5, 1.0)), **kwargs)
