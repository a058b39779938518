"""torch._utils: the functions that a checkpoint names to rebuild tensors and parameters, and the two with
which programs make one tensor of many.

Those of checkpoints take what is in a file, so each checks that its arguments fit before it touches
memory.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Any

from ..array import dtypes
from ..array.strides import extent
from ..core.meta import is_meta
from ..core.value import TensorBase
from ..nn.parameter import Parameter
from ..tensor.constants import SPARSE
from ..tensor.meta import meta_tensor
from ..tensor.namespace import TOP_LEVEL
from ..tensor.properties import _neg_view, conj
from ..tensor.serialization import could_be_set
from ..tensor.storage import over_storage
from ..tensor.typed_storage import TypedStorage


def _over(storage: Any, dtype: Any, offset: Any, size: Any, stride: Any) -> Any:
    """Return a tensor on a storage, of which every element is inside it."""
    if not isinstance(storage, TypedStorage) or not isinstance(dtype, dtypes.dtype):
        raise TypeError("a tensor in a checkpoint needs a storage and a dtype")
    if not all(isinstance(numbers, Sequence) for numbers in (size, stride)):
        raise TypeError("a tensor in a checkpoint needs a size and a stride, each a tuple of ints")
    numbers = (offset, *size, *stride)
    if any(type(n) is not int for n in numbers) or len(size) != len(stride):
        raise TypeError("offset, size and stride of a tensor in a checkpoint are ints, as many of each")
    if any(abs(n) >> 63 for n in numbers):
        raise RuntimeError("Overflow when unpacking long long")
    if any(n < 0 for n in numbers):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension, stride or offset: {list(size)}, "
            f"{list(stride)}, {offset}"
        )
    needed = 0 if 0 in size else (offset + extent(tuple(size), tuple(stride))) * dtype.itemsize
    if needed > storage.nbytes():
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
            f"{dtype.itemsize} requiring a storage size of {needed} are out of bounds for storage of size "
            f"{storage.nbytes()}"
        )
    return over_storage(storage, dtype, offset, tuple(size), tuple(stride))


def _with_bits(tensor: Any, metadata: Any) -> Any:
    """Return the view of a tensor whose conjugate (or negative) bit a file says is set."""
    if not metadata:
        return tensor
    if not isinstance(metadata, Mapping):
        raise TypeError(f"expected dict, got {type(metadata).__name__}")
    if metadata.get("conj"):
        tensor = conj(tensor).detach()
    return _neg_view(tensor).detach() if metadata.get("neg") else tensor


def _rebuild_tensor(storage: Any, storage_offset: Any, size: Any, stride: Any) -> Any:
    """Return a tensor of a storage's dtype."""
    return _over(storage, getattr(storage, "dtype", None), storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any,
    metadata: Any = None,
) -> Any:  # fmt: skip
    """Return a tensor of a storage's dtype that may require grad. Hooks are never in a file."""
    tensor = _with_bits(_rebuild_tensor(storage, storage_offset, size, stride), metadata)
    return tensor.requires_grad_(bool(requires_grad))


def _rebuild_tensor_v3(
    storage: Any, storage_offset: Any, size: Any, stride: Any, requires_grad: Any, backward_hooks: Any,
    dtype: Any, metadata: Any = None,
) -> Any:  # fmt: skip
    """Return a tensor of any dtype on the bytes of a storage."""
    tensor = _with_bits(_over(storage, dtype, storage_offset, size, stride), metadata)
    return tensor.requires_grad_(bool(requires_grad))


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """Return a tensor of a sparse layout of its parts, after the checks that its invariants hold.

    A part with more elements than its storage (an expanded one) is refused: checking it could take for ever.
    """
    from ..tensor.compressed_functions import sparse_compressed_tensor
    from ..tensor.sparse import sparse_coo_tensor

    if type(data) is not tuple:
        raise TypeError(f"the parts of a sparse tensor in a checkpoint are a tuple, not {type(data)}")
    for part in data:
        if isinstance(part, TensorBase) and not _is_whole(part):
            raise TypeError("the parts of a sparse tensor in a checkpoint are tensors with own elements")
    if layout is SPARSE[0] and 3 <= len(data) <= 4:
        coalesced = len(data) == 4 and data[3] is True
        make = functools.partial(sparse_coo_tensor, *data[:3], is_coalesced=coalesced)
    elif layout in SPARSE and len(data) == 4:
        make = functools.partial(sparse_compressed_tensor, *data, layout=layout)
    else:
        raise TypeError(f"a sparse tensor in a checkpoint has a sparse layout and its parts, not {layout}")
    if (later := _LATER.get()) is None:
        return make(check_invariants=True)
    later.append(functools.partial(make, check_invariants=True))
    return make(check_invariants=False)


