"""torch.utils: checkpointing and helpers; modules that few programs need load when first used."""

from __future__ import annotations

import importlib
from typing import Any

from . import checkpoint, dlpack, hooks
from .swap import swap_tensors

_LAZY = (
    "_contextlib", "_foreach_utils", "_python_dispatch", "_pytree", "benchmark", "collect_env",
    "cpp_extension", "data", "deterministic", "model_zoo", "tensorboard",
)  # fmt: skip


def set_module(obj: Any, mod: str) -> None:
    """Say that an object belongs to a module."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'", name=name)


__all__ = ["checkpoint", "data", "dlpack", "hooks", "set_module", "swap_tensors"]
