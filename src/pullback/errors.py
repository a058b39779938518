"""Error texts that more than one layer needs.

Classes and texts are torch's to the letter. Advice on what to do about an error goes into a note (PEP 678),
which leaves ``str(error)`` as torch has it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

E = TypeVar("E", bound=BaseException)
F = TypeVar("F", bound=Callable[..., Any])
Accepts = Callable[[object], bool]

HEAP_TYPE = 1 << 9  # CPython's Py_TPFLAGS_HEAPTYPE

# Classes that torch defines in C, whose names its messages therefore print with the module.
C_TYPES = frozenset({"Size", "device", "dtype", "finfo", "iinfo", "layout", "memory_format"})


def with_note(error: E, note: str) -> E:
    """Return ``error`` with ``note`` added, for use as ``raise with_note(RuntimeError(...), ...)``."""
    error.add_note(note)
    return error


def type_name(value: object) -> str:
    """Return the name of the type of ``value`` as torch prints it: with its module for types defined in C."""
    if (kind := type(value)).__module__ == "torch":
        in_c = kind.__name__ in C_TYPES
    else:
        in_c = kind.__module__ != "builtins" and not kind.__flags__ & HEAP_TYPE
    return f"{kind.__module__}.{kind.__name__}" if in_c else kind.__name__


def argument_type(
    function: str, argument: str, position: int | None, expected: str, value: object
) -> TypeError:
    """Build the error for an argument of a wrong type; ``position`` counts from 1, None means by keyword."""
    where = "" if position is None else f" (position {position})"
    return TypeError(f"{function}(): argument '{argument}'{where} must be {expected}, not {type_name(value)}")


def check_stacked(shapes: Sequence[Sequence[int]]) -> None:
    """Raise torch's error for tensors of several shapes that are to be stacked."""
    for k, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shapes[0])} at entry 0 and "
                f"{list(shape)} at entry {k}"
            )


def foreign_self(method: str, value: object) -> TypeError:
    """Build the error for a method that is called, through the class, on what is no tensor."""
    return TypeError(
        f"descriptor '{method}' for 'torch._C.TensorBase' objects doesn't apply to a "
        f"'{type(value).__name__}' object"
    )


def other_copy(kind: Any) -> RuntimeError:
    """Build the error for a tensor of a package that was loaded a second time."""
    places = [os.path.dirname(__file__), os.path.dirname(os.path.dirname(kind.run.__code__.co_filename))]
    where = f"both from {places[0]}" if places[0] == places[1] else f"from {places[0]} and from {places[1]}"
    return RuntimeError(
        "a tensor of another copy of pullback is among the arguments: the package was loaded twice, "
        f"{where}. Tensors of one copy are nothing to the other. Look for what removes it from sys.modules "
        "or imports it under a second name, and make all tensors after the last import."
    )


