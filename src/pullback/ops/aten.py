"""torch.ops.aten: torch's own names of ops, which libraries compare and keep in tables.

``aten.add`` stands for an op and ``aten.add.Tensor`` for one of its overloads. Each can be called where a
tensor has a method of that name, or the table an op; of others there is the name alone.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ..core.op import TABLE
from ..core.value import TensorBase


class OpOverloadPacket:
    """An op under its name.

    Parameters
    ----------
    name : str
    """

    __module__ = "torch._ops"

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self._qualified_op_name = f"aten::{name}"

    def __getattr__(self, overload: str) -> Any:
        if overload.startswith("__"):
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        made = OpOverload(self, overload)
        self.__dict__[overload] = made
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        name = self.__name__
        method = getattr(TensorBase._facade, name, None)
        if callable(method):
            return method(*args, **kwargs)
        if name in TABLE:
            return TABLE[name].public(*args, **kwargs)
        raise NotImplementedError(f"torch.ops.aten.{name} is a name alone in pullback")

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class OpOverload:
    """One overload of an op.

    Parameters
    ----------
    packet : OpOverloadPacket
    name : str
    """

    __module__ = "torch._ops"

    def __init__(self, packet: OpOverloadPacket, name: str) -> None:
        self.overloadpacket = packet
        self._overloadname = name
        self.__name__ = f"{packet.__name__}.{name}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.overloadpacket(*args, **kwargs)

    def name(self) -> str:
        """As torch's dispatcher has it: ``aten::add.Tensor``, without the name of a default overload."""
        suffix = "" if self._overloadname == "default" else f".{self._overloadname}"
        return self.overloadpacket._qualified_op_name + suffix

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


@cache
def _packet(name: str) -> OpOverloadPacket:
    return OpOverloadPacket(name)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops.aten' has no attribute '{name}'")
    return _packet(name)
