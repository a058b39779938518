"""torch.types: names for annotations."""

import os
from builtins import bool as _bool
from builtins import bytes as _bytes
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from ..array.dtypes import dtype as _dtype
from ..core.device import device
from ..core.device import device as _device
from ..core.size import Size
from ..tensor.constants import layout as _layout
from ..tensor.tensor import Tensor
from ..tensor.typed_storage import TypedStorage
from ..tensor.untyped_storage import UntypedStorage

Number: TypeAlias = int | float | bool
Device: TypeAlias = device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
IntLikeType: TypeAlias = int
FloatLikeType: TypeAlias = float
BoolLikeType: TypeAlias = bool
PySymType: TypeAlias = int | float | bool
_Number: Any = (int, float, bool)
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
Storage: Any = TypedStorage | UntypedStorage

__all__ = [
    "BoolLikeType", "Device", "FileLike", "FloatLikeType", "IntLikeType", "Number", "PySymType", "Size",
    "Storage", "Tensor", "_Number", "_TensorOrOptionalTensors", "_TensorOrTensors", "_bool", "_bytes",
    "_complex", "_device", "_dtype", "_float", "_int", "_layout", "_size", "_str",
]  # fmt: skip
