"""The engine's loop as a native function (`core.engine`).

Of a node of a small graph the loop takes 3 µs in a whole program and its rule as much again. This function
pops nodes from the same heap, calls the same rules and sends what they give to the same dictionary of
covectors, as long as nothing is to be asked: arrays of moderate size, nodes of the table's ops without
hooks, leaves without a gradient. At the first node of another kind it returns and leaves it in the heap for
the loop in Python, which calls it again behind that node.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from ...core import facade
from ...core.accumulation import rehearsals
from ...core.node import LEAF, AccumulateGrad, Node, Output, accumulation_lock
from ..emit import python_functions
from ..runtime import engine
from ..runtime.object_layout import layout, offset
from .backward_loop_text import PLACES, RULE, RULES, NodeLayout, text
from .known_call_arguments import OBJECTS


class BackwardLoop:
    """The native code, and the tables that it reads.

    Attributes
    ----------
    run : callable or None
        ``run(backward, heap, pending, needed, looked_at, empty, shared, freed, captures, deliver, send)``
        does what it can of a pass, whose parts these are; None: there is no native code.
    """

    def __init__(self) -> None:
        where, functions, nodes = layout(), python_functions.addresses(), _node_layout()
        self.run: Callable[..., None] | None = None
        if where is None or functions is None or nodes is None:
            return
        #: What is known of each class of nodes: the words that `_learn` writes.
        self._kinds: dict[type[Node], np.ndarray] = {}
        singles, doubles = np.dtype(np.float32), np.dtype(np.float64)
        objects = (
            Output, AccumulateGrad, LEAF, facade.Parameter, singles, doubles, int, heappop, heappush,
            self._kinds, self._learn, accumulation_lock.acquire, accumulation_lock.release, False, True,
            rehearsals, "node", "_grad",
        )  # fmt: skip
        words = [0, 0, *map(id, OBJECTS), id(facade.Tensor), 0, *map(id, objects)]
        self._kept: list[Any] = [objects]
        texts = [python_functions.declarations(), text(where, nodes)]
        self._library = engine.Library(engine.whole(texts), functions)
        self.run = python_functions.function(
            "drain", self._library.address("drain"), np.array(words, np.int64)
        )

    def _learn(self, kind: type[Node]) -> bool:
        """Write down what is known of a class of nodes; whether it is one of an op."""
        op = kind._op
        if op is None:
            return False
        rules = kind._plain_rules if kind is op.node_class else ()
        if any(len(places) > PLACES for _, places in rules):
            rules = ()
        backward = kind.backward
        words = [
            len(rules), op.layout.count, int(kind._frees), int(op.once), int(kind.is_chained), id(backward),
        ]  # fmt: skip
        assert len(words) == RULES
        for rule, places in rules:
            given = (*places, *(0,) * (PLACES - len(places)))
            words += [0 if rule is None else id(rule), len(places), *given]
        assert len(words) == RULES + RULE * len(rules)
        self._kept += [backward, rules]
        self._kinds[kind] = np.array(words, np.int64)
        return True


def _node_layout() -> NodeLayout | None:
    """Return where nodes keep what the loop reads; None where it is not found."""
    node = AccumulateGrad.__new__(AccumulateGrad)
    found = {}
    for name in NodeLayout._fields:
        mark = object()
        setattr(node, name if name == "variable" else f"_{name}", mark)
        try:
            found[name] = offset(node, id(mark))
        except ValueError:
            return None
    return NodeLayout(**found)
