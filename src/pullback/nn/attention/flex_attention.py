"""torch.nn.attention.flex_attention: attention whose scores and mask are functions of the places.

``score_mod(score, b, h, q, k)`` changes a score, ``mask_mod(b, h, q, k)`` says which are seen; both get
tensors without dimensions and are mapped over all places at once. A `BlockMask` also lists which blocks of
places hold anything: kernels that skip empty blocks need that; here all scores are computed.

As in torch there are no gradients through it on the CPU.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import reduce
from operator import and_, or_
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

from ...array import dtypes
from ...core.modes import modes
from ...core.value import array_of, wrap
from ...func import vmap
from ...tensor.contract import matmul
from ...tensor.masks import where
from ...tensor.ranges import arange
from ...tensor.rearrange import repeat_interleave
from ...tensor.softmax import logsumexp, softmax

__all__ = [
    "AuxOutput", "AuxRequest", "BlockMask", "and_masks", "create_block_mask", "create_mask", "flex_attention",
    "noop_mask", "or_masks",
]  # fmt: skip

Mod = Callable[..., Any]

_DEFAULT_SPARSE_BLOCK_SIZE = 128


class AuxRequest(NamedTuple):
    """Ask `flex_attention` for more than the output."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """Hold what was asked for: the logarithm of each softmax's divisor; CPUs do not keep largest scores."""

    lse: Any = None
    max_scores: Any = None


def _counts_scores(mod: Mod) -> bool:
    """Return whether a function takes a score (five arguments) or only places (four)."""
    parameters = inspect.signature(mod).parameters.values()
    count = sum(p.default is inspect.Parameter.empty for p in parameters)
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return count == 5


def _over_places(mod: Mod, scores: bool) -> Mod:
    """Return the function mapped over batch, heads, queries and keys, the scores split along each."""
    first = (0,) if scores else ()
    for places in (
        (None, None, None, 0),
        (None, None, 0, None),
        (None, 0, None, None),
        (0, None, None, None),
    ):
        mod = vmap(mod, in_dims=(*first, *places))
    return mod


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Any:
    """Return the mask that hides nothing."""
    return batch.new_ones(size=(), dtype=dtypes.bool, device=batch.device)


def _joined(mask_mods: tuple[Mod, ...], of_none: bool, join: Callable[[Any, Any], Any]) -> Mod:
    """Return the mask that joins what several show, `of_none` being that of no mask."""
    if not all(callable(mod) for mod in mask_mods):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def joined_mask(b: Any, h: Any, q_idx: Any, kv_idx: Any) -> Any:
        first = b.new_full((), of_none, dtype=dtypes.bool)
        return reduce(join, (mod(b, h, q_idx, kv_idx) for mod in mask_mods), first)

    return joined_mask


def and_masks(*mask_mods: Mod) -> Mod:
    """Return the mask of what all of several masks show."""
    return _joined(mask_mods, True, and_)


def or_masks(*mask_mods: Mod) -> Mod:
    """Return the mask of what any of several masks shows."""
    return _joined(mask_mods, False, or_)


