"""Answer questions about a tensor's dtype, device and place in memory, and about promotion."""

from math import prod
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.meta import is_meta
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..core.visible import bits_of
from ..core.warn import warn, warn_once
from ..errors import with_name
from ..ops import convert
from ..ops.structure import sum_to
from .api import public, with_signature
from .constants import strided
from .conversion import cast, dtype_of_type_name
from .signature import Parser, reads
from .tensor import Tensor


def _question(name: str, answer: Any, meaning: str) -> None:
    parser = Parser(name)

    @reads(parser)
    def ask(*args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], TensorBase):
            return answer(args[0])
        return answer(**parser.bind(args, kwargs))

    public(with_name(ask, name, f"Return whether {meaning}."), name=name, out=False)


_question(
    "is_floating_point",
    lambda input: dtypes.from_numpy_dtype(dtype_of(input)).is_floating_point,
    "the dtype is a real one",
)
_question("is_complex", lambda input: dtype_of(input).kind in "cW", "the dtype is a complex one")
_question(
    "is_signed",
    lambda input: dtypes.from_numpy_dtype(dtype_of(input)).is_signed,
    "the dtype has negative numbers",
)
_question("is_inference", lambda input: bool(input._inference), "the tensor was made in inference mode")
_question("is_conj", lambda input: bits_of(input)[0], "the elements are conjugated when they are read")
_question("is_neg", lambda input: bits_of(input)[1], "the elements are negated when they are read")


@with_signature(out=False)
def is_nonzero(input: Any) -> bool:
    """Return whether the one element is not zero."""
    return bool(input)


@with_signature(out=False)
def is_same_size(input: Any, other: Any) -> bool:
    """Return whether two tensors have the same shape."""
    return shape_of(input) == shape_of(other)


@with_signature("(Tensor input)", out=False, method=False)
def numel(input: Any) -> int:
    """Return the number of elements."""
    return prod(shape_of(input))


@with_signature("(Tensor input)", out=False, method=False)
def _shape_as_tensor(input: Any) -> Any:
    """Return the shape as a tensor of int64."""
    return wrap(np.array(shape_of(input), np.int64))


@with_signature(out=False)
def conj(input: Any) -> Any:
    """Return the complex conjugates, a view; a real tensor itself."""
    return convert.conj_view(input) if dtype_of(input).kind in "cW" else input


@with_signature(out=False)
def resolve_conj(input: Any) -> Any:
    """Return the tensor with its conjugates worked out: itself where they are."""
    return convert.clone(input) if bits_of(input)[0] else input


@with_signature(inplace=True)
def conj_physical(input: Any) -> Any:
    """Return the complex conjugates as new elements; a real tensor itself."""
    return convert.conj_physical(input) if dtype_of(input).kind in "cW" else input


@with_signature(out=False)
def resolve_neg(input: Any) -> Any:
    """Return the tensor with its signs worked out: itself where they are."""
    return convert.clone(input) if bits_of(input)[1] else input


@with_signature("(Tensor input)", method=False, out=False)
def _neg_view(input: Any) -> Any:
    """Return the negatives as a view."""
    return convert.neg_view(input)


@with_signature("(Tensor input)", method=False, out=False)
def _conj(input: Any) -> Any:
    """Return the complex conjugates, a view; a real tensor itself."""
    return conj(input)


@with_signature("(Tensor input)", method=False, out=False)
def _conj_physical(input: Any) -> Any:
    """Return the complex conjugates as new elements; a real tensor itself."""
    return conj_physical(input)


def is_tensor(obj: Any, /) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)


@with_signature(method=False, out=False)
def result_type(**operands: Any) -> dtypes.dtype:
    """Return the dtype that results when two tensors or numbers meet."""
    order = ("scalar", "tensor", "other", "scalar1", "scalar2")
    return dtypes.from_numpy_dtype(common_dtype(*(operands[name] for name in order if name in operands)))


def common_dtype(*values: Any) -> np.dtype[Any]:
    """Return the NumPy dtype in which tensors and numbers meet, read off their shapes and dtypes alone."""
    return dtypes.result_numpy_dtype(
        np.empty((0,) * min(len(shape_of(v)), 1), dtype_of(v)) if isinstance(v, TensorBase) else v
        for v in values
    )


def set_default_tensor_type(t: Any, /) -> None:
    """Make the dtype of a legacy type, such as ``torch.DoubleTensor`` or its name, the default dtype."""
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use "
        "torch.set_default_dtype() and torch.set_default_device() as alternatives.",
    )
    name = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}" if isinstance(t, type) else None
    if name is None:
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    dtypes.set_default_dtype(dtype_of_type_name(name))


public(set_default_tensor_type, method=False, out=False)


@with_signature(is_function=False, out=False)
def sum_to_size(self: Any, size: Any) -> Any:
    """Return the sum over the axes along which `size` broadcasts to the tensor's shape."""
    shape = shape_of(self)
    lead = len(shape) - len(size)
    if lead < 0 or any(have != want != 1 for have, want in zip(shape[lead:], size)):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    if not size:
        return self.sum()
    if size == shape:
        return sum_to(self, size)
    wide = cast(self, dtypes.int64) if dtype_of(self).kind in "biu" else self
    return sum_to(wide, size)


def _volatile(self: Any) -> bool:
    """Return False, after a warning: the flag is no more."""
    warn("volatile was removed (Variable.volatile is always False)")
    return False


def _constant(value: Any, text: str) -> property:
    return property(lambda self: value, doc=text)


for _name in ("is_cuda", "is_mps", "is_xla", "is_vulkan", "is_xpu", "is_ipu", "is_maia", "is_mtia"):
    setattr(Tensor, _name, _constant(False, "Return False: no tensor is on such a device."))
for _name in ("is_sparse", "is_sparse_csr", "is_quantized", "is_mkldnn", "is_nested"):
    setattr(Tensor, _name, _constant(False, "Return False: the elements lie strided in memory."))
for _name, _attribute in {
    "_cdata": property(id, doc="A number that no other tensor alive has."),
    "is_cpu": property(
        lambda self: not self.is_meta, doc="Return whether the elements are in the CPU's memory."
    ),
    "volatile": property(_volatile),
    "name": _constant(None, "Return None: a name that programs may give is no part of a tensor any more."),
    "layout": _constant(strided, "Return torch.strided, the layout of the elements in memory."),
    "is_meta": property(
        lambda self: self._level > 0 and is_meta(self),
        doc="Return whether the tensor is a shape without elements.",
    ),
}.items():  # fmt: skip
    setattr(Tensor, _name, _attribute)


@with_signature("(Tensor input)", out=False)
def get_device(input: Any) -> int:
    """Return -1: the tensor is on the CPU."""
    return -1


@public(is_function=False, out=False)
def is_pinned(self: Any, device: Any = None) -> bool:
    """Return False: only an accelerator has pinned memory."""
    return False


@with_signature(out=False)
def is_distributed(input: Any) -> bool:
    """Return False."""
    return False
