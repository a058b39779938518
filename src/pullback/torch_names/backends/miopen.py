"""torch.backends.miopen: not part of this build."""

from contextlib import AbstractContextManager

from .switches import switched

immediate = False


def flags(immediate: bool | None = False) -> AbstractContextManager[None]:
    """Set the switch for a ``with`` block."""
    return switched(globals(), immediate=immediate)
