"""torch._subclasses.fake_tensor: what libraries ask about such tensors; none can be made."""

from __future__ import annotations

from typing import Any

from ...tensor.tensor import Tensor

__all__ = ["FakeTensor", "FakeTensorMode", "is_fake"]


class FakeTensor(Tensor):
    """The class to which no tensor belongs."""

    _overrides_once_made = True


class FakeTensorMode:
    """Refused: tensors on the device ``meta`` have shapes without numbers."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("FakeTensorMode is not part of pullback; use device='meta'")


def is_fake(x: object) -> bool:
    """Return whether something is such a tensor: it never is."""
    return isinstance(x, FakeTensor)
