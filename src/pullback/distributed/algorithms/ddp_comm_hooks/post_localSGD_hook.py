"""torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook: averages over all, later over a few."""

from __future__ import annotations

import logging
from typing import Any

from ...groups import new_subgroups
from .debugging_hooks import noop_hook
from .default_hooks import averaged

logger = logging.getLogger(__name__)


class PostLocalSGDState:
    """Over which processes gradients are averaged, and from when on.

    Parameters
    ----------
    process_group : ProcessGroup or None
        The processes of the first iterations; by default all.
    subgroup : ProcessGroup or None
        The processes of those that follow; by default the ones of a machine.
    start_localSGD_iter : int
        How many iterations are the first.
    post_local_gradient_allreduce : bool
        Whether gradients are averaged in those that follow; otherwise each process keeps its own.
    """

    def __init__(
        self, process_group: Any, subgroup: Any, start_localSGD_iter: int,
        post_local_gradient_allreduce: bool = True,
    ) -> None:  # fmt: skip
        logger.info("Local SGD will be started after %s iterations", start_localSGD_iter)
        self.process_group = process_group
        self.subgroup = subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: Any) -> None:
        """Count an iteration with its last bucket."""
        if bucket.is_last():
            self.iter += 1
        if self.iter == self.start_localSGD_iter:
            logger.info("Start to apply local SGD after %s iterations.", self.iter)


def post_localSGD_hook(state: PostLocalSGDState, bucket: Any) -> Any:
    """Average the gradients of a bucket over all processes at first, then over those of a subgroup.

    Parameters
    ----------
    state : PostLocalSGDState
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
    """
    if state.iter < state.start_localSGD_iter:
        state.maybe_increase_iter(bucket)
        return averaged(state.process_group, bucket.buffer())
    if not state.post_local_gradient_allreduce:
        return noop_hook(None, bucket)
    if state.subgroup is None:
        state.subgroup, _ = new_subgroups()
    return averaged(state.subgroup, bucket.buffer())


__all__ = ["PostLocalSGDState", "post_localSGD_hook"]
