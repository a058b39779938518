"""Draws, which ONNX makes of streams of its own: the same distribution, other numbers."""

from ..rules import RULES

RULES |= {
    "normal": lambda g, x, mean, std, generator: (
        g.node("RandomNormalLike", x, mean=float(mean), scale=float(std))
    ),
    "uniform": lambda g, x, low, high, generator: (
        g.node("RandomUniformLike", x, low=float(low), high=float(high))
    ),
}
