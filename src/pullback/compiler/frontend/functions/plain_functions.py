"""Functions that only compute with numbers, as a schedule's: they may be called after a program.

Such a function changes nothing, so all that its place in time decides is what it reads: numbers in variables,
which are named, so that it can be asked whether the traced function assigns them.
"""

import builtins
import dis
import functools
import math
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

_NUMBERS = (int, float, bool, str, type(None))
_BUILTINS = frozenset({"abs", "bool", "float", "int", "len", "max", "min", "pow", "range", "round", "sum"})
#: Beginnings of the names of instructions by which a function does more than compute.
_ACTING = (
    "STORE_GLOBAL", "STORE_NAME", "STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE", "STORE_DEREF", "DELETE_",
    "IMPORT_", "RAISE_", "RERAISE", "YIELD_", "SEND", "MAKE_FUNCTION", "LOAD_BUILD_CLASS", "LOAD_NAME",
    "LOAD_LOCALS", "LOAD_SUPER", "SETUP_", "BEFORE_", "GET_AWAITABLE", "PUSH_EXC",
)  # fmt: skip

#: What holds a variable, and its name there.
Variable = tuple[Any, str]


class _Acts(Exception):
    """A function does more than compute with numbers."""


def variables_of(function: object) -> list[Variable] | None:
    """Return the variables that a function reads: globals as (dictionary, name), cells as (cell, ``"cell"``).

    None where it may do more than compute with numbers.
    """
    try:
        return list(_read(function, set()))
    except _Acts:
        return None


def _read(function: object, seen: set[int]) -> Iterator[Variable]:
    if isinstance(function, functools.partial):
        if not all(isinstance(v, _NUMBERS) for v in (*function.args, *function.keywords.values())):
            raise _Acts
        yield from _read(function.func, seen)
        return
    if type(function) is not FunctionType:
        raise _Acts
    if id(function) in seen:
        return
    seen.add(id(function))
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not all(isinstance(value, _NUMBERS) for value in defaults):
        raise _Acts
    _check(function.__code__, function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            raise _Acts from None
        yield cell, "cell"
        yield from _held(value, name, seen)
    for instruction in dis.get_instructions(function.__code__):
        name = instruction.argval
        if instruction.opname == "LOAD_GLOBAL" and name in function.__globals__:
            yield function.__globals__, name
            yield from _held(function.__globals__[name], name, seen)


def _held(value: object, name: str, seen: set[int]) -> Iterator[Variable]:
    if value is math or isinstance(value, _NUMBERS):
        return
    if name in _BUILTINS and value is getattr(builtins, name):
        return
    yield from _read(value, seen)


def _check(code: CodeType, names: dict[str, Any]) -> None:
    """Raise unless all instructions compute, and call builtins, what `math` has, and variables only."""
    before = None
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name.startswith(_ACTING):
            raise _Acts
        if name == "LOAD_GLOBAL" and instruction.argval not in names and instruction.argval not in _BUILTINS:
            raise _Acts
        if name in ("LOAD_ATTR", "LOAD_METHOD") and (
            before is None or before.opname != "LOAD_GLOBAL" or names.get(before.argval) is not math
        ):
            raise _Acts
        before = instruction
