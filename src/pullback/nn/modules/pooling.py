"""Define pooling layers."""

from typing import Any, ClassVar

from ...errors import name_constructors
from .. import functional as F
from .function_layer import FunctionLayer, NamedLayer
from .utils import n_tuple


class _MaxPoolNd(FunctionLayer):
    kept = ("kernel_size", "stride", "padding", "dilation", "ceil_mode", "return_indices")
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        self._keep(
            kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
            dilation=dilation, return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip


class MaxPool1d(_MaxPoolNd):
    """Maximum over windows of one axis."""


class MaxPool2d(_MaxPoolNd):
    """Maximum over windows of two axes."""


class MaxPool3d(_MaxPoolNd):
    """Maximum over windows of three axes."""


class _AvgPoolNd(FunctionLayer):
    kept: ClassVar[tuple[str, ...]] = ("kernel_size", "stride", "padding", "ceil_mode", "count_include_pad")
    shown = ("kernel_size", "stride", "padding")


class AvgPool1d(_AvgPoolNd):
    """Mean over windows of one axis."""

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True
    ) -> None:
        self._keep(
            kernel_size=n_tuple(kernel_size, 1), stride=n_tuple(kernel_size if stride is None else stride, 1),
            padding=n_tuple(padding, 1), ceil_mode=ceil_mode, count_include_pad=count_include_pad,
        )  # fmt: skip


class _AvgPool(_AvgPoolNd):
    kept = (*_AvgPoolNd.kept, "divisor_override")

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        self._keep(
            kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
            ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=divisor_override,
        )  # fmt: skip


class AvgPool2d(_AvgPool):
    """Mean over windows of two axes."""


class AvgPool3d(_AvgPool):
    """Mean over windows of three axes."""


class _AdaptiveAvgPoolNd(FunctionLayer):
    kept = shown = ("output_size",)

    def __init__(self, output_size: Any) -> None:
        self._keep(output_size=output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Mean over as many windows as asked, one axis."""


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Mean over as many windows as asked, two axes."""


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Mean over as many windows as asked, three axes."""


class _AdaptiveMaxPoolNd(FunctionLayer):
    kept = ("output_size", "return_indices")
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        self._keep(output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maximum over as many windows as asked, one axis."""


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maximum over as many windows as asked, two axes."""


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maximum over as many windows as asked, three axes."""


class _MaxUnpoolNd(NamedLayer):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size = n_tuple(kernel_size, self.rank)
        self.stride = n_tuple(kernel_size if stride is None else stride, self.rank)
        self.padding = n_tuple(padding, self.rank)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """Put maxima back where they were found; zeros elsewhere."""
        function = getattr(F, self.function)
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """The inverse of `MaxPool1d` where its maxima are."""


class MaxUnpool2d(_MaxUnpoolNd):
    """The inverse of `MaxPool2d` where its maxima are."""


class MaxUnpool3d(_MaxUnpoolNd):
    """The inverse of `MaxPool3d` where its maxima are."""


class _LPPoolNd(FunctionLayer):
    shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        self._keep(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)

    def forward(self, input: Any) -> Any:
        """Return (Σ xᵖ)^(1/p) over each window."""
        function = getattr(F, self.function)
        return function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """Norms of order p over windows of one axis."""


class LPPool2d(_LPPoolNd):
    """Norms of order p over windows of two axes."""


class LPPool3d(_LPPoolNd):
    """Norms of order p over windows of three axes."""


class _FractionalMaxPool(NamedLayer):
    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        sizes = kernel_size if isinstance(kernel_size, tuple | list) else [kernel_size]
        if self.rank == 3 and any(type(k) is int and k <= 0 for k in sizes):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.kernel_size = n_tuple(kernel_size, self.rank)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else n_tuple(output_size, self.rank)
        self.output_ratio = None if output_ratio is None else n_tuple(output_ratio, self.rank)
        if output_size is None and output_ratio is None:
            raise ValueError(
                f"FractionalMaxPool{self.rank}d requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Any) -> Any:
        """Return the largest value of each of windows at random distances (and its index)."""
        return getattr(F, self.function)(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples,
        )  # fmt: skip


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maximum over windows at random distances, two axes."""


class FractionalMaxPool3d(_FractionalMaxPool):
    """Maximum over windows at random distances, three axes."""


name_constructors(vars(), _AvgPool, _MaxUnpoolNd, _FractionalMaxPool)
