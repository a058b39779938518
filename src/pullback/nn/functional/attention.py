"""Scaled dot-product attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.value import dtype_of, shape_of, wrap
from ...tensor.api import public
from ...tensor.contract import matmul
from .activation import softmax
from .convolution import word
from .dropout import dropout


@public(namespace="nn.functional", method=False, out=False)
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """``softmax(query @ keyᵀ · scale + mask) @ value`` (Vaswani et al. 2017, eq. 1).

    Parameters
    ----------
    query, key, value : tensors
        (…, L, E), (…, S, E), (…, S, V).
    attn_mask : tensor, optional
        (…, L, S): bool, where False hides a key, or added to the scores.
    is_causal : bool
        Position l sees keys up to l.
    scale : float, optional
        1/√E by default.
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    parts = (query, key, value)
    if any(len(shape_of(t)) < 2 for t in parts):
        ranks = tuple(len(shape_of(t)) for t in parts)
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{ranks[0]} key.dim: {ranks[1]} and value.dim: {ranks[2]} instead."
        )
    if len({dtype_of(t) for t in parts}) > 1:
        words = tuple(word(t) for t in parts)
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {words[0]} "
            f"key.dtype: {words[1]} and value.dtype: {words[2]} instead."
        )
    rows, width = shape_of(query)[-2:]
    columns = shape_of(key)[-2]
    if enable_gqa:
        repeats = shape_of(query)[-3] // shape_of(key)[-3]
        key, value = key.repeat_interleave(repeats, -3), value.repeat_interleave(repeats, -3)
    factor = 1 / math.sqrt(width) if scale is None else scale
    scores = matmul(query * factor, key.transpose(-2, -1))
    if is_causal:
        visible = np.tril(np.ones((rows, columns), bool))
        scores = scores.masked_fill(wrap(~visible), -math.inf)
    elif attn_mask is not None:
        if dtype_of(attn_mask).kind == "b":
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    weights = softmax(scores, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p, True)
    return matmul(weights, value)
