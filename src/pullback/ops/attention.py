"""Scaled dot-product attention as one op: the weights are not kept but computed again in the covector's rule.

`attn_mask` is bool, where False hides a key, or is added to the scores; a query that sees no key gets zeros.
With grouped queries the heads of `key` and `value` serve several heads of `query` each.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.layout import empty_like
from ..array.threads import run_parts
from ..core.bulk import unwrapped
from ..core.connected import refused
from ..core.op import Axes, Covectors, Several, Term, Terms, op
from ..core.tracer import Tracer
from ..core.underivable import no_tangent
from ..core.value import dtype_of, shape_of
from .comparison import where
from .contract import matmul, swap
from .convert import widened
from .elementwise import exp
from .join import cat
from .softmax import safe_softmax
from .structure import expand, lay_out, permute_to_front, reshape, sum_dims
from .view import slice_backward, slice_dim


def default_scale(width: int) -> float:
    """Return 1/√width, what scores are multiplied with."""
    return 1 / math.sqrt(width) if width else math.inf


#: Queries from which those of a causal attention are worked off in stretches, and stretches at most.
_LONG, _STRETCHES = 512, 4


def stretches(rows: int, keys: int, is_causal: bool) -> list[tuple[int, int, int]]:
    """Return stretches of queries as (first, beyond, keys): later keys, unseen, have no scores computed."""
    if not is_causal or rows < _LONG:
        return [(0, rows, keys)]
    ends = [rows * n // _STRETCHES for n in range(_STRETCHES + 1)]
    return [(first, end, min(end, keys)) for first, end in itertools.pairwise(ends)]


#: Elements of scores that are computed together: with those of all of 4×8 heads of 2,048 causal places,
#: forward and backward took 3.8 s and held 1,000 MB; in blocks they take 1.0 s and 170 MB (torch 0.7 s, 220).
_TOGETHER = 1 << 20

#: Elements of scores from which a compiled program leaves them to these blocks, too: with loops of its own
#: the same 4×8 heads held 607 MB in 1.06 s of processor time, so 103 MB in 1.01 (torch 148, 0.74).
_APART = 1 << 22


def are_apart(query: Sequence[int], keys: int) -> bool:
    """Return whether a compiled program has the scores of queries of a shape computed by the kernel here."""
    return math.prod(query[:-1]) * keys >= _APART


def _blocks(lead: tuple[int, ...], rows: int, keys: int, parts: int) -> list[tuple[slice, ...]]:
    """Return blocks of the leading axes, of which the scores of each of some parts of the queries are few."""
    if (inner := rows * keys // parts * math.prod(lead)) <= _TOGETHER:
        return [()]
    for axis, extent in enumerate(lead):
        inner //= max(extent, 1)
        if inner <= _TOGETHER or axis == len(lead) - 1:
            step = max(1, _TOGETHER // max(inner, 1))
            before = itertools.product(*map(range, lead[:axis]))
            starts = range(0, extent, step)
            return [(*(slice(i, i + 1) for i in at), slice(n, n + step)) for at in before for n in starts]
    return [()]


def _in_block(x: ndarray, block: tuple[slice, ...]) -> ndarray:
    """Return a block of the leading axes of a stack of matrices, of which some have one element for all."""
    lead = max(x.ndim - 2, 0)
    own = zip(x.shape, block[len(block) - lead :], strict=False)
    return x[tuple([slice(None) if n == 1 else s for n, s in own])]


def _run(part: Callable[[int], None], blocks: int) -> None:
    """Run a function for each block, several side by side. BLAS's own threads, which wait by turning in
    circles, took 30.9 s for 2,048 places beside other work, 7.2 of processor time; so it is 3.4 and 1.2.
    """
    if blocks == 1:
        part(0)
    else:
        run_parts(part, blocks, uses_blas=True)


@lru_cache(maxsize=8)
def _later(rows: int, columns: int) -> ndarray:
    """Return which keys come after the place of each query; generation asks for the same again and again."""
    later = np.greater(np.arange(columns), np.arange(rows)[:, None])
    later.flags.writeable = False
    return later


def _attention(
    query: ndarray, key: ndarray, value: ndarray, attn_mask: Any, /, dropout_p: float, is_causal: bool,
    scale: float | None,
) -> tuple[ndarray, ndarray]:  # fmt: skip
    if (repeats := query.shape[-3] // key.shape[-3]) > 1:
        key, value = np.repeat(key, repeats, -3), np.repeat(value, repeats, -3)
    factor = default_scale(query.shape[-1]) if scale is None else scale
    lead = query.shape[:-2]
    if key.shape[:-2] != lead:
        lead = np.broadcast_shapes(lead, key.shape[:-2])
    shape = (*lead, query.shape[-2], value.shape[-1])
    out = empty_like(query) if query.shape == shape else np.empty(shape, query.dtype)
    sums = np.empty(shape[:-1], query.dtype)
    parts = stretches(query.shape[-2], key.shape[-2], is_causal and attn_mask is None)
    blocks = _blocks(lead, query.shape[-2], key.shape[-2], len(parts))

    def part(index: int) -> None:
        block = blocks[index]
        q, k, v = (_in_block(x, block) for x in (query, key, value))
        mask = None if attn_mask is None else _in_block(attn_mask, block)
        for first, beyond, keys in parts:
            scores = large.stacked(q[..., first:beyond, :], k[..., :keys, :].swapaxes(-1, -2))
            weights, logsumexp = _weighed(scores, mask, first if is_causal else None, factor)
            out[block][..., first:beyond, :] = large.stacked(weights, v[..., :keys, :])
            sums[block][..., first:beyond] = logsumexp

    _run(part, len(blocks))
    return out, sums


def _masked(scores: ndarray, attn_mask: Any, first: int | None, factor: float) -> ndarray:
    """Return what the weights are the softmax of, of products of queries with keys, which may be changed.

    `first` is the place of the first of the queries, where these do not see the keys behind their own.
    """
    scores *= factor
    if first is not None:
        rows, keys = scores.shape[-2:]
        np.copyto(scores, -np.inf, where=_later(first + rows, keys)[first:])
    if attn_mask is None:
        return scores
    if attn_mask.dtype.kind == "b":  # torch adds it, too
        attn_mask = np.where(attn_mask, 0, -np.inf).astype(scores.dtype)
    fits = np.broadcast_shapes(attn_mask.shape, scores.shape) == scores.shape
    return np.add(scores, attn_mask, out=scores if fits else None, dtype=scores.dtype)


@lru_cache(maxsize=8)
def _places(first: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[ndarray, ndarray]:
    """Return the places of keys, and for each row of scores up to which of them its query sees; read-only."""
    own = np.arange(first + 1, first + 1 + shape[-2], dtype=dtype)
    found = np.arange(shape[-1], dtype=dtype), np.broadcast_to(own, shape[:-1]).reshape(-1, 1)
    for array in found:
        array.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def _row_of(value: float, dtype: np.dtype[Any]) -> ndarray:
    """Return a number as kernels along rows are given it; read-only."""
    found = np.full(1, value, dtype)
    found.flags.writeable = False
    return found


def _made_of_rows(
    name: str, factors: Sequence[float], scores: ndarray, others: Sequence[ndarray], first: int | None
) -> Any:
    """Return what a native kernel makes of each row of scores and of others; None where there is none."""
    places, seen = (None, None) if first is None else _places(first, scores.shape, scores.dtype)
    rows = [v.reshape(-1, v.shape[-1]) for v in (scores, *others)]
    shared = [*(_row_of(factor, scores.dtype) for factor in factors), places]
    per_row = *(False,) * len(shared), *(True,) * (1 + len(rows))
    return large.ask("rows", name, (*shared, seen, *rows), (), per_row)


def _weighed(scores: ndarray, attn_mask: object, first: int | None, factor: float) -> tuple[ndarray, ndarray]:
    """Return the softmax of scores and its sums' logarithms; no weights and ∞ if a query sees no key."""
    if attn_mask is not None:
        scores, first, factor = _masked(scores, attn_mask, first, factor), None, 1.0
    kept = (*scores.shape[:-1], 1)
    if scores.size >= large.ROWS:
        found = _made_of_rows("weights_of_rows", [factor], scores, (), first)
        if found is not None and np.minimum.reduce(found[1], axis=None) > -np.inf:
            return found[0].reshape(scores.shape), found[1].reshape(kept[:-1])
    scores = scores if attn_mask is not None else _masked(scores, None, first, factor)
    top = np.maximum.reduce(scores, axis=-1, keepdims=True)
    # A query that sees no key is rare: to look for one takes a tenth of what the masks take.
    all_see = not top.size or np.minimum.reduce(top, axis=None) > -np.inf
    blind = None if all_see else np.equal(top, -np.inf)
    if blind is not None:
        np.copyto(top, 0, where=blind)
    weights = np.subtract(scores, top, out=scores)
    np.exp(weights, out=weights)
    total = np.add.reduce(weights, axis=-1, keepdims=True)
    if blind is not None:
        np.copyto(total, 1, where=blind)
    np.divide(weights, total, out=weights)
    np.log(total, out=total)
    np.add(top, total, out=total)
    if blind is not None:
        np.copyto(total, np.inf, where=blind)
    return weights, total[..., 0]


