"""The native function that does a call: it makes the results, checks what the call was given, fills the table
of pointers and runs the program.

It is the same function for all programs; what a program expects stands in a specification, an array of words
(`Specification`). It reads Python's objects where `objects` found their members, and holds the interpreter's
lock, but while a long program runs. What it checks first is in `native_checks`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...array import locks
from ...core.node import LEAF
from ...core.value import TensorBase
from ..emit import python_functions
from ..emit.codegen import LOOPS, PLACED
from ..emit.restricted_python import (
    Bytes,
    Int,
    Object,
    Program,
    Words,
    call,
    copy,
    load,
    native,
    null,
    python,
    run,
)  # fmt: skip
from . import engine
from .native_checks import are_apart, are_distinct, check_cell, first_changed, lists_hold, stay
from .native_gradients import pullback_find
from .native_results import make_results, pullback_count
from .native_specification import (
    DIFFERENT,
    DONE,
    FIELDS,
    MOVED,
    REFUSED,
    SCATTERED,
    WATCHED,
    members,
)  # fmt: skip
from .object_layout import layout
from .python_objects import copy_axes, spread_axes

_ZERO = 0
#: Words of a cell's record.
_CELL = 10
#: Words of a record of a tensor that does not lie in C order: its slot, the memory where it does, the rank,
#: shape and strides of its elements, their bytes, whether it is written to, and where it was found.
SCATTERED_WORDS = 8


class Specification:
    """Hold what a program expects of a call and makes in it, in memory: 64-bit numbers and arrays of them."""

    def __init__(self, **parts: Any) -> None:
        # Not in the text: it is the same in every process.
        parts |= {
            "none": id(None), "leaf": id(LEAF), "array": id(np.ndarray), "tensor": id(TensorBase._facade),
            "zero": id(_ZERO),
        }  # fmt: skip
        self._parts = {k: v if isinstance(v, int) else np.asarray(v, np.int64) for k, v in parts.items()}
        self._words = np.zeros(len(FIELDS), np.int64)
        order = [*FIELDS]
        for name, part in self._parts.items():
            self._words[order.index(name)] = part if isinstance(part, int) else part.ctypes.data

    def call(self) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]:
        """Make ``call(tuple, tuple)``, which gives the tuple of results, or an int for why there are none."""
        return function("pullback_call", self._words)

    def part(self, name: str) -> Any:
        """Return an array that was given."""
        return self._parts[name]


def is_there() -> bool:
    """Return whether Python's objects are laid out as they must be."""
    return begun() is not None


@functools.cache
def count() -> Callable[..., int]:
    """See `native_results.pullback_count`."""
    return function("pullback_count", None)


@locks.once
def begun() -> engine.Library | None:
    """Return what all programs share; None where Python's objects are laid out otherwise."""
    where = layout()
    if where is None or python_functions.addresses() is None:
        return None
    program = Program([pullback_call, pullback_count, pullback_find, first_changed], where.fields | members())
    # It was not compiled before, so nothing was: there is more to come.
    return engine.library(program, PLACED, helpers=1)


@locks.once
def copying() -> engine.Library:
    """Return `gather` and `scatter`, which take three times as long without LLVM's passes."""
    where = layout()
    assert where is not None
    return engine.library(Program([gather, scatter], where.fields | members()), LOOPS)


def address(name: str) -> int | None:
    """Return where a native function lies; None where Python's objects are laid out otherwise."""
    library = begun()
    return None if library is None else library.address(name)


def function(name: str, owner: Any) -> Callable[..., Any]:
    """Return a native function, as Python calls it; `owner` is what it is given first."""
    at = address(name)
    assert at is not None
    return python_functions.function(name, at, owner)


@native
def checked(spec: Object, args: Object, extras: Object) -> Int:
    """Return `DONE` if a call is as a specification says, or why not; addresses go into its table."""
    changed = first_changed(spec.watched_at, spec.watched_as, spec.watched_now, spec.watched)
    if changed >= 0:
        return WATCHED + changed
    if not lists_hold(spec.lists_at, spec.lists) or not are_distinct(args, spec):
        return DIFFERENT
    found = DONE
    record = spec.cells_at
    table = spec.table
    for n in range(spec.cells):
        code = check_cell(spec, record, table + 1 + n, args, extras)
        if (code & DIFFERENT) != 0:
            return DIFFERENT
        found = found | code
        record = record + _CELL
    if found != DONE:
        return SCATTERED
    if not stay(spec):
        return MOVED
    return DONE if are_apart(spec) else DIFFERENT


@native
def gather(spec: Object) -> None:
    """Copy what does not lie in C order to where it does."""
    table: Words = spec.table
    record = spec.scattered_at
    for _ in range(spec.scattered):
        found: Bytes = table[record[0]]
        to: Bytes = record[1]
        shape: Words = record[3]
        steps: Words = record[4]
        record[7] = table[record[0]]
        table[record[0]] = record[1]
        copy_axes(to, found, 0, record[2], shape, steps, record[5])
        record = record + SCATTERED_WORDS


@native
def scatter(spec: Object) -> None:
    """Copy what was written of that back to where it lies."""
    record = spec.scattered_at
    for _ in range(spec.scattered):
        if record[6] != 0:
            source: Bytes = record[1]
            to: Bytes = record[7]
            shape: Words = record[3]
            steps: Words = record[4]
            spread_axes(to, source, 0, record[2], shape, steps, record[5])
        record = record + SCATTERED_WORDS


@native
def run_program(spec: Object) -> Int:
    """Run the program, between pointers that results share and copies back; return `DONE` or `REFUSED`."""
    if spec.scattered != 0:
        run(spec.gather, spec)
    table = spec.table
    sharing = spec.shared_at
    copies = spec.copies_at
    for s in range(spec.shared):
        table[sharing[2 * s + 1]] = table[sharing[2 * s]]
    if spec.save is null:
        run(spec.run, table)
    else:
        thread = call(spec.save)
        run(spec.run, table)
        run(spec.restore, thread)
    if spec.refusal != 0:
        flag: Bytes = table[spec.refusal]
        if load(flag, 8) != 0:
            return REFUSED
    for c in range(spec.copies):
        source: Bytes = table[copies[3 * c]]
        target: Bytes = table[copies[3 * c + 1]]
        copy(target, source, copies[3 * c + 2])
    if spec.scattered != 0:
        run(spec.scatter, spec)
    return DONE


@native
def pullback_call(owner: Object, given: Object, count: Int) -> Object:
    """Do a call; return the tuple of results, or a number that says why there are none."""
    spec: Object = owner.data
    results = make_results(spec)
    if results is null:
        return null
    code = checked(spec, given[0], given[1])
    if code == DONE:
        code = run_program(spec)
    if code == DONE:
        return results
    python.Py_DecRef(results)
    return python.PyLong_FromLongLong(code)
