"""Checkpoint selectively: choose which results of a checkpointed function are kept.

A policy is asked about each op of the first run, under torch's name. The second run takes what was kept, in
the order in which each op was called, and computes the rest.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..tensor.tensor import Tensor
from ..tensor.tree import tree_map
from ..torch_names._aten import OpOverload, OpOverloadPacket, aten
from ._python_dispatch import TorchDispatchMode

_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global "
    "state that changed between forward and backward."
)
#: Stand for results that the second run is to compute, and for those that it has taken.
_RECOMPUTE, _CONSUMED = object(), object()
#: Ops about which no policy is asked.
SAC_IGNORED_OPS = {aten.detach.default}


class CheckpointPolicy(enum.Enum):
    """Hold what becomes of an op's result; ``MUST`` and ``PREFER`` are the same here."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """Hold what a policy is told beside the op.

    Attributes
    ----------
    is_recompute : bool
        Always False: a policy is asked in the first run.
    op_output : object
        The op's result.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


Policy = Callable[..., CheckpointPolicy | bool]


class _Kept:
    """A result, and how often it had been written to when it was kept."""

    def __init__(self, value: Any) -> None:
        self.value = value.detach() if isinstance(value, Tensor) else value
        self.version = value._version if isinstance(value, Tensor) else None

    def get(self, may_have_changed: bool) -> Any:
        if self.version is not None and not may_have_changed and self.value._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.value


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The first run: keeps the results that the policy says."""

    def __init__(self, policy_fn: Policy, storage: dict[Any, dict[int, Any]]) -> None:
        self.policy_fn = policy_fn
        self.storage = storage
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        out = func(*args, **named)
        if func in SAC_IGNORED_OPS:
            return out
        index = self.func_counter[func]
        self.func_counter[func] += 1
        policy = self.policy_fn(
            SelectiveCheckpointContext(is_recompute=False, op_output=out), func, *args, **named
        )
        saved = policy is True or policy in (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
        self.storage[func][index] = tree_map(_Kept, out) if saved else _RECOMPUTE
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The second run: takes what was kept."""

    def __init__(
        self, policy_fn: Any, storage: dict[Any, dict[int, Any]], allow_cache_entry_mutation: bool = False
    ) -> None:
        self.storage = storage
        self.allow_cache_entry_mutation = allow_cache_entry_mutation
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        index = self.func_counter[func]
        self.func_counter[func] += 1
        if func not in self.storage:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        if (entry := self.storage[func].get(index)) is None:
            raise RuntimeError(
                f"{func} invocation index {index} encountered during backward but not found in storage. "
                f"{_MISMATCH}"
            )
        if entry is _CONSUMED:
            raise RuntimeError(
                "Trying to backward an extra time. You are only allowed to backward once on any region "
                "computed under selective activation checkpoint."
            )
        if entry is _RECOMPUTE:
            return func(*args, **(kwargs or {}))
        self.storage[func][index] = _CONSUMED
        return tree_map(lambda kept: kept.get(self.allow_cache_entry_mutation), entry)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Policy | list[OpOverload], allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """Return the contexts of the two runs, for `checkpoint` as what its `context_fn` returns.

    Parameters
    ----------
    policy_fn_or_list : callable or list of ops
        ``policy(ctx, op, *args, **kwargs)`` returns a `CheckpointPolicy`; of a list, the ops in it are saved.
    allow_cache_entry_mutation : bool
        Whether what is kept may be written to in between.
    """
    policy: Policy
    if isinstance(policy_fn_or_list, list):
        saved = policy_fn_or_list
        for op in saved:
            if not isinstance(op, OpOverload):
                more = (
                    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                    "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`."
                ) if isinstance(op, OpOverloadPacket) else ""
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {more}"
                )

        def listed(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in saved else CheckpointPolicy.PREFER_RECOMPUTE

        policy = listed
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy, storage),
        _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation),
    )


for _class in (CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts):
    _class.__module__ = "torch.utils.checkpoint"
