"""torch.types: names for annotations."""

from __future__ import annotations

import os
from typing import IO, Any, TypeAlias

from .device import device
from .size import Size
from .tensor.storage import TypedStorage, UntypedStorage
from .tensor.tensor import Tensor

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
IntLikeType: TypeAlias = int
FloatLikeType: TypeAlias = float
BoolLikeType: TypeAlias = bool
PySymType: TypeAlias = int | float | bool
Storage: Any = TypedStorage | UntypedStorage

__all__ = [
    "BoolLikeType", "Device", "FileLike", "FloatLikeType", "IntLikeType", "Number", "PySymType", "Size",
    "Storage", "Tensor",
]  # fmt: skip
