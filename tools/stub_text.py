"""Pieces of a stub's text: heads of functions, docstrings and default values, within the lines' width."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from textwrap import fill
from typing import Any

WIDTH = 110


def paragraph(function: Callable[..., Any]) -> str:
    """The first paragraph of what a function says of itself, on one line."""
    text = " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
    return text.replace("\\", "\\\\").replace('"""', "'''")


def definition(indent: str, name: str, parameters: list[str], result: str, rest: str) -> list[str]:
    """A function's head in lines of at most `WIDTH` columns."""
    line = f"{indent}def {name}({', '.join(parameters)}) -> {result}:{rest}"
    if len(line) <= WIDTH:
        return [line]
    lines = [f"{indent}def {name}("]
    row = indent + "   "
    for parameter in parameters:
        if len(row) + len(parameter) + 2 > WIDTH:
            lines.append(row)
            row = indent + "   "
        row += f" {parameter},"
    return [*lines, row, f"{indent}) -> {result}:{rest}"]


def documentation(indent: str, text: str) -> list[str]:
    """A docstring in lines of at most `WIDTH` columns."""
    if len(indent) + len(text) + 6 <= WIDTH:
        return [f'{indent}"""{text}"""']
    lines = fill(f'"""{text}', WIDTH - 3, initial_indent=indent, subsequent_indent=indent).splitlines()
    return [*lines, f'{indent}"""']


def default(p: inspect.Parameter) -> str:
    """A default value as a stub writes it."""
    plain = p.default is None or isinstance(p.default, bool | int | float | str) or p.default == ()
    return repr(p.default) if plain and repr(p.default) not in ("inf", "nan") else "..."


def literal(text: str) -> str:
    """A default value of a signature as torch prints it, as a stub writes it."""
    if text.startswith("{"):
        text = f"({text[1:-1].replace(',', ', ')})"
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return "..."
    return text
