"""torch.nn.utils.stateless: `functional_call` by its old name, and as a block."""

from contextlib import AbstractContextManager
from typing import Any

from ...array.deferred_import import import_later
from ...core.warn import warn

_calls: Any = import_later("...func.functional_call", __package__)


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
    return _calls.functional_call(
        module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict
    )


def _reparametrize_module(
    module: Any, parameters_and_buffers: dict[str, Any], tie_weights: bool = False, strict: bool = False,
    stack_weights: bool = False,
) -> AbstractContextManager[None]:  # fmt: skip
    """Return a block in which a module has other parameters and buffers; `stack_weights` says in which order
    they are put back, which makes no difference here.
    """
    block: AbstractContextManager[None] = _calls.reparametrized(
        module, parameters_and_buffers, tie_weights, strict
    )
    return block


__all__ = ["functional_call"]
