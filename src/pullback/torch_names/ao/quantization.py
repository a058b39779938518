"""torch.ao.quantization: the modules that mark in a model where numbers would be quantized.

Until a model is converted they hand their input on, and so they do here, where no tensor is quantized.
"""

from typing import Any, NoReturn

from ...nn.modules.module import Module


class _Mark(Module):
    """Hand its input on.

    Parameters
    ----------
    qconfig : optional
        How numbers would be quantized; kept as an attribute.
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Any) -> Any:
        """Return the input."""
        return x


class QuantStub(_Mark):
    """Mark where numbers would be quantized."""


class DeQuantStub(_Mark):
    """Mark where quantized numbers would become floating again."""


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"module 'torch.ao.quantization' has no attribute '{name}': pullback has no quantized tensors",
        name=name
    )


QuantStub.__module__ = DeQuantStub.__module__ = "torch.ao.quantization.stubs"

__all__ = ["DeQuantStub", "QuantStub"]
