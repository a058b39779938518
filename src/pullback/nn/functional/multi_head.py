"""Define attention in several heads, with the projections before and after it.

The parts in order: ranks checked, masks made numbers to add, inputs projected, keys and values lengthened by
biases and zeros, heads told apart, attention, the output projected.
"""

import math
from typing import Any

from ...core.size import size_of
from ...core.value import dtype_of, shape_of, wrap
from ...core.warn import warn
from ...tensor.api import public
from ...tensor.contract import bmm
from ...tensor.creation import zeros
from ...tensor.creation_like import zeros_like
from ...tensor.join import cat
from ...tensor.padding import pad
from ...tensor.product_sums import baddbmm, linear
from ...tensor.unrecorded import arrays, computed
from .activation import softmax
from .attention import scaled_dot_product_attention
from .dropout import dropout
from .fused_attention import attended


def _check_ranks(
    query: Any, key: Any, value: Any, key_padding_mask: Any, attn_mask: Any, num_heads: int
) -> bool:
    """Return whether the inputs have a batch dim; torch's error where their ranks differ."""
    if (rank := query.dim()) not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        )
    whose = f"For {'batched' if rank == 3 else 'unbatched'} ({rank}-D) `query`, expected"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"{whose} `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D tensors "
            "respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(
            f"{whose} `key_padding_mask` to be `None` or {rank - 1}-D but found {key_padding_mask.dim()}-D "
            "tensor instead"
        )
    if attn_mask is None:
        return rank == 3
    if attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"{whose} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead"
        )
    wanted = (num_heads, shape_of(query)[0], shape_of(key)[0])
    if rank == 2 and attn_mask.dim() == 3 and shape_of(attn_mask) != wanted:
        raise AssertionError(
            f"Expected `attn_mask` shape to be {wanted} but got {size_of(shape_of(attn_mask))}"
        )
    return rank == 3


def added_mask(mask: Any, name: str, dtype: Any, other: Any = None, other_name: str = "attn_mask") -> Any:
    """Return a mask as what is added to the scores: −∞ where a bool mask hides a key."""
    if mask is None:
        return None
    if (kind := dtype_of(mask).kind) not in "bfV":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and dtype_of(mask) != dtype_of(other):
        warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.")
    return zeros_like(mask, dtype=dtype).masked_fill(mask, -math.inf) if kind == "b" else mask


def _parts(projected: Any, count: int, width: int) -> Any:
    """Return a projection (…, count·width) as so many of its own."""
    split = projected.unflatten(-1, (count, width)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
    return split.unbind(0)


def _projected_together(query: Any, key: Any, value: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """Project by weights (3·E, E) in one; inputs that are the same tensor share a product."""
    width = query.size(-1)
    if query is key and key is value:
        return tuple(_parts(linear(query, weight, bias), 3, width))
    if key is value:
        w_query, w_rest = weight.split([width, 2 * width])
        b_query, b_rest = (None, None) if bias is None else bias.split([width, 2 * width])
        return linear(query, w_query, b_query), *_parts(linear(key, w_rest, b_rest), 2, width)
    weights = weight.chunk(3)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    q, k, v = map(linear, (query, key, value), weights, biases)
    return q, k, v


def _projected_apart(inputs: tuple[Any, ...], weights: tuple[Any, ...], bias: Any) -> tuple[Any, Any, Any]:
    """Project each input by a weight of its own."""
    names = ("query", "key", "value")
    width = inputs[0].size(-1)
    for name, weight in zip(names, weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name[0]}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    for name, x, weight in zip(names, inputs, weights, strict=True):
        wanted = (width, x.size(-1))
        if shape_of(weight) != wanted:
            raise AssertionError(
                f"expecting {name} weights shape of {wanted}, but got {size_of(shape_of(weight))}"
            )
    for name, b in zip(names, biases, strict=True):
        if b is not None and shape_of(b) != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {size_of(shape_of(b))}")
    q, k, v = map(linear, inputs, weights, biases)
    return q, k, v


def _spread_mask(mask: Any, batch: int, heads: int, rows: int, columns: int) -> Any:
    """Return a mask as (1 or batch·heads, rows, columns)."""
    if mask is None:
        return None
    wanted = (rows, columns) if mask.dim() == 2 else (batch * heads, rows, columns)
    if mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if shape_of(mask) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.dim()}D attn_mask is {size_of(shape_of(mask))}, but should be {wanted}."
        )
    return mask.unsqueeze(0) if mask.dim() == 2 else mask


