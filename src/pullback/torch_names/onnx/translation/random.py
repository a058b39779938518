"""Draws, which ONNX makes of streams of its own: the same distribution, other numbers."""

from __future__ import annotations

from typing import Any

from ..builder import Graph, Operand
from ..rules import rule


@rule("normal")
def _normal(g: Graph, x: Operand, mean: Any, std: Any, generator: Any) -> str:
    return str(g.node("RandomNormalLike", x, mean=float(mean), scale=float(std)))


@rule("uniform")
def _uniform(g: Graph, x: Operand, low: Any, high: Any, generator: Any) -> str:
    return str(g.node("RandomUniformLike", x, low=float(low), high=float(high)))
