"""Nested tensors: tensors of one rank and different sizes, handled as one (``torch.nested``, strided layout).

A `NestedTensor` holds its parts as ordinary tensors with their history, so that derivatives are theirs. The
functions that torch has for nested tensors run part by part; all others are refused as torch refuses them.
Two things differ from torch, which keeps all parts in one storage: `values` is a copy, and `autograd.grad`
takes parts, not nested tensors (`backward` fills ``.grad`` as in torch).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..core.value import InnerValue, dtype_of, wrap
from .backward import backward
from .constants import strided
from .data import array_from
from .interception import OVERRIDING
from .join import cat, stack
from .padding import constant_pad_nd
from .sizes import integer
from .sparse import OneElement
from .sparse_refusals import no_kernel
from .tensor import Tensor, checked_dim

Function = Callable[..., Any]

_NO_SIZES = "Internal error: NestedTensorImpl doesn't support sizes. Please file an issue."
_NO_STRIDES = "Internal error: NestedTensorImpl doesn't support strides. Please file an issue."


class _Parts(InnerValue):
    """Stand where other tensors have their array: it has a dtype, but no sizes."""

    __array_ufunc__ = None
    dtype: np.dtype[Any]

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype

    @property
    def shape(self) -> NoReturn:
        raise RuntimeError(_NO_SIZES)

    @classmethod
    def run(cls, op: Any, inputs: tuple[object, ...], attrs: tuple[object, ...], level: int) -> NoReturn:
        """Refuse an op, as none runs on the parts at once."""
        refuse(op.name)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(_NO_SIZES)


class NestedTensor(OneElement, Tensor):
    """Tensors of one rank, its parts, under one leading axis."""

    _overrides_once_made = True
    _parts: tuple[Any, ...]
    _count = property(lambda self: self.numel())
    _dense = property(lambda self: self.values())

    @classmethod
    def __torch_function__(
        cls, func: Function, types: Iterable[type], args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        from .nested_functions import RULES

        if (rule := RULES.get(func.__name__)) is None:
            refuse(func.__name__)
        return rule(func, *args, **(kwargs or {}))

    # --- sizes ----------------------------------------------------------------------------------------------

    is_nested = property(lambda self: True)
    layout = property(lambda self: strided)
    ndim = property(lambda self: self.dim())
    nbytes = property(lambda self: sum(part.nbytes for part in self._parts))

    @property
    def shape(self) -> NoReturn:
        """Raise torch's error: see `size`."""
        raise RuntimeError(_NO_SIZES)

    def size(self, dim: int | None = None) -> Any:
        """Return the size of one axis, which all parts must have alike."""
        if dim is None:
            raise RuntimeError(_NO_SIZES)
        if not (axis := checked_dim(integer("size", "dim", 1, dim), self.dim())):
            return len(self._parts)
        sizes = {part.shape[axis - 1] for part in self._parts}
        if len(sizes) != 1:
            raise RuntimeError(f"Given dimension {axis} is irregular and does not have a size.")
        return sizes.pop()

    def dim(self) -> int:
        """Return the number of axes, that of the parts included."""
        return 1 + (self._parts[0].dim() if self._parts else 0)

    def numel(self) -> int:
        """Return the number of elements in all parts."""
        return sum(part.numel() for part in self._parts)

    nelement = numel

    def stride(self, *_: Any) -> NoReturn:
        """Raise torch's error."""
        raise RuntimeError(_NO_STRIDES)

    def is_contiguous(self, *_: Any, **__: Any) -> bool:
        """Return whether every part is."""
        return all(part.is_contiguous() for part in self._parts)

    def sizes(self) -> list[tuple[int, ...]]:
        """Return the sizes of the parts."""
        return [tuple(part.shape) for part in self._parts]

    def is_same_size(self, other: Any) -> bool:
        """Return whether the parts of the two have the same sizes, one by one."""
        return isinstance(other, NestedTensor) and self.sizes() == other.sizes()

    def _nested_tensor_size(self) -> Any:
        return _table([part.shape for part in self._parts])

    def _nested_tensor_strides(self) -> Any:
        return _table([part.stride() for part in self._parts])

    def _nested_tensor_storage_offsets(self) -> Any:
        return wrap(np.cumsum([0, *(part.numel() for part in self._parts)], dtype=np.int64)[:-1])

    # --- parts ----------------------------------------------------------------------------------------------

    def part(self, index: int) -> Any:
        """Return the part at a place, or torch's error."""
        count = len(self._parts)
        if not -count <= index < count:
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {count}")
        return self._parts[index]

    def unbind(self, dim: int = 0) -> tuple[Any, ...]:
        """Return the parts."""
        if dim:
            raise RuntimeError(
                f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead."
            )
        return self._parts

    def values(self) -> Any:
        """Return the elements of all parts, one after the other."""
        if not self._parts:
            return wrap(np.empty(0, dtype_of(self)))
        return cat([part.reshape(-1) for part in self._parts])

    def to_padded_tensor(self, padding: float, output_size: Sequence[int] | None = None) -> Any:
        """Return a tensor ``(parts, *sizes)`` in which `padding` fills what the parts leave free.

        Parameters
        ----------
        padding : number
        output_size : tuple of int, optional
            By default each axis is as long as that of the longest part.
        """
        if not self._parts:
            return wrap(np.empty(0, dtype_of(self)))
        least = (len(self._parts), *(max(sizes) for sizes in zip(*self.sizes(), strict=True)))
        size = least if output_size is None else tuple(output_size)
        if len(size) != len(least):
            raise RuntimeError(
                "Length of output_size does not match NestedTensor dims. Broadcasting is not supported."
            )
        if any(n < m for n, m in zip(size, least, strict=True)):
            raise RuntimeError(
                "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
            )
        padded = stack([_padded(part, size[1:], padding) for part in self._parts])
        return _padded(padded, size, padding)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple) and index and index[0] is Ellipsis and len(index) == 2:
            return self.select(-1 % self.dim(), index[1])
        first, *rest = index if isinstance(index, tuple) else (index,)
        if first is None or first is True:
            return self.unsqueeze(0)
        if isinstance(first, Tensor) and not first.shape:
            first = int(first)
        if not isinstance(first, int) or isinstance(first, bool):
            refuse("slice.Tensor")
        part = self.part(first)
        return part[tuple(rest)] if rest else part

    mT = property(lambda self: self.transpose(-2, -1))
    T = property(lambda self: refuse("permute"))

    def copy_(self, source: Any, non_blocking: bool = False) -> NestedTensor:
        """Take the values of a nested tensor of the same sizes."""
        if not isinstance(source, NestedTensor):
            raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
        if self.sizes() != source.sizes():
            raise RuntimeError(
                "copy_ only supports tensors that are the same size for Nested implementations"
            )
        for part, other in zip(self._parts, source._parts, strict=True):
            part.copy_(other)
        return self

    def fill_(self, value: Any) -> NestedTensor:
        """Fill all parts with a number."""
        for part in self._parts:
            part.fill_(value)
        return self

    def is_pinned(self, *_: Any) -> bool:
        """Return False: there is no accelerator."""
        return False

    def __setitem__(self, index: Any, value: Any) -> None:
        self[index].copy_(value)

    def __len__(self) -> NoReturn:
        raise RuntimeError(_NO_SIZES)

    def __iter__(self) -> NoReturn:
        raise RuntimeError(_NO_SIZES)

    # --- history --------------------------------------------------------------------------------------------

    is_leaf = property(lambda self: all(part.is_leaf for part in self._parts))
    data = property(lambda self: self.detach())

    @property
    def requires_grad(self) -> bool:
        """Return whether a part does."""
        return any(part.requires_grad for part in self._parts)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    def requires_grad_(self, requires_grad: bool = True) -> NestedTensor:
        """Say whether the parts, which are leaves, require grad."""
        for part in self._parts:
            part.requires_grad_(requires_grad)
        return self

    @property
    def grad(self) -> Any:
        """Return the gradients of the parts, as a nested tensor; zeros where only others have one."""
        grads = [part.grad for part in self._parts] if self.is_leaf else []
        if all(grad is None for grad in grads):
            return None
        return nested([
            part.detach().new_zeros(part.shape) if grad is None else grad
            for part, grad in zip(self._parts, grads, strict=True)
        ])

    @grad.setter
    def grad(self, value: Any) -> None:
        for i, part in enumerate(self._parts):
            part.grad = None if value is None else value._parts[i]

    @property
    def grad_fn(self) -> Any:
        """Return the node of the first part."""
        return self._parts[0].grad_fn if self._parts else None

    def detach(self) -> NestedTensor:
        """Return the same parts without history."""
        return nested([part.detach() for part in self._parts])

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Pull a nested covector of the same sizes back, part by part, into the ``.grad`` of leaves.

        Raises torch's RuntimeError for a covector that is missing, not nested, or of other sizes.
        """
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if not isinstance(gradient, NestedTensor):
            raise RuntimeError(
                "Expected both self and other to be nested tensors. Self is nested. While Other is not "
                "nested."
            )
        if not self.is_same_size(gradient):
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {gradient._nested_tensor_size()} and "
                f"output[0] has a shape of {self._nested_tensor_size()}."
            )
        pairs = [(y, v) for y, v in zip(self._parts, gradient._parts, strict=True) if y.requires_grad]
        backward([y for y, _ in pairs], [v for _, v in pairs], retain_graph, create_graph, inputs=inputs)

    # --- as Python sees it ----------------------------------------------------------------------------------

    def numpy(self, *_: Any, **__: Any) -> NoReturn:
        """Raise torch's error: ask for the parts."""
        raise RuntimeError(_NO_SIZES)

    def tolist(self) -> NoReturn:
        """Raise torch's error: ask for the parts."""
        raise RuntimeError(_NO_STRIDES)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        ending = ""
        if self.requires_grad:
            ending = ", requires_grad=True"
            if self.grad_fn is not None:
                ending = f", grad_fn=<{type(self.grad_fn).__name__}>"
        texts = []
        for part in self._parts:
            shown = part.detach()
            texts.append("  " + repr(shown.requires_grad_() if ending else shown).replace("\n", "\n  "))
        return "nested_tensor([\n" + ",\n".join(texts) + f"\n]{ending})"

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        refuse("new_empty")

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restored, ([part.detach() for part in self._parts], self.requires_grad)


