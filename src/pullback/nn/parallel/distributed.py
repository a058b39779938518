"""torch.nn.parallel.distributed: one module in every process of a group; here the group has one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.process_group import default_group, needed_group
from ...errors import with_note
from ..modules.module import Module


class DistributedDataParallel(Module):
    """A module of which each process of the group has a copy: in a group of one, the module itself.

    Gradients are averaged over the group after ``backward``; over one process they are what they were.

    Parameters
    ----------
    module : Module
        What is trained. It is the attribute ``module``, so names in the state begin with ``module.``.
    device_ids, output_device, dim, broadcast_buffers, init_sync, process_group, **options
        Taken for torch's sake.

    Raises
    ------
    ValueError
        When no group was made.
    RuntimeError
        When no parameter of `module` requires a gradient.
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0,
        broadcast_buffers: bool = True, init_sync: bool = True, process_group: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if process_group is None and default_group() is None:
            try:
                needed_group()
            except ValueError as error:
                raise with_note(
                    error,
                    "Train the module itself, or make a group of one: "
                    "torch.distributed.init_process_group(rank=0, world_size=1).",
                ) from None
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that "
                "requires a gradient."
            )
        self.module = module
        self.device_ids = device_ids
        self.output_device = output_device
        self.process_group = process_group or default_group()
        self.require_backward_grad_sync = True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Return what the module gives."""
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within it gradients are not averaged: they accumulate in each process."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before


DistributedDataParallel.__module__ = "torch.nn.parallel.distributed"

__all__ = ["DistributedDataParallel"]
