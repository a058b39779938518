"""torch._ops: the classes of what `torch.ops` holds."""

from __future__ import annotations

from .absent import uninstantiable
from .ops.aten import OpOverload, OpOverloadPacket

globals().update(
    uninstantiable(
        ["HigherOrderOperator"], "torch._ops", "{}: pullback's control flow consists of plain functions"
    )
)

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]  # noqa: F822  # one is made above