def invalid_combination(
    function: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    signatures: Mapping[str, Sequence[tuple[str, Accepts]]],
) -> TypeError:
    """Build the error for arguments that fit none of several signatures of a public function.

    `signatures` maps the printed form of each, such as ``"(str type, int index = -1)"``, to its parameters:
    of each the name and a test of whether a value is of the right type.
    """

    def described(value: object) -> str:
        if not isinstance(value, list | tuple):
            return type_name(value)
        items = ", ".join(map(type_name, value))
        if isinstance(value, list):
            return f"{type_name(value)} of [{items}]"
        return f"{type_name(value)} of ({items}{',' if len(value) == 1 else ''})"

    kwargs = {name: kwargs[name] for name in _in_torchs_order(kwargs)}

    def unknown(parameters: Sequence[tuple[str, Accepts]]) -> str:
        return ", ".join(name for name in kwargs if name not in {name for name, _ in parameters})

    def mismatch(parameters: Sequence[tuple[str, Accepts]]) -> str:
        # What was given by place is none of the names that are left.
        if unknown(parameters[len(args) :]):
            return f"some of the keywords were incorrect: {unknown(parameters[len(args) :])}"
        parts = []
        for i, (name, accepts) in enumerate(parameters):
            value, label = (args[i], "") if i < len(args) else (kwargs.get(name), f"{name}=")
            mark = "" if accepts(value) else "!"
            parts.append(f"{mark}{label}{described(value)}{mark}")
        return f"some of the arguments have invalid types: ({', '.join(parts)}{last_comma})"

    last_comma = ", " if kwargs and not args else ""  # torch leaves it standing where there are keywords only
    given = [type_name(value) for value in args] + [f"{name}={type_name(v)}" for name, v in kwargs.items()]
    got = f"got ({', '.join(given)}{last_comma})"
    told = f"{function}() received an invalid combination of arguments - "
    if len(signatures) == 1:
        ((printed, parameters),) = signatures.items()
        if unknown(parameters):
            return TypeError(f"{told}got unrecognized keyword arguments: {unknown(parameters)}")
        return TypeError(f"{told}{got}, but expected {printed}")
    told += f"{got}, but expected"
    lines = [f"{told} one of:"]
    for printed, parameters in signatures.items():
        lines.append(f" * {printed}")
        if len(parameters) == len(given):
            lines.append(f"      didn't match because {mismatch(parameters)}")
    return TypeError("\n".join(lines) + "\n")


def _in_torchs_order(names: Iterable[str]) -> list[str]:
    """Return names in the order in which torch goes through its own table of them: the last one first, but
    next to those that share its bucket, of 13, in the hash table of C++'s standard library.
    """
    found: list[str] = []
    for name in names:
        bucket = _hashed(name) % 13
        found.insert(next((i for i, other in enumerate(found) if _hashed(other) % 13 == bucket), 0), name)
    return found


def _hashed(name: str) -> int:
    """Return the hash that C++'s standard library gives a text."""
    data, whole, times = name.encode(), (1 << 64) - 1, 0xC6A4A7935BD1E995
    found = 0xC70F6907 ^ (len(data) * times & whole)
    for i in range(0, len(data), 8):
        part = int.from_bytes(data[i : i + 8], "little")
        if i + 8 <= len(data):
            part = part * times & whole
            part = (part ^ part >> 47) * times & whole
        found = (found ^ part) * times & whole
    found = (found ^ found >> 47) * times & whole
    return found ^ found >> 47


def read_only_attribute(value: object, name: str) -> AttributeError:
    """Build the error for setting or deleting the attribute ``name`` of the immutable ``value``."""
    if hasattr(type(value), name):
        return AttributeError(f"attribute '{name}' of '{type_name(value)}' objects is not writable")
    return AttributeError(f"'{type_name(value)}' object has no attribute '{name}'", name=name, obj=value)


def with_name(function: F, name: str, text: str | None) -> F:
    """Give a function that another one made the name that errors have and the text that `help` shows."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def declared(namespace: dict[str, Any]) -> list[type]:
    """Return the classes that a file declares, given its variables."""
    here = namespace["__name__"]
    return [v for v in namespace.values() if isinstance(v, type) and v.__module__ == here]


def name_constructors(namespace: dict[str, Any], *shared: type) -> None:
    """Give the classes right below bases that torch does not have the constructor of these as their own: the
    errors of a call name the class by it.
    """
    for cls in declared(namespace):
        if "__init__" not in vars(cls) and not set(shared).isdisjoint(cls.__bases__):
            make_own(cls, "__init__")


def make_own(cls: type, name: str) -> None:
    """Give a class a method that it inherits as its own."""
    method: Any = getattr(cls, name)
    own = FunctionType(method.__code__, method.__globals__, name, method.__defaults__, method.__closure__)
    own.__kwdefaults__, own.__annotations__ = method.__kwdefaults__, method.__annotations__
    own.__doc__, own.__qualname__ = method.__doc__, f"{cls.__name__}.{name}"
    setattr(cls, name, own)
