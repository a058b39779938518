"""The functions that rewritten code calls, by what the instruction did that they stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any


class Hooks:
    """The functions that rewritten code calls; each says what it is given.

    They are looked up once, when a code object is rewritten.
    """

    load_global: Callable[[str], Any]
    store_global: Callable[[Any, str], None]
    delete_global: Callable[[str], None]
    load_cell: Callable[[Any], Any]
    store_cell: Callable[[Any, Any], None]
    load_attribute: Callable[[Any, str], Any]
    store_attribute: Callable[[tuple[Any, Any, str]], None]
    delete_attribute: Callable[[Any, str], None]
    load_super: Callable[[tuple[Any, Any, Any, str, bool]], Any]
    load_item: Callable[[Any, Any], Any]
    store_item: Callable[[tuple[Any, Any, Any]], None]
    delete_item: Callable[[Any, Any], None]
    binary: dict[str, Callable[[Any, Any], Any]]
    unary: dict[str, Callable[[Any], Any]]
    compare: dict[str, Callable[[Any, Any], Any]]
    contains: Callable[[Any, Any], bool]
    not_contains: Callable[[Any, Any], bool]
    is_: Callable[[Any, Any], bool]
    is_not: Callable[[Any, Any], bool]
    truth: Callable[[Any], bool]
    not_: Callable[[Any], bool]
    iterate: Callable[[Any], Any]
    delegate: Callable[[Any], Any]
    sequence: Callable[[Any], Any]
    unpacked: Callable[[Any], Any]
    extended: Callable[[Any], Any]
    mapping: Callable[[Any], Any]
    made: Callable[[Any], Any]
    new_dict: Callable[[tuple[Any, ...]], dict[Any, Any]]
    new_set: Callable[[tuple[Any, ...]], set[Any]]
    key: Callable[[Any], Any]
    enter: Callable[[Any], tuple[Any, Any]]
    exception: Callable[[Any], Any]
    caught: Callable[[BaseException], None]
    left: Callable[[BaseException], None]
    format: Callable[[tuple[Any, int, Any]], Any]
    convert: dict[int, Callable[[Any], Any]]
    concatenate: Callable[[tuple[Any, ...]], Any]
    import_module: Callable[[tuple[Any, Any, str]], Any]
    import_from: Callable[[Any, str], Any]
    call: Callable[[Any, tuple[Any, ...]], Any]
    call_named: Callable[[tuple[Any, tuple[Any, ...], tuple[str, ...]]], Any]
    call_last_names: Callable[[Any, tuple[Any, ...]], Any]
    call_unpacked: Callable[[tuple[Any, ...]], Any]
    match_mapping: Callable[[Any], bool]
    match_sequence: Callable[[Any], bool]
    match_keys: Callable[[Any, tuple[Any, ...]], tuple[Any, ...] | None]
    match_class: Callable[[tuple[Any, Any, tuple[str, ...], int]], tuple[Any, ...] | None]
    get_len: Callable[[Any], int]
    unknown: Callable[[str], None]


#: What `operations.registered` fills in.
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
