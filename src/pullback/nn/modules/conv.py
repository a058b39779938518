"""Convolution layers."""

from __future__ import annotations

import math
from typing import Any

from .. import functional as F
from .. import init
from .creation import empty_parameter, optional_parameter
from .module import Module
from .utils import n_tuple


class _ConvNd(Module):
    """What convolutions of every rank and direction share; `weight` is (out, in / groups, *kernel),
    transposed (in, out / groups, *kernel).
    """

    rank: int
    transposed = False
    output_padding: tuple[int, ...]

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any,
        output_padding: Any, groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        strides = n_tuple(stride, self.rank)
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(
                    f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
                )
            if padding == "same" and any(s != 1 for s in strides):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(
                f"padding_mode must be one of {set(modes)}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = n_tuple(kernel_size, self.rank)
        self.stride = strides
        self.padding = padding if isinstance(padding, str) else n_tuple(padding, self.rank)
        self.dilation = n_tuple(dilation, self.rank)
        self.output_padding = n_tuple(output_padding, self.rank)
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = empty_parameter((first, second // groups, *self.kernel_size), device, dtype)
        self.register_parameter("bias", optional_parameter(bias, (out_channels,), device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√k, 1/√k) with k the inputs to one output."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def _pad_amounts(self) -> list[int]:
        """Padding of each side, last axis first, as `F.pad` takes it."""
        amounts: list[int] = []
        for axis in reversed(range(self.rank)):
            if self.padding == "valid":
                amounts += [0, 0]
            elif self.padding == "same":
                total = self.dilation[axis] * (self.kernel_size[axis] - 1)
                amounts += [total // 2, total - total // 2]
            else:
                amounts += [self.padding[axis]] * 2  # type: ignore[list-item]  # numbers here
        return amounts

    def extra_repr(self) -> str:
        """The arguments that differ from their defaults."""
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        )
        if self.padding != (0,) * self.rank:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.rank:
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * self.rank:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode,
            device, dtype
        )

    def forward(self, input: Any) -> Any:
        """(N, in, *spatial) or (in, *spatial) -> (…, out, *spatial')."""
        function = (F.conv1d, F.conv2d, F.conv3d)[self.rank - 1]
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._pad_amounts(), mode=self.padding_mode)
            padding = 0
        return function(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Conv):
    """Convolution over one axis (cross-correlation, as in torch)."""

    rank = 1


class Conv2d(_Conv):
    """Convolution over two axes (cross-correlation, as in torch)."""

    rank = 2


class Conv3d(_Conv):
    """Convolution over three axes (cross-correlation, as in torch)."""

    rank = 3


class _ConvTranspose(_ConvNd):
    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(self, input: Any, output_size: Any) -> tuple[int, ...]:
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-self.rank :]
        spatial = tuple(input.shape)[-self.rank :]
        smallest = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                spatial, self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        largest = [m + s - 1 for m, s in zip(smallest, self.stride, strict=True)]
        if any(not low <= n <= high for n, low, high in zip(wanted, smallest, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {list(wanted)}, but valid sizes range from {smallest} to "
                f"{largest} (for an input of {input.size()[2:]})"
            )
        return tuple(n - m for n, m in zip(wanted, smallest, strict=True))

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """(N, in, *spatial) or (in, *spatial) -> (…, out, *spatial'), the transpose of the convolution."""
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.rank - 1]
        extra = self._output_padding(input, output_size)
        return function(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    """Transpose of a convolution over one axis."""

    rank = 1


class ConvTranspose2d(_ConvTranspose):
    """Transpose of a convolution over two axes."""

    rank = 2


class ConvTranspose3d(_ConvTranspose):
    """Transpose of a convolution over three axes."""

    rank = 3


for _class in (Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d):
    _class.__module__ = "torch.nn.modules.conv"
