"""`fake_quantize_per_tensor_affine` and `fake_quantize_per_channel_affine`, with torch's checks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...array import dtypes
from ...array.dtype_words import not_implemented, type_word
from ...core.value import TensorBase, dtype_of, shape_of, wrap
from ...ops import fake_quantization as o
from ...tensor.api import with_signature
from ...tensor.index_parts import asked_size
from ...tensor.sizes import count
from ...tensor.tensor import checked_dim
from .loss_reduction import check_no_gradient


@with_signature(method=False, out=False)
def fake_quantize_per_tensor_affine(
    input: Any, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Any:
    """Round to the numbers (q − zero_point) · scale of whole q from `quant_min` to `quant_max`.

    The gradient passes where the number lies between the least and the largest of them.

    Parameters
    ----------
    input : Tensor
        Floating.
    scale : float or Tensor
        The distance of two such numbers.
    zero_point : int or Tensor
        The q of 0.
    quant_min, quant_max : int

    Returns
    -------
    Tensor
        Like `input`.
    """
    _check_limits(quant_min, quant_max)
    if isinstance(scale, TensorBase):
        name = "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams"
        for which, given in (("scale", scale), ("zero_point", zero_point)):
            check_no_gradient(name, which, given)
            if count(shape_of(given)) != 1:
                raise RuntimeError(
                    f"a Tensor with {count(shape_of(given))} elements cannot be converted to Scalar"
                )
        return _rounded(o.by_tensor, input, scale, zero_point, (), quant_min, quant_max)
    if not quant_min <= zero_point <= quant_max:
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    scale, zero_point = (wrap(np.array(number, np.float32)) for number in (scale, zero_point))
    return _rounded(o.by_number, input, scale, zero_point, (), quant_min, quant_max)


@with_signature(method=False, out=False)
def fake_quantize_per_channel_affine(
    input: Any, scale: Any, zero_point: Any, axis: int, quant_min: int, quant_max: int
) -> Any:
    """Do `fake_quantize_per_tensor_affine` with a scale and a zero point for each place of an axis.

    Parameters
    ----------
    input : Tensor
        Floating.
    scale : Tensor
        (n,), n the size of `axis`.
    zero_point : Tensor
        (n,), int32 or floating.
    axis, quant_min, quant_max : int

    Returns
    -------
    Tensor
        Like `input`.
    """
    for which, given in (("scale", scale), ("zero_point", zero_point)):
        check_no_gradient("fake_quantize_per_channel_affine_cachemask", which, given)
    if scale.dtype not in (dtypes.float32, dtypes.bfloat16):
        raise RuntimeError(f"Scale must be Float or BFloat16, found {type_word(dtype_of(scale))}")
    if zero_point.dtype not in (dtypes.int32, dtypes.float32, dtypes.float16):
        raise RuntimeError(
            f"Zero-point must be Int32, Float or Half, found {type_word(dtype_of(zero_point))}"
        )
    if len(shape_of(scale)) != 1:
        raise RuntimeError("scale should be a 1-D tensor")
    if len(shape_of(zero_point)) != 1:
        raise RuntimeError("zero point should be a 1-D tensor")
    if shape_of(scale) != shape_of(zero_point):
        raise RuntimeError("scale and zero-point need to have the same dimensions")
    shape = shape_of(input)
    if shape_of(scale)[0] != shape[checked_dim(axis, len(shape))]:
        raise RuntimeError("dimensions of scale and zero-point are not consistent with input tensor")
    _check_limits(quant_min, quant_max)
    if dtype_of(zero_point).kind == "i" and _lies_outside(zero_point, quant_min, quant_max):
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")
    if axis < 0:
        raise RuntimeError("`axis` must be between 0 and number of dimensions of input")
    places = tuple(n if at == axis else 1 for at, n in enumerate(shape))
    return _rounded(o.by_channel, input, scale, zero_point, places, quant_min, quant_max)


def _check_limits(low: int, high: int) -> None:
    if low > high:
        raise RuntimeError("`quant_min` should be less than or         equal to `quant_max`.")


def _lies_outside(zero_point: Any, low: int, high: int) -> bool:
    outside = (zero_point < low).any() | (zero_point > high).any()
    ask = asked_size(outside)
    return bool(outside) if ask is None else bool(ask(outside.to(dtypes.int64)))


def _rounded(
    call: Callable[..., Any], input: Any, scale: Any, zero_point: Any, shape: tuple[int, ...],
    low: int, high: int,
) -> Any:  # fmt: skip
    if (dtype := dtype_of(input)).kind not in "fV":
        kernel = "fake_quantize_tensor_cachemask_kernel_type_handling"
        raise not_implemented(kernel, dtype)
    scale, zero_point = (t.to(dtypes.float32).reshape(shape) for t in (scale, zero_point))
    # Half numbers meet the scale in float32.
    wide = input if dtype.itemsize >= 4 else input.to(dtypes.float32)
    found = call(wide, scale.reciprocal(), scale, zero_point, low, high)
    # By one scale the result is a number of float32, whatever the input.
    return (found if shape else found.to(dtypes.float32)).to(input.dtype)
