"""Losses, with their reductions."""

from __future__ import annotations

from typing import Any

from ..builder import FLOATS, Builder, Literal, call, some
from . import Drawn, recipe

F = "torch.nn.functional"
REAL = ("float32", "float64")


def reduction(b: Builder) -> dict[str, Any]:
    return some(b, {"reduction": lambda: b.one(("mean", "sum", "none"))}, 0.6)


@recipe(4)
def regression(b: Builder) -> Drawn:
    x = b.pick(FLOATS, where=lambda t: t.numel() > 0)
    y = (
        b.partner(x, (b.dtype_of(x),))
        if b.chance(0.15)
        else b.pick(
            (b.dtype_of(x),),
            where=lambda t: t.shape == b.value(x).shape,
            shape=lambda: tuple(b.value(x).shape),
            fresh=0.4,
        )
    )
    match b.one(("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")):
        case "smooth_l1_loss":
            return call(f"{F}.smooth_l1_loss", x, y, **reduction(b), **some(b, {"beta": lambda: 0.5}))
        case "huber_loss":
            return call(f"{F}.huber_loss", x, y, **reduction(b), **some(b, {"delta": lambda: 0.5}))
        case name:
            return call(f"{F}.{name}", x, y, **reduction(b))


@recipe(5)
def classification(b: Builder) -> Drawn:
    x = b.pick(REAL, ndim=(1, 2, 3), where=lambda t: t.numel() > 0, shape=lambda: (3, 4))
    shape = tuple(b.value(x).shape)
    classes = shape[0] if len(shape) == 1 else shape[1]
    target_shape = () if len(shape) == 1 else (shape[0], *shape[2:])
    dtype = b.dtype_of(x)
    kwargs = reduction(b) | some(
        b, {"weight": lambda: b.leaf(dtype, (classes,), 0, values=lambda: b.rng.randint(1, 8) / 4)}, 0.3
    )
    kwargs |= some(b, {"ignore_index": lambda: 0}, 0.2)
    target = b.indices(target_shape, classes)
    if b.chance(0.35):
        return call(f"{F}.nll_loss", x, target, **kwargs)
    kwargs |= some(b, {"label_smoothing": lambda: 0.25}, 0.25)
    if b.chance(0.25):
        kwargs.pop("ignore_index", None)
        return call(
            f"{F}.cross_entropy", x, b.leaf(dtype, shape, values=lambda: b.rng.randint(0, 4) / 4), **kwargs
        )
    return call(f"{F}.cross_entropy", x, target, **kwargs)


@recipe(3)
def binary(b: Builder) -> Drawn:
    x = b.pick(REAL, where=lambda t: t.numel() > 0)
    shape, dtype = tuple(b.value(x).shape), b.dtype_of(x)
    target = b.leaf(dtype, shape, 0.1, values=lambda: b.rng.randint(0, 4) / 4)
    if b.chance(0.4):
        probability = b.leaf(
            dtype, shape, 0.9, values=lambda: b.rng.randint(0 if b.chance(0.1) else 1, 7) / 8
        )
        return call(f"{F}.binary_cross_entropy", probability, target, **reduction(b))
    kwargs = reduction(b) | some(b, {"pos_weight": lambda: Literal(dtype, (), (2.0,))}, 0.3)
    return call(f"{F}.binary_cross_entropy_with_logits", x, target, **kwargs)


@recipe(1.5)
def divergence(b: Builder) -> Drawn:
    x = b.pick(REAL, min_ndim=1, where=lambda t: t.numel() > 0)
    target = b.leaf(b.dtype_of(x), tuple(b.value(x).shape), 0.3, values=lambda: b.rng.randint(0, 4) / 4)
    kwargs = some(b, {"reduction": lambda: b.one(("sum", "batchmean", "none"))}, 0.8)
    return call(f"{F}.kl_div", x, target, **kwargs, **some(b, {"log_target": lambda: True}, 0.3))


@recipe(2)
def other(b: Builder) -> Drawn:
    x = b.pick(REAL, ndim=2, where=lambda t: t.numel() > 0, shape=lambda: (2, 3))
    shape, dtype = tuple(b.value(x).shape), b.dtype_of(x)
    y = b.leaf(dtype, shape)
    match b.one(("cosine", "hinge", "margin", "poisson", "soft_margin", "triplet", "gaussian", "embedding")):
        case "cosine":
            return call(f"{F}.cosine_similarity", x, y, **some(b, {"dim": lambda: b.dim(b.value(x))}))
        case "hinge":
            signs = b.leaf(dtype, shape, 0, values=lambda: b.one((-1.0, 1.0)))
            return call(f"{F}.hinge_embedding_loss", x, signs, **reduction(b))
        case "margin":
            signs = b.leaf(dtype, shape, 0, values=lambda: b.one((-1.0, 1.0)))
            return call(f"{F}.margin_ranking_loss", x, y, signs, **reduction(b))
        case "poisson":
            return call(f"{F}.poisson_nll_loss", x, y, **reduction(b))
        case "soft_margin":
            signs = b.leaf(dtype, shape, 0, values=lambda: b.one((-1.0, 1.0)))
            return call(f"{F}.soft_margin_loss", x, signs, **reduction(b))
        case "triplet":
            return call(f"{F}.triplet_margin_loss", x, y, b.leaf(dtype, shape), **reduction(b))
        case "gaussian":
            spread = b.leaf(dtype, shape, 0.5, values=lambda: b.rng.randint(1, 8) / 4)
            return call(f"{F}.gaussian_nll_loss", x, y, spread, **reduction(b))
    signs = b.leaf(dtype, shape[:1], 0, values=lambda: b.one((-1.0, 1.0)))
    return call(f"{F}.cosine_embedding_loss", x, y, signs, **reduction(b))
