"""Make masked tensors from data: as leaves, or with the data's history."""

from typing import Any

from .core import MaskedTensor


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """Make a leaf of copies of data and mask.

    Parameters
    ----------
    data : Tensor
    mask : Tensor of bool
        Of the same shape; True where there is an element.
    requires_grad : bool
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """Make a masked tensor of data whose history it keeps; for the rest as :func:`masked_tensor`."""
    return MaskedTensor._from_values(data, mask)
