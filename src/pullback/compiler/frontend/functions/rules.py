"""Hold what calls of functions do that are not written in Python: a rule for each that is known."""

from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any

from ....array.locks import importing
from ..state.session import Session

Rule = Callable[[Session, Any, tuple[Any, ...], dict[str, Any]], Any]

_PACKAGE = __name__.partition(".compiler.")[0]
_RULES: dict[int, tuple[Any, Rule]] = {}


def rule(*functions: Any) -> Callable[[Rule], Rule]:
    """Declare what calls of some functions do."""

    def declare(function: Rule) -> Rule:
        for f in functions:
            _RULES[id(f)] = (f, function)
        return function

    return declare


#: By module, the one that declares the rules for its functions, when the first of them is called.
_LATER = {f"{_PACKAGE}.nn.parallel.distributed": "data_parallel", "logging": "log_records"}


def rule_of(f: object) -> Rule | None:
    """Return the rule of a function; None where it has none."""
    found = _RULES.get(id(f))
    if found is None and type(f) is FunctionType and (name := f.__globals__.get("__name__")) in _LATER:
        with importing:
            import_module(f"{__package__}.{_LATER[name]}")
        found = _RULES.get(id(f))
    return None if found is None else found[1]
