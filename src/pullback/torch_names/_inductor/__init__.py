"""torch._inductor: the settings of torch's code generator, which programs set before they compile."""

from __future__ import annotations

from . import config

__all__ = ["config"]
