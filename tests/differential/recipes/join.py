"""Joining tensors, making new ones, and padding."""

from __future__ import annotations

from typing import Any

from ..builder import ALL, FLOATS, SMOOTH, Builder, DType, Ref, call, some
from . import Drawn, recipe


def siblings(b: Builder, x: Ref, along: int | None) -> list[Ref]:
    """A tensor with one or two others, of its shape but for one dimension."""
    shape = tuple(b.value(x).shape)

    def fits(tensor: Any) -> bool:
        other = tuple(tensor.shape)
        return len(other) == len(shape) and all(
            n == m or d == along for d, (n, m) in enumerate(zip(shape, other))
        )

    def drawn() -> tuple[int, ...]:
        return tuple(b.rng.randint(0, 3) if d == along else n for d, n in enumerate(shape))

    dtypes = (b.dtype_of(x),) if b.chance(0.75) else ALL
    others = [
        b.pick(dtypes, where=fits, shape=drawn, fresh=0.4)
        for _ in range(b.rng.randint(0 if b.chance(0.1) else 1, 2))
    ]
    joined = [x, *others]
    b.rng.shuffle(joined)
    return joined


@recipe(5)
def cat(b: Builder) -> Drawn:
    x = b.pick(min_ndim=1)
    ndim = b.value(x).dim()
    along = b.rng.randrange(ndim)
    dim = along - ndim if b.chance(0.3) else along
    name = b.one(("torch.cat", "torch.cat", "torch.concat", "torch.concatenate"))
    return (
        call(name, siblings(b, x, along), dim)
        if b.chance(0.5)
        else call(name, siblings(b, x, along), dim=dim)
    )


@recipe(4)
def stack(b: Builder) -> Drawn:
    x = b.pick(ndim=(0, 1, 2, 3))
    ndim = b.value(x).dim()
    joined: Any = siblings(b, x, None)
    if b.chance(0.3):
        joined = tuple(joined)
    return call("torch.stack", joined, *((b.rng.randint(-ndim - 1, ndim),) if b.chance(0.6) else ()))


@recipe(1.5)
def named_stack(b: Builder) -> Drawn:
    x = b.pick(ndim=(0, 1, 2))
    return call(f"torch.{b.one(('hstack', 'vstack', 'dstack', 'column_stack'))}", siblings(b, x, None))


@recipe(1)
def meshgrid(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=1)
    return call("torch.meshgrid", x, b.pick((b.dtype_of(x),), ndim=1), indexing=b.one(("ij", "xy")))


@recipe(0.7)
def broadcast_tensors(b: Builder) -> Drawn:
    x = b.pick()
    return call("torch.broadcast_tensors", x, b.partner(x))


@recipe(0.7)
def block_diag(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=2)
    return call("torch.block_diag", x, b.pick((b.dtype_of(x),), ndim=2))


@recipe(0.5)
def cartesian(b: Builder) -> Drawn:
    x = b.pick(SMOOTH, ndim=1)
    return call("torch.cartesian_prod", x, b.pick((b.dtype_of(x),), ndim=1))


@recipe(2)
def pad(b: Builder) -> Drawn:
    mode = b.one(("constant", "constant", "reflect", "replicate", "circular"))
    if mode == "constant":
        x = b.pick(SMOOTH, min_ndim=1)
        pads = tuple(
            b.rng.randint(-1 if b.chance(0.15) else 0, 2)
            for _ in range(2 * b.rng.randint(1, b.value(x).dim()))
        )
        return call("torch.nn.functional.pad", x, pads, *(("constant", b.real()) if b.chance(0.5) else ()))
    x = b.pick(
        ("float32", "float64"),
        ndim=(3,),
        where=lambda t: t.numel() and t.shape[-1] > 1,
        shape=lambda: (1, 2, 3),
    )
    return call("torch.nn.functional.pad", x, (b.rng.randint(0, 1), b.rng.randint(0, 1)), mode=mode)


@recipe(3)
def like(b: Builder) -> Drawn:
    x = b.pick()
    kwargs = some(
        b, {"dtype": lambda: DType(b.dtype()), "requires_grad": lambda: b.dtype_of(x) in FLOATS}, 0.2
    )
    name = b.one(("zeros_like", "ones_like", "full_like"))
    return call(f"torch.{name}", x, *((b.scalar_like(x),) if name == "full_like" else ()), **kwargs)


@recipe(1.5)
def new(b: Builder) -> Drawn:
    x = b.pick()
    match b.one(("new_zeros", "new_ones", "new_full", "new_tensor")):
        case "new_full":
            return call(".new_full", x, b.shape(), b.scalar_like(x))
        case "new_tensor":
            return call(".new_tensor", x, [b.scalar_like(x), b.scalar_like(x)])
        case name:
            return call(f".{name}", x, *(b.shape(2) if b.chance(0.5) else (b.shape(),)))


@recipe(3)
def ranges(b: Builder) -> Drawn:
    dtype = some(b, {"dtype": lambda: DType(b.dtype(("float32", "float64", "int64", "int32")))}, 0.3)
    match b.one(("arange", "steps", "linspace", "eye", "full", "tri", "zeros")):
        case "arange":
            return call("torch.arange", b.rng.randint(0, 6), **dtype)
        case "steps":
            return call("torch.arange", b.real(), b.real() + 3, b.one((0.5, 1, 0.25)), **dtype)
        case "linspace":
            return call("torch.linspace", b.real(), b.real(), b.rng.randint(0, 6))
        case "eye":
            return call("torch.eye", b.rng.randint(0, 4), *((b.rng.randint(1, 4),) if b.chance(0.4) else ()))
        case "full":
            return call("torch.full", b.shape(), b.scalar())
        case "tri":
            return call("torch.tril_indices", b.rng.randint(1, 3), b.rng.randint(1, 3))
    return call("torch.zeros", *b.shape(2), **dtype)
