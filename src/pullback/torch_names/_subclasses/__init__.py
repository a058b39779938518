"""torch._subclasses: the tensors without numbers of torch's compiler, of which pullback has none."""

from __future__ import annotations

from .fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]
