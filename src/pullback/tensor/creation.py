"""Functions that make tensors from data, sizes and a number to fill them with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtype_limits, dtypes
from ..array.elementwise import fill
from ..array.strides import channels_last_strides, contiguous_strides, laid_out_empty
from ..core.connected import refusing_node
from ..core.device import CPU, as_device, has_default
from ..core.inplace import record_write
from ..core.meta import is_meta
from ..core.modes import modes
from ..core.node import LEAF
from ..core.promotion import unsupported
from ..core.settings import SETTINGS
from ..core.tracer import is_tracing
from ..core.value import TensorBase, dtype_of, shape_of, wrap
from ..core.versions import bump
from ..core.warn import warn, warn_of_complex_half
from .api import public, with_signature
from .constants import SPARSE, channels_last, channels_last_3d, preserve_format
from .data import array_from, filling, number_dtype, scalar_array
from .meta import meta_tensor, on_device, without_elements
from .out import refuse_history, write_out
from .signature import OPTIONS, OUT, Parser, described, reads

_FORMAT = "torch.memory_format memory_format = None"


def made(array: ndarray, requires_grad: bool = False) -> Any:
    """Wrap a new array as a leaf, under the modes in force."""
    if array.dtype.kind in "cW" and array.dtype == dtypes.COMPLEX32:
        warn_of_complex_half()
    tensor = wrap(array)
    if requires_grad:
        if array.dtype.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        tensor.requires_grad_(True)
    return tensor


def numpy_dtype(dtype: dtypes.dtype | None) -> np.dtype[Any]:
    """Return the NumPy dtype of a `dtype` argument, the default one where it is None."""
    if dtype is dtypes.complex32:
        warn_of_complex_half()
    return (dtypes.get_default_dtype() if dtype is None else dtype).numpy


def check_options(function: str, device: Any, pin_memory: bool = False) -> Any:
    """Return the device that is asked for; refuse others and pinned memory, as torch without accelerator."""
    where = as_device(device, function)
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
            "available on this system."
        )
    return where


def check_size(size: Sequence[int]) -> None:
    """Refuse negative sizes."""
    for s in size:
        if s < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {s}: {list(size)}")


def new_array(size: Sequence[int], dtype: Any) -> ndarray:
    """Make an uninitialised array in C order, its size checked."""
    check_size(size)
    return np.empty(size, numpy_dtype(dtype))


def unset(array: ndarray) -> ndarray:
    """Return an uninitialised array: filled with NaN, or the greatest integer, where deterministic algorithms
    are asked for, and with zeros in a trace, whose program must be the same in each process.
    """
    if SETTINGS.deterministic and SETTINGS.fills_unset:
        dtype = dtypes.from_numpy_dtype(array.dtype)
        whole = not (dtype.is_floating_point or dtype.is_complex or dtype is dtypes.bool)
        fill(array, filling(dtype_limits.iinfo(dtype).max if whole else float("nan"), array.dtype))
    elif is_tracing():
        fill(array, filling(0, array.dtype))
    return array


def format_strides(size: Sequence[int], memory_format: Any) -> tuple[int, ...] | None:
    """Return a memory format's strides for a size, None for C order; an error if the rank is another."""
    if memory_format is channels_last or memory_format is channels_last_3d:
        wanted = 4 if memory_format is channels_last else 5
        if len(size) != wanted:
            raise RuntimeError(f"required rank {wanted} tensor to use {memory_format._name} format")
        return channels_last_strides(size)
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    return None


def leaf(found: Any, requires_grad: bool) -> Any:
    """Return a new array, or a tensor that a transform or a trace made of one, as a leaf."""
    if isinstance(found, TensorBase):
        return found.requires_grad_(True) if requires_grad else found  # type: ignore[attr-defined]  # the facade has it
    return made(found, requires_grad)


