"""torch._subclasses: the tensors without numbers of torch's compiler, of which pullback has none."""

from .fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]
