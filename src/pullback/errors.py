"""Error texts that more than one layer needs.

Classes and texts are torch's to the letter. Advice on what to do about an error goes into a note (PEP 678),
which leaves ``str(error)`` as torch has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

E = TypeVar("E", bound=BaseException)
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
    kind = type(value)
    if kind.__module__ == "torch":
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


def foreign_self(method: str, value: object) -> TypeError:
    """Build the error for a method that is called, through the class, on what is no tensor."""
    return TypeError(
        f"descriptor '{method}' for 'torch._C.TensorBase' objects doesn't apply to a "
        f"'{type(value).__name__}' object"
    )


def invalid_combination(
    function: str,
    args: Sequence[object],
    kwargs: Mapping[str, object],
    signatures: Mapping[str, Sequence[tuple[str, Accepts]]],
) -> TypeError:
    """Build the error for arguments that fit none of several signatures.

    Parameters
    ----------
    function : str
        The public name, without parentheses.
    args, kwargs
        What the caller gave.
    signatures : mapping from str to sequence of (str, callable)
        The printed form of each signature, such as ``"(str type, int index = -1)"``, and for each of its
        parameters the name and a test of whether a value is of the right type.
    """

    def described(value: object) -> str:
        if not isinstance(value, list | tuple):
            return type_name(value)
        items = ", ".join(map(type_name, value))
        if isinstance(value, list):
            return f"{type_name(value)} of [{items}]"
        return f"{type_name(value)} of ({items}{',' if len(value) == 1 else ''})"

    def mismatch(parameters: Sequence[tuple[str, Accepts]]) -> str:
        unknown = [name for name in kwargs if name not in {name for name, _ in parameters}]
        if unknown:
            return f"some of the keywords were incorrect: {', '.join(unknown)}"
        parts = []
        for i, (name, accepts) in enumerate(parameters):
            value, label = (args[i], "") if i < len(args) else (kwargs.get(name), f"{name}=")
            mark = "" if accepts(value) else "!"
            parts.append(f"{mark}{label}{described(value)}{mark}")
        return f"some of the arguments have invalid types: ({', '.join(parts)})"

    given = [type_name(value) for value in args] + [f"{name}={type_name(v)}" for name, v in kwargs.items()]
    last_comma = ", " if kwargs and not args else ""  # torch leaves it standing where there are keywords only
    got = f"got ({', '.join(given)}{last_comma})"
    told = f"{function}() received an invalid combination of arguments - {got}, but expected"
    if len(signatures) == 1:
        return TypeError(f"{told} {next(iter(signatures))}")
    lines = [f"{told} one of:"]
    for printed, parameters in signatures.items():
        lines.append(f" * {printed}")
        if len(parameters) == len(given):
            lines.append(f"      didn't match because {mismatch(parameters)}")
    return TypeError("\n".join(lines) + "\n")


def read_only_attribute(value: object, name: str) -> AttributeError:
    """Build the error for setting or deleting the attribute ``name`` of the immutable ``value``."""
    if hasattr(type(value), name):
        return AttributeError(f"attribute '{name}' of '{type_name(value)}' objects is not writable")
    return AttributeError(f"'{type_name(value)}' object has no attribute '{name}'", name=name, obj=value)
