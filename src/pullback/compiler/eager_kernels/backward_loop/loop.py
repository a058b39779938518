"""The engine's loop as a native function (`core.engine`).

Of a node of a small graph the loop takes 3 µs in a whole program and its rule as much again. This function
pops nodes from the same heap, calls the same rules and sends what they give to the same dictionary of
covectors, as long as nothing is to be asked: arrays of moderate size, nodes of the table's ops without
hooks, leaves without a gradient. At the first node of another kind it returns and leaves it in the heap for
the loop in Python, which calls it again behind that node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy import ndarray

from ....array.chain_steps import Variant, variant_of
from ....array.chains import ROWS, SCALAR, Unfit
from ....array.tiering import NotYet
from ....core import facade
from ....core.accumulation import rehearsals
from ....core.backward_task import AGE
from ....core.node import LEAF, AccumulateGrad, MultiNode, Node, Output, accumulation_lock
from ....core.op import Op
from ....core.recorded_pullback import materialized
from ....core.saved import plain_saved
from ...emit import python_functions
from ...emit.codegen import WRITTEN
from ...emit.restricted_python import Program
from ...runtime.engine import library
from ...runtime.object_layout import layout
from ..inline_cache.known_rules import KnownRules
from ..ufunc_chains.calls import largest
from .nodes import select
from .text import drain
from .words import PLACES, RULE, RULES, SMALL


class BackwardLoop:
    """The native code, and the tables that it reads.

    ``run(backward, heap, pending, needed, looked_at, empty, summed, shared, freed, captures, deliver, send,
    recorded)`` does what it can of a pass, whose parts these are; ``select(roots, targets)`` says which
    nodes it is about (`core.backward_task.needed_nodes`). None: there is no native code.
    """

    def __init__(
        self, small_call: Callable[[Sequence[Variant]], Callable[..., Any] | None],
        known_rules: KnownRules,
    ) -> None:  # fmt: skip
        self._small_call, self._known, self._counted = small_call, known_rules.function, known_rules.counted
        where, functions = layout(), python_functions.addresses()
        self.run: Callable[..., None] | None = None
        self.select: Callable[..., set[Node] | None] | None = None
        if where is None or functions is None:
            return
        #: What is known of each class of nodes: the words that `_learn` writes.
        self._kinds: dict[type[Node], np.ndarray] = {}
        singles, doubles = np.dtype(np.float32), np.dtype(np.float64)
        objects = (
            facade.Tensor, ndarray, None, 0, list, tuple, Output, AccumulateGrad, LEAF, facade.Parameter,
            singles, doubles, int, heappop, heappush, self._kinds, self._learn, accumulation_lock.acquire,
            accumulation_lock.release, False, True, rehearsals, "node", "_grad", np.add, ..., ("out",),
            set, sorted, AGE, ("key",), "is_parted", np.dtype(np.complex64), np.dtype(np.complex128),
        )  # fmt: skip
        self._kept: list[Any] = [objects]
        self._library = library(Program([drain, select], where.fields), WRITTEN)
        words = np.array([*map(id, objects)], np.int64)
        self.run = python_functions.function("drain", self._library.address("drain"), words)
        self.select = python_functions.function("select", self._library.address("select"), words)

    def _learn(self, kind: type[Node]) -> bool:
        """Write down what is known of a class of nodes; whether it is one of an op."""
        op = kind._op
        if op is None:
            return False
        # Of rules that raise, the traceback is to name the node, as that of `backward` does.
        rules = kind._plain_rules if kind is op.node_class and op.underivable is None else ()
        if any(len(places) > PLACES for _, places in rules):
            rules = ()
        backward, graph = kind.backward, kind.backward_graph
        several = issubclass(kind, MultiNode)
        is_one_rule = op.joint or (several and len(op.rules) == 1 and not op.many)
        if is_one_rule and not op.once and kind is op.node_class:
            backward = self._joint(op, backward, several)
        words = [
            len(rules), op.layout.count, int(kind._frees), int(op.once), int(kind.is_chained), id(backward),
            id(graph), int(not op.real),
        ]  # fmt: skip
        assert len(words) == RULES
        self._kept += [backward, graph, rules]
        for rule, places in rules:
            small = None
            if rule is not None and op.kind == "elementwise":
                are_numbers = [place >= 3 * op.layout.count for place in places]
                look = partial(self._replace, kind, len(words) + SMALL, rule, are_numbers)
                small, _ = self._counted(look, _CALLS) or (None, None)
            elif rule is not None:
                small = self._known(rule)
            self._kept.append(small)
            given = (*places, *(0,) * (PLACES - len(places)))
            words += [0 if rule is None else id(rule), 0 if small is None else id(small), len(places), *given]
        assert len(words) == RULES + RULE * len(rules)
        self._kinds[kind] = np.array(words, np.int64)
        return True

    def _joint(self, op: Op, general: Callable[..., Any], several: bool) -> Callable[..., Any]:
        """Return ``backward(node, g)`` of an op with one rule for all inputs, which may be known
        (`known_rules`); else the general one is called.
        """
        rule, pick, takes_needs = op.rules[0], op.layout.pickers[0], "needs" in op.layout.wanted[0]
        assert rule is not None

        count = len(op.differentiable_outputs)
        kinds = "fd" if op.real else "fdFD"

        def pulled(needs: tuple[bool, ...], *values: Any) -> Any:
            if several:
                values = values[:count], *values[count:]
            found = rule(*values, needs=needs) if takes_needs else rule(*values)
            return found if op.joint else (found,)

        if (known := self._known(pulled)) is None:
            return general

        def backward(node: Node, g: Any) -> Any:
            covectors = (g,) if not several else g if op.partial else materialized(node, g)
            if all(v.dtype.char in kinds if type(v) is ndarray else several and v is None for v in covectors):
                needs = tuple([edge is not None for edge in node._edges]) if takes_needs else ()
                found = known(needs, *covectors, *pick(plain_saved(node)))
                if found is not None:
                    return found
            return general(node, g)

        return backward

    def _replace(
        self, kind: type[Node], place: int, rule: Callable[..., Any], are_numbers: Sequence[bool], *given: Any
    ) -> None:
        """Put a native function for a rule, whose calls have been counted, in the place of what counts."""
        small = self._small(rule, are_numbers) or self._known(rule)
        self._kept.append(small)
        self._kinds[kind][place] = 0 if small is None else id(small)

    def _small(self, rule: Callable[..., Any], are_numbers: Sequence[bool]) -> Callable[..., Any] | None:
        """Return a native function that is a rule on small arrays (`ufunc_chains.calls`), of which the last
        may be a number; None where there is none that gives the rule's bits.

        Of arrays of one shape a known rule takes as long; of 60 shapes in turn three ops forward and back
        take 1.5 times as long without.
        """
        roles = (ROWS, *(SCALAR if is_number else ROWS for is_number in are_numbers))
        if sum(are_numbers) > 1:
            return None
        variants = [*_variants(rule, roles)]
        if len(roles) > 1 and not any(are_numbers):
            variants += _variants(rule, (*roles[:-1], SCALAR))
        try:
            # Of one function for all, each is tried: of functions for one each, all words are made twice.
            small = self._small_call(variants) if variants else None
            kept = [v for v in variants if small is not None and _agree(rule, small, v)]
            return small if kept == variants else self._small_call(kept) if kept else None
        except NotYet:
            return None


def _variants(rule: Callable[..., Any], roles: Any) -> Iterator[Variant]:
    for dtype in _FLOATS:
        try:
            yield variant_of(rule, roles, (dtype,) * len(roles))
        except Unfit:
            continue


#: Calls behind which an elementwise rule becomes a native function: that takes 1 to 2 ms, and saves 2.5 µs
#: a call.
_CALLS = 500
#: The dtypes of which rules become native functions.
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
#: Numbers that rules treat in ways of their own.
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-30, -1e30, np.inf, -np.inf, np.nan)


@lru_cache(maxsize=16)
def _pairs(size: int, dtype: np.dtype[Any], turn: int) -> list[np.ndarray]:
    """Return two arrays that hold all pairs of special numbers, beginning with that of a turn."""
    places = [np.tile(_SPECIAL, len(_SPECIAL)), np.repeat(_SPECIAL, len(_SPECIAL))]
    return [np.roll(np.resize(place, size).astype(dtype), turn) for place in places]


def _agree(rule: Callable[..., Any], small: Callable[..., Any], variant: Variant) -> bool:
    """Return whether a native function gives a rule's bits, on few elements and on as many as it takes."""
    for size in (len(_SPECIAL) ** 2, largest(variant)):
        for number in (2.0, -0.3, 0.0) if SCALAR in variant.roles else (0.0,):
            given = [
                number if role == SCALAR else _pairs(size, variant.dtypes[0], k // 2)[k % 2]
                for k, role in enumerate(variant.roles)
            ]
            try:
                expected = rule(*given)
            except Exception:  # noqa: BLE001  # what a rule raises of these numbers is no matter here
                return False
            found = small(*given)
            if type(expected) is not ndarray or type(found) is not ndarray:
                return False
            bits = f"u{expected.itemsize}"  # to compare copies of 16,384 numbers takes twice as long
            if expected.dtype is not found.dtype or not np.array_equal(expected.view(bits), found.view(bits)):
                return False
    return True
