"""Error texts that more than one layer needs.

Classes and texts are torch's to the letter. Advice on what to do about an error goes into a note (PEP 678), which leaves
``str(error)`` as torch has it.
"""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E", bound=BaseException)


def with_note(error: E, note: str) -> E:
    """Return ``error`` with ``note`` added, for use as ``raise with_note(RuntimeError(...), ...)``."""
    error.add_note(note)
    return error


def type_name(value: object) -> str:
    """Return the name of the type of ``value`` as torch's argument parser prints it."""
    kind = type(value)
    return f"torch.{kind.__name__}" if kind.__module__ == "torch" and kind.__name__ != "Tensor" else kind.__name__


def argument_type(function: str, argument: str, position: int, expected: str, value: object) -> TypeError:
    """Build the error for an argument of a wrong type; ``position`` counts from 1."""
    return TypeError(
        f"{function}(): argument '{argument}' (position {position}) must be {expected}, not {type_name(value)}"
    )


def read_only_attribute(value: object, name: str) -> AttributeError:
    """Build the error for setting or deleting the attribute ``name`` of the immutable ``value``."""
    if hasattr(type(value), name):
        return AttributeError(f"attribute '{name}' of '{type_name(value)}' objects is not writable")
    return missing_attribute(value, name)


def missing_attribute(value: object, name: str) -> AttributeError:
    """Build the error for an attribute that ``value`` does not have."""
    return AttributeError(f"'{type_name(value)}' object has no attribute '{name}'", name=name, obj=value)
