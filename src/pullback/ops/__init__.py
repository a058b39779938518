"""The op table by family. Each op is declared once: kernel, rules, kind."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any, NoReturn

from . import kernel_words as kernel_words  # before the ops are declared

#: Gives torch's own names of ops, and the public functions by which they are computed: both are built on
#: this package.
_names: list[Callable[[], Any]] = []
_functions: list[Callable[[str, str], Any]] = []


def provide(names: Callable[[], Any], functions: Callable[[str, str], Any]) -> None:
    """Take what loads torch's own names of ops, and what finds public functions."""
    _names[:] = [names]
    _functions[:] = [functions]


def found(name: str, place: str) -> Any:
    """A public function of a module; None where it has none of the name."""
    return _functions[0](name, place)


class Namespace(ModuleType):
    """Ops of a program's own: `torch.ops.<namespace>`."""

    __file__ = "torch.ops"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"'_OpNamespace' '{self.__name__.rpartition('.')[2]}' object has no attribute '{name}'"
        )


def __getattr__(name: str) -> Any:
    """Load torch's own names when a program asks for them; any other name is that of an empty namespace."""
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module 'pullback.ops' has no attribute '{name}'")
    if name != "aten" or not _names:
        globals()[name] = made = Namespace(f"torch.ops.{name}")
        return made
    globals()["aten"] = aten = _names[0]()
    return aten


def load_library(path: str) -> NoReturn:
    """Refuse a compiled extension of torch's, as torch does one that it cannot load.

    Raises
    ------
    OSError
    """
    raise OSError(f"Could not load this library: {path}")
