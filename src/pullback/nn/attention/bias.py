"""Define causal masks for queries and keys of different lengths, for `scaled_dot_product_attention`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum, auto
from typing import Any

from ...core.warn import warn
from ...tensor.creation import ones
from ...tensor.interception import OVERRIDING
from ...tensor.rearrange import tril
from ...tensor.tensor import Tensor
from ..functional import scaled_dot_product_attention

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """Say from which corner the diagonal starts."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A causal mask that is made only where it is needed.

    Parameters
    ----------
    variant : CausalVariant
        Whether query i sees the keys up to i, or up to ``i + seq_len_kv − seq_len_q``.
    seq_len_q, seq_len_kv : int
        How many queries and keys there are.
    """

    _overrides_once_made = True

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        OVERRIDING.add(type(self))
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    def _materialize(self, device: Any = None) -> Any:
        """Return the mask (seq_len_q, seq_len_kv), True where a query sees a key."""
        offset = 0 if self.variant == CausalVariant.UPPER_LEFT else self.seq_len_kv - self.seq_len_q
        return tril(ones(self.seq_len_q, self.seq_len_kv, device=device).bool(), diagonal=offset)

    @staticmethod
    def _dispatch(
        query: Any, key: Any, value: Any, attn_mask: CausalBias, dropout_p: float = 0.0,
        is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        """Attend with the mask."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        upper = attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant == CausalVariant.UPPER_LEFT
        mask = None if upper else attn_mask._materialize()
        return scaled_dot_product_attention(
            query, key, value, mask, dropout_p, upper, scale=scale, enable_gqa=enable_gqa
        )

    @classmethod
    def __torch_function__(
        cls, func: Callable[..., Any], types: Sequence[type], args: Any = (), kwargs: Any = None
    ) -> Any:
        """Do attention by `_dispatch`; run every other function as for a tensor."""
        if func is scaled_dot_product_attention:
            return cls._dispatch(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs or {})

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Return a mask for (queries, keys) with which query i sees the keys up to i."""
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """Return a mask for (queries, keys) with which the last query sees all keys, each before it one less."""
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)


for _class in (CausalBias, CausalVariant):
    _class.__module__ = "torch.nn.attention.bias"
del _class
