"""torch.autograd.forward_ad: tensors that carry a tangent within a level."""

from typing import Any

from ..array.named_tuples import NamedTuple
from ..core.levels import Level, fresh_level
from ..core.modes import change, modes
from ..core.value import TensorBase, shape_of
from ..ops.structure import reshape_view
from ..tensor import duals
from ..tensor.batching import as_tensor
from ..torch_names.exclusions import no_attribute
from .grad_mode import _DecoratorContextManager

_stack: list[Level] = []


class UnpackedDualTensor(NamedTuple):
    """A primal and its tangent, or None."""

    primal: Any
    tangent: Any


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def enter_dual_level() -> int:
    """Open a level; one may be open at a time."""
    if _stack:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    _stack.append(fresh_level())
    change(transform=_stack[-1])
    return len(_stack) - 1


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; its duals lose their tangents."""
    if level not in (None, len(_stack) - 1):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not "
            "supported."
        )
    if not _stack:
        raise RuntimeError("Dual level must be a positive number.")
    _stack.pop().ended = True
    change(transform=0)


def is_open(level: int) -> bool:
    """Return whether a level is the open one (and not a transform's)."""
    return bool(_stack) and _stack[-1] == level


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """Return the tensor with a tangent of its shape.

    Parameters
    ----------
    tensor, tangent : Tensor
        Floating or complex, of one shape; neither with a tangent of its own at the level.
    level : int, optional
        The level that is open, which is the default.
    """
    if not _stack:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    current = _stack[-1]
    for value in (tensor, tangent):
        if not isinstance(value, TensorBase):
            raise AttributeError(f"'{type(value).__name__}' object has no attribute 'is_floating_point'")
    if duals.tangent_of(tensor, current) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level "
            f"{len(_stack) - 1} is not supported."
        )
    if duals.tangent_of(tangent, current) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same "
            f"level{len(_stack) - 1} is not supported."
        )
    dual = duals.make_dual(tensor, tangent, current)
    if tensor.requires_grad and modes().grad:
        # Reverse mode is recorded above the level, too: gradients there carry tangents.
        dual._node = reshape_view(tensor, shape_of(tensor))._node
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the primal and tangent; the tangent is None where there is none, and outside every level."""
    if not _stack:
        return UnpackedDualTensor(tensor, None)
    tangent = duals.tangent_of(tensor, _stack[-1])
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(as_tensor(tensor._value.primal), tangent)


class dual_level(_DecoratorContextManager):
    """Context manager around a level, and a decorator."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


def __getattr__(name: str) -> Any:
    if name == "_current_level":  # by which libraries ask whether a level is open
        return len(_stack) - 1
    raise no_attribute("module 'torch.autograd.forward_ad'", "torch.autograd.forward_ad", name, __all__)


__all__ = [
    "UnpackedDualTensor", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual", "dual_level",
]
