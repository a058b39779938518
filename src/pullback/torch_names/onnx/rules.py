"""Hold the table of rules, and how a rule is declared.

A rule gets the graph that is being built, the op's operands and its attributes, and returns the names of the
results: one, or a tuple. Operands are `Operand` (values), numbers or None. What a rule reads of an attribute
may be a `Varying`; the graph makes a tensor of sizes of it, or refuses it where ONNX wants a number.
"""

from collections.abc import Callable
from typing import Any

Rule = Callable[..., Any]

#: By the name of the op, the `base` of others.
RULES: dict[str, Rule] = {}


class Unsupported(Exception):
    """ONNX has nothing for an op, or not with such attributes."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Declare how the ops of some names are told in ONNX."""

    def declare(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return declare
