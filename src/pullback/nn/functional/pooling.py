"""Pools with torch's arguments. One axis is pooled as two, the first of length 1, which is what
torch does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...array.pool import Windows
from ...core.value import shape_of
from ...ops import pool as ops
from ...ops.view import squeeze_dim, unsqueeze
from ...tensor.api import public


def _numbers(value: Any, rank: int, name: str, function: str) -> tuple[int, ...]:
    if not isinstance(value, Iterable):
        return (int(value),) * rank
    values = tuple(int(v) for v in value)
    if len(values) == 1:
        return values * rank
    if len(values) != rank:
        words = {2: "a tuple of two ints", 3: "a tuple of three ints"}
        raise RuntimeError(
            f"{function}: {name} must either be a single int, or {words.get(rank, 'a single int')}"
        )
    return values


def _windows(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, rank: int, function: str
) -> Windows:
    """Where the windows lie, checked as torch checks them."""
    kernel = _numbers(kernel, rank, "kernel_size", function)
    given = stride is not None and not (isinstance(stride, (tuple, list)) and len(stride) == 0)
    stride = _numbers(stride, rank, "stride", function) if given else kernel
    padding = _numbers(padding, rank, "padding", function)
    dilation = _numbers(dilation, rank, "dilation", function)
    shape = shape_of(x)
    if len(shape) not in (rank + 1, rank + 2):
        raise RuntimeError(
            f"{function}: Expected {rank + 1}D or {rank + 2}D input, but got: {len(shape)}D"
            if rank == 1
            else f"non-empty {rank + 1}D or {rank + 2}D (batch mode) tensor expected for input"
        )
    if any(k <= 0 for k in kernel) or any(d <= 0 for d in dilation):
        raise RuntimeError(
            f"kernel size should be greater than zero, but got kH: {kernel[0]} kW: {kernel[-1]}"
            if any(k <= 0 for k in kernel)
            else (
                f"dilation should be greater than zero, but got dilationH: {dilation[0]} dilationW: "
                f"{dilation[-1]}"
            )
        )
    if any(s <= 0 for s in stride):
        raise RuntimeError("stride should not be zero")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    windows = Windows(kernel, stride, padding, dilation, bool(ceil_mode))
    size = shape[-rank:]
    output = windows.output(size)
    if any(n < 1 for n in output):
        channels = shape[-rank - 1]
        spatial = "x".join(map(str, size))
        raise RuntimeError(
            f"Given input size: ({channels}x{spatial}). Calculated output size: "
            f"({channels}x{'x'.join(map(str, output))}). Output size is too small"
        )
    return windows


def _lifted(windows: Windows) -> Windows:
    """Windows over one axis as windows over two."""
    return Windows(
        (1, *windows.kernel),
        (1, *windows.stride),
        (0, *windows.padding),
        (1, *windows.dilation),
        windows.ceil_mode,
    )


def _max_pool(
    x: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, return_indices: bool,
    rank: int
) -> Any:
    windows = _windows(x, kernel, stride, padding, dilation, ceil_mode, rank, f"max_pool{rank}d")
    alone = len(shape_of(x)) == rank + 1
    if alone:
        x = unsqueeze(x, 0)
    if rank == 1:
        x = unsqueeze(x, 2)
        windows = _lifted(windows)
    call = ops.max_pool_3d if rank == 3 else ops.max_pool_2d
    values, winners = call(x, windows)
    results = [values]
    if return_indices:
        results.append(ops.winner_indices(winners, windows, shape_of(x)[2:]))
    if rank == 1:
        results = [squeeze_dim(r, 2) for r in results]
    if alone:
        results = [squeeze_dim(r, 0) for r in results]
    return tuple(results) if return_indices else results[0]




@public(namespace="nn.functional", method=False, out=False)
def max_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Largest value of each window of one axis: (N, C, L) -> (N, C, L')."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 1)


@public(namespace="nn.functional", method=False, out=False)
def max_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Largest value of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 2)


@public(namespace="nn.functional", method=False, out=False)
def max_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Any:  # fmt: skip
    """Largest value of each window of three axes."""
    return _max_pool(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices, 3)


def _avg_pool(
    x: Any, kernel: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool, divisor: Any,
    rank: int
) -> Any:
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    windows = _windows(x, kernel, stride, padding, 1, ceil_mode, rank, f"avg_pool{rank}d")
    alone = len(shape_of(x)) == rank + 1
    if alone:
        x = unsqueeze(x, 0)
    if rank == 1:
        x = unsqueeze(x, 2)
        windows = _lifted(windows)
    call = ops.avg_pool_3d if rank == 3 else ops.avg_pool_2d
    y = call(x, windows, bool(count_include_pad), divisor)
    if rank == 1:
        y = squeeze_dim(y, 2)
    return squeeze_dim(y, 0) if alone else y


@public(namespace="nn.functional", method=False, out=False)
def avg_pool1d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:  # fmt: skip
    """Mean of each window of one axis: (N, C, L) -> (N, C, L')."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, None, 1)


@public(namespace="nn.functional", method=False, out=False)
def avg_pool2d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Mean of each window of two axes: (N, C, H, W) -> (N, C, H', W')."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 2)


@public(namespace="nn.functional", method=False, out=False)
def avg_pool3d(
    input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """Mean of each window of three axes."""
    return _avg_pool(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, 3)


def _adaptive(x: Any, output_size: Any, rank: int, call: Any) -> Any:
    shape = shape_of(x)
    wanted = tuple(output_size) if isinstance(output_size, Iterable) else (output_size,) * rank
    size = tuple(n if o is None else int(o) for o, n in zip(wanted, shape[-rank:], strict=True))
    alone = len(shape) == rank + 1
    if alone:
        x = unsqueeze(x, 0)
    if rank == 1:
        x = unsqueeze(x, 2)
        size = (1, *size)
    result = call(x, size)
    parts = list(result) if isinstance(result, tuple) else [result]
    if rank == 1:
        parts = [squeeze_dim(p, 2) for p in parts]
    if alone:
        parts = [squeeze_dim(p, 0) for p in parts]
    return tuple(parts) if isinstance(result, tuple) else parts[0]


@public(namespace="nn.functional", method=False, out=False)
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """Means over `output_size` windows of nearly equal length, one axis."""
    return _adaptive(input, output_size, 1, ops.adaptive_avg_pool_2d)


@public(namespace="nn.functional", method=False, out=False)
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """Means over `output_size` windows of nearly equal length, two axes."""
    one = output_size == 1 or (isinstance(output_size, Iterable) and tuple(output_size) == (1, 1))
    if one:
        return input.mean((-1, -2), keepdim=True)
    return _adaptive(input, output_size, 2, ops.adaptive_avg_pool_2d)


@public(namespace="nn.functional", method=False, out=False)
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """Means over `output_size` windows of nearly equal length, three axes."""
    return _adaptive(input, output_size, 3, ops.adaptive_avg_pool_3d)


def _adaptive_max(x: Any, output_size: Any, return_indices: bool, rank: int) -> Any:
    call = ops.adaptive_max_pool_3d if rank == 3 else ops.adaptive_max_pool_2d
    values, indices = _adaptive(x, output_size, rank, call)
    return (values, indices) if return_indices else values


@public(namespace="nn.functional", method=False, out=False)
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Maxima over `output_size` windows of nearly equal length, one axis."""
    return _adaptive_max(input, output_size, return_indices, 1)


@public(namespace="nn.functional", method=False, out=False)
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Maxima over `output_size` windows of nearly equal length, two axes."""
    return _adaptive_max(input, output_size, return_indices, 2)


@public(namespace="nn.functional", method=False, out=False)
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """Maxima over `output_size` windows of nearly equal length, three axes."""
    return _adaptive_max(input, output_size, return_indices, 3)