def _check_biases(bias_k: Any, bias_v: Any, static_k: Any, static_v: Any) -> None:
    if (bias_k is None) != (bias_v is None):
        given, other = ("v", "k") if bias_k is None else ("k", "v")
        raise AssertionError(f"bias_{given} is set but bias_{other} is None")
    if bias_k is not None:
        for static, name in ((static_k, "key"), (static_v, "value")):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {name}.")


def _heads(x: Any, static: Any, name: str, count: int, width: int) -> Any:
    """Return (S, N, E) as (N·heads, S, E / heads), or what is given in that form."""
    if static is None:
        return x.view(x.size(0), count, width).transpose(0, 1)
    for axis, wanted in ((0, count), (2, width)):
        if static.size(axis) != wanted:
            raise AssertionError(
                f"expecting static_{name}.size({axis}) of {wanted}, but got {static.size(axis)}"
            )
    return static


def _joined_masks(mask: Any, padding: Any, batch: int, heads: int, columns: int) -> Any:
    """Return the sum of both masks."""
    if padding is None:
        return mask
    for axis, wanted in ((0, batch), (1, columns)):
        if padding.size(axis) != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{axis}] to be {wanted}, but got {padding.size(axis)}"
            )
    rows = padding.view(batch, 1, 1, columns).expand(-1, heads, -1, -1).reshape(batch * heads, 1, columns)
    return rows if mask is None else mask + rows


