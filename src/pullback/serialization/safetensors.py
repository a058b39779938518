"""Read and write files of the safetensors library: tensors by name, without any code in them.

``from safetensors.torch import load_file`` works under the runner; these functions do the same for a program
that says ``import pullback``. A file is read through its memory map: a tensor's bytes are read when they are
first asked for, and writes to it stay in this process.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..array.tensor_file import DTYPES
from ..core.value import array_of
from ..tensor.creation import made
from ..tensor.untyped_storage import mapped
from .replacing import replacing


def _library() -> Any:
    try:
        import safetensors
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. Please install "
            "safetensors with: pip install safetensors"
        ) from error
    return safetensors


def load_file(filename: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the tensors of a file, by name.

    Parameters
    ----------
    filename : str or path

    Raises
    ------
    RuntimeError
        Where the library is not installed.
    safetensors.SafetensorError
        Where the file is not a valid one: the library checks the header before anything is read by it.
    """
    path = os.fspath(filename)
    with _library().safe_open(path, framework="np") as file:
        names = list(file.keys())
    with open(path, "rb") as raw:
        length = int.from_bytes(raw.read(8), "little")
        header = json.loads(raw.read(length))
    content = mapped(path, False, os.path.getsize(path))[8 + length :]
    try:
        return {name: _tensor(content, header[name], name) for name in names}
    except (LookupError, TypeError, ValueError) as error:
        # The library reads the same header otherwise, for instance one that tells a thing twice.
        raise _library().SafetensorError(f"Error while deserializing header: {error}") from None


def _tensor(content: np.ndarray, entry: Mapping[str, Any], name: str) -> Any:
    if (dtype := DTYPES.get(entry["dtype"])) is None:
        raise RuntimeError(
            f"the tensor {name!r} has the dtype {entry['dtype']}, which pullback does not have"
        )
    start, stop = entry["data_offsets"]
    return made(content[start:stop].view(dtype.numpy).reshape(entry["shape"]))


def metadata_of(filename: str | os.PathLike[str]) -> dict[str, str]:
    """Return the texts in the header of a file."""
    with _library().safe_open(os.fspath(filename), framework="np") as file:
        return dict(file.metadata() or {})


def save_file(
    tensors: Mapping[str, Any], filename: str | os.PathLike[str], metadata: Mapping[str, str] | None = None
) -> None:
    """Write tensors to a file.

    Parameters
    ----------
    tensors : mapping of str to Tensor
        Contiguous, and no two of them on the same memory.
    filename : str or path
    metadata : mapping of str to str, optional
        Texts that go into the header.
    """
    arrays = {name: array_of(tensor) for name, tensor in tensors.items()}
    where: dict[int, str] = {}
    for name, array in arrays.items():
        if not array.flags.c_contiguous:
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either "
                "means you are trying to save tensors which are reference of each other in which case it's "
                "recommended to save only the full tensors, and reslice at load time, or simply call "
                "`.contiguous()` on your tensor to pack it before saving."
            )
        if array.size:
            if (place := array.__array_interface__["data"][0]) in where:
                raise RuntimeError(
                    f"the tensors {where[place]!r} and {name!r} share memory; a file holds one of them"
                )
            where[place] = name
    _library()
    from safetensors.numpy import save

    content = save(arrays, metadata=None if metadata is None else dict(metadata))
    with replacing(os.path.abspath(filename)) as stream:
        stream.write(content)
