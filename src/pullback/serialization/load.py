"""Define `load`: a checkpoint of torch's or pullback's, weights only unless told otherwise."""

from __future__ import annotations

import io
import os
import pickle
import re
from collections.abc import Callable
from enum import Enum
from typing import Any

from ..core.device import CPU, META, device
from ..core.warn import warn
from ..tensor.meta_storage import storage_of_size
from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import UntypedStorage
from ..torch_names._utils import sparse_checked_at_end
from . import legacy
from .archive import Archive, begins_archive
from .legacy import dtype_of_kind, typed
from .names import is_torch, own
from .restricted import Unpickler as Restricted
from .safetensors import load_file

#: What `load` takes as `map_location`.
MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None
STORAGE = TypedStorage | UntypedStorage
DEFAULT_PROTOCOL = 2

_TRUE = ("1", "y", "yes", "true")

_UNSAFE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from "
    "`False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but "
    "it can result in arbitrary code execution. Do it only if you got the file from a trusted source."
)
_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


class LoadEndianness(Enum):
    """The order of bytes in a file that does not say it."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class SourceChangeWarning(Warning):
    """Warn that the source of a saved class has changed."""


def location_tag(storage: Any) -> str:
    """Return the name of the place of a storage: always ``"cpu"``."""
    return "cpu"


LoadEndianness.__module__ = SourceChangeWarning.__module__ = "torch.serialization"


def _weights_only_text(text: str) -> str:
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", text):
        return (
            "Weights only load failed. This file can still be loaded, to do so you have two options, "
            "\033[1mdo those steps only if you trust the source of the checkpoint\033[0m. "
            f"\n\t(1) {_UNSAFE}\n\t(2) Alternatively, to load with `weights_only=True` please check the "
            f"recommended steps in the following error message.\n\tWeightsUnpickler error: {text}{_DOCS}"
        )
    middle = ""
    if not re.search(r"whose module (\S+) is blocked", text):
        middle = (
            "Please file an issue with the following so that we can make `weights_only=True` compatible with "
            "your use case: WeightsUnpickler error: "
        )
    return f"Weights only load failed. {_UNSAFE}\n{middle}\n\n{text}{_DOCS}"


class _Trusting(pickle.Unpickler):
    """Run what the file says, with torch's names meaning this package's."""

    def __init__(self, stream: Any, reference: Callable[[Any], Any], options: dict[str, Any]) -> None:
        super().__init__(stream, **options)
        self._reference = reference

    def find_class(self, module: str, name: str) -> Any:
        return own(module, name) if is_torch(module) else super().find_class(module, name)

    def persistent_load(self, pid: Any) -> Any:
        return self._reference(pid)


def _restorer(map_location: Any) -> legacy.Restore:
    """Say where a storage comes to: to the CPU, wherever it was, if that is asked for, or to ``meta``."""

    def restore(location: Any) -> device:
        place = location.decode("ascii", "replace") if isinstance(location, bytes) else location
        if not isinstance(place, str):
            raise RuntimeError(f"the location of a storage in the checkpoint is no text, but {type(place)}")
        if isinstance(map_location, dict):
            place = map_location.get(place, place)
        elif map_location is not None and not callable(map_location):
            place = map_location
        kind = str(place).split(":")[0]
        if callable(map_location) or kind == "cpu":
            return CPU
        if kind == "meta":
            return META
        raise _no_such_place(str(place))

    return restore


def _no_such_place(name: str) -> RuntimeError:
    if name.startswith("cuda"):
        return RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False. If "
            "you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    return RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {name})"
    )


def default_restore_location(storage: Any, location: str) -> Any:
    """Return a storage in the place that a checkpoint names.

    Raises
    ------
    RuntimeError
        For every place but the CPU.
    """
    if location != "cpu":
        raise _no_such_place(location)
    return storage


def load(
    f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
    mmap: bool | None = None, **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Read what `save`, here or in torch, wrote.

    Parameters
    ----------
    f : str, path or file object
    map_location : optional
        Where storages go: a device, its name, a dict of names, or a function of storage and name. There are
        the CPU and, in the zip format, ``meta``, for which no storage is read.
    pickle_module : optional
        Only `pickle`.
    weights_only : bool, optional
        By default True: tensors, containers, numbers, text and what `add_safe_globals` allowed; nothing in
        the file is run. False runs whatever the file says.
    mmap : bool, optional
        Map the file into memory, copied on write, instead of reading its storages.
    pickle_load_args
        Options of the unpickler, such as `encoding`.

    Raises
    ------
    pickle.UnpicklingError
        For a file that wants more than weights, or whose pickle is damaged.
    RuntimeError
        For a file that is damaged around its pickle, whose storages do not fit its tensors, or whose place
        is not here.
    ValueError
        For a file that names an order of bytes which is neither ``little`` nor ``big``.
    EOFError
        For an empty file. With `weights_only`, no other error comes of what is in a file.
    safetensors.SafetensorError
        For a damaged file of that library's format.
    """
    only = _only_weights(weights_only, pickle_module)
    restore = _restorer(device(map_location) if isinstance(map_location, str) else map_location)
    pickle_load_args.setdefault("encoding", "utf-8")
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        if path.endswith(".safetensors"):
            return load_file(path)
        with open(path, "rb") as stream:
            return _load(stream, path, restore, only, bool(mmap), pickle_load_args)
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    for name in ("read", "readline", "tell", "seek"):
        if not hasattr(f, name):
            raise AttributeError(
                "You can only torch.load from a file that is seekable. Please pre-load the data into a "
                "buffer like io.BytesIO and try to load from it instead."
            )
    return _load(f, None, restore, only, False, pickle_load_args)


