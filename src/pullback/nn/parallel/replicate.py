"""torch.nn.parallel.replicate: copies of a module on accelerators, of which there is none."""

from collections.abc import Sequence
from typing import Any, NoReturn

from ...errors import with_note
from .comm import NOTE


def replicate(network: Any, devices: Sequence[Any], detach: bool = False) -> NoReturn:
    """Return copies of a module on several accelerators: raises."""
    raise with_note(AssertionError("Broadcast function not implemented for CPU tensors"), NOTE)


__all__ = ["replicate"]
