"""torch.distributed.checkpoint.format_utils: checkpoints as folders and as single files of `torch.save`."""

from __future__ import annotations

import os
from typing import Any

from ...serialization.load import load as load_file
from ...serialization.save import save as save_file
from .default_planner import _EmptyStateDictLoadPlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .state_dict_loader import _load_state_dict
from .state_dict_saver import save


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


__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]
