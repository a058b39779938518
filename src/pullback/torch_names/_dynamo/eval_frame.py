"""torch._dynamo.eval_frame: where libraries look for the class of compiled modules."""

from ...compiler import OptimizedModule


def is_dynamo_supported() -> bool:
    """Return whether functions can be compiled: always."""
    return True


__all__ = ["OptimizedModule", "is_dynamo_supported"]
