"""Define ops under torch's names: a packet for each op, and the overloads in it.

They are compared and kept in tables, and they can be called. An overload reads its arguments by its schema; a
packet calls the first overload that they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from ...tensor.wrong_calls import NUMBERS_AS_TENSORS
from . import calls
from .schema import FunctionSchema, overloads, schema


class OpOverload:
    """One overload of an op."""

    def __init__(self, packet: OpOverloadPacket, name: str) -> None:
        self._overloadpacket = packet
        self.namespace = packet._qualified_op_name.partition("::")[0]
        self._overloadname = name
        self.__name__ = f"{packet.__name__}.{name}"
        self.__qualname__ = self._name = packet._qualified_op_name if name == "default" else (
            f"{packet._qualified_op_name}.{name}"
        )
        self.__module__ = packet.__module__

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """Return the op."""
        return self._overloadpacket

    @property
    def _schema(self) -> FunctionSchema:
        return schema(self._overloadpacket.__name__, self._overloadname)

    @property
    def op(self) -> Callable[..., Any]:
        """Return what it calls."""
        return self.__call__

    _op = op

    @property
    def is_view(self) -> bool:
        """Return whether the result shares memory with an argument that is not written to."""
        text = str(self._schema)
        return "(a)" in text and not self._schema.is_mutable

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        packet = self._overloadpacket.__name__
        return calls.compute(packet, self._overloadname, self._schema, self._schema.bound(args, kwargs))

    def redispatch(self, keys: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call it; there is one kernel whatever the keys."""
        return self(*args, **kwargs)

    def name(self) -> str:
        """Return as torch's dispatcher has it: ``aten::add.Tensor``, without a default overload's name."""
        return self._name

    def __str__(self) -> str:
        return f"{self._overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>"

    def __deepcopy__(self, memo: Any) -> OpOverload:
        return self

    def __reduce__(self) -> Any:
        return overload, (self._overloadpacket.__name__, self._overloadname)


class OpOverloadPacket:
    """An op under its name."""

    def __init__(self, name: str, namespace: str = "aten") -> None:
        self.__name__ = name
        self.__module__ = f"torch._ops.{namespace}"
        self._qualified_op_name = f"{namespace}::{name}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(
                f"'{self}' can't have an overload name beginning with '__' and the underlying op {self} has "
                f"no attribute {name} either."
            )
        if name not in overloads(self.__name__):
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        made = OpOverload(self, name)
        self.__dict__[name] = made
        return made

    def overloads(self) -> list[str]:
        """Return the names of the overloads."""
        return overloads(self.__name__)

    def __iter__(self) -> Iterator[str]:
        return iter(self.overloads())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        refused = []
        for name in self.overloads():
            one = getattr(self, name)
            try:
                given = one._schema.bound(args, kwargs)
            except RuntimeError as error:
                refused.append(str(error))
                continue
            return calls.compute(self.__name__, name, one._schema, given)
        if len(refused) == 1:
            raise RuntimeError(refused[0])
        listed = "\n\n".join(refused)
        raise RuntimeError(
            f"Overloaded torch operator invoked from Python failed to match any schema:\n{listed}\n\n"
        )

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __deepcopy__(self, memo: Any) -> OpOverloadPacket:
        return self

    def __reduce__(self) -> Any:
        return packet, (self.__name__,)


for _class in (OpOverload, OpOverloadPacket):
    _class.__module__ = "torch._ops"


@cache
def packet(name: str) -> OpOverloadPacket:
    """Return the op of a name, the same one each time."""
    return OpOverloadPacket(name)


def overload(name: str, which: str = "default") -> OpOverload:
    """Return an overload of an op, the same one each time."""
    found: OpOverload = getattr(packet(name), which)
    return found


def variant(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Return which overload torch's parser chooses for a call of a public function: `eq_.Scalar`.

    Overloads with a name come first. A number is no tensor but for the functions that make one of it; where
    no overload takes the arguments, the name stands alone.
    """
    makes_tensors = name.removesuffix("_") in NUMBERS_AS_TENSORS
    for which in sorted(overloads(name), key="default".__eq__):
        try:
            given = schema(name, which).bound(args, kwargs)
        except RuntimeError:
            continue
        tensors = (a.name for a in schema(name, which).arguments if a.type.startswith("Tensor"))
        if makes_tensors or not any(isinstance(given[n], (bool, int, float, complex)) for n in tensors):
            return name if which == "default" else f"{name}.{which}"
    return name
