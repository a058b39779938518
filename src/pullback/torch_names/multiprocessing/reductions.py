"""Send a tensor to a process that is being started: shared memory as such, other memory as a copy."""

from multiprocessing.context import get_spawning_popen
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from ...core.calls import edge_of
from ...core.marked import marked, memory_of
from ...core.visible import bits_of
from ...nn.parameter import Parameter
from ...tensor.creation import made
from ...tensor.storage import shared_memory_of
from ...tensor.tensor import Tensor


def rebuild_tensor(
    is_parameter: bool, memory: Any, dtype: str, shape: tuple[int, ...], offset: int,
    strides: tuple[int, ...], requires_grad: bool, bits: tuple[bool, bool],
) -> Any:
    """Make a tensor on shared memory."""
    value = marked(np.ndarray(shape, np.dtype(dtype), memory, offset, strides), *bits)
    return Parameter(made(value), requires_grad) if is_parameter else made(value, requires_grad)


def reduce_tensor(tensor: Any) -> Any:
    """Return what a tensor is pickled as on its way to another process."""
    if (shared := shared_memory_of(tensor)) is None or get_spawning_popen() is None:
        return tensor.__reduce_ex__(2)
    if tensor.requires_grad and not tensor.is_leaf and edge_of(tensor) is not None:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not "
            "support crossing process boundaries.  If you just want to transfer the data, call detach() on "
            "the tensor before serializing (e.g., putting it on the queue)."
        )
    memory, offset = shared
    array = memory_of(tensor)
    return rebuild_tensor, (
        isinstance(tensor, Parameter), memory, array.dtype.name, array.shape, offset, array.strides,
        tensor.requires_grad, bits_of(tensor)
    )  # fmt: skip


def init_reductions() -> None:
    """Have multiprocessing pickle tensors so."""
    for kind in (Tensor, Parameter):
        ForkingPickler.register(kind, reduce_tensor)
