"""Record the public names of torch's namespaces as tests/data/names.json.

Run with a Python that has torch, from the project's root: ``python -m tools.record_names``.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch
from tests.recorded import save

MODULES = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special", "torch.masked")


def public_names(holder: Any) -> list[str]:
    """What a module or class has, without what begins with an underscore."""
    return sorted(name for name in dir(holder) if not name.startswith("_"))


def main() -> None:
    """Write the file."""
    names = {module: public_names(importlib.import_module(module)) for module in MODULES}
    save("names", names | {"torch.Tensor": public_names(torch.Tensor)})


if __name__ == "__main__":
    main()
