"""The parts of torch's C++ module that hold built-in functions, such as ``torch._C._nn``.

A built-in function says that it is in one of them, and the code of traced graphs calls it there. A function
is found when it is first asked for, since some namespaces are declared as late.
"""

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ...tensor.api import REGISTRY
from ...tensor.builtin import described, published


@cache
def _functions() -> dict[str, dict[str, Any]]:
    """Return the functions of each part by name."""
    top = import_module(__name__.partition(".")[0])
    for declared_later in (*top._LATER, "nn", "linalg", "fft", "special"):
        getattr(top, declared_later)
    found: dict[str, dict[str, Any]] = {}
    for d in REGISTRY:
        told = described(d.name, d.namespace) if d.is_function else None
        if told is not None:
            part, name = told
            found.setdefault(part, {})[name] = published(d.function, d.name, d.namespace)
    return found


class BuiltInFunctions(ModuleType):
    """A module of built-in functions by its path, such as ``"torch._C._nn"``, with what else it holds."""

    def __init__(self, name: str, **others: Any) -> None:
        super().__init__(name)
        vars(self).update(others, __file__=__file__)

    def __getattr__(self, name: str) -> Any:
        found = None if name.startswith("__") else _functions().get(self.__name__, {}).get(name)
        if found is None:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *_functions().get(self.__name__, {})})
