"""Layers that move elements between channels and space, or between channels."""

from __future__ import annotations

from typing import Any

from .. import functional as F
from .module import Module


class PixelShuffle(Module):
    """(…, C·r², H, W) -> (…, C, H·r, W·r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Any) -> Any:
        """Move channels into space."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """(…, C, H·r, W·r) -> (…, C·r², H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Any) -> Any:
        """Move space into channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Return the factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """(N, g·c, …) -> (N, c·g, …): the channels of every group in turn."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Any) -> Any:
        """Shuffle the channels."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """Return the groups."""
        return f"groups={self.groups}"


for _class in (PixelShuffle, PixelUnshuffle):
    _class.__module__ = "torch.nn.modules.pixelshuffle"
del _class
ChannelShuffle.__module__ = "torch.nn.modules.channelshuffle"
