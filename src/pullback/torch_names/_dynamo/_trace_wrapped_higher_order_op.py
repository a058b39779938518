"""torch._dynamo._trace_wrapped_higher_order_op: the one name of it that transformers imports."""

from contextlib import AbstractContextManager, nullcontext

__all__ = ["TransformGetItemToIndex"]


def TransformGetItemToIndex() -> AbstractContextManager[None]:  # torch's name
    """Let a tensor without dimensions select by its value under `vmap`.

    In torch such an index calls `item()`, which a batch has not, unless this context is on. Here it selects
    row by row at all times.
    """
    return nullcontext()
