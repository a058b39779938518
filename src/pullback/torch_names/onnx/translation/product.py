"""Tell of products of matrices, convolutions and attention."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...export.varying import Varying
from ..builder import Graph, Operand
from ..rules import RULES, Unsupported, rule


def _turned(g: Graph, x: Operand) -> tuple[str, int]:
    """Return a matrix as Gemm takes it: by another name where it is that value's transpose."""
    made = g.made_by.get(x.name)
    return (x.name, 0) if made is None else (made[1], 1)


@rule("mm", "mm_folded", "matmul", "bmm", "mv", "dot", "vdot")
def _matmul(g: Graph, x: Operand, y: Operand) -> Any:
    if x.rank == y.rank == 2 and y.name in g.made_by:
        other, turned = _turned(g, y)
        return g.node("Gemm", x, other, transB=turned)
    return g.node("MatMul", x, y)


@rule("linear", "linear_folded")
def _linear(g: Graph, x: Operand, w: Operand) -> Any:
    if x.rank == 2:
        return g.node("Gemm", x, w, transB=1)
    return g.node("MatMul", x, g.node("Transpose", w, perm=[1, 0]))


@rule("addmm")
def _addmm(g: Graph, x: Operand, y: Operand, z: Operand, beta: Any, alpha: Any) -> Any:
    (left, transposed), (right, turned) = _turned(g, y), _turned(g, z)
    return g.node(
        "Gemm", left, right, x, transA=transposed, transB=turned, alpha=float(alpha), beta=float(beta)
    )


@rule("baddbmm", "addmv")
def _baddbmm(g: Graph, x: Operand, y: Operand, z: Operand, beta: Any, alpha: Any) -> Any:
    product = _scaled(g, g.node("MatMul", y, z), alpha, x.dtype)
    return product if beta == 0 else g.node("Add", _scaled(g, x.name, beta, x.dtype), product)


def _scaled(g: Graph, x: str, factor: Any, dtype: np.dtype[Any]) -> str:
    return x if factor == 1 else str(g.node("Mul", x, g.constant(factor, dtype)))


# --- convolution --------------------------------------------------------------------------------------------

def _conv(
    g: Graph, x: Operand, w: Operand, b: Operand | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int,
) -> Any:  # fmt: skip
    if any(p < 0 for p in padding):
        raise Unsupported("ONNX has no negative padding of convolutions")
    return g.node(
        "Conv", x, w, b, strides=[*stride], pads=[*padding, *padding], dilations=[*dilation], group=groups,
        kernel_shape=g.numbers(w.shape[2:]),
    )  # fmt: skip


RULES["conv_biased"] = _conv
RULES["conv"] = lambda g, x, w, *attrs: _conv(g, x, w, None, *attrs)


def _conv_transpose(
    g: Graph, y: Operand, w: Operand, b: Operand | None, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int, size: Sequence[Any],
) -> Any:  # fmt: skip
    kernel = g.numbers(w.shape[2:])
    rest = []
    for n, out, k, s, p, d in zip(y.shape[2:], size, kernel, stride, padding, dilation, strict=True):
        pairs = zip(_each(n), _each(out), strict=True)
        # What is left over is the output padding, the same for all sizes.
        left = {o - ((i - 1) * s - 2 * p + d * (k - 1) + 1) for i, o in pairs}
        if len(left) > 1:
            raise Unsupported("its output size is no fixed function of the input's")
        rest.append(left.pop())
    return g.node(
        "ConvTranspose", y, w, b, strides=[*stride], pads=[*padding, *padding], dilations=[*dilation],
        group=groups, kernel_shape=kernel, output_padding=rest,
    )  # fmt: skip


def _each(n: Any) -> tuple[Any, ...]:
    from ...export.varying import TRACES

    return n.values if isinstance(n, Varying) else (n,) * TRACES


RULES["conv_transpose_biased"] = _conv_transpose
RULES["conv_transpose"] = lambda g, y, w, *attrs: _conv_transpose(g, y, w, None, *attrs)


# --- attention ----------------------------------------------------------------------------------------------

@rule("scaled_dot_product_attention")
def _attention(
    g: Graph, query: Operand, key: Operand, value: Operand, mask: Operand | None, dropout_p: float,
    is_causal: bool, scale: Any,
) -> Any:  # fmt: skip
    """Return softmax(QKᵀ·scale + mask) V; a query that sees no key gets zeros."""
    if dropout_p:
        raise Unsupported("dropout is on: call model.eval() before")
    width, dtype = g.number(query.shape[-1]), query.dtype
    scale = 1 / math.sqrt(width) if scale is None else scale
    keys, values = _for_heads(g, key, query), _for_heads(g, value, query)
    order = [*range(key.rank - 2), key.rank - 1, key.rank - 2]
    scores = g.node("MatMul", query, g.node("Transpose", keys, perm=order))
    scores = g.node("Mul", scores, g.constant(scale, dtype))
    least = g.constant(-np.inf, dtype)
    if is_causal:
        rows = g.node("Range", g.constant(0, np.int64), g.scalar(query.shape[-2]), g.constant(1, np.int64))
        columns = g.node("Range", g.constant(0, np.int64), g.scalar(key.shape[-2]), g.constant(1, np.int64))
        seen = g.node("LessOrEqual", columns, g.node("Unsqueeze", rows, g.ints([1])))
        scores = g.node("Where", seen, scores, least)
    blind = None
    if mask is not None:
        if mask.dtype == np.bool_:
            scores = g.node("Where", mask, scores, least)
        else:
            scores = g.node("Add", scores, g.value(mask, dtype))
        top = g.node("ReduceMax", scores, g.ints([-1]), keepdims=1)
        blind = g.node("Equal", top, least)
    weights = g.node("Softmax", scores, axis=-1)
    if blind is not None:
        weights = g.node("Where", blind, g.constant(0, dtype), weights)
    return g.node("MatMul", weights, values), None


def _for_heads(g: Graph, x: Operand, query: Operand) -> str:
    """Return keys or values with as many heads as there are queries' heads."""
    if x.rank < 3 or x.shape[-3] == query.shape[-3]:
        return x.name
    repeats = g.number(query.shape[-3]) // g.number(x.shape[-3])
    *lead, heads, rows, width = x.shape
    apart = g.node("Unsqueeze", x, g.ints([x.rank - 2]))
    spread = g.node("Expand", apart, g.sizes([*lead, heads, repeats, rows, width]))
    return g.reshaped(spread, [*lead, heads * repeats, rows, width])


@rule("cdist", "_euclidean_dist")
def _cdist(g: Graph, x: Operand, y: Operand, p: float = 2.0) -> Any:
    if p not in (1.0, 2.0):
        raise Unsupported("distances of order 1 and 2 have a form in ONNX")
    gap = g.node("Sub", g.node("Unsqueeze", x, g.ints([-2])), g.node("Unsqueeze", y, g.ints([-3])))
    return g.node("ReduceL1" if p == 1 else "ReduceL2", gap, g.ints([-1]), keepdims=0)


@rule("trilinear")
def _trilinear(g: Graph, x: Operand, w: Operand, y: Operand) -> Any:
    return g.node("Einsum", x, w, y, equation="...i,oij,...j->...o")
