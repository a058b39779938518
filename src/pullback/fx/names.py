"""Choose names of nodes: Python identifiers, each used once, none of which hides a keyword or a builtin."""

import builtins
import keyword
import re
from typing import Any

#: Cuts a number off a name's end.
_NAME = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")
_NOT_IN_NAMES = re.compile("[^0-9a-zA-Z_]+")
_INNER_CAPITAL = re.compile(r"(?<=[a-z])([A-Z])")

#: Names that stand for something in generated code, beside the builtins: what each stands for.
RESERVED: dict[str, Any] = {name: object() for name in keyword.kwlist} | vars(builtins)


def snake_case(name: str) -> str:
    """Return ``maxPool`` as ``max_pool``."""
    return _INNER_CAPITAL.sub(r"_\1", name).lower()


class Namespace:
    """The names that are taken, and what has them."""

    def __init__(self) -> None:
        self._named: dict[Any, str] = {}
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def create(self, candidate: str, owner: Any) -> str:
        """Return a new name near `candidate`; what has a name already keeps it.

        `owner` is what gets it, None where nothing is to be found by it.
        """
        if owner is not None and owner in self._named:
            return self._named[owner]
        if (match := _NAME.match(candidate)) is None:
            candidate = _NOT_IN_NAMES.sub("_", candidate) or "_unnamed"
            if candidate[0].isdigit():
                candidate = f"_{candidate}"
            match = _NAME.match(candidate)
            assert match is not None
        base, digits = match.groups()
        if digits is not None and candidate not in self._taken:
            number = int(digits)
        else:
            number = self._last.get(base, 0)
            if RESERVED.get(candidate, owner) is not owner:
                number += 1
                candidate = f"{base}_{number}"
        while candidate in self._taken:
            number += 1
            candidate = f"{base}_{number}"
        self._taken.add(candidate)
        self._last[base] = number
        if owner is not None:
            self._named[owner] = candidate
        return candidate

    def give(self, name: str, owner: Any) -> None:
        """Note whose a name is."""
        if self._named.setdefault(owner, name) is not name:
            raise AssertionError("obj is already associated")

    def rename(self, owner: Any, name: str) -> None:
        """Give what has a name another."""
        self._named[owner] = name
        self._taken.add(name)
