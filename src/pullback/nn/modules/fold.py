"""Take patches of images as columns, and back."""

from typing import Any

from .function_layer import FunctionLayer


class Unfold(FunctionLayer):
    """Patches as columns: (N, C, H, W) -> (N, C·K·L, places)."""

    kept = shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        self._keep(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class Fold(FunctionLayer):
    """Columns added to their places: (N, C·K·L, places) -> (N, C, H, W)."""

    kept = shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        self._keep(
            output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding,
            stride=stride,
        )  # fmt: skip
