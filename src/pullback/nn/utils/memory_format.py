"""torch.nn.utils.memory_format: the weights of convolutions in another memory format."""

from __future__ import annotations

from typing import Any

from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def _convert(module: Any, layers: tuple[type, ...], memory_format: Any) -> Any:
    for layer in module.modules():
        if isinstance(layer, layers):
            weight: Any = layer.weight  # type: ignore[attr-defined]  # a convolution's
            weight.data = weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Put the weights of all convolutions over two axes in a module into a memory format."""
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: Any, memory_format: Any) -> Any:
    """Put the weights of all convolutions over three axes in a module into a memory format."""
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)


__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]
