"""The tensors that a call with a plan gives (`table`), as native code makes them."""

from __future__ import annotations

from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from ..ufunc_chains.calls import tensor_around
from .arguments import (
    AT_ARRAY,
    AT_INFERENCE_VIEW,
    AT_NO_VERSIONS,
    AT_NONE,
    AT_TENSOR,
    AT_VIEW,
    AT_ZERO,
    TENSORS,
    word,
)  # fmt: skip
from .nodes import SOURCE

#: Words of a result: which tensor it is, or a view of which; a view's dtype (else 0), rank, where shape and
#: strides lie, bytes to the first element, its chain where it is one of a base, its creation, where its steps
#: lie with their number before them, and where its history comes from.
_HISTORY = 9
RESULT = _HISTORY + SOURCE
_WRITEABLE = 0x400


def text(where: Layout) -> str:
    """Return the functions: `computed` puts tensors aside, `result` makes a result of these."""
    parts = (_around, _chained, _recorded, _seen, _result, _computed)
    return "\n".join(part(where) for part in parts)


def _around(where: Layout) -> str:
    """Return the functions that make a tensor of an array alone, and of an array, a counter, the record of a
    view and a history, all of which they take.
    """
    return tensor_around(where, "alone", AT_TENSOR, AT_NONE, AT_ZERO) + f"""

define internal ptr @around(ptr %array, ptr %shared, ptr %record, ptr %history, ptr %header) nounwind {{
entry:
{word("tensor_type", "ptr", AT_TENSOR)}
  %tensor = call ptr @pullback_PyType_GenericAlloc(ptr %tensor_type, i64 0)
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %filled, label %failed
failed:
  ret ptr null
filled:
  %value_ = getelementptr i8, ptr %tensor, i64 {where.value}
  store ptr %array, ptr %value_
  %node_ = getelementptr i8, ptr %tensor, i64 {where.node}
  store ptr %history, ptr %node_
  %view_ = getelementptr i8, ptr %tensor, i64 {where.view}
  store ptr %record, ptr %view_
  %counter_ = getelementptr i8, ptr %tensor, i64 {where.counter}
  store ptr %shared, ptr %counter_
  ret ptr %tensor
}}"""


def _chained(where: Layout) -> str:
    """Return the function that makes the chain of a view of a view."""
    return f"""
define internal ptr @chained(ptr %above, ptr %steps) nounwind {{
entry:
  %count = load i64, ptr %steps
  call void @pullback_Py_IncRef(ptr %above)
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %filled ]
  %chain = phi ptr [ %above, %entry ], [ %pair, %filled ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %make, label %done
make:
  %n1 = add i64 %n, 1
{read("step", "ptr", "steps", "%n1", "ptr")}
  %pair = call ptr @pullback_PyTuple_New(i64 2)
  %has_pair = icmp ne ptr %pair, null
  br i1 %has_pair, label %filled, label %failed
filled:
  call void @pullback_Py_IncRef(ptr %step)
  %first_at = getelementptr i8, ptr %pair, i64 {where.tuple_items}
  store ptr %chain, ptr %first_at
  %second_at = getelementptr i8, ptr %pair, i64 {where.tuple_items + 8}
  store ptr %step, ptr %second_at
  br label %each
failed:
  ret ptr null
done:
  ret ptr %chain
}}"""


