"""Hold the modules by which programs know torch, and find each under its name in torch.

Requirements:

- `pullback.cuda` is the very module `pullback.torch_names.cuda`, and what is below one is what is below
  the other: no module is loaded twice.
- A name that is a folder or a file of the package itself is found as Python finds it.
"""

import _imp
import functools
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, ClassVar, TypeVar

_T = TypeVar("_T")

_TOP = __name__.partition(".")[0]


@functools.cache
def names() -> frozenset[str]:
    """Return the names of the modules here, each of which is found at the package's top."""
    found = {entry.name.partition(".")[0] for place in __path__ for entry in os.scandir(place)}
    return frozenset(found - {"__init__", "__pycache__"})


def home(name: str) -> str:
    """Return the name under which a module is loaded: `pullback.torch_names.cuda` for `pullback.cuda`."""
    top, _, rest = name.partition(".")
    is_here = top == _TOP and rest.partition(".")[0] in names()
    return f"{__name__}.{rest}" if is_here else name


def public_name(name: str) -> str:
    """Return the name by which programs import a module: `pullback.cuda` for `pullback.torch_names.cuda`."""
    return _TOP + name.removeprefix(__name__) if name.startswith(f"{__name__}.") else name


class LoadedModule:
    """Hand the import system a module that is loaded already, and leave the module its own `__spec__`."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, which the import system then gives the spec of its other name."""
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        """Undo that: relative imports and `importlib.reload` go by the module's own spec."""
        module.__spec__ = self.spec


def spec_of(name: str, loader: LoadedModule) -> ModuleSpec:
    """Return the spec that gives a loaded module a second name."""
    return ModuleSpec(name, loader, is_package=hasattr(loader.module, "__path__"))  # type: ignore[arg-type]  # a loader by its methods


def _loaded(name: str) -> ModuleType | None:
    from importlib.util import find_spec

    return None if find_spec(name) is None else importlib.import_module(name)


def unlocked(load: Callable[[str], _T], name: str) -> _T:
    """Return ``load(name)``, which imports, from within a finder, called under Python's lock of all imports:
    the module may be on its way in another thread, which needs that lock to go on.
    """
    try:
        _imp.release_lock()
    except RuntimeError:  # it is not held where a program calls the finder itself
        return load(name)
    try:
        return load(name)
    finally:
        _imp.acquire_lock()


class Finder:
    """Find `pullback.x` where it is `pullback.torch_names.x`; an entry of `sys.meta_path`.

    It is asked first: a finder of files would load what is below `pullback.x` a second time.
    """

    prefix: ClassVar[str] = f"{_TOP}."

    @classmethod
    def find_spec(
        cls, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec of the module that `name` stands for; None where it stands for itself."""
        if not name.startswith(cls.prefix) or (loaded := home(name)) == name:
            return None
        module = unlocked(_loaded, loaded)
        return None if module is None else spec_of(name, LoadedModule(module))


def install() -> None:
    """Let the modules here be imported from the package's top."""
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


def module_of(package: str, name: str) -> ModuleType:
    """Load a module of a package."""
    return importlib.import_module(f"{package}.{name}")


def public(name: str, place: str = "") -> Any:
    """Return a function of the package's top, or of a module there; None where it has none of the name."""
    return getattr(importlib.import_module(f"{_TOP}.{place}" if place else _TOP), name, None)
