"""Functions of the modules of a package, each a case of a test."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import Any


def functions(package: str, path: Iterable[str]) -> dict[str, Callable[..., Any]]:
    """The public functions that the modules of a package define, by `module.name`, in the order in which they
    are written.
    """
    found: dict[str, Callable[..., Any]] = {}
    for info in pkgutil.iter_modules(path):
        module = importlib.import_module(f"{package}.{info.name}")
        for name, value in vars(module).items():
            own = getattr(value, "__module__", "") == module.__name__
            if callable(value) and own and not name.startswith("_"):
                found[f"{info.name}.{name}"] = value
    return found
