"""The tables and arguments that the native loop of the engine reads (`loop`)."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.native_specification import read
from ..ufunc_chains.calls import _ARRAY, _KINDS, _NONE, _TENSOR


class NodeLayout(NamedTuple):
    """Offsets in bytes of a node's slots; `variable` is that of a leaf's end."""

    edges: int
    saved: int
    shape: int
    dtype: int
    seq: int
    hooks: int
    variable: int


#: Words of the table that `tensor_around` reads, and the first of those behind them.
ARRAY, NONE, TENSOR, OBJECTS = _ARRAY, _NONE, _TENSOR, _KINDS
(
    LIST, TUPLE, OUTPUT, LEAF_END, LEAF, PARAMETER, SINGLE, DOUBLE, INT, POP, PUSH, CLASSES,
    LEARN, ACQUIRE, RELEASE, FALSE, TRUE, REHEARSALS, NODE_NAME, GRAD_NAME, ADD, NEW, NEW_NAME,
) = range(OBJECTS, OBJECTS + 23)  # fmt: skip
#: Words of a class of nodes: how many rules may be called at once, how many values are saved, whether they
#: are freed, whether that is so of nothing, too, whether native loops take moderate sizes, `backward`; then
#: for each rule itself, the native function for small arrays, how many places of the saved tuple it is
#: given, and which.
COUNT, VALUES, FREES, ALWAYS, CHAINED, BACKWARD, RULES = range(7)
PLACES = 4
RULE = 3 + PLACES
#: Arguments of the function.
(
    SELF, HEAP, PENDING, NEEDED, LOOKED_AT, EMPTY, SUMMED, SHARED, FREED, CAPTURES, DELIVER,
    SEND,
) = range(12)  # fmt: skip


def word(name: str, type_: str, at: int | str, table: str = "header") -> str:
    """Return the lines that read a word of a table."""
    return read(name, type_, table, at, "i64")


def given(*places: int) -> str:
    """Return the lines that read arguments."""
    names = {
        SELF: "self", HEAP: "heap", PENDING: "pending", NEEDED: "needed", LOOKED_AT: "looked_at",
        EMPTY: "empty", SUMMED: "summed", SHARED: "shared", FREED: "freed", CAPTURES: "captures",
        DELIVER: "deliver_", SEND: "send",
    }  # fmt: skip
    return "\n".join(read(names[at], "ptr", "arguments", at, "ptr") for at in places)
