"""torch.utils.deterministic: whether memory that a program has not set is filled while it asks for
deterministic algorithms.
"""

import sys
from types import ModuleType

from ..core.settings import SETTINGS
from ..errors import type_name


class _Deterministic(ModuleType):
    @property
    def fill_uninitialized_memory(self) -> bool:
        return SETTINGS.fills_unset

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode: bool) -> None:
        if type(mode) is not bool:
            raise RuntimeError(f"expected a bool, but got {type_name(mode)}")
        SETTINGS.fills_unset = mode


sys.modules[__name__].__class__ = _Deterministic
