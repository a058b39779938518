"""Fill in the functions that rewritten code calls; a trace begins with the import of this module."""

import operator
from functools import partial
from types import ModuleType

from ..bytecode.hooks import COMPARISONS, HOOKS, OPERATORS, operator_function
from ..functions import (
    clocks,
    fixed_integers,
    frames,
    hook_handles,
    iterators,
    memory_layout,
    messages,
    module_calls,
    random_generators,
    standard_library,
)
from ..state.session import current
from . import (
    attributes,
    calls,
    formatting,
    imports,
    iteration,
    match_statement,
    operators,
    statements,
    subscripts,
    variables,
)

#: Hooks that are a function of a module under their own name.
_BY_NAME: dict[ModuleType, str] = {
    operators: "contains not_contains is_ is_not truth not_",
    statements: "enter exception caught left unknown",
    subscripts: "load_item store_item delete_item",
    variables: "load_global store_global delete_global load_cell store_cell",
    attributes: "load_attribute store_attribute delete_attribute load_super",
    iteration: "iterate sequence unpacked extended mapping made new_dict new_set key",
    formatting: "concatenate",
    imports: "import_module import_from",
    match_statement: "match_keys match_class",
    calls: "call_named call_last_names call_unpacked",
    # They have no hooks; their rules are known once they are imported.
    **dict.fromkeys(
        (
            iterators, memory_layout, clocks, standard_library, random_generators, messages, module_calls,
            hook_handles, fixed_integers, frames,
        ), "",
    ),
}
for _module, _names in _BY_NAME.items():
    for _name in _names.split():
        setattr(HOOKS, _name, getattr(_module, _name))

HOOKS.call = calls.call_plain
HOOKS.format = formatting.formatted
HOOKS.delegate = iteration.iterate
HOOKS.match_mapping = partial(match_statement.has_flag, flag=match_statement.MAPPING)
HOOKS.match_sequence = partial(match_statement.has_flag, flag=match_statement.SEQUENCE)
HOOKS.get_len = lambda thing: calls.call(len, (thing,))
HOOKS.unary = {
    "UNARY_NEGATIVE": operators._unary(operator.neg, "__neg__"),
    "UNARY_POSITIVE": operators._unary(operator.pos, "__pos__"),
    "UNARY_INVERT": operators._unary(operator.invert, "__invert__"),
}
HOOKS.binary = {}
for _sign, _name in OPERATORS.items():
    HOOKS.binary[_sign] = operators._binary(_sign, operator_function(_name), _name)
    _in_place = getattr(operator, f"i{_name}")
    HOOKS.binary[f"{_sign}="] = operators._in_place(f"{_sign}=", _in_place, _name)
HOOKS.compare = {
    sign: operators._compare(sign, getattr(operator, name), f"__{name}__")
    for sign, name in COMPARISONS.items()
}


HOOKS.convert = {
    number: lambda value, how=how: formatting.text_of(current.get(), value, how)  # type: ignore[misc]
    for number, how in formatting._CONVERSIONS.items()
}
