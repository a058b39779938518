"""torch.nested: tensors of different sizes as one, in the strided layout."""

from collections.abc import Sequence
from typing import Any

from ..tensor import nested as of
from ..tensor.builtin import publish
from ..tensor.constants import strided
from ..tensor.creation import check_options
from ..tensor.tensor import Tensor
from .exclusions import answer_for


def nested_tensor(
    tensor_list: list[Any], *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Make a nested tensor, a leaf, of a list of tensors or of lists of numbers.

    Parameters
    ----------
    tensor_list : list
        Its elements have one rank; their values are copied.
    dtype : dtype, optional
        By default that of the first element.
    layout : layout, optional
        ``torch.strided``.

    Raises
    ------
    RuntimeError
        Where ranks differ, and for other layouts.
    """
    _check_layout(layout)
    check_options("nested_tensor", device, pin_memory)
    if not isinstance(tensor_list, list):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    return of.joined([of.tensor_of(part) for part in tensor_list], dtype).requires_grad_(requires_grad)


def as_nested_tensor(
    ts: Tensor | Sequence[Tensor], dtype: Any = None, device: Any = None, layout: Any = None
) -> Tensor:
    """Make a nested tensor of tensors, or of the rows of one, with their history."""
    _check_layout(layout)
    check_options("as_nested_tensor", device)
    if isinstance(ts, of.NestedTensor):
        raise RuntimeError("as_nested_tensor(): Converting between nested tensor layouts is not supported")
    parts = list(ts) if isinstance(ts, list | tuple) else ts.unbind() if isinstance(ts, Tensor) else [None]
    if not all(isinstance(part, Tensor) for part in parts):
        raise TypeError(
            "as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors "
        )
    return of.joined(parts, dtype)


def to_padded_tensor(input: Tensor, padding: float, output_size: Sequence[int] | None = None) -> Tensor:
    """Make a tensor ``(parts, *sizes)`` of a nested one; `padding` fills what its parts leave free.

    Parameters
    ----------
    input : nested tensor
    padding : number
    output_size : tuple of int, optional
        By default each axis is as long as that of the longest part.
    """
    if not isinstance(input, of.NestedTensor):
        raise NotImplementedError(
            "Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend. This could be "
            "because the operator doesn't exist for this backend, or was omitted during the selective/custom "
            "build process (if using custom build)."
        )
    return input.to_padded_tensor(padding, output_size)


def narrow(tensor: Tensor, dim: int, start: int, length: int, layout: Any = strided) -> Tensor:
    """Make a nested tensor of some rows of a tensor: those that ``tensor.narrow(0, start, length)`` has.

    Parameters
    ----------
    tensor : tensor
    dim : int
        0.
    start, length : int
    """
    _check_layout(layout)
    if not isinstance(start, int) or not isinstance(length, int):
        raise RuntimeError("start and length must be integers for the strided layout NT impl")
    if dim:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    return of.nested(tensor.narrow(0, start, length).unbind())


def _check_layout(layout: Any) -> None:
    if layout is not None and layout is not strided:
        raise RuntimeError(f"Specified layout is unsupported for nested tensors: {layout}")


answer_for(globals())


publish(globals(), "nested")

__all__ = ["as_nested_tensor", "narrow", "nested_tensor", "to_padded_tensor"]
