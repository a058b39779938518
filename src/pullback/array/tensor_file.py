"""Arrays by name as bytes, in the format of safetensors: a length, a description in JSON, the elements.

Nothing in such bytes is executed when they are read, and arrays that are read share the bytes' memory.

References
----------
https://huggingface.co/docs/safetensors/index#format
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy import ndarray

from . import dtypes

#: Where the elements begin, and each array, in bytes: what vectors of the processor are aligned to.
ALIGNMENT = 64

_NAMES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "uint16": "U16", "int32": "I32",
    "uint32": "U32", "int64": "I64", "uint64": "U64", "float16": "F16", "bfloat16": "BF16", "float32": "F32",
    "float64": "F64", "complex64": "C64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}  # fmt: skip
#: By the format's words.
DTYPES = {word: dtypes.BY_NAME[name] for name, word in _NAMES.items()}


class Damaged(ValueError):
    """Say that bytes are not in the format."""


def packed(arrays: Mapping[str, ndarray], about: Mapping[str, str] | None = None) -> bytes:
    """Return arrays as bytes, with what else is to be known of them.

    Raises a TypeError where the format has no name for a dtype.
    """
    header: dict[str, Any] = {"__metadata__": {**about}} if about else {}
    at = 0
    parts: list[bytes] = []
    for name, array in arrays.items():
        if (word := _NAMES.get(str(array.dtype))) is None:
            raise TypeError(f"{name}: the format of safetensors has no {array.dtype}")
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": word, "shape": [*array.shape], "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % ALIGNMENT)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])


def unpacked(data: bytes | memoryview) -> tuple[dict[str, ndarray], dict[str, str]]:
    """Return the arrays, which cannot be written to and share the memory of `data`, and what else is known,
    or raise `Damaged`.
    """
    view = memoryview(data)
    start = 8 + int.from_bytes(view[:8], "little")
    try:
        header = json.loads(bytes(view[8:start]))
        about = header.pop("__metadata__", {})
        arrays = {}
        for name, entry in header.items():
            first, end = entry["data_offsets"]
            dtype = DTYPES[entry["dtype"]].numpy
            if len(part := view[start + first : start + end]) != end - first:
                raise Damaged(f"the bytes end before {name} does")
            arrays[name] = np.frombuffer(part, np.uint8).view(dtype).reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(f"the bytes are no tensors: {error}") from error
    return arrays, about
