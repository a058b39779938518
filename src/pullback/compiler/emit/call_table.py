"""Long rows of calls as a list of numbers that one loop works off.

Where hundreds of kernels and products follow each other, LLVM takes most of its time for the pointers that
they are called with. A list of calls is data: for each the address of a function of an array of pointers, how
many these are, and for each pointer an entry of the program's table and how far behind it points. The table
begins with the arena, so every buffer is found so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Listed(NamedTuple):
    """A call.

    Attributes
    ----------
    function : str
    pointers : list of (int, int)
        Entries of the table, and bytes to add.
    further : str
        The arguments behind the pointers, as LLVM's text.
    """

    function: str
    pointers: Sequence[tuple[int, int]]
    further: str = ""


#: Pointers of a call at most.
MOST = 32


def unpacking(name: str, call: Listed) -> str:
    """A function of an array of pointers that calls a function of these pointers."""
    lines = [f"define internal void @{name}(ptr %given) nounwind #0 {{"]
    for n in range(len(call.pointers)):
        lines += [f"  %at{n} = getelementptr ptr, ptr %given, i64 {n}", f"  %p{n} = load ptr, ptr %at{n}"]
    arguments = [f"ptr %p{n}" for n in range(len(call.pointers))]
    arguments += [call.further] if call.further else []
    return "\n".join([*lines, f"  call void @{call.function}({', '.join(arguments)})", "  ret void", "}"])


def constant(name: str, calls: Sequence[tuple[str, Listed]]) -> str:
    """The list: calls, each with the function that unpacks its pointers."""
    words: list[str] = []
    for function, call in calls:
        words += [f"i64 ptrtoint (ptr @{function} to i64)", f"i64 {len(call.pointers)}"]
        for pointer in call.pointers:
            words += [f"i64 {number}" for number in pointer]
    return f"@{name} = private unnamed_addr constant [{len(words)} x i64] [{', '.join(words)}]"


def loop(name: str) -> str:
    """The function of (table, list, number of calls) that does the calls."""
    return f"""\
define internal void @{name}(ptr %table, ptr %list, i64 %count) noinline nounwind #0 {{
entry:
  %given = alloca [{MOST} x ptr]
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %n_next, %run ]
  %record = phi ptr [ %list, %entry ], [ %rest, %run ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %call, label %done
call:
  %function_number = load i64, ptr %record
  %function = inttoptr i64 %function_number to ptr
  %length_at = getelementptr i64, ptr %record, i64 1
  %length = load i64, ptr %length_at
  %first = getelementptr i64, ptr %record, i64 2
  br label %pointer_head
pointer_head:
  %k = phi i64 [ 0, %call ], [ %k_next, %pointer ]
  %rest = phi ptr [ %first, %call ], [ %following, %pointer ]
  %k_more = icmp slt i64 %k, %length
  br i1 %k_more, label %pointer, label %run
pointer:
  %entry_number = load i64, ptr %rest
  %away_at = getelementptr i64, ptr %rest, i64 1
  %away = load i64, ptr %away_at
  %entry_at = getelementptr ptr, ptr %table, i64 %entry_number
  %base = load ptr, ptr %entry_at
  %place = getelementptr i8, ptr %base, i64 %away
  %given_at = getelementptr ptr, ptr %given, i64 %k
  store ptr %place, ptr %given_at
  %k_next = add nuw nsw i64 %k, 1
  %following = getelementptr i64, ptr %rest, i64 2
  br label %pointer_head
run:
  call void %function(ptr %given)
  %n_next = add nuw nsw i64 %n, 1
  br label %head
done:
  ret void
}}"""
