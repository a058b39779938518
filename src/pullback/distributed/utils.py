"""torch.distributed.utils: by this name libraries reach the exchanges of a parallel module."""

from collections.abc import Container, Sequence
from typing import Any

from ..core.process_group import ProcessGroup
from ..nn.parallel.synchronization import broadcast_coalesced, verify_params_across_processes

_verify_param_shape_across_processes = verify_params_across_processes


def _sync_params_and_buffers(
    process_group: ProcessGroup, module_states: Sequence[Any], broadcast_bucket_size: int, src: int
) -> None:
    """Give the tensors of one process to all."""
    broadcast_coalesced(process_group, module_states, broadcast_bucket_size, src)


def _sync_module_states(
    module: Any, process_group: ProcessGroup, broadcast_bucket_size: int, src: int,
    params_and_buffers_to_ignore: Container[str], broadcast_buffers: bool = True,
) -> None:  # fmt: skip
    """Give the parameters and buffers of one process to all."""
    named = [*module.named_parameters(), *(module.named_buffers() if broadcast_buffers else ())]
    values = [value for name, value in named if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, values, broadcast_bucket_size, src)


__all__ = ["_sync_module_states", "_sync_params_and_buffers", "_verify_param_shape_across_processes"]
