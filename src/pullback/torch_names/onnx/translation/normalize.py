"""Tell of normalisation: of layers, batches and groups."""

from typing import Any

import numpy as np

from ..builder import Graph, Operand
from ..rules import rule


def _affine(g: Graph, x: str, weight: Any, bias: Any, dtype: np.dtype[Any]) -> str:
    if weight is not None:
        x = g.node("Mul", x, g.value(weight, dtype) if isinstance(weight, Operand) else weight)
    if bias is not None:
        x = g.node("Add", x, g.value(bias, dtype) if isinstance(bias, Operand) else bias)
    return x


@rule("native_layer_norm")
def _layer_norm(g: Graph, x: Operand, weight: Any, bias: Any, axes: int, eps: float) -> Any:
    if weight is None:
        ones = g.constant(np.ones(g.numbers(x.shape[x.rank - axes :])), x.dtype)
        found = g.node("LayerNormalization", x, ones, axis=-axes, epsilon=eps, outputs=3)
        return (_affine(g, found[0], None, bias, x.dtype), *found[1:])
    return g.node("LayerNormalization", x, weight, bias, axis=-axes, epsilon=eps, outputs=3)


@rule("native_batch_norm")
def _batch_norm(
    g: Graph, x: Operand, weight: Any, bias: Any, mean: Any, var: Any, training: bool, eps: float
) -> Any:
    if training or mean is None:
        return _by_batch(g, x, weight, bias, eps)
    channels = g.number(x.shape[1])
    scale = weight if weight is not None else g.constant(np.ones(channels), x.dtype)
    shift = bias if bias is not None else g.constant(np.zeros(channels), x.dtype)
    return g.node("BatchNormalization", x, scale, shift, mean, var, epsilon=eps), None, None


def _by_batch(g: Graph, x: Operand, weight: Any, bias: Any, eps: float) -> Any:
    """Normalise by the batch's own mean and variance, as in training and in instances."""
    axes = g.ints([0, *range(2, x.rank)])
    mean = g.node("ReduceMean", x, axes, keepdims=1)
    gap = g.node("Sub", x, mean)
    spread = g.node("ReduceMean", g.node("Mul", gap, gap), axes, keepdims=1)
    size = g.node("Sqrt", g.node("Add", spread, g.constant(eps, x.dtype)))
    wide = g.ints([-1, *(1,) * (x.rank - 2)])
    weight, bias = (None if v is None else g.node("Reshape", v, wide) for v in (weight, bias))
    flat = g.ints([-1])
    inverse = g.node("Reshape", g.node("Reciprocal", size), flat)
    return _affine(g, g.node("Div", gap, size), weight, bias, x.dtype), g.node("Reshape", mean, flat), inverse


@rule("native_group_norm")
def _group_norm(g: Graph, x: Operand, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """Normalise each group as an instance of its own, as one normalisation of ``(N, groups, ·)``."""
    parted = g.node("Reshape", x, g.ints([0, groups, -1]))
    ones, zeros = (g.constant(np.full(groups, v), x.dtype) for v in (1, 0))
    normal = g.node("InstanceNormalization", parted, ones, zeros, epsilon=eps)
    whole = g.node("Reshape", normal, g.node("Shape", x))
    wide = g.ints([g.number(x.shape[1]), *(1,) * (x.rank - 2)])
    weight, bias = (None if v is None else g.node("Reshape", v, wide) for v in (weight, bias))
    return _affine(g, whole, weight, bias, x.dtype), None, None
