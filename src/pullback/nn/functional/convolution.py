"""Convolutions and their transposes, with torch's checks and texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from ...array import dtypes
from ...array.geometry import transposed_size
from ...core import graph_errors
from ...core.value import TensorBase, dtype_of, shape_of
from ...errors import with_note
from ...ops import conv as ops
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor.api import public
from ...tensor.padding import pad
from ...tensor.signature import Parser
from ...tensor.warn import warn_once


def _numbers(value: Any, rank: int, name: str) -> tuple[int, ...]:
    if isinstance(value, Iterable):
        values = tuple(int(v) for v in value)
        if len(values) == 1:
            return values * rank
        if len(values) != rank:
            raise RuntimeError(
                f"expected {name} to be a single integer value or a list of {rank} values to match the "
                f"convolution dimensions, but got {name}={list(values)}"
            )
        return values
    return (int(value),) * rank


def _check(
    x: Any, w: Any, b: Any, rank: int, groups: int, transposed: bool, stride: tuple[int, ...],
    padding: tuple[int, ...] | str,
) -> bool:  # fmt: skip
    """Check shapes and dtypes; return whether the input has no axis of images."""
    function = f"conv{'_transpose' if transposed else ''}{rank}d"
    if not (
        isinstance(x, TensorBase) and isinstance(w, TensorBase) and (b is None or isinstance(b, TensorBase))
    ):
        raise TypeError(f"{function}(): input, weight and bias must be Tensors")
    shape, weight = shape_of(x), shape_of(w)
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"Expected {rank + 1}D (unbatched) or {rank + 2}D (batched) input to {function}, but got input "
            f"of size: {list(shape)}"
        )
    if len(weight) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(weight) != rank + 2:
        if padding == "same":
            batched = list(shape) if len(shape) == rank + 2 else [1, *shape]
            raise RuntimeError(
                f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional "
                f"weight{list(weight)}, but got {rank + 2}-dimensional input of size {batched} instead"
            )
        if rank == 1:
            raise RuntimeError(
                f"Expected {len(weight)}-dimensional input for {len(weight)}-dimensional weight "
                f"{list(weight)}, but got {len(shape)}-dimensional input of size {list(shape)} instead"
            )
        raise RuntimeError(
            f"expected stride to be a single integer value or a list of {len(weight) - 2} values to match "
            f"the convolution dimensions, but got stride={list(stride)}"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if any(n <= 0 for n in stride):
        raise RuntimeError("non-positive stride is not supported")
    if not isinstance(padding, str) and any(n < 0 for n in padding):
        raise RuntimeError("negative padding is not supported")
    channels = shape[-rank - 1]
    want = weight[0] if transposed else weight[1] * groups
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight "
            f"of size {list(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got "
            f"weight of size [{list(weight)}] instead"
        )
    if channels != want:
        kind = "transposed=1" if transposed else f"groups={groups}"
        shown = list(shape) if len(shape) == rank + 2 else [1, *shape]
        raise with_note(
            RuntimeError(
                f"Given {kind}, weight of size {list(weight)}, expected input{shown} to have "
                f"{want} channels, but got {channels} channels instead"
            ),
            "A convolution's input is (images, channels, …); the weight says how many channels it takes.",
        )
    if dtype_of(x) != dtype_of(w):
        if b is not None and dtype_of(b) == dtype_of(w):
            raise RuntimeError(
                f"Input type ({word(x)}) and bias type ({word(b)}) should be the same"
            )
        raise RuntimeError(f"expected scalar type {_title(x)} but found {_title(w)}")
    if b is not None:
        outputs = weight[1] * groups if transposed else weight[0]
        if shape_of(b) != (outputs,):
            raise RuntimeError(
                f"Given {'transposed=1, ' if transposed else ''}weight of size {list(weight)}, expected bias "
                f"to be 1-dimensional with {outputs} elements, but got bias of size {list(shape_of(b))} "
                "instead"
            )
        if dtype_of(b) != dtype_of(x):
            raise RuntimeError(f"Input type ({word(x)}) and bias type ({word(b)}) should be the same")
    return len(shape) == rank + 1


_BOOL_AND_RARE = dtypes.FLOAT8_NUMPY | {
    kind.numpy for kind in (dtypes.bool, dtypes.uint16, dtypes.uint32, dtypes.uint64)
}
_SMALL = {kind.numpy for kind in (dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32)}


def _check_dtype(x: Any, rank: int, dilated: bool, transposed: bool) -> None:
    """Raise torch's error for a dtype that the kernel of a convolution is not written for."""
    refused = _BOOL_AND_RARE | _SMALL if dilated or transposed else _BOOL_AND_RARE
    if dtype_of(x) in refused:
        dims = max(rank, 2)
        kernel = f"slow_conv_transpose{dims}d_out_cpu" if transposed else f"slow_conv{dims}d_cpu"
        kernel = "slow_conv_dilated<>" if dilated and not transposed else kernel
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_title(x)}'")


