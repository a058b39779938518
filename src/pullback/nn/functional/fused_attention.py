"""Compute in one piece what torch does where no gradient is asked for: attention, and encoder layers.

The values are those of the ordinary path but for masks, which are read as bool here: whatever is not 0 hides
a key, also in a mask of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from numpy import ndarray

from ...core.modes import modes
from ...core.value import shape_of, wrap
from ...tensor.contract import linear, matmul
from ...tensor.interception import OVERRIDING
from ...tensor.unrecorded import arrays, computed
from ...torch_names.backends import mha
from .activation import softmax
from .unrecorded_attention import self_attended


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
