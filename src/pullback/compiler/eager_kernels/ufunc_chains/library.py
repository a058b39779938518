"""The native function that runs chains of NumPy's loops (`array.chains`).

A chain is a table of 64-bit words that the function walks through: for each step NumPy's loop and, for each
operand, where it begins and how far it goes on. Loops of float32 and float64 numbers need nothing of Python
but the lock that the caller holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....array.chains import COLUMN, MOST, ROWS, SCALAR, VECTOR, Note, Operand, Step, Variant
from ....array.locks import computed
from ...emit import python_functions
from ...runtime import engine
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout, layout
from ..backward_loop import loop
from ..inline_cache import replay, table, text
from . import calls
from .loops import loop_of

#: How often a loop is called, and on how many elements, as the words of a step name it: each place is the
#: number of a count that the function has at hand.
_ALL, _LENGTH, _LENGTH_LESS_ONE, _ROW_COUNT, _ONE = range(5)
#: Words of a step, and of an operand in it.
_STEP, _OPERAND, _OPERANDS = 29, 6, 4
#: Slots that a chain has at most, and the bytes of elements that loops of ours choose.
SLOTS, CHOSEN = 128, (1, 2, 4, 8)


class Chains:
    """The native code of chains, of elementwise calls and of inline caches, which is one module."""

    def __init__(self) -> None:
        where, functions = layout(), python_functions.addresses()
        self._library: engine.Library | None = None
        if where is not None and functions is not None:
            texts = [_text(where), calls.text(where, SLOTS), text.text(where), replay.text(where)]
            whole = engine.whole([python_functions.declarations(), *texts])
            self._library = engine.Library(whole, functions)
        self._spare: list[np.ndarray] = []
        #: Chains read what they need of these at each call.
        self._kept: list[Any] = []

    @computed
    def inline_caches(self) -> table.InlineCaches:
        """Return what does public calls whose like is known."""
        return table.InlineCaches(self._library)

    @computed
    def backward_loop(self) -> loop.BackwardLoop:
        """Return what does the plain part of a backward pass."""
        return loop.BackwardLoop(self.call)

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
                tables.append(np.array([then, *calls.head(variant), *words], np.int64))
        if not tables or self._library is None:
            return None
        self._kept += [*tables, variants]
        return python_functions.function("call", self._library.address("call"), tables[-1])

    def _words(self, note: Note) -> list[int] | None:
        """Return a chain as the native code reads it; None where it has none."""
        if self._library is None or note.given + note.spare + len(note.constants) > SLOTS:
            return None
        try:
            steps = [_words(part) for step in note.steps for part in self._parts(step)]
        except LookupError:
            return None
        while len(self._spare) < note.spare:
            # All chains share them: one runs at a time, under the interpreter's lock.
            self._spare.append(np.empty(MOST, np.float64))
        owned = [*self._spare[: note.spare], *note.constants]
        self._kept += note.constants
        return [len(owned), *(v.ctypes.data for v in owned), len(steps), *(w for step in steps for w in step)]

    def _parts(self, step: Step) -> list[tuple[Any, ...]]:
        """Return the calls of loops that a step is: loop, its data, how often, on how many, operands."""
        if step.ufunc is np.where:
            assert self._library is not None
            size = step.operands[-1].dtype.itemsize
            if size not in CHOSEN:
                raise LookupError(f"no loop chooses elements of {size} bytes")
            loop = self._library.address(f"choose{size}")
            return [(loop, 0, *_spread(step.operands), step.operands)]
        return _parts(step)


def _parts(step: Step) -> list[tuple[Any, ...]]:
    """Return the calls of loops that a step is: loop, its data, how often, on how many, operands."""
    if not step.reduces:
        loop = loop_of(step.ufunc, [o.dtype for o in step.operands])
        return [(*loop, *_spread(step.operands), step.operands)]
    # As NumPy reduces: the result so far is the identity, or the first number of a row where there is none.
    x, start, total = step.operands
    copy, add = loop_of(np.positive, [x.dtype] * 2), loop_of(step.ufunc, [x.dtype] * 3)
    if start.slot != x.slot:
        return [(*copy, _ONE, _ROW_COUNT, (start, total)), (*add, _ROW_COUNT, _LENGTH, (total, x, total))]
    return [
        (*copy, _ROW_COUNT, _ONE, (x, total)),
        (*add, _ROW_COUNT, _LENGTH_LESS_ONE, (total, _Rest(x), total)),
    ]


class _Rest:
    """The rows without their first numbers."""

    def __init__(self, x: Operand) -> None:
        self.slot, self.role, self.dtype, self.part, self.parts = x


def _spread(operands: Sequence[Operand]) -> tuple[int, int]:
    """Return how often the loop of some operands is called, and on how many elements."""
    result = operands[-1].role
    if result == ROWS:
        whole = all(o.role in (ROWS, SCALAR) and o.parts == 1 for o in operands)
        return (_ONE, _ALL) if whole else (_ROW_COUNT, _LENGTH)
    return _ONE, {COLUMN: _ROW_COUNT, VECTOR: _LENGTH, SCALAR: _ONE}[result]


def _words(part: tuple[Any, ...]) -> list[int]:
    loop, data, times, count, operands = part
    words = [loop, data, times, count, len(operands)]
    for operand in operands:
        size, role = operand.dtype.itemsize, operand.role
        offset = size if isinstance(operand, _Rest) else 0
        # From one element of a call to the next, and from one call to the next: bytes, and bytes for each
        # place of a row; the last is where a part begins, by such places.
        along = 0 if role == SCALAR or (role == COLUMN and times == _ROW_COUNT) else size
        fixed = size if role == COLUMN and times == _ROW_COUNT else 0
        for_each = size * operand.parts if role == ROWS and times == _ROW_COUNT else 0
        words += [operand.slot, offset, along, fixed, for_each, size * operand.part]
    return words + [0] * (_STEP - len(words))


def _operand_text(k: int) -> str:
    at = 5 + _OPERAND * k
    words = "\n".join(
        read(f"{name}{k}", "i64", "step", at + n, "i64")
        for n, name in enumerate(("slot", "offset", "along", "fixed", "each", "begin_each"))
    )
    return f"""
{words}
  %skipped{k} = mul i64 %begin_each{k}, %length
  %first{k} = add i64 %offset{k}, %skipped{k}
  %by{k} = mul i64 %each{k}, %length
  %move{k} = add i64 %fixed{k}, %by{k}
{read(f"base{k}", "ptr", "slots", f"%slot{k}", "ptr")}
  %begin{k} = getelementptr i8, ptr %base{k}, i64 %first{k}
  %stride_at{k} = getelementptr i64, ptr %strides, i64 {k}
  store i64 %along{k}, ptr %stride_at{k}"""


def _call_text(k: int) -> str:
    return f"""
  %gone{k} = mul i64 %move{k}, %n
  %now{k} = getelementptr i8, ptr %begin{k}, i64 %gone{k}
  %pointer_at{k} = getelementptr ptr, ptr %pointers, i64 {k}
  store ptr %now{k}, ptr %pointer_at{k}"""


def _steps_text() -> str:
    """Return the walk through the steps, each of which calls its loop as often as it says."""
    operands = "".join(map(_operand_text, range(_OPERANDS)))
    calls = "".join(map(_call_text, range(_OPERANDS)))
    return f"""\