def word(x: Any) -> str:
    """The dtype of a value as torch's C++ spells it in errors."""
    return graph_errors.c_name(dtype_of(x))


def _title(x: Any) -> str:
    return graph_errors.type_word(dtype_of(x))


def _check_dilation(dilation: tuple[int, ...]) -> None:
    if any(d <= 0 for d in dilation):
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")


def _by_axis(name: str, values: tuple[int, ...], lifted: int) -> str:
    """Each axis's number as torch spells it; one axis is shown as two, the first with the number `lifted`."""
    shown = (lifted, *values) if len(values) == 1 else values
    axes = ("depth", "height", "width")[-len(shown) :]
    return " ".join(f"{name}_{axis}: {n}" for axis, n in zip(axes, shown, strict=True))


def _check_kernel(
    size: tuple[int, ...], kernel: tuple[int, ...], padding: tuple[int, ...], dilation: tuple[int, ...]
) -> None:
    if any(k < 1 for k in kernel):
        raise RuntimeError(
            f"kernel size should be greater than zero, but got {_by_axis('kernel', kernel, 1)}"
        )
    padded = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True)]
    if any(n < r for n, r in zip(padded, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )


def _convolution(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, rank: int
) -> Any:
    stride = _numbers(stride, rank, "stride")
    padding = padding if isinstance(padding, str) else _numbers(padding, rank, "padding")
    alone = _check(x, w, b, rank, groups, False, stride, padding)
    dilation = _numbers(dilation, rank, "dilation")
    kernel = shape_of(w)[2:]
    if isinstance(padding, str):
        if padding == "valid":
            padding = (0,) * rank
        elif padding == "same":
            if any(s != 1 for s in stride):
                raise RuntimeError("padding='same' is not supported for strided convolutions")
            totals = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
            if any(t % 2 for t in totals):
                warn_once(
                    "Using padding='same' with even kernel lengths and odd dilation may require a "
                    "zero-padded copy of the input be created",
                    4,
                )

                extra = [n for t in reversed(totals) for n in (0, t % 2)]
                x = pad(x, extra)
            padding = tuple(t // 2 for t in totals)
        else:
            raise RuntimeError("Invalid padding string: '" + padding + "'")
    # torch convolves one axis as two
    _check_dilation((1, *dilation) if rank == 1 else dilation)
    _check_kernel(shape_of(x)[-rank:], kernel, padding, dilation)
    _check_dtype(x, rank, any(d != 1 for d in dilation), False)
    if alone:
        x = unsqueeze(x, 0)
    attrs = (stride, padding, dilation, groups)
    y = ops.conv(x, w, *attrs) if b is None else ops.conv_biased(x, w, b, *attrs)
    return squeeze_dim(y, 0) if alone else y


def _transposed(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, output_padding: Any, groups: int, dilation: Any,
    rank: int
) -> Any:
    stride = _numbers(stride, rank, "stride")
    padding = _numbers(padding, rank, "padding")
    alone = _check(x, w, b, rank, groups, True, stride, padding)
    dilation = _numbers(dilation, rank, "dilation")
    output_padding = _numbers(output_padding, rank, "output_padding")
    _check_dilation(dilation)
    if any(o < 0 for o in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    if any(o >= max(s, d) for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"{_by_axis('output_padding', output_padding, 0)} {_by_axis('stride', stride, 1)} "
            f"{_by_axis('dilation', dilation, 1)}"
        )
    if alone:
        x = unsqueeze(x, 0)
    size = transposed_size(shape_of(x)[2:], shape_of(w)[2:], stride, padding, output_padding, dilation)
    if any(n < 1 for n in size):
        raise RuntimeError(
            f"Given input size per channel: ({' x '.join(map(str, shape_of(x)[2:]))}). Calculated output "
            f"size per channel: ({' x '.join(map(str, size))}). Output size is too small"
        )
    _check_dtype(x, rank, False, True)
    attrs = (stride, padding, dilation, groups, size)
    y = ops.conv_transpose(x, w, *attrs) if b is None else ops.conv_transpose_biased(x, w, b, *attrs)
    return squeeze_dim(y, 0) if alone else y


def convolved(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int,
) -> Any:  # fmt: skip
    """What `torch.convolution` gives: the weight says over how many axes."""
    rank = len(shape_of(w)) - 2
    if rank < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if len(shape_of(x)) != rank + 2:
        raise RuntimeError(
            f"Expected {rank + 2}-dimensional input for {rank + 2}-dimensional weight {list(shape_of(w))}, "
            f"but got {len(shape_of(x))}-dimensional input of size {list(shape_of(x))} instead"
        )
    if rank > 3:
        raise RuntimeError("unsupported ConvNd parameters")
    if transposed:
        return _transposed(x, w, b, stride, padding, output_padding, groups, dilation, rank)
    _numbers(output_padding, rank, "output_padding")
    return _convolution(x, w, b, stride, padding, dilation, groups, rank)


_CONV = "(Tensor input, Tensor weight, Tensor? bias = None, tuple of ints stride = 1, "
_OTHERS = ", tuple of ints dilation = 1, int groups = 1)"
_TRANSPOSED = (
    "tuple of ints padding = 0, tuple of ints output_padding = 0, int groups = 1, tuple of ints dilation = 1)"
)


def _declared(function: Callable[..., Any]) -> Callable[..., Any]:
    """Publish a convolution. torch's parser reads the arguments only after a TypeError: it has then
    the text.
    """
    name = function.__name__
    signatures = (
        (_CONV + _TRANSPOSED,)
        if "transpose" in name
        else (_CONV + "tuple of ints padding = 0" + _OTHERS, _CONV + 'str padding = "valid"' + _OTHERS)
    )
    parser = Parser(name, *signatures)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError):
            parser.bind(args, kwargs)
            raise

    return public(call, method=False, out=False)


@_declared
def conv1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1
) -> Any:
    """Convolution over one axis: (N, C, L) with (O, C / groups, K) -> (N, O, L')."""
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 1)


@_declared
def conv2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1
) -> Any:
    """Convolution over two axes: (N, C, H, W) with (O, C / groups, K, L) -> (N, O, H', W')."""
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 2)


@_declared
def conv3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1
) -> Any:
    """Convolution over three axes: (N, C, D, H, W) with (O, C / groups, J, K, L) -> (N, O, D', H', W')."""
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 3)


@_declared
def conv_transpose1d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Transpose of a convolution over one axis: (N, C, L) with (C, O / groups, K) -> (N, O, L')."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


@_declared
def conv_transpose2d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Transpose of a convolution over two axes: (N, C, H, W) with (C, O / groups, K, L) -> (N, O, H', W')."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)


@_declared
def conv_transpose3d(
    input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Any:  # fmt: skip
    """Transpose of a convolution over three axes: (N, C, D, H, W) -> (N, O, D', H', W')."""
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)
