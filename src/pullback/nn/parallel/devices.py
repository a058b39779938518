"""What spreads modules and tensors over accelerators: errors, and the same as torch's where it finds none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import with_note

_NOTE = "pullback computes on the CPU; call the module itself."


def replicate(network: Any, devices: Sequence[Any], detach: bool = False) -> NoReturn:
    """Copies of a module on several accelerators: raises."""
    raise with_note(AssertionError("Broadcast function not implemented for CPU tensors"), _NOTE)


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> NoReturn:
    """Parts of tensors on several accelerators: raises."""
    raise with_note(AttributeError("module 'torch._C' has no attribute '_scatter'"), _NOTE)


def gather(outputs: Any, target_device: Any, dim: int = 0) -> NoReturn:
    """Tensors on several accelerators as one: raises."""
    raise with_note(AssertionError("Gather function not implemented for CPU tensors"), _NOTE)


def parallel_apply(
    modules: Sequence[Any], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> NoReturn:
    """Each module's output for its input, on accelerators: raises."""
    for values, what in ((inputs, "inputs"), (kwargs_tup, "kwargs_tup"), (devices, "devices")):
        if values is not None and len(values) != len(modules):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {what} {len(values)}"
            )
    raise with_note(
        RuntimeError("Cannot access accelerator device when none is available."), _NOTE
    )
