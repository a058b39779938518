"""Define convolutions and their transposes, with torch's checks and texts."""

from collections.abc import Callable, Iterable
from typing import Any

from ...array.geometry import transposed_size
from ...core.value import dtype_of, shape_of
from ...core.warn import warn_once
from ...errors import with_name
from ...ops import conv as ops
from ...ops.conv_tbc import conv_tbc as in_sequences
from ...ops.convert import cast
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor.api import public
from ...tensor.padding import pad
from ...tensor.signature import parsed
from ...tensor.tensor import Tensor
from .convolution_checks import (
    check_dilation,
    check_kernel,
    check_kinds,
    check_not_empty,
    check_operands,
    check_reach,
    check_result,
    check_shapes,
    uses_onednn,
)


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


def _convolution(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, groups: int, rank: int
) -> Any:
    key = _key(x, w, b, (stride, padding, dilation), groups, rank)
    if (known := _known.get(key)) is not None:
        return _applied(ops.conv, ops.conv_biased, x, w, b, *known)
    check_operands(x, w, b, bias_first=not isinstance(padding, str))
    stride = _numbers(stride, rank, "stride")
    padding = padding if isinstance(padding, str) else _numbers(padding, rank, "padding")
    dilation = _numbers(dilation, rank, "dilation")
    alone = check_shapes(x, w, b, rank, groups, False, stride, padding, dilation)
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
                )

                extra = [n for t in reversed(totals) for n in (0, t % 2)]
                x = pad(x, extra)
            padding = tuple(t // 2 for t in totals)
        else:
            raise RuntimeError("Invalid padding string: '" + padding + "'")
    check_reach(shape_of(x)[-rank:], kernel, padding, dilation)
    check_not_empty(x, rank, alone)
    onednn = uses_onednn(x, w, alone, stride, groups, ())
    dilated = any(d != 1 for d in dilation)
    check_dilation(dilation, onednn, False)
    check_kernel(shape_of(w), False, dilated)
    check_kinds(x, w, b, rank, False, dilated, onednn)
    attrs = (stride, padding, dilation, groups)
    _remember(key, alone, attrs)
    return _applied(ops.conv, ops.conv_biased, x, w, b, alone, attrs)


#: What convolutions are applied to, by shapes, dtypes and options that were checked: the checks take half of
#: a small one's time.
_known: dict[Any, tuple[bool, tuple[Any, ...]]] = {}
_MOST_KNOWN = 1024


def _remember(key: Any, alone: bool, attrs: tuple[Any, ...]) -> None:
    if key is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = alone, attrs


def _key(x: Any, w: Any, b: Any, options: tuple[Any, ...], groups: int, rank: int) -> Any:
    """Return what the checks of a convolution look at; None where it is not plain.

    The options of a transposed one are four.
    """
    for option in options:
        if type(option) is int:
            continue
        if type(option) is not tuple:
            return None
        for n in option:
            if type(n) is not int:
                return None
    if type(x) is not Tensor or not isinstance(w, Tensor) or not (b is None or isinstance(b, Tensor)):
        return None
    bias = None if b is None else (shape_of(b), dtype_of(b))
    return shape_of(x), dtype_of(x), shape_of(w), dtype_of(w), bias, *options, groups, rank


def _transposed(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, output_padding: Any, groups: int, dilation: Any,
    rank: int
) -> Any:
    key = _key(x, w, b, (stride, padding, output_padding, dilation), groups, rank)
    if (known := _known.get(key)) is not None:
        return _applied(ops.conv_transpose, ops.conv_transpose_biased, x, w, b, *known)
    check_operands(x, w, b, bias_first=False)
    stride = _numbers(stride, rank, "stride")
    padding = _numbers(padding, rank, "padding")
    dilation = _numbers(dilation, rank, "dilation")
    output_padding = _numbers(output_padding, rank, "output_padding")
    alone = check_shapes(x, w, b, rank, groups, True, stride, padding, dilation)
    if any(o < 0 for o in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    check_not_empty(x, rank, alone)
    if onednn := uses_onednn(x, w, alone, stride, groups, output_padding):
        check_kinds(x, w, b, rank, True, False, onednn)
    check_kernel(shape_of(w), True, False)
    check_dilation(dilation, False, True)
    given = shape_of(x)[-rank:]
    size = transposed_size(given, shape_of(w)[2:], stride, padding, output_padding, dilation)
    check_result(size, given, stride, dilation, output_padding)
    check_kinds(x, w, b, rank, True, False, onednn)
    attrs = (stride, padding, dilation, groups, size)
    _remember(key, alone, attrs)
    return _applied(ops.conv_transpose, ops.conv_transpose_biased, x, w, b, alone, attrs)


def _applied(plain: Any, biased: Any, x: Any, w: Any, b: Any, alone: bool, attrs: tuple[Any, ...]) -> Any:
    """Apply an op to images, or to one of them that is alone."""
    if alone:
        x = unsqueeze(x, 0)
    if b is None:
        y = plain(x, w, *attrs)
    else:
        # The kernels add a bias of another dtype in the image's.
        y = biased(x, w, b if dtype_of(b) == dtype_of(x) else cast(b, dtype_of(x)), *attrs)
    return squeeze_dim(y, 0) if alone else y


def convolved(
    x: Any, w: Any, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int,
) -> Any:  # fmt: skip
    """Return `torch.convolution`, over as many axes as the weight says."""
    if (rank := len(shape_of(w)) - 2) < 1:
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


def _declare(rank: int, text: str) -> Callable[..., Any]:
    """Declare the convolution over some number of axes."""

    def convolve(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Any:  # fmt: skip
        return _convolution(input, weight, bias, stride, padding, dilation, groups, rank)

    declared: Callable[..., Any] = public(with_name(convolve, f"conv{rank}d", text), method=False, out=False)
    return declared


conv1d = _declare(1, "Return the convolution over one axis: (N, C, L) with (O, C / groups, K) -> (N, O, L').")
conv2d = _declare(
    2, "Return the convolution over two axes: (N, C, H, W) with (O, C / groups, K, L) -> (N, O, H', W')."
)
conv3d = _declare(
    3, "Return the convolution over three axes: (N, C, D, H, W) with (O, C / groups, J, K, L) -> (N, O, D', "
    "H', W')."
)  # fmt: skip


def _declare_transposed(rank: int, text: str) -> Callable[..., Any]:
    """Declare the transpose of the convolution over some number of axes."""

    def convolve(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, dilation: Any = 1,
    ) -> Any:  # fmt: skip
        return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, rank)

    named = with_name(convolve, f"conv_transpose{rank}d", f"Return the transpose of a convolution {text}.")
    declared: Callable[..., Any] = public(named, method=False, out=False)
    return declared


conv_transpose1d = _declare_transposed(1, "of one axis: (N, C, L) with (C, O / groups, K) -> (N, O, L')")
conv_transpose2d = _declare_transposed(
    2, "over two axes: (N, C, H, W) with (C, O / groups, K, L) -> (N, O, H', W')"
)
conv_transpose3d = _declare_transposed(3, "over three axes: (N, C, D, H, W) -> (N, O, D', H', W')")


@public(method=False, out=False)
@parsed("conv_tbc")
def conv_tbc(input: Any, weight: Any, bias: Any, pad: int = 0) -> Any:
    """Return the convolution in time: ``out[t] = Σ_k input[t + k − pad] @ weight[k] + bias``.

    Parameters
    ----------
    input : tensor
        (T, N, C): time, batch, channels.
    weight : tensor
        (K, C, O).
    bias : tensor
        (O,).
    pad : int
        Zeros before and after.

    Returns
    -------
    tensor
        (T + 2·pad − K + 1, N, O).
    """
    x, w, b = shape_of(input), shape_of(weight), shape_of(bias)
    if len(x) != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if len(w) != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if len(b) != 1:
        raise RuntimeError("Bias must be 1-D")
    if x[2] != w[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if b[0] != w[2]:
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return in_sequences(input, weight, bias, pad)
