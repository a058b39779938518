"""torch.backends.mkl: not part of this build."""

from __future__ import annotations

from .switches import is_available  # noqa: F401  # torch has the question here

VERBOSE_OFF = 0
VERBOSE_ON = 1


class verbose:
    """A ``with`` block in which MKL would tell what it does."""

    def __init__(self, enable: int) -> None:
        self.enable = enable

    def __enter__(self) -> verbose:
        return self

    def __exit__(self, *_: object) -> None:
        return None
