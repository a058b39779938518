"""torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook: gradients as products of narrow matrices.

The mean M of n × m gradients is approximated by P Qᵀ with r columns, by one step of subspace iteration:
P = M Q, orthogonalised, Q = Mᵀ P; only P and Q are summed over the processes, (n + m) r numbers in place of
n m. What the approximation leaves out is added to the gradients of the next iteration. The method is that of
Vogels, Karimireddy and Jaggi, "PowerSGD: Practical Low-Rank Gradient Compression for Distributed
Optimization", 2019.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ....core.process_group import needed_group
from ....linalg import qr
from ....tensor.contract import bmm
from ....tensor.creation import empty, zeros
from ....tensor.join import cat
from ....tensor.random import Generator, randn
from ....torch_names.futures import Future
from ... import all_reduce
from .default_hooks import averaged

logger = logging.getLogger(__name__)


class PowerSGDState:
    """Hold what the hook keeps from one iteration to the next.

    Parameters
    ----------
    process_group : ProcessGroup or None
    matrix_approximation_rank : int
        The number of columns r.
    start_powerSGD_iter : int
        For how many iterations gradients are averaged without compression first.
    min_compression_rate : float
        How much smaller P and Q must be than the gradient for it to be compressed.
    use_error_feedback : bool
        Whether what was left out is added to the next gradients.
    warm_start : bool
        Whether an iteration begins with the Q of the last one.
    orthogonalization_epsilon : float
        Added to the norm of each column, which may be zero.
    random_seed : int
        For the first Q, the same in all processes.
    compression_stats_logging_frequency : int
        After how many iterations the log tells how much was saved.
    batch_tensors_with_same_shape : bool
        Taken for torch's sake: the results are the same.
    """

    def __init__(
        self, process_group: Any, matrix_approximation_rank: int = 1, start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2, use_error_feedback: bool = True, warm_start: bool = True,
        orthogonalization_epsilon: float = 0, random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000, batch_tensors_with_same_shape: bool = False,
    ) -> None:  # fmt: skip
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, "
                "because PowerSGD can only be applied after the first two iterations in DDP."
            )
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        self.error_dict: dict[int, Any] = {}
        self.p_memory_dict: dict[int, Any] = {}
        self.q_memory_dict: dict[int, Any] = {}
        self.iter = 0
        self.total_numel_before_compression = 0
        self.total_numel_after_compression = 0
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.next_stats_report = 0
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape

    def __getstate__(self) -> dict[str, Any]:
        logger.warning("NOTE: Process group is not serializable and excluded from a saved state.")
        return {name: value for name, value in self.__dict__.items() if name != "process_group"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = needed_group()
        self.__dict__.update(state)

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Count an iteration at its last bucket."""
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_powerSGD_iter:
            logger.info("Start to apply PowerSGD after %s iterations.", self.iter)

    def compression_stats(self) -> tuple[float, int, int]:
        """Return the rate of compression so far, and how many numbers there were before and after it."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return (before / after if after else 0), before, after

    def report(self, bucket: Any) -> None:
        """Tell the log how much was saved, from time to time."""
        if bucket.is_last() and self.iter >= self.next_stats_report:
            logger.info("Compression stats: iter %s, rate %s", self.iter, self.compression_stats()[0])
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency


class _Deferred(Future[Any]):
    """A future whose value `follow` makes of another one, complete, where it is waited for.

    Collectives must begin in the same order in every process. What follows one collective and begins another
    may therefore not run when the first happens to be complete.
    """

    def __init__(self, before: Future[Any], follow: Callable[[Future[Any]], Any]) -> None:
        super().__init__()
        self._before = before
        self._follow = follow

    def wait(self) -> Any:
        """Run the function, the first time, and return what it gave."""
        if not self.done():
            self._before.wait()
            self.set_result(self._follow(self._before))
        return self.value()

    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        """Return the future of what a function makes of this one when that is waited for."""
        return _Deferred(self, callback)


def orthogonalize(matrices: Any, epsilon: float = 0) -> None:
    """Make the columns of each of a batch of matrices orthogonal and of length one, in place."""
    if (columns := matrices.shape[2]) > 2 and matrices.element_size() >= 4:
        matrices.copy_(qr(matrices)[0])
        return
    for i in range(columns):
        column = matrices[:, :, i : i + 1]
        column /= column.norm(dim=1, keepdim=True) + epsilon
        if i + 1 < columns:
            rest = matrices[:, :, i + 1 :]
            rest -= (column * rest).sum(dim=1, keepdim=True) * column


def _first_qs(state: PowerSGDState, qs: list[Any]) -> None:
    """Fill Qs with normal numbers, the same in all processes."""
    generator = Generator().manual_seed(int(state.rng.randint(1_000_000_000)))
    for q in qs:
        q.copy_(randn(q.shape, dtype=q.dtype, generator=generator))


def powerSGD_hook(state: PowerSGDState, bucket: Any) -> Any:
    """Average the gradients of a bucket, the large ones as products of narrow matrices.

    Parameters
    ----------
    state : PowerSGDState
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
    """
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, bucket.buffer())
    by_shape: dict[Any, list[Any]] = {}  # the order in which torch draws the first Qs
    whole = []
    for gradient in bucket.gradients():
        matrix = gradient.view(gradient.shape[0], -1) if gradient.dim() else gradient.view(1, 1)
        rows, columns = matrix.shape
        size = (rows + columns) * min(rows, columns, state.matrix_approximation_rank)
        compresses = size * state.min_compression_rate < rows * columns
        state.total_numel_before_compression += rows * columns
        state.total_numel_after_compression += size if compresses else rows * columns
        if compresses:
            by_shape.setdefault(matrix.shape, []).append(matrix.unsqueeze(0))
        else:
            whole.append(gradient)
    matrices = [matrix for same in by_shape.values() for matrix in same]
    return _approximated(state, bucket, bucket.buffer(), matrices, whole, bucket.buffer().shape[0])


def batched_powerSGD_hook(state: PowerSGDState, bucket: Any) -> Any:
    """Average the gradients of a bucket as one square matrix, which is a product of narrow ones.

    Parameters
    ----------
    state : PowerSGDState
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
    """
    buffer = bucket.buffer()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, buffer)
    count = buffer.shape[0]
    side = math.ceil(math.sqrt(count))
    state.total_numel_before_compression += count
    state.total_numel_after_compression += side * state.matrix_approximation_rank * 2
    padded = cat([buffer, zeros(side * side - count, dtype=buffer.dtype)])
    return _approximated(state, bucket, padded, [padded.view(1, side, side)], [], count)


def _approximated(
    state: PowerSGDState, bucket: Any, values: Any, matrices: list[Any], whole: list[Any], count: int
) -> Any:
    """Return the future of the average of `values`, of which `matrices` and `whole` are views.

    The first `count` of them are the bucket.
    """
    group = state.process_group or needed_group()
    index, size = bucket.index(), group.size()
    before = None
    if state.use_error_feedback:
        if index in state.error_dict:
            values.add_(state.error_dict[index])
        before = values.clone()
    state.report(bucket)
    ranks = [min(*m.shape[1:], state.matrix_approximation_rank) for m in matrices]
    begins = not state.warm_start or index not in state.p_memory_dict
    if begins:
        for memory, axis in ((state.p_memory_dict, 1), (state.q_memory_dict, 2)):
            total = sum(m.shape[axis] * rank for m, rank in zip(matrices, ranks, strict=True))
            memory[index] = empty(total, dtype=values.dtype)
    ps = _parts(state.p_memory_dict[index], [(m.shape[1], r) for m, r in zip(matrices, ranks, strict=True)])
    qs = _parts(state.q_memory_dict[index], [(m.shape[2], r) for m, r in zip(matrices, ranks, strict=True)])
    if begins:
        _first_qs(state, qs)
    for matrix, p, q in zip(matrices, ps, qs, strict=True):
        orthogonalize(q, state.orthogonalization_epsilon)
        p.copy_(bmm(matrix, q))
    flat = cat([t.reshape(-1) for t in whole]) if whole else empty(0, dtype=values.dtype)

    def approximate(_: Any) -> Any:
        start = 0
        flat.div_(size)
        for gradient in whole:
            gradient.copy_(flat[start : start + gradient.numel()].view(gradient.shape))
            start += gradient.numel()
        all_reduce(state.p_memory_dict[index], group=group)
        for matrix, p, q in zip(matrices, ps, qs, strict=True):
            orthogonalize(p, state.orthogonalization_epsilon)
            q.copy_(bmm(matrix.transpose(1, 2), p))
        all_reduce(state.q_memory_dict[index], group=group)
        state.q_memory_dict[index].div_(size)
        for matrix, p, q in zip(matrices, ps, qs, strict=True):
            matrix.copy_(bmm(p, q.transpose(1, 2)))
        if before is not None:
            state.error_dict[index] = before - values
        if not state.warm_start:
            state.p_memory_dict.clear()
            state.q_memory_dict.clear()
        state.maybe_increase_iter(bucket)
        return values[:count]

    work: Any = all_reduce(flat, group=group, async_op=True)
    return _Deferred(work.get_future(), approximate)


def _parts(memory: Any, shapes: list[tuple[int, int]]) -> list[Any]:
    """Return consecutive parts of a vector as matrices, each a batch of one."""
    parts, start = [], 0
    for rows, columns in shapes:
        parts.append(memory[start : start + rows * columns].view(1, rows, columns))
        start += rows * columns
    return parts


__all__ = ["PowerSGDState", "batched_powerSGD_hook", "powerSGD_hook"]
