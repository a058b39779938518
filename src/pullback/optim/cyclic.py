"""Define schedules that move the rate up and down, and the momentum the other way."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from functools import partial
from typing import Any

from .optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, per_group, set_option


def _begin_momentum(
    scheduler: Any, optimizer: Optimizer, base: Any, highest: Any, fresh: bool
) -> tuple[list[Any], list[Any]]:
    """Check that there is a momentum to cycle and set it to its highest value."""
    if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
        raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
    scheduler.use_beta1 = "betas" in optimizer.defaults
    low = per_group("base_momentum", optimizer, base)
    high = per_group("max_momentum", optimizer, highest)
    if fresh:
        for most, least, group in zip(high, low, optimizer.param_groups, strict=True):
            _set_momentum(group, most, scheduler.use_beta1)
            group["max_momentum"] = most
            group["base_momentum"] = least
    return low, high


def _set_momentum(group: dict[str, Any], value: float, beta: bool) -> None:
    if beta:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


class CyclicLR(LRScheduler):
    """Triangles between `base_lr` and `max_lr` (Smith 2017).

    `mode` is "triangular" (every cycle alike), "triangular2" (half the height each cycle) or "exp_range"
    (height gᵗ); `scale_fn` gives another height, of the cycle or of the step as `scale_mode` says.
    """

    #: Whether β₁ is the momentum.
    use_beta1: bool

    def __init__(
        self, optimizer: Optimizer, base_lr: Any, max_lr: Any, step_size_up: int = 2000,
        step_size_down: int | None = None, mode: str = "triangular", gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle",
        cycle_momentum: bool = True, base_momentum: Any = 0.8, max_momentum: Any = 0.9, last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", rate)
        self.max_lrs = per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = _begin_momentum(
                self, optimizer, base_momentum, max_momentum, last_epoch == -1
            )
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        heights: dict[str, Callable[[float], float]] = {
            "triangular": _same,
            "triangular2": _halving,
            "exp_range": partial(_power, self.gamma),
        }
        self._scale_fn_ref = heights[self.mode]
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"

    def scale_fn(self, x: float) -> float:
        """Return the height of a cycle, or of a step."""
        return (self._scale_fn_custom or self._scale_fn_ref)(x)

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`; the momenta are set on the way."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        share = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            ends = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, low, high in ends:
                _set_momentum(group, high - (high - low) * share * height, self.use_beta1)
        return [
            low + (high - low) * share * height
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """Return the attributes; of a `scale_fn` nothing if it is a function, else its own attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        function = state.pop("_scale_fn_custom")
        plain = function is None or isinstance(function, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else function.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave; a `scale_fn` that is a function stays."""
        own = state_dict.get("_scale_fn_custom")
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        if own is not None:
            self._scale_fn_custom.__dict__.update(own)
        self._init_scale_fn()


def _same(x: float) -> float:
    return 1.0


def _halving(x: float) -> float:
    return 1 / (2.0 ** (x - 1))


def _power(gamma: float, x: float) -> float:
    return gamma**x


class OneCycleLR(LRScheduler):
    """One cycle (Smith & Topin 2018): up to `max_lr`, down to far below where it began.

    The rate begins at max_lr/`div_factor`, is highest after the share `pct_start` of the steps and ends at
    the first rate divided by `final_div_factor`; with `three_phase` it goes down as it went up first.
    """

    #: Whether β₁ is the momentum.
    use_beta1: bool

    def __init__(
        self, optimizer: Optimizer, max_lr: Any, total_steps: int | None = None, epochs: int | None = None,
        steps_per_epoch: int | None = None, pct_start: float = 0.3, anneal_strategy: str = "cos",
        cycle_momentum: bool = True, base_momentum: Any = 0.85, max_momentum: Any = 0.95,
        div_factor: float = 25.0, final_div_factor: float = 1e4, three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        check_annealing(anneal_strategy)
        self._anneal_func_type = anneal_strategy
        highest = per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for rate, group in zip(highest, optimizer.param_groups, strict=True):
                group["initial_lr"] = rate / div_factor
                group["max_lr"] = rate
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            _begin_momentum(self, optimizer, base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _between(self, start: Any, end: Any, share: float) -> Any:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self) -> list[Any]:
        """Return the rates at `last_epoch`; the momenta are set on the way."""
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                f"{self.total_steps}"
            )
        start = 0.0
        *earlier, phase = self._schedule_phases
        for candidate in earlier:
            if self.last_epoch <= candidate["end_step"]:
                phase = candidate
                break
            start = candidate["end_step"]
        share = (self.last_epoch - start) / (phase["end_step"] - start)
        values = []
        for group in self.optimizer.param_groups:
            values.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                _set_momentum(group, self._between(*ends, share), self.use_beta1)
        return values


def check_annealing(strategy: str) -> None:
    """Refuse what is neither a cosine nor a line."""
    if strategy not in ("cos", "linear"):
        raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {strategy}")


def _steps(total: int | None, epochs: int | None, per_epoch: int | None) -> int:
    if total is not None:
        given = {"total_steps": total}
    elif epochs is not None and per_epoch is not None:
        given = {"epochs": epochs, "steps_per_epoch": per_epoch}
    else:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def _phases(share: float, steps: int, three: bool) -> list[dict[str, Any]]:
    """Return the last step of each phase and the options of a group between which it goes."""
    ends = [(float(share * steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
    if three:
        ends += [
            (float(2 * share * steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
            (steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
        ]
    else:
        ends += [(steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
    return [dict(zip(names, values, strict=True)) for values in ends]
