"""Patches of images as columns, and back."""

from __future__ import annotations

from typing import Any

from .function_layer import FunctionLayer


class Unfold(FunctionLayer):
    """Patches as columns: (N, C, H, W) -> (N, C·K·L, places)."""

    function = "unfold"
    kept = shown = ("kernel_size", "dilation", "padding", "stride")

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride


class Fold(FunctionLayer):
    """Columns added to their places: (N, C·K·L, places) -> (N, C, H, W)."""

    function = "fold"
    kept = shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride


for _class in (Unfold, Fold):
    _class.__module__ = "torch.nn.modules.fold"
del _class
