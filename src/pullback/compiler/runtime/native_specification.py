"""Say which words tell the native function of a call what a program expects, and what its answers mean."""

from __future__ import annotations

# The specification's words, in order: addresses and counts.
FIELDS = (
    "run", "table", "save", "restore",
    "watched", "watched_at", "watched_as", "watched_now",
    "lists", "lists_at", "cells", "cells_at", "arguments", "arguments_at", "fixed", "fixed_at",
    "made", "made_at", "refusal", "shared", "shared_at", "copies", "copies_at",
    "moving", "moving_at", "seen_at", "written", "written_at", "others", "others_at",
    "none", "leaf", "array", "tensor", "zero",
)  # fmt: skip
KNOWN = ("none", "leaf", "array")
MADE_OF = ("none", "leaf", "array", "tensor", "zero")

# Where a cell is found: an item of the first tuple, a tensor that is always the same, an item of the second
# tuple, or an array that is an item of the first.
ARGUMENT, FIXED, EXTRA, ARRAY = range(4)
#: In place of a node: any history, or one that is neither absent nor a leaf's.
ANY_NODE, INNER_NODE = 0, 1

# What a call answers (`REFUSED`: nothing was written to what it was given); from `WATCHED` on, which watched
# word has changed.
DONE, DIFFERENT, SCATTERED, REFUSED, MOVED, WATCHED = 0, 1, 2, 4, 8, 16


#: What NumPy's flags say of an array that lies in order, at an address that fits its elements, and may be
#: written to.
ROW_MAJOR, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400


def read(name: str, type_: str, base: str, at: int | str, step: str = "i8") -> str:
    """Return the lines that read what lies so many steps behind a pointer."""
    return f"  %{name}_ = getelementptr {step}, ptr %{base}, i64 {at}\n  %{name} = load {type_}, ptr %{name}_"


def field(name: str, type_: str) -> str:
    """Return the lines that read a word of the specification."""
    return read(name, type_, "spec", 8 * FIELDS.index(name))
