"""torch.distributed.optim.zero_redundancy_optimizer: an optimizer whose state is divided among processes.

Each parameter belongs to one process, which keeps its state and does its step; then every process sends what
it has updated to the others. The state takes a part of the memory that it takes in each process otherwise.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from ...core.process_group import needed_group
from ...core.value import TensorBase
from ...errors import with_note
from ...nn.parallel.join import Join, Joinable, JoinHook
from ...nn.parallel.synchronization import broadcast_coalesced
from ...optim import Optimizer
from ..groups import get_global_rank, get_rank, get_world_size
from ..objects import gather_object

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer of another class, of which each process keeps its part of the state.

    Parameters
    ----------
    params : iterable of Tensor or dict
        The same in all processes.
    optimizer_class : type
        `optim`, which does the steps of this process's parameters, is one of it.
    process_group : ProcessGroup, optional
    parameters_as_bucket_view : bool
        How torch saves a copy of the parameters when it sends them; makes no difference.
    overlap_with_ddp : bool
        Not there: True is torch's error of a hook for it among processes of the CPU.
    defaults : Any
        Options for `optimizer_class`.

    Raises
    ------
    ValueError
        There is no group of processes, or no parameter.
    """

    def __init__(
        self, params: Any, optimizer_class: type[Optimizer], process_group: Any = None,
        parameters_as_bucket_view: bool = False, overlap_with_ddp: bool = False, **defaults: Any,
    ) -> None:  # fmt: skip
        if overlap_with_ddp:
            raise with_note(
                NotImplementedError("Gloo backend using Overlapping DDP with ZeRO may meet hangs"),
                "overlap_with_ddp of ZeroRedundancyOptimizer is not part of pullback: torch, too, has it for "
                "NCCL alone. Without it buckets are reduced while backward goes on; steps follow it.",
            )
        self.optim: Any = None
        Joinable.__init__(self)
        Optimizer.__init__(self, _checked(params), defaults)
        self.process_group = process_group or needed_group()
        self.world_size = get_world_size(process_group)
        self.rank = get_rank(process_group)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._owners: dict[Any, int] = {}
        self._sizes = [0] * self.world_size
        for group in self.param_groups:
            self._give_out(group["params"])
        self.optim = optimizer_class([self._own(group) for group in self.param_groups], **defaults)
        self._take_options()
        self._consolidated: dict[str, Any] | None = None

    def _give_out(self, parameters: list[Any]) -> None:
        """Give each parameter, the largest first, to the process that has the least so far."""
        for p in _largest_first(parameters):
            owner = self._sizes.index(min(self._sizes))
            self._owners[p] = owner
            self._sizes[owner] += p.numel()

    def _own(self, group: dict[str, Any]) -> dict[str, Any]:
        """Return a group with the parameters of this process alone."""
        own = [p for p in _largest_first(group["params"]) if self._owners[p] == self.rank]
        return {**group, "params": own}

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters, here and in `optim`."""
        super().add_param_group(param_group)
        if self.optim is not None:
            self._give_out(self.param_groups[-1]["params"])
            self.optim.add_param_group(self._own(self.param_groups[-1]))
            self._take_options()

    def _take_options(self) -> None:
        """Take over from `optim` the options that only it knows."""
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update((name, value) for name, value in own.items() if name not in group)

    def _copy_options(self) -> None:
        """Tell `optim` what schedulers and the program have set in the groups here."""
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            own.update((name, value) for name, value in group.items() if name != "params")

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Do a step of this process's parameters with the options of the groups here, and exchange them."""
        Join.notify_join_context(self)
        self._copy_options()
        result = (
            self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        )
        for owner in range(self.world_size if self.world_size > 1 else 0):
            mine = [p for p, rank in self._owners.items() if rank == owner]
            broadcast_coalesced(self.process_group, mine, source=owner)
        return result

    # ------------------------------------------------------------------------------ states

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all processes together on process `to`, for `state_dict` there."""
        self._copy_options()
        own = {self._numbers[p]: state for p, state in self.optim.state.items()}
        parts: list[Any] | None = [None] * self.world_size if self.rank == to else None
        gather_object(own, parts, get_global_rank(self.process_group, to), self.process_group)
        if parts is None:
            return
        state: dict[int, Any] = {}
        for part in parts:
            state.update(part)
        numbers = self._numbers
        groups = [
            {name: value for name, value in group.items() if name != "params"}
            | {"params": [numbers[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        self._consolidated = {"state": dict(sorted(state.items())), "param_groups": groups}

    @property
    def _numbers(self) -> dict[Any, int]:
        """Return the place of each parameter among all."""
        every = chain.from_iterable(group["params"] for group in self.param_groups)
        return {p: number for number, p in enumerate(every)}

    def state_dict(self) -> dict[str, Any]:
        """Return the state as it was when `consolidate_state_dict` brought it together.

        Raises
        ------
        RuntimeError
            It was not called yet.
        """
        if self._consolidated is None:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                "global state."
            )
        return self._consolidated

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that `state_dict` gave, of this class or of `optim`'s."""
        state, groups = {}, []
        place = 0
        numbers = self._numbers
        for group, own, given in zip(
            self.param_groups, self.optim.param_groups, state_dict["param_groups"], strict=True
        ):
            given_numbers = dict(zip(group["params"], given["params"], strict=True))
            places = []
            for p in own["params"]:
                found = state_dict["state"].get(given_numbers.get(p, numbers[p]))
                if found is not None:
                    state[place] = found
                places.append(place)
                place += 1
            groups.append({**given, "params": places})
        self.optim.load_state_dict({"state": state, "param_groups": groups})
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update((name, value) for name, value in own.items() if name != "params")

    # ------------------------------------------------------------------------------ uneven inputs

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what a process without inputs does: a step, for the parameters that it owns."""
        return _StepHook(self)

    @property
    def join_device(self) -> Any:
        """Return where tensors are made."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """Return the group of processes."""
        return self.process_group


class _StepHook(JoinHook):
    def __init__(self, optimizer: ZeroRedundancyOptimizer) -> None:
        self.optimizer = optimizer

    def main_hook(self) -> None:
        self.optimizer.step()


def _largest_first(parameters: list[Any]) -> list[Any]:
    return sorted(parameters, key=lambda p: p.numel(), reverse=True)


def _checked(params: Any) -> list[Any]:
    """Return the parameters or groups as a list, or torch's error."""
    if isinstance(params, TensorBase):
        raise TypeError(
            f"`params` argument should be an iterable of Tensors, but got {params.type()}"  # type: ignore[attr-defined]  # a method of Tensor
        )
    if not isinstance(params, Iterable):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {type(params)}")
    if not (found := list(params)):
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not (all(isinstance(one, TensorBase) for one in found) or all(isinstance(one, dict) for one in found)):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    return found
