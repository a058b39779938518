"""Define scaled dot-product attention."""

import math
from typing import Any

import numpy as np

from ...array.dtype_words import c_name
from ...array.strides import strides_of
from ...core.value import dtype_of, shape_of, wrap
from ...ops.arithmetic import mul_number
from ...ops.attention import attention, default_scale
from ...ops.comparison import where
from ...ops.reduce import sum_all
from ...ops.softmax import safe_softmax
from ...tensor.api import public
from ...tensor.contract import matmul
from ...tensor.softmax import check_kernel
from ...tensor.tensor import checked_axis
from ...tensor.unrecorded import arrays, computed, readable
from ...torch_names.backends import cuda
from .dropout import dropout


@public(namespace="nn.functional", method=False, out=False)
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Return ``softmax(query @ keyᵀ · scale + mask) @ value`` (Vaswani et al. 2017, eq. 1).

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
    both = is_causal and attn_mask is not None
    if dropout_p == 0 and not both:
        found = _unrecorded(query, key, value, attn_mask, is_causal, scale)
        if found is not None:
            return found
    _check(query, key, value, attn_mask)
    q, k, v = shape_of(query), shape_of(key), shape_of(value)
    if 0 in q or 0 in k or 0 in v:
        # Nothing to attend to: zeros, with torch's history.
        sums = sum_all(query) + sum_all(key) + sum_all(value)
        zeros = np.zeros((*q[:-1], v[-1]), dtype_of(query))
        return wrap(zeros) + mul_number(sums, 0)
    flash = cuda.flash_sdp_enabled()
    is_one_op = flash and dropout_p == 0 and _is_one_op(query, key, value, attn_mask, enable_gqa)
    if both and not is_one_op:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    if is_one_op:
        return attention(query, key, value, attn_mask, 0.0, is_causal, scale)[0]
    if not cuda.math_sdp_enabled():
        raise RuntimeError(
            "No available kernel.  Aborting execution." if flash else
            "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off "
            "both the math kernel and the fused kernels."
        )  # fmt: skip
    return _composed(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def _check(query: Any, key: Any, value: Any, mask: Any) -> None:
    """Raise torch's errors for what no implementation takes."""
    parts = (query, key, value)
    ranks = tuple([len(shape_of(t)) for t in parts])
    if min(ranks) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{ranks[0]} key.dim: {ranks[1]} and value.dim: {ranks[2]} instead."
        )
    kind = dtype_of(query)
    if not (kind == dtype_of(key) == dtype_of(value)):
        words = tuple(c_name(dtype_of(t)) for t in parts)
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {words[0]} "
            f"key.dtype: {words[1]} and value.dtype: {words[2]} instead."
        )
    if mask is not None and dtype_of(mask) not in (np.bool_, np.float32, kind):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{c_name(dtype_of(mask))} and  query.dtype: {c_name(kind)} instead."
        )


def _unrecorded(query: Any, key: Any, value: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """Return the attention of which nothing is recorded and that is one kernel; None elsewhere."""
    found = arrays(query, key, value)
    if found is None or not (scale is None or type(scale) is float) or not cuda.flash_sdp_enabled():
        return None
    q, k, v = found
    if q.ndim != 4 or k.shape != v.shape or q.shape[:2] != k.shape[:2] or q.shape[3:] != k.shape[3:]:
        return None
    if 0 in q.shape or 0 in k.shape:
        return None
    for x in found:
        if x.strides[3] != x.itemsize:
            return None
    if mask is not None:
        own = readable(mask)
        if own is None or (own.dtype.kind != "b" and own.dtype is not q.dtype):
            return None
        if not _is_one_op(query, key, value, mask, False):
            return None
        mask = own
    return wrap(computed(attention.op.kernel, q, k, v, mask, 0.0, is_causal, scale)[0])


def _is_one_op(query: Any, key: Any, value: Any, mask: Any, grouped: bool) -> bool:
    """Return whether torch computes the attention by one kernel on the CPU.

    It asks for four dimensions, equal batches, heads and widths, rows in one piece and a mask that needs no
    gradient. Before it asks for the widths, it looks at the mask's last two sizes, where there is memory.
    """
    q, k, v = shape_of(query), shape_of(key), shape_of(value)
    if len(q) != 4 or len(k) != 4 or len(v) != 4 or not q[0] == k[0] == v[0]:
        return False
    if not (k[1] == v[1] and (q[1] % k[1] == 0 if grouped else q[1] == k[1])):
        return False
    if mask is not None and not mask.requires_grad and not query.is_meta:
        checked_axis(-2, len(shape_of(mask)))
    if not (q[3] == k[3] == v[3] and k[2] == v[2]) or dtype_of(query).kind not in "fV":
        return False
    for t in (query, key, value):
        a = t._value
        if isinstance(a, np.ndarray) and a.strides[-1] != a.itemsize and strides_of(a)[-1] != 1:
            return False
    if mask is None:
        return True
    shape = shape_of(mask)
    if mask.requires_grad or len(shape) not in (2, 4):
        return False
    return all(n in (1, full) for n, full in zip(shape[::-1], (k[2], q[2], q[1], q[0]), strict=False))


def _composed(
    query: Any, key: Any, value: Any, mask: Any, dropout_p: float, is_causal: bool, scale: float | None,
    grouped: bool
) -> Any:
    rows, width = shape_of(query)[-2:]
    columns = shape_of(key)[-2]
    if grouped:
        repeats = shape_of(query)[-3] // shape_of(key)[-3]
        key, value = key.repeat_interleave(repeats, -3), value.repeat_interleave(repeats, -3)
    # Each factor takes the root of the scale, which keeps the scores of half precisions in range.
    root = math.sqrt(default_scale(width) if scale is None else scale)
    scores = matmul(mul_number(query, root), mul_number(key.transpose(-2, -1), root))
    if is_causal:
        mask = wrap(np.tri(rows, columns, dtype=bool))
    if mask is not None:
        if dtype_of(mask).kind == "b":
            hidden = wrap(np.zeros((), dtype_of(query)))
            mask = where(mask, hidden, wrap(np.full((), -math.inf, dtype_of(query))))
        scores = scores + mask
    check_kernel("softmax", scores, len(shape_of(scores)) - 1)
    weights = safe_softmax(scores, len(shape_of(scores)) - 1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p, True)
    return matmul(weights, value)
