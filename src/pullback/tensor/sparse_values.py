"""What all sparse tensors have in common: values that have their history, and no elements beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..array import dtypes
from ..core.value import InnerValue, array_of
from .printing import contents_text, printing_options
from .tensor import NO_LEAF, Tensor

Function = Callable[..., Any]


class NoElements(InnerValue):
    """Stands where a dense tensor has its array: it has a shape and a dtype, and gives no elements."""

    __array_ufunc__ = None

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype = shape, dtype

    @classmethod
    def run(cls, op: Any, inputs: tuple[Any, ...], attrs: tuple[Any, ...], level: int) -> NoReturn:
        """No op runs on what is not there."""
        refuse(op.name)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")


class ValuedTensor(Tensor):
    """A tensor whose history, and whose gradient, is that of the values that it holds."""

    _what: Any
    #: Whether the program asked for its gradient, not for that of its values.
    _asked = False

    def _nnz(self) -> int:
        raise NotImplementedError

    def _with_values(self, values: Any) -> Any:
        """Return a tensor with the same places and other values."""
        raise NotImplementedError

    def _at_places(self, dense: Any) -> Any:
        """The elements of a dense tensor at the places of this one, in the shape of its values."""
        raise NotImplementedError

    def _pulled_back(self, covector: Any) -> Any:
        """The covector of the values, from that of this tensor."""
        return covector._what if type(covector) is type(self) else self._at_places(covector)

    # As in torch it is no leaf where its values were given with their history.
    is_leaf = property(lambda self: self._asked or not self._what.requires_grad)
    data = property(lambda self: self.detach())

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are found for its values."""
        return bool(self._what.requires_grad)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Ask for the gradient of its values, or for none."""
        if bool(requires_grad) is not self.requires_grad:
            if not self.is_leaf:
                raise RuntimeError(NO_LEAF)
            self._what = self._what.detach().requires_grad_(requires_grad)
            self._asked = bool(requires_grad)
        return self

    @property
    def grad_fn(self) -> Any:
        """The node of the values."""
        return self._what.grad_fn

    @property
    def grad(self) -> Any:
        """The gradient, at the places of this tensor."""
        found = self._what.grad if self.is_leaf else None
        return None if found is None else self._with_values(found)

    @grad.setter
    def grad(self, value: Any) -> None:
        if value is not None and type(value) is not type(self):
            raise RuntimeError(
                "attempting to assign a gradient to a tensor that has data of a different type"
            )
        self._what.grad = None if value is None else value._what

    def detach(self) -> Any:
        """The same entries without history."""
        return self._with_values(self._what.detach())

    def _suffixes(self) -> list[str]:
        """What it prints of itself behind its parts."""
        parts = [f"size={tuple(self.shape)}", f"nnz={self._nnz()}"]
        parts += [kind] if (kind := shown_dtype(self._what)) else []
        parts.append(f"layout={self.layout}")
        if self.requires_grad:
            parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>" if self.grad_fn else "requires_grad=True")
        return parts


def written(handler: Function, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any:
    """Call a function, and put what it returns into ``out=`` where that is given."""
    options = dict(kwargs or {})
    out = options.pop("out", None)
    result = handler(*args, **options)
    if out is None:
        return result
    if isinstance(out, ValuedTensor):
        vars(out).update(vars(result))
        return out
    return (out if out.shape == result.shape else out.resize_(result.shape)).copy_(result)


def shown_part(name: str, value: Any) -> str:
    """How a sparse tensor prints one of its parts."""
    begin = f"{name}=tensor("
    if 0 in value.shape:
        return f"{begin}[], size={tuple(value.shape)})"
    array = array_of(value.detach())
    text = contents_text(array, value.dtype, len("tensor(") + len(begin), printing_options())
    return f"{begin}{text})"


def shown_dtype(values: Any) -> str:
    """Return what a sparse tensor prints of the dtype of its values; nothing where it goes without saying."""
    kind, usual = values.dtype, dtypes.get_default_dtype()
    plain = kind in (usual, usual.to_complex(), dtypes.int64, dtypes.bool)
    return "" if plain else f"dtype={kind}"


def refuse(name: str) -> NoReturn:
    """Raise torch's error for an op without a form for sparse tensors."""
    in_backend(name, "SparseCPU")


def in_backend(name: str, backend: str) -> NoReturn:
    """Raise torch's error for an op that a backend does not have."""
    raise NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because "
        "the operator doesn't exist for this backend, or was omitted during the selective/custom build "
        "process (if using custom build)."
    )