def _recorded(where: Layout) -> str:
    """Return the function that makes the record of a view of an argument, made as a view is where nothing is
    recorded if that is given; of an inference tensor it is None.
    """
    return f"""
define internal ptr @recorded(ptr %result, ptr %parent, ptr %header, ptr %unrecorded) nounwind {{
entry:
{word("none", "ptr", AT_NONE)}
{word("own_chain", "ptr", 6, "result")}
{word("own_creation", "ptr", 7, "result")}
{word("steps", "ptr", 8, "result")}
{word("no_versions", "ptr", AT_NO_VERSIONS)}
{word("view_type", "ptr", AT_VIEW)}
{read("counter", "ptr", "parent", where.counter)}
{read("counter_kind", "ptr", "counter", where.type)}
{read("items", "ptr", "counter", where.list_items)}
{read("above", "ptr", "parent", where.view)}
  %is_inference = icmp eq ptr %counter_kind, %no_versions
  br i1 %is_inference, label %unknown, label %counted
unknown:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
counted:
  %version = load ptr, ptr %items
  %record = call ptr @pullback_PyType_GenericAlloc(ptr %view_type, i64 0)
  %has_record = icmp ne ptr %record, null
  br i1 %has_record, label %placed, label %failed
placed:
  %is_base = icmp eq ptr %above, %none
  br i1 %is_base, label %whole, label %part
whole:
  call void @pullback_Py_IncRef(ptr %own_chain)
  br label %chained
part:
{read("above_base", "ptr", "above", where.view_base)}
{read("above_chain", "ptr", "above", where.view_chain)}
  %longer = call ptr @chained(ptr %above_chain, ptr %steps)
  br label %chained
chained:
  %base = phi ptr [ %parent, %whole ], [ %above_base, %part ]
  %chain = phi ptr [ %own_chain, %whole ], [ %longer, %part ]
  %has_chain = icmp ne ptr %chain, null
  br i1 %has_chain, label %filled, label %failed
failed:
  ret ptr null
filled:
  %records = icmp eq ptr %unrecorded, null
  %creation = select i1 %records, ptr %own_creation, ptr %unrecorded
  call void @pullback_Py_IncRef(ptr %base)
  %base_at = getelementptr i8, ptr %record, i64 {where.view_base}
  store ptr %base, ptr %base_at
  %chain_at = getelementptr i8, ptr %record, i64 {where.view_chain}
  store ptr %chain, ptr %chain_at
  call void @pullback_Py_IncRef(ptr %creation)
  %creation_at = getelementptr i8, ptr %record, i64 {where.view_creation}
  store ptr %creation, ptr %creation_at
  call void @pullback_Py_IncRef(ptr %version)
  %version_at = getelementptr i8, ptr %record, i64 {where.view_at}
  store ptr %version, ptr %version_at
  ret ptr %record
}}"""


def _seen(where: Layout) -> str:
    """Return the function that makes the tensor that is a view of an argument."""
    return f"""
define internal ptr @seen(ptr %result, ptr %parent, ptr %memory, ptr %aside, ptr %header, ptr %unrecorded)
nounwind {{
entry:
{word("array_type", "ptr", AT_ARRAY)}
{word("dtype", "ptr", 1, "result")}
{word("rank64", "i64", 2, "result")}
{word("shape", "ptr", 3, "result")}
{word("strides", "ptr", 4, "result")}
{word("offset", "i64", 5, "result")}
{read("data", "ptr", "memory", where.data)}
{read("flags", "i32", "memory", where.flags)}
{read("counter", "ptr", "parent", where.counter)}
  %rank = trunc i64 %rank64 to i32
  %begin = getelementptr i8, ptr %data, i64 %offset
  %writeable = and i32 %flags, {_WRITEABLE}
  call void @pullback_Py_IncRef(ptr %dtype)
  %array = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %dtype, i32 %rank, ptr %shape, \
ptr %strides, ptr %begin, i32 %writeable, ptr null)
  %has_array = icmp ne ptr %array, null
  br i1 %has_array, label %based, label %failed
based:
  call void @pullback_Py_IncRef(ptr %memory)
  %wrong = call i32 @pullback_PyArray_SetBaseObject(ptr %array, ptr %memory)
  %record = call ptr @recorded(ptr %result, ptr %parent, ptr %header, ptr %unrecorded)
  %has_record = icmp ne ptr %record, null
  br i1 %has_record, label %behind, label %dropped
behind:
  %source = getelementptr i64, ptr %result, i64 {_HISTORY}
  %history = call ptr @sourced(ptr %source, ptr %aside, ptr %header)
  %has_history = icmp ne ptr %history, null
  br i1 %has_history, label %around, label %dropped
dropped:
  call void @pullback_Py_DecRef(ptr %array)
  br label %failed
failed:
  ret ptr null
around:
  call void @pullback_Py_IncRef(ptr %counter)
  %tensor = call ptr @around(ptr %array, ptr %counter, ptr %record, ptr %history, ptr %header)
  ret ptr %tensor
}}"""


