"""Define layers that move elements between channels and space, or between channels."""

from .function_layer import FunctionLayer


class PixelShuffle(FunctionLayer):
    """(…, C·r², H, W) -> (…, C, H·r, W·r)."""

    kept = shown = ("upscale_factor",)

    def __init__(self, upscale_factor: int) -> None:
        self._keep(upscale_factor=upscale_factor)


class PixelUnshuffle(FunctionLayer):
    """(…, C, H·r, W·r) -> (…, C·r², H, W)."""

    kept = shown = ("downscale_factor",)

    def __init__(self, downscale_factor: int) -> None:
        self._keep(downscale_factor=downscale_factor)


class ChannelShuffle(FunctionLayer):
    """(N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""

    kept = shown = ("groups",)

    def __init__(self, groups: int) -> None:
        self._keep(groups=groups)
