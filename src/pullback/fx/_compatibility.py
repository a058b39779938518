"""torch.fx._compatibility: marks by which functions promise to stay, or do not."""

from collections.abc import Callable
from textwrap import dedent
from typing import Any, TypeVar

T = TypeVar("T")

_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}

_GUARANTEED = "\n\n.. note::\n    Backwards-compatibility for this API is guaranteed.\n"
_EXPERIMENTAL = "\n\n.. warning::\n    This API is experimental and is *NOT* backward-compatible.\n"


def compatibility(is_backward_compatible: bool) -> Callable[[T], T]:
    """Return a decorator that says in a docstring whether what it marks promises to stay."""

    def mark(marked: T) -> T:
        note = _GUARANTEED if is_backward_compatible else _EXPERIMENTAL
        marked.__doc__ = dedent(getattr(marked, "__doc__", None) or "") + note
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(marked)
        _MARKED_WITH_COMPATIBILITY.setdefault(marked)
        return marked

    return mark
