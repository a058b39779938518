"""torch.distributed.checkpoint.state_dict_loader: reading a state in place.

Each process reads the parts of which its own tensors need elements.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

from ...autograd.grad_mode import no_grad
from ...tensor.creation import zeros
from ...tensor.tensor import Tensor
from ..tensor.api import DTensor
from ..tensor.layout import local_offsets
from .default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from .filesystem import FileSystemReader
from .metadata import Metadata, MetadataIndex, TensorStorageMetadata
from .nested import built, leaves, name_of, put
from .planner import default_or_refused
from .state_dict_saver import plain_state


@no_grad()
def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str] | None = None,
    storage_reader: FileSystemReader | None = None, planner: Any = None, process_group: Any = None,
    no_dist: bool = False,
) -> None:  # fmt: skip
    """Fill a state from a folder that any number of processes have written.

    Parameters
    ----------
    state_dict : dict
        What is filled: tensors in place, other objects by new ones, and objects with `load_state_dict`
        through it.
    checkpoint_id : str or path, optional
        The folder.
    storage_reader : FileSystemReader, optional
        In place of `checkpoint_id`.
    planner : DefaultLoadPlanner, optional
        Says whether entries may be missing.
    process_group, no_dist
        Not used: every process reads for itself.

    Raises
    ------
    RuntimeError
        The checkpoint has no such entry.
    ValueError
        It has one of another shape.
    """
    planner = default_or_refused(planner, (DefaultLoadPlanner, _EmptyStateDictLoadPlanner))
    if storage_reader is None:
        if checkpoint_id is None:
            raise RuntimeError("`checkpoint_id` must be specified if storage_reader is None.")
        storage_reader = FileSystemReader(checkpoint_id)
    metadata = storage_reader.read_metadata()
    if isinstance(planner, _EmptyStateDictLoadPlanner):
        state_dict.update(_empty_state(metadata, planner))
    state = plain_state(state_dict)
    wanted = [(path, name_of(path), value) for path, value in leaves(state)]
    if planner is not None and planner.allow_partial_load:
        wanted = [one for one in wanted if one[1] in metadata.state_dict_metadata]
    for _, name, value in wanted:
        _check(metadata, name, value)
    for path, name, value in wanted:
        entry = metadata.state_dict_metadata[name]
        if isinstance(entry, TensorStorageMetadata) and isinstance(value, Tensor):
            _fill(storage_reader, metadata, name, value)
        else:
            index = MetadataIndex(name)
            put(state, path, storage_reader.read(metadata.storage_data[index], weights_only=False))
    for key, value in state_dict.items():
        if hasattr(value, "load_state_dict") and not isinstance(value, Tensor):
            value.load_state_dict(state[key])
        else:
            state_dict[key] = state[key]


def _empty_state(metadata: Metadata, planner: _EmptyStateDictLoadPlanner) -> dict[str, Any]:
    """Return a state with all entries of a checkpoint that are asked for, whole and without values."""
    paths = []
    for name, entry in metadata.state_dict_metadata.items():
        if planner.takes(name):
            described = isinstance(entry, TensorStorageMetadata)
            value = zeros(tuple(entry.size), dtype=entry.properties.dtype) if described else None
            paths.append(((metadata.planner_data or {}).get(name, (name,)), value))
    return built(paths)


def load_state_dict(
    state_dict: dict[str, Any], storage_reader: FileSystemReader, process_group: Any = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: Any = None,
) -> None:  # fmt: skip
    """Fill a state as `load` does, whose older name this is."""
    warnings.warn(
        "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` instead.",
        FutureWarning, stacklevel=2,
    )  # fmt: skip
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


def _load_state_dict(
    state_dict: dict[str, Any], storage_reader: FileSystemReader, process_group: Any = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: Any = None,
) -> None:  # fmt: skip
    """Fill a state as `load` does; libraries ask for this name."""
    load(
        state_dict, storage_reader=storage_reader, planner=planner, process_group=process_group,
        no_dist=no_dist,
    )  # fmt: skip


def _check(metadata: Metadata, name: str, value: Any) -> None:
    entry = metadata.state_dict_metadata.get(name)
    if entry is None:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
    if isinstance(entry, TensorStorageMetadata) and isinstance(value, Tensor) and entry.size != value.shape:
        raise ValueError(
            f"Size mismatch between saved {entry.size} and current: {value.size()} for {name}"
        )


def _fill(reader: FileSystemReader, metadata: Metadata, name: str, target: Any) -> None:
    """Copy into a tensor, or this process's part of it, what the parts in the checkpoint have of it."""
    local, starts = target.detach(), (0,) * target.dim()
    if isinstance(target, DTensor):
        local, starts = target._local_tensor, local_offsets(target._layout)
    if not local.numel():
        return
    for chunk in metadata.state_dict_metadata[name].chunks:
        here, there = local, None
        empty = False
        cuts = []
        for axis, (start, size) in enumerate(zip(starts, local.shape, strict=True)):
            first = max(start, chunk.offsets[axis])
            last = min(start + size, chunk.offsets[axis] + chunk.sizes[axis])
            empty = empty or first >= last
            cuts.append((axis, first - start, first - chunk.offsets[axis], last - first))
        if empty:
            continue
        there = reader.read(metadata.storage_data[MetadataIndex(name, chunk.offsets)])
        for axis, to, source, size in cuts:
            here, there = here.narrow(axis, to, size), there.narrow(axis, source, size)
        here.copy_(there)


__all__ = ["load", "load_state_dict"]
