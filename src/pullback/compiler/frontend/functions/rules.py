"""Hold what calls of functions do that are not written in Python: a rule for each that is known."""

from collections.abc import Callable
from typing import Any

from ..state.session import Session

Rule = Callable[[Session, Any, tuple[Any, ...], dict[str, Any]], Any]

_RULES: dict[int, tuple[Any, Rule]] = {}


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    """Declare what calls of some functions do."""

    def declare(function: Rule) -> Rule:
        for f in functions:
            _RULES[id(f)] = (f, function)
        return function

    return declare


def rule_of(f: Any) -> Rule | None:
    """Return the rule of a function; None where it has none."""
    found = _RULES.get(id(f))
    return None if found is None else found[1]