def on_any_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that makes an array of what it is given by name: it need know neither devices nor
    leaves.

    On the device ``meta`` it makes the checks that it makes on the CPU, and takes no memory and no random
    number.
    """

    @wraps(function)
    def make(
        *, layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False,
        **given: Any,
    ) -> Any:
        if check_options(function.__name__, device, pin_memory) is CPU:
            return leaf(function(**given), requires_grad)
        return _made_without(function, given, requires_grad)

    make.takes_options = True  # type: ignore[attr-defined]  # what `own_signature` asks
    return make


def _made_without(function: Callable[..., Any], given: dict[str, Any], requires_grad: bool) -> Any:
    check_size(given.get("size", ()))
    if function.__name__ == "randperm":
        small = leaf(function(**given | {"n": min(given["n"], 0)}), requires_grad)
        return meta_tensor((given["n"],), dtype_of(small))
    if (size := given.get("size")) is None:
        new = leaf(function(**given), requires_grad)
        return without_elements(new).requires_grad_(new.requires_grad)
    strides = given.get("stride")
    none = {"size": (0,) * len(size)} | ({} if strides is None else {"stride": (0,) * len(size)})
    small = leaf(function(**given | none), requires_grad)
    if (order := given.get("physical_layout")) is not None:
        strides = _permuted_strides(size, order)
    elif strides is None:
        strides = format_strides(size, given.get("memory_format"))
    return meta_tensor(size, dtype_of(small), strides, small.requires_grad)


def creator(
    name: str, *signatures: str, namespace: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare a function that makes a tensor of an array (see `on_any_device`), or fills a given ``out=``."""
    printed = f"{namespace}_{name}" if namespace else name
    parser = Parser(printed, *signatures)
    last = parser.texts[-1]
    sized = last.startswith("(tuple of ints size, *")
    filled = last.startswith("(tuple of ints size, Number fill_value, *")
    bounded = last.startswith("(int low, int high, tuple of ints size, *")

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        make = on_any_device(function)

        def call(*args: Any, **kwargs: Any) -> Any:
            dtype = kwargs.get("dtype")
            plain = not kwargs or (len(kwargs) == 1 and type(dtype) is dtypes.dtype)
            if plain and args and (sized or (filled and len(args) == 2)) and not has_default():
                # What is most common needs no parser: 1.5 to 5 µs less.
                size, *rest = args if filled or (len(args) == 1 and type(args[0]) is tuple) else (args,)
                if _are_sizes(size) and (not rest or type(rest[0]) is float or _are_sizes((*rest,))):
                    return leaf(function(size, *rest, **kwargs), False)
            elif bounded and not kwargs and 1 < len(args) < 4 and not has_default():
                *bounds, size = args
                if _are_sizes(size) and _are_sizes(tuple(bounds)):
                    return leaf(function(bounds[-1], size, *bounds[:-1]), False)
            if "layout" in kwargs and kwargs["layout"] in SPARSE:
                return made_sparse(parser, args, kwargs)
            given = parser.bind(args, kwargs)
            out = given.pop("out", None)
            return make(**given) if out is None else _filled(printed, out, function, given)

        return public(described(call, make, parser), name=name, namespace=namespace, method=False, out=False)

    return declare


def _are_sizes(size: Any) -> bool:
    """Return whether a size is a tuple of plain ints that need no further look."""
    if type(size) is tuple:
        for n in size:
            if type(n) is not int or not 0 <= n <= _USUAL:
                break
        else:
            return True
    return False


#: Sizes up to here are no error of themselves.
_USUAL = 1 << 31


def made_sparse(parser: Parser, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Make what a function that makes tensors makes in a sparse layout."""
    from .sparse_whole import made_in

    given = parser.bind(args, {name: value for name, value in kwargs.items() if name != "layout"})
    size, like = given.get("size", ()), given.get("input")
    return made_in(kwargs["layout"], parser.function, size, given.get("dtype"), like)


def _filled(name: str, out: Any, function: Callable[..., Any], given: dict[str, Any]) -> Any:
    """Let a function make its tensor in the dtype of `out` and put it there."""
    recorded = modes().grad and out.requires_grad
    if recorded:
        refuse_history(out, f"aten::{name}")
        node = refusing_node(name, out, ())
    if (dtype := given.get("dtype")) is not None and dtype is not out.dtype:
        raise RuntimeError(
            f"dtype {dtype.scalar_type} does not match dtype of out parameter ({out.dtype.scalar_type})"
        )
    given["dtype"] = out.dtype
    requires_grad = given.pop("requires_grad", False)
    given.pop("layout", None)
    check_options(name, given.pop("device", None), given.pop("pin_memory", False))
    if is_meta(out):
        return write_out(out, _made_without(function, given, False), name).requires_grad_(requires_grad)
    array = leaf(function(**given), False)._value
    if out._value.shape == array.shape:
        out._value[...] = array
    else:
        if name == "arange" and out._value.size not in (0, array.size):
            warn(
                f"The number of elements in the out tensor of shape {list(out._value.shape)} is "
                f"{out._value.size} which does not match the computed number of elements {array.size}. Note "
                "that this may occur as a result of rounding error. The out tensor will be resized to a "
                f"tensor of shape ({array.size},)."
            )
        out._value = array
    bump(out)
    if recorded:
        node._shape = array.shape
        record_write(out, node)
    return out.requires_grad_(requires_grad) if requires_grad or out._node is LEAF else out


_TENSOR = Parser(
    "tensor",
    "(object data, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = False, "
    "bool requires_grad = False)",
)


@public(method=False, out=False)
@reads(_TENSOR)
def tensor(*args: Any, **kwargs: Any) -> Any:
    """Make a leaf tensor that holds a copy of the data.

    Parameters
    ----------
    data : number, sequence, array or tensor
        Nested sequences must be regular.
    dtype : dtype, optional
        By default the one that the data calls for: Python floats become the default dtype, integers int64.
    device : device, optional
        The CPU.
    requires_grad : bool
        Whether the tensor collects gradients.
    """
    if kwargs or len(args) != 1 or has_default() or (isinstance(args[0], TensorBase) and args[0]._level):
        bound = _TENSOR.bind(args, kwargs)
        data, dtype = bound["data"], bound.get("dtype")
        where = check_options("tensor", bound.get("device"), bound.get("pin_memory", False))
        if isinstance(data, TensorBase):
            warn_of_copy("tensor")
            if is_meta(data) and (where is not CPU or bound.get("device") is None):
                chosen = dtype_of(data) if dtype is None else dtype.numpy
                return meta_tensor(shape_of(data), chosen, None, bound.get("requires_grad", False))
        new = made(
            array_from(data, None if dtype is None else dtype.numpy), bound.get("requires_grad", False)
        )
        return new if where is CPU else on_device(new, where).requires_grad_(new.requires_grad)
    if isinstance(args[0], TensorBase):
        warn_of_copy("tensor")
    return made(array_from(args[0], None))


def warn_of_copy(function: str) -> None:
    """Warn, as torch does, that there are clearer ways to copy a tensor."""
    name = f"torch.{function}" if function == "tensor" else f"tensor.{function}"
    warn(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
        f"sourceTensor.detach().clone().requires_grad_(True), rather than {name}(sourceTensor)."
    )


@creator("zeros", f"(tuple of ints size, *, {OUT})")
def zeros(size: Any, *, dtype: Any = None) -> ndarray:
    """Make a tensor of zeros.

    Parameters
    ----------
    size : ints or sequence of ints
    dtype : dtype, optional
        The default dtype where it is left out.
    requires_grad : bool
    """
    if size and min(size) < 0:
        raise RuntimeError("zeros: Dimension size must be non-negative.")
    return np.zeros(size, numpy_dtype(dtype))


@creator("ones", f"(tuple of ints size, *, {OUT})")
def ones(size: Any, *, dtype: Any = None) -> ndarray:
    """Make a tensor of ones (see `zeros`)."""
    array = new_array(size, dtype)
    fill(array, 1)
    return array


@creator("empty", f"(tuple of ints size, *, {_FORMAT}, {OUT})")
def empty(size: Any, *, dtype: Any = None, memory_format: Any = None) -> ndarray:
    """Make a tensor whose elements are whatever the memory holds (see `zeros`)."""
    array = new_array(size, dtype)
    if (strides := format_strides(size, memory_format)) is not None:
        array = laid_out_empty(size, strides, array.dtype)
    return unset(array)


@with_signature(f"(tuple of ints size, tuple of ints stride, *, {OPTIONS})", method=False, out=False)
@on_any_device
def empty_strided(size: Any, stride: Any, *, dtype: Any = None) -> ndarray:
    """Make an uninitialised tensor whose strides, in elements, are `stride`."""
    return strided_array(size, stride, numpy_dtype(dtype))


def strided_array(size: Sequence[int], stride: Sequence[int], dtype: np.dtype[Any]) -> ndarray:
    """Return an uninitialised array with the given strides, checked as torch checks them."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    check_size(size)
    if any(s < 0 for s in stride):
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )
    return unset(laid_out_empty(tuple(size), tuple(stride), dtype))


