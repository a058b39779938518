"""Fill in the functions that rewritten code calls; a trace begins with the import of this module."""

from __future__ import annotations

import operator
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import (
    attributes,
    calls,
    clocks,
    generators,
    imports,
    iteration,
    iteration_rules,
    library,
    memory_layout,
    messages,
    module_calls,  # noqa: F401  # declares rules
    operations,
    patterns,
    statements,
    subscripts,
    texts,
    variables,
)
from .hooks import COMPARISONS, HOOKS, OPERATORS, operator_function
from .session import current

#: Hooks that are a function of a module under their own name.
_BY_NAME: dict[ModuleType, str] = {
    operations: "contains not_contains is_ is_not truth not_",
    statements: "enter exception caught unknown",
    subscripts: "load_item store_item delete_item",
    variables: "load_global store_global delete_global load_cell store_cell",
    attributes: "load_attribute store_attribute delete_attribute load_super",
    iteration: "iterate delegate sequence unpacked extended mapping made new_dict new_set key",
    texts: "concatenate",
    imports: "import_module import_from",
    patterns: "match_keys match_class",
    calls: "call_named call_last_names call_unpacked",
    # They have no hooks; their rules are known once they are imported.
    iteration_rules: "",
    memory_layout: "",
    clocks: "",
    library: "",
    generators: "",
    messages: "",
}
for _module, _names in _BY_NAME.items():
    for _name in _names.split():
        setattr(HOOKS, _name, getattr(_module, _name))

HOOKS.call = calls.call_plain
HOOKS.format = texts.formatted
HOOKS.match_mapping, HOOKS.match_sequence = patterns.is_mapping, patterns.is_sequence
HOOKS.get_len = lambda thing: calls.call(len, (thing,))
HOOKS.unary = {
    "UNARY_NEGATIVE": operations._unary(operator.neg, "__neg__"),
    "UNARY_POSITIVE": operations._unary(operator.pos, "__pos__"),
    "UNARY_INVERT": operations._unary(operator.invert, "__invert__"),
}
HOOKS.binary = {}
for _sign, _name in OPERATORS.items():
    HOOKS.binary[_sign] = operations._binary(_sign, operator_function(_name), _name)
    _in_place = getattr(operator, f"i{_name}")
    HOOKS.binary[f"{_sign}="] = operations._in_place(f"{_sign}=", _in_place, _name)
HOOKS.compare = {
    sign: operations._compare(sign, getattr(operator, name), f"__{name}__")
    for sign, name in COMPARISONS.items()
}


def _converting(function: Callable[[Any], str]) -> Callable[[Any], Any]:
    return lambda value: texts.text_of(current.get(), value, function)


HOOKS.convert = {number: _converting(function) for number, function in texts._CONVERSIONS.items()}