def _only_weights(given: bool | None, pickle_module: Any) -> bool:
    forced = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
    freed = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in _TRUE
    if forced and freed:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be "
            "set, but both were set."
        )
    only = pickle_module is None if given is None else bool(given)
    if forced:
        only = True
    elif freed and given is None:
        warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the`weights_only` "
            "argument was not explicitly passed to `torch.load`, forcing weights_only=False."
        )
        only = False
    if only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if pickle_module is not None and getattr(pickle_module, "Unpickler", None) is not pickle.Unpickler:
        raise NotImplementedError("pullback loads with the module pickle only")
    return only


def _load(
    stream: Any, path: str | None, restore: legacy.Restore, only: bool, mapped: bool,
    options: dict[str, Any],
) -> Any:  # fmt: skip
    run = _runner(only, options)
    try:
        if begins_archive(stream):
            return _load_archive(path if mapped else stream, restore, run, mapped)
        if mapped:
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({path}, "
                "_use_new_zipfile_serialization=True), please torch.save your checkpoint with this option in "
                "order to use mmap."
            )
        if not (content := stream.read()):
            raise EOFError("Ran out of input")
        if legacy.is_tar(content):
            if only:
                raise RuntimeError(
                    "Cannot use ``weights_only=True`` with files saved in the legacy .tar format. " + _UNSAFE
                )
            return legacy.load_tar(content, run, restore)
        with sparse_checked_at_end():
            return legacy.load_rows(content, run, restore)
    except pickle.UnpicklingError as error:
        if not only:
            raise
        raise pickle.UnpicklingError(_weights_only_text(str(error))) from None


def _runner(only: bool, options: dict[str, Any]) -> legacy.Run:
    def restricted(content: bytes, place: int, reference: Callable[[Any], Any]) -> tuple[Any, int]:
        machine = Restricted(content, reference, place, options["encoding"])
        return machine.load(), machine.reader.place

    def trusting(content: bytes, place: int, reference: Callable[[Any], Any]) -> tuple[Any, int]:
        stream = io.BytesIO(content)
        stream.seek(place)
        return _Trusting(stream, reference, options).load(), stream.tell()

    return restricted if only else trusting


def _load_archive(file: Any, restore: legacy.Restore, run: legacy.Run, mapped: bool) -> Any:
    with Archive(file, mapped) as archive:
        if archive.has("constants.pkl"):
            raise RuntimeError(
                "the file is a TorchScript archive, which holds code for torch's own interpreter: pullback "
                "does not have that"
            )
        order = archive.read("byteorder") if archive.has("byteorder") else b"little"
        if order not in (b"little", b"big"):
            raise ValueError("Unknown endianness type: " + order.decode("utf-8", "replace"))
        storages: dict[Any, TypedStorage] = {}

        def reference(saved: Any) -> TypedStorage:
            if not isinstance(saved, tuple) or len(saved) != 5 or saved[0] not in ("storage", b"storage"):
                raise RuntimeError(f"the checkpoint refers to a {type(saved)} which is no storage")
            _, kind, key, location, count = saved
            if not isinstance(key, str) or type(count) is not int or not 0 <= count < 1 << 63:
                raise RuntimeError("a storage in the checkpoint needs a name and a number of elements")
            place = restore(location)
            dtype = dtype_of_kind(kind)
            if key not in storages and place is META:
                nothing = storage_of_size(count * dtype.itemsize)
                storages[key] = TypedStorage(wrap_storage=nothing, dtype=dtype, _internal=True)
            elif key not in storages:
                content = archive.storage(f"data/{key}", count * dtype.itemsize)
                if order == b"big":
                    content = content.view(dtype.numpy).byteswap().view("u1")
                storages[key] = typed(content, dtype)
            elif storages[key].nbytes() != count * dtype.itemsize:
                raise RuntimeError(f"the checkpoint refers to the storage {key} with two sizes")
            return storages[key]

        return run(archive.read("data.pkl"), 0, reference)[0]
