"""torch.nn.modules.channelshuffle: where torch keeps `ChannelShuffle`."""

from __future__ import annotations

from .pixelshuffle import ChannelShuffle

__all__ = ["ChannelShuffle"]
