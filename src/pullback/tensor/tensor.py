"""The facade: the one class of tensors that users hold.

It adds names to the mechanism and no mathematics. Attributes of the data (shape, dtype, strides) and of the
graph (`requires_grad`, `grad`, `grad_fn`, hooks) are here; operators and functions are attached from their
declarations by `tensor/__init__`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from numpy import ndarray

from ..array import dtypes
from ..array.deferred_import import import_later
from ..array.dtype_words import c_name
from ..array.strides import strides_of
from ..core import hooks as node_hooks
from ..core import inplace
from ..core.batched import Batched
from ..core.calls import own_edge_of
from ..core.device import CPU, META, device
from ..core.dual import Dual
from ..core.holders import note_holder
from ..core.meta import Meta, is_meta
from ..core.modes import modes
from ..core.node import DIFFERENTIABLE, LEAF, AccumulateGrad, Node, Nowhere, Output, edge_target
from ..core.size import Size, size_of
from ..core.value import (
    TensorBase,
    dtype_of,
    number_of,
    register_facade,
    settled,
    shape_of,
    sharing,
    tell_sharing,
    wrap,
    wrap_alias,
)
from ..core.versions import NoVersions, replace_data
from ..core.views import bring_up_to_date
from ..core.visible import visible_strides
from ..core.warn import warn
from ..errors import argument_type, type_name
from .batching import detached
from .constants import contiguous_format

if TYPE_CHECKING:
    from .methods import Methods  # a stub: what the declarations attach
else:
    Methods = TensorBase

pulling = import_later(".backward", __package__)

errors = import_later("..core.graph_errors", __package__)


NO_LEAF = (
    "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
    "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
)


#: Makes a Size of a shape that is known to be good, as `size_of` does.
_tuple = tuple.__new__


class Tensor(Methods):
    """A multi-dimensional array that remembers how it was computed."""

    __slots__ = ()

    # --- data

    @property
    def shape(self) -> Size:
        """Return the sizes of the axes."""
        value = self._value
        return _tuple(Size, value.shape if type(value) is ndarray else shape_of(value))

    @overload
    def size(self) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one axis."""
        shape = shape_of(self)
        return size_of(shape) if dim is None else shape[axis_argument("size", dim, len(shape))]

    def dim(self) -> int:
        """Return the number of axes."""
        value = self._value
        return value.ndim if type(value) is ndarray else len(shape_of(value))

    ndimension = dim
    ndim = property(dim)

    def numel(self) -> int:
        """Return the number of elements."""
        value = self._value
        return value.size if type(value) is ndarray else math.prod(shape_of(value))

    nelement = numel

    @property
    def dtype(self) -> dtypes.dtype:
        """Return the element type."""
        value = self._value
        if type(value) is ndarray and (known := dtypes.BY_NUMPY.get(value.dtype)) is not None:
            return known
        return dtypes.from_numpy_dtype(dtype_of(self))

    @property
    def device(self) -> device:
        """Return the CPU, or ``meta`` for a tensor that has no elements."""
        if not self._level:
            return CPU
        return META if is_meta(self) else getattr(self._value, "device", CPU)

    @property
    def itemsize(self) -> int:
        """Return bytes per element."""
        return dtype_of(self).itemsize

    def element_size(self) -> int:
        """Return bytes per element."""
        return dtype_of(self).itemsize

    @property
    def nbytes(self) -> int:
        """Return bytes of all elements."""
        return self.numel() * self.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Return elements to step over along each axis, or along one."""
        value = self._value
        strides = strides_of(value) if type(value) is ndarray else visible_strides(self)
        return strides if dim is None else strides[axis_argument("stride", dim, len(strides))]

    # --- the graph
    # ----------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Return whether ops on this tensor are recorded."""
        if self._view is not None and self._view.base._node is not None:
            return True
        if self._node is not None and (self._view is None or type(self._node) is not Nowhere):
            return True
        inner = self._value
        return self._level > 0 and getattr(getattr(inner, "primal", inner), "requires_grad", False)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if type(flag) is not bool:
            raise RuntimeError("requires_grad must be a bool")
        if flag and dtype_of(self) not in DIFFERENTIABLE:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad_(flag)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set whether this leaf collects gradients; return it."""
        if type(requires_grad) is not bool:
            raise argument_type("requires_grad_", "requires_grad", 1, "bool", requires_grad)
        if not requires_grad:
            if type(self._node) is Nowhere:
                return self
            if self._node is not None and self._node is not LEAF:
                raise RuntimeError(NO_LEAF)
            note_holder(self, self._value)
            self._node = None
            return self
        if self._node is None or type(self._node) is Nowhere:
            if dtype_of(self) not in DIFFERENTIABLE:
                raise RuntimeError("only Tensors of floating point dtype can require gradients")
            if self._inference and not modes().inference:
                raise RuntimeError(
                    "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
                )
            note_holder(self, self._value)
            self._node = LEAF
        return self

    @property
    def is_leaf(self) -> bool:
        """Return whether `backward` ends here: made by the user, or not recorded."""
        if self._view is not None:
            bring_up_to_date(self, asked=True)
        return self._is_leaf()

    def _is_leaf(self) -> bool:
        node = self._node
        # What a hook unpacked in a leaf's place leads to the leaf.
        return node is None or node is LEAF or type(node) in (AccumulateGrad, Nowhere)

    @property
    def grad_fn(self) -> Node | None:
        """Return the node that made this tensor; None for a leaf."""
        return None if self.is_leaf else edge_target(self._node)[0]

    @property
    def output_nr(self) -> int:
        """Return which output of `grad_fn` this tensor is."""
        return self._node.index if type(self._node) is Output else 0

    @property
    def grad(self) -> Tensor | None:
        """Return the gradient that `backward` accumulated; None at first."""
        if type(self._value) is not ndarray:
            settled(self)
        if self._grad is None and not self._retained and not self._is_leaf():
            warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
                "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
                "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If "
                "you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. "
                "See github.com/pytorch/pytorch/pull/30531 for more information."
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, TensorBase):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            self._check_grad(value)
        if type(self._value) is not ndarray:
            settled(self)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _check_grad(self, value: Tensor) -> None:
        alike = value._sparse is self._sparse and not (self.is_sparse and value.layout is not self.layout)
        if not (alike or value.is_sparse):
            raise RuntimeError(
                "attempting to assign a gradient to a tensor that has data of a different type"
            )
        if (wanted := self.grad_dtype) is not None and dtype_of(value) != wanted.numpy:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{c_name(dtype_of(value))}' to a tensor with "
                f"grad_dtype '{wanted.scalar_type}'. The gradient must match the tensor's grad_dtype "
                "(defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
                "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
                "dtypes of a tensor and its gradient may break downstream systems that assume they match."
            )
        if shape_of(value) != shape_of(self):
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(shape_of(value))}' to a tensor of size "
                f"'{list(shape_of(self))}'. Please ensure that the gradient and the tensor are the same size"
            )

    @property
    def grad_dtype(self) -> dtypes.dtype | None:
        """Return the dtype that `.grad` must have; None for any."""
        return self.__dict__.get("_grad_dtype", self.dtype)

    @grad_dtype.setter
    def grad_dtype(self, dtype: dtypes.dtype | None) -> None:
        self.__dict__["_grad_dtype"] = dtype

    @property
    def data(self) -> Tensor:
        """Return the same storage without history and with a version counter of its own."""
        value = settled(self)
        alias = wrap(value, None, self._level)
        alias._counter = NoVersions() if self._inference else [0]
        if self._level and (shared := getattr(self._value, "shared", None)) is not None:
            shared(self, alias, "data")
        elif sharing:
            tell_sharing(self, alias, "data")
        return alias

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name(other)}")
        if self._node is not None and dtype_of(other) not in DIFFERENTIABLE:
            raise RuntimeError(
                "data set to a tensor that requires gradients must be floating point or complex dtype"
            )
        recorder = getattr(self._value, "recorder", None)
        if recorder is not None and self._value is other._value and recorder.is_shared(self, other):
            return  # as in ``x.data *= 2``
        for value in (settled(self), settled(other)):
            replaced = getattr(value, "replaced", None) if self._level or other._level else None
            if replaced is not None and replaced(self, other):
                return
        replace_data(self, other._value)
        if other._level != self._level:
            self._level = other._level

    def detach(self) -> Tensor:
        """Return the same storage, version counter included, without history."""
        if type(self._value) is not ndarray:
            settled(self)
        if self._level and self._view is not None:
            bring_up_to_date(self)
        return detached(self) if self._level else wrap_alias(self._value, self)

    def detach_(self) -> Tensor:
        """Cut this tensor from its history, in place."""
        settled(self)
        return inplace.detach_(self)

    @property
    def _version(self) -> int:
        """Return how often this storage was written to."""
        if self._inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        settled(self)  # a trace of another thread has its own counter there, and no views
        return int(self._counter[0])

    @property
    def _base(self) -> Tensor | None:
        settled(self)
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        settled(self)
        return self._view is not None

    def retain_grad(self) -> None:
        """Make `backward` keep this non-leaf's covector in `.grad`."""
        if self._node is None:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if self._retained or self._node is LEAF or type(self._node) is Nowhere:
            return
        if self._view is not None:
            bring_up_to_date(self, asked=True)
        import weakref

        node, index = edge_target(own_edge_of(self))
        reference = weakref.ref(self)

        def keep(g: Any) -> None:
            if (tensor := reference()) is not None:
                own = g if g._sparse else g.clone(memory_format=contiguous_format)  # the user may hold g
                tensor._grad = own if tensor._grad is None else tensor._grad + g

        node_hooks.hooks_of(node).retained[index] = keep
        self._retained = True

    @property
    def retains_grad(self) -> bool:
        """Return whether `retain_grad` was called on this non-leaf."""
        return self._retained

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> node_hooks.RemovableHandle:
        """Call ``hook(grad)`` when this tensor's covector is known; what it returns replaces the covector."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self._view is not None:
            bring_up_to_date(self, asked=True)
        if self._node is LEAF:
            store = node_hooks.leaf_hooks(self).tensor
            index = 0
        else:
            node, index = edge_target(own_edge_of(self))
            store = node_hooks.hooks_of(node).tensor
        return node_hooks.add_hook(store.setdefault(index, node_hooks.HookDict()), hook)

    def register_post_accumulate_grad_hook(
        self, hook: Callable[[Tensor], None]
    ) -> node_hooks.RemovableHandle:
        """Call ``hook(leaf)`` after this leaf's `.grad` was written."""
        if self._node is None:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return node_hooks.add_hook(node_hooks.leaf_hooks(self).accumulated, hook)

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Pull the covector `gradient` back: every leaf x gets ``gradientᵀ·∂self/∂x`` added to `.grad`."""
        if inputs is None and not create_graph and pulling.run_plain(self, gradient, retain_graph):
            return
        pulling.backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def item(self, *surplus: Any, **named: Any) -> Any:
        """Return the one element as a Python number."""
        value = self._value
        if type(value) is ndarray and value.size == 1 and value.dtype.kind != "V" and not (surplus or named):
            return value.item()
        if surplus or named:
            from .wrong_calls import wrong_call

            raise wrong_call("Tensor", "item", surplus, named) or AssertionError
        if self._level:
            check_has_number(self, "item")
        if (count := self.numel()) != 1:
            raise RuntimeError(f"a Tensor with {count} elements cannot be converted to Scalar")
        value = number_of(self)
        return float(value) if dtype_of(self).kind == "V" else value


def check_has_number(tensor: TensorBase, what: str) -> None:
    """Raise torch's error for a number ("item") or decision ("bool") under vmap or of no elements."""
    value: Any = tensor
    while isinstance(value, (TensorBase, Dual)):
        value = value._value if isinstance(value, TensorBase) else value.primal
    if isinstance(value, Batched):
        raise errors.batched_item() if what == "item" else errors.batched_bool()
    if isinstance(value, Meta):
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")