def create_mask(
    mod_fn: Mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Any:
    """Evaluate a mask, or what a score function does not make −∞, at all places.

    Returns
    -------
    Tensor of bool, (B, H, Q_LEN, KV_LEN)
    """
    b, h = 1 if B is None else B, 1 if H is None else H
    places = (arange(b), arange(h), arange(Q_LEN), arange(KV_LEN))
    if _counts_scores(mod_fn):
        zeros = wrap(np.zeros((b, h, Q_LEN, KV_LEN), np.float32))
        return ~_over_places(mod_fn, scores=True)(zeros, *places).isneginf()
    return _over_places(mod_fn, scores=False)(*places)


def _listed(blocks: ndarray) -> tuple[Any, Any]:
    """Return per row of blocks how many hold something, and the columns, those first."""
    order = np.argsort(-blocks.astype(np.int32), axis=-1, kind="stable")
    return wrap(blocks.sum(-1, dtype=np.int32)), wrap(order.astype(np.int32))


class BlockMask:
    """A mask, and which of its blocks hold something to see, wholly or in part.

    Attributes
    ----------
    kv_num_blocks, kv_indices : Tensor of int32, (B, H, rows) and (B, H, rows, columns)
        How many blocks of keys each block of queries sees in part, and which (the first so many).
    full_kv_num_blocks, full_kv_indices : Tensor of int32
        The same of blocks that are seen whole.
    q_num_blocks, q_indices, full_q_num_blocks, full_q_indices : Tensor of int32
        The same by blocks of keys.
    BLOCK_SIZE : tuple of two ints
    seq_lengths : tuple of two ints
        Queries and keys.
    mask_mod : callable
    """

    def __init__(
        self, partly: ndarray, wholly: ndarray | None, mask_mod: Mod, seq_lengths: tuple[int, int],
        block_size: tuple[int, int],
    ) -> None:  # fmt: skip
        self.kv_num_blocks, self.kv_indices = _listed(partly)
        self.q_num_blocks, self.q_indices = _listed(partly.swapaxes(-1, -2))
        nothing: tuple[Any, Any] = (None, None)
        self.full_kv_num_blocks, self.full_kv_indices = nothing if wholly is None else _listed(wholly)
        self.full_q_num_blocks, self.full_q_indices = (
            nothing if wholly is None else _listed(wholly.swapaxes(-1, -2))
        )
        self.BLOCK_SIZE = block_size
        self.seq_lengths = seq_lengths
        self.mask_mod = mask_mod
        self._blocks = partly if wholly is None else partly | wholly

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the batch, heads, queries, keys."""
        return (*self._blocks.shape[:2], *self.seq_lengths)

    def numel(self) -> int:
        """Return the number of places in the mask."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """Return the share of places outside the blocks that hold something, in per cent."""
        seen = int(self._blocks.sum()) * math.prod(self.BLOCK_SIZE)
        return 100 * (1 - seen / self.numel())

    def to_dense(self) -> Any:
        """Return 1 for each block that holds something: Tensor of int32, (B, H, rows, columns)."""
        return wrap(self._blocks.astype(np.int32))

    def to(self, device: Any) -> BlockMask:
        """Return the mask itself: there is one device."""
        return self

    def __repr__(self) -> str:
        name = getattr(self.mask_mod, "__name__", repr(self.mask_mod))
        parts = [
            f"{part}={None if (value := getattr(self, part)) is None else value.shape}"
            for part in (
                "kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks",
                "q_indices", "full_q_num_blocks", "full_q_indices",
            )
        ]
        parts += [
            f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%",
            f"mask_mod={name}",
        ]
        return "BlockMask(\n    " + ",\n    ".join(parts) + "\n)"


def create_block_mask(
    mask_mod: Mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False,
    separate_full_blocks: bool = True,
) -> BlockMask:  # fmt: skip
    """Evaluate a mask at all places and note which blocks of it hold something.

    Parameters
    ----------
    mask_mod : callable
        ``mask_mod(b, h, q, k)``: whether query q sees key k.
    B, H : int or None
        Batch and heads; None where the mask does not depend on them.
    Q_LEN, KV_LEN : int
    BLOCK_SIZE : int or tuple of two ints
    separate_full_blocks : bool
        Whether blocks that are seen whole have lists of their own.
    """
    if _counts_scores(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = array_of(create_mask(mask_mod, B, H, Q_LEN, KV_LEN))
    padding = ((0, 0), (0, 0), (0, -Q_LEN % rows), (0, -KV_LEN % columns))
    padded = np.pad(mask, padding)
    b, h, q, k = padded.shape
    seen = padded.reshape(b, h, q // rows, rows, k // columns, columns).sum((3, 5))
    wholly = seen == rows * columns
    if separate_full_blocks:
        return BlockMask((seen > 0) & ~wholly, wholly, mask_mod, (Q_LEN, KV_LEN), (rows, columns))
    return BlockMask(seen > 0, None, mask_mod, (Q_LEN, KV_LEN), (rows, columns))


def _check(query: Any, key: Any, value: Any, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    if modes().grad and any(x.requires_grad for x in (query, key, value)):
        raise NotImplementedError(
            "FlexAttention does not support backward on CPU. Please set the input requires_grad to False or "
            "use another device."
        )
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    heads, shared = query.size(-3), key.size(-3)
    if not enable_gqa and heads != shared:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and "
            f"Hkv={shared}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and heads % shared:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and "
            f"Hkv={shared}."
        )
    if block_mask is None:
        return
    lengths = (query.size(-2), key.size(-2))
    made_for = (
        f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={lengths[0]} and "
        f"kv_len={lengths[1]}. "
    )
    if lengths[0] > block_mask.shape[-2] or lengths[1] > block_mask.shape[-1]:
        raise ValueError(
            made_for + "As the block mask was created for a smaller length than you're using it for, you "
            "likely need to create a new block mask."
        )
    if lengths != tuple(block_mask.shape[-2:]):
        raise ValueError(
            made_for + "As the block mask was created for a larger length than you're using it for, you can "
            "either 1. create a new block mask with the correct length, or 2. 'adjust' the existing block "
            "mask to the correct length by calling block_mask._adjust(q_len, kv_len). This essentially "
            "'crops' the block mask to the upper left corner, which does not work for all mask_mods!"
        )


def flex_attention(
    query: Any, key: Any, value: Any, score_mod: Mod | None = None, block_mask: BlockMask | None = None,
    scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
    kernel_options: dict[str, Any] | None = None, *, return_aux: AuxRequest | None = None,
) -> Any:  # fmt: skip
    """Return softmax(score_mod(query @ keyᵀ · scale), −∞ where the mask hides) @ value.

    Parameters
    ----------
    query, key, value : Tensor, (B, H, L, E), (B, H or a divisor, S, E), (B, like key, S, V)
        Without requires_grad, as in torch on the CPU.
    score_mod : callable, optional
    block_mask : BlockMask, optional
    scale : float, optional
        1/√E by default.
    enable_gqa : bool
        Whether several heads of the query share one of key and value.
    return_lse, return_aux : bool, AuxRequest
        What to return beside the output.

    Returns
    -------
    Tensor, (B, H, L, V), or a pair of it and what was asked for
    """
    _check(query, key, value, block_mask, enable_gqa)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    if enable_gqa:
        repeats = query.size(1) // key.size(1)
        key, value = (repeat_interleave(x, repeats, 1) for x in (key, value))
    wide = dtypes.float64 if query.dtype is dtypes.float64 else dtypes.float32
    factor = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = matmul(query.to(wide), key.to(wide).transpose(-2, -1)) * factor
    places = [arange(n, dtype=dtypes.int32) for n in scores.shape]
    if score_mod is not None:
        scores = _over_places(score_mod, scores=True)(scores, *places).to(wide)
    if block_mask is not None:
        seen = _over_places(block_mask.mask_mod, scores=False)(*places)
        scores = where(seen, scores, -math.inf)
    hidden = (scores == -math.inf).all(-1, keepdim=True)
    weights = where(hidden, 0.0, softmax(scores, -1))
    output = matmul(weights.to(query.dtype), value)
    if return_aux is not None:
        return output, AuxOutput(logsumexp(scores, -1) if return_aux.lse else None)
    return (output, logsumexp(scores, -1)) if return_lse else output
