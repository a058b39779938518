"""Native functions that make a call's results and count its writes, with Python's own functions.

An array, the tensor around it and its version counter take 0.1 µs so, and in Python four times that.
"""

from __future__ import annotations

from .native_specification import read
from .object_layout import Layout

#: Words of a record of a result: its dtype, its rank, the address of its shape, the slot in the table of
#: pointers, and the node of the tensor around it; `BARE` leaves it an array.
WORDS = 5
BARE = 0


def made_text(where: Layout) -> str:
    """Return a new tuple of new results, whose pointers go into the table; null where memory is missing."""
    return f"""\
define internal ptr @made(ptr %records, i64 %count, ptr %table, ptr %array_type, ptr %tensor_type, \
ptr %none, ptr %zero) #0 {{
entry:
  %tuple = call ptr @pullback_PyTuple_New(i64 %count)
  %has_tuple = icmp ne ptr %tuple, null
  %items = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  br i1 %has_tuple, label %head, label %nothing
nothing:
  ret ptr null
head:
  %n = phi i64 [ 0, %entry ], [ %next, %filled ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %done
body:
  %record = getelementptr [{WORDS} x i64], ptr %records, i64 %n
  %item = getelementptr ptr, ptr %items, i64 %n
  %dtype = load ptr, ptr %record
{read("rank", "i32", "record", 1, "i64")}
{read("shape", "ptr", "record", 2, "i64")}
{read("slot", "i64", "record", 3, "i64")}
{read("node", "ptr", "record", 4, "i64")}
  call void @pullback_Py_IncRef(ptr %dtype)
  %array = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %dtype, i32 %rank, ptr %shape, \
ptr null, ptr null, i32 0, ptr null)
  store ptr %array, ptr %item
  %has_array = icmp ne ptr %array, null
  br i1 %has_array, label %placed, label %failed
placed:
{read("data", "i64", "array", where.data)}
  %pointer = getelementptr i64, ptr %table, i64 %slot
  store i64 %data, ptr %pointer
  %is_bare = icmp eq ptr %node, null
  br i1 %is_bare, label %filled, label %wrapped
wrapped:
  %tensor = call ptr @pullback_PyType_GenericAlloc(ptr %tensor_type, i64 0)
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %counted, label %failed
counted:
  %value_ = getelementptr i8, ptr %tensor, i64 {where.value}
  store ptr %array, ptr %value_
  store ptr %tensor, ptr %item
  %counter = call ptr @pullback_PyList_New(i64 1)
  %has_counter = icmp ne ptr %counter, null
  br i1 %has_counter, label %full, label %failed
full:
  call void @pullback_Py_IncRef(ptr %zero)
  %count_ = getelementptr i8, ptr %counter, i64 {where.list_items}
  %count_at = load ptr, ptr %count_
  store ptr %zero, ptr %count_at
  %counter_ = getelementptr i8, ptr %tensor, i64 {where.counter}
  store ptr %counter, ptr %counter_
  call void @pullback_Py_IncRef(ptr %node)
  %history_ = getelementptr i8, ptr %tensor, i64 {where.node}
  store ptr %node, ptr %history_
  call void @pullback_Py_IncRef(ptr %none)
  %view_ = getelementptr i8, ptr %tensor, i64 {where.view}
  store ptr %none, ptr %view_
  br label %filled
filled:
  %next = add nuw nsw i64 %n, 1
  br label %head
failed:
  call void @pullback_Py_DecRef(ptr %tuple)
  ret ptr null
done:
  ret ptr %tuple
}}"""


