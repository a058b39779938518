"""The tables and arguments that the native loop of the engine reads (`loop`)."""

from __future__ import annotations

#: Words of the table.
(
    TENSOR, ARRAY, NONE, ZERO, LIST, TUPLE, OUTPUT, LEAF_END, LEAF, PARAMETER, SINGLE, DOUBLE, INT, POP, PUSH,
    CLASSES, LEARN, ACQUIRE, RELEASE, FALSE, TRUE, REHEARSALS, NODE_NAME, GRAD_NAME, ADD, NEW, NEW_NAME,
    SET, SORTED, AGE, AGE_NAME, PARTED, SINGLE_PAIR, DOUBLE_PAIR,
) = range(34)  # fmt: skip
#: Words of a class of nodes: how many rules may be called at once, how many values are saved, whether they
#: are freed, whether that is so of nothing, too, whether native loops take moderate sizes, `backward` and
#: `backward_graph`, whether the rules take complex covectors; then for each rule itself, the native function
#: for small arrays, how many places of the saved tuple it is given, and which.
COUNT, VALUES, FREES, ALWAYS, CHAINED, BACKWARD, BACKWARD_GRAPH, COMPLEX, RULES = range(9)
PLACES = 8
SMALL, RULE = 1, 3 + PLACES
#: Arguments of the function: what is looked at is a dict, and gives the places in the list `CAPTURES` where
#: a covector goes that arrives there; without that list leaves keep theirs. The last is None unless the
#: pullback is itself recorded.
(
    SELF, HEAP, PENDING, NEEDED, LOOKED_AT, EMPTY, SUMMED, SHARED, FREED, CAPTURES, DELIVER,
    SEND, RECORDED,
) = range(13)  # fmt: skip
