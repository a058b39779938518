"""Define dropout layers."""

from typing import ClassVar

from .function_layer import FunctionLayer


class _DropoutNd(FunctionLayer):
    """Zero elements (or channels) in training with probability p, and scale the others by 1/(1−p)."""

    kept: ClassVar[tuple[str, ...]] = ("p", "training", "inplace")
    shown = ("p", "inplace")

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self._keep(p=p, inplace=inplace)


class Dropout(_DropoutNd):
    """Zero elements."""


class Dropout1d(_DropoutNd):
    """Zero channels of (N, C, L)."""


class Dropout2d(_DropoutNd):
    """Zero channels of (N, C, H, W)."""


class Dropout3d(_DropoutNd):
    """Zero channels of (N, C, D, H, W)."""


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of SELU activations; as in torch, never in place."""

    kept = ("p", "training")


class FeatureAlphaDropout(_DropoutNd):
    """`AlphaDropout` of whole channels."""

    kept = ("p", "training")
