"""Name what a program sets for its whole process, in all threads, as torch does; the rest is per thread.

Attributes of `SETTINGS` are read and written by the functions of torch's names, each where torch has it.
"""

import sys
from typing import Any

from ..array import process


class Settings:
    """Hold the settings, which begin as torch's do."""

    #: What `torch.set_warn_always` was told.
    warns_always: bool = False
    #: Whether a default device was ever chosen, in any thread.
    chooses_devices: bool = False
    #: 0 by default, 1 to warn, 2 to raise where an algorithm is not deterministic: all are.
    deterministic: int = 0
    #: Whether memory that a program has not set is filled where it asks for deterministic algorithms.
    fills_unset: bool = True
    #: Of float32 products, which are always computed as "highest" asks.
    matmul_precision: str = "highest"
    #: Whether a fused path of attention is allowed, of which there is none.
    fast_attention: bool = True
    #: The backend of `torch.compile` where none is named.
    compile_backend: Any = "inductor"
    #: How processes share tensors.
    sharing: str = "file_descriptor" if sys.platform == "linux" else "file_system"
    #: The folder of `torch.hub`; None for the one that the environment says.
    hub_folder: str | None = None
    #: How much collectives check; None for what TORCH_DISTRIBUTED_DEBUG says.
    collective_checks: int | None = None

    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)
        process.changed()


SETTINGS = Settings()
