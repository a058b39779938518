"""Infer the schema of an op from a Python function's annotations, and read its parameters back."""

import inspect
import re
import typing
from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Union

from ...array import dtypes
from ...core.device import device
from ...tensor.tensor import Tensor

_WORDS = {
    Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", device: "Device",
    dtypes.dtype: "ScalarType", int | float | bool: "Scalar",
}  # fmt: skip


def _word(kind: Any) -> str | None:
    """Return an annotation as schemas write it; None for one that they have no word for."""
    if kind in _WORDS:
        return _WORDS[kind]
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (Union, UnionType) and NoneType in parts:
        rest = [p for p in parts if p is not NoneType]
        inner = _word(reduce(or_, rest))
        return None if inner is None else inner + "?"
    if origin is list or (isinstance(origin, type) and issubclass(origin, Sequence) and origin is not tuple):
        inner = _word(parts[0])
        return None if inner is None else inner + "[]"
    return None


def infer_schema(
    prototype_function: Callable[..., Any], /, *, mutates_args: Any = (), op_name: str | None = None
) -> str:
    """Return the schema of a function with annotations, which writes to the arguments of some names.

    Raises a ValueError where an annotation is missing or cannot be told in a schema.
    """
    hints = typing.get_type_hints(prototype_function)
    signature = inspect.signature(prototype_function)
    parts: list[str] = []
    for name, parameter in signature.parameters.items():
        if name not in hints:
            raise ValueError(
                f"infer_schema(func): Parameter {name} must have a type annotation. Got func with signature "
                f"{signature})"
            )
        if (word := _word(hints[name])) is None:
            raise ValueError(
                f"infer_schema(func): Parameter {name} has unsupported type {hints[name]}. Got func with "
                f"signature {signature})"
            )
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        if name in mutates_args:
            word = word.replace("Tensor", f"Tensor(a{len(parts)}!)", 1)
        default = "" if parameter.default is parameter.empty else f"={parameter.default}"
        parts.append(f"{word} {name}{default}")
    found = hints.get("return", NoneType)
    outputs = typing.get_args(found) if typing.get_origin(found) is tuple else (found,)
    words = ["()" if output is NoneType else _word(output) for output in outputs]
    if None in words:
        raise ValueError(f"infer_schema(func): Return has unsupported type {found}.")
    result = words[0] if len(words) == 1 else f"({', '.join(map(str, words))})"
    return f"{op_name or ''}({', '.join(parts)}) -> {result}"


def _parameters(schema: str) -> inspect.Signature:
    """Return the parameters that a schema names, for binding a call's arguments."""
    inside = schema[schema.index("(") + 1 : schema.rindex("->")].rstrip()[:-1]
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = []
    for part in re.split(r",\s*(?![^\[(]*[\])])", inside):
        if part.strip() == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        if not part.strip():
            continue
        declared, equals, default = part.partition("=")
        value = _default(default.strip()) if equals else inspect.Parameter.empty
        found.append(inspect.Parameter(declared.split()[-1], kind, default=value))
    return inspect.Signature(found)


def _default(text: str) -> Any:
    words = {"None": None, "True": True, "False": False}
    if text in words:
        return words[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("\"'")