NestedTensor.__name__ = NestedTensor.__qualname__ = "Tensor"
NestedTensor.__module__ = "torch"


def refuse(name: str) -> NoReturn:
    """Raise torch's error for an op without a form for nested tensors."""
    raise no_kernel(name, "NestedTensorCPU")


# --- making them --------------------------------------------------------------------------------------------


def nested(parts: Sequence[Any], dtype: np.dtype[Any] | None = None) -> Any:
    """Return a nested tensor of parts, which are not looked at."""
    OVERRIDING.add(NestedTensor)
    kind = dtype or (dtype_of(parts[0]) if parts else np.dtype(np.float32))
    made: Any = wrap(_Parts(kind))
    made.__class__ = NestedTensor
    made._parts = tuple(parts)
    return made


def _restored(parts: list[Any], requires_grad: bool) -> Any:
    return nested(parts).requires_grad_(requires_grad)


def joined(parts: Sequence[Any], dtype: Any = None) -> Any:
    """Return a nested tensor of copies of tensors, with history, in the dtype of the first or in `dtype`."""
    for i, part in enumerate(parts):
        if part.dim() != parts[0].dim():
            raise RuntimeError(
                "All Tensors given to nested_tensor must have the same dimension. Found dimension "
                f"{part.dim()} for Tensor at index {i} and dimension {parts[0].dim()} for Tensor at index 0."
            )
    kind = dtype or (parts[0].dtype if parts else None)
    return nested([part.to(kind, copy=True).contiguous() for part in parts])


def tensor_of(data: Any) -> Any:
    """Return the part of a list as a tensor without history; numbers are read as by `torch.tensor`."""
    return data.detach() if isinstance(data, Tensor) else wrap(array_from(data, None))


def _table(rows: Sequence[Sequence[int]]) -> Any:
    return wrap(np.array([tuple(row) for row in rows], np.int64).reshape(len(rows), -1))


def _padded(x: Any, size: Sequence[int], padding: float) -> Any:
    ends = [(0, n - m) for n, m in zip(size, x.shape, strict=True)]
    return constant_pad_nd(x, [n for pair in reversed(ends) for n in pair], padding)