def _for_each_head(x: Term, repeats: int) -> Term:
    if repeats == 1:
        return x
    *lead, heads, rows, width = shape_of(x)
    spread = expand(reshape(x, (*lead, heads, 1, rows, width)), (*lead, heads, repeats, rows, width))
    return reshape(spread, (*lead, heads * repeats, rows, width))


def _over_heads(g: Term, repeats: int) -> Term:
    if repeats == 1:
        return g
    *lead, heads, rows, width = shape_of(g)
    parts = reshape(g, (*lead, heads // repeats, repeats, rows, width))
    return sum_dims(parts, (len(lead) + 1,), False)


def _rows_outside_heads(g: Term) -> Term:
    """Return torch lays the covectors out with the heads inside the rows."""
    if len(shape_of(g)) != 4:
        return g
    count, heads, rows, width = shape_of(g)
    if isinstance(g, ndarray):
        laid = np.empty((count, rows, heads, width), g.dtype)
        np.copyto(laid.swapaxes(1, 2), g)
        return laid.swapaxes(1, 2)
    return lay_out(g, (rows * heads * width, width, heads * width, 1))


def _pulled_on_arrays(
    scores: ndarray, sums: ndarray, turned: ndarray, along: ndarray, attn_mask: object, first: int | None,
    factor: float, scores_too: bool
) -> tuple[Term, Term, Term]:  # fmt: skip
    """Return the weights, and the covectors of the scores with the mask and of the products."""
    slope = factor
    if attn_mask is not None:
        scores, first, factor = _masked(scores, attn_mask, first, factor), None, 1.0
    if scores.size >= large.ROWS and not scores_too:
        found = _made_of_rows("attention_pull", [factor, slope], scores, (sums, turned, along), first)
        if found is not None:
            weights, pulled = (v.reshape(scores.shape) for v in found)
            return weights, pulled, pulled
    scores = scores if attn_mask is not None else _masked(scores, None, first, factor)
    weights = np.exp(np.subtract(scores, sums, out=scores), out=scores)
    each = np.multiply(weights, np.subtract(turned, along, out=turned), out=turned)
    return weights, each, each * slope


def _attention_rule(
    g: Term, query: Term, key: Term, value: Term, attn_mask: Term | None, output: Term, logsumexp: Term,
    dropout_p: float, is_causal: bool, scale: float | None, needs: tuple[bool, ...]
) -> Covectors:
    kind = dtype_of(logsumexp)
    g, query, key, value, output, logsumexp, attn_mask = map(
        unwrapped, (g, query, key, value, output, logsumexp, attn_mask)
    )
    g, query, key, value, output, logsumexp = map(widened, (g, query, key, value, output, logsumexp))
    repeats = shape_of(query)[-3] // shape_of(key)[-3]
    key, value = _for_each_head(key, repeats), _for_each_head(value, repeats)
    factor = default_scale(shape_of(query)[-1]) if scale is None else scale
    given = (g, query, key, value, attn_mask, output, logsumexp)
    if not needs[3] and _left_apart(given, kind):
        in_query, in_key, in_value = attention_pull(*given, is_causal, factor)
        each = None
    else:
        in_query, in_key, in_value, each = _pulled(given, is_causal, kind, factor, needs[3])
    return (
        _rows_outside_heads(in_query),
        _rows_outside_heads(_over_heads(in_key, repeats)),
        _rows_outside_heads(_over_heads(in_value, repeats)),
        each,
    )


def _left_apart(given: tuple[Any, ...], kind: object) -> bool:
    """Return whether a program that is written down leaves the pullback to its kernel."""
    held = [v for v in given if v is not None]
    if Tracer not in map(type, held) or any(type(v) not in (Tracer, ndarray) for v in held):
        return False
    query, key = held[1:3]
    return all(dtype_of(v) == kind for v in held[:4]) and are_apart(shape_of(query), shape_of(key)[-2])


def _pulled(
    given: tuple[Any, ...], is_causal: bool, kind: object, factor: float, scores_too: bool
) -> tuple[Any, Any, Any, Any]:
    """Return the covectors of the query, the key and the value, and where asked of the scores."""
    g, query, key, value, attn_mask, output, logsumexp = given
    lead, rows, keys = shape_of(g)[:-2], shape_of(query)[-2], shape_of(key)[-2]
    parts = stretches(rows, keys, is_causal and attn_mask is None)
    logs = reshape(logsumexp, (*shape_of(logsumexp), 1))
    values: tuple[Any, ...] = (g, query, key, value, output, logs, attn_mask)
    about = (parts, is_causal, kind, factor, scores_too)
    blocks: list[tuple[slice, ...]] = [()]
    if not scores_too and all(v is None or isinstance(v, ndarray) for v in values):
        blocks = _blocks(lead, rows, keys, len(parts))
    if len(blocks) == 1:
        return _block_rule(values, *about)
    own = ((*lead, *shape_of(v)[-2:]) for v in (query, key, value))
    found: list[Any] = [np.empty(shape, g.dtype) for shape in own]

    def part(index: int) -> None:
        block = blocks[index]
        parts_of = [None if v is None else _in_block(v, block) for v in values]
        for whole, each in zip(found, _block_rule(parts_of, *about), strict=False):
            whole[block] = each

    _run(part, len(blocks))
    return found[0], found[1], found[2], None


def _pull(
    g: ndarray, query: ndarray, key: ndarray, value: ndarray, attn_mask: object, output: ndarray,
    logsumexp: ndarray, /, is_causal: bool, factor: float,
) -> tuple[Any, ...]:  # fmt: skip
    given = (g, query, key, value, attn_mask, output, logsumexp)
    return _pulled(given, is_causal, logsumexp.dtype, factor, False)[:3]


#: The pullback of attention as one op, which programs hold where scores are many.
attention_pull: Several = op(
    "scaled_dot_product_attention_pull", _pull, outputs=("query", "key", "value"),
    underivable="_scaled_dot_product_flash_attention_for_cpu_backward",
    shape=lambda g, *given: [((*g.shape[:-2], *v.shape[-2:]), g.dtype) for v in given[:3]],
)  # fmt: skip


def _block_rule(
    given: Sequence[Any], parts: list[tuple[int, int, int]], is_causal: bool, kind: object, factor: float,
    scores_too: bool
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    """Return the covectors of the query, the key and the value of a block, and where asked of the scores."""
    g, query, key, value, output, logs, attn_mask = given
    axis, rows, keys = len(shape_of(g)) - 2, shape_of(query)[-2], shape_of(key)[-2]
    totals = sum_dims(g * output, (axis + 1,), True)
    found = []
    for first, beyond, seen in parts:
        own = [_cut(v, axis, first, beyond, rows) for v in (g, query, totals, logs)]
        own += [_cut(v, axis, 0, seen, keys) for v in (key, value)]
        found.append(_stretch_rule(own, first if is_causal else None, attn_mask, kind, factor, scores_too))
    in_query, *in_others, each = zip(*found)
    in_key, in_value = (_gathered(list(gs), axis, keys) for gs in in_others)
    of_query = in_query[0] if len(parts) == 1 else cat(list(in_query), axis)
    return of_query, in_key, in_value, each[0] if scores_too else None


def _cut(x: Term, axis: int, first: int, beyond: int, extent: int) -> Term:
    """Return a stretch of an axis."""
    return x if beyond - first == extent else slice_dim(x, axis, first, beyond, 1)


def _gathered(gs: list[Any], axis: int, keys: int) -> Any:
    """Return the sum of covectors of the first keys, the last of which has most."""
    shape = list(shape_of(gs[-1]))
    shape[axis] = keys
    spread = [
        g if shape_of(g)[axis] == keys else slice_backward(g, tuple(shape), axis, 0, shape_of(g)[axis], 1)
        for g in gs
    ]
    return functools.reduce(lambda x, y: x + y, spread)


def _stretch_rule(
    given: list[Any], first: int | None, attn_mask: Any, kind: object, factor: float, scores_too: bool
) -> tuple[Any, Any, Any, Any]:
    """Return the covectors of the query, the key, the value and the scores of a stretch of queries.

    What is `given` is the output's covector, the query, the sums of the output times its covector, the
    logarithms of the divisors, the key and the value.
    """
    g, query, totals, logs, key, value = given
    turned = matmul(g, swap(value))
    if all(isinstance(v, ndarray) for v in (turned, query, logs)) and dtype_of(turned) == kind:
        made = large.stacked(query, key.swapaxes(-1, -2))
        about = attn_mask, first, factor, scores_too
        weights, each, pulled = _pulled_on_arrays(made, logs, turned, totals, *about)
    else:
        scores = matmul(query, swap(key)) * factor
        if first is not None:
            later = _later(first + shape_of(scores)[-2], shape_of(scores)[-1])[first:]
            scores = where(np.logical_not(later), scores, -math.inf)
        if attn_mask is not None and dtype_of(attn_mask).kind == "b":
            scores = where(attn_mask, scores, -math.inf)
        elif attn_mask is not None:
            scores = scores + attn_mask
        # The saved logarithms have no history, so derivatives of this rule need the softmax itself; those of
        # halves were rounded.
        traced = type(scores) is Tracer and dtype_of(scores) == kind
        weights = exp(scores - logs) if traced else safe_softmax(scores, len(shape_of(g)) - 1)
        each = weights * (turned - totals)
        pulled = each * factor
    return matmul(pulled, key), matmul(swap(pulled), query), matmul(swap(weights), g), each


def _attention_batched(size: int, values: Terms, dims: Axes, *attrs: Any) -> tuple[Any, ...]:
    ranks = [0 if v is None else len(shape_of(v)) - (d is not None) for v, d in zip(values, dims)]

    def aligned(v: Term, d: int | None) -> Term:
        if d is None:
            return v
        x = permute_to_front(v, d)
        own = shape_of(x)[1:]
        return reshape(x, (size, *(1,) * (max(ranks) - len(own)), *own))

    query, *others = (aligned(v, d) for v, d in zip(values, dims, strict=True))
    if dims[0] is None:
        query = expand(reshape(query, (1, *shape_of(query))), (size, *shape_of(query)))
    output, logsumexp = attention(query, *others, *attrs)
    return output, logsumexp


#: softmax(query @ keyᵀ · scale + mask) @ value, with the logarithm of each softmax's divisor.
attention: Several = op(
    "scaled_dot_product_attention", _attention, _attention_rule, joint=True, halves=True,
    outputs=("output", "logsumexp"), differentiable=(0,), differentiable_inputs=(0, 1, 2),
    batch_rule=_attention_batched, node_name="ScaledDotProductFlashAttentionForCpuBackward0",
    gradient=refused("_scaled_dot_product_flash_attention_for_cpu_backward"),
    jvp=no_tangent("_scaled_dot_product_flash_attention_for_cpu"), sizes_kept=True,
)  # fmt: skip
