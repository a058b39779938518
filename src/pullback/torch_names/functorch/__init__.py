"""functorch: the package that torch installs beside itself, whose functions are `torch.func`'s by now.

Programs written before torch 2.0 import it. Each function says, as torch's does, what took its place, and
then is that. Modules are made functions here in the older way: the state is a tuple, and the function is a
module that has none (`make_functional`).
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from ... import func
from ...core.warn import warn
from ..version import __version__ as __version__
from . import modules
from .modules import FunctionalModule as FunctionalModule
from .modules import FunctionalModuleWithBuffers as FunctionalModuleWithBuffers


def _deprecated(function: Callable[..., Any], successor: str) -> Callable[..., Any]:
    """Return the function with torch's warning before each call."""
    text = (
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{function.__name__}` is deprecated as of PyTorch 2.0 and will be deleted in a future "
        f"version of PyTorch >= 2.3. Please use `{successor}` instead; see the PyTorch 2.0 release notes "
        "and/or the `torch.func` migration guide for more details "
        "https://pytorch.org/docs/main/func.migrating.html"
    )

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warn(text, FutureWarning)
        return function(*args, **kwargs)

    return call


vmap = _deprecated(func.vmap, "torch.vmap")
grad = _deprecated(func.grad, "torch.func.grad")
grad_and_value = _deprecated(func.grad_and_value, "torch.func.grad_and_value")
vjp = _deprecated(func.vjp, "torch.func.vjp")
jvp = _deprecated(func.jvp, "torch.func.jvp")
jacrev = _deprecated(func.jacrev, "torch.func.jacrev")
jacfwd = _deprecated(func.jacfwd, "torch.func.jacfwd")
hessian = _deprecated(func.hessian, "torch.func.hessian")
functionalize = _deprecated(func.functionalize, "torch.func.functionalize")
make_functional = _deprecated(modules.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _deprecated(modules.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _deprecated(modules.combine_state_for_ensemble, "torch.func.stack_module_state")