walk:
  %s = phi i64 [ 0, %begin ], [ %s1, %stepped ]
  %more_steps = icmp slt i64 %s, %steps
  br i1 %more_steps, label %read, label %done
read:
  %s_words = mul i64 %s, {_STEP}
  %step = getelementptr i64, ptr %script, i64 %s_words
  %loop = load ptr, ptr %step
{read("loop_data", "ptr", "step", 1, "ptr")}
  %times_at = getelementptr i64, ptr %step, i64 2
  %times_which = load i64, ptr %times_at
  %times_count_at = getelementptr i64, ptr %counts, i64 %times_which
  %times = load i64, ptr %times_count_at
  %inner_at = getelementptr i64, ptr %step, i64 3
  %inner_which = load i64, ptr %inner_at
{read("inner_count", "i64", "counts", "%inner_which", "i64")}{operands}
  br label %again
again:
  %n = phi i64 [ 0, %read ], [ %n1, %call ]
  %more_calls = icmp slt i64 %n, %times
  br i1 %more_calls, label %call, label %stepped
call:{calls}
  store i64 %inner_count, ptr %inner
  call void %loop(ptr %pointers, ptr %inner, ptr %strides, ptr %loop_data)
  %n1 = add i64 %n, 1
  br label %again
stepped:
  %s1 = add i64 %s, 1
  br label %walk"""


def _chosen_text(size: int) -> str:
    """Return a loop, called as NumPy's are, of which each element is the second operand's where the first's
    holds, else the third's.
    """
    kind = f"i{8 * size}"
    pointers = "\n".join(
        f"{read(f'base{k}', 'ptr', 'pointers', k, 'ptr')}\n{read(f'by{k}', 'i64', 'strides', k, 'i64')}"
        for k in range(4)
    )
    places = "\n".join(
        f"  %far{k} = mul i64 %n, %by{k}\n  %at{k} = getelementptr i8, ptr %base{k}, i64 %far{k}"
        for k in range(4)
    )
    return f"""
