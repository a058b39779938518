"""torch.distributed.fsdp: parameters shared out among processes, which takes several of them.

Libraries ask whether a module is of these classes, and hold the settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..torch_names.absent_devices import refusing, uninstantiable

_TEXT = "{} needs process groups, which pullback does not have."

globals().update(
    uninstantiable(["FSDPModule", "FullyShardedDataParallel"], "torch.distributed.fsdp", _TEXT)
    | refusing("fully_shard", "torch.distributed.fsdp", RuntimeError, _TEXT.format("fully_shard"))
)


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes shared-out parameters would be computed with, and their gradients summed."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


__all__ = [  # noqa: F822  # three are made above
    "FSDPModule", "FullyShardedDataParallel", "MixedPrecisionPolicy", "fully_shard",
]  # fmt: skip
