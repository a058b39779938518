"""Let processes with fewer inputs than others take part in the others' collectives until all are done."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from ...array.named_tuples import NamedTuple
from ...core.warn import warn
from ...tensor.creation import ones, zeros


class JoinHook:
    """Do a process' part for an object that it shares with the others, when it has no inputs left."""

    def main_hook(self) -> None:
        """Take part in the collectives of one iteration of the others."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Do what is left when no process has inputs any more.

        Parameters
        ----------
        is_last_joiner : bool
            Whether this process was among those that had the most inputs.
        """


class JoinConfig(NamedTuple):
    """Say how an object takes part in a context of `Join`."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool


class Joinable(ABC):
    """An object whose collectives a process without inputs can take part in."""

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = JoinConfig(False, False, False)

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """Return what a process without inputs does."""

    @property
    @abstractmethod
    def join_device(self) -> Any:
        """Return where tensors of the context's own collectives are made."""

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """Return the group in which the processes work together."""


class Join:
    """A context in which processes may have different numbers of inputs.

    A process that leaves it early repeats the collectives of the others until all have left it.

    Parameters
    ----------
    joinables : list of Joinable
        What the processes share; the hooks run in this order.
    enable : bool
        Whether to do anything.
    throw_on_early_termination : bool
        Whether all processes raise when the first one has no inputs left, rather than to wait.
    **kwargs
        Given to `join_hook` of each.

    Raises
    ------
    ValueError
        There is nothing to join, or the groups differ.
    """

    def __init__(
        self, joinables: list[Joinable], enable: bool = True, throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [joinable.join_hook(**kwargs) for joinable in joinables]
        self._enable = enable
        self._throws = throw_on_early_termination
        for place, joinable in enumerate(joinables):
            joinable._join_config = JoinConfig(enable, throw_on_early_termination, place == 0)
        self._process_group = _common_group(joinables)
        self._rank = self._process_group.rank()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        if not self._enable or kind:
            return
        is_last_joiner = True
        repeated = 0
        while self._still_active():
            if repeated == 1000:
                warn(
                    "Detected uneven input skew of greater than 1000. This means that rank "
                    f"{self._rank} has at least 1000 fewer inputs than other currently-active ranks. This "
                    "level of skew could lead to performance degradation during training."
                )
            if self._throws:
                self._process_group.allreduce(ones(1)).wait()
                raise RuntimeError(f"Rank {self._rank} exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            is_last_joiner = False
            repeated += 1
        for hook in self._join_hooks:
            hook.post_hook(is_last_joiner)

    def _still_active(self) -> int:
        """Return how many processes have inputs."""
        count = zeros(1)
        self._process_group.allreduce(count).wait()
        return int(count.item())

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Any:
        """Tell the processes without inputs that this one has an iteration more.

        Returns
        -------
        Work or None
            The collective under way, for the first object of an enabled context.

        Raises
        ------
        RuntimeError
            A process has no inputs left and the context was told to raise then.
        """
        counted = count_active(joinable)
        return None if counted is None else counted[0]


def count_active(joinable: Joinable) -> tuple[Any, Any] | None:
    """Begin to count the processes that have inputs; return the collective and the tensor of the count."""
    if not hasattr(joinable, "_join_config"):
        raise AssertionError(
            f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor"
        )
    config = joinable._join_config
    if not config.is_first_joinable or not config.enable:
        return None
    group = joinable.join_process_group
    count = ones(1)
    work = group.allreduce(count)
    if config.throw_on_early_termination:
        ended = zeros(1)
        group.allreduce(ended).wait()
        if ended.item():
            raise RuntimeError("Detected at least one rank that exhausted inputs. Throwing across all ranks.")
    return work, count


def _common_group(joinables: Sequence[Joinable]) -> Any:
    group = joinables[0].join_process_group
    if any(joinable.join_process_group != group for joinable in joinables):
        raise ValueError("Using join context manager with multiple process groups")
    return group


for _class in (Join, Joinable, JoinHook):
    _class.__module__ = "torch.distributed.algorithms.join"
