"""What tests ask of the package's sources; each file is parsed once in a process.

Of 1,190 files that takes 4.2 s of processor time. The trees would take hundreds of megabytes: what is asked
is taken out of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1] / "src" / "pullback"

#: How a source names what imports at run time. Where nothing does, imports are statements: to walk those
#: alone takes a fifth of the time of all nodes.
IMPORTS_AT_RUN_TIME = re.compile(r"\b(?:import_module|import_later|__import__|modules)\b")


class Definition(NamedTuple):
    """A module, a class or a function."""

    kind: type[ast.AST]
    name: str
    line: int
    #: Of all but the docstring.
    lines: int
    docstring: str | None


class Source(NamedTuple):
    """A file of Python."""

    path: Path
    text: str
    definitions: list[Definition]
    #: The nodes of imports that run: statements, and all calls and subscripts where one may import.
    importing: list[ast.AST]
    binds_globals: bool


@cache
def package() -> list[Source]:
    """Read the whole package."""
    return [read(path) for path in sorted(PACKAGE.rglob("*.py"))]


def read(path: Path) -> Source:
    text = path.read_text("utf-8")
    tree = ast.parse(text, str(path))
    nodes = list(statements(tree))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    definitions = [definition(node) for node in nodes if isinstance(node, kinds)]
    run = walk(tree) if IMPORTS_AT_RUN_TIME.search(text) else statements(tree, only_run=True)
    imports = (ast.Import, ast.ImportFrom, ast.Call, ast.Subscript)
    importing = [node for node in run if isinstance(node, imports)]
    return Source(path, text, definitions, importing, any(isinstance(node, ast.Global) for node in nodes))


def definition(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Definition:
    docstring = ast.get_docstring(node, clean=False)
    lines = 0
    if not isinstance(node, ast.Module):
        first = node.body[0]
        lines = (node.end_lineno or 0) - node.lineno + 1
        lines -= (first.end_lineno or 0) - first.lineno + 1 if docstring is not None else 0
    return Definition(type(node), getattr(node, "name", ""), getattr(node, "lineno", 1), lines, docstring)


def statements(tree: ast.AST, only_run: bool = False) -> Iterator[ast.AST]:
    """A module and its statements alone; without the bodies of `if TYPE_CHECKING:`, which never run."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        fields = ("body", "orelse", "handlers", "finalbody", "cases")
        for field in fields[1:] if only_run and is_type_checking(node) else fields:
            waiting += found if isinstance(found := getattr(node, field, []), list) else []


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes that run: `ast.walk` without the bodies of `if TYPE_CHECKING:`."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if is_type_checking(node):
            waiting += node.orelse  # type: ignore[attr-defined]
        else:
            waiting += ast.iter_child_nodes(node)


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def dotted(node: ast.expr) -> str:
    """A name, or names with dots between, as it is written; "" for another expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := dotted(node.value)):
        return f"{before}.{node.attr}"
    return ""
