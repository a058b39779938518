"""Define padding layers: constants, reflections, repeated edges, wrapped ends, around one to three axes."""

from typing import Any, ClassVar

from ...errors import name_constructors
from .. import functional as F
from .function_layer import NamedLayer
from .utils import check_rank, n_tuple


class _Pad(NamedLayer):
    """Pad the last `rank` axes by `padding`: one number for all sides, or two per axis from the last on."""

    _shares_forward = True

    mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = n_tuple(padding, 2 * self.rank)

    def forward(self, input: Any) -> Any:
        """Map (N, C, *size) -> (N, C, *size + padding)."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """Return the padding."""
        return f"{self.padding}"


class _ConstantPadNd(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Any) -> Any:
        """Map (N, C, *size) -> (N, C, *size + padding)."""
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """Return the padding and the value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """`value` on both sides of the last axis."""


class ConstantPad2d(_ConstantPadNd):
    """`value` around the last two axes."""


class ConstantPad3d(_ConstantPadNd):
    """`value` around the last three axes."""


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    extra_repr = _Pad.extra_repr


class ZeroPad1d(_ZeroPadNd, ConstantPad1d):
    """Zeros on both sides of the last axis."""


class ZeroPad2d(_ZeroPadNd, ConstantPad2d):
    """Zeros around the last two axes."""


class ZeroPad3d(_ZeroPadNd, ConstantPad3d):
    """Zeros around the last three axes."""


class _ReflectionPadNd(_Pad):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """The last axis reflected at its end elements."""


class ReflectionPad2d(_ReflectionPadNd):
    """The last two axes reflected at their end elements."""


class ReflectionPad3d(_ReflectionPadNd):
    """The last three axes reflected at their end elements."""


class _ReplicationPadNd(_Pad):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """The end elements of the last axis repeated."""


class ReplicationPad2d(_ReplicationPadNd):
    """The end elements of the last two axes repeated."""


class ReplicationPad3d(_ReplicationPadNd):
    """The end elements of the last three axes repeated."""


class _CircularPadNd(_Pad):
    mode = "circular"

    def forward(self, input: Any) -> Any:
        """Map (N, C, *size) -> (N, C, *size + padding)."""
        check_rank(input, self.rank + 1, self.rank + 2)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """The last axis wrapped around."""


class CircularPad2d(_CircularPadNd):
    """The last two axes wrapped around."""


class CircularPad3d(_CircularPadNd):
    """The last three axes wrapped around."""


name_constructors(vars(), _CircularPadNd, _ConstantPadNd, _ReflectionPadNd, _ReplicationPadNd, _ZeroPadNd)
