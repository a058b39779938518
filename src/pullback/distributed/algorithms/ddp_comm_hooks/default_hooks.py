"""torch.distributed.algorithms.ddp_comm_hooks.default_hooks: averages, in the dtype or in a smaller one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....array.dtypes import bfloat16, float16
from ....core.process_group import needed_group
from ... import all_reduce


def averaged(group: Any, tensor: Any) -> Any:
    """Return the future of the mean over a group, which is put into `tensor`."""
    group = group or needed_group()
    tensor.div_(group.size())
    work: Any = all_reduce(tensor, group=group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])


def allreduce_hook(process_group: Any, bucket: Any) -> Any:
    """Average the gradients of a bucket.

    Parameters
    ----------
    process_group : ProcessGroup or None
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
    """
    return averaged(process_group, bucket.buffer())


def _restored(buffer: Any, small: Any) -> Any:
    """Return the future of a buffer into which the tensor of a future is copied."""
    return small.then(lambda done: buffer.copy_(done.value()))


def _compressed(dtype: Any, group: Any, bucket: Any) -> Any:
    return _restored(bucket.buffer(), averaged(group, bucket.buffer().to(dtype)))


def fp16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """Average the gradients of a bucket in float16.

    Parameters
    ----------
    process_group : ProcessGroup or None
    bucket : GradBucket

    Returns
    -------
    Future of Tensor
        In the dtype of the bucket.
    """
    return _compressed(float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Any:
    """Average the gradients of a bucket in bfloat16; as `fp16_compress_hook`.

    Unlike torch, which asks for NCCL, this also runs on the CPU.
    """
    return _compressed(bfloat16, process_group, bucket)


def _wrapped(dtype: Any, hook: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def with_small_buffer(hook_state: Any, bucket: Any) -> Any:
        buffer = bucket.buffer()
        bucket.set_buffer(buffer.to(dtype))
        return _restored(buffer, hook(hook_state, bucket))

    return with_small_buffer


def fp16_compress_wrapper(hook: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a hook that gives another one the gradients in float16, and what it returns in their dtype."""
    return _wrapped(float16, hook)


def bf16_compress_wrapper(hook: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a hook that gives another one the gradients in bfloat16, and what it returns in their dtype."""
    return _wrapped(bfloat16, hook)


__all__ = [
    "allreduce_hook", "bf16_compress_hook", "bf16_compress_wrapper", "fp16_compress_hook",
    "fp16_compress_wrapper",
]  # fmt: skip
