"""torch.utils: checkpointing and helpers; modules that few programs need load when first used."""

from typing import TYPE_CHECKING, Any

from ..torch_names.exclusions import answer_for
from . import checkpoint, dlpack, hooks
from .swap import swap_tensors


def set_module(obj: Any, mod: str) -> None:
    """Say that an object belongs to a module."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


if TYPE_CHECKING:
    from . import benchmark as benchmark
    from . import collect_env as collect_env
    from . import cpp_extension as cpp_extension
    from . import data as data
    from . import deterministic as deterministic
    from . import model_zoo as model_zoo
    from . import tensorboard as tensorboard

answer_for(
    globals(), "_contextlib", "_foreach_utils", "_python_dispatch", "_pytree", "benchmark", "collect_env",
    "cpp_extension", "data", "deterministic", "model_zoo", "tensorboard",
)  # fmt: skip

__all__ = ["checkpoint", "data", "dlpack", "hooks", "set_module", "swap_tensors"]
