"""torch.nn.utils.stateless: `functional_call` by its old name, and as a block."""

from contextlib import AbstractContextManager
from typing import Any

from ...core.warn import warn
from ...func.functional_call import functional_call as call
from ...func.functional_call import reparametrized


def functional_call(
    module: Any, parameters_and_buffers: dict[str, Any], args: Any = None, kwargs: Any = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Return `torch.func.functional_call` for one dictionary; deprecated in favour of it."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a "
        "future version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in "
        "replacement.", FutureWarning
    )
    return call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _reparametrize_module(
    module: Any, parameters_and_buffers: dict[str, Any], tie_weights: bool = False, strict: bool = False,
    stack_weights: bool = False,
) -> AbstractContextManager[None]:  # fmt: skip
    """Return a block in which a module has other parameters and buffers; `stack_weights` says in which order
    they are put back, which makes no difference here.
    """
    return reparametrized(module, parameters_and_buffers, tie_weights, strict)


__all__ = ["functional_call"]
