"""torch.distributed.checkpoint.format_utils: checkpoints as folders and as single files of `torch.save`."""

import os
from typing import Any

from ...serialization.load import load as load_file
from ...serialization.save import save as save_file
from ...tensor.creation import empty
from ...tensor.tensor import Tensor
from ...torch_names.futures import Future
from ..collectives import broadcast
from ..groups import get_rank
from .default_planner import (
    DefaultLoadPlanner,
    _EmptyStateDictLoadPlanner,
    create_default_global_save_plan,
    flat,
)
from .filesystem import FileSystemReader, FileSystemWriter, _read_tensor
from .metadata import Metadata
from .planner import LoadItemType, LoadPlan, LoadPlanner, SavePlan
from .planner_helpers import _create_write_items
from .state_dict_loader import _load_state_dict
from .state_dict_saver import save
from .storage import StorageReader


class BroadcastingTorchSaveReader(StorageReader):
    """Read a file of `torch.save` in one process, which sends the others what they need.

    The planner must be a `DynamicMetaLoadPlanner`, as the file does not say what is in it.

    Parameters
    ----------
    checkpoint_id : str or path, optional
        The file.
    coordinator_rank : int
        The rank that reads.
    """

    def __init__(
        self, checkpoint_id: str | os.PathLike[str] | None = None, coordinator_rank: int = 0
    ) -> None:
        self.checkpoint_id = checkpoint_id
        self.coordinator_rank = coordinator_rank

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """Begin to read, from another file where one is given."""
        self.checkpoint_id = checkpoint_id or self.checkpoint_id

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Return that nothing is known of the file's entries."""
        return Metadata({})

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note whether this process reads."""
        self.is_coordinator = is_coordinator
        if self.is_coordinator and get_rank() != self.coordinator_rank:
            raise AssertionError(
                f"Coordinator rank mismatch: expected {self.coordinator_rank}, got {get_rank()}"
            )
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before reading")

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Return the plan."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Return the plans."""
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Send whole tensors from the process that reads, and keep this process's parts of them."""
        state = flat(load_file(self.checkpoint_id, weights_only=False))[0] if self.is_coordinator else {}
        for item in plan.items:
            if item.type is LoadItemType.BYTE_IO:
                raise RuntimeError(
                    f"Non-tensor value identified at {item.storage_index.fqn}. At this time "
                    f"{type(self).__name__} only supports loading Tensors."
                )
            whole = planner.state_dict[item.dest_index.fqn]  # type: ignore[attr-defined]
            sent = empty(tuple(whole.size()), dtype=whole.dtype)
            if self.is_coordinator:
                sent.copy_(state[item.storage_index.fqn])
            broadcast(sent, self.coordinator_rank)
            _read_tensor(sent, item, planner)
        return Future._of(None)

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Return whether a name is one of a file that is there."""
        return os.path.isfile(checkpoint_id)


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """Read what a state names, from a checkpoint that does not say what is in it."""

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state that is to be filled, whose entries describe those of the checkpoint."""
        super().set_up_planner(state_dict, metadata, is_coordinator)
        items = []
        for name, value in self.state_dict.items():
            if not isinstance(value, Tensor):
                raise RuntimeError(
                    f"Non-tensor value identified at {name}. At this time {type(self).__name__} only "
                    "supports loading Tensors."
                )
            items += _create_write_items(name, empty(tuple(value.size()), dtype=value.dtype))
        self.metadata = create_default_global_save_plan([SavePlan(items)])[1]


def dcp_to_torch_save(
    dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]
) -> None:
    """Write all that a checkpoint folder has into one file, with whole tensors; one process does it."""
    state: dict[str, Any] = {}
    reader = FileSystemReader(dcp_checkpoint_dir)
    _load_state_dict(state, reader, no_dist=True, planner=_EmptyStateDictLoadPlanner())
    save_file(state, torch_save_path)


def torch_save_to_dcp(
    torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]
) -> None:
    """Write the state in a file of `torch.save` as a checkpoint folder; one process does it."""
    state = load_file(torch_save_path, weights_only=False)
    save(state, storage_writer=FileSystemWriter(dcp_checkpoint_dir), no_dist=True)


__all__ = ["BroadcastingTorchSaveReader", "DynamicMetaLoadPlanner", "dcp_to_torch_save", "torch_save_to_dcp"]
