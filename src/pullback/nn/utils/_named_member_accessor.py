"""torch.nn.utils._named_member_accessor: one tensor of a module exchanged for another."""

from __future__ import annotations

from typing import Any

from ...tensor.tensor import Tensor
from ..modules.module import Module

__all__ = ["swap_tensor"]

#: Where nothing is, or shall be; None is what a parameter may be.
_MISSING: Any = object()


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
    if tensor is not _MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    for members in (module._parameters, module._buffers):
        if name in members:
            before = members.pop(name) if tensor is _MISSING else members[name]
            if tensor is not _MISSING:
                members[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before
