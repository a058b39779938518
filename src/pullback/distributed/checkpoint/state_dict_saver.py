"""torch.distributed.checkpoint.state_dict_saver: writing a state of several processes.

Each writes its parts of tensors, one of them all the rest.
"""

from __future__ import annotations

import os
import threading
import warnings
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core.process_group import default_group
from ...core.size import Size
from ...tensor.tensor import Tensor
from ...torch_names.futures import Future
from ..groups import get_rank, get_world_size, new_group
from ..objects import all_gather_object
from ..tensor.api import DTensor
from ..tensor.layout import local_offsets
from .default_planner import DefaultSavePlanner
from .filesystem import FileSystemWriter, pickled, unpickled
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from .nested import leaves, name_of
from .planner import default_or_refused


def plain_state(state_dict: dict[str, Any]) -> dict[str, Any]:
    """Return a state in which objects that have a state stand for it."""
    return {
        key: value.state_dict() if hasattr(value, "state_dict") and not isinstance(value, Tensor) else value
        for key, value in state_dict.items()
    }


@no_grad()
def entries(state: dict[str, Any]) -> tuple[dict[MetadataIndex, Any], dict[str, Any], dict[str, Any]]:
    """Return what this process has: parts by name and place, what they are part of, and paths by name."""
    items: dict[MetadataIndex, Any] = {}
    described: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for path, value in leaves(state):
        name = name_of(path)
        paths[name] = path
        if not isinstance(value, Tensor):
            described[name] = BytesStorageMetadata()
            items[MetadataIndex(name)] = value
            continue
        shape = Size(value.shape)
        described[name] = TensorStorageMetadata(TensorProperties.create_from_tensor(value), shape, [])
        offsets, local = (0,) * value.dim(), value.detach()
        if isinstance(value, DTensor):
            if any(p.is_partial() for p in value.placements):
                value = value.redistribute(placements=[p for p in value.placements if not p.is_partial()])
            offsets, local = local_offsets(value._layout), value._local_tensor.detach()
        if local.numel() or not value.numel():
            items[MetadataIndex(name, offsets)] = local
    return items, described, paths


def save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False, use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Write a state into a folder, all processes together.

    Parameters
    ----------
    state_dict : dict
        Tensors, distributed tensors and other objects, nested; objects with `state_dict` stand for theirs.
    checkpoint_id : str or path, optional
        The folder.
    storage_writer : FileSystemWriter, optional
        In place of `checkpoint_id`.
    planner : DefaultSavePlanner, optional
        Makes no difference.
    process_group : ProcessGroup, optional
    no_dist : bool
        Whether this process writes alone.
    use_collectives : bool
        Not used.

    Returns
    -------
    Metadata
        What the checkpoint says of its entries.
    """
    return _written(plain_state(state_dict), checkpoint_id, storage_writer, planner, process_group, no_dist)


def save_state_dict(
    state_dict: dict[str, Any], storage_writer: FileSystemWriter, process_group: Any = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: Any = None,
) -> Metadata:  # fmt: skip
    """Write a state as `save` does, whose older name this is."""
    warnings.warn(
        "`save_state_dict` is deprecated and will be removed in future versions.Please use `save` instead.",
        FutureWarning, stacklevel=2,
    )  # fmt: skip
    return save(
        state_dict, storage_writer=storage_writer, planner=planner, process_group=process_group,
        no_dist=no_dist,
    )  # fmt: skip


def _written(
    state: dict[str, Any], checkpoint_id: Any, storage_writer: Any, planner: Any, group: Any, alone: bool
) -> Metadata:
    default_or_refused(planner, (DefaultSavePlanner,))
    if storage_writer is None:
        if checkpoint_id is None:
            raise RuntimeError("`checkpoint_id` must be specified if storage_writer is None.")
        storage_writer = FileSystemWriter(checkpoint_id)
    alone = alone or default_group() is None
    rank = 0 if alone else get_rank(group)
    items, described, paths = entries(state)
    everyone = _gathered((list(items), described, paths), group, alone)
    # what several have is written by the first of them
    first: dict[MetadataIndex, int] = {}
    whole: dict[str, Any] = {}
    names: dict[str, Any] = {}
    for owner, (indices, known, known_paths) in enumerate(everyone):
        for index in indices:
            first.setdefault(index, owner)
        for name, entry in known.items():
            whole.setdefault(name, entry)
        names.update(known_paths)
    own = {index: value for index, value in items.items() if first[index] == rank}
    sizes = {index: Size(value.shape) for index, value in own.items() if index.offset is not None}
    places = storage_writer.write(rank, own)
    storage: dict[MetadataIndex, Any] = {}
    for written, part_sizes in _gathered((places, sizes), group, alone):
        storage.update(written)
        for index, size in part_sizes.items():
            whole[index.fqn].chunks.append(ChunkStorageMetadata(index.offset, size))
    metadata = Metadata(whole, names, storage, StorageMeta(checkpoint_id))
    if rank == 0:
        storage_writer.finish(metadata)
    _gathered(None, group, alone)  # nobody goes on before the folder is whole
    return metadata


def _gathered(value: Any, group: Any, alone: bool) -> list[Any]:
    if alone:
        return [value]
    found: list[Any] = [None] * get_world_size(group)
    all_gather_object(found, pickled(value), group)
    return [unpickled(content) for content in found]


@no_grad()
def _copied(value: Any) -> Any:
    """Return nested values with tensors copied."""
    if isinstance(value, DTensor):
        return DTensor(value._local_tensor.detach().clone(), value._layout)
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(part) for part in value)
    return value


_groups: dict[Any, Any] = {}


def async_save(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_writer: FileSystemWriter | None = None, planner: Any = None, process_group: Any = None,
    **options: Any,
) -> Future[Metadata]:  # fmt: skip
    """Write a state as `save` does, while the program goes on.

    Tensors are copied first. The thread that writes has a group of its own.

    Returns
    -------
    Future of Metadata
    """
    state = _copied(plain_state(state_dict))
    world = default_group()
    group = process_group
    if world is not None and process_group is None:
        if world not in _groups:
            _groups.clear()
            _groups[world] = new_group()
        group = _groups[world]
    future: Future[Metadata] = Future()

    def write() -> None:
        try:
            result = _written(state, checkpoint_id, storage_writer, planner, group, world is None)
        except Exception as error:  # noqa: BLE001  # raised where the future is waited for
            future.set_exception(error)
        else:
            future.set_result(result)

    thread = threading.Thread(target=write, name="pullback checkpoint")
    try:
        thread.start()
    except RuntimeError:  # the platform has no threads
        write()
    return future


__all__ = ["async_save", "entries", "plain_state", "save", "save_state_dict"]
