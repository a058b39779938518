"""torch._subclasses.functional_tensor: the tensors of torch's compiler that are never written to."""

from ...tensor.tensor import Tensor

__all__ = ["FunctionalTensor"]


class FunctionalTensor(Tensor):
    """The class to which no tensor belongs."""
