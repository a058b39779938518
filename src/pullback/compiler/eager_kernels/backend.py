"""The native kernels that eager ops ask for (`array.large`), each from a module that its first use loads."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...array import locks

#: Where kernels are: of each the module here, a class whose object is made when it is first asked for, and
#: the method.
_HOMES = {
    "add": ("gather_scatter", "Moving", "add"),
    "c_function": ("c_functions", "CFunctions", "function"),
    "clamp": ("traced_kernels", "TracedKernels", "clamp"),
    "elementwise": ("traced_kernels", "TracedKernels", "elementwise"),
    "fourier": ("fourier", "Fourier", "run"),
    "first_places": ("scans", "Running", "first"),
    "mapped": ("traced_kernels", "TracedKernels", "mapped"),
    "mirror": ("padding", "Padding", "mirror"),
    "normals": ("normals", "Normals", "filler"),
    "over_planes": ("separable", "Separable", "run"),
    "pad": ("padding", "Padding", "pad"),
    "product": ("products", "Products", "product"),
    "pivoted": ("triangles", "Triangles", "factor"),
    "pull": ("traced_kernels", "TracedKernels", "pull"),
    "read": ("gather_scatter", "Moving", "read"),
    "rejection": ("rejection", "Rejection", "drawer"),
    "recursion": ("vector_recursion", "Recursion", "run"),
    "rows": ("traced_kernels", "TracedKernels", "rows"),
    "running": ("scans", "Running", "gathered"),
    "running_down": ("scans", "Running", "down"),
    "samples": ("grid_samples", "Sampling", "run"),
    "shuffled": ("shuffling", "Shuffling", "shuffled"),
    "stacked": ("strided_loops", "StridedLoops", "products"),
    "spread": ("spreading", "Spreading", "spread"),
    "strided": ("strided_loops", "StridedLoops", "job"),
    "take": ("row_copies", "RowCopies", "take"),
    "triangle": ("triangles", "Triangles", "solve"),
    "words": ("twister", "Twister", "filler"),
}

#: The same of what gives the kernels of arrays of some shapes and dtypes.
_GIVEN = {"channels": "Channels", "convolution": "Convolution", "pools": "Pools"}


class Kernels:
    """The native kernels, which are attributes. Each gives None, or False, where it does not take its arrays.

    The methods that `_HOMES` names say what they take. `convolution`, `pools` and `channels` give the
    convolutions, maximum pools and batch norms of arrays of some shapes and dtypes.
    """

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        """Load a kernel when it is first asked for."""
        with locks.importing:
            if name in _GIVEN:
                from ..emit import convolution

                found = getattr(convolution, _GIVEN[name]).of
            elif name in _HOMES:
                module, kind, method = _HOMES[name]
                if kind not in self._made:
                    self._made[kind] = getattr(import_module(f"{__package__}.{module}"), kind)()
                found = getattr(self._made[kind], method)
            else:
                raise AttributeError(name)
        setattr(self, name, found)
        return found
