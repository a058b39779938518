"""A native function that looks where gradients lie, and whether a step can take them as they are.

In Python that takes 1 µs a gradient, and a native step's other costs do not grow with their number.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..emit import python_functions
from ..emit.codegen import WRITTEN
from . import engine
from .native_checks import array_text
from .native_results import counted_text
from .native_specification import ALIGNED, DONE, ROW_MAJOR, read
from .object_layout import Layout, layout

_WORDS = ("count", "slots", "row", "array", "records", "ranges", "begins", "ends")
#: Words of a record: bytes, three that are not used, then what `array_text` compares.
_RECORD = 8
#: What the function answers when all is well, and what it adds to a number when that gradient shares memory
#: with what is written.
GOOD, SHARED = -1, 1 << 32


def finder(
    slots: int, row: int, expected: Sequence[ndarray], written: Sequence[tuple[int, int]]
) -> Callable[[tuple[Any, ...]], int]:
    """Return a function of a tuple of arrays that writes their addresses to slots.

    Parameters
    ----------
    slots, row : int
        Address of the first slot, and bytes from one to the next.
    expected : sequence of array
        Of the shapes and dtypes that the arrays must have.
    written : sequence of (int, int)
        Begin and end of memory in which no array may lie, in order.

    Returns
    -------
    callable
        It gives `GOOD`, or the number of the first array that is not as it must be (contiguous, too); or
        `SHARED` and the number of one that lies where none may.
    """
    shapes = [np.array(a.shape, np.int64) for a in expected]
    records = [
        (a.nbytes, 0, 0, 0, id(a.dtype), a.ndim, s.ctypes.data, ROW_MAJOR | ALIGNED)
        for a, s in zip(expected, shapes, strict=True)
    ]
    tables = [np.array(records, np.int64), *(np.array([r[k] for r in written], np.int64) for k in (0, 1))]
    at = [int(t.ctypes.data) for t in tables]
    spec = _Specification(
        [len(expected), slots, row, id(np.ndarray), at[0], len(written), at[1], at[2]]
    )
    spec.kept = [*shapes, *tables, *(a.dtype for a in expected)]
    return python_functions.function("find", _functions()["pullback_find"], spec)


class _Specification(ndarray):
    """Words, and what they point to."""

    kept: list[Any]

    def __new__(cls, words: Sequence[int]) -> Any:
        """Return an array of the words."""
        return np.array(words, np.int64).view(cls)


_libraries: list[engine.Library] = []


@functools.cache
def _functions() -> dict[str, int]:
    where, symbols = layout(), python_functions.addresses()
    if where is None or symbols is None:
        return {}
    library = engine.Library(f"{_text(where)}\n{counted_text(where)}", symbols, effort=WRITTEN)
    _libraries.append(library)
    return {name: library.address(name) for name in ("pullback_find", "pullback_count")}


def is_there() -> bool:
    """Return whether Python's objects are laid out as they must be."""
    return bool(_functions())


@functools.cache
def counter() -> Callable[..., int]:
    """See `native_results.counted_text`."""
    return python_functions.function("count", _functions()["pullback_count"], None)


def _text(where: Layout) -> str:
    fields = "\n".join(
        f"  %{name}_ = getelementptr i64, ptr %spec, i64 {n}\n  %{name} = load i64, ptr %{name}_"
        for n, name in enumerate(_WORDS)
    )
    return f"""\
define ptr @pullback_find(ptr %owner, ptr %given, i64 %arguments) #0 {{
entry:
{read("spec", "ptr", "owner", where.data)}
{fields}
  %first_slot = inttoptr i64 %slots to ptr
  %first_record = inttoptr i64 %records to ptr
  %first_begin = inttoptr i64 %begins to ptr
  %first_end = inttoptr i64 %ends to ptr
  %tuple = load ptr, ptr %given
  %items = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %good ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
  %next = add nuw nsw i64 %n, 1
{read("item", "ptr", "items", "%n", "ptr")}
  %record = getelementptr [{_RECORD} x i64], ptr %first_record, i64 %n
  %offset = mul nuw nsw i64 %n, %row
  %slot = getelementptr i8, ptr %first_slot, i64 %offset
  %found_to_be = call i64 @array(ptr %item, ptr %record, ptr %slot, i64 %array)
  %fits = icmp eq i64 %found_to_be, {DONE}
  br i1 %fits, label %place, label %bad
place:
  %data = load i64, ptr %slot
  %bytes = load i64, ptr %record
  %stop = add i64 %data, %bytes
  br label %search
search:
  %low = phi i64 [ 0, %place ], [ %low_next, %halve ]
  %high = phi i64 [ %ranges, %place ], [ %high_next, %halve ]
  %open = icmp slt i64 %low, %high
  br i1 %open, label %halve, label %found
halve:
  %both = add nuw nsw i64 %low, %high
  %middle = lshr i64 %both, 1
{read("end", "i64", "first_end", "%middle", "i64")}
  %before = icmp ule i64 %end, %data
  %behind = add nuw nsw i64 %middle, 1
  %low_next = select i1 %before, i64 %behind, i64 %low
  %high_next = select i1 %before, i64 %high, i64 %middle
  br label %search
found:
  %last = icmp slt i64 %low, %ranges
  br i1 %last, label %compare, label %good
compare:
{read("begin", "i64", "first_begin", "%low", "i64")}
  %inside = icmp ult i64 %begin, %stop
  br i1 %inside, label %shared, label %good
good:
  br label %head
shared:
  %mark = or i64 %n, {SHARED}
  br label %answer
bad:
  br label %answer
done:
  br label %answer
answer:
  %code = phi i64 [ %mark, %shared ], [ %n, %bad ], [ {GOOD}, %done ]
  %result = call ptr @pullback_PyLong_FromLongLong(i64 %code)
  ret ptr %result
}}

{array_text(where)}

{python_functions.declarations()}
{engine.attributes()}
"""
