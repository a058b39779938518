"""Scale losses: small gradients of low precision are kept from vanishing by a factor that adapts itself.

The factor multiplies the loss; before the step the gradients are divided by it, and a step whose gradients
are not all finite is left out. After each such step the factor shrinks, and it grows after many steps without
one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from ...array import dtypes
from ...core.modes import change, set_modes
from ...core.value import TensorBase
from ...core.warn import warn
from ...tensor.creation import full
from ...tensor.masks import where


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
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
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
        self._per_optimizer_states: defaultdict[Any, dict[str, Any]] = defaultdict(_fresh)

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
                self._scale = full((), self._init_scale, dtype=dtypes.float32)
                self._growth_tracker = full((), self._init_growth_tracker, dtype=dtypes.int32)
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
        state = self._per_optimizer_states[optimizer]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        found = _unscale(optimizer, self._scale.double().reciprocal().float())
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
        state = self._per_optimizer_states[optimizer]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if (found := state["found_inf_per_device"].get("cpu")) is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if found.item() else optimizer.step(*args, **kwargs)
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
        scale, tracker = self._scale, self._growth_tracker
        if isinstance(new_scale, float):
            scale.fill_(new_scale)
        elif new_scale is not None:
            if new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or "
                    "torch.FloatTensor with requires_grad=False."
                )
            scale.copy_(new_scale.reshape(()))
        else:
            found = [
                state["found_inf_per_device"]["cpu"] for state in self._per_optimizer_states.values()
                if state["found_inf_per_device"]
            ]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            failed = found[0]
            for more in found[1:]:
                failed = failed | more
            grown, due = scale * self._growth_factor, tracker + 1 == self._growth_interval
            kept = where(due & grown.isfinite(), grown, scale)
            scale.copy_(where(failed, scale * self._backoff_factor, kept))
            tracker.copy_(where(failed | due, 0, tracker + 1))
        self._per_optimizer_states.clear()

    def get_scale(self) -> float:
        """Return the factor; 1 where the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

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
        return self._init_growth_tracker if tracker is None else tracker.item()

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
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

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


def _unscale(optimizer: Any, inverse: Any) -> Any:
    """Multiply all gradients; whether some are not finite, None where there are none."""
    finite = None
    before = change(grad=False)
    try:
        for group in optimizer.param_groups:
            for param in group["params"]:
                if param.grad is None:
                    continue
                if param.grad.dtype is dtypes.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                own: Any = param.grad.isfinite().all()
                if hasattr(own, "full_tensor"):
                    own = own.full_tensor()
                finite = own if finite is None else finite & own
                param.grad.mul_(inverse)
    finally:
        set_modes(before)
    return None if finite is None else ~finite