@public(namespace="nn.functional", method=False, out=False)
def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None, static_k: Any = None,
    static_v: Any = None, average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Return ``concat(softmax(Q_h K_hᵀ / √d + mask) V_h) Wₒᵀ`` over heads h (Vaswani et al. 2017, section
    3.2.2).

    Parameters
    ----------
    query, key, value : tensors
        (L, N, E), (S, N, E_k), (S, N, E_v), or all without N.
    embed_dim_to_check : int
        E.
    num_heads : int
        A divisor of E.
    in_proj_weight, in_proj_bias : tensors
        (3·E, E) and (3·E,): the projections of query, key and value.
    bias_k, bias_v : tensors, optional
        (1, 1, E), one more key and value.
    add_zero_attn : bool
        Whether to add a key and a value of zeros.
    dropout_p : float
        Dropout of the weights, in training.
    out_proj_weight, out_proj_bias : tensors
        (E, E) and (E,).
    key_padding_mask : tensor, optional
        (N, S): True hides a key, or numbers to add.
    need_weights : bool
        Whether to return the weights too; without them :func:`scaled_dot_product_attention` computes.
    attn_mask : tensor, optional
        (L, S) or (N·heads, L, S).
    use_separate_proj_weight : bool
        Whether `q_proj_weight` (E, E), `k_proj_weight` (E, E_k) and `v_proj_weight` (E, E_v) project.
    static_k, static_v : tensors, optional
        (N·heads, S, E / heads) in place of the projected keys and values.
    average_attn_weights : bool
        Whether the weights are the mean over the heads.
    is_causal : bool
        A hint that `attn_mask` is causal.

    Returns
    -------
    output : tensor
        (L, N, E).
    weights : tensor or None
        (N, L, S), or (N, heads, L, S) without the mean.
    """
    drop = dropout_p if training else 0.0
    if not (use_separate_proj_weight or add_zero_attn or drop):
        more = (bias_k, bias_v, static_k, static_v)
        found = more == (None,) * 4 and _unrecorded(
            (query, key, value), (in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias),
            embed_dim_to_check, num_heads, attn_mask, key_padding_mask, is_causal, need_weights,
        )
        if found:
            output, shares = found
            return output, shares.mean(1) if average_attn_weights and need_weights else shares
    batched = _check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    rows, batch, width = shape_of(query)
    padding = added_mask(key_padding_mask, "key_padding_mask", query.dtype, attn_mask)
    _check_hint(is_causal, attn_mask)
    is_causal = is_causal and padding is None
    is_needed = not is_causal or need_weights
    mask = added_mask(attn_mask, "attn_mask", query.dtype) if is_needed else None
    head = _width_of_heads(width, embed_dim_to_check, num_heads)
    apart = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected((query, key, value), in_proj_weight, apart, in_proj_bias)
    mask = _spread_mask(mask, batch, num_heads, rows, shape_of(key)[0])
    _check_biases(bias_k, bias_v, static_k, static_v)
    longer = 0
    if bias_k is not None:
        k, v, longer = cat([k, bias_k.repeat(1, batch, 1)]), cat([v, bias_v.repeat(1, batch, 1)]), 1
    count = batch * num_heads
    q = _heads(q, None, "q", count, head)
    k, v = _heads(k, static_k, "k", count, head), _heads(v, static_v, "v", count, head)
    if add_zero_attn:
        nothing = zeros((count, 1, head), dtype=k.dtype)
        k, v, longer = cat([k, nothing], 1), cat([v, nothing], 1), longer + 1
    if longer:
        mask, padding = (None if m is None else pad(m, (0, longer)) for m in (mask, padding))
    columns = k.size(1)
    mask = _joined_masks(mask, padding, batch, num_heads, columns)
    shares = None
    if need_weights:
        shares = _shares(q, k, mask, drop, is_causal)
        output = bmm(shares, v).transpose(0, 1)
        shares = shares.view(batch, num_heads, rows, columns)
        shares = shares.mean(1) if average_attn_weights else shares
    else:
        output = _attended(q, k, v, mask, drop, is_causal, (batch, num_heads, rows, columns, head))
        output = output.permute(2, 0, 1, 3)
    output = linear(output.reshape(rows * batch, width), out_proj_weight, out_proj_bias)
    output = output.view(rows, batch, output.size(1))
    if batched:
        return output, shares
    return output.squeeze(1), None if shares is None else shares.squeeze(0)


def _check_hint(is_causal: bool, mask: Any) -> None:
    if is_causal and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )


def _width_of_heads(width: int, expected: int, heads: int) -> int:
    if width != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got {width}")
    if width // heads * heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    return width // heads


def _projected(
    inputs: tuple[Any, Any, Any], weight: Any, apart: tuple[Any, Any, Any] | None, bias: Any
) -> tuple[Any, Any, Any]:
    """Return query, key and value, projected by one weight or by a weight each."""
    query, key, value = inputs
    if apart is not None:
        if shape_of(key)[:2] != shape_of(value)[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        return _projected_apart(inputs, apart, bias)
    if shape_of(key) != shape_of(value):
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    return _projected_together(query, key, value, weight, bias)


def _shares(q: Any, k: Any, mask: Any, drop: float, is_causal: bool) -> Any:
    """Return the weights of attention, (N·heads, L, S), after dropout."""
    if is_causal and mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    scaled, keys = q * math.sqrt(1.0 / q.size(-1)), k.transpose(-2, -1)
    shares = softmax(bmm(scaled, keys) if mask is None else baddbmm(mask, scaled, keys), -1)
    return dropout(shares, drop) if drop > 0.0 else shares


def _unrecorded(
    inputs: tuple[Any, Any, Any], parameters: tuple[Any, ...], width: int, heads: int, mask: Any,
    padding: Any, causal: bool, need_weights: bool,
) -> Any:  # fmt: skip
    """Return output and weights of each head if nothing is recorded and the form is common; else None."""
    if causal and (mask is None or need_weights or padding is not None):
        return None
    masks = [m for m in (mask, padding) if m is not None]
    found = arrays(*inputs, *parameters, *masks)
    if found is None or not _are_usual(found, width, heads, mask, padding):
        return None
    added = [None if causal or m is None else m._value for m in (mask, padding)]
    output, shares = computed(attended, tuple(found[:3]), *found[3:7], heads, *added, causal, need_weights)
    result = wrap(output).view(*found[0].shape)
    return result, None if shares is None else wrap(shares)


def _are_usual(found: list[Any], width: int, heads: int, mask: Any, padding: Any) -> bool:
    """Return whether the arrays of inputs, parameters and masks go together."""
    q, k, v, *parameters = found[:7]
    shapes = ((3 * width, width), (3 * width,), (width, width), (width,))
    if q.ndim != 3 or k.ndim != 3 or k.shape != v.shape or q.shape[1:] != k.shape[1:] or not k.size:
        return False
    if q.shape[2] != width or width % heads or any(p.shape != s for p, s in zip(parameters, shapes)):
        return False
    rows, columns, batch = len(q), len(k), q.shape[1]
    if mask is not None and shape_of(mask) not in ((rows, columns), (batch * heads, rows, columns)):
        return False
    return padding is None or shape_of(padding) == (batch, columns)


def _attended(
    q: Any, k: Any, v: Any, mask: Any, drop: float, is_causal: bool, sizes: tuple[int, int, int, int, int]
) -> Any:
    """Return attention without its weights: (N, heads, L, E / heads)."""
    batch, heads, rows, columns, head = sizes
    if mask is not None:
        alone = mask.size(0) == 1 and mask.dim() == 3
        mask = mask.unsqueeze(0) if alone else mask.view(batch, heads, -1, columns)
    q = q.view(batch, heads, rows, head)
    k, v = k.view(batch, heads, columns, head), v.view(batch, heads, columns, head)
    return scaled_dot_product_attention(q, k, v, mask, drop, is_causal)
