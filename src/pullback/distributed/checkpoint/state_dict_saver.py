"""torch.distributed.checkpoint.state_dict_saver: writing a state as planners plan it."""

import os
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ...core.process_group import default_group
from ...core.warn import warn
from ...tensor.tensor import Tensor
from ..groups import new_group
from .default_planner import DefaultSavePlanner
from .filesystem import FileSystemWriter
from .metadata import Metadata
from .staging import AsyncStager, BlockingAsyncStager
from .utils import Together


def plain_state(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Return a state in which objects that have a state stand for it."""
    return {
        key: value.state_dict() if hasattr(value, "state_dict") and not isinstance(value, Tensor) else value
        for key, value in state_dict.items()
    }


def save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: Any = None, planner: Any = None, process_group: Any = None, no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Write a state, all processes together.

    Parameters
    ----------
    state_dict : dict
        Tensors, distributed tensors and other objects, nested; objects with `state_dict` stand for theirs.
    checkpoint_id : str or path, optional
        The folder, or the name that `storage_writer` knows it by.
    storage_writer : StorageWriter, optional
        By default a `FileSystemWriter`.
    planner : SavePlanner, optional
        By default a `DefaultSavePlanner`.
    process_group : ProcessGroup, optional
    no_dist : bool
        Whether this process writes alone.
    use_collectives : bool
        Must be True.

    Returns
    -------
    Metadata
        What the checkpoint says of its entries.

    Raises
    ------
    CheckpointException
        A process failed; every process raises it.
    """
    _needs_collectives(use_collectives)
    return _written(plain_state(state_dict), checkpoint_id, storage_writer, planner, process_group, no_dist)


def save_state_dict(
    state_dict: dict[str, Any], storage_writer: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None,
) -> Metadata:  # fmt: skip
    """Write a state as `save` does, whose older name this is."""
    warn(
        "`save_state_dict` is deprecated and will be removed in future versions.Please use `save` instead.",
        FutureWarning
    )
    storage_writer.reset()
    state = plain_state(state_dict)
    return _save_state_dict(state, storage_writer, process_group, coordinator_rank, no_dist, planner)


def _needs_collectives(use_collectives: bool) -> None:
    if not use_collectives:
        raise NotImplementedError("use_collectives=False is not part of pullback; leave it out.")


def _written(
    state: dict[str, Any], name: Any, writer: Any, planner: Any, group: Any, alone: bool
) -> Metadata:
    if writer is None:
        if name is None:
            raise RuntimeError("`checkpoint_id` must be specified if storage_writer is None.")
        writer = FileSystemWriter(name)
    writer.reset(name)
    return _save_state_dict(state, writer, group, 0, alone, planner)


def _save_state_dict(
    state_dict: dict[str, Any], storage_writer: Any, process_group: Any = None, coordinator_rank: int = 0,
    no_dist: bool = False, planner: Any = None, use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Write a state of plain values; libraries ask for this name."""
    together = Together(process_group, no_dist, coordinator_rank)
    planner = DefaultSavePlanner() if planner is None else planner
    known: list[Metadata] = []

    def local_plan() -> Any:
        planner.set_up_planner(state_dict, storage_writer.storage_meta(), together.is_coordinator)
        storage_writer.set_up_storage_writer(together.is_coordinator, rank=together.rank)
        return storage_writer.prepare_local_plan(planner.create_local_plan())

    def global_plan() -> Any:
        decided, metadata = planner.create_global_plan(plans)
        known.append(metadata)
        return storage_writer.prepare_global_plan(decided)

    def write() -> Any:
        work = storage_writer.write_data(planner.finish_plan(decided[together.rank]), planner)
        work.wait()
        return work.value()

    def finish() -> Metadata:
        storage_writer.finish(known[0], results)
        return known[0]

    plans = together.everyone("plan", local_plan)
    decided = together.coordinated("plan", global_plan)
    results = together.everyone("write", write)
    return together.coordinated("write", finish)


class AsyncCheckpointerType(Enum):
    """Say what writes in the background: a thread, which here does it for both."""

    THREAD = "thread"
    PROCESS = "process"


@dataclass
class AsyncSaveResponse:
    """Hold the futures of copying a state and of writing it."""

    staging_completion: Any
    upload_completion: Any


_groups: dict[Any, Any] = {}


def async_save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: Any = None, planner: Any = None, process_group: Any = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD, async_stager: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Any:  # fmt: skip
    """Write a state as `save` does, while the program goes on.

    Tensors are copied first. The thread that writes has a group of its own.

    Parameters
    ----------
    state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives
        As of `save`.
    async_checkpointer_type : AsyncCheckpointerType
        Not used: a thread writes.
    async_stager : AsyncStager, optional
        What copies; by default `storage_writer`, where it can.

    Returns
    -------
    Future of Metadata, or AsyncSaveResponse
        The latter where `async_stager` gives the future of its copy.
    """
    _needs_collectives(use_collectives)
    if async_stager is None:
        async_stager = storage_writer if isinstance(storage_writer, AsyncStager) else BlockingAsyncStager()
    staged = async_stager.stage(plain_state(state_dict))
    world = default_group()
    group = process_group
    if world is not None and process_group is None and not no_dist:
        if world not in _groups:
            _groups.clear()
            _groups[world] = new_group()
        group = _groups[world]
    future: Future[Metadata] = Future()

    def write() -> None:
        try:
            state = staged.result() if hasattr(staged, "add_done_callback") else staged
            result = _written(state, checkpoint_id, storage_writer, planner, group, no_dist)
        except BaseException as error:  # noqa: BLE001  # raised where the result is asked for
            future.set_exception(error)
        else:
            future.set_result(result)

    thread = threading.Thread(target=write, name="pullback checkpoint")
    try:
        thread.start()
    except RuntimeError:  # the platform has no threads
        write()
    if async_stager.should_synchronize_after_execute:
        async_stager.synchronize_staging()
    return AsyncSaveResponse(staged, future) if hasattr(staged, "add_done_callback") else future


__all__ = [
    "AsyncCheckpointerType", "AsyncSaveResponse", "async_save", "plain_state", "save", "save_state_dict",
]  # fmt: skip
