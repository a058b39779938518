"""Connectionist temporal classification: the probability of a label sequence summed over its alignments.

Forward and backward variables in logarithms over the labels with blanks between them (Graves et al. 2006,
"Connectionist temporal classification", sections 4.1 and 4.2), for a whole batch at each time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import ndarray

from .scatter import index_sum


class States(NamedTuple):
    """Labels with blanks between them.

    Attributes
    ----------
    labels : ndarray
        (N, 2·S + 1).
    skips : ndarray
        (N, 2·S + 1), True where the state before the last can be left for this one: no blank, and no label
        twice.
    """

    labels: ndarray
    skips: ndarray


def padded(targets: ndarray, target_lengths: ndarray, blank: int, width: int) -> ndarray:
    """Return targets (N, width), blanks behind their ends, from targets in a row or (N, S)."""
    real = np.arange(width) < target_lengths[:, None]
    rows = np.full(real.shape, blank, np.int64)
    rows[real] = targets if targets.ndim == 1 else targets[:, :width][real]
    if rows.size and int(rows.min()) < 0:
        raise IndexError(f"target {int(rows.min())} is no class")
    return rows


def states(targets: ndarray, blank: int) -> States:
    """Return the states of targets (N, S)."""
    labels = np.full((len(targets), 2 * targets.shape[1] + 1), blank, np.intp)
    labels[:, 1::2] = targets
    skips = np.zeros(labels.shape, bool)
    skips[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return States(labels, skips)


def _log_sum(*terms: ndarray) -> ndarray:
    """Return log Σ exp of arrays, −inf where all are."""
    highest = terms[0]
    for term in terms[1:]:
        highest = np.maximum(highest, term)
    base = np.where(highest == -np.inf, 0, highest)
    total = np.exp(terms[0] - base)
    for term in terms[1:]:
        total += np.exp(term - base)
    return np.log(total) + base


def _at_labels(log_probs: ndarray, labels: ndarray) -> ndarray:
    """Return (T, N, C) at the states' labels: (T, N, states)."""
    return np.take_along_axis(log_probs, np.broadcast_to(labels, (len(log_probs), *labels.shape)), 2)


def forward(
    log_probs: ndarray, chain: States, input_lengths: ndarray, target_lengths: ndarray
) -> tuple[ndarray, ndarray]:
    """Return losses (N,) and forward variables (T, N, states)."""
    labels, skips = chain
    emitted = _at_labels(log_probs, labels)
    times, samples, count = emitted.shape
    alphas = np.full(emitted.shape, -np.inf, log_probs.dtype)
    alphas[0, :, 0] = emitted[0, :, 0]
    if count > 1:
        alphas[0, :, 1] = np.where(target_lengths > 0, emitted[0, :, 1], -np.inf)
    step, skip = alphas[0].copy(), alphas[0].copy()
    for t in range(1, times):
        before = alphas[t - 1]
        step[:, 1:], skip[:, 2:] = before[:, :-1], before[:, :-2]
        step[:, 0] = skip[:, :2] = -np.inf
        alphas[t] = emitted[t] + _log_sum(before, step, np.where(skips, skip, -np.inf))
    each, end = np.arange(samples), 2 * target_lengths
    last = alphas[np.maximum(input_lengths - 1, 0), each]
    label = np.where(target_lengths > 0, last[each, np.maximum(end - 1, 0)], -np.inf)
    losses = -_log_sum(last[each, end], label)
    none = np.where(target_lengths == 0, 0, np.inf)
    return np.where(input_lengths == 0, none, losses).astype(log_probs.dtype), alphas


def _betas(
    emitted: ndarray, chain: States, input_lengths: ndarray, target_lengths: ndarray
) -> ndarray:
    """Return backward variables (T, N, states), the emission of their own time included."""
    times, samples, count = emitted.shape
    betas = np.full(emitted.shape, -np.inf, emitted.dtype)
    place, end = np.arange(count), 2 * target_lengths[:, None]
    final = (place == end) | ((place == end - 1) & (end > 0))
    after = np.full((samples, count), -np.inf, emitted.dtype)
    skips = np.zeros((samples, count), bool)
    skips[:, :-2] = chain.skips[:, 2:]
    step, skip = after.copy(), after.copy()
    for t in range(times - 1, -1, -1):
        step[:, :-1], skip[:, :-2] = after[:, 1:], after[:, 2:]
        onward = _log_sum(after, step, np.where(skips, skip, -np.inf))
        onward = np.where((input_lengths == t + 1)[:, None], np.where(final, 0, -np.inf), onward)
        betas[t] = after = emitted[t] + onward
    return betas


def backward(
    log_probs: ndarray, chain: States, input_lengths: ndarray, target_lengths: ndarray, losses: ndarray,
    alphas: ndarray,
) -> ndarray:  # fmt: skip
    """Return gradients of the losses by the outputs before `log_softmax`, (T, N, C): eq. 16 of the paper.

    That is torch's gradient too: it is right for log probabilities that sum to one.
    """
    times, samples, classes = log_probs.shape
    emitted = _at_labels(log_probs, chain.labels)
    posterior = np.exp(
        alphas + _betas(emitted, chain, input_lengths, target_lengths) - emitted + losses[:, None]
    )
    place = (np.arange(times)[:, None] * samples + np.arange(samples))[:, :, None] * classes + chain.labels
    used = index_sum(posterior.reshape(-1), place.reshape(-1), log_probs.size).reshape(log_probs.shape)
    gradient = np.exp(log_probs) - used
    gradient[:, np.isinf(losses)] = np.nan
    gradient[np.arange(times)[:, None] >= input_lengths] = 0
    return gradient
