"""The functions that rewritten code calls, by what the instruction did that they stand for."""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any


class Hooks:
    """The functions that rewritten code calls; `operations.registered` sets them.

    They are looked up once, when a code object is rewritten.
    """

    binary: dict[str, Callable[[Any, Any], Any]]
    unary: dict[str, Callable[[Any], Any]]
    compare: dict[str, Callable[[Any, Any], Any]]
    convert: dict[int, Callable[[Any], Any]]

    if TYPE_CHECKING:
        # The others are functions, by their names.
        def __getattr__(self, name: str) -> Callable[..., Any]: ...
        def __setattr__(self, name: str, value: object) -> None: ...


HOOKS = Hooks()

#: Signs of operators → the functions of `operator`.
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "@": "matmul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip
COMPARISONS = {"<": "lt", "<=": "le", "==": "eq", "!=": "ne", ">": "gt", ">=": "ge"}


def operator_function(name: str) -> Callable[..., Any]:
    """Return a function of `operator`, some of which end in an underscore."""
    return getattr(operator, name if hasattr(operator, name) else f"{name}_")
