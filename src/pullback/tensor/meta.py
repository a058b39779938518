"""Tensors on the device ``meta``, which have a shape, a dtype and strides and no elements."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.device import CPU
from ..core.levels import META
from ..core.meta import Meta, drawn_for, is_meta
from ..core.value import dtype_of, wrap
from ..core.visible import visible_strides


def meta_tensor(
    shape: Sequence[int], dtype: np.dtype[Any], strides: Sequence[int] | None = None,
    requires_grad: bool = False,
) -> Any:  # fmt: skip
    """Return a leaf without elements."""
    if requires_grad and dtype.kind in "biu":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor = wrap(Meta(shape, dtype, strides), None, META)
    return tensor.requires_grad_(True) if requires_grad else tensor


def on_device(tensor: Any, where: Any) -> Any:
    """Return a tensor on a device, itself if it is there; elements that do not exist are not brought back."""
    if where is not CPU:
        return without_elements(tensor)
    if tensor._level and is_meta(tensor) and drawn_for.get() is None:  # else it stands for one with elements
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return tensor


def without_elements(tensor: Any) -> Any:
    """Return a leaf of a tensor's shape, dtype and strides on the device ``meta``; itself if it is there."""
    return tensor if is_meta(tensor) else meta_tensor(tensor.shape, dtype_of(tensor), visible_strides(tensor))
