"""Give the memory of tensors as arrays that a collective reads from or writes to.

What this module must do:

- hand over a tensor's own memory wherever it is contiguous, without a copy and without pickling;
- go through a contiguous copy where it is not, and bring results back into the tensor;
- keep collectives out of the graph, as torch does, and count the write.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.inplace import announce_write
from ..core.marked import resolved
from ..core.value import TensorBase, wrap


def check_tensor(value: Any, name: str, sparse: bool = False) -> None:
    """Raise torch's error for an argument that is no tensor, or is sparse where that is not served."""
    if not isinstance(value, TensorBase):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type torch.Tensor\n"
            f"             but got {type(value)} instead."
        )
    if value._sparse and not sparse:
        raise RuntimeError("sparse tensors are not exchanged among processes here: call to_dense() first")


def check_tensors(value: Any, name: str) -> None:
    """Raise torch's error for an argument that is no list of tensors."""
    if not isinstance(value, list):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} instead."
        )
    if not all(isinstance(one, TensorBase) for one in value):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{name}` of type List[torch.Tensor]\n"
            f"             but got {type(value)} with elements of type {[type(one) for one in value]}."
        )


def readable(tensor: Any) -> ndarray:
    """Return the elements as a flat contiguous array: the tensor's memory itself where it can be."""
    return np.ascontiguousarray(resolved(tensor.detach()._value)).reshape(-1)


def nothing() -> None:
    """Do nothing: results are where they belong."""


def writable(tensor: Any, read: bool = True) -> tuple[ndarray, Callable[[], None]]:
    """Return a flat contiguous array to write to, and what brings it into the tensor afterwards.

    It is the tensor's own memory where that is contiguous. With `read` it must begin with the tensor's
    elements.
    """
    announce_write(tensor)
    if type(value := tensor._value) is ndarray and value.flags.c_contiguous:
        return value.reshape(-1), nothing
    held = tensor.detach()
    elements = resolved(held._value)
    flat = np.array(elements, order="C").reshape(-1) if read else np.empty(elements.size, elements.dtype)

    def put_back() -> None:
        if type(held._value) is ndarray:
            np.copyto(held._value, flat.reshape(held._value.shape))
        else:
            held.copy_(wrap(flat.reshape(elements.shape)))

    return flat, put_back


def joined(parts: Sequence[ndarray]) -> ndarray:
    """Return arrays one behind the other; the only one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def into(tensors: Sequence[Any], flat: ndarray) -> Callable[[], None]:
    """Return what copies the parts of an array into tensors."""

    def copy() -> None:
        start = 0
        for tensor in tensors:
            array, put_back = writable(tensor, read=False)
            array[:] = flat[start : start + array.size]
            put_back()
            start += array.size

    return copy
