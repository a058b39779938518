"""Say which words tell the native function of a call what a program expects, and what its answers mean."""

from __future__ import annotations

from ..emit.restricted_python import Field

_WORD = 8
#: The specification's words, in order, with what they are: addresses and counts.
FIELDS = {
    "run": "Object", "table": "Words", "save": "Object", "restore": "Object",
    "watched": "Int", "watched_at": "Object", "watched_as": "Words", "watched_now": "Words",
    "lists": "Int", "lists_at": "Words", "cells": "Int", "cells_at": "Words",
    "arguments": "Int", "arguments_at": "Words", "fixed": "Int", "fixed_at": "Words",
    "made": "Int", "made_at": "Words", "refusal": "Int", "shared": "Int", "shared_at": "Words",
    "copies": "Int", "copies_at": "Words", "moving": "Int", "moving_at": "Words", "seen_at": "Words",
    "written": "Int", "written_at": "Words", "others": "Int", "others_at": "Words",
    "scattered": "Int", "scattered_at": "Words", "gather": "Object", "scatter": "Object",
    "none": "Object", "leaf": "Object", "array": "Object", "tensor": "Object", "zero": "Object",
}  # fmt: skip

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


def members() -> dict[str, Field]:
    """Return the words as native functions name them."""
    return {name: Field(_WORD * n, kind) for n, (name, kind) in enumerate(FIELDS.items())}
