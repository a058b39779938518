"""torch.distributed.checkpoint.default_planner: nested states as named entries, parts of tensors by place.

What several processes have is written once, by the one that has least to write.
"""

import io
import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...autograd.grad_mode import no_grad
from ...serialization.load import load
from ...serialization.save import save
from ...tensor.creation import zeros
from ..tensor.api import DTensor
from .metadata import BytesStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorStorageMetadata
from .nested import built, leaves, name_of, put
from .planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem, WriteItemType
from .planner_helpers import _create_read_items, _create_write_items, local_part

logger = logging.getLogger("torch.distributed.checkpoint.default_planner")


def flat(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the entries of a nested state by name, and the paths to them."""
    paths = {name_of(path): (path, value) for path, value in leaves(state)}
    return {name: value for name, (_, value) in paths.items()}, {
        name: path for name, (path, _) in paths.items()
    }


@no_grad()
def _summed(value: Any) -> Any:
    """Return a tensor whose elements are what they are, where its parts are to be added."""
    if isinstance(value, DTensor) and any(p.is_partial() for p in value.placements):
        return value.redistribute(placements=[p for p in value.placements if not p.is_partial()])
    return value


class DefaultSavePlanner(SavePlanner):
    """Write a state as `save` does without a planner.

    Parameters
    ----------
    flatten_state_dict : bool
        Whether entries of nested states are written by themselves; otherwise only the outermost are.
    flatten_sharded_tensors : bool
        Not used: parts of parts are single entries always.
    dedup_replicated_tensors : bool, optional
        Not used, as in torch.
    dedup_save_to_lowest_rank : bool
        Whether what several processes have is written by the first of them, rather than by the one that has
        least to write.
    enable_plan_caching : bool
        Not used: plans are made anew each time.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.mappings: dict[str, Any] = {}
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        if dedup_replicated_tensors is not None:
            logger.warning(
                "DefaultSavePlanner's `dedup_replicated_tensors` argument is being deprecated, and no longer "
                "has any effect. Please remove this argument from your call."
            )

    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:  # fmt: skip
        """Take the state that is to be saved, and make it flat."""
        if self.flatten_state_dict:
            state_dict, self.mappings = flat(state_dict)
        self.state_dict = {name: _summed(value) for name, value in state_dict.items()}
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> SavePlan:
        """Return what this process has."""
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        if self.flatten_state_dict:
            plan = replace(plan, planner_data=self.mappings)
        self.plan = plan
        return plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Return what each process writes, each part once, and what the checkpoint says of its entries."""
        self.global_plan, metadata = create_default_global_save_plan(
            _each_once(all_plans, self.dedup_save_to_lowest_rank)
        )
        if self.flatten_state_dict:
            paths: dict[str, Any] = {}
            for plan in reversed(self.global_plan):
                paths.update(plan.planner_data or {})
            metadata = replace(metadata, planner_data=paths)
        self.metadata = metadata
        return self.global_plan, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Return what this process writes."""
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Any:
        """Return the tensor, or the bytes of an object in a stream."""
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """Return what the state has by a name: this process's part of a tensor, or an object."""
        value = self.state_dict[index.fqn]
        return value if index.offset is None else local_part(value)[0].detach()

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """Return what is written for an object of the state."""
        if write_item.type is not WriteItemType.BYTE_IO:
            return object
        stream = io.BytesIO()
        save(object, stream)
        stream.seek(0)
        return stream


class DefaultLoadPlanner(LoadPlanner):
    """Read a state as `load` does without a planner.

    Parameters
    ----------
    flatten_state_dict, flatten_sharded_tensors : bool
        As of `DefaultSavePlanner`.
    allow_partial_load : bool
        Whether entries that the checkpoint lacks keep their values, rather than being an error.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ) -> None:  # fmt: skip
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.original_state_dict: dict[str, Any] = {}
        self.mappings: dict[str, Any] = {}
        self.allow_partial_load = allow_partial_load

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take the state that is to be filled, and make it flat."""
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flat(state_dict)
        self.state_dict = state_dict
        self.metadata = metadata
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """Return what this process needs."""
        if self.metadata is None:
            raise AssertionError("self.metadata is not None")
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Return what each process reads: what it needs."""
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """Return what this process reads."""
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Put an object into the state."""
        name, found = read_item.dest_index.fqn, load(value, weights_only=False)
        self.state_dict[name] = found
        if self.flatten_state_dict:
            put(self.original_state_dict, self.mappings[name], found)

    def resolve_tensor(self, read_item: ReadItem) -> Any:
        """Return the elements of this process's part that are read."""
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Any) -> None:
        """Do nothing: elements were read into the state's own tensors."""

    def lookup_tensor(self, index: MetadataIndex) -> Any:
        """Return this process's part of a tensor of the state."""
        return local_part(self.state_dict[index.fqn])[0].detach()

    def transform_tensor(self, read_item: ReadItem, tensor: Any) -> Any:
        """Return the elements that are read, of a tensor of the state."""
        return narrowed(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Fill an empty state with all that a checkpoint has.

    Parameters
    ----------
    keys : set of str, optional
        Only entries of these names, or below them.
    """

    def __init__(self, keys: set[str] | None = None, *args: Any, **kwargs: Any) -> None:
        self.keys = keys
        super().__init__(*args, **kwargs)

    def _should_include_key(self, key: str, metadata: Metadata) -> bool:
        """Return whether an entry is asked for."""
        return self.keys is None or any(key == name or key.startswith(f"{name}.") for name in self.keys)

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Give the state all entries that are asked for, whole and without values."""
        if state_dict:
            raise AssertionError("not state_dict")
        if metadata is None:
            raise AssertionError("metadata is not None")
        entries = []
        for name, entry in metadata.state_dict_metadata.items():
            if self._should_include_key(name, metadata):
                tensor = isinstance(entry, TensorStorageMetadata)
                value = zeros(tuple(entry.size), dtype=entry.properties.dtype) if tensor else None
                entries.append(((metadata.planner_data or {}).get(name, (name,)), value))
        state_dict.update(built(entries))
        super().set_up_planner(state_dict, metadata, is_coordinator)


def narrowed(tensor: Any, offsets: Iterable[int], lengths: Iterable[int]) -> Any:
    """Return the part of a tensor that begins at offsets, of these lengths."""
    for axis, (offset, length) in enumerate(zip(offsets, lengths, strict=True)):
        tensor = tensor.narrow(axis, offset, length)
    return tensor


def create_default_local_load_plan(
    state_dict: dict[str, Any], metadata: Metadata, strict: bool = True
) -> LoadPlan:
    """Return what this process reads to fill a flat state.

    Parameters
    ----------
    state_dict : dict
        Tensors, of which this process reads its parts, and other objects.
    metadata : Metadata
        What the checkpoint says of its entries.
    strict : bool
        Whether a name that the checkpoint lacks is an error.

    Raises
    ------
    RuntimeError
        The checkpoint has no such entry.
    ValueError
        It has one of another shape.
    """
    items = []
    for name, value in state_dict.items():
        if (entry := metadata.state_dict_metadata.get(name)) is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        if isinstance(entry, TensorStorageMetadata) and hasattr(value, "size") and entry.size != value.size():
            raise ValueError(
                f"Size mismatch between saved {entry.size} and current: {value.size()} for {name}"
            )
        items += _create_read_items(name, entry, value)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """Return what each process reads, from what each needs: the same."""
    return all_plans


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """Return all that this process has of a flat state."""
    return SavePlan([item for name, value in state_dict.items() for item in _create_write_items(name, value)])


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """Return what each process writes and what the checkpoint says of it.

    Parameters
    ----------
    all_plans : list of SavePlan
        What each process writes; a whole tensor and an object are in one of them.
    rewrite_index_hints : bool
        Whether indices are told how-manieth part of its tensor an item is.
    """
    entries: dict[str, Any] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            name = item.index.fqn
            if item.type is not WriteItemType.SHARD and name in entries:
                raise AssertionError("item.index.fqn not in md")
            if item.tensor_data is None:
                entries[name] = BytesStorageMetadata()
            else:
                data = item.tensor_data
                entry = entries.setdefault(name, TensorStorageMetadata(data.properties, data.size, []))
                if rewrite_index_hints:
                    item = replace(item, index=replace(item.index, index=len(entry.chunks)))
                entry.chunks.append(data.chunk)
            items.append(item)
        plans.append(replace(plan, items=items))
    return plans, Metadata(entries)


def _each_once(plans: list[SavePlan], to_lowest: bool) -> list[SavePlan]:
    """Return plans in which every item occurs once."""
    owners: dict[MetadataIndex, list[int]] = {}
    for rank, plan in enumerate(plans):
        for item in plan.items:
            owners.setdefault(item.index, []).append(rank)
    sizes = [0] * len(plans)
    chosen = {}
    for index, ranks in owners.items():
        chosen[index] = ranks[0] if to_lowest else min(ranks, key=lambda rank: sizes[rank])
        item = next(item for item in plans[ranks[0]].items if item.index == index)
        sizes[chosen[index]] += item.tensor_storage_size() or 1
    return [
        replace(plan, items=[item for item in plan.items if chosen[item.index] == rank])
        for rank, plan in enumerate(plans)
    ]


for _class in (DefaultSavePlanner, DefaultLoadPlanner, _EmptyStateDictLoadPlanner):
    _class.__module__ = "torch.distributed.checkpoint.default_planner"

__all__ = [
    "DefaultLoadPlanner", "DefaultSavePlanner", "create_default_global_load_plan",
    "create_default_global_save_plan", "create_default_local_load_plan", "create_default_local_save_plan",
]  # fmt: skip
