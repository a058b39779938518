"""The native function that runs chains of NumPy's loops (`array.chains`).

A chain is a table of 64-bit words that the function walks through: for each step NumPy's loop and, for each
operand, where it begins and how far it goes on. Loops of float32 and float64 numbers need nothing of Python
but the lock that the caller holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....array.chain_steps import Note, Step, Variant
from ....array.chains import MOST
from ....array.locks import computed
from ...emit import python_functions
from ...emit.codegen import PLACED
from ...emit.restricted_python import Program
from ...runtime import engine
from ...runtime.object_layout import layout
from .. import flat_calls
from ..backward_loop import loop
from ..inline_cache import table
from ..inline_cache.known_rules import KnownRules, known_rule
from ..inline_cache.parts import bracket
from ..inline_cache.replay import data_of, replay
from ..inline_cache.text import cached_call
from .calls import call_op, head
from .loops import loop_of
from .own_loops import (
    add_at,
    argsort,
    call_routine,
    convert,
    find_extreme,
    gather,
    repeat,
    scatter,
    search,
)  # fmt: skip
from .walk import SLOTS, STEP, chain, choose

#: What is called from outside of the module.
_ENTRIES = (
    chain, choose, call_op, cached_call, replay, gather, convert, find_extreme, argsort, search, scatter,
    add_at, repeat, call_routine, known_rule, flat_calls.call_flat, bracket,
)  # fmt: skip


class Chains:
    """The native code of chains, of elementwise calls and of inline caches, which is one module."""

    def __init__(self) -> None:
        where, functions = layout(), python_functions.addresses()
        self._library: engine.Library | None = None
        if where is not None and functions is not None:
            program = Program(_ENTRIES, where.fields)
            # LLVM's passes take 2.0 s of a processor, all else 0.3; calls take 1.2 times as long without.
            self._library = engine.library(program, first=PLACED, moved=self._redirect)
        self._spare: list[np.ndarray] = []
        #: Chains read what they need of these at each call.
        self._kept: list[Any] = []

    def _redirect(self, moved: Mapping[int, int]) -> None:
        """Go over to better code of the same functions. Chains that choose go on with what they have."""
        python_functions.redirect(moved)
        self.inline_caches.redirect(moved)

    @computed
    def inline_caches(self) -> table.InlineCaches:
        """Return what does public calls whose like is known."""
        return table.InlineCaches(self._library)

    @computed
    def backward_loop(self) -> loop.BackwardLoop:
        """Return what does the plain part of a backward pass."""
        return loop.BackwardLoop(self.call, KnownRules(self.inline_caches))

    def chain(self, note: Note) -> Callable[..., Any] | None:
        """Return a function of the arrays that a chain is given; None where there is none."""
        words = self._words(note)
        if words is None or self._library is None:
            return None
        return python_functions.function(
            "chain", self._library.address("chain"), np.array([id(None), *words], np.int64)
        )

    def call(self, variants: Sequence[Variant]) -> Callable[..., Any] | None:
        """Return a function that an op of elements is on small arrays and on tensors around them which
        nothing leads to: it gives the result, or None for what it does not take. There is one for some of
        the variants.
        """
        tables: list[np.ndarray] = []
        for variant in variants:
            words = self._words(variant.note)
            if words is not None:
                then = tables[-1].ctypes.data if tables else 0
                tables.append(np.array([then, *head(variant), *words], np.int64))
        if not tables or self._library is None:
            return None
        self._kept += [*tables, variants]
        return python_functions.function("call", self._library.address("call_op"), tables[-1])

    def flat(self, table: np.ndarray) -> Callable[..., Any] | None:
        """Return a function that runs a loop over flat arrays, told by `flat_calls.table`."""
        if self._library is None:
            return None
        return python_functions.function("call_flat", self._library.address("call_flat"), table)

    def _words(self, note: Note) -> list[int] | None:
        """Return a chain as the native code reads it; None where it has none."""
        if self._library is None or note.given + note.spare + len(note.constants) > SLOTS:
            return None
        try:
            steps = [self._step(step) for step in note.steps]
        except LookupError:
            return None
        while len(self._spare) < note.spare:
            # All chains share them: one runs at a time, under the interpreter's lock.
            self._spare.append(np.empty(MOST, np.float64))
        owned = [*self._spare[: note.spare], *note.constants]
        self._kept += note.constants
        return [len(owned), *(v.ctypes.data for v in owned), len(steps), *(w for step in steps for w in step)]

    def _step(self, step: Step) -> list[int]:
        """Return the words of a step, as `walk` reads them."""
        assert self._library is not None
        if isinstance(step.ufunc, str):
            loop, data = self._library.address(step.ufunc), data_of(step)
        else:
            loop, data = loop_of(step.ufunc, step.dtypes)
        words = [loop, data, step.times, step.elements, len(step.operands)]
        words += [word for operand in step.operands for word in operand]
        return words + [0] * (STEP - len(words))
