"""Describe values so that two runs of a program can be compared: contents, types, identities and memory."""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import re
import types
import weakref
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

#: Differences of numbers that are rounding, relative to the larger of the number and 1.
TOLERANCE = 2e-5
#: Objects print where they lie.
ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
#: Values that have no identity that a program could rely on.
_SCALARS = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))


class Describer:
    """Turn values into plain tuples; one describer sees all that one run of a program makes.

    Equal numbers in two places say that it is one object, or one memory. Everything numbered is kept alive,
    so that no identity is used twice; with ``keep=False`` numbers hold for one description only.
    """

    def __init__(self, torch: Any, keep: bool = True) -> None:
        self._torch = torch
        self._keep = keep
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []
        self._inside: set[int] = set()

    def begin(self) -> None:
        """Begin the next call."""
        if not self._keep:
            self._numbers.clear()
            self._kept.clear()

    def __call__(self, value: Any) -> Any:
        """Describe a value."""
        if type(value) in _SCALARS:
            return (type(value).__name__, value)
        if type(value) in (tuple, self._torch.Size):
            # One of equal contents is as good.
            return (type(value).__name__, *(self(item) for item in value))
        number = self._number(id(value))
        self._kept.append(value)
        if id(value) in self._inside:
            return ("again", number)
        self._inside.add(id(value))
        try:
            return (type(value).__qualname__, f"object {number}", *self._contents(value))
        finally:
            self._inside.discard(id(value))

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _contents(self, value: Any) -> tuple[Any, ...]:
        torch = self._torch
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, np.ndarray):
            return (str(value.dtype), value.shape, self._memory_of_array(value), _numbers(value.tolist()))
        if isinstance(value, (np.generic, *_SCALARS)):
            return (repr(value), *self._attributes(value))
        if isinstance(value, torch.nn.Module):
            named = [*value.named_parameters(), *value.named_buffers()]
            return (self([(name, t) for name, t in named]), value.training)
        if isinstance(value, torch.optim.Optimizer):
            return (self(value.state_dict()),)
        if isinstance(value, (weakref.WeakKeyDictionary, weakref.WeakValueDictionary)):
            return (len(value),)
        if isinstance(value, Mapping):
            pairs = dict.items(value) if isinstance(value, dict) else value.items()
            return (*((self(k), self(v)) for k, v in list(pairs)), *self._attributes(value))
        if isinstance(value, (list, tuple, deque)):
            return (*(self(item) for item in list(value)), *self._attributes(value))
        if isinstance(value, (set, frozenset)):
            return tuple(sorted((self(item) for item in value), key=repr))
        if isinstance(value, BaseException):
            cause = value.__cause__
            return (ADDRESS.sub("0x", str(value)), None if cause is None else self(cause))
        return self._object(value)

    def _object(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, type)):
            return (value.__qualname__,)
        if isinstance(value, types.MethodType):
            return (value.__func__.__qualname__, self(value.__self__))
        if isinstance(value, functools.partial):
            return (self(value.func), self(value.args), self(value.keywords))
        if isinstance(value, enum.Enum):
            return (value.name,)
        if dataclasses.is_dataclass(value) or type(value).__module__ == "program":
            return self._attributes(value)
        # Values of the standard library, such as dates and fractions, print themselves.
        return (ADDRESS.sub("0x", repr(value)),)

    def _attributes(self, value: Any) -> tuple[Any, ...]:
        """Describe what the class of a program's own adds to an object."""
        if type(value).__module__ != "program" or isinstance(value, enum.Enum):
            return ()
        found: dict[str, Any] = dict(object.__getattribute__(value, "__dict__")) if _has_dict(value) else {}
        for kind in type(value).__mro__:
            slots = kind.__dict__.get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__"):
                    try:
                        found[name] = object.__getattribute__(value, name)
                    except AttributeError:
                        found[name] = "absent"
        return tuple((name, self(held)) for name, held in found.items())

    def _tensor(self, value: Any) -> tuple[Any, ...]:
        leaf = value.is_leaf
        plain = value.detach()
        strides = tuple(s for s, n in zip(value.stride(), value.shape) if n > 1) if value.numel() else ()
        own = {k: v for k, v in vars(value).items() if not k.startswith("_")} if _has_dict(value) else {}
        return (
            str(value.dtype).removeprefix("torch."), tuple(value.shape), strides, self._memory(value),
            ("requires_grad", value.requires_grad), ("leaf", leaf), ("inference", value.is_inference()),
            _numbers(plain.tolist()),
            ("grad", self(value.grad) if leaf and value.grad is not None else None),
            *((name, self(held)) for name, held in own.items()),
        )  # fmt: skip

    def _memory(self, value: Any) -> str:
        if not value.numel():
            return "no memory"
        storage = value.untyped_storage()
        self._kept.append(storage)
        return f"memory {self._number(('memory', storage.data_ptr()))}"

    def _memory_of_array(self, value: np.ndarray) -> str:
        while isinstance(value.base, np.ndarray):
            value = value.base
        return f"memory {self._number(('memory', value.__array_interface__['data'][0]))}"


def _has_dict(value: Any) -> bool:
    try:
        object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return True


def _numbers(value: Any) -> Any:
    """Nested lists as nested tuples."""
    return tuple(_numbers(item) for item in value) if isinstance(value, list) else value


def differences(expected: Any, got: Any, where: str = "", signs: bool = True, limit: int = 4) -> list[str]:
    """Return where two descriptions differ, the first few places; without `signs`, 0.0 is -0.0."""
    if isinstance(expected, tuple) and isinstance(got, tuple):
        if len(expected) != len(got):
            return [f"{where}: {_short(expected)}, compiled {_short(got)}"]
        found: list[str] = []
        for n, (a, b) in enumerate(zip(expected, got)):
            found += differences(a, b, f"{where}.{n}", signs)
            if len(found) >= limit:
                break
        return found[:limit]
    if _same(expected, got, signs):
        return []
    return [f"{where}: {_short(expected)}, compiled {_short(got)}"]


def _same(a: Any, b: Any, signs: bool) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, complex):
        return _same(a.real, b.real, signs) and _same(a.imag, b.imag, signs)
    if not isinstance(a, float):
        return bool(a == b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return not signs or math.copysign(1.0, a) == math.copysign(1.0, b)
    return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= TOLERANCE * max(1.0, abs(a))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 160 else text[:157] + "..."
