"""torch.nn.utils.init: make a module whose parameters are not drawn."""

import inspect
from typing import Any

from ...tensor.random import get_rng_state, set_rng_state
from ..modules.module import Module


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an instance of a module class whose parameters and buffers have undefined values.

    The random stream is left where it was.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    state = get_rng_state()
    try:
        made = module_cls(*args, device=device, **kwargs)
    finally:
        set_rng_state(state)
    return made.to_empty(device=device)


__all__ = ["skip_init"]
