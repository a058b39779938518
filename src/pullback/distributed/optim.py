"""torch.distributed.optim: an optimizer whose state would be divided among processes, in a group of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..core.value import TensorBase
from ..optim import Optimizer
from .groups import get_rank, get_world_size

__all__ = ["ZeroRedundancyOptimizer"]


class ZeroRedundancyOptimizer(Optimizer):
    """An optimizer of another class, of which each process would keep its part of the state.

    Parameters
    ----------
    params : iterable of Tensor or dict
    optimizer_class : type
        `optim`, which does the steps, is one of it.
    process_group : ProcessGroup, optional
    parameters_as_bucket_view, overlap_with_ddp : bool
        How several processes would share their work; one process works as without.
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
        self.optim: Optimizer | None = None
        super().__init__(_checked(params), defaults)
        self.process_group = process_group
        self.world_size = get_world_size(process_group)
        self.rank = get_rank(process_group)
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self.optim = optimizer_class([dict(group) for group in self.param_groups], **defaults)
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update((name, value) for name, value in own.items() if name not in group)
        self._consolidated: dict[str, Any] | None = None

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters, here and in `optim`."""
        super().add_param_group(param_group)
        if self.optim is not None:
            own = dict(self.param_groups[-1])
            self.optim.add_param_group(own)
            self.param_groups[-1].update((name, value) for name, value in own.items() if name != "params")

    def _copy_options(self) -> None:
        """Tell `optim` what schedulers and the program have set in the groups here."""
        assert self.optim is not None
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            own.update((name, value) for name, value in group.items() if name != "params")

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Do a step of `optim` with the options of the groups here."""
        assert self.optim is not None
        self._copy_options()
        return self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Bring the state of all processes together on process `to`, for `state_dict` there."""
        assert self.optim is not None
        self._copy_options()
        if to == self.rank:
            self._consolidated = self.optim.state_dict()

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
        assert self.optim is not None
        self.optim.load_state_dict(state_dict)
        for group, own in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update((name, value) for name, value in own.items() if name != "params")


def _checked(params: Any) -> list[Any]:
    """Return the parameters or groups as a list, or torch's error."""
    if isinstance(params, TensorBase):
        raise TypeError(
            f"`params` argument should be an iterable of Tensors, but got {params.type()}"  # type: ignore[attr-defined]  # a method of Tensor
        )
    if not isinstance(params, Iterable):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {type(params)}")
    found = list(params)
    if not found:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not (
        all(isinstance(one, TensorBase) for one in found) or all(isinstance(one, dict) for one in found)
    ):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    return found
