"""Define the transformer of Vaswani et al. (2017): layers of encoder and decoder, and stacks of them."""

import copy
import math
from collections.abc import Callable
from typing import Any

from ...core.warn import warn
from ...tensor.creation import full
from ...tensor.rearrange import triu
from ...tensor.tensor import Tensor
from .. import functional as F
from .. import init
from ..functional.fused_attention import is_allowed, self_attention
from ..functional.multi_head import added_mask
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

Activation = str | Callable[[Any], Any]


def _generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
    """Return −∞ above the diagonal of (sz, sz), 0 elsewhere."""
    return triu(full((sz, sz), -math.inf, dtype=dtype, device=device), diagonal=1)


def _get_seq_len(src: Any, batch_first: bool) -> int:
    shape = src.size()
    return shape[0] if len(shape) == 2 or not batch_first else shape[1]


def _detect_is_causal_mask(mask: Any, is_causal: bool | None = None, size: int | None = None) -> bool:
    """Return the hint as it was given, or else whether the mask hides what comes later and nothing more."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(
        mask.size(-2) if size is None else size, device=mask.device, dtype=mask.dtype
    )
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_clones(module: Module, N: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _get_activation_fn(activation: str) -> Callable[[Any], Any]:
    functions: dict[str, Callable[[Any], Any]] = {"relu": F.relu, "gelu": F.gelu}
    if activation not in functions:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return functions[activation]


class _Layer(Module):
    """Share among both kinds of layer: self-attention first, two linear layers last."""

    activation: Callable[[Any], Any]

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float, activation: Activation,
        layer_norm_eps: float, batch_first: bool, norm_first: bool, bias: bool, device: Any, dtype: Any,
        attentions: tuple[str, ...],
    ) -> None:  # fmt: skip
        super().__init__()
        for name in attentions:
            setattr(self, name, MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, device=device, dtype=dtype
            ))  # fmt: skip
        self.linear1 = Linear(d_model, dim_feedforward, bias, device, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, device, dtype)
        self.norm_first = norm_first
        blocks = range(1, len(attentions) + 2)
        for k in blocks:
            norm = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
            setattr(self, f"norm{k}", norm)
        for k in blocks:
            setattr(self, f"dropout{k}", Dropout(dropout))
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("activation", F.relu)

    def _residual(self, x: Any, norm: Module, block: Callable[[Any], Any]) -> Any:
        """Return x and the block's output added, normalised before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        output = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False,
            is_causal=is_causal,
        )[0]  # fmt: skip
        return self.dropout1(output)

    def _hidden_layer(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


def _is_unrecorded(layer: Any, src: Any) -> bool:
    attention = layer.self_attn
    parts = (attention.out_proj, layer.norm1, layer.norm2, layer.linear1, layer.linear2)
    own = (attention.in_proj_weight, attention.in_proj_bias)
    return is_allowed((src, *own, *(t for m in parts for t in (m.weight, m.bias))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two linear layers, each with a sum around it and layer norm.

    Parameters
    ----------
    d_model, nhead : int
        Features of input and output, and heads.
    dim_feedforward : int
        Features between the linear layers.
    dropout : float
    activation : {"relu", "gelu"} or callable
    layer_norm_eps : float
    batch_first : bool
        (N, S, E) instead of (S, N, E).
    norm_first : bool
        Normalise what goes into a block instead of its sum with the input.
    bias : bool
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
            bias, device, dtype, ("self_attn",),
        )  # fmt: skip
        self.activation_relu_or_gelu = 0
        if self.activation is F.relu or isinstance(self.activation, ReLU):
            self.activation_relu_or_gelu = 1
        elif self.activation is F.gelu or isinstance(self.activation, GELU):
            self.activation_relu_or_gelu = 2

    def forward(
        self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False
    ) -> Any:
        """Map (S, N, E) -> (S, N, E), with masks (S, S) or (N·heads, S, S), and (N, S)."""
        padding = added_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, src_mask, "src_mask")
        mask = added_mask(src_mask, "src_mask", src.dtype)
        if self._is_one_piece(src):
            merged, mask_type = self.self_attn.merge_masks(mask, padding, src)
            return self._in_one_piece(src, merged, mask_type)
        x = self._residual(src, self.norm1, lambda y: self._sa_block(y, mask, padding, is_causal))
        return self._residual(x, self.norm2, self._ff_block)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self._hidden_layer(x))

    def _is_one_piece(self, src: Any) -> bool:
        """Return whether torch computes the layer without the ordinary path, in evaluation."""
        attention = self.self_attn
        if src.dim() != 3 or self.training or not attention.batch_first or attention.in_proj_bias is None:
            return False
        if not attention._qkv_same_embed_dim or not self.activation_relu_or_gelu or attention.num_heads % 2:
            return False
        if self.norm1.eps != self.norm2.eps:
            return False
        if any(m._forward_hooks or m._forward_pre_hooks for m in self.modules()):
            return False
        return _is_unrecorded(self, src)

    def _in_one_piece(self, src: Any, mask: Any, mask_type: int | None) -> Any:
        attention = self.self_attn

        def attended(x: Any) -> Any:
            return self_attention(
                x, attention.embed_dim, attention.num_heads, attention.in_proj_weight, attention.in_proj_bias,
                attention.out_proj.weight, attention.out_proj.bias, mask, mask_type,
            )[0]  # fmt: skip

        function = F.gelu if self.activation_relu_or_gelu == 2 else F.relu
        x = self._residual(src, self.norm1, attended)
        return self._residual(x, self.norm2, lambda y: self.linear2(function(self.linear1(y))))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output and two linear layers.

    Parameters
    ----------
    d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        See `TransformerEncoderLayer`.
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
            bias, device, dtype, ("self_attn", "multihead_attn"),
        )  # fmt: skip

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Map (T, N, E) and the encoder's output (S, N, E) -> (T, N, E)."""
        x = self._residual(
            tgt, self.norm1, lambda y: self._sa_block(y, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        )
        x = self._residual(
            x, self.norm2,
            lambda y: self._mha_block(y, memory, memory_mask, memory_key_padding_mask, memory_is_causal),
        )  # fmt: skip
        return self._residual(x, self.norm3, self._ff_block)

    def _mha_block(
        self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Any:
        output = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout2(output)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self._hidden_layer(x))


def _why_not_nested(layer: Any) -> str:
    """Return why torch would not skip padding with layers like this; empty where it would."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not layer.self_attn.batch_first:
        return (
            "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference "
            "performance)"
        )
    if not layer.self_attn._qkv_same_embed_dim:
        return "encoder_layer.self_attn._qkv_same_embed_dim was not True"
    if layer.self_attn.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return "encoder_layer.activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    return "encoder_layer.self_attn.num_heads is odd" if layer.self_attn.num_heads % 2 == 1 else ""


class TransformerEncoder(Module):
    """Copies of one layer in a row.

    Parameters
    ----------
    encoder_layer : TransformerEncoderLayer
    num_layers : int
    norm : Module, optional
        What the last output goes through.
    enable_nested_tensor : bool
        In evaluation padding is left out, so that its outputs are 0.
    mask_check : bool
        Do so only after a look at the mask: padding must stand at the end of each sequence.
    """

    def __init__(
        self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why_not = _why_not_nested(encoder_layer)
        if enable_nested_tensor and why_not:
            warn("enable_nested_tensor is True, but self.use_nested_tensor is False because " + why_not)
            self.use_nested_tensor = False

    def forward(
        self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool | None = None
    ) -> Any:
        """Map (S, N, E) -> (S, N, E), with masks (S, S) or (N·heads, S, S), and (N, S)."""
        padding = added_mask(src_key_padding_mask, "src_key_padding_mask", src.dtype, mask, "mask")
        mask = added_mask(mask, "mask", src.dtype)
        left_out = self._left_out(src, mask, padding)
        seq_len = _get_seq_len(src, self.layers[0].self_attn.batch_first)
        causal = _detect_is_causal_mask(mask, is_causal, seq_len)
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if left_out is not None:
            output = output.masked_fill(left_out.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)

    def _left_out(self, src: Any, mask: Any, padding: Any) -> Any:
        """Return which places torch would leave out and fill with 0, or None."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None:
            return None
        left_out = padding != 0
        # Padding at the end: no place that is kept comes after one that is not.
        if self.mask_check and bool((left_out[:, :-1] & ~left_out[:, 1:]).any()):
            return None
        if mask is not None or not _is_unrecorded(first, src):
            return None
        if bool(left_out.all()):
            raise RuntimeError("to_padded_tensor: at least one constituent tensor should have non-zero numel")
        return left_out


class TransformerDecoder(Module):
    """Copies of one layer in a row.

    Parameters
    ----------
    decoder_layer : TransformerDecoderLayer
    num_layers : int
    norm : Module, optional
        What the last output goes through.
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
        tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Map (T, N, E) and the encoder's output (S, N, E) -> (T, N, E)."""
        seq_len = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, seq_len)
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder of the source and a decoder of the target that attends to it.

    Parameters
    ----------
    d_model, nhead : int
    num_encoder_layers, num_decoder_layers : int
    dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias
        See `TransformerEncoderLayer`.
    custom_encoder, custom_decoder : Module, optional
        Instead of those that would be made.
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = F.relu,
        custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
            bias, device, dtype,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*options), num_encoder_layers, norm())
        self.encoder = custom_encoder
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers, norm())
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None,
        src_key_padding_mask: Any = None, tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None, src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """Map (S, N, E) and (T, N, E) -> (T, N, E)."""
        batch_axis = 0 if self.batch_first else 1
        if src.size(batch_axis) != tgt.size(batch_axis) and src.dim() == 3:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return −∞ above the diagonal of (sz, sz), 0 elsewhere: position i sees those up to i."""
        return _generate_square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        """Draw matrices as `xavier_uniform_` does; the rest stays."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
