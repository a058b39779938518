"""Define schedules made of schedules, and the one that looks at a metric."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..core.warn import warn
from .optimizer import Optimizer
from .scheduler import _EPOCH_DEPRECATED, LRScheduler, check_optimizer, rates, set_option


class _Composed(LRScheduler):
    """Share the checks and the state of the schedules of schedules."""

    _schedulers: Sequence[LRScheduler]

    def _check_parts(self, optimizer: Any, schedulers: Sequence[Any]) -> None:
        own = type(self).__name__
        for index, part in enumerate(schedulers):
            if not hasattr(part, "optimizer"):
                raise TypeError(f"{own} at index {index} should have `optimizer` as its attribute.")
            if isinstance(part, ReduceLROnPlateau):
                raise ValueError(
                    f"{own} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                    f"to be specified when calling `step`, but got one at index {index} in the given "
                    "schedulers sequence."
                )
            if optimizer != part.optimizer:
                raise ValueError(
                    f"{own} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(part).__name__} at index {index} has {part.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes, and the state of each part."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "_schedulers")}
        state["_schedulers"] = [part.state_dict() for part in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for part, own in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            part.load_state_dict(own)


class SequentialLR(_Composed):
    """One schedule after the other; each begins at its milestone."""

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check_parts(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones to be equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Every part did its first step when it was made: take those back, then let the first do its own.
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take one step back in every part."""
        part = self if sched is None else sched
        if hasattr(part, "_schedulers"):
            for inner in part._schedulers:
                self.recursive_undo(inner)
        elif hasattr(part, "last_epoch"):
            part.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]  # torch's takes no epoch here
        """Do a step of the part whose turn it is."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        part = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            part._update_lr(0)
        else:
            part.step()
        self._last_lr = part.get_last_lr()


class ChainedScheduler(_Composed):
    """All schedules at every step, one on the other's rates."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        optimizer = optimizer or schedulers[0].optimizer
        self._check_parts(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = rates(schedulers[-1].optimizer)

    def step(self) -> None:  # type: ignore[override]  # torch's takes no epoch here
        """Do a step of every part."""
        for part in self._schedulers:
            part.step()
        self._last_lr = rates(self._schedulers[-1].optimizer)


class ReduceLROnPlateau(LRScheduler):
    """A factor on the rate when a metric has not improved for `patience` steps.

    Better means below best·(1 − threshold) or best − threshold ("rel" or "abs"), for "max" above. After a
    reduction `cooldown` steps are not counted.
    """

    def __init__(
        self, optimizer: Optimizer, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
        eps: float = 1e-8,
    ) -> None:  # fmt: skip
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = optimizer.param_groups
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != len(groups):
                raise ValueError(f"expected {len(groups)} min_lrs, got {len(min_lr)}")
            self.default_min_lr = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * len(groups)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = rates(optimizer)
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self._reset()

    def _reset(self) -> None:
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as torch's
        """Look at the metric; lower the rates if it has not improved for too long."""
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warn(_EPOCH_DEPRECATED)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = rates(self.optimizer)

    def _reduce_lr(self, epoch: int) -> None:
        if len(groups := self.optimizer.param_groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param "
                    "group being added to the optimizer. Please modify the `min_lrs` field to match the "
                    "length of the `optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_option(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Return whether the last reduction is less than `cooldown` steps ago."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            return (
                a < best * (1.0 - self.threshold) if self.mode == "min" else a > best * (self.threshold + 1.0)
            )
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold
