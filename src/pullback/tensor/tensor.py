"""The facade: the one class of tensors that users hold.

It adds names to the mechanism and no mathematics. Attributes of the data (shape, dtype, strides) and of the graph
(`requires_grad`, `grad`, `grad_fn`, hooks) are here; operators and functions are attached from their declarations by
`tensor/__init__`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from .. import dtypes, graph_errors
from .. import graph_errors as errors
from ..array.strides import strides_of
from ..core import hooks as node_hooks
from ..core import inplace
from ..core.batched import Batched
from ..core.calls import DIFFERENTIABLE
from ..core.dual import Dual
from ..core.modes import modes
from ..core.node import LEAF, Node, Output, edge_target
from ..core.value import TensorBase, array_of, dtype_of, register_facade, shape_of, wrap, wrap_alias
from ..core.views import bring_up_to_date
from ..device import device
from ..size import Size
from .backward import backward as run_backward
from .backward import run_plain

_CPU = device("cpu")


def readonly(get: Callable[[Any], Any]) -> property:
    """A property whose refusal to be set is torch's."""

    def refuse(self: Any, value: Any) -> None:
        raise AttributeError(f"attribute '{get.__name__}' of 'torch._C.TensorBase' objects is not writable")

    return property(get, refuse)


class Tensor(TensorBase):
    """A multi-dimensional array that remembers how it was computed."""

    __slots__ = ()

    # --- data ---------------------------------------------------------------------------------------------------------

    @readonly
    def shape(self) -> Size:
        """The sizes of the axes."""
        return Size(shape_of(self))

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis."""
        shape = shape_of(self)
        if dim is None:
            return Size(shape)
        return shape[checked_dim(dim, len(shape))]

    def dim(self) -> int:
        """Number of axes."""
        return len(shape_of(self))

    ndimension = dim
    ndim = readonly(dim)

    def numel(self) -> int:
        """Number of elements."""
        return int(np.prod(shape_of(self), dtype=np.int64))

    nelement = numel

    @readonly
    def dtype(self) -> dtypes.dtype:
        """The element type."""
        return dtypes.from_numpy_dtype(dtype_of(self))

    @readonly
    def device(self) -> device:
        """Always the CPU."""
        return _CPU

    @readonly
    def itemsize(self) -> int:
        """Bytes per element."""
        return dtype_of(self).itemsize

    def element_size(self) -> int:
        """Bytes per element."""
        return dtype_of(self).itemsize

    @readonly
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel() * self.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Elements to step over along each axis, or along one."""
        strides = strides_of(array_of(self))
        return strides if dim is None else strides[checked_dim(dim, len(strides))]

    # --- the graph ----------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether ops on this tensor are recorded."""
        if self._view is not None:
            bring_up_to_date(self)
        if self._node is not None:
            return True
        inner = self._value
        return self._level > 0 and getattr(getattr(inner, "primal", inner), "requires_grad", False)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether this leaf collects gradients; return it."""
        if not requires_grad:
            if self._node is not None and self._node is not LEAF:
                raise RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
                    "in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                )
            self._node = None
            return self
        if self._node is None:
            if dtype_of(self) not in DIFFERENTIABLE:
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            if self._inference and not modes().inference:
                raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
            self._node = LEAF
        return self

    @readonly
    def is_leaf(self) -> bool:
        """Whether `backward` ends here: made by the user, or not recorded."""
        if self._view is not None:
            bring_up_to_date(self)
        return self._node is None or self._node is LEAF

    @readonly
    def grad_fn(self) -> Node | None:
        """The node that made this tensor; None for a leaf."""
        if self._view is not None:
            bring_up_to_date(self)
        node = self._node
        return None if node is None or node is LEAF else edge_target(node)[0]

    @readonly
    def output_nr(self) -> int:
        """Which output of `grad_fn` this tensor is."""
        return self._node.index if type(self._node) is Output else 0

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` accumulated; None at first."""
        if self._grad is None and self._node is not None and self._node is not LEAF and not self._retained:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't "
                "be populated during autograd.backward(). If you indeed want the .grad field to be populated for a "
                "non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by "
                "mistake, make sure you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
                "more informations.",
                UserWarning,
                stacklevel=2,
            )
        return self._grad  # type: ignore[no-any-return]  # a class-level default

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, TensorBase):
                raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value)}")
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if dtype_of(value) != dtype_of(self):
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{errors.type_word(dtype_of(value)).lower()}' to a "
                    f"tensor with grad_dtype '{errors.type_word(dtype_of(self)).lower()}'. The gradient must match the "
                    "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute "
                    "with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes "
                    "of a tensor and its gradient may break downstream systems that assume they match."
                )
            if shape_of(value) != shape_of(self):
                raise RuntimeError(
                    f"assigned grad has data of a different size"
                )
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    @property
    def data(self) -> Tensor:
        """The same storage without history and with a version counter of its own."""
        return wrap(self._value, None, self._level)  # type: ignore[no-any-return]

    @data.setter
    def data(self, other: Tensor) -> None:
        self._value = other._value

    def detach(self) -> Tensor:
        """The same storage, version counter included, without history."""
        if self._view is not None:
            bring_up_to_date(self)
        return wrap_alias(self._value, self)  # type: ignore[no-any-return]

    def detach_(self) -> Tensor:
        """Cut this tensor from its history, in place."""
        return inplace.detach_(self)  # type: ignore[no-any-return]

    @readonly
    def _version(self) -> int:
        """How often this storage was written to."""
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._counter[0]

    @readonly
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    def retain_grad(self) -> None:
        """Make `backward` keep this non-leaf's covector in `.grad`."""
        if self._node is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._node is LEAF or self._retained:
            return
        import weakref

        node, index = edge_target(self._node)
        reference = weakref.ref(self)

        def keep(g: Any) -> None:
            tensor = reference()
            if tensor is not None:
                tensor._grad = g if tensor._grad is None else tensor._grad + g

        node_hooks.hooks_of(node).retained[index] = keep
        self._retained = True

    @readonly
    def retains_grad(self) -> bool:
        """Whether `retain_grad` was called on this non-leaf."""
        return self._retained

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> node_hooks.RemovableHandle:
        """Call ``hook(grad)`` when this tensor's covector is known; what it returns replaces the covector."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is LEAF:
            store = node_hooks.leaf_hooks(self).tensor
            index = 0
        else:
            node, index = edge_target(self._node)
            store = node_hooks.hooks_of(node).tensor
        return node_hooks.add(store.setdefault(index, node_hooks.HookDict()), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> node_hooks.RemovableHandle:
        """Call ``hook(leaf)`` after this leaf's `.grad` was written."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._node is not LEAF:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return node_hooks.add(node_hooks.leaf_hooks(self).accumulated, hook)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Pull the covector `gradient` back: every leaf x gets ``gradientᵀ · ∂self/∂x`` added to its `.grad`."""
        if inputs is None and not create_graph and run_plain(self, gradient, retain_graph):
            return
        run_backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def item(self) -> Any:
        """The one element as a Python number."""
        if self._level:
            check_not_batched(self, "item")
        array = array_of(self)
        if array.size != 1:
            raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
        value = array.item()
        return float(value) if array.dtype.kind == "V" else value


def check_not_batched(tensor: TensorBase, what: str) -> None:
    """Raise torch's error where vmap would need one number per row ("item") or a decision per row ("bool")."""
    value: Any = tensor
    while isinstance(value, (TensorBase, Dual)):
        value = value._value if isinstance(value, TensorBase) else value.primal
    if isinstance(value, Batched):
        raise graph_errors.batched_item() if what == "item" else graph_errors.batched_bool()


def checked_dim(dim: int, rank: int) -> int:
    """A dimension as a non-negative index, or torch's IndexError."""
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    if not low <= dim <= high:
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
    return dim + max(rank, 1) if dim < 0 else dim


Tensor.__module__ = "torch"
register_facade(Tensor)
