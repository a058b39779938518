"""torch.ops.aten: torch's own names of ops, by overload, which libraries call, compare and keep in tables.

What this package must do:

- have every op that torch has, with its overloads and their schemas (`schema.py`, `overload.py`);
- compute an overload by the public function that stands for it (`calls.py`);
- tell classes and modes with `__torch_dispatch__` of ops under these names (`translated.py`).
"""

from types import ModuleType
from typing import Any

from .overload import OpOverload, OpOverloadPacket, packet
from .schema import overloads


class _Namespace(ModuleType):
    __file__ = "torch.ops"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not overloads(name):
            raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
        found = packet(name)
        self.__dict__[name] = found
        return found


#: What `torch.ops.aten` is.
aten = _Namespace("torch.ops.aten")

__all__ = ["OpOverload", "OpOverloadPacket", "aten"]
