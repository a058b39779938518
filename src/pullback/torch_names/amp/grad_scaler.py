"""Loss scaling: small gradients of low precision are kept from vanishing by a factor that adapts itself.

The factor multiplies the loss; before the step the gradients are divided by it, and a step whose gradients
are not all finite is left out. After each such step the factor shrinks, and it grows after many steps without
one.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from ...array import dtypes
from ...core.modes import change, modes, set_modes
from ...core.value import TensorBase, array_of, wrap


class OptState(Enum):
    """Name how far an optimizer is between two calls of `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scale losses, gradients back, and steps where the gradients are finite.

    Parameters
    ----------
    device : str
        ``"cpu"``; on ``"cuda"``, the default, it is disabled with a warning, because there is none.
    init_scale : float
        The first factor.
    growth_factor : float
        What the factor is multiplied by after `growth_interval` steps in a row with finite gradients.
    backoff_factor : float
        What it is multiplied by after a step that was left out.
    growth_interval : int
    enabled : bool
        Whether anything of this is done; a disabled scaler passes all through.
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:
        self._device = device
        if enabled and device == "cuda":
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2
            )
            enabled = False
        self._enabled = enabled
        if not enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Any = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Any = None
        self._per_optimizer_states: defaultdict[int, dict[str, Any]] = defaultdict(_fresh)

    def _check_begun(self, function: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {function} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def scale(self, outputs: Any) -> Any:
        """Multiply a tensor, or each in nested iterables, by the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, TensorBase):
            if self._scale is None:
                self._scale = wrap(np.asarray(self._init_scale, np.float32))
                self._growth_tracker = wrap(np.asarray(self._init_growth_tracker, np.int32))
            tensor: Any = outputs
            return tensor * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide an optimizer's gradients by the factor and note whether all are finite.

        Once between two calls of `update`; `step` does it where it was not done.
        """
        if not self._enabled:
            return
        self._check_begun("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = float(np.float32(1.0 / float(array_of(self._scale))))
        found = _unscale(optimizer, inverse)
        state["found_inf_per_device"] = {} if found is None else {"cpu": found}
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the optimizer's step where its gradients are finite, and return what it returns.

        Parameters
        ----------
        optimizer : Optimizer
        *args, **kwargs
            What its `step` takes, but no closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found = state["found_inf_per_device"].get("cpu")
        if found is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if found else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapt the factor to the steps since the last call, or set it.

        Parameters
        ----------
        new_scale : float or Tensor, optional
        """
        if not self._enabled:
            return
        self._check_begun("update")
        scale, tracker = array_of(self._scale), array_of(self._growth_tracker)
        if isinstance(new_scale, float):
            scale[...] = new_scale
        elif new_scale is not None:
            if new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                    "torch.FloatTensor with requires_grad=False."
                )
            scale[...] = array_of(new_scale).reshape(())
        else:
            found = [
                state["found_inf_per_device"]["cpu"] for state in self._per_optimizer_states.values()
                if state["found_inf_per_device"]
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                scale *= self._backoff_factor
                tracker[...] = 0
            else:
                tracker += 1
                if tracker == self._growth_interval:
                    grown = np.float32(scale * self._growth_factor)
                    if np.isfinite(grown):
                        scale[...] = grown
                    tracker[...] = 0
        self._per_optimizer_states = defaultdict(_fresh)

    def get_scale(self) -> float:
        """Return the factor; 1 where the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(array_of(self._scale))

    def get_growth_factor(self) -> float:
        """Return the factor of growth."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set it."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor of shrinking."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set it."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of steps to growth."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set it."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        tracker = self._growth_tracker
        return self._init_growth_tracker if tracker is None else int(array_of(tracker))

    def is_enabled(self) -> bool:
        """Return whether the scaler does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the factor, how it changes, and the steps since it last did; empty where disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            array_of(self._scale)[...] = self._init_scale
            array_of(self._growth_tracker)[...] = self._init_growth_tracker

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the "
                    "end after scaler.update()."
                )
            state |= {
                "_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker(),
                "_scale": None, "_growth_tracker": None,
            }
        return state


def _unscale(optimizer: Any, inverse: float) -> bool | None:
    """Multiply all gradients; whether some are not finite, None where there are none."""
    before = change(grad=False)
    found: bool | None = None
    try:
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if param.grad.dtype is dtypes.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                found = bool(found) or not bool(param.grad.isfinite().all())
                if inverse != 1.0:
                    param.grad.mul_(inverse)
    finally:
        set_modes(modes()._replace(grad=before.grad))
    return found
