"""Define attention in several heads as a layer."""

from typing import Any

from .. import functional as F
from .. import init
from ..functional.fused_attention import is_allowed, merged_masks, self_attention
from ..functional.multi_head import added_mask
from ..parameter import Parameter
from .creation import empty_parameter, optional_parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module


class MultiheadAttention(Module):
    """Projections of query, key and value, attention in heads, and a projection of their outputs.

    Parameters
    ----------
    embed_dim, num_heads : int
        The width and in how many parts it is split.
    dropout : float
        Of the weights, in training.
    bias : bool
        Whether the projections have biases.
    add_bias_kv, add_zero_attn : bool
        Whether to add a learnt key and value, and ones of zeros.
    kdim, vdim : int, optional
        Widths of key and value, `embed_dim` by default.
    batch_first : bool
        Whether the batch is the first axis instead of the second.
    """

    in_proj_weight: Parameter | None
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        if packed := self._qkv_same_embed_dim:
            self.in_proj_weight = empty_parameter((3 * embed_dim, embed_dim), device, dtype)
        for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
            shape = (embed_dim, width)
            self.register_parameter(
                f"{name}_proj_weight", optional_parameter(not packed, shape, device, dtype)
            )
        if not packed:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", optional_parameter(bias, (3 * embed_dim,), device, dtype))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = empty_parameter((1, 1, embed_dim), device, dtype)
            self.bias_v = empty_parameter((1, 1, embed_dim), device, dtype)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw weights as `xavier_uniform_` does, zero biases, added keys and values by `xavier_normal_`."""
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None, need_weights: bool = True,
        attn_mask: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Attend: (L, N, E), (S, N, E_k), (S, N, E_v) -> (L, N, E) and the weights (N, L, S) or None."""
        numbers = any(m is not None and m.is_floating_point() for m in (attn_mask, key_padding_mask))
        key_padding_mask = added_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask)
        attn_mask = added_mask(attn_mask, "attn_mask", query.dtype)
        if not numbers and self._is_one_piece(query, key, value):
            mask, mask_type = self.merge_masks(attn_mask, key_padding_mask, query)
            return self_attention(
                query, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
                self.out_proj.weight, self.out_proj.bias, mask, mask_type, need_weights, average_attn_weights,
            )  # fmt: skip
        swapped = self.batch_first and query.dim() == 3
        if swapped:
            same_key, same_value = query is key, key is value
            query = query.transpose(1, 0)
            key = query if same_key else key.transpose(1, 0)
            value = key if same_value else value.transpose(1, 0)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight,
            self.out_proj.bias, self.training, key_padding_mask, need_weights, attn_mask,
            not self._qkv_same_embed_dim, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return output.transpose(1, 0) if swapped else output, weights


    def _is_one_piece(self, query: Any, key: Any, value: Any) -> bool:
        """Return whether torch computes this without the ordinary path: self-attention in evaluation."""
        weight, bias = self.in_proj_weight, self.in_proj_bias
        if weight is None or bias is None or self.training or not self.batch_first or query.dim() != 3:
            return False
        if query is not key or key is not value or query.dtype != weight.dtype or query.dtype != bias.dtype:
            return False
        if self.num_heads % 2 or self.bias_k is not None or self.bias_v is not None or self.add_zero_attn:
            return False
        return is_allowed((query, weight, bias, self.out_proj.weight, self.out_proj.bias))

    def merge_masks(self, attn_mask: Any, key_padding_mask: Any, query: Any) -> tuple[Any, int | None]:
        """Return both masks as one, and its type: 1 for (N, S), 2 for (N, heads, L, S), None for no mask."""
        return merged_masks(attn_mask, key_padding_mask, query, self.num_heads)
