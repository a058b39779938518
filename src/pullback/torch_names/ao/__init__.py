"""torch.ao: the part of quantization that a model holds before it is quantized."""

from . import quantization

__all__ = ["quantization"]
