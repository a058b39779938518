"""torch.ao: the part of quantization that a model holds before it is quantized."""

from __future__ import annotations

from . import quantization

__all__ = ["quantization"]
