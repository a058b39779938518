"""torch.nn.parallel.comm: tensors sent between accelerators, of which there is none: torch's errors."""

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import with_note

#: What helps where a module is to be spread over accelerators.
NOTE = "pullback computes on the CPU; call the module itself."

_NOT_ON_GPUS = "reduce_add expects all inputs to be on GPUs, but input 0 is on CPU"


def _missing(name: str) -> NoReturn:
    raise with_note(AttributeError(f"module 'torch._C' has no attribute '{name}'"), NOTE)


def broadcast(tensor: Any, devices: Sequence[Any] | None = None, *, out: Any = None) -> NoReturn:
    """Raise for a tensor on several accelerators."""
    if not (devices is None) ^ (out is None):
        raise RuntimeError(
            f"Exactly one of 'devices' and 'out' must be specified, but got devices={devices} and out={out}"
        )
    _missing("_broadcast" if devices is not None else "_broadcast_out")


def broadcast_coalesced(tensors: Any, devices: Sequence[Any], buffer_size: int = 10485760) -> NoReturn:
    """Raise for tensors on several accelerators."""
    _missing("_broadcast_coalesced")


def reduce_add(inputs: Sequence[Any], destination: Any = None) -> NoReturn:
    """Raise for the sum of tensors from several accelerators."""
    raise with_note(AssertionError(_NOT_ON_GPUS), NOTE)


def reduce_add_coalesced(
    inputs: Sequence[Any], destination: Any = None, buffer_size: int = 10485760
) -> NoReturn:
    """Return sums of tensors from several accelerators: raises."""
    raise with_note(AssertionError(_NOT_ON_GPUS), NOTE)


def scatter(
    tensor: Any, devices: Sequence[Any] | None = None, chunk_sizes: Any = None, dim: int = 0,
    streams: Any = None, *, out: Any = None,
) -> NoReturn:  # fmt: skip
    """Return parts of a tensor on several accelerators: raises."""
    _missing("_scatter" if out is None else "_scatter_out")


def gather(tensors: Sequence[Any], dim: int = 0, destination: Any = None, *, out: Any = None) -> NoReturn:
    """Raise for tensors from several accelerators as one."""
    _missing("_gather" if out is None else "_gather_out")


__all__ = ["broadcast", "broadcast_coalesced", "gather", "reduce_add", "reduce_add_coalesced", "scatter"]
