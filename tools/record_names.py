"""Record the public names of torch as tests/data/names.json and tests/data/public_modules.json.

The first has all names of the namespaces that programs call functions of; the second has, for every public
module, the names that it declares: those of its `__all__`, else those that it defines itself.

Run with a Python that has torch, from the project's root: ``python -m tools.record_names``.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import warnings
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import torch
from tests.recorded import save

MODULES = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.masked")
#: Folders of torch that are no modules for programs.
SKIPPED = ("torch.bin", "torch.lib", "torch.include", "torch.test")


def public_names(holder: Any) -> list[str]:
    """What a module or class has, without what begins with an underscore."""
    return sorted(name for name in dir(holder) if not name.startswith("_"))


def declared(module: ModuleType) -> list[str]:
    """The public names that a module says it has."""
    if hasattr(module, "__all__"):
        names = [name for name in module.__all__ if hasattr(module, name)]
    else:
        names = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__]
    return sorted({name for name in names if not name.startswith("_")})


def modules(path: Iterable[str], prefix: str) -> dict[str, list[str]]:
    """The public modules below a package, each with the names that it declares."""
    found: dict[str, list[str]] = {}
    for entry in pkgutil.iter_modules(path, prefix):
        if entry.name.rpartition(".")[2].startswith("_") or entry.name in SKIPPED:
            continue
        try:
            with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
                module = importlib.import_module(entry.name)
        except ImportError:
            continue  # it needs a package that is not installed
        found[entry.name] = declared(module)
        if hasattr(module, "__path__"):
            found |= modules(module.__path__, entry.name + ".")
    return found


def main() -> None:
    """Write the files."""
    warnings.simplefilter("ignore")
    names = {module: public_names(importlib.import_module(module)) for module in MODULES}
    save("names", names | {"torch.Tensor": public_names(torch.Tensor)})
    save("public_modules", modules(torch.__path__, "torch."))


if __name__ == "__main__":
    main()
