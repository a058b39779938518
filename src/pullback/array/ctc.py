"""Connectionist temporal classification: the probability of a label sequence summed over its alignments.

Forward and backward variables in logarithms over the labels with blanks between them (Graves et al. 2006,
"Connectionist temporal classification", sections 4.1 and 4.2), for a whole batch at each time.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy import ndarray

from .chains import ROWS, Chain
from .named_tuples import NamedTuple
from .scatter import index_sum


class States(NamedTuple):
    """Labels with blanks between them: (N, 2·S + 1) each."""

    labels: ndarray
    skips: ndarray  # whether the state before the last can be left for this one: no blank, no label twice


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


class _Laid(NamedTuple):
    """Emissions and what a skip costs, all samples of a time in one row: two places of −inf before the states
    of each, so that neighbours are the same row begun one or two places apart.
    """

    emitted: ndarray  # (T, N·(2 + states))
    penalty: ndarray  # (N·(2 + states),), 0 where a state can be skipped into, else −inf


def _laid(emitted: ndarray, skips: ndarray) -> _Laid:
    times, samples, count = emitted.shape
    wide = np.full((times, samples, _PADS + count), -np.inf, emitted.dtype)
    wide[..., _PADS:] = emitted
    penalty = np.full((samples, _PADS + count), -np.inf, emitted.dtype)
    penalty[:, _PADS:][skips] = 0
    return _Laid(wide.reshape(times, -1), penalty.reshape(-1))


def _apart(rows: ndarray, samples: int) -> ndarray:
    """Return rows that are laid so as (T, N, states)."""
    states = rows.reshape(len(rows), samples, -1)[..., _PADS:]
    return np.ascontiguousarray(states)


#: Places before the states of a sample.
_PADS = 2


def _step(
    here: ndarray, near: ndarray, far: ndarray, penalty: ndarray, emitted: ndarray, now: ndarray,
    base: ndarray,
) -> None:  # fmt: skip
    """Write the variables of a time: what was emitted and log Σ exp of the state and its two neighbours."""
    np.add(far, penalty, out=now)
    np.maximum(np.maximum(here, near, out=base), now, out=base)
    # Where all are −inf the base is finite, and their sum 0.
    np.maximum(base, _LOWEST[here.dtype], out=base)
    np.exp(np.subtract(now, base, out=now), out=now)
    total = np.exp(np.subtract(here, base, out=...), out=...)
    np.add(total, np.exp(np.subtract(near, base, out=...), out=...), out=total)
    np.log(np.add(total, now, out=now), out=now)
    np.add(now, base, out=now)
    np.add(emitted, now, out=now)


_LOWEST = {np.dtype(t): float(np.finfo(t).min) for t in (np.float32, np.float64)}
_STEP = Chain(_step, (ROWS,) * 6, 1, cost=7000)


def _run(steps: int, *arrays: ndarray) -> Callable[..., None]:
    """Return what does so many steps on arrays like these."""
    if (native := _STEP.native(arrays[0], steps)) is not None:
        return native
    base = np.empty_like(arrays[0])
    return partial(_step, base=base)


def forward(
    log_probs: ndarray, chain: States, input_lengths: ndarray, target_lengths: ndarray
) -> tuple[ndarray, ndarray]:
    """Return losses (N,) and forward variables (T, N, states)."""
    emitted = _at_labels(log_probs, chain.labels)
    times, samples, count = emitted.shape
    rows, penalty = _laid(emitted, chain.skips)
    wide = np.full((times, rows.shape[1] + _PADS), -np.inf, log_probs.dtype)
    first = wide[0, _PADS:].reshape(samples, -1)[:, _PADS:]
    first[:, 0] = emitted[0, :, 0]
    if count > 1:
        first[:, 1] = np.where(target_lengths > 0, emitted[0, :, 1], -np.inf)
    run = _run(times, rows[0])
    for t in range(1, times):
        before = wide[t - 1]
        run(before[2:], before[1:-1], before[:-2], penalty, rows[t], wide[t, _PADS:])
    alphas = _apart(wide[:, _PADS:], samples)
    each, end = np.arange(samples), 2 * target_lengths
    last = alphas[np.maximum(input_lengths - 1, 0), each]
    label = np.where(target_lengths > 0, last[each, np.maximum(end - 1, 0)], -np.inf)
    losses = -_log_sum(last[each, end], label)
    none = np.where(target_lengths == 0, 0, np.inf)
    return np.where(input_lengths == 0, none, losses).astype(log_probs.dtype), alphas


def _betas(emitted: ndarray, chain: States, input_lengths: ndarray, target_lengths: ndarray) -> ndarray:
    """Return backward variables (T, N, states), the emission of their own time included."""
    times, samples, count = emitted.shape
    skips = np.zeros((samples, count), bool)
    skips[:, :-2] = chain.skips[:, 2:]
    rows, penalty = _laid(emitted, skips)
    wide = np.full((times + 1, rows.shape[1] + _PADS), -np.inf, emitted.dtype)
    place, end = np.arange(count), 2 * target_lengths[:, None]
    final = np.where((place == end) | ((place == end - 1) & (end > 0)), 0, -np.inf)
    ending = set(input_lengths.tolist())
    run = _run(times, rows[0])
    for t in range(times - 1, -1, -1):
        after, now = wide[t + 1], wide[t, :-_PADS]
        run(after[:-2], after[1:-1], after[2:], penalty, rows[t], now)
        if t + 1 in ending:
            ends = input_lengths == t + 1
            now.reshape(samples, -1)[ends, _PADS:] = emitted[t, ends] + final[ends]
    return _apart(wide[:times, :-_PADS], samples)


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
