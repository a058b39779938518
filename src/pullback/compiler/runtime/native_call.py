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

from ...core.node import LEAF
from ...core.value import TensorBase
from ..emit import python_functions
from ..emit.codegen import WRITTEN
from . import engine, native_results
from .native_checks import checks_text
from .native_specification import (
    DIFFERENT,
    DONE,
    FIELDS,
    MADE_OF,
    MOVED,
    REFUSED,
    SCATTERED,
    field,
    read,
)
from .object_layout import Layout, layout

_ZERO = 0


class Specification:
    """Hold what a program expects of a call and makes in it, as memory; parts are numbers or arrays
    of 64-bit numbers.
    """

    def __init__(self, **parts: Any) -> None:
        # Not in the text: it is the same in every process.
        parts |= {
            "none": id(None), "leaf": id(LEAF), "array": id(np.ndarray), "tensor": id(TensorBase._facade),
            "zero": id(_ZERO),
        }  # fmt: skip
        self._parts = {k: v if isinstance(v, int) else np.asarray(v, np.int64) for k, v in parts.items()}
        self._words = np.zeros(len(FIELDS), np.int64)
        for name, part in self._parts.items():
            if isinstance(part, int):
                self._words[FIELDS.index(name)] = part
            else:
                self._words[FIELDS.index(name)] = part.ctypes.data

    def call(self) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]:
        """Make ``call(tuple, tuple)``, which gives the tuple of results, or an int that says why there are
        none.
        """
        found = _functions()
        assert found is not None
        return python_functions.function("call", found["pullback_call"], self._words)

    def part(self, name: str) -> Any:
        """Return an array that was given."""
        return self._parts[name]


def is_there() -> bool:
    """Return whether Python's objects are laid out as they must be."""
    return _functions() is not None


@functools.cache
def count() -> Callable[..., int]:
    """See `results.counted_text`."""
    found = _functions()
    assert found is not None
    return python_functions.function("count", found["pullback_count"], None)


@functools.cache
def begun() -> engine.Library | None:
    """Return what all programs share, which is compiled while the first is traced; None where Python's
    objects are laid out otherwise.
    """
    where, symbols = layout(), python_functions.addresses()
    if where is None or symbols is None:
        return None
    # It was not compiled before, so nothing was: there is more to come.
    return engine.Library(engine.started(_text(where), WRITTEN, helpers=1), symbols)


@functools.cache
def _functions() -> dict[str, int] | None:
    library = begun()
    if library is None:
        return None
    return {name: library.address(name) for name in ("pullback_call", "pullback_count")}


def _call_text() -> str:
    """Return the checks, then the program; 0 or why not."""
    fields = "\n".join(
        field(name, "ptr" if name.endswith("_at") or name in ("run", "table", "save", "restore") else "i64")
        for name in FIELDS if not name.startswith(("watched_", "made")) and name not in MADE_OF
    )  # fmt: skip
    return f"""\
define internal i64 @ran(ptr %spec, ptr %args, ptr %extras) #0 {{
entry:
{fields}
  %changed = call i64 @watched(ptr %spec, i64 %watched)
  %unchanged = icmp eq i64 %changed, 0
  br i1 %unchanged, label %containers, label %stale
stale:
  ret i64 %changed
containers:
  %listed = call i1 @lists(ptr %lists_at, i64 %lists)
  br i1 %listed, label %pattern, label %bad
pattern:
  %apart = call i1 @distinct(ptr %args, ptr %arguments_at, i64 %arguments, ptr %fixed_at, i64 %fixed)
  br i1 %apart, label %head, label %bad
head:
  %n = phi i64 [ 0, %pattern ], [ %next, %body ]
  %sofar = phi i64 [ 0, %pattern ], [ %with, %body ]
  %more = icmp slt i64 %n, %cells
  br i1 %more, label %body, label %checked
body:
  %next = add nuw nsw i64 %n, 1
  %record = getelementptr [9 x i64], ptr %cells_at, i64 %n
  %slot = getelementptr i64, ptr %table, i64 %next
  %code = call i64 @cell(ptr %spec, ptr %record, ptr %slot, ptr %args, ptr %extras)
  %with = or i64 %sofar, %code
  %hard = and i64 %code, {DIFFERENT}
  %soft = icmp eq i64 %hard, 0
  br i1 %soft, label %head, label %bad
checked:
  %ready = icmp eq i64 %sofar, 0
  br i1 %ready, label %placed, label %scattered
placed:
  %stay = call i1 @stay(ptr %table, i64 %moving, ptr %moving_at, ptr %seen_at)
  br i1 %stay, label %beside, label %moved
moved:
  ret i64 {MOVED}
beside:
  %disjoint = call i1 @apart(ptr %table, i64 %written, ptr %written_at, i64 %others, ptr %others_at)
  br i1 %disjoint, label %share_head, label %bad
scattered:
  ret i64 {SCATTERED}
{_run_text()}
done:
  ret i64 {DONE}
bad:
  ret i64 {DIFFERENT}
}}"""


