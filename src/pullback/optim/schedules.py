"""Define schedules with a formula for the rate at each step."""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..errors import name_constructors
from .optimizer import Optimizer
from .scheduler import LRScheduler, rates


class _OfFunctions(LRScheduler):
    """Share the functions, one per group, and the state of the two schedules from the user's functions."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        groups = optimizer.param_groups
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas: list[Callable[[int], float]] = [lr_lambda] * len(groups)
        elif len(lr_lambda) != len(groups):
            raise ValueError(f"Expected {len(groups)} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        self._check()
        super().__init__(optimizer, last_epoch)

    def _check(self) -> None:
        """Check nothing in general."""

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes; of functions nothing, of other callables their own attributes."""
        state = {k: v for k, v in self.__dict__.items() if k not in ("optimizer", "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave; functions stay as they are."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for function, own in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=True):
            if own is not None:
                function.__dict__.update(own)


class LambdaLR(_OfFunctions):
    """γₜ = γ₀·f(t), one function f for all groups or a list of them."""

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`."""
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * function(self.last_epoch) for function, base in pairs]


class MultiplicativeLR(_OfFunctions):
    """γₜ = γₜ₋₁·f(t)."""

    def _check(self) -> None:
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"lr_lambda should be a function, but got {type(function).__name__}")

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`."""
        self._warn_outside_step()
        if self._is_initial:
            return rates(self.optimizer)
        pairs = zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        return [group["lr"] * function(self.last_epoch) for function, group in pairs]


class _ByFactor(LRScheduler):
    """A schedule that multiplies every group's rate by a common factor at each step."""

    def _factor(self) -> float | None:
        """Return the factor from the last step to `last_epoch`; None where the rates stay."""
        raise NotImplementedError

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`."""
        self._warn_outside_step()
        if (factor := self._factor()) is None:
            return rates(self.optimizer)
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class StepLR(_ByFactor):
    """γ₀·g^⌊t/s⌋: a factor `gamma` every `step_size` steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self.last_epoch == 0 or self.last_epoch % self.step_size else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(_ByFactor):
    """A factor `gamma` at each of the milestones."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        count = self.milestones.get(self.last_epoch)
        return None if count is None else self.gamma**count

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(_ByFactor):
    """γ₀ times a factor for the first `total_iters` steps, then γ₀."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(_ByFactor):
    """γ₀ times a factor that goes in a line from `start_factor` to `end_factor` in `total_iters` steps."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        total_iters: int = 5, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise)

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        share = self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * share for base in self.base_lrs]


class ExponentialLR(_ByFactor):
    """γ₀·gᵗ."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        return None if self._is_initial else self.gamma

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(_ByFactor):
    """γ₀·(1 − t/T)^power for T = `total_iters` steps, then 0."""

    def __init__(
        self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self) -> float | None:
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        left = (1.0 - self.last_epoch / self.total_iters) / (1.0 - (self.last_epoch - 1) / self.total_iters)
        return left**self.power

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """η + (γ₀ − η)·(1 + cos(π·t/T))/2 (Loshchilov & Hutter 2017), written as a recursion in the rate, so that
    other schedules may change the rate meanwhile; η is `eta_min`.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`."""
        self._warn_outside_step()
        if self._is_initial:
            return rates(self.optimizer)
        t, period, low = self.last_epoch, self.T_max, self.eta_min
        if self._step_count == 1 and t > 0:
            return self._get_closed_form_lr()
        groups = self.optimizer.param_groups
        if (t - 1 - period) % (2 * period) == 0:
            # From the lowest point the recursion would divide by 1 + cos(π) = 0.
            rise = (1 - math.cos(math.pi / period)) / 2
            return [
                group["lr"] + (base - low) * rise
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        ratio = (1 + math.cos(math.pi * t / period)) / (1 + math.cos(math.pi * (t - 1) / period))
        return [ratio * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """SGDR (Loshchilov & Hutter 2017): cosine annealing that begins anew after T₀, T₀·m, T₀·m², … steps.

    `step` may be given a fraction of an epoch.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates at `T_cur` steps after the last restart."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go to the next step, or to an epoch that may be a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            m = self.T_mult
            n = int(math.log(epoch / self.T_0 * (m - 1) + 1, m))
            self.T_cur = epoch - self.T_0 * (m**n - 1) / (m - 1)
            self.T_i = self.T_0 * m**n
        self.last_epoch = math.floor(epoch)
        with self._asking():
            values = self.get_lr()
        self._set(values)


name_constructors(vars(), _OfFunctions)
