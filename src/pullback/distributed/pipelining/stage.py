"""torch.distributed.pipelining.stage: one part of a model, which a rank runs on microbatches.

What this module must do:

- keep what the forward of each microbatch leaves for its backward, and no longer than that;
- give gradients of its inputs to the stage before, whatever the order in which microbatches come;
- pull back in one go, or first to the inputs and later to the parameters.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from ...autograd import backward, grad
from ...core.value import TensorBase, shape_of
from ...nn.parallel.distributed import DistributedDataParallel
from ...nn.parallel.reachable import tensors_in
from ...utils._pytree import tree_leaves
from ..groups import get_rank, get_world_size
from .messages import Messages, handed_over


def as_tuple(output: Any) -> tuple[Any, ...]:
    """Return what a module gives as the tuple of tensors that the next one takes."""
    return tuple(output) if isinstance(output, (list, tuple)) else (output,)


class PipelineStage:
    """One part of a model whose parts run one after the other on several ranks.

    Parameters
    ----------
    submodule : Module
        The part. Its positional arguments are the outputs of the part before.
    stage_index : int
        Which part it is, from 0.
    num_stages : int
        How many there are.
    device : device
        The CPU.
    input_args, output_args, output_grads, input_grads : Tensor or tuple of Tensor, optional
        Taken for torch's sake: each message says which tensors it brings.
    group : ProcessGroup, optional
        The ranks that have the parts; by default the default group.
    dw_builder : callable, optional
        Returns, for each microbatch, a function that computes the gradients of parameters.
    get_mesh : callable, optional
        Taken for torch's sake.

    Raises
    ------
    ValueError
        There is no such part.
    RuntimeError
        There are more ranks than parts.
    """

    def __init__(
        self, submodule: Any, stage_index: int, num_stages: int, device: Any, input_args: Any = None,
        output_args: Any = None, output_grads: Any = None, input_grads: Any = None, group: Any = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None, get_mesh: Any = None,
    ) -> None:  # fmt: skip
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod = submodule
        self.stage_index = stage_index
        self.num_stages = num_stages
        self.device = device
        self.group = group
        self.dw_builder = dw_builder
        self.group_rank = get_rank(group)
        self.group_size = get_world_size(group)
        if self.group_size > num_stages:
            raise RuntimeError(
                f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}"
            )
        self.has_backward = False
        self.log_prefix = f"[Stage {stage_index}]"
        self.stage_index_to_group_rank = {number: number % self.group_size for number in range(num_stages)}
        self.output_chunks: list[Any] = []
        #: Stages of this rank, by their index, with which no messages are exchanged.
        self.local_stages: dict[int, PipelineStage] = {stage_index: self}
        self._messages = Messages(group)
        self.clear_runtime_states()

    @property
    def is_first(self) -> bool:
        """Return whether it takes the inputs of the model."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Return whether it gives the outputs of the model."""
        return self.stage_index == self.num_stages - 1

    def clear_runtime_states(self) -> None:
        """Forget the microbatches of the last step."""
        self.output_chunks = []
        self._handed: dict[tuple[int, bool], list[Any]] = {}
        self._forwarded: dict[int, tuple[Any, list[Any], int]] = {}
        self._input_grads: dict[int, list[Any]] = {}
        self._halves: dict[int, Callable[[], None]] = {}

    # ------------------------------------------------------------------------------ messages

    def _pass_on(self, to: int, tensors: Sequence[Any], chunk: int, backward: bool) -> None:
        """Give tensors to a stage."""
        if to in self.local_stages:
            self.local_stages[to]._handed[chunk, backward] = handed_over(tensors)
        else:
            rank = self.stage_index_to_group_rank[to]
            self._messages.send(tensors, rank, self.stage_index, chunk, backward)

    def _take(self, source: int, chunk: int, backward: bool) -> list[Any]:
        """Return the tensors that a stage has given."""
        if source in self.local_stages:
            return self._handed.pop((chunk, backward))
        return self._messages.receive(self.stage_index_to_group_rank[source], source, chunk, backward)

    def send_forward(self, chunk: int) -> None:
        """Give the outputs for a microbatch to the next stage."""
        output, _, _ = self._forwarded[chunk]
        self._pass_on(self.stage_index + 1, as_tuple(output), chunk, False)

    def send_backward(self, chunk: int) -> None:
        """Give the gradients of the inputs of a microbatch to the stage before."""
        self._pass_on(self.stage_index - 1, self._input_grads.pop(chunk), chunk, True)

    def finish(self) -> None:
        """Wait until all that was given has been taken."""
        self._messages.wait()

    # ------------------------------------------------------------------------------ a microbatch

    def forward_one_chunk(
        self, fwd_chunk_id: int, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
        save_forward_output: bool = True,
    ) -> Any:  # fmt: skip
        """Run the part on a microbatch and return its output.

        Parameters
        ----------
        fwd_chunk_id : int
        args : tuple
            Those of the first stage; others take what the stage before gives.
        kwargs : dict, optional
        save_forward_output : bool
            Whether the last stage keeps the output.
        """
        given = args if self.is_first else tuple(self._take(self.stage_index - 1, fwd_chunk_id, False))
        alone = self.submod.no_sync() if isinstance(self.submod, DistributedDataParallel) else nullcontext()
        try:
            with alone:
                output = self.submod(*given, **(kwargs or {}))
        except Exception as error:
            told = [tuple(shape_of(one)) if isinstance(one, TensorBase) else one for one in given]
            raise RuntimeError(
                f"\n            {self.log_prefix} failed to run forward:\n            args: {told}\n"
                f"            kwargs: {kwargs or {}}\n            "
            ) from error
        if self.is_last and save_forward_output:
            self.output_chunks.append(output)
        inputs = [one for one in tree_leaves((given, kwargs or {})) if isinstance(one, TensorBase)]
        self._forwarded[fwd_chunk_id] = (output, inputs, len(given))
        return output

    def forget(self, chunk: int) -> None:
        """Forget a microbatch that is not pulled back."""
        del self._forwarded[chunk]

    def backward_one_chunk(
        self, bwd_chunk_id: int, loss: Any = None, full_backward: bool = True, last_backward: bool = False
    ) -> None:
        """Pull a microbatch back through the part.

        Parameters
        ----------
        bwd_chunk_id : int
        loss : Tensor, optional
            Of the last stage.
        full_backward : bool
            Whether to compute all gradients; otherwise only those of the inputs, and those of the parameters
            by `backward_weight_one_chunk`.
        last_backward : bool
            Whether it is the last microbatch of the step, after which data-parallel copies exchange
            gradients.
        """
        if not self.has_backward:
            return
        output, inputs, count = self._forwarded.pop(bwd_chunk_id)
        if self.is_last:
            roots, cotangents = [loss], [None]
        else:
            roots = list(as_tuple(output))
            cotangents = self._take(self.stage_index + 1, bwd_chunk_id, True)
        pairs = [
            (root, cotangent) for root, cotangent in zip(roots, cotangents, strict=True)
            if root.requires_grad and (self.is_last or cotangent is not None)
        ]  # fmt: skip
        roots, cotangents = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        sent = inputs[:count]
        if full_backward or self.dw_builder:
            with self._synchronized(roots, last_backward):
                backward(roots, cotangents)
            self._input_grads[bwd_chunk_id] = [one.grad for one in sent]
            if self.dw_builder:
                self._halves[bwd_chunk_id] = self.dw_builder()
                if full_backward:
                    self._halves.pop(bwd_chunk_id)()
            return
        learning = [one for one in sent if one.requires_grad]
        found: Iterator[Any] = iter(())
        if learning and not self.is_first:
            found = iter(grad(roots, learning, cotangents, retain_graph=True, allow_unused=True))
        self._input_grads[bwd_chunk_id] = [next(found, None) if one.requires_grad else None for one in sent]
        self._halves[bwd_chunk_id] = lambda: self._pull_back_to_parameters(roots, cotangents)

    def backward_weight_one_chunk(self, bwd_chunk_id: int, last_backward: bool = False) -> None:
        """Compute the gradients of parameters that `backward_one_chunk` has left out."""
        if self.has_backward:
            half = self._halves.pop(bwd_chunk_id)
            with self._synchronized([], last_backward):
                half()

    def _pull_back_to_parameters(self, roots: list[Any], cotangents: list[Any]) -> None:
        parameters = [p for p in self.submod.parameters() if p.requires_grad]
        if self.is_first:
            backward(roots, cotangents)
        elif roots and parameters:
            backward(roots, cotangents, inputs=parameters)

    @contextmanager
    def _synchronized(self, roots: list[Any], last_backward: bool) -> Iterator[None]:
        """Let data-parallel copies exchange gradients in the last backward of a step."""
        if last_backward and isinstance(self.submod, DistributedDataParallel):
            self.submod.reducer.prepare_for_backward(list(tensors_in(roots)))
        yield

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divide the gradients of parameters, after all microbatches."""
        if grad_scale_factor != 1:
            for p in self.submod.parameters():
                if p.grad is not None:
                    p.grad.div_(grad_scale_factor)


def build_stage(
    stage_module: Any, stage_index: int, pipe_info: Any, device: Any, group: Any = None
) -> PipelineStage:
    """Return a part of a pipeline as what schedules run; see `PipelineStage`."""
    return PipelineStage(stage_module, stage_index, pipe_info.num_stages, device, group=group)


__all__ = ["PipelineStage", "build_stage"]
