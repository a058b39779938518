"""torch.distributed.checkpoint.state_dict_loader: reading a state in place, as planners plan it.

Each process reads the parts of which its own tensors need elements.
"""

import os
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.warn import warn
from ...tensor.tensor import Tensor
from .default_planner import DefaultLoadPlanner
from .filesystem import FileSystemReader
from .metadata import Metadata
from .state_dict_saver import plain_state
from .utils import Together


def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: Any = None, planner: Any = None, process_group: Any = None, no_dist: bool = False,
) -> None:  # fmt: skip
    """Fill a state from a checkpoint that any number of processes have written.

    Parameters
    ----------
    state_dict : dict
        What is filled: tensors in place, other objects by new ones, and objects with `load_state_dict`
        through it.
    checkpoint_id : str or path, optional
        The folder, or the name that `storage_reader` knows it by.
    storage_reader : StorageReader, optional
        By default a `FileSystemReader`.
    planner : LoadPlanner, optional
        By default a `DefaultLoadPlanner`.
    process_group : ProcessGroup, optional
    no_dist : bool
        Whether this process reads alone.

    Raises
    ------
    CheckpointException
        A process failed, as where the checkpoint lacks an entry or has one of another shape; every process
        raises it.
    """
    if storage_reader is None:
        if checkpoint_id is None:
            raise RuntimeError("`checkpoint_id` must be specified if storage_reader is None.")
        storage_reader = FileSystemReader(checkpoint_id)
    storage_reader.reset(checkpoint_id)
    state = plain_state(state_dict)
    _load_state_dict(state, storage_reader, process_group, 0, no_dist, planner)
    for key, value in state.items():
        held = state_dict.get(key)
        if hasattr(held, "load_state_dict") and not isinstance(held, Tensor):
            held.load_state_dict(value)  # type: ignore[union-attr]
        else:
            state_dict[key] = value


def load_state_dict(
    state_dict: dict[str, Any], storage_reader: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None,
) -> None:  # fmt: skip
    """Fill a state as `load` does, whose older name this is."""
    warn(
        "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` instead.",
        FutureWarning
    )
    storage_reader.reset()
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


@no_grad()
def _load_state_dict(
    state_dict: dict[str, Any], storage_reader: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None,
) -> None:  # fmt: skip
    """Fill a state of plain values; libraries ask for this name."""
    together = Together(process_group, no_dist, coordinator_rank)
    planner = DefaultLoadPlanner() if planner is None else planner

    def local_plan() -> Any:
        metadata: Metadata = storage_reader.read_metadata()
        planner.set_up_planner(state_dict, metadata, together.is_coordinator)
        storage_reader.set_up_storage_reader(metadata, together.is_coordinator)
        return storage_reader.prepare_local_plan(planner.create_local_plan())

    def global_plan() -> Any:
        return storage_reader.prepare_global_plan(planner.create_global_plan(plans))

    def read() -> None:
        storage_reader.read_data(planner.finish_plan(decided[together.rank]), planner).wait()

    plans = together.everyone("plan", local_plan)
    decided = together.coordinated("plan", global_plan)
    together.everyone("read", read)


__all__ = ["load", "load_state_dict"]
