"""Define `LRScheduler`: sets the learning rates of an optimizer's groups, step by step.

A schedule says in `get_lr` what the rates are at `last_epoch`, from the rates before; where a formula gives
them at once, `_get_closed_form_lr` does. The attributes are the state dict, under torch's names.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core.warn import warn
from ..nn.modules.module import class_named, reduced
from ..tensor.tensor import Tensor
from .checks import number
from .optimizer import Optimizer

_EPOCH_DEPRECATED = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from "
    "None, the closed form is used instead of the new chainable form, where available. Please open an issue "
    "if you are unable to replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def copied(value: Any) -> Any:
    """Return a tensor's copy; a number itself."""
    return value.clone() if isinstance(value, Tensor) else value


def rates(optimizer: Optimizer, key: str = "lr") -> list[Any]:
    """Return an option of every group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option of a group; one that is a tensor stays that tensor."""
    if isinstance(group[key], Tensor):
        group[key].fill_(number(value))
    else:
        group[key] = value


def per_group(name: str, optimizer: Optimizer, values: Any) -> list[Any]:
    """Return one value per group from a list of them or one for all."""
    groups = optimizer.param_groups
    if not isinstance(values, (list, tuple)):
        return [copied(values) for _ in groups]
    if len(values) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(values)} values, "
            f"param_groups has {len(groups)}."
        )
    return [copied(value) for value in values]


def check_optimizer(optimizer: Any) -> None:
    """Refuse what is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


class LRScheduler:
    """Base of the schedules.

    Parameters
    ----------
    optimizer : Optimizer
    last_epoch : int
        The step that was done last; -1 begins anew and takes the groups' rates as initial ones.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for index, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{index}] when resuming scheduler "
                    "with last_epoch >= 0.\nThis typically happens when:\n1. You're trying to resume "
                    "training from a checkpoint but haven't properly loaded the optimizer state\n2. You're "
                    "using last_epoch >= 0 for a fresh training run (not recommended)"
                )
        self.base_lrs: list[Any] = rates(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol, LRScheduler, "torch.optim.", _new)

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """Return the rates that the last step set."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`, one per group."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go to the next step, or to `epoch`, and set the rates."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warn(_EPOCH_DEPRECATED)
        self._update_lr(epoch)

    def _check_order(self) -> None:
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler "
                "initialization. Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. "
                + _SEE
            )
        elif not getattr(self.optimizer, "_opt_called", False):
            warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                "later, you should call them in the opposite order: `optimizer.step()` before "
                "`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first value "
                "of the learning rate schedule. " + _SEE
            )

    @contextmanager
    def _asking(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._asking():
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = getattr(self, "_get_closed_form_lr", None) if epoch is not None else None
            values = self.get_lr() if closed is None else closed()
        self._set(values)

    def _set(self, values: list[Any]) -> None:
        for group, value in zip(self.optimizer.param_groups, values, strict=True):
            set_option(group, "lr", value)
        self._last_lr: list[Any] = rates(self.optimizer)

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.")


def _new(module: str, name: str) -> Any:
    """Return an instance, without its attributes, of the schedule that torch has under a name."""
    cls = class_named(LRScheduler, module, name)
    return cls.__new__(cls)


class _LRScheduler(LRScheduler):
    """The old name of the base."""


def _watch_steps(optimizer: Any) -> None:
    """Let `step` note that it was called: a schedule warns when it is stepped first."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step = optimizer.step.__func__
    # A reference to the optimizer here would be a cycle: it would not be freed with its last name.
    reference = weakref.ref(optimizer)
    optimizer._opt_called = False

    @functools.wraps(step)
    def watched(*args: Any, **kwargs: Any) -> Any:
        own = reference()
        assert own is not None, "the bound step outlived its optimizer"
        own._opt_called = True
        return step(own, *args, **kwargs)

    watched._wrapped_by_lr_sched = True  # type: ignore[attr-defined]  # functions take attributes
    optimizer.step = watched
