"""Attention in heads of which nothing is recorded: one product of arrays after another.

torch's graph has some thirty ops there, most of them views; where no node is made there is nothing to see of
them. One query of 32 features before 12 keys takes 70 µs so, and 200 by the ops.
"""

from __future__ import annotations

import math

import numpy as np
from numpy import ndarray

from ...ops.attention import attention
from ...ops.contract import linear_sum
from ...ops.softmax import softmax

_attention, _softmax = attention.op.kernel, softmax.op.kernel


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
