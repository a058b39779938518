"""Call again which of NumPy's loops a function of arrays was seen to call (`array.loop_recording`).

The native function makes arrays for the results, and calls each loop as often as is told, on the memory of
the arrays that it is given, of the results, of constants, and of one piece for all that a call needs for
itself. That piece is shared: one such function runs at a time, under the interpreter's lock, and none runs
Python once its results are made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ....array.loop_recording.steps import (
    AROUND,
    CASTS,
    DECIDE,
    EXTREMES,
    FIXED,
    GIVEN,
    MADE,
    MOVED,
    OPERANDS,
    OWN,
    SCRATCH,
    Recording,
    Step,
)
from ...emit import python_functions
from ...runtime import engine
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from ..ufunc_chains.loops import loop_of

#: Words of the table: the type of arrays, the function, how many results there are, what tells them, how many
#: steps, where they lie, how many memories are always the same; these follow.
_ARRAY, _COMPUTE, _RESULTS, _RESULTS_AT, _STEPS, _STEPS_AT, _KEPT, _FIRST_KEPT = range(8)
#: Words of a result: dtype, rank, where shape and strides lie; of a step: its loop, the loop's data, where
#: the sizes and steps lie that it is given, how often it is called along each axis around it, and how many
#: operands; of an operand: memory, bytes into it, and its step along each axis.
_RESULT, _HEAD = 4, 5 + AROUND
_OPERAND = 2 + AROUND
_STEP = _HEAD + _OPERAND * OPERANDS
#: Memories and results at most.
_MEMORIES, _MADE = 64, 8
_ALIGNED = 64


class Replays:
    """Make functions that call loops again.

    Parameters
    ----------
    library : Library
        Code with the function of `text`, and loops that choose.
    """

    def __init__(self, library: engine.Library) -> None:
        self._library = library
        self._scratch = np.empty(SCRATCH, np.uint8)
        #: Tables hold addresses of these.
        self._kept: list[Any] = []

    def function(self, recording: Recording, compute: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return the native function, which calls the one that was recorded where a decision is not what it
        was; None where a loop is not found, or there is too much of something.
        """
        memories, results = recording.memories, recording.results
        if len(memories) > _MEMORIES or not 0 < len(results) <= _MADE:
            return None
        numbers, kept = self._numbers(recording)
        try:
            steps = [word for step in recording.steps for word in self._words(step, numbers)]
        except LookupError:
            return None
        told: list[int] = []
        for _, result in results:
            sizes = np.array([*result.shape, *result.strides, 0], np.int64)
            self._kept += [sizes, result.dtype]
            at = sizes.ctypes.data
            told += [id(result.dtype), result.ndim, at, at + 8 * result.ndim]
        own = [np.array(told, np.int64), np.array(steps or [0], np.int64)]
        words = [
            id(np.ndarray), id(compute), len(results), own[0].ctypes.data, len(recording.steps),
            own[1].ctypes.data, len(kept), *kept,
        ]  # fmt: skip
        table = np.array(words, np.int64)
        self._kept += [*own, table, compute]
        return python_functions.function("replay", self._library.address("replay"), table)

    def _numbers(self, recording: Recording) -> tuple[dict[int, int], list[int]]:
        """Return the place of each memory: those given come first, then those made and kept; and addresses of
        what is kept.
        """
        by_kind: dict[int, list[int]] = {kind: [] for kind in (GIVEN, MADE, OWN, FIXED)}
        for number, (kind, _) in enumerate(recording.memories):
            by_kind[kind].append(number)
        by_kind[MADE] = [number for number, _ in recording.results]
        order = [number for kind in (GIVEN, MADE, OWN, FIXED) for number in by_kind[kind]]
        kept, used = [], 0
        for number in by_kind[OWN]:
            whole = recording.memories[number][1]
            kept.append(self._scratch.ctypes.data + used)
            used += -(-whole.nbytes // _ALIGNED) * _ALIGNED
        for number in by_kind[FIXED]:
            whole = recording.memories[number][1]
            self._kept.append(whole)
            kept.append(whole.ctypes.data)
        return {number: place for place, number in enumerate(order)}, kept

    def _words(self, step: Step, numbers: dict[int, int]) -> list[int]:
        if step.ufunc == DECIDE:
            loop, data = 0, step.sizes[0]
        elif isinstance(step.ufunc, str):
            loop, data = self._library.address(step.ufunc), 0
        else:
            loop, data = loop_of(step.ufunc, step.dtypes)
            if not loop:
                raise LookupError(f"{step.ufunc.__name__} has no such loop")
        given = np.array([*step.sizes, *step.steps], np.int64)
        self._kept.append(given)
        at = given.ctypes.data
        missing = AROUND - len(step.around)
        words = [loop, data, at, at + 8 * len(step.sizes), *(1,) * missing, *step.around, len(step.operands)]
        for memory, offset, around in step.operands:
            words += [numbers[memory], offset, *(0,) * missing, *around]
        return words + [0] * (_STEP - len(words))


def _word(name: str, type_: str, at: int | str, table: str = "table") -> str:
    return read(name, type_, table, at, "i64")


def _operand(k: int) -> str:
    """Return where an operand of a step begins, and where it lies in one call of the loop."""
    at = _HEAD + _OPERAND * k
    lines = [_word(f"slot{k}", "i64", at, "step"), _word(f"offset{k}", "i64", at + 1, "step")]
    lines += [_word(f"by{k}_{d}", "i64", at + 2 + d, "step") for d in range(AROUND)]
    lines += [
        read(f"base{k}", "ptr", "memories", f"%slot{k}", "ptr"),
        f"  %begin{k} = getelementptr i8, ptr %base{k}, i64 %offset{k}",
    ]
    return "\n".join(lines)


def _call(k: int) -> str:
    lines, so_far = [], f"%begin{k}"
    for d in range(AROUND):
        lines += [
            f"  %gone{k}_{d} = mul i64 %by{k}_{d}, %i{d}",
            f"  %at{k}_{d} = getelementptr i8, ptr {so_far}, i64 %gone{k}_{d}",
        ]
        so_far = f"%at{k}_{d}"
    lines += [
        f"  %place{k} = getelementptr ptr, ptr %pointers, i64 {k}", f"  store ptr {so_far}, ptr %place{k}",
    ]  # fmt: skip
    return "\n".join(lines)


def _count(d: int) -> str:
    """Return the next place along an axis, which begins anew where the one within it goes on."""
    carried = "1" if d == AROUND - 1 else f"%carry{d + 1}"
    if not d:
        return f"  %next0 = add i64 %i0, {carried}"
    return f"""\
  %up{d} = add i64 %i{d}, {carried}
  %ends{d} = icmp eq i64 %up{d}, %count{d}
  %carry{d} = zext i1 %ends{d} to i64
  %next{d} = select i1 %ends{d}, i64 0, i64 %up{d}"""


def _made(where: Layout) -> str:
    """Return the begin: where the arrays that are given lie, and arrays for the results."""
    return f"""\
define ptr @replay(ptr %owner, ptr %arguments, i64 %given) nounwind #0 {{
entry:
  %memories = alloca [{_MEMORIES} x ptr]
  %made = alloca [{_MADE} x ptr]
  %pointers = alloca [{OPERANDS} x ptr]
{read("table", "ptr", "owner", where.data)}
{_word("array_type", "ptr", _ARRAY)}
{_word("compute", "ptr", _COMPUTE)}
{_word("result_count", "i64", _RESULTS)}
{_word("results", "ptr", _RESULTS_AT)}
{_word("step_count", "i64", _STEPS)}
{_word("steps", "ptr", _STEPS_AT)}
{_word("kept_count", "i64", _KEPT)}
  br label %gather
gather:
  %g = phi i64 [ 0, %entry ], [ %g1, %gathered ]
  %more_given = icmp slt i64 %g, %given
  br i1 %more_given, label %gathered, label %make
gathered:
{read("argument", "ptr", "arguments", "%g", "ptr")}
{read("given_data", "ptr", "argument", where.data)}
  %given_at = getelementptr ptr, ptr %memories, i64 %g
  store ptr %given_data, ptr %given_at
  %g1 = add i64 %g, 1
  br label %gather
make:
  %r = phi i64 [ 0, %gather ], [ %r1, %there ]
  %more_results = icmp slt i64 %r, %result_count
  br i1 %more_results, label %new, label %keep
new:
  %result_words = mul i64 %r, {_RESULT}
  %result = getelementptr i64, ptr %results, i64 %result_words
{_word("dtype", "ptr", 0, "result")}
{_word("rank64", "i64", 1, "result")}
{_word("shape", "ptr", 2, "result")}
{_word("strides", "ptr", 3, "result")}
  %rank = trunc i64 %rank64 to i32
  call void @pullback_Py_IncRef(ptr %dtype)
  %array = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %dtype, i32 %rank, ptr %shape, \
ptr %strides, ptr null, i32 0, ptr null)
  %has_array = icmp ne ptr %array, null
  br i1 %has_array, label %there, label %failed
failed:
  %f = phi i64 [ %r, %new ], [ %f1, %drop ], [ %result_count, %several ]
  %drops_more = icmp sgt i64 %f, 0
  br i1 %drops_more, label %drop, label %nothing
drop:
  %f1 = sub i64 %f, 1
{read("dropped", "ptr", "made", "%f1", "ptr")}
  call void @pullback_Py_DecRef(ptr %dropped)
  br label %failed
nothing:
  ret ptr null
there:
  %made_at = getelementptr ptr, ptr %made, i64 %r
  store ptr %array, ptr %made_at
{read("made_data", "ptr", "array", where.data)}
  %made_place = add i64 %given, %r
  %made_memory = getelementptr ptr, ptr %memories, i64 %made_place
  store ptr %made_data, ptr %made_memory
  %r1 = add i64 %r, 1
  br label %make
"""


def _walked(where: Layout) -> str:
    """Return the rest: memories that are kept, the steps, and what is returned."""
    operands, calls = "\n".join(map(_operand, range(OPERANDS))), "\n".join(map(_call, range(OPERANDS)))
    counts = "\n".join(_word(f"count{d}", "i64", 4 + d, "step") for d in range(AROUND))
    first = "\n".join(f"  %i{d} = phi i64 [ 0, %step_there ], [ %next{d}, %called ]" for d in range(AROUND))
    counting = "\n".join(map(_count, reversed(range(AROUND))))
    loops = [*map(_gathering, MOVED), *map(_casting, CASTS.values())]
    loops += [_extreme(name, kind) for name in ("argmax", "argmin") for kind in EXTREMES.values()]
    return f"""\
keep:
  %first_kept = add i64 %given, %result_count
  br label %keeping
keeping:
  %k = phi i64 [ 0, %keep ], [ %k1, %kept ]
  %more_kept = icmp slt i64 %k, %kept_count
  br i1 %more_kept, label %kept, label %walk
kept:
  %kept_word = add i64 %k, {_FIRST_KEPT}
{_word("kept_data", "ptr", "%kept_word")}
  %kept_place = add i64 %first_kept, %k
  %kept_memory = getelementptr ptr, ptr %memories, i64 %kept_place
  store ptr %kept_data, ptr %kept_memory
  %k1 = add i64 %k, 1
  br label %keeping
walk:
  %s = phi i64 [ 0, %keeping ], [ %s1, %stepped ]
  %more_steps = icmp slt i64 %s, %step_count
  br i1 %more_steps, label %step_there, label %done
step_there:
  %s1 = add i64 %s, 1
  %step_words = mul i64 %s, {_STEP}
  %step = getelementptr i64, ptr %steps, i64 %step_words
{_word("loop", "ptr", 0, "step")}
{_word("loop_data", "ptr", 1, "step")}
{_word("loop_data_word", "i64", 1, "step")}
{_word("sizes", "ptr", 2, "step")}
{_word("loop_steps", "ptr", 3, "step")}
{counts}
{operands}
  %decides = icmp eq ptr %loop, null
  br i1 %decides, label %decide, label %call
decide:
  %held = load i8, ptr %begin0
  %was_held = trunc i64 %loop_data_word to i8
  %is_as_it_was = icmp eq i8 %held, %was_held
  br i1 %is_as_it_was, label %stepped, label %otherwise
otherwise:
  %o = phi i64 [ 0, %decide ], [ %o1, %undo ]
  %undoes_more = icmp slt i64 %o, %result_count
  br i1 %undoes_more, label %undo, label %in_python
undo:
  %o1 = add i64 %o, 1
{read("undone", "ptr", "made", "%o", "ptr")}
  call void @pullback_Py_DecRef(ptr %undone)
  br label %otherwise
in_python:
  %other = call ptr @pullback_PyObject_Vectorcall(ptr %compute, ptr %arguments, i64 %given, ptr null)
  ret ptr %other
call:
{first}
{calls}
  call void %loop(ptr %pointers, ptr %sizes, ptr %loop_steps, ptr %loop_data)
{counting}
  br label %called
called:
  %ends = icmp eq i64 %next0, %count0
  br i1 %ends, label %stepped, label %call
stepped:
  br label %walk
done:
  %is_one = icmp eq i64 %result_count, 1
  %only = load ptr, ptr %made
  br i1 %is_one, label %one, label %several
one:
  ret ptr %only
several:
  %tuple = call ptr @pullback_PyTuple_New(i64 %result_count)
  %has_tuple = icmp ne ptr %tuple, null
  %items = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  br i1 %has_tuple, label %fill, label %failed
fill:
  %t = phi i64 [ 0, %several ], [ %t1, %filled ]
  %more_items = icmp slt i64 %t, %result_count
  br i1 %more_items, label %filled, label %full
filled:
{read("item", "ptr", "made", "%t", "ptr")}
  %item_at = getelementptr ptr, ptr %items, i64 %t
  store ptr %item, ptr %item_at
  %t1 = add i64 %t, 1
  br label %fill
full:
  ret ptr %tuple
}}{''.join(loops)}"""


def _own_loop(name: str, inputs: int, body: str) -> str:
    """Return a loop that is called as NumPy's are: the body writes one element to the last pointer."""
    pointers = "\n".join(
        f"{read(f'base{k}', 'ptr', 'pointers', k, 'ptr')}\n{read(f'by{k}', 'i64', 'strides', k, 'i64')}"
        for k in range(inputs + 1)
    )
    places = "\n".join(
        f"  %far{k} = mul i64 %n, %by{k}\n  %at{k} = getelementptr i8, ptr %base{k}, i64 %far{k}"
        for k in range(inputs + 1)
    )
    return f"""
define void @{name}(ptr %pointers, ptr %inner, ptr %strides, ptr %data) nounwind #0 {{
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
{body}
  %n1 = add i64 %n, 1
  br label %head
done:
  ret void
}}"""


def _gathering(size: int) -> str:
    """Return a loop that reads the element so many bytes behind the second operand as the first says."""
    kind = f"i{8 * size}"
    return _own_loop(f"gather{size}", 2, f"""\
  %offset = load i64, ptr %at0
  %source = getelementptr i8, ptr %at1, i64 %offset
  %element = load {kind}, ptr %source
  store {kind} %element, ptr %at2""")


def _casting(cast: str) -> str:
    """Return a loop that converts elements."""
    instruction, of, to = cast.split("_")
    return _own_loop(f"cast_{cast}", 1, f"""\
  %element = load {of}, ptr %at0
  %converted = {instruction} {of} %element to {to}
  store {to} %converted, ptr %at1""")


def _extreme(name: str, kind: str) -> str:
    """Return a loop that finds where the first of the largest or least numbers stands, or the first nan."""
    order = "gt" if name == "argmax" else "lt"
    compare = f"icmp s{order} i64" if kind == "i64" else f"fcmp o{order} {kind}"
    unequal = "icmp ne i64" if kind == "i64" else f"fcmp uno {kind}"
    return f"""
define void @{name}_{kind}(ptr %pointers, ptr %inner, ptr %strides, ptr %data) nounwind #0 {{
entry:
  %count = load i64, ptr %inner
{read("x", "ptr", "pointers", 0, "ptr")}
{read("place", "ptr", "pointers", 1, "ptr")}
{read("by", "i64", "strides", 0, "i64")}
  %first = load {kind}, ptr %x
  br label %head
head:
  %n = phi i64 [ 1, %entry ], [ %n1, %body ]
  %best = phi {kind} [ %first, %entry ], [ %next, %body ]
  %at = phi i64 [ 0, %entry ], [ %next_at, %body ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
  %far = mul i64 %n, %by
  %there = getelementptr i8, ptr %x, i64 %far
  %own = load {kind}, ptr %there
  %beyond = {compare} %own, %best
  %is_nan = {unequal} %own, %own
  %was_nan = {unequal} %best, %best
  %either = or i1 %beyond, %is_nan
  %is_new = select i1 %was_nan, i1 false, i1 %either
  %next = select i1 %is_new, {kind} %own, {kind} %best
  %next_at = select i1 %is_new, i64 %n, i64 %at
  %n1 = add i64 %n, 1
  br label %head
done:
  store i64 %at, ptr %place
  ret void
}}"""


def text(where: Layout) -> str:
    """Return the function that makes the results and calls the loops."""
    return _made(where) + _walked(where)
