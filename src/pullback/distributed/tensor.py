"""torch.distributed.tensor: the class by which libraries ask whether a tensor is spread over processes."""

from __future__ import annotations

from ..absent import uninstantiable

globals().update(
    uninstantiable(
        ["DTensor"], "torch.distributed.tensor", "{} needs process groups, which pullback does not have."
    )
)

__all__ = ["DTensor"]  # noqa: F822  # made above
