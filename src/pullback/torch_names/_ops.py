"""torch._ops: the classes of what `torch.ops` holds."""

from ._aten import OpOverload, OpOverloadPacket
from .absent_devices import uninstantiable

globals().update(
    uninstantiable(
        ["HigherOrderOperator"], "torch._ops", "{}: pullback's control flow consists of plain functions"
    )
)

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]  # noqa: F822  # one is made above
