"""torch.distributed.tensor._utils: where the part of a process lies, as libraries ask for it."""

from collections.abc import Sequence
from typing import Any

from .layout import Layout, local_offsets, local_shape, normalised


def compute_local_shape_and_global_offset(
    global_shape: Sequence[int], mesh: Any, placements: Sequence[Any], skip_offset: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of what this process has of a tensor, and where in the whole it begins.

    Parameters
    ----------
    global_shape : sequence of int
    mesh : DeviceMesh
    placements : sequence of Placement
        One for each dimension of `mesh`.
    skip_offset : bool
        Whether the second result is left empty.
    """
    layout = Layout(mesh, normalised(placements, mesh, len(global_shape)), tuple(global_shape))
    return local_shape(layout), () if skip_offset else local_offsets(layout)


__all__ = ["compute_local_shape_and_global_offset"]
