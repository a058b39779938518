"""Collect the programs of all tables, each name once."""

from __future__ import annotations

import importlib
import pkgutil

from .programs import Program


def all_programs() -> list[Program]:
    """Return the programs of every module ``table_*`` beside this one."""
    package = __name__.rpartition(".")[0]
    found: list[Program] = []
    for module in sorted(m.name for m in pkgutil.iter_modules(importlib.import_module(package).__path__)):
        if module.startswith("table_"):
            found += importlib.import_module(f"{package}.{module}").PROGRAMS
    names = [program.name for program in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"programs of the same name: {twice}")
    return found
