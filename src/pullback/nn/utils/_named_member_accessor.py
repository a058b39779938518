"""torch.nn.utils._named_member_accessor: one tensor of a module exchanged for another."""

from typing import Any

from ...func.functional_call import ABSENT as _MISSING  # noqa: F401  # libraries ask with it
from ...func.functional_call import swap
from ..modules.module import Module

__all__ = ["swap_tensor"]


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Put a tensor in the place of a module's parameter, buffer or attribute and return what was there.

    Parameters
    ----------
    module : Module
    name : str
        A name of the module's own, without dots.
    tensor : Tensor or None
    allow_missing : bool
        Whether there may be nothing in that place yet.

    Raises
    ------
    KeyError
        For a name with a dot, or an empty one.
    TypeError
        For what is no module, no tensor, or the name of something else.
    AttributeError
        Where nothing has that name.
    """
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name and not allow_missing and not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return swap(module, name, tensor)
