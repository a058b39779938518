"""The text of the native functions that pull a covector back at a node (`loop`)."""

from __future__ import annotations

from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from .words import (
    ARRAY,
    BACKWARD,
    COUNT,
    DOUBLE,
    INT,
    LIST,
    NONE,
    PLACES,
    RULE,
    RULES,
    SINGLE,
    VALUES,
    NodeLayout,
    word,
)  # fmt: skip


def size_of(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that counts the elements of an array."""
    return f"""
define internal i64 @size_of(ptr %array) nounwind {{
entry:
{read("rank", "i32", "array", where.rank)}
{read("shape", "ptr", "array", where.shape)}
  %axes = sext i32 %rank to i64
  br label %each
each:
  %d = phi i64 [ 0, %entry ], [ %d1, %axis ]
  %size = phi i64 [ 1, %entry ], [ %more, %axis ]
  %is_one = icmp slt i64 %d, %axes
  br i1 %is_one, label %axis, label %end
axis:
{read("length", "i64", "shape", "%d", "i64")}
  %more = mul i64 %size, %length
  %d1 = add i64 %d, 1
  br label %each
end:
  ret i64 %size
}}"""


def fits(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether an array has a shape and dtype."""
    return f"""
define internal i1 @fits(ptr %array, ptr %own_shape, ptr %own_dtype) nounwind {{
entry:
{read("rank", "i32", "array", where.rank)}
{read("shape", "ptr", "array", where.shape)}
{read("dtype", "ptr", "array", where.dtype)}
{read("own_rank", "i64", "own_shape", where.list_size)}
  %axes = sext i32 %rank to i64
  %lengths = getelementptr i8, ptr %own_shape, i64 {where.tuple_items}
  %same_dtype = icmp eq ptr %dtype, %own_dtype
  %same_rank = icmp eq i64 %axes, %own_rank
  %alike = and i1 %same_dtype, %same_rank
  br i1 %alike, label %each, label %no
each:
  %d = phi i64 [ 0, %entry ], [ %d1, %axis ]
  %more = icmp slt i64 %d, %axes
  br i1 %more, label %axis, label %yes
axis:
{read("length", "i64", "shape", "%d", "i64")}
{read("own_length", "ptr", "lengths", "%d", "ptr")}
  %number = call i64 @pullback_PyLong_AsLongLong(ptr %own_length)
  %d1 = add i64 %d, 1
  %same = icmp eq i64 %length, %number
  br i1 %same, label %each, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def lies_as(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether an array has the strides of another of its shape."""
    return f"""
define internal i1 @lies_as(ptr %array, ptr %other) nounwind {{
entry:
{read("rank", "i32", "array", where.rank)}
{read("other_rank", "i32", "other", where.rank)}
{read("strides", "ptr", "array", where.shape + 8)}
{read("other_strides", "ptr", "other", where.shape + 8)}
  %axes = sext i32 %rank to i64
  %same_rank = icmp eq i32 %rank, %other_rank
  br i1 %same_rank, label %each, label %no
each:
  %d = phi i64 [ 0, %entry ], [ %d1, %axis ]
  %more = icmp slt i64 %d, %axes
  br i1 %more, label %axis, label %yes
axis:
{read("stride", "i64", "strides", "%d", "i64")}
{read("other_stride", "i64", "other_strides", "%d", "i64")}
  %d1 = add i64 %d, 1
  %same = icmp eq i64 %stride, %other_stride
  br i1 %same, label %each, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def fresh(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether no saved value was written to, as far as one look tells."""
    return f"""
define internal i1 @fresh(ptr %saved, i64 %values, ptr %header) nounwind {{
entry:
{word("list_type", "ptr", LIST)}
{word("int_type", "ptr", INT)}
{read("length", "i64", "saved", where.list_size)}
  %items = getelementptr i8, ptr %saved, i64 {where.tuple_items}
  %words = mul i64 %values, 3
  %long = icmp sge i64 %length, %words
  br i1 %long, label %each, label %no
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %same ]
  %more = icmp slt i64 %n, %values
  br i1 %more, label %one, label %yes
one:
  %at = mul i64 %n, 3
  %counter_at = add i64 %at, 1
  %version_at = add i64 %at, 2
{read("counter", "ptr", "items", "%counter_at", "ptr")}
{read("version", "ptr", "items", "%version_at", "ptr")}
{read("counter_type", "ptr", "counter", where.type)}
{read("version_type", "ptr", "version", where.type)}
  %is_list = icmp eq ptr %counter_type, %list_type
  %is_int = icmp eq ptr %version_type, %int_type
  %plain = and i1 %is_list, %is_int
  br i1 %plain, label %now, label %no
now:
{read("counts", "ptr", "counter", where.list_items)}
  %present = load ptr, ptr %counts
  %unchanged = icmp eq ptr %present, %version
  %n1 = add i64 %n, 1
  br i1 %unchanged, label %same, label %no
same:
  br label %each
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def holds(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether a node has saved any value."""
    return f"""
define internal i1 @holds(ptr %saved, i64 %values, ptr %header) nounwind {{
entry:
{word("none", "ptr", NONE)}
{read("length", "i64", "saved", where.list_size)}
  %items = getelementptr i8, ptr %saved, i64 {where.tuple_items}
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %empty ]
  %at = mul i64 %n, 3
  %listed = icmp slt i64 %n, %values
  %there = icmp slt i64 %at, %length
  %more = and i1 %listed, %there
  br i1 %more, label %one, label %no
one:
{read("value", "ptr", "items", "%at", "ptr")}
  %n1 = add i64 %n, 1
  %is_empty = icmp eq ptr %value, %none
  br i1 %is_empty, label %empty, label %yes
empty:
  br label %each
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def is_among(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether a value is one of those that were saved."""
    return f"""
define internal i1 @is_among(ptr %value, ptr %saved) nounwind {{
entry:
{read("length", "i64", "saved", where.list_size)}
  %items = getelementptr i8, ptr %saved, i64 {where.tuple_items}
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %other ]
  %more = icmp slt i64 %n, %length
  br i1 %more, label %one, label %no
one:
{read("item", "ptr", "items", "%n", "ptr")}
  %n1 = add i64 %n, 1
  %is_it = icmp eq ptr %item, %value
  br i1 %is_it, label %yes, label %other
other:
  br label %each
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def pull(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that gives the covectors of a node's inputs, by its rules or by `backward`."""
    return f"""
define internal ptr @pull(ptr %node, ptr %g, ptr %record, ptr %header) nounwind {{
entry:
  %given = alloca [{1 + PLACES} x ptr]
{word("none", "ptr", NONE)}
{word("array_type", "ptr", ARRAY)}
{word("single", "ptr", SINGLE)}
{word("double", "ptr", DOUBLE)}
{word("count", "i64", COUNT, "record")}
{word("values", "i64", VALUES, "record")}
{read("edges", "ptr", "node", nodes.edges)}
{read("edge_count", "i64", "edges", where.list_size)}
{read("saved", "ptr", "node", nodes.saved)}
{read("type", "ptr", "g", where.type)}
  %edge_items = getelementptr i8, ptr %edges, i64 {where.tuple_items}
  %items = getelementptr i8, ptr %saved, i64 {where.tuple_items}
  store ptr %g, ptr %given
  %is_array = icmp eq ptr %type, %array_type
  %has_rules = icmp eq i64 %count, %edge_count
  %at_once = and i1 %is_array, %has_rules
  br i1 %at_once, label %typed, label %general
typed:
{read("dtype", "ptr", "g", where.dtype)}
  %is_single = icmp eq ptr %dtype, %single
  %is_double = icmp eq ptr %dtype, %double
  %is_real = or i1 %is_single, %is_double
  br i1 %is_real, label %checked, label %general
checked:
  %unchanged = call i1 @fresh(ptr %saved, i64 %values, ptr %header)
  br i1 %unchanged, label %begin, label %general
general:
{word("backward", "ptr", BACKWARD, "record")}
  store ptr %node, ptr %given
  %second = getelementptr ptr, ptr %given, i64 1
  store ptr %g, ptr %second
  %all = call ptr @pullback_PyObject_Vectorcall(ptr %backward, ptr %given, i64 2, ptr null)
  ret ptr %all
""" + _pull_1(where, nodes) + _pull_2(where, nodes)


def _pull_1(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `pull` that goes through the rules."""
    return f"""\
begin:
  %grads = call ptr @pullback_PyTuple_New(i64 %count)
  %has_grads = icmp ne ptr %grads, null
  br i1 %has_grads, label %open, label %failed
open:
  call void @pullback_Py_IncRef(ptr %saved)
  %made = getelementptr i8, ptr %grads, i64 {where.tuple_items}
  br label %each
each:
  %k = phi i64 [ 0, %open ], [ %k1, %stored ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %done
one:
  %k1 = add i64 %k, 1
  %skipped = mul i64 %k, {RULE}
  %own = getelementptr i64, ptr %record, i64 %skipped
{read("edge", "ptr", "edge_items", "%k", "ptr")}
{word("rule", "ptr", RULES, "own")}
{word("small", "ptr", RULES + 1, "own")}
{word("place_count", "i64", RULES + 2, "own")}
  %leads = icmp ne ptr %edge, %none
  %has_rule = icmp ne ptr %rule, null
  %wanted = and i1 %leads, %has_rule
  br i1 %wanted, label %place, label %nothing
nothing:
  call void @pullback_Py_IncRef(ptr %none)
  br label %stored
place:
  %p = phi i64 [ 0, %one ], [ %p1, %picked ]
  %another = icmp slt i64 %p, %place_count
  br i1 %another, label %picked, label %called
picked:
  %p1 = add i64 %p, 1
  %word_at = add i64 %p, {RULES + 3}
{read("from", "i64", "own", "%word_at", "i64")}
{read("item", "ptr", "items", "%from", "ptr")}
  %to = getelementptr ptr, ptr %given, i64 %p1
  store ptr %item, ptr %to
  br label %place
"""


def _pull_2(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `pull` that calls a rule, the native function for small arrays first."""
    return """\
called:
  %given_count = add i64 %place_count, 1
  %has_small = icmp ne ptr %small, null
  br i1 %has_small, label %shortened, label %in_python
shortened:
  %made_small = call ptr @pullback_PyObject_Vectorcall(ptr %small, ptr %given, i64 %given_count, ptr null)
  %could_small = icmp ne ptr %made_small, null
  br i1 %could_small, label %looked_at, label %raised
looked_at:
  %is_refused = icmp eq ptr %made_small, %none
  br i1 %is_refused, label %refused, label %stored
refused:
  call void @pullback_Py_DecRef(ptr %none)
  br label %in_python
in_python:
  %found = call ptr @pullback_PyObject_Vectorcall(ptr %rule, ptr %given, i64 %given_count, ptr null)
  %could = icmp ne ptr %found, null
  br i1 %could, label %stored, label %raised
stored:
  %grad = phi ptr [ %none, %nothing ], [ %made_small, %looked_at ], [ %found, %in_python ]
  %made_at = getelementptr ptr, ptr %made, i64 %k
  store ptr %grad, ptr %made_at
  br label %each
raised:
  call void @pullback_Py_DecRef(ptr %grads)
  call void @pullback_Py_DecRef(ptr %saved)
  ret ptr null
done:
  call void @pullback_Py_DecRef(ptr %saved)
  ret ptr %grads
failed:
  ret ptr null
}"""
