"""torch.distributed.checkpoint.default_planner: the options of writing and reading a checkpoint."""

from __future__ import annotations

from typing import Any

from .planner import LoadPlanner, SavePlanner


class DefaultSavePlanner(SavePlanner):
    """Write a state as `save` does without a planner.

    Parameters
    ----------
    flatten_state_dict, flatten_sharded_tensors : bool
        Nested states and parts of parts are written as single entries: True.
    dedup_replicated_tensors, dedup_save_to_lowest_rank, enable_plan_caching
        What several processes have is written by the first of them, always.
    """

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        _needs_flat(flatten_state_dict)
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank


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
        _needs_flat(flatten_state_dict)
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load


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

    def takes(self, name: str) -> bool:
        """Return whether an entry is asked for."""
        return self.keys is None or any(name == key or name.startswith(f"{key}.") for key in self.keys)


def _needs_flat(flat: bool) -> None:
    if not flat:
        raise NotImplementedError("flatten_state_dict=False of checkpoint planners is not part of pullback.")


for _class in (DefaultSavePlanner, DefaultLoadPlanner, _EmptyStateDictLoadPlanner):
    _class.__module__ = "torch.distributed.checkpoint.default_planner"

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]
