"""Compute in one piece what torch does where no gradient is asked for: attention, and encoder layers.

The values are those of the ordinary path but for masks, which are read as bool here: whatever is not 0 hides
a key, also in a mask of numbers.
"""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.modes import modes
from ...core.value import shape_of, wrap
from ...ops import softmax as softmax_ops
from ...ops.attention import attention
from ...ops.contract import linear_sum
from ...tensor.contract import matmul
from ...tensor.interception import OVERRIDING
from ...tensor.product_sums import linear
from ...tensor.unrecorded import arrays, computed
from ...torch_names.backends import mha
from .activation import softmax


def is_allowed(tensors: Iterable[Any]) -> bool:
    """Return whether the switch is on, and no tensor overrides functions or will need a gradient."""
    return mha.get_fastpath_enabled() and not any(
        t is not None and (type(t) in OVERRIDING or (modes().grad and t.requires_grad)) for t in tensors
    )


def merged_masks(attn_mask: Any, key_padding_mask: Any, query: Any, heads: int) -> tuple[Any, int | None]:
    """Return both masks as one, and its type: 1 for (N, S), 2 for (N, heads, L, S), None for no mask."""
    if attn_mask is None:
        return key_padding_mask, None if key_padding_mask is None else 1
    batch, rows, _ = query.shape
    if attn_mask.dim() == 3:
        mask = attn_mask.view(batch, -1, rows, rows)
    else:
        mask = attn_mask.view(1, 1, rows, rows).expand(batch, heads, -1, -1)
    if key_padding_mask is not None:
        mask = mask + key_padding_mask.view(batch, 1, 1, rows).expand(-1, heads, -1, -1)
    return mask, 2


def _hidden(mask: Any, mask_type: int | None, batch: int, rows: int) -> Any:
    """Return which scores a mask hides."""
    hidden = mask != 0
    if mask_type != 1:
        return hidden
    if shape_of(mask) != (batch, rows):
        raise RuntimeError("For mask_type == 1 mask shape should be (B, L)")
    return hidden.view(batch, 1, 1, rows)


def self_attention(
    query: Any, embed_dim: int, num_heads: int, qkv_weight: Any, qkv_bias: Any, proj_weight: Any,
    proj_bias: Any, mask: Any, mask_type: int | None, need_weights: bool = False, average: bool = True,
) -> tuple[Any, Any]:  # fmt: skip
    """Return self-attention of (N, L, E), and its weights where they are asked for."""
    batch, rows, width = shape_of(query)
    if width != embed_dim:
        raise RuntimeError(f"passed-in embed_dim {embed_dim} didn't match last dim of query {width}")
    plain = arrays(query, qkv_weight, qkv_bias, proj_weight, proj_bias)
    if plain is not None and (mask is None or type(mask._value) is ndarray):
        hidden = None if mask is None else _hidden(mask, mask_type, batch, rows)._value
        output, shares = computed(self_attended, *plain, num_heads, hidden)
        return _results(wrap(output).view(batch, rows, width), wrap(shares), need_weights, average)
    head = width // num_heads
    projected = linear(query, qkv_weight) + qkv_bias
    q, k, v = projected.view(batch, rows, 3, num_heads, head).permute(2, 0, 3, 1, 4).unbind(0)
    scores = matmul(q * (1 / math.sqrt(head)), k.transpose(-2, -1))
    if mask is not None:
        scores = scores.masked_fill(_hidden(mask, mask_type, batch, rows), -math.inf)
    shares = softmax(scores, -1)
    output = linear(matmul(shares, v).transpose(1, 2).reshape(batch, rows, width), proj_weight, proj_bias)
    return _results(output, shares, need_weights, average)


def _results(output: Any, shares: Any, need_weights: bool, average: bool) -> tuple[Any, Any]:
    if not need_weights:
        return output, None
    return output, shares.mean(1) if average else shares


_attention, _softmax = attention.op.kernel, softmax_ops.softmax.op.kernel


def self_attended(
    query: ndarray, weight: ndarray, bias: ndarray, out_weight: ndarray, out_bias: ndarray, heads: int,
    hidden: ndarray | None,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    """Return self-attention of (N, L, E), as (N·L, E), and its weights (N, heads, L, L).

    Parameters
    ----------
    hidden : array of bool, optional
        Which keys a query does not see, in a shape that broadcasts to that of the weights.
    """
    batch, rows, width = query.shape
    head = width // heads
    projected = linear_sum(bias, query.reshape(-1, width), weight.T)
    q, k, v = projected.reshape(batch, rows, 3, heads, head).transpose(2, 0, 3, 1, 4)
    scores = np.matmul(q * (1 / math.sqrt(head)), k.swapaxes(-2, -1))
    if hidden is not None:
        np.copyto(scores, -math.inf, where=hidden)
    shares = _softmax(scores, 3)
    output = np.matmul(shares, v).transpose(0, 2, 1, 3).reshape(-1, width)
    return linear_sum(out_bias, output, out_weight.T), shares


def attended(
    inputs: tuple[ndarray, ndarray, ndarray], weight: ndarray, bias: ndarray, out_weight: ndarray,
    out_bias: ndarray, heads: int, mask: ndarray | None, padding: ndarray | None, causal: bool,
    need_weights: bool,
) -> tuple[ndarray, ndarray | None]:  # fmt: skip
    """Return attention of query (L, N, E), key and value (S, N, E), as (L·N, E), and its weights
    (N, heads, L, S) where they are asked for; inputs that are one array share a product.

    Parameters
    ----------
    mask : array, optional
        What is added to the scores, (L, S) or (N·heads, L, S).
    padding : array, optional
        The same for all queries, (N, S).
    causal : bool
        Whether a query sees the keys up to its place; without weights and masks.
    """
    rows, batch, width = inputs[0].shape
    columns, head, count = len(inputs[1]), width // heads, batch * heads
    q, k, v = (
        x.reshape(len(x) // batch, count, head).swapaxes(0, 1) for x in _projected(inputs, weight, bias)
    )
    if padding is not None:
        each = np.repeat(padding[:, None, None], heads, 1).reshape(count, 1, columns)
        mask = each if mask is None else mask + each
    shares = None
    if need_weights:
        scores = np.matmul(q * math.sqrt(1.0 / head), k.swapaxes(-2, -1))
        if mask is not None:
            scores += mask
        shares = _softmax(scores, 2)
        output = np.matmul(shares, v).swapaxes(0, 1)
        shares = shares.reshape(batch, heads, rows, columns)
    else:
        if mask is not None and mask.ndim == 3:
            mask = mask.reshape(batch, heads, -1, columns)
        four = (x.reshape(batch, heads, -1, head) for x in (q, k, v))
        output = _attention(*four, mask, 0.0, causal, None)[0].transpose(2, 0, 1, 3)
    return linear_sum(out_bias, output.reshape(rows * batch, width), out_weight.T), shares


def _projected(inputs: tuple[ndarray, ...], weight: ndarray, bias: ndarray) -> list[ndarray]:
    """Return the projections (L·N, E) of query, key and value by parts of one weight."""
    query, key, value = inputs
    width = query.shape[-1]
    if query is key and key is value:
        together = [(query, 0, 3)]
    elif key is value:
        together = [(query, 0, 1), (key, 1, 3)]
    else:
        together = [(x, k, k + 1) for k, x in enumerate(inputs)]
    found = []
    for x, first, last in together:
        rows = slice(first * width, last * width)
        product = linear_sum(bias[rows], x.reshape(-1, width), weight[rows].T)
        found += [product[:, k * width : (k + 1) * width] for k in range(last - first)]
    return found
