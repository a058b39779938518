"""torch.nn.modules.channelshuffle: where torch keeps `ChannelShuffle`."""

from .pixelshuffle import ChannelShuffle

__all__ = ["ChannelShuffle"]
