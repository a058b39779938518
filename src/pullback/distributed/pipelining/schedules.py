"""torch.distributed.pipelining.schedules: run the stages of a pipeline on the microbatches of a batch.

A schedule is the order in which each rank does its work (`orders`); all are run by the same few lines.
Messages are sent without waiting, so a rank is idle only where it needs what is not there yet.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...core.modes import modes
from ...torch_names.absent_devices import uninstantiable
from .microbatch import TensorChunkSpec, merge_chunks, split_args_kwargs_into_chunks, split_tensor
from .orders import Action, Kind, all_then_back, one_forward_one_back, without_bubbles
from .stage import PipelineStage


class _PipelineSchedule:
    """The part that all schedules have in common.

    Parameters
    ----------
    stages : list of PipelineStage
        Those of this rank.
    n_microbatches : int
    loss_fn : callable, optional
        From an output and its target to the loss; without one there is no backward.
    args_chunk_spec, kwargs_chunk_spec : optional
        How arguments are cut, see `split_args_kwargs_into_chunks`.
    output_merge_spec : optional
        How outputs are put together, see `merge_chunks`.
    scale_grads : bool
        Whether gradients are divided by the number of microbatches, as for a loss that is a mean.
    """

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., Any] | None,
        args_chunk_spec: Any, kwargs_chunk_spec: Any, output_merge_spec: Any, scale_grads: bool,
    ) -> None:  # fmt: skip
        self._stages = stages
        self._num_stages = stages[0].num_stages
        self._n_microbatches = n_microbatches
        self._loss_fn = loss_fn
        self._args_chunk_spec = args_chunk_spec
        self._kwargs_chunk_spec = kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self.scale_grads = scale_grads
        self._has_backward = loss_fn is not None
        self._internal_losses: list[Any] = []
        self.pp_group_size = stages[0].group_size
        self.rank = stages[0].group_rank
        ranks = self._ranks()
        for stage in stages:
            stage.stage_index_to_group_rank = ranks
            stage.local_stages = {one.stage_index: one for one in stages}
        #: The order of each rank.
        self.pipeline_order = {rank: self._order(rank) for rank in range(self.pp_group_size)}
        expected = sorted(index for index, rank in ranks.items() if rank == self.rank)
        if sorted(stage.stage_index for stage in stages) != expected:
            raise ValueError(
                f"{type(self).__name__}: rank {self.rank} of {self.pp_group_size} must have the stages "
                f"{expected} of {self._num_stages}, got {sorted(one.stage_index for one in stages)}"
            )

    def _ranks(self) -> dict[int, int]:
        """Return which rank has each stage."""
        return {index: index % self.pp_group_size for index in range(self._num_stages)}

    def _stages_of(self, rank: int) -> list[int]:
        return [index for index, place in self._ranks().items() if place == rank]

    def _order(self, rank: int) -> list[Action]:
        """Return the order in which a rank works."""
        raise NotImplementedError

    def step(
        self, *args: Any, target: Any = None, losses: list[Any] | None = None, return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """Run forward and backward of a batch; return the outputs in the rank that has the last stage.

        Parameters
        ----------
        *args : Any
            Arguments of the first stage, in the rank that has it.
        target : Tensor, optional
            In the rank that has the last stage.
        losses : list, optional
            Gets the loss of each microbatch there.
        return_outputs : bool
        loss_kwargs : dict, optional
            Further arguments of the loss.
        **kwargs : Any
            Keyword arguments of all stages of this rank.

        Raises
        ------
        RuntimeError
            Gradients are not recorded.
        ValueError
            The batch does not give that many microbatches.
        """
        if self._has_backward and not modes().grad:
            raise RuntimeError(
                "step() requires gradients to be enabled for backward computation; it should not be used "
                "under torch.no_grad() context. Please call eval() instead."
            )
        count = self._n_microbatches
        if args or kwargs:
            given, named = split_args_kwargs_into_chunks(
                args, kwargs, count, self._args_chunk_spec, self._kwargs_chunk_spec
            )
        else:
            given, named = [()] * count, [{} for _ in range(count)]
        targets = None if target is None else split_tensor(target, TensorChunkSpec(0), count)
        for name, parts in (("arg_mbs", given), ("kwarg_mbs", named), ("target_mbs", targets)):
            if parts is not None and len(parts) != count:
                raise ValueError(f"Expecting {count} {name} but got {len(parts)}")
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")
        for stage in self._stages:
            stage.has_backward = self._has_backward
            stage.clear_runtime_states()
        self._internal_losses = []
        self._run(given, named, targets, return_outputs, loss_kwargs or {})
        for stage in self._stages:
            if stage.is_last and losses is not None:
                losses[:] = self._internal_losses
            if stage.is_last and return_outputs:
                return merge_chunks(stage.output_chunks, self._output_merge_spec)
        return None

    def eval(self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kwargs: Any) -> Any:
        """Run forward of a batch alone; as `step`."""
        before, self._has_backward = self._has_backward, False
        try:
            return self.step(*args, target=target, losses=losses, **kwargs)
        finally:
            self._has_backward = before

    def _run(
        self, given: list[Any], named: list[Any], targets: list[Any] | None, keeps: bool,
        loss_kwargs: dict[str, Any],
    ) -> None:  # fmt: skip
        """Do the work of this rank in its order."""
        stages = {stage.stage_index: stage for stage in self._stages}
        found: dict[int, Any] = {}
        left = dict.fromkeys(stages, self._n_microbatches)
        for index, kind, chunk in self.pipeline_order[self.rank]:
            stage = stages[index]
            if kind is Kind.FORWARD:
                output = stage.forward_one_chunk(chunk, given[chunk], named[chunk], keeps)
                if not stage.is_last:
                    stage.send_forward(chunk)
                elif self._loss_fn is not None:
                    found[chunk] = self._loss_fn(output, targets[chunk], **loss_kwargs)  # type: ignore[index]
                if not self._has_backward:
                    stage.forget(chunk)
                continue
            if not self._has_backward:
                continue
            is_whole, is_second = kind is Kind.BACKWARD, kind is Kind.BACKWARD_WEIGHT
            left[index] -= is_whole or is_second
            if is_second:
                stage.backward_weight_one_chunk(chunk, last_backward=left[index] == 0)
                continue
            stage.backward_one_chunk(chunk, found.get(chunk), is_whole, is_whole and left[index] == 0)
            if not stage.is_first:
                stage.send_backward(chunk)
        for stage in self._stages:
            stage.finish()
            if self._has_backward:
                stage.scale_grads(self._n_microbatches if self.scale_grads else 1)
        self._internal_losses = [found[chunk] for chunk in sorted(found)]


class PipelineScheduleSingle(_PipelineSchedule):
    """A schedule for ranks that have one stage each.

    Parameters
    ----------
    stage : PipelineStage
    n_microbatches : int
    loss_fn : callable, optional
    args_chunk_spec, kwargs_chunk_spec, output_merge_spec : optional
    scale_grads : bool
    """

    def __init__(
        self, stage: PipelineStage, n_microbatches: int, loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None,
        scale_grads: bool = True,
    ) -> None:  # fmt: skip
        self._stage = stage
        super().__init__(
            [stage], n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec,
            scale_grads,
        )  # fmt: skip


class _ScheduleForwardOnly(PipelineScheduleSingle):
    """Forwards alone."""

    def step(self, *args: Any, target: Any = None, losses: list[Any] | None = None, **kwargs: Any) -> Any:
        """Run forward of a batch; there is no loss."""
        if target is not None or losses is not None:
            raise RuntimeError("Forward-only schedule does not support loss computation")
        return super().step(*args, **kwargs)

    def _order(self, rank: int) -> list[Action]:
        return [Action(rank, Kind.FORWARD, chunk) for chunk in range(self._n_microbatches)]


class ScheduleGPipe(PipelineScheduleSingle):
    """All forwards, then all backwards (Huang and others, 2019)."""

    def _order(self, rank: int) -> list[Action]:
        return all_then_back([rank], self._n_microbatches)


class Schedule1F1B(PipelineScheduleSingle):
    """A forward and a backward in turn, which keeps as many microbatches as there are stages behind
    (Narayanan and others, 2019).
    """

    def _order(self, rank: int) -> list[Action]:
        if (count := self._n_microbatches) < self._num_stages:
            raise ValueError(
                f"Number of microbatches ({count}) must be greater than or equal to the number of stages "
                f"({self._num_stages})."
            )
        return one_forward_one_back([rank], count, count, self._num_stages - rank - 1)


class PipelineScheduleMulti(_PipelineSchedule):
    """A schedule for ranks that have several stages each.

    Parameters
    ----------
    stages : list of PipelineStage
        Those of this rank: with r ranks, each r-th stage from that of its rank.
    n_microbatches : int
    loss_fn : callable, optional
    args_chunk_spec, kwargs_chunk_spec, output_merge_spec : optional
    use_full_backward : bool, optional
        Taken for torch's sake.
    scale_grads, backward_requires_autograd, defer_pp_recv : bool
        The last two are taken for torch's sake.
    """

    def __init__(
        self, stages: list[PipelineStage], n_microbatches: int, loss_fn: Callable[..., Any] | None = None,
        args_chunk_spec: Any = None, kwargs_chunk_spec: Any = None, output_merge_spec: Any = None,
        use_full_backward: bool | None = None, scale_grads: bool = True,
        backward_requires_autograd: bool = True, defer_pp_recv: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec,
            scale_grads,
        )  # fmt: skip

    def _round(self, name: str) -> int:
        """Return how many microbatches of a stage come before the next stage's turn."""
        rounds = max(1, self._n_microbatches // self.pp_group_size)
        if self._n_microbatches % rounds:
            raise ValueError(
                f"{name} requires the number of microbatches to be a multiple of the number of rounds "
                f"({rounds}), but got {self._n_microbatches}."
            )
        return self._n_microbatches // rounds


class ScheduleLoopedBFS(PipelineScheduleMulti):
    """All forwards of a stage, then those of the rank's next one, and back (Lamy-Poirier, 2022)."""

    def _order(self, rank: int) -> list[Action]:
        return all_then_back(self._stages_of(rank), self._n_microbatches, last_first=True)


class ScheduleInterleaved1F1B(PipelineScheduleMulti):
    """A forward and a backward in turn with several stages for each rank (Narayanan and others, 2021)."""

    def _order(self, rank: int) -> list[Action]:
        stages, size = self._stages_of(rank), self._round("Interleaved 1F1B")
        ahead = (len(stages) - 1) * size + 2 * (self.pp_group_size - 1 - rank)
        return one_forward_one_back(stages, self._n_microbatches, size, ahead)


class ScheduleInterleavedZeroBubble(PipelineScheduleMulti):
    """The same with backwards in two halves, of which the second fills idle time (Qi and others, 2023)."""

    def _order(self, rank: int) -> list[Action]:
        stages, size = self._stages_of(rank), self._round("Zero bubble")
        ahead = (len(stages) - 1) * size + (self.pp_group_size - 1 - rank)
        return one_forward_one_back(stages, self._n_microbatches, size, ahead, halves=True, delay=rank)


class ScheduleZBVZeroBubble(PipelineScheduleMulti):
    """Two stages for each rank, in the shape of a V, and backwards in two halves (Qi and others, 2024).

    Rank r of n has the stages r and 2n - 1 - r.
    """

    def _ranks(self) -> dict[int, int]:
        last = self._num_stages - 1
        return {index: min(index, last - index) for index in range(self._num_stages)}

    def _order(self, rank: int) -> list[Action]:
        if self._num_stages != 2 * self.pp_group_size:
            raise ValueError(f"ZBV requires exactly 2 stages per rank, but got {len(self._stages)}.")
        return without_bubbles(self.pp_group_size, self._n_microbatches)[rank]


globals().update(
    uninstantiable(
        ["ScheduleDualPipeV"], "torch.distributed.pipelining.schedules",
        "{} is not part of pullback: it overlaps a forward and a backward on streams of an accelerator. "
        "ScheduleZBVZeroBubble takes the same stages."
    )
)  # fmt: skip

_SCHEDULES: Sequence[type[_PipelineSchedule]] = (
    Schedule1F1B, ScheduleInterleaved1F1B, ScheduleGPipe, ScheduleLoopedBFS, ScheduleInterleavedZeroBubble,
    PipelineScheduleSingle, PipelineScheduleMulti, ScheduleZBVZeroBubble, globals()["ScheduleDualPipeV"],
)  # fmt: skip


def get_schedule_class(schedule_name: str) -> type[_PipelineSchedule]:
    """Return a schedule by its name without ``Schedule``, in letters of any case.

    Raises
    ------
    ValueError
        There is none of the name.
    """
    named = {kind.__name__.removeprefix("Schedule"): kind for kind in _SCHEDULES}
    for name, kind in named.items():
        if name.lower() == schedule_name.lower():
            return kind
    raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {list(named)}")


__all__ = [  # noqa: F822  # one is made above
    "PipelineScheduleMulti", "PipelineScheduleSingle", "Schedule1F1B", "ScheduleDualPipeV", "ScheduleGPipe",
    "ScheduleInterleaved1F1B", "ScheduleInterleavedZeroBubble", "ScheduleLoopedBFS", "ScheduleZBVZeroBubble",
    "get_schedule_class",
]  # fmt: skip