def counted_text(where: Layout) -> str:
    """Return ``count(counters, code, position, number)``: what `blame.written` does to version counters that
    were last written to from the same place, all of them; 0 and nothing done where one was not.
    """
    items, length = where.list_items, where.list_size
    return f"""\
define ptr @pullback_count(ptr %self, ptr %given, i64 %arguments) #0 {{
entry:
  %counters = load ptr, ptr %given
{read("code", "ptr", "given", 1, "ptr")}
  %place_ = getelementptr ptr, ptr %given, i64 2
  %place_object = load ptr, ptr %place_
{read("number", "ptr", "given", 3, "ptr")}
  %place = call i64 @pullback_PyLong_AsLongLong(ptr %place_object)
  %count = call i64 @pullback_PyTuple_Size(ptr %counters)
  %first = getelementptr i8, ptr %counters, i64 {where.tuple_items}
  br label %head
head:
  %n = phi i64 [ 0, %entry ], [ %next, %fits ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %body, label %write_head
body:
  %next = add nuw nsw i64 %n, 1
{read("counter", "ptr", "first", "%n", "ptr")}
{read("size", "i64", "counter", length)}
  %noted = icmp eq i64 %size, 2
  br i1 %noted, label %run, label %other
run:
{read("entries", "ptr", "counter", items)}
  %version_object = load ptr, ptr %entries
  %version = call i64 @pullback_PyLong_AsLongLong(ptr %version_object)
{read("runs", "ptr", "entries", 1, "ptr")}
{read("runs_size", "i64", "runs", length)}
  %any = icmp sgt i64 %runs_size, 0
  br i1 %any, label %last, label %other
last:
{read("runs_at", "ptr", "runs", items)}
  %newest = sub i64 %runs_size, 1
  %newest_ = getelementptr ptr, ptr %runs_at, i64 %newest
  %note = load ptr, ptr %newest_
  %note_ = getelementptr i8, ptr %note, i64 {items}
  %note_at = load ptr, ptr %note_
  %until_ = getelementptr ptr, ptr %note_at, i64 1
  %until_object = load ptr, ptr %until_
  %until = call i64 @pullback_PyLong_AsLongLong(ptr %until_object)
{read("from", "ptr", "note_at", 2, "ptr")}
  %at_ = getelementptr ptr, ptr %note_at, i64 3
  %at_object = load ptr, ptr %at_
  %at = call i64 @pullback_PyLong_AsLongLong(ptr %at_object)
  %same_code = icmp eq ptr %from, %code
  %same_place = icmp eq i64 %at, %place
  %same_version = icmp eq i64 %until, %version
  %here = and i1 %same_code, %same_place
  %good = and i1 %here, %same_version
  br i1 %good, label %fits, label %other
fits:
  br label %head
other:
  %no = call ptr @pullback_PyLong_FromLongLong(i64 0)
  ret ptr %no
write_head:
  %k = phi i64 [ 0, %head ], [ %k_next, %write ]
  %k_more = icmp slt i64 %k, %count
  br i1 %k_more, label %renew, label %done
renew:
  %k_next = add nuw nsw i64 %k, 1
{read("k_counter", "ptr", "first", "%k", "ptr")}
{read("k_entries", "ptr", "k_counter", items)}
  %k_old = load ptr, ptr %k_entries
  %k_version = call i64 @pullback_PyLong_AsLongLong(ptr %k_old)
  %k_after = add i64 %k_version, 1
  %k_new = call ptr @pullback_PyLong_FromLongLong(i64 %k_after)
  %has_new = icmp ne ptr %k_new, null
  br i1 %has_new, label %write, label %failed
write:
{read("k_runs", "ptr", "k_entries", 1, "ptr")}
{read("k_size", "i64", "k_runs", length)}
  %k_newest = sub i64 %k_size, 1
{read("k_runs_at", "ptr", "k_runs", items)}
{read("k_note", "ptr", "k_runs_at", "%k_newest", "ptr")}
  call void @pullback_Py_IncRef(ptr %k_new)
  %set_version = call i32 @pullback_PyList_SetItem(ptr %k_counter, i64 0, ptr %k_new)
  %set_until = call i32 @pullback_PyList_SetItem(ptr %k_note, i64 1, ptr %k_new)
  call void @pullback_Py_IncRef(ptr %number)
  %set_number = call i32 @pullback_PyList_SetItem(ptr %k_note, i64 4, ptr %number)
  br label %write_head
done:
  %yes = call ptr @pullback_PyLong_FromLongLong(i64 1)
  ret ptr %yes
failed:
  ret ptr null
}}"""
