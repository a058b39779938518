"""Version counters: how often a storage was written to.

A counter is a one-element list that all tensors on a storage share. An inference tensor has none: what stands
in its place refuses to be read, so that saving it for backward, which reads the version, is refused where it
happens and costs the others nothing.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .. import graph_errors as errors
from .blame import written
from .modes import modes


class NoVersions(list[Any]):
    """Stands for the version counter of an inference tensor."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> NoReturn:
        raise errors.inference_saved()


def bump(tensor: Any) -> None:
    """Count a write to the storage of `tensor`.

    Raises
    ------
    RuntimeError
        Of an inference tensor outside of inference mode: as in torch, which counts last, the write has been
        done.
    """
    if type(tensor._counter) is not NoVersions:
        written(tensor._counter)
    elif not modes().inference:
        raise errors.inference_update()


def version_of(tensor: Any) -> int:
    """How often the storage of `tensor` was written to; 0 where nobody counts."""
    return 0 if type(tensor._counter) is NoVersions else tensor._counter[0]