def _result(where: Layout) -> str:
    """Return the function that makes one result of the tensors and arrays that were put aside."""
    return f"""
define internal ptr @result(ptr %result, ptr %aside, ptr %header, ptr %unrecorded) nounwind {{
entry:
{word("number", "i64", 0, "result")}
{word("viewed", "i64", 1, "result")}
  %place = add i64 %number, 1
{read("tensor", "ptr", "aside", "%place", "ptr")}
  %is_tensor = icmp eq i64 %viewed, 0
  br i1 %is_tensor, label %given, label %seen
given:
  call void @pullback_Py_IncRef(ptr %tensor)
  ret ptr %tensor
seen:
  %memory_place = add i64 %place, {TENSORS}
{read("memory", "ptr", "aside", "%memory_place", "ptr")}
  %view = call ptr @seen(ptr %result, ptr %tensor, ptr %memory, ptr %aside, ptr %header, ptr %unrecorded)
  ret ptr %view
}}"""


def _computed(where: Layout) -> str:
    """Return the function that puts aside what was computed, one array or a tuple, which it takes: tensors
    around the first of them, and the arrays that nodes alone hold; false where memory is short.
    """
    return f"""
define internal i1 @computed(ptr %own, i64 %count, i64 %all_count, ptr %aside, ptr %header, ptr %unrecorded)
nounwind {{
entry:
{word("inference", "ptr", AT_INFERENCE_VIEW)}
{word("no_versions", "ptr", AT_NO_VERSIONS)}
  %is_inference = icmp eq ptr %unrecorded, %inference
  %given = load i64, ptr %aside
  %one = icmp eq i64 %all_count, 1
  %parts = getelementptr i8, ptr %own, i64 {where.tuple_items}
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %put ]
  %more = icmp slt i64 %n, %all_count
  br i1 %more, label %make, label %all
make:
  br i1 %one, label %whole, label %part
part:
{read("item", "ptr", "parts", "%n", "ptr")}
  call void @pullback_Py_IncRef(ptr %item)
  br label %whole
whole:
  %array = phi ptr [ %own, %make ], [ %item, %part ]
  %n1 = add i64 %n, 1
  %place = add i64 %given, %n1
  %array_place = add i64 %place, {TENSORS}
  %array_at = getelementptr ptr, ptr %aside, i64 %array_place
  store ptr %array, ptr %array_at
  %is_held = icmp sge i64 %n, %count
  br i1 %is_held, label %put, label %shown
shown:
  %tensor = call ptr @alone(ptr %array, ptr %header)
  %tensor_at = getelementptr ptr, ptr %aside, i64 %place
  store ptr %tensor, ptr %tensor_at
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %there, label %failed
there:
  br i1 %is_inference, label %unversioned, label %put
unversioned:
  %none_counted = call ptr @pullback_PyType_GenericAlloc(ptr %no_versions, i64 0)
  %is_none_counted = icmp ne ptr %none_counted, null
  br i1 %is_none_counted, label %exchanged, label %failed
exchanged:
  %counter_at = getelementptr i8, ptr %tensor, i64 {where.counter}
  %own_counter = load ptr, ptr %counter_at
  store ptr %none_counted, ptr %counter_at
  call void @pullback_Py_DecRef(ptr %own_counter)
  br label %put
put:
  br label %each
all:
  br i1 %one, label %end, label %several
several:
  call void @pullback_Py_DecRef(ptr %own)
  br label %end
end:
  ret i1 true
failed:
  ret i1 false
}}"""
