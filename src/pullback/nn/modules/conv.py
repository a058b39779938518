"""Define convolution layers."""

import math
from typing import Any

from ...autograd.grad_mode import no_grad
from ...errors import name_constructors
from ...tensor.creation import empty
from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from .creation import empty_parameter, optional_parameter
from .function_layer import NamedLayer
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _reverse_repeat_tuple, differing, n_tuple


class _ConvNd(Module):
    """Share among convolutions of every rank and direction; `weight` is (out, in / groups, *kernel),
    transposed (in, out / groups, *kernel).

    Kernel size, stride, padding, dilation and output padding are tuples of one number per spatial axis
    here.
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...],
        padding: str | tuple[int, ...], dilation: tuple[int, ...], transposed: bool,
        output_padding: tuple[int, ...], groups: int, bias: bool, padding_mode: str, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
            if padding == "same" and any(s != 1 for s in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(
                f"padding_mode must be one of {set(modes)}, but got padding_mode='{padding_mode}'"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _pad_amounts(padding, dilation, kernel_size)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = empty_parameter((first, second // groups, *kernel_size), device, dtype)
        self.register_parameter("bias", optional_parameter(bias, (out_channels,), device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values: U(−1/√k, 1/√k) with k the inputs to one output."""
        if self.weight.is_contiguous():
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        else:  # the numbers lie by the shape, whatever the memory format
            with no_grad():
                self.weight.copy_(init.kaiming_uniform_(empty(self.weight.shape), a=math.sqrt(5)))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")  # files of torch before 1.1 lack it

    def extra_repr(self) -> str:
        """Return the arguments that differ from their defaults."""
        options = differing(
            self, padding=(0,) * len(self.padding), dilation=(1,) * len(self.dilation),
            output_padding=(0,) * len(self.output_padding), groups=1,
        )  # fmt: skip
        return (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
            f"{options}{', bias=False' if self.bias is None else ''}{differing(self, padding_mode='zeros')}"
        )


def _pad_amounts(
    padding: str | tuple[int, ...], dilation: tuple[int, ...], kernel_size: tuple[int, ...]
) -> Any:
    """Return the padding of each side, last axis first, as `F.pad` takes it."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    amounts: list[int] = []
    for d, k in zip(reversed(dilation), reversed(kernel_size), strict=True):
        total = d * (k - 1) if padding == "same" else 0
        amounts += [total // 2, total - total // 2]
    return amounts


class _Conv(NamedLayer, _ConvNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        n = self.rank
        super().__init__(
            in_channels, out_channels, n_tuple(kernel_size, n), n_tuple(stride, n),
            padding if isinstance(padding, str) else n_tuple(padding, n), n_tuple(dilation, n), False,
            (0,) * n, groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Any, weight: Any, bias: Any) -> Any:
        """Return the convolution with a weight and bias that need not be the layer's own."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = (0,) * self.rank
        function = getattr(F, self.function)
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Any) -> Any:
        """Map (N, in, *spatial) or (in, *spatial) -> (…, out, *spatial')."""
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution over one axis (cross-correlation, as in torch)."""


class Conv2d(_Conv):
    """Convolution over two axes (cross-correlation, as in torch)."""


class Conv3d(_Conv):
    """Convolution over three axes (cross-correlation, as in torch)."""


class _ConvTransposeNd(_ConvNd):
    """A convolution's transpose, with its arguments as `_ConvNd` takes them."""

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: tuple[int, ...], stride: tuple[int, ...],
        padding: tuple[int, ...], dilation: tuple[int, ...], transposed: bool,
        output_padding: tuple[int, ...], groups: int, bias: bool, padding_mode: str, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
            groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(
        self, input: Any, output_size: Any, stride: Any, padding: Any, kernel_size: Any,
        num_spatial_dims: int, dilation: Any = None,
    ) -> Any:  # fmt: skip
        """Return what to add at the end of every spatial axis for the result to have `output_size`."""
        if output_size is None:
            return self.output_padding
        n = num_spatial_dims
        others = 2 if input.dim() == n + 2 else 1
        wanted = list(output_size)[others:] if len(output_size) == others + n else list(output_size)
        if len(wanted) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {others + n} "
                f"elements (got {len(wanted)})"
            )
        smallest = [
            (size - 1) * s - 2 * p + d * (k - 1) + 1
            for size, s, p, d, k in zip(
                input.shape[others:], stride, padding, dilation or (1,) * n, kernel_size, strict=True
            )
        ]
        largest = [m + s - 1 for m, s in zip(smallest, stride, strict=True)]
        if any(not low <= n <= high for n, low, high in zip(wanted, smallest, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {wanted if len(output_size) > n else output_size}, but valid "
                f"sizes range from {smallest} to {largest} (for an input of {input.size()[2:]})"
            )
        return tuple(n - m for n, m in zip(wanted, smallest, strict=True))


class _ConvTranspose(NamedLayer, _ConvTransposeNd):
    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, bias: bool = True, dilation: Any = 1,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        n = self.rank
        super().__init__(
            in_channels, out_channels, n_tuple(kernel_size, n), n_tuple(stride, n), n_tuple(padding, n),
            n_tuple(dilation, n), True, n_tuple(output_padding, n), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """Map (N, in, *spatial) or (in, *spatial) -> (…, out, *spatial'), by a transposed convolution."""
        if self.padding_mode != "zeros":
            raise ValueError(f"Only `zeros` padding mode is supported for ConvTranspose{self.rank}d")
        extra = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size, self.rank, self.dilation
        )
        return getattr(F, self.function)(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )


class ConvTranspose1d(_ConvTranspose):
    """Transpose of a convolution over one axis."""


class ConvTranspose2d(_ConvTranspose):
    """Transpose of a convolution over two axes."""


class ConvTranspose3d(_ConvTranspose):
    """Transpose of a convolution over three axes."""


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that reads the number of its input's channels from the first input."""

    rank: int
    weight: Any
    bias: Any

    def _delay(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        """Put parameters without a shape in place of those of a layer made for no channels at all."""
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the initial values once the shapes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]  # the layer's own

    def initialize_parameters(self, input: Any, *args: Any, **kwargs: Any) -> None:
        """Give the parameters the shapes that go with an input."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        sizes = (self.out_channels, self.in_channels)
        first, second = reversed(sizes) if self.transposed else sizes
        self._materialize("weight", (first, second // self.groups, *self.kernel_size))
        self._materialize("bias", (self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input: Any) -> int:
        alone, batched = self.rank + 1, self.rank + 2
        if input.dim() not in (alone, batched):
            raise RuntimeError(
                f"Expected {alone}D (unbatched) or {batched}D (batched) input to {type(self).__name__}, but "
                f"got input of size: {input.shape}"
            )
        return input.shape[1] if input.dim() == batched else input.shape[0]

    def _get_num_spatial_dims(self) -> int:
        return self.rank


class _LazyConv(_LazyConvXdMixin, _Conv):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype
        )
        self._delay(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A `Conv1d` whose `in_channels` is read from the first input."""


class LazyConv2d(_LazyConv, Conv2d):
    """A `Conv2d` whose `in_channels` is read from the first input."""


class LazyConv3d(_LazyConv, Conv3d):
    """A `Conv3d` whose `in_channels` is read from the first input."""


class _LazyConvTranspose(_LazyConvXdMixin, _ConvTranspose):
    def __init__(
        self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
        groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros",
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device,
            dtype,
        )  # fmt: skip
        self._delay(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` is read from the first input."""


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` is read from the first input."""


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` is read from the first input."""


name_constructors(vars(), _Conv, _ConvTranspose, _LazyConv, _LazyConvTranspose)
