"""Reductions, cumulative functions and the softmax family."""

from __future__ import annotations

from typing import Any

from ..builder import ALL, FLOATS, INTS, SMOOTH, Builder, DType, Ref, call, some
from . import Drawn, recipe
from .elementwise import spelled


def over(b: Builder, x: Ref, several: bool = True, optional: bool = True) -> dict[str, Any]:
    """`dim` and `keepdim`, or neither."""
    tensor = b.value(x)
    if optional and b.chance(0.35):
        return {}
    kwargs: dict[str, Any] = {"dim": b.dims(tensor) if several and b.chance(0.4) else b.dim(tensor)}
    return kwargs | some(b, {"keepdim": lambda: b.chance(0.6)}, 0.5)


@recipe(6)
def total(b: Builder) -> Drawn:
    x = b.pick(ALL if b.chance(0.4) else SMOOTH)
    kwargs = over(b, x) | some(b, {"dtype": lambda: DType(b.dtype(("float64", "float32", "int64")))}, 0.1)
    return call(
        spelled(b, b.one(("sum", "sum", "nansum")) if b.dtype_of(x) in FLOATS else "sum"), x, **kwargs
    )


@recipe(3)
def mean(b: Builder) -> Drawn:
    x = b.pick(SMOOTH if b.chance(0.95) else ALL)
    return call(spelled(b, "mean"), x, **over(b, x))


@recipe(1.5)
def prod(b: Builder) -> Drawn:
    x = b.pick(ALL if b.chance(0.3) else SMOOTH)
    return call(spelled(b, "prod"), x, **over(b, x, several=False))


@recipe(2)
def extreme_values(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS), where=lambda t: t.numel() > 0)
    return call(spelled(b, b.one(("amax", "amin"))), x, **over(b, x))


@recipe(2.5)
def extreme(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS), where=lambda t: t.numel() > 0)
    return call(spelled(b, b.one(("max", "min"))), x, **over(b, x, several=False))


@recipe(1.5)
def place_of_extreme(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS), where=lambda t: t.numel() > 0)
    return call(spelled(b, b.one(("argmax", "argmin"))), x, **over(b, x, several=False))


@recipe(1.5)
def truth(b: Builder) -> Drawn:
    x = b.pick()
    return call(spelled(b, b.one(("all", "any"))), x, **over(b, x))


@recipe(0.5)
def count_nonzero(b: Builder) -> Drawn:
    x = b.pick()
    return call(spelled(b, "count_nonzero"), x, **some(b, {"dim": lambda: b.dim(b.value(x))}))


@recipe(2.5)
def spread(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"), min_ndim=1)
    kwargs = over(b, x) | some(b, {"correction": lambda: b.one((0, 1, 2))})
    return call(spelled(b, b.one(("var", "std"))), x, **kwargs)


@recipe(0.7)
def spread_and_mean(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"), min_ndim=1)
    return call(b.one(("torch.var_mean", "torch.std_mean")), x, **over(b, x))


@recipe(1.5)
def norm(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"))
    kwargs = over(b, x)
    if b.chance(0.5):
        return call(spelled(b, "norm"), x, b.one((2, 1, 3, 0, "fro")), **kwargs)
    return call("torch.linalg.vector_norm", x, b.one((2, 1, 3, 0.5, 0)), **kwargs)


@recipe(1.5)
def logsumexp(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    return call(spelled(b, "logsumexp"), x, **over(b, x, optional=False))


@recipe(0.5)
def aminmax(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS), where=lambda t: t.numel() > 0)
    return call(spelled(b, "aminmax"), x, **over(b, x, several=False))


@recipe(3)
def softmax(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    name = b.one(("softmax", "log_softmax"))
    kwargs = some(b, {"dtype": lambda: DType("float64")}, 0.15)
    where = b.one(("torch.", ".", "torch.nn.functional."))
    return call(f"{where}{name}", x, dim=b.dim(b.value(x)), **kwargs)


@recipe(0.5)
def softmin(b: Builder) -> Drawn:
    x = b.pick(FLOATS)
    return call("torch.nn.functional.softmin", x, dim=b.dim(b.value(x)))


@recipe(3)
def cumulative(b: Builder) -> Drawn:
    name = b.one(("cumsum", "cumsum", "cumprod", "logcumsumexp"))
    x = b.pick(FLOATS if name == "logcumsumexp" else (*SMOOTH, *INTS))
    return call(spelled(b, name), x, b.dim(b.value(x)))


@recipe(1)
def cumulative_extreme(b: Builder) -> Drawn:
    x = b.pick((*FLOATS, *INTS))
    return call(spelled(b, b.one(("cummax", "cummin"))), x, b.dim(b.value(x)))


@recipe(0.8)
def difference(b: Builder) -> Drawn:
    x = b.pick((*SMOOTH, *INTS), min_ndim=1)
    return call(
        spelled(b, "diff"), x, **some(b, {"n": lambda: b.one((1, 2)), "dim": lambda: b.dim(b.value(x))})
    )


@recipe(0.6)
def distance(b: Builder) -> Drawn:
    x = b.pick(("float32", "float64"))
    return call("torch.dist", x, b.partner(x, (b.dtype_of(x),)))


@recipe(0.6)
def trace(b: Builder) -> Drawn:
    return call(spelled(b, "trace"), b.pick(SMOOTH, ndim=2))
