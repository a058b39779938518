"""Take part in the collectives of a forward and a backward without inputs, for a parallel module."""

from enum import Enum, auto
from typing import Any

from .join import JoinHook
from .synchronization import sync_module_states


class BufferCommHookLocation(Enum):
    """Say when a hook brings buffers into line: before forward or after it."""

    PRE_FORWARD = auto()
    POST_FORWARD = auto()


BufferCommHookLocation.__name__ = BufferCommHookLocation.__qualname__ = "_BufferCommHookLocation"


class ModuleJoinHook(JoinHook):
    """Repeat the collectives of a forward and a backward."""

    def __init__(self, ddp: Any) -> None:
        self.ddp = ddp

    def main_hook(self) -> None:
        """Take part in one iteration of the others."""
        ddp = self.ddp
        reducer = ddp.reducer
        reducer.rebuild_buckets()
        if ddp._syncs_buffers(BufferCommHookLocation.PRE_FORWARD):
            ddp._sync_module_buffers(ddp._common_rank(False))
        ddp.require_forward_param_sync = ddp._announce_backward(False)
        if not ddp.require_forward_param_sync:
            return
        for future in [reducer.run_comm_hook(bucket) for bucket in reducer.zero_buckets()]:
            future.wait()
        if ddp.find_unused_parameters and not ddp.static_graph:
            reducer.match_used()
        reducer.push_all_rebuilt()

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take over the parameters of a process that had the most inputs."""
        ddp = self.ddp
        sync_module_states(
            ddp.module, ddp.process_group, ddp.parameters_to_ignore, buffers=ddp.forward_sync_buffers,
            source=ddp._common_rank(is_last_joiner),
        )  # fmt: skip
