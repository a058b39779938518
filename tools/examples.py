"""Read the examples of docs/examples: what the pages of the reference are made of.

A file is a page of the index, and has this form:

    = The title of the page

    # A heading on it

    torch.clamp torch.clip
        torch.clamp(torch.tensor([-1.0, 2.0]), min=0.0)

A line at the left edge has a public name, and further names of the same thing. The indented lines below
it are a program, before which ``import torch`` and ``import pullback`` stand where it uses them; its last
line is a value to print, or prints by itself.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import linecache
import re
import sys
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from pullback.torch_names.exclusions import Missing

FOLDER = Path(__file__).parents[1] / "docs" / "examples"

#: What the program of an example is called in tracebacks and explanations.
FILE = "example.py"


class Entry(NamedTuple):
    """A public name with its example."""

    name: str
    others: tuple[str, ...]
    heading: str
    program: str

    @property
    def path(self) -> str:
        """The name as pullback has it."""
        return "pullback." + self.name.partition(".")[2]

    @property
    def value(self) -> Any:
        """What the name stands for."""
        return find(self.name)


def find(name: str) -> Any:
    """Return what a public name stands for: torch's, or pullback's own."""
    parts = name.split(".")[1:]
    value: Any = importlib.import_module("pullback")
    for k, part in enumerate(parts):
        if not hasattr(value, part):
            importlib.import_module(".".join(["pullback", *parts[: k + 1]]))
        value = getattr(value, part)
    return value


@cache
def entries() -> dict[str, list[Entry]]:
    """Return the entries of each file, in their order."""
    return {file.stem: _read(file.read_text(encoding="utf-8")) for file in sorted(FOLDER.glob("*.txt"))}


def title(stem: str) -> str:
    """Return the title of a file's page."""
    with (FOLDER / f"{stem}.txt").open(encoding="utf-8") as file:
        return file.readline().removeprefix("= ").strip()


def _read(text: str) -> list[Entry]:
    found: list[Entry] = []
    names, heading = [""], ""
    lines = [line for line in text.splitlines() if line]
    for indented, group in groupby(lines, key=lambda line: line.startswith("    ")):
        if indented:
            body = "\n".join(line[4:] for line in group)
            found.append(Entry(names[0], tuple(names[1:]), heading, _printing(body)))
            continue
        for line in group:
            if line.startswith("# "):
                heading = line[2:]
            elif not line.startswith("= "):
                names = line.split()
    return found


def _printing(body: str) -> str:
    """Return a program that prints the value of its last line."""
    tree = ast.parse(body)
    last = tree.body[-1]
    lines = body.splitlines()
    if isinstance(last, ast.Expr) and not re.match(r"print\(", lines[last.lineno - 1]):
        value = "\n".join(lines[last.lineno - 1 :])
        body = "\n".join([*lines[: last.lineno - 1], f"print({value})"])
    head = [f"import {name}" for name in ("pullback", "torch") if re.search(rf"\b{name}\.", body)]
    if not re.match("import |from ", body):
        head.append("")
    return "\n".join([*head, body, ""])


def missing(places: list[str]) -> list[str]:
    """Return the public functions and classes of some modules that no example is of."""
    there = {name for found in entries().values() for entry in found for name in (entry.name, *entry.others)}
    absent = []
    for place in places:
        module = find(place) if "." in place else importlib.import_module("pullback")
        for name in module.__all__:
            value = getattr(module, name)
            plain = not callable(value) or isinstance(value, ModuleType | Missing)
            if plain or name.startswith("_") or f"{place}.{name}" in there:
                continue
            absent.append(f"{place}.{name}")
    return absent


def run(program: str) -> str:
    """Run a program here and return what it printed."""
    printed = io.StringIO()
    linecache.cache[FILE] = (len(program), None, program.splitlines(keepends=True), FILE)
    with contextlib.redirect_stdout(printed):
        exec(compile(program, FILE, "exec", dont_inherit=True), {"__name__": "__main__", "__file__": FILE})
    return printed.getvalue()


def main() -> None:
    """Run all examples in the current folder and write as JSON what each printed.

    Under ``python -m pullback -m tools.examples`` torch is pullback in them. Without it, those that need
    nothing of pullback's own run on PyTorch.
    """
    import torch

    ours = torch.__version__ == importlib.import_module("pullback").__version__
    told = {}
    for entry in (entry for found in entries().values() for entry in found):
        if ours or "pullback" not in entry.program:
            try:
                told[entry.name] = run(entry.program)
            except Exception as error:
                error.add_note(f"in the example of {entry.name}:\n{entry.program}")
                raise
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