def axis_argument(function: str, dim: Any, rank: int) -> int:
    """Return the axis that an argument names, as a non-negative index, or torch's error."""
    if type(dim) is not int:
        if isinstance(dim, bool | float | str) or not hasattr(dim, "__index__"):
            raise argument_type(function, "dim", 1, "int", dim)
        dim = dim.__index__()
    return checked_axis(dim, rank)


def checked_axis(dim: int, rank: int) -> int:
    """Return a dimension of a tensor that must have one as a non-negative index, or torch's IndexError."""
    if not rank:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return checked_dim(dim, rank)


def seal(cls: type) -> None:
    """Make the properties of a class that cannot be set say so as torch's do."""
    for name, attribute in list(vars(cls).items()):
        if isinstance(attribute, property) and attribute.fset is None:
            setattr(cls, name, attribute.setter(_refusal(name)))


def _refusal(name: str) -> Callable[[Any, Any], None]:
    def refuse(self: Any, value: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


def checked_dim(dim: int, rank: int) -> int:
    """Return a dimension as a non-negative index, or torch's IndexError."""
    if 0 <= dim < rank:
        return dim
    low, high = (-rank, rank - 1) if rank else (-1, 0)
    if not low <= dim <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    return dim + max(rank, 1) if dim < 0 else dim


Tensor.__module__ = "torch"
register_facade(Tensor)
