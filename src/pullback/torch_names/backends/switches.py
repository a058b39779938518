"""Say that a library is absent; set its switches for a ``with`` block, and put them back."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def is_available() -> bool:
    """Return False: the library is not part of this build."""
    return False


@contextmanager
def switched(module: dict[str, Any], **values: Any) -> Iterator[None]:
    """Set names of a module, given by its ``globals()``, for a while; None leaves a name as it is."""
    wanted = {name: value for name, value in values.items() if value is not None}
    before = {name: module[name] for name in wanted}
    module.update(wanted)
    try:
        yield
    finally:
        module.update(before)