define void @choose{size}(ptr %pointers, ptr %inner, ptr %strides, ptr %data) nounwind #0 {{
entry:
  %count = load i64, ptr %inner
{pointers}
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %n1, %body ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
{places}
  %mask = load i8, ptr %at0
  %x = load {kind}, ptr %at1
  %y = load {kind}, ptr %at2
  %holds = icmp ne i8 %mask, 0
  %either = select i1 %holds, {kind} %x, {kind} %y
  store {kind} %either, ptr %at3
  %n1 = add i64 %n, 1
  br label %head
done:
  ret void
}}"""


def _text(where: Layout) -> str:
    """Return the functions: `walk` runs the steps of a script on slots of which some are given; `chain` reads
    the sizes of the first array, gathers the slots' addresses, and walks.
    """
    return "".join(map(_chosen_text, CHOSEN)) + f"""
define internal void @walk(ptr %own, ptr %slots, i64 %given, ptr %counts) nounwind #0 {{
entry:
  %pointers = alloca [{_OPERANDS} x ptr]
  %strides = alloca [{_OPERANDS} x i64]
  %inner = alloca i64
  %owned = load i64, ptr %own
{read("length", "i64", "counts", _LENGTH, "i64")}
  br label %take
take:
  %o = phi i64 [ 0, %entry ], [ %o1, %taken ]
  %more_owned = icmp slt i64 %o, %owned
  br i1 %more_owned, label %taken, label %begin
taken:
  %o1 = add i64 %o, 1
{read("address", "ptr", "own", "%o1", "ptr")}
  %place = add i64 %o, %given
  %owned_slot = getelementptr ptr, ptr %slots, i64 %place
  store ptr %address, ptr %owned_slot
  br label %take
begin:
  %steps_word = add i64 %owned, 1
  %steps_at = getelementptr i64, ptr %own, i64 %steps_word
  %steps = load i64, ptr %steps_at
  %script = getelementptr i64, ptr %steps_at, i64 1
  br label %walk
{_steps_text()}
done:
  ret void
}}

define internal void @count(ptr %array, ptr %counts) nounwind #0 {{
entry:
  %rank_at = getelementptr i8, ptr %array, i64 {where.rank}
  %rank32 = load i32, ptr %rank_at
  %rank = sext i32 %rank32 to i64
{read("shape", "ptr", "array", where.shape)}
  br label %sizes
sizes:
  %d = phi i64 [ 0, %entry ], [ %d1, %size ]
  %all = phi i64 [ 1, %entry ], [ %product, %size ]
  %length = phi i64 [ 1, %entry ], [ %extent, %size ]
  %more_sizes = icmp slt i64 %d, %rank
  br i1 %more_sizes, label %size, label %sized
size:
{read("extent", "i64", "shape", "%d", "i64")}
  %product = mul i64 %all, %extent
  %d1 = add i64 %d, 1
  br label %sizes
sized:
  store i64 %all, ptr %counts
  %is_empty = icmp eq i64 %all, 0
  br i1 %is_empty, label %done, label %rows
rows:
  %row_count = sdiv i64 %all, %length
  %rest = sub i64 %length, 1
  %count1 = getelementptr i64, ptr %counts, i64 {_LENGTH}
  store i64 %length, ptr %count1
  %count2 = getelementptr i64, ptr %counts, i64 {_LENGTH_LESS_ONE}
  store i64 %rest, ptr %count2
  %count3 = getelementptr i64, ptr %counts, i64 {_ROW_COUNT}
  store i64 %row_count, ptr %count3
  %count4 = getelementptr i64, ptr %counts, i64 {_ONE}
  store i64 1, ptr %count4
  br label %done
done:
  ret void
}}

define ptr @chain(ptr %owner, ptr %arguments, i64 %given) nounwind #0 {{
entry:
  %slots = alloca [{SLOTS} x ptr]
  %counts = alloca [5 x i64]
{read("table", "ptr", "owner", where.data)}
  %first = load ptr, ptr %arguments
  call void @count(ptr %first, ptr %counts)
  br label %gather
gather:
  %g = phi i64 [ 0, %entry ], [ %g1, %gathered ]
  %more_given = icmp slt i64 %g, %given
  br i1 %more_given, label %gathered, label %gone
gathered:
{read("argument", "ptr", "arguments", "%g", "ptr")}
{read("data", "ptr", "argument", where.data)}
  %given_at = getelementptr ptr, ptr %slots, i64 %g
  store ptr %data, ptr %given_at
  %g1 = add i64 %g, 1
  br label %gather
gone:
  %own = getelementptr i64, ptr %table, i64 1
  call void @walk(ptr %own, ptr %slots, i64 %given, ptr %counts)
  %none = load ptr, ptr %table
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
}}"""
