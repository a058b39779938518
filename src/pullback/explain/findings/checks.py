"""Look at single calls: a check declares which ones it looks at, by the names of their functions."""

from __future__ import annotations

from collections.abc import Callable

from ..trace import Event
from .collected import Findings

Check = Callable[[Event, Findings], None]

#: The checks of calls by the name of the function, in the order in which they look.
CHECKS: dict[str, list[Check]] = {}


def calls_of(*names: str) -> Callable[[Check], Check]:
    """Declare that a check looks at the calls of the functions of some names."""

    def declare(check: Check) -> Check:
        for name in names:
            CHECKS.setdefault(name, []).append(check)
        return check

    return declare


def look_at(event: Event, findings: Findings) -> None:
    """Let each check look at a call that is for it."""
    for check in CHECKS.get(event.name, ()):
        check(event, findings)