def _run_text() -> str:
    """Return the blocks that run the program, between pointers that results share and what is copied back."""
    return f"""\
share_head:
  %s = phi i64 [ 0, %beside ], [ %s_next, %share ]
  %s_more = icmp slt i64 %s, %shared
  br i1 %s_more, label %share, label %start
share:
  %s_next = add nuw nsw i64 %s, 1
  %s_record = getelementptr [2 x i64], ptr %shared_at, i64 %s
  %s_from = load i64, ptr %s_record
{read("s_to", "i64", "s_record", 8)}
  %s_from_slot = getelementptr i64, ptr %table, i64 %s_from
  %s_to_slot = getelementptr i64, ptr %table, i64 %s_to
  %s_pointer = load i64, ptr %s_from_slot
  store i64 %s_pointer, ptr %s_to_slot
  br label %share_head
start:
  %locked = icmp eq ptr %save, null
  br i1 %locked, label %short, label %long
short:
  call void %run(ptr %table)
  br label %ran
long:
  %thread = call ptr %save()
  call void %run(ptr %table)
  call void %restore(ptr %thread)
  br label %ran
ran:
  %may_refuse = icmp ne i64 %refusal, 0
  br i1 %may_refuse, label %ask, label %copy_head
ask:
  %flag_slot = getelementptr ptr, ptr %table, i64 %refusal
  %flag_at = load ptr, ptr %flag_slot
  %flag = load i8, ptr %flag_at
  %wrong = icmp ne i8 %flag, 0
  br i1 %wrong, label %refused, label %copy_head
refused:
  ret i64 {REFUSED}
copy_head:
  %c = phi i64 [ 0, %ran ], [ 0, %ask ], [ %c_next, %copy ]
  %c_more = icmp slt i64 %c, %copies
  br i1 %c_more, label %copy, label %done
copy:
  %c_next = add nuw nsw i64 %c, 1
  %c_record = getelementptr [3 x i64], ptr %copies_at, i64 %c
  %c_from = load i64, ptr %c_record
{read("c_to", "i64", "c_record", 8)}
{read("c_bytes", "i64", "c_record", 16)}
  %c_from_slot = getelementptr ptr, ptr %table, i64 %c_from
  %c_to_slot = getelementptr ptr, ptr %table, i64 %c_to
  %c_source = load ptr, ptr %c_from_slot
  %c_target = load ptr, ptr %c_to_slot
  call void @llvm.memcpy.p0.p0.i64(ptr %c_target, ptr %c_source, i64 %c_bytes, i1 false)
  br label %copy_head"""


def _entrance_text(where: Layout) -> str:
    """Return the call as a function of Python, of a specification's array and two tuples."""
    needed = {"made": "i64", "made_at": "ptr", "table": "ptr", "array": "ptr", "tensor": "ptr", "none": "ptr",
              "zero": "ptr"}  # fmt: skip
    fields = "\n".join(field(name, type_) for name, type_ in needed.items())
    return f"""\
define ptr @pullback_call(ptr %owner, ptr %given, i64 %count) #0 {{
entry:
{read("spec", "ptr", "owner", where.data)}
  %args = load ptr, ptr %given
{read("extras", "ptr", "given", 1, "ptr")}
{fields}
  %results = call ptr @made(ptr %made_at, i64 %made, ptr %table, ptr %array, ptr %tensor, ptr %none, \
ptr %zero)
  %there = icmp ne ptr %results, null
  br i1 %there, label %results_made, label %failed
results_made:
  %code = call i64 @ran(ptr %spec, ptr %args, ptr %extras)
  %done = icmp eq i64 %code, {DONE}
  br i1 %done, label %good, label %other
good:
  ret ptr %results
other:
  call void @pullback_Py_DecRef(ptr %results)
  %why = call ptr @pullback_PyLong_FromLongLong(i64 %code)
  ret ptr %why
failed:
  ret ptr null
}}"""


def _text(where: Layout) -> str:
    """Return the module."""
    functions = [
        *checks_text(where),
        _call_text(),
        native_results.made_text(where),
        native_results.counted_text(where),
        _entrance_text(where),
    ]
    declared = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)"
    shared = f"{declared}\n{python_functions.declarations()}\n{engine.attributes()}\n"
    return "\n\n".join([*functions, shared])
