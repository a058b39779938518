"""A hook of the site's builder, and an extension of Griffe: the pages of the reference.

Each name of docs/examples gets a page: mkdocstrings renders its signature and docstring, and below them is
the example with what it prints. Signatures and docstrings are those of the running package: declarations make
many of them when pullback is imported, and no source has them.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import tempfile
from typing import Any

import griffe
from properdocs.config.defaults import ProperDocsConfig
from properdocs.structure.files import File, Files
from tools.examples import Entry, entries, run, title
from tools.stub_text import default

from pullback.command import run as runner
from pullback.tensor.builtin import behind

FOLDER = "reference"


def on_files(files: Files, config: ProperDocsConfig) -> Files:
    """Add a page for each name, and one for each file of names."""
    runner.install()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # some examples write files
        for stem, found in entries().items():
            files.append(File.generated(config, f"{FOLDER}/{stem}.md", content=index(stem, found)))
            for entry in found:
                files.append(File.generated(config, f"{FOLDER}/{entry.name}.md", content=page(stem, entry)))
    return files


def page(stem: str, entry: Entry) -> str:
    """Return the page of a name."""
    others = ", ".join(f"`{name}`" for name in entry.others)
    parts = [
        f"---\ntitle: {entry.name}\nsearch:\n  boost: 2\n---",
        f"[Reference](../reference.md) / [{title(stem)}]({stem}.md)",
        f"::: pullback.{key(entry)}\n    options:\n      heading: {entry.name}",
        f"See also {others}." if others else "",
        "## Example",
        f"```python\n{entry.program.rstrip()}\n```",
        f"```text\n{run(entry.program).rstrip()}\n```",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def index(stem: str, found: list[Entry]) -> str:
    """Return the page that lists the names of a file. The search finds the pages of the names instead."""
    parts, heading = ["---\nsearch:\n  exclude: true\n---"], ""
    parts.append(f"\n# {title(stem)}\n\n[Reference](../reference.md)")
    for entry in found:
        if entry.heading != heading:
            heading = entry.heading
            parts.append(f"\n## {heading}\n")
        parts.append(f"- [`{entry.name}`]({entry.name}.md): {summary(entry.value)}")
    return "\n".join(parts) + "\n"


def summary(value: Any) -> str:
    """Return the first sentence of what a name says of itself."""
    text = " ".join(documentation(value).split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", text)[0]


def documentation(value: Any) -> str:
    """Return what a name says of itself."""
    return (inspect.getdoc(behind(value)) or "").replace("``", "`")


class Declared(griffe.Extension):
    """Puts the names of the reference, as the running package has them, in place of what Griffe has read."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Replace the members of the package. All are its own: `explain` is a function with members."""
        pkg.members.clear()
        for entry in (entry for found in entries().values() for entry in found):
            place, _, name = entry.path.rpartition(".")
            made = declared(name, entry.value)
            made.parent = griffe.Module(place.partition(".")[2], parent=pkg) if "." in place else pkg
            pkg.members[key(entry)] = made


def key(entry: Entry) -> str:
    """Return the name under which Griffe has an entry."""
    return entry.path.partition(".")[2].replace(".", "_")


def declared(name: str, value: Any) -> griffe.Object:
    """Return an object of the running package as Griffe describes objects."""
    value = behind(value)
    if inspect.ismodule(value):  # one that can be called, as the function of its name
        value = getattr(value, name)
    made: griffe.Class | griffe.Function | griffe.Attribute
    if not callable(value):
        made = griffe.Attribute(name)
    elif inspect.isclass(value):
        made = griffe.Class(name, bases=[])
        made.set_member("__init__", function("__init__", value))
        for key, member in vars(value).items():
            if not key.startswith("_") and inspect.isfunction(member) and member.__doc__:
                made.set_member(key, function(key, member))
    else:
        made = function(name, value)
    made.docstring = griffe.Docstring(documentation(value), parent=made)
    return made


def function(name: str, value: Any) -> griffe.Function:
    """Return a function, method or constructor as Griffe describes functions."""
    try:
        signature = inspect.signature(value)
    except ValueError:  # of a class in C
        return griffe.Function(name)
    result = signature.return_annotation
    made = griffe.Function(
        name,
        parameters=griffe.Parameters(*(parameter(p) for p in signature.parameters.values())),
        returns=None if result is signature.empty or name == "__init__" else words(result),
    )
    if name != "__init__":
        made.docstring = griffe.Docstring(documentation(value), parent=made)
    return made


def parameter(p: inspect.Parameter) -> griffe.Parameter:
    """Return a parameter as Griffe describes parameters."""
    return griffe.Parameter(
        p.name,
        annotation=None if p.annotation is p.empty else words(p.annotation),
        kind=griffe.ParameterKind[p.kind.name.lower()],
        default=None if p.default is p.empty else default(p),
    )


def words(annotation: Any) -> str:
    """Return a type as it is written."""
    return annotation.__name__ if inspect.isclass(annotation) else str(annotation)
