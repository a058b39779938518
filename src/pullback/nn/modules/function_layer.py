"""Layers that are a function of `nn.functional` with its arguments kept."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import functional as F
from .module import Module


class FunctionLayer(Module):
    """Call a function of one input with attributes of the layer.

    Attributes
    ----------
    function : str
        Name in `nn.functional`.
    kept : sequence of str
        Attributes that the function takes, by the names of its parameters.
    shown : sequence of str
        Attributes that `extra_repr` prints with their names.
    """

    function: ClassVar[str]
    kept: ClassVar[tuple[str, ...]] = ()
    shown: ClassVar[tuple[str, ...]] = ()

    def forward(self, input: Any) -> Any:
        """Return the function of the input."""
        return getattr(F, self.function)(input, **{name: getattr(self, name) for name in self.kept})

    def extra_repr(self) -> str:
        """Return the attributes that are shown."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)
