"""torch.autograd.forward_ad: tensors that carry a tangent within a level."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..core.dual import Dual, fresh_level
from ..core.value import TensorBase, shape_of, wrap
from ..tensor.batching import as_tensor

_stack: list[int] = []


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
    return len(_stack) - 1


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level."""
    if not _stack or level not in (None, len(_stack) - 1):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not "
            "supported."
        )
    _stack.pop()


def _current() -> int | None:
    return _stack[-1] if _stack else None


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """The tensor with a tangent of its shape and dtype."""
    current = _current()
    if current is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    if not isinstance(tensor, TensorBase):
        raise TypeError(
            "make_dual(): argument 'tensor' (position 1) must be Tensor, not " + type(tensor).__name__
        )
    primal: Any = tensor
    if not (primal.is_floating_point() or primal.is_complex()):
        raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")
    if not (tangent.is_floating_point() or tangent.is_complex()):
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    if shape_of(primal) != shape_of(tangent):
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, "
            f"this is not supported. Tensor is of size {list(shape_of(primal))} while the given forward "
            f"gradient is of size {list(shape_of(tangent))}."
        )
    return wrap(Dual(primal, tangent, current), None, current)


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """Primal and tangent; the tangent is None where there is none, and outside every level."""
    current = _current()
    value = tensor._value
    if current is not None and isinstance(value, Dual) and value._level == current:
        return UnpackedDualTensor(as_tensor(value.primal), as_tensor(value.tangent))
    return UnpackedDualTensor(tensor, None)


class dual_level:
    """Context manager around a level."""

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level()


__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]