#: Checks of sparse tensors that are to be done when a whole file is read.
_LATER: ContextVar[list[Callable[[], Any]] | None] = ContextVar("later", default=None)


@contextmanager
def sparse_checked_at_end() -> Iterator[None]:
    """Look at the elements of sparse tensors when the block ends: in some files they follow the tensors."""
    later: list[Callable[[], Any]] = []
    token = _LATER.set(later)
    try:
        yield
    finally:
        _LATER.reset(token)
    for check in later:
        check()


def _is_whole(tensor: Any) -> bool:
    """Return whether a tensor has elements, and no more than its storage."""
    if tensor._sparse or is_meta(tensor):
        return False
    return tensor.numel() <= tensor.untyped_storage().nbytes() // tensor.itemsize


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: Any) -> Any:
    """Return a tensor on the device ``meta``, which has no storage in a file."""
    if not isinstance(dtype, dtypes.dtype) or not all(isinstance(n, Sequence) for n in (size, stride)):
        raise TypeError("a tensor in a checkpoint needs a dtype, a size and a stride")
    if any(type(n) is not int or n < 0 for n in (*size, *stride)) or len(size) != len(stride):
        raise TypeError("size and stride of a tensor in a checkpoint are ints from 0 on, as many of each")
    if any(n >> 63 for n in (*size, *stride)):
        raise RuntimeError("Overflow when unpacking long long")
    return meta_tensor(tuple(size), dtype.numpy, tuple(stride), bool(requires_grad))


def _rebuild_parameter(data: Any, requires_grad: Any, backward_hooks: Any) -> Any:
    """Return a parameter on a tensor."""
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data: Any, requires_grad: Any, backward_hooks: Any, state: Any) -> Any:
    """Return a parameter with the attributes that users gave it."""
    return _set_obj_state(Parameter(data, bool(requires_grad)), state)


def _set_obj_state(obj: Any, state: Any) -> Any:
    """Give a tensor its attributes: a dict, or a pair of dicts where the class has slots. Only names that a
    user could have set: a file never reaches what the mechanism keeps in a tensor.
    """
    parts = state if isinstance(state, tuple) else (state,)
    if isinstance(state, tuple) and len(state) != 2:
        raise RuntimeError(f"Invalid serialized state: {len(state)} parts")
    for part in parts:
        if part is not None and not isinstance(part, dict):
            raise TypeError(f"the attributes of a tensor in a checkpoint are a dict, not {type(part)}")
        for name, value in (part or {}).items():
            if not could_be_set(obj, name):
                raise TypeError(f"a checkpoint cannot set the attribute {name!r} of a tensor")
            setattr(obj, name, value)
    return obj


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    """Return a tensor of a subclass, or one with attributes."""
    if func not in _REBUILDING or type(args) is not tuple:
        raise TypeError("a tensor with attributes is rebuilt by one of the functions that rebuild tensors")
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor.as_subclass(new_type)
    if (own := getattr(type(tensor), "__setstate__", None)) is not None:
        own(tensor, state)
        return tensor
    return _set_obj_state(tensor, state)


#: What may make the tensor that is then given a class or attributes.
_REBUILDING = (
    _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3, _rebuild_sparse_tensor,
    _rebuild_meta_tensor_no_storage, _rebuild_parameter, _rebuild_parameter_with_state,
)  # fmt: skip


def _flatten_dense_tensors(tensors: Sequence[Any]) -> Any:
    """Return the elements of all tensors in one of one dimension: of a single tensor a view if possible."""
    if len(tensors) == 1:
        return tensors[0].contiguous().view(-1)
    return TOP_LEVEL["cat"]([tensor.contiguous().view(-1) for tensor in tensors])


def _unflatten_dense_tensors(flat: Any, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """Return views of the parts of `flat` in the shapes of the tensors."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))


def _get_available_device_type() -> None:
    """Return the kind of accelerator that is there: None."""


def _get_device_module(device_type: str) -> ModuleType:
    """Return torch's module for a kind of device, such as `torch.cpu`."""
    from .accelerator import module_of

    return module_of(device_type)
