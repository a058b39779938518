"""torch._inductor: the settings of torch's code generator, which programs set before they compile."""

from . import config

__all__ = ["config"]
