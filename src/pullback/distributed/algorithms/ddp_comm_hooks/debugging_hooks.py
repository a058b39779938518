"""torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks: none, to measure communication."""

from __future__ import annotations

from typing import Any

from ....torch_names.futures import Future


def noop_hook(_: Any, bucket: Any) -> Any:
    """Leave the gradients of a process as they are.

    Parameters
    ----------
    _ : Any
        Not used.
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
    """
    return Future._of(bucket.buffer())


__all__ = ["noop_hook"]
