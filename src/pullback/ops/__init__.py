"""The op table by family. Each op is declared once: kernel, rules, kind."""

from importlib import import_module
from os.path import isfile
from types import ModuleType
from typing import Any, NoReturn

from ..core import facade
from . import kernel_words as kernel_words  # before the ops are declared


class Namespace(ModuleType):
    """Ops of a program's own: `torch.ops.<namespace>`."""

    __file__ = "torch.ops"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"'_OpNamespace' '{self.__name__.rpartition('.')[2]}' object has no attribute '{name}'"
        )


def declare_all() -> None:
    """Declare every op: those of layers and of rare functions are declared when they are first used."""
    from pkgutil import iter_modules

    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")


def __getattr__(name: str) -> Any:
    """Load torch's own names when a program asks for them; any other name is that of an empty namespace."""
    if name.startswith("__") or _is_module(name):
        raise AttributeError(f"module 'pullback.ops' has no attribute '{name}'")
    if name in ("aten", "pullback"):
        made = getattr(facade.torch_names(), name)
    else:
        made = Namespace(f"torch.ops.{name}")
    globals()[name] = made
    return made


def _is_module(name: str) -> bool:
    """Return whether there is a module of that name here, be it in an archive or without its source."""
    # Asked at the first import of each module, of which a search by the import system takes 0.1 ms.
    if isfile(f"{__path__[0]}/{name}.py"):
        return True
    from importlib.util import find_spec

    return find_spec(f"{__name__}.{name}") is not None


def load_library(path: str) -> NoReturn:
    """Refuse a compiled extension of torch's by an OSError, as torch does one that it cannot load."""
    raise OSError(f"Could not load this library: {path}")
