"""torch.signal: window functions of signal processing."""

from ..exclusions import answer_for
from . import windows
from .windows import *  # noqa: F403  # as torch has them

__all__ = ["windows"]
__all__ += windows.__all__

answer_for(globals())