@with_signature(f"(tuple of ints size, tuple of ints physical_layout, *, {OPTIONS})", method=False, out=False)
@on_any_device
def empty_permuted(size: Any, physical_layout: Any, *, dtype: Any = None) -> ndarray:
    """Make an uninitialised tensor whose axes lie in memory in a given order, outermost first."""
    rank = len(size)
    if len(physical_layout) != rank:
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. "
            f"len(size) = {rank} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    for i, axis in enumerate(physical_layout):
        if not 0 <= axis < rank:
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {rank - 1}, but got {axis} at index "
                f"{i}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if axis in physical_layout[:i]:
            raise RuntimeError("Duplicate dim not allowed")
    check_size(size)
    return unset(laid_out_empty(tuple(size), _permuted_strides(size, physical_layout), numpy_dtype(dtype)))


def _permuted_strides(size: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return strides without gaps of a size whose axes lie in an order, the outermost first."""
    inner = contiguous_strides([size[axis] for axis in order])
    return tuple([inner[order.index(axis)] for axis in range(len(size))])


@creator("full", f"(tuple of ints size, Number fill_value, *, {OUT})")
def full(size: Any, fill_value: Any, *, dtype: Any = None) -> ndarray:
    """Make a tensor with every element `fill_value`, whose kind decides the dtype where none is given."""
    check_size(size)
    chosen = number_dtype(type(fill_value)) if dtype is None else numpy_dtype(dtype)
    array = np.empty(size, chosen)
    fill(array, filling(fill_value, chosen))
    return array


@with_signature(f"(Number s, *, {OPTIONS})", method=False, out=False)
@on_any_device
def scalar_tensor(s: Any, *, dtype: Any = None) -> ndarray:
    """Make a tensor of no dimension from a number."""
    return scalar_array(s, numpy_dtype(dtype))


@creator("eye", f"(int[] n, *, {OUT})", f"(int[] n, int[] m, *, {OUT})")
def eye(n: int, m: int | None = None, *, dtype: Any = None) -> ndarray:
    """Make a matrix of shape (n, m) with ones on the diagonal and zeros elsewhere."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    if (chosen := numpy_dtype(dtype)) == dtypes.COMPLEX32:
        raise unsupported("eye", (), chosen)
    return np.eye(n, m, dtype=chosen)
