"""torch.cuda.streams: streams and events need a device."""

from .. import cuda as _cuda

Event, ExternalStream, Stream = _cuda.Event, _cuda.ExternalStream, _cuda.Stream

__all__ = ["Event", "ExternalStream", "Stream"]
