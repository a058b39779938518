"""torch.optim.swa_utils: averages of a model's parameters over training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from ..autograd.grad_mode import no_grad
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from ..tensor.creation import tensor
from .cyclic import check_annealing
from .optimizer import Optimizer
from .scheduler import LRScheduler, per_group

__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn",
    "get_swa_multi_avg_fn", "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _inexact(x: Any) -> bool:
    return bool(x.is_floating_point() or x.is_complex())


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """Return a function that updates a list of exponential moving averages: a ← d·a + (1 − d)·p."""
    _check_decay(decay)

    @no_grad()
    def ema_update(averages: Sequence[Any], current: Sequence[Any], _: Any) -> None:
        for average, value in zip(averages, current, strict=True):
            if _inexact(averages[0]):
                average.lerp_(value, 1 - decay)
            else:
                average.copy_(average * decay + value * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """Return a function that updates a list of equal averages: a ← a + (p − a)/(n + 1)."""

    @no_grad()
    def swa_update(averages: Sequence[Any], current: Sequence[Any], num_averaged: Any) -> None:
        share = 1.0 / (int(num_averaged) + 1)
        for average, value in zip(averages, current, strict=True):
            if _inexact(averages[0]):
                average.lerp_(value, share)
            else:
                average.add_(value - average, alpha=share)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Any]:
    """Return a function of an exponential moving average: d·a + (1 − d)·p."""
    _check_decay(decay)

    @no_grad()
    def ema_update(average: Any, current: Any, num_averaged: Any) -> Any:
        return decay * average + (1 - decay) * current

    return ema_update


def get_swa_avg_fn() -> Callable[..., Any]:
    """Return a function of an equal average: a + (p − a)/(n + 1)."""

    @no_grad()
    def swa_update(average: Any, current: Any, num_averaged: Any) -> Any:
        return average + (current - average) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of those given to `update_parameters`.

    Parameters
    ----------
    model : Module
    device : optional
        Where the copy lives.
    avg_fn : callable, optional
        ``avg_fn(average, current, n)`` gives a new average; by default all count the same.
    multi_avg_fn : callable, optional
        ``multi_avg_fn(averages, current, n)`` updates lists of tensors in place.
    use_buffers : bool
        Average the buffers too, instead of copying them.
    """

    def __init__(
        self, model: Any, device: Any = None, avg_fn: Callable[..., Any] | None = None,
        multi_avg_fn: Callable[..., None] | None = None, use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Any) -> None:
        """Take the parameters of `model` into the averages."""
        own: Iterable[Any] = self.parameters()
        given: Iterable[Any] = model.parameters()
        if self.use_buffers:
            own = itertools.chain(self.module.parameters(), self.module.buffers())
            given = itertools.chain(model.parameters(), model.buffers())
        pairs = [(average.detach(), value.detach()) for average, value in zip(own, given)]
        if int(self.n_averaged) == 0:
            for average, value in pairs:
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in pairs:
                average.copy_(self.avg_fn(average, value, self.n_averaged))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            by_dtype: dict[Any, list[tuple[Any, Any]]] = {}
            for pair in pairs:
                by_dtype.setdefault(pair[0].dtype, []).append(pair)
            for alike in by_dtype.values():
                update([a for a, _ in alike], [v for _, v in alike], self.n_averaged)
        if not self.use_buffers:
            for buffer, value in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(value.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Any, device: Any = None) -> None:
    """Compute the running statistics of the batch norms anew, as averages over a pass through `loader`.

    A batch may be a tensor or a list or tuple that begins with one.
    """
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Anneal every group's rate to `swa_lr` in `anneal_epochs` steps and keep it (Izmailov et al. 2018)."""

    def __init__(
        self, optimizer: Optimizer, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        check_annealing(anneal_strategy)
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list[Any]:
        """Return the rates at this step, from those before."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        values = []
        for group in self.optimizer.param_groups:
            goal = group["swa_lr"]
            start = goal if before == 1 else (group["lr"] - before * goal) / (1 - before)
            values.append(goal * now + start * (1 - now))
        return values
