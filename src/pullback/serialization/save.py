"""Define `save`: objects with tensors to a file that torch reads.

A file appears whole or not at all: see `replacing`.
"""

import io
import os
import pickle
import struct
import sys
import types
from collections import OrderedDict
from typing import Any, ClassVar

from ..array import dtypes
from ..array.strides import strides_of
from ..core.device import device
from ..core.marked import memory_of
from ..core.meta import is_meta
from ..core.size import Size
from ..core.value import TensorBase
from ..core.visible import bits_of
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from ..optim.scheduler import LRScheduler
from ..tensor.builtin import behind
from ..tensor.constants import layout, memory_format
from ..tensor.serialization import attributes
from ..tensor.storage import storage_of
from ..tensor.tensor import Tensor
from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import UntypedStorage
from ..torch_names import _utils
from .allowed import _get_layout
from .archive import Writer
from .legacy import MAGIC, VERSION
from .names import UNTYPED, StorageKind, storage_kind, torch_name
from .replacing import replacing

#: The protocol that every torch reads.
PROTOCOL = 2


#: Pickles in Python: the one in C looks names up in modules, which need not exist here.
_Base: Any = pickle._Pickler


class Pickler(_Base):
    """Pickle with torch's names; storages go out of band, each once.

    With `legacy`, references to them are as in files from before the zip format.
    """

    def __init__(self, stream: Any, protocol: int, legacy: bool) -> None:
        super().__init__(stream, protocol)
        self._legacy = legacy
        #: By address: the storage, its dtype, its number.
        self.storages: dict[int, tuple[UntypedStorage, Any, str]] = {}

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a name without looking it up: torch need not be importable here."""
        if name is not None and isinstance(obj, (StorageKind, dtypes.dtype, memory_format)):
            untyped = isinstance(obj, StorageKind) and obj.dtype is None
            module, own = "torch.storage" if untyped else "torch", name
        else:
            module, own = torch_name(obj)
        if module != "torch" and not module.startswith("torch."):
            super().save_global(obj, name)
            return
        self.write(pickle.GLOBAL + module.encode() + b"\n" + own.encode() + b"\n")
        self.memoize(obj)

    def save_built_in(self, obj: Any) -> None:
        """Write a public function by its name, any other built-in one as it says."""
        if behind(obj) is not obj:
            self.save_global(obj)
            return
        if isinstance((told := obj.__reduce_ex__(self.proto)), str):
            super().save_global(obj, told)
        else:
            self.save_reduce(*told, obj=obj)

    #: The base class looks here how to save classes and functions.
    dispatch: ClassVar[dict[Any, Any]] = {
        **_Base.dispatch,
        types.FunctionType: save_global,
        types.BuiltinFunctionType: save_built_in,
        type: save_global,
    }

    def persistent_id(self, obj: Any) -> Any:
        """Return a reference to a storage; None for everything else."""
        if type(obj) in _BUILT_IN:
            return None
        if isinstance(obj, UntypedStorage):
            return self._reference(obj, None)
        return self._reference(obj.untyped(), obj.dtype) if isinstance(obj, TypedStorage) else None

    def _reference(self, storage: UntypedStorage, dtype: Any) -> tuple[Any, ...]:
        address = storage._cdata if storage.nbytes() else id(storage)
        seen = storage, dtype or dtypes.uint8, str(len(self.storages))
        _, known, number = self.storages.setdefault(address, seen)
        if known != seen[1]:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types"
            )
        kind = storage_kind("torch", "UntypedStorage" if dtype is None else f"{dtype.scalar_type}Storage")
        size = storage.nbytes() if dtype is None else storage.nbytes() // dtype.itemsize
        reference = ("storage", kind, number, "cpu", size)
        return (*reference, None) if self._legacy else reference

    def reducer_override(self, obj: Any) -> Any:
        """Take tensors and what belongs to them apart, as torch does."""
        if type(obj) in _BUILT_IN:
            return NotImplemented
        if isinstance(obj, (StorageKind, dtypes.dtype)):
            return obj.name
        if isinstance(obj, memory_format):
            return str(obj).removeprefix("torch.")
        if isinstance(obj, layout):
            return _get_layout, (str(obj),)
        if isinstance(obj, device):
            return device, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Size):
            return Size, (tuple(obj),)
        if isinstance(obj, Parameter) and type(obj).__reduce_ex__ is Parameter.__reduce_ex__:
            return _reduced_parameter(obj)
        if isinstance(obj, TensorBase) and obj._sparse:
            return _utils._rebuild_sparse_tensor, obj.__reduce_ex__(2)[1]
        if isinstance(obj, TensorBase) and type(obj).__reduce_ex__ is Tensor.__reduce_ex__:
            return _reduced_tensor(obj)
        kinds = (Module, Optimizer, LRScheduler)
        if isinstance(obj, kinds) and type(obj).__reduce_ex__ in [kind.__reduce_ex__ for kind in kinds]:
            return object.__reduce_ex__(obj, 2)
        return NotImplemented


#: What most objects in a file are: to ask each for 14 classes was a third of saving a small state dict.
_BUILT_IN = frozenset({str, int, float, bool, type(None), tuple, list, dict, OrderedDict, types.FunctionType})


def _reduced_tensor(tensor: Any) -> Any:
    if is_meta(tensor):
        rebuild: Any = _utils._rebuild_meta_tensor_no_storage
        args: tuple[Any, ...] = (tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.requires_grad)
        return _with_state(tensor, rebuild, args)
    array = memory_of(tensor)
    memory, offset = storage_of(array)
    dtype = dtypes.from_numpy_dtype(array.dtype)
    untyped = dtype in UNTYPED
    place: tuple[Any, ...] = (
        offset // array.itemsize,
        tuple(array.shape),
        tuple(strides_of(array)),
        bool(tensor.requires_grad),
        OrderedDict(),
    )
    bits = {name: True for name, is_set in zip(("conj", "neg"), bits_of(tensor), strict=True) if is_set}
    if untyped:
        args = (memory, *place, dtype)
        rebuild = _utils._rebuild_tensor_v3
    else:
        args = (TypedStorage(wrap_storage=memory, dtype=dtype, _internal=True), *place)
        rebuild = _utils._rebuild_tensor_v2
    return _with_state(tensor, rebuild, (*args, bits) if bits else args)


def _with_state(tensor: Any, rebuild: Any, args: tuple[Any, ...]) -> Any:
    """Return how to rebuild a tensor with the class and the attributes that users gave it."""
    state = attributes(tensor)
    if type(tensor) is Tensor and not state:
        return rebuild, args
    return _utils._rebuild_from_type_v2, (rebuild, type(tensor), args, state)


def _reduced_parameter(param: Any) -> Any:
    if not (state := attributes(param)):
        return _utils._rebuild_parameter, (param.data, param.requires_grad, OrderedDict())
    args: tuple[Any, ...] = (param.data, param.requires_grad, OrderedDict(), state)
    return _utils._rebuild_parameter_with_state, args


class _Whole:
    """A stream without a buffer, which may write less than it is given and say so: this one writes all."""

    def __init__(self, stream: io.RawIOBase) -> None:
        self._stream = stream

    def write(self, content: Any) -> int:
        """Write all bytes."""
        left = memoryview(content).cast("B")
        while left:
            if (count := self._stream.write(left)) is None:
                raise BlockingIOError("the file takes no more bytes now, and does not wait")
            left = left[count:]
        return len(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def save(
    obj: object, f: Any, pickle_module: Any = pickle, pickle_protocol: int = PROTOCOL,
    _use_new_zipfile_serialization: bool = True, _disable_byteorder_record: bool = False,
) -> None:  # fmt: skip
    """Write an object, with the storages of its tensors, to a file that torch can load.

    Parameters
    ----------
    obj : object
    f : str, path or file object
        A path is written to beside its place and moved there when it is whole.
    pickle_module
        Only `pickle` (the names in the file are torch's, which other modules would not write).
    pickle_protocol : int
        2 is what every torch reads with ``weights_only=True``.
    """
    if pickle_module is not pickle and getattr(pickle_module, "Pickler", None) is not pickle.Pickler:
        raise NotImplementedError("pullback saves with the module pickle only")
    write = _write_archive if _use_new_zipfile_serialization else _write_legacy
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError(
                f"expected 'f' to be string, path, or a file-like object with a 'write' attribute, but got "
                f"{type(f)}"
            )
        stream = _Whole(f) if isinstance(f, io.RawIOBase) else f
        write(obj, stream, "archive", pickle_protocol, _disable_byteorder_record)
        return
    path = os.path.realpath(os.fspath(f))
    folder = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
    with replacing(path) as stream:
        write(obj, stream, folder, pickle_protocol, _disable_byteorder_record)


def _write_archive(obj: Any, stream: Any, folder: str, protocol: int, no_byteorder: bool) -> None:
    content = io.BytesIO()
    pickler = Pickler(content, protocol, legacy=False)
    pickler.dump(obj)
    writer = Writer(stream, folder)
    try:
        writer.write("data.pkl", content.getvalue())
        writer.write(".format_version", b"1")
        writer.write(".storage_alignment", b"64")
        if not no_byteorder:
            writer.write("byteorder", sys.byteorder.encode())
        for storage, _, number in pickler.storages.values():
            writer.write(f"data/{number}", storage._bytes.data)
        writer.write("version", b"3\n")
        writer.close()
    except BaseException:
        writer.abandon()
        raise


def _write_legacy(obj: Any, stream: Any, folder: str, protocol: int, no_byteorder: bool) -> None:
    def dump(value: Any) -> None:
        pickle.dump(value, stream, protocol)

    dump(MAGIC)
    dump(VERSION)
    dump(
        {
            "protocol_version": VERSION,
            "little_endian": sys.byteorder == "little",
            "type_sizes": {"short": 2, "int": 4, "long": 4},
        }
    )
    pickler = Pickler(stream, protocol, legacy=True)
    pickler.dump(obj)
    by_number = {number: (storage, dtype) for storage, dtype, number in pickler.storages.values()}
    dump(sorted(by_number))
    for number in sorted(by_number):
        storage, dtype = by_number[number]
        stream.write(struct.pack("<q", storage.nbytes() // (1 if dtype is None else dtype.itemsize)))
        stream.write(storage._bytes.data)
