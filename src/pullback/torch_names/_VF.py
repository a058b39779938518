"""torch._VF: the functions of the top level once more, for programs copied from torch's own layers."""

from typing import Any

import pullback


def __getattr__(name: str) -> Any:
    return getattr(pullback, name)
