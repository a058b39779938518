"""torch.nn.parallel.distributed: one module in every process of a group, trained on the gradients of all."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...autograd.grad_mode import no_grad
from ...core import backend
from ...core.modes import modes
from ...core.process_group import default_group, needed_group
from ...core.tracer import refuse_exchange
from ...core.warn import warn
from ...tensor.creation import zeros
from ..modules.module import Module
from ..modules.sparse import Embedding, EmbeddingBag
from .arguments import bucket_limits, check_hook, check_parameters, chosen_group, refuse_missing
from .buckets import compute_bucket_assignment_by_size
from .join import Join, Joinable, JoinHook, count_active
from .join_hook import BufferCommHookLocation, ModuleJoinHook
from .logging_data import logger, logging_data, print_variables, say_none_unused
from .reachable import tensors_in
from .reducer import Reducer
from .sink import through_sink
from .synchronization import (
    BROADCAST_BYTES,
    broadcast_coalesced,
    gathered_numbers,
    sync_module_states,
    verify_params_across_processes,
)

_dump_DDP_relevant_env_vars = print_variables
_BufferCommHookLocation = BufferCommHookLocation

_DEPRECATED = (
    "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: unlike "
    "`broadcast_buffers=False`, `forward_sync_buffers=False` still syncs buffers at init. If you rely on "
    "buffers NOT being synced at init (e.g. rank-local buffers), keep using `broadcast_buffers=False` until "
    "`init_sync_buffers` is available."
)

_BOTH_GIVEN = (
    "Both `broadcast_buffers` and `forward_sync_buffers` were specified. `broadcast_buffers` is deprecated "
    "and its value is ignored when `forward_sync_buffers` is provided."
)

_ONLY_DEFAULT_GROUP = (
    "DDP Pickling/Unpickling are only supported when using DDP with the default process group. That is, when "
    "you have called init_process_group and have not passed process_group argument to DDP constructor"
)


class DistributedDataParallel(Module, Joinable):
    """A module of which each process of the group has a copy, kept equal: gradients are averaged.

    Each process computes with its own part of a batch. During ``backward`` every gradient is replaced by its
    mean over the processes, in buckets that are reduced while backward goes on; a step of any optimizer then
    does the same everywhere.

    Parameters
    ----------
    module : Module
        What is trained. It is the attribute ``module``, so names in the state begin with ``module.``.
    device_ids, output_device
        Devices for accelerators; None on the CPU.
    dim : int
        Not used on the CPU.
    broadcast_buffers : bool, optional
        Deprecated in favour of `forward_sync_buffers`; False also leaves buffers out at the start.
    init_sync : bool
        Whether to check that all processes have parameters of the same shapes, and to start from the values
        of rank 0.
    process_group : ProcessGroup, optional
        By default the one of `init_process_group`.
    bucket_cap_mb : float, optional
        The size of a bucket in MiB; by default 25, and 1 for the first.
    find_unused_parameters : bool
        Whether to look, after each forward, for parameters that the outputs do not depend on.
    check_reduction : bool
        Deprecated; makes no difference.
    gradient_as_bucket_view : bool
        Whether gradients are views of buckets, which saves a copy of them.
    static_graph : bool
        Promise that every iteration uses the same parameters equally often.
    device_mesh : DeviceMesh, optional
        A mesh of one dimension in place of `process_group`.
    bucket_cap_mb_list : list of float, optional
        The size of each bucket in MiB.
    forward_sync_buffers : bool, optional
        Whether each forward begins with the buffers of rank 0; True by default.
    delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision
        Not there: giving one raises NotImplementedError.
    skip_all_reduce_unused_params, batched_grad_copy : bool
        How torch saves work; make no difference to results.

    Raises
    ------
    ValueError
        When no group was made.
    RuntimeError
        When no parameter of `module` requires a gradient, or the processes have different modules.
    """

    _active_ddp_module: DistributedDataParallel | None = None

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool | None = None, init_sync: bool = True, process_group: Any = None,
        bucket_cap_mb: float | None = None, find_unused_parameters: bool = False,
        check_reduction: bool = False, gradient_as_bucket_view: bool = False, static_graph: bool = False,
        delay_all_reduce_named_params: Any = None, param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None, device_mesh: Any = None, skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[float] | None = None, batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        Joinable.__init__(self)
        refuse_missing(delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision)
        self.process_group = chosen_group(process_group, device_mesh)
        if device_mesh is not None:
            self.device_mesh = device_mesh
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._module_parameters = [
            p for name, p in module.named_parameters() if name not in self.parameters_to_ignore
        ]
        check_parameters(self._module_parameters, device_ids, output_device)
        self.device_type = "cpu"
        self.is_multi_device_module = False
        self.device_ids = None
        self.output_device = None
        self.static_graph = False
        self.dim = dim
        self.module = module
        self.device = self._module_parameters[0].device
        if broadcast_buffers is not None:
            text = _DEPRECATED if forward_sync_buffers is None else _BOTH_GIVEN
            warn(text, FutureWarning)
        if check_reduction:
            warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. Please "
                "avoid using it.", FutureWarning
            )
        buffers_at_start = forward_sync_buffers is not None or broadcast_buffers is not False
        self.forward_sync_buffers = buffers_at_start if forward_sync_buffers is None else forward_sync_buffers
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.broadcast_bucket_size = BROADCAST_BYTES
        self._bucket_limits = bucket_limits(bucket_cap_mb, bucket_cap_mb_list)
        self.bucket_bytes_cap = max(self._bucket_limits)
        self.bucket_bytes_cap_list = list(self._bucket_limits) if bucket_cap_mb_list else []
        self._divide_by_initial_world_size = True
        self._delay_queued = False
        self._ddp_sink_clone = True
        parameters, sparse = self._reduced_parameters()
        if init_sync:
            verify_params_across_processes(self.process_group, parameters)
            sync_module_states(
                module, self.process_group, self.parameters_to_ignore, buffers=buffers_at_start
            )
        self._comm_hooks: list[tuple[Callable[..., Any], Any]] = []
        self._make_reducer(parameters, sparse, static_graph)
        if static_graph:
            self._set_static_graph()

    def _reduced_parameters(self) -> tuple[list[Any], list[bool]]:
        """Return the parameters that are trained, each once, and whether their gradients are sparse."""
        sparse: dict[Any, bool] = {}
        for prefix, owner in self.module.named_modules():
            for name, p in owner.named_parameters(recurse=False):
                if p.requires_grad and f"{prefix}.{name}" not in self.parameters_to_ignore:
                    embeds = isinstance(owner, (Embedding, EmbeddingBag)) and owner.sparse
                    sparse.setdefault(p, bool(embeds))
        self._assign_modules_buffers()
        return list(sparse), list(sparse.values())

    def _assign_modules_buffers(self) -> None:
        """Note which buffers there are now: a module may put others in their place."""
        self.named_module_buffers = {
            name: buffer
            for name, buffer in self.module.named_buffers()
            if name not in self.parameters_to_ignore
        }
        self.modules_buffers = list(self.named_module_buffers.values())

    def _make_reducer(self, parameters: list[Any], sparse: list[bool], static_graph: bool) -> None:
        names = {id(p): name for name, p in self.module.named_parameters()}
        # in the first pass everything is reduced together, where a second pass knows the order
        several = self.find_unused_parameters and not static_graph
        limits = self._bucket_limits if several or self._has_own_limits else (sys.maxsize,)
        numbers, _ = compute_bucket_assignment_by_size(parameters, limits, sparse)
        self.reducer = Reducer(
            parameters, numbers[::-1], self.process_group, sparse, self._bucket_limits,
            find_unused_parameters=self.find_unused_parameters,
            gradient_as_bucket_view=self.gradient_as_bucket_view,
            names={number: names[id(p)] for number, p in enumerate(parameters)},
        )  # fmt: skip

    @property
    def _has_own_limits(self) -> bool:
        return len(self._bucket_limits) > 2

    # ------------------------------------------------------------------------------ pickling

    def __getstate__(self) -> dict[str, Any]:
        if self.process_group is not default_group():
            raise RuntimeError(_ONLY_DEFAULT_GROUP)
        state = dict(self.__dict__)
        del state["process_group"], state["reducer"]
        state.pop("_native", None)
        state["broadcast_buffers"] = self.forward_sync_buffers
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        buffers = state.pop("broadcast_buffers", True)
        state.setdefault("forward_sync_buffers", buffers)
        self.process_group = needed_group()
        super().__setstate__(state)
        self.__dict__.setdefault("require_forward_param_sync", True)
        self.__dict__.setdefault("require_backward_grad_sync", True)
        parameters, sparse = self._reduced_parameters()
        self._make_reducer(parameters, sparse, self.static_graph)
        if self.static_graph:
            self._delay_queued = False
            self.reducer.set_static()

    @property
    def broadcast_buffers(self) -> bool:
        """Return whether each forward begins with the buffers of rank 0."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    # ------------------------------------------------------------------------------ forward

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        refuse_exchange(
            "DistributedDataParallel exchanges gradients between processes; its module is compiled by itself"
        )
        self._pre_forward()
        with self._inside_ddp_forward():
            output = self._called()(*inputs, **kwargs)
        return self._post_forward(output)

    def _called(self) -> Callable[..., Any]:
        """Return the module, or its native form within a compiled function that runs in parts."""
        if not backend.compiles_parts.get():
            return self.module
        if "_native" not in self.__dict__:
            self.__dict__["_native"] = backend.compiled(self.module)
        return self.__dict__["_native"]

    def _pre_forward(self) -> None:
        if (counted := count_active(self)) is not None:
            self.reducer.set_forward_work(*counted, self._divide_by_initial_world_size)
        if modes().grad:
            self.reducer.times.begin_forward(self.reducer.passes)
        if modes().grad and self.reducer.rebuild_buckets():
            logger.info("Reducer buckets have been rebuilt in this iteration.")
        if self._syncs_buffers(BufferCommHookLocation.PRE_FORWARD):
            self._sync_buffers()
        if self._join_config.enable:
            self._announce_backward(self.require_backward_grad_sync)

    def _post_forward(self, output: Any) -> Any:
        if self._syncs_buffers(BufferCommHookLocation.POST_FORWARD):
            self._sync_buffers()
        detects = self.find_unused_parameters and not self.static_graph
        if modes().grad and self.require_backward_grad_sync:
            self.require_forward_param_sync = True
            found = list(tensors_in(output)) if detects else []
            self.reducer.prepare_for_backward(found)
            if detects and not self.reducer._unused:
                say_none_unused()
        else:
            self.require_forward_param_sync = False
        if detects or (self.static_graph and not self._delay_queued):
            return through_sink(self, output)
        return output

    @contextmanager
    def _inside_ddp_forward(self) -> Iterator[None]:
        before, DistributedDataParallel._active_ddp_module = DistributedDataParallel._active_ddp_module, self
        try:
            yield
        finally:
            DistributedDataParallel._active_ddp_module = before

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let gradients accumulate within the block in each process, not averaged, up to the first forward
        and backward after it.
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # ------------------------------------------------------------------------------ buffers

    def will_sync_module_buffers(self) -> bool:
        """Return whether the next forward brings buffers into line."""
        return self.require_forward_param_sync and self.forward_sync_buffers and bool(self.modules_buffers)

    def _syncs_buffers(self, place: BufferCommHookLocation) -> bool:
        _, _, chosen = self._buffer_hook or (None, None, BufferCommHookLocation.PRE_FORWARD)
        return self.will_sync_module_buffers() and chosen is place

    _buffer_hook: tuple[Callable[..., Any], Any, BufferCommHookLocation] | None = None

    def _register_buffer_comm_hook(
        self, state: Any, hook: Callable[..., Any],
        comm_hook_location: BufferCommHookLocation = BufferCommHookLocation.POST_FORWARD,
    ) -> None:  # fmt: skip
        """Have ``hook(state, buffers by name)`` bring buffers into line; it may return futures."""
        if not callable(hook):
            raise AssertionError(f"hook must be callable, got {type(hook).__name__}")
        self._buffer_hook = (hook, state, comm_hook_location)

    @no_grad()
    def _sync_buffers(self) -> None:
        source = self._common_rank(True) if self._join_config.enable else 0
        self._assign_modules_buffers()
        self._sync_module_buffers(source)

    def _sync_module_buffers(self, source: int) -> None:
        if self._buffer_hook is None:
            broadcast_coalesced(self.process_group, self.modules_buffers, BROADCAST_BYTES, source)
            return
        hook, state, _ = self._buffer_hook
        self.reducer.add_futures(hook(state, self.named_module_buffers) or ())

    # ------------------------------------------------------------------------------ hooks and settings

    def register_comm_hook(self, state: object, hook: Callable[..., Any]) -> None:
        """Have ``hook(state, bucket)`` reduce the gradients of a bucket.

        Parameters
        ----------
        state : object
            Given to the hook.
        hook : callable
            Takes `state` and a `GradBucket`, whose gradients are not divided by the number of processes, and
            returns a future of the reduced buffer.

        Raises
        ------
        TypeError, ValueError
            The hook cannot be called, or its annotations name other types.
        RuntimeError
            There is one already.
        """
        try:
            check_hook(hook)
        except (TypeError, ValueError) as error:
            self.reducer.error = str(error)
            raise
        self.reducer.register_comm_hook(state, hook)
        self._comm_hooks.append((hook, state))

    def _set_static_graph(self) -> None:
        """Promise that every iteration uses the same parameters equally often; before training begins."""
        if self.static_graph:
            warn("You've set static_graph to be True, no need to set it again.")
            return
        self.reducer.set_static()
        self.static_graph = True
        self._delay_queued = False
        if self.find_unused_parameters:
            warn(
                "You passed find_unused_parameters=true to DistributedDataParallel, `_set_static_graph` will "
                "detect unused parameters automatically, so you do not need to set find_unused_parameters="
                "true, just be sure these unused parameters will not change during training loop while "
                "calling `_set_static_graph`."
            )

    def _default_broadcast_coalesced(
        self, bufs: Any = None, bucket_size: int | None = None, authoritative_rank: int = 0
    ) -> None:
        """Give the buffers of one process to all."""
        buffers = self.modules_buffers if bufs is None else bufs
        broadcast_coalesced(self.process_group, buffers, bucket_size or BROADCAST_BYTES, authoritative_rank)

    def _remove_autograd_hooks(self) -> None:
        """Leave the parameters to another wrapper."""
        self.reducer.remove_hooks()

    @staticmethod
    def _get_data_parallel_params(module: Module, named_params: bool = False) -> Iterator[Any]:
        """Yield the parameters of a module that are not ignored."""
        for name, p in module.named_parameters():
            if not getattr(p, "_ddp_ignored", False):
                yield (name, p) if named_params else p

    def _check_reducer_finalized(self) -> None:
        self.reducer.check_finished()

    def _set_ddp_sink_clone(self, val: bool) -> None:
        self._ddp_sink_clone = val

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(
        module: Module, params_and_buffers_to_ignore: Any
    ) -> None:
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore
        for name, value in (*module.named_parameters(), *module.named_buffers()):
            if name in params_and_buffers_to_ignore:
                value.__dict__["_ddp_ignored"] = True

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        return logging_data(self)

    def _set_ddp_runtime_logging_sample_rate(self, sample_rate: int) -> None:
        """Take the times of every so manieth pass, after the first ten."""
        if sample_rate < 1:
            raise ValueError("DDP runtime logging sample rate should be equal or greater than 1")
        self.reducer.times.sample_rate = sample_rate

    # ------------------------------------------------------------------------------ uneven inputs

    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:  # fmt: skip
        """Return a context in which processes may have different numbers of inputs.

        Parameters
        ----------
        divide_by_initial_world_size : bool
            Whether sums of gradients are divided by the number of all processes, rather than of those that
            still have inputs.
        enable, throw_on_early_termination : bool
            As of `Join`.
        """
        return Join(
            [self], enable, throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )  # fmt: skip

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what a process without inputs does."""
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return ModuleJoinHook(self)

    @property
    def join_device(self) -> Any:
        """Return where tensors are made."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """Return the group of the module."""
        return self.process_group

    def _announce_backward(self, is_needed: bool) -> bool:
        """Tell all processes whether gradients will be reduced, and return whether any says so."""
        needed = zeros(1) + float(is_needed)
        self.process_group.allreduce(needed).wait()
        return bool(needed.item())

    def _common_rank(self, stands_for: bool) -> int:
        """Return the highest rank for which `stands_for` holds."""
        rank = self.process_group.rank() if stands_for else -1
        return max(numbers[0] for numbers in gathered_numbers(self.process_group, [rank]))

    @property
    def _distributed_rank(self) -> int:
        return self.process_group.rank()


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"

__all__ = ["DistributedDataParallel"]
