"""torch.distributed.autograd: backward through calls into other processes, of which there are none."""

from __future__ import annotations

from ..torch_names.absent_devices import refusing, uninstantiable

_TEXT = "{} needs torch.distributed.rpc, which is not part of pullback."

globals().update(
    uninstantiable(["DistAutogradContext", "context"], "torch.distributed.autograd", _TEXT)
    | refusing(
        "backward get_gradients", "torch.distributed.autograd", RuntimeError,
        _TEXT.format("distributed autograd")
    )
)  # fmt: skip


def is_available() -> bool:
    """Return whether calls into other processes can be pulled back through: False."""
    return False


__all__ = [  # noqa: F822  # four are made above
    "DistAutogradContext", "backward", "context", "get_gradients", "is_available",
]  # fmt: skip
