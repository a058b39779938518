"""The text of the native functions that send covectors on and keep those of leaves (`loop`)."""

from __future__ import annotations

from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from .words import (
    ACQUIRE,
    ADD,
    ALWAYS,
    ARRAY,
    CAPTURES,
    DELIVER,
    FALSE,
    FREED,
    FREES,
    GRAD_NAME,
    LEAF,
    LEAF_END,
    LIST,
    NEEDED,
    NEW,
    NEW_NAME,
    NONE,
    OUTPUT,
    PARAMETER,
    PENDING,
    REHEARSALS,
    RELEASE,
    SEND,
    SHARED,
    SUMMED,
    TENSOR,
    TRUE,
    TUPLE,
    VALUES,
    NodeLayout,
    given,
    word,
)  # fmt: skip

#: Of an array's flags.
_WRITEABLE = 0x400


def is_last(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that says whether nothing but the pass holds an array that was shared, or its
    memory.
    """
    return f"""
define internal i1 @is_last(ptr %g, ptr %header) nounwind {{
entry:
{word("array_type", "ptr", ARRAY)}
{read("base", "ptr", "g", where.shape + 16)}
  %held = load i32, ptr %g
{read("flags", "i32", "g", where.flags)}
  %writeable = and i32 %flags, {_WRITEABLE}
  %is_writeable = icmp ne i32 %writeable, 0
  %is_held_twice = icmp eq i32 %held, 2
  %may = and i1 %is_held_twice, %is_writeable
  br i1 %may, label %alone, label %no
alone:
  %owns = icmp eq ptr %base, null
  br i1 %owns, label %yes, label %view
view:
{read("kind", "ptr", "base", where.type)}
  %is_array = icmp eq ptr %kind, %array_type
  br i1 %is_array, label %based, label %no
based:
{read("further", "ptr", "base", where.shape + 16)}
  %base_held = load i32, ptr %base
  %size = call i64 @size_of(ptr %g)
  %base_size = call i64 @size_of(ptr %base)
  %is_once = icmp eq i32 %base_held, 1
  %is_end = icmp eq ptr %further, null
  %is_whole = icmp eq i64 %size, %base_size
  %last0 = and i1 %is_once, %is_end
  %last = and i1 %last0, %is_whole
  ret i1 %last
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def keep(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that keeps an array as the gradient of a leaf that has none; false where Python is
    to look.
    """
    return f"""
define internal i1 @keep(ptr %node, ptr %g, ptr %arguments, ptr %header) nounwind {{
entry:
{given(SHARED)}
{word("none", "ptr", NONE)}
{word("array_type", "ptr", ARRAY)}
{word("tensor_type", "ptr", TENSOR)}
{word("parameter_type", "ptr", PARAMETER)}
{word("is_leaf", "ptr", LEAF)}
{word("rehearsals", "ptr", REHEARSALS)}
{word("grad_name", "ptr", GRAD_NAME)}
{word("acquire", "ptr", ACQUIRE)}
{word("release", "ptr", RELEASE)}
{word("false", "ptr", FALSE)}
{word("true", "ptr", TRUE)}
{read("leaf", "ptr", "node", nodes.variable)}
{read("type", "ptr", "leaf", where.type)}
  %is_tensor = icmp eq ptr %type, %tensor_type
  %is_parameter = icmp eq ptr %type, %parameter_type
  %is_known = or i1 %is_tensor, %is_parameter
  br i1 %is_known, label %inside, label %no
inside:
{read("value", "ptr", "leaf", where.value)}
{read("history", "ptr", "leaf", where.node)}
{read("kind", "ptr", "value", where.type)}
  %is_array = icmp eq ptr %kind, %array_type
  %ends = icmp eq ptr %history, %is_leaf
  %looks = call i64 @pullback_PyDict_Size(ptr %rehearsals)
  %is_real = icmp eq i64 %looks, 0
  %plain0 = and i1 %is_array, %ends
  %plain = and i1 %plain0, %is_real
  br i1 %plain, label %lying, label %no
""" + _keep_1(where, nodes)


def _keep_1(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `keep` that asks who holds the array, and stores it under the lock."""
    return """\
lying:
  %same = call i1 @lies_as(ptr %g, ptr %value)
  br i1 %same, label %owned, label %no
owned:
  %also = call ptr @pullback_PyDict_GetItem(ptr %shared, ptr %node)
  %is_own = icmp ne ptr %also, %g
  br i1 %is_own, label %wrap, label %counted
counted:
  %is_last = call i1 @is_last(ptr %g, ptr %header)
  br i1 %is_last, label %wrap, label %no
wrap:
  call void @pullback_Py_IncRef(ptr %g)
  %grad = call ptr @tensor_around(ptr %g, ptr %header)
  %has_grad = icmp ne ptr %grad, null
  br i1 %has_grad, label %lock, label %cleared
lock:
  %locked = call ptr @pullback_PyObject_CallOneArg(ptr %acquire, ptr %false)
  %is_locked = icmp eq ptr %locked, %true
  br i1 %is_locked, label %ask, label %dropped
ask:
  call void @pullback_Py_DecRef(ptr %locked)
  %before = call ptr @pullback_PyObject_GetAttr(ptr %leaf, ptr %grad_name)
  %is_first = icmp eq ptr %before, %none
  br i1 %is_first, label %store, label %freed
store:
  %wrong = call i32 @pullback_PyObject_SetAttr(ptr %leaf, ptr %grad_name, ptr %grad)
  %right = icmp eq i32 %wrong, 0
  br label %freed
freed:
  %done = phi i1 [ false, %ask ], [ %right, %store ]
  %unlocked = call ptr @pullback_PyObject_CallNoArgs(ptr %release)
  call void @pullback_Py_DecRef(ptr %unlocked)
  call void @pullback_Py_DecRef(ptr %before)
  call void @pullback_Py_DecRef(ptr %grad)
  ret i1 %done
dropped:
  call void @pullback_Py_DecRef(ptr %locked)
  call void @pullback_Py_DecRef(ptr %grad)
  br label %no
cleared:
  call void @pullback_PyErr_Clear()
  br label %no
no:
  ret i1 false
}"""


def add(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that adds a covector to the one that waits at a node; false where Python has set an
    error.
    """
    return f"""
define internal i1 @add(ptr %node, ptr %before, ptr %grad, ptr %arguments, ptr %header) nounwind {{
entry:
  %given = alloca [3 x ptr]
{given(PENDING, SUMMED)}
{word("plus", "ptr", ADD)}
{word("new", "ptr", NEW)}
{word("new_name", "ptr", NEW_NAME)}
  store ptr %before, ptr %given
  %at1 = getelementptr ptr, ptr %given, i64 1
  store ptr %grad, ptr %at1
  %at2 = getelementptr ptr, ptr %given, i64 2
  %has_own = call i32 @pullback_PySet_Contains(ptr %summed, ptr %node)
  %is_own = icmp eq i32 %has_own, 1
  %alike = call i1 @lies_as(ptr %before, ptr %grad)
  %in_place = and i1 %is_own, %alike
  br i1 %in_place, label %same, label %other
same:
  store ptr %before, ptr %at2
  %added = call ptr @pullback_PyObject_Vectorcall(ptr %plus, ptr %given, i64 3, ptr null)
  %could_add = icmp ne ptr %added, null
  br i1 %could_add, label %done, label %no
done:
  call void @pullback_Py_DecRef(ptr %added)
  ret i1 true
other:
  store ptr %new, ptr %at2
  %sum = call ptr @pullback_PyObject_Vectorcall(ptr %plus, ptr %given, i64 2, ptr %new_name)
  %could = icmp ne ptr %sum, null
  br i1 %could, label %keep, label %no
keep:
  %wrong = call i32 @pullback_PyDict_SetItem(ptr %pending, ptr %node, ptr %sum)
  %wrong_too = call i32 @pullback_PySet_Add(ptr %summed, ptr %node)
  call void @pullback_Py_DecRef(ptr %sum)
  %either = or i32 %wrong, %wrong_too
  %right = icmp eq i32 %either, 0
  ret i1 %right
no:
  ret i1 false
}}"""


def send_one(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that sends a covector along an edge, by `send` where there is anything to ask;
    false where Python has set an error.
    """
    return f"""
define internal i1 @send_one(ptr %edge, ptr %grad, ptr %g, ptr %saved, ptr %arguments, ptr %header) \
nounwind {{
entry:
  %given = alloca [4 x ptr]
{given(PENDING, NEEDED, SHARED, CAPTURES, SEND)}
{word("none", "ptr", NONE)}
{word("array_type", "ptr", ARRAY)}
{word("list_type", "ptr", LIST)}
{word("output", "ptr", OUTPUT)}
{word("leaf_end", "ptr", LEAF_END)}
{read("kind", "ptr", "grad", where.type)}
{read("edge_kind", "ptr", "edge", where.type)}
  %is_array = icmp eq ptr %kind, %array_type
  %is_output = icmp eq ptr %edge_kind, %output
  br i1 %is_array, label %found, label %general
found:
  br i1 %is_output, label %one_of, label %only
one_of:
  %edge_items = getelementptr i8, ptr %edge, i64 {where.tuple_items}
  %several = load ptr, ptr %edge_items
{read("index_object", "ptr", "edge_items", 1, "ptr")}
  %index = call i64 @pullback_PyLong_AsLongLong(ptr %index_object)
{read("shapes", "ptr", "several", nodes.shape)}
{read("dtypes", "ptr", "several", nodes.dtype)}
  %shape_items = getelementptr i8, ptr %shapes, i64 {where.tuple_items}
  %dtype_items = getelementptr i8, ptr %dtypes, i64 {where.tuple_items}
{read("own_shape", "ptr", "shape_items", "%index", "ptr")}
{read("own_dtype", "ptr", "dtype_items", "%index", "ptr")}
{read("output_count", "i64", "shapes", where.list_size)}
  br label %shaped
only:
{read("whole_shape", "ptr", "edge", nodes.shape)}
{read("whole_dtype", "ptr", "edge", nodes.dtype)}
  br label %shaped
shaped:
  %node = phi ptr [ %several, %one_of ], [ %edge, %only ]
  %wanted_shape = phi ptr [ %own_shape, %one_of ], [ %whole_shape, %only ]
  %wanted_dtype = phi ptr [ %own_dtype, %one_of ], [ %whole_dtype, %only ]
  %which = phi i64 [ %index, %one_of ], [ 0, %only ]
  %count = phi i64 [ %output_count, %one_of ], [ 1, %only ]
  %as_wanted = call i1 @fits(ptr %grad, ptr %wanted_shape, ptr %wanted_dtype)
{read("seq", "ptr", "node", nodes.seq)}
  %has_age = icmp ne ptr %seq, null
  %plain = and i1 %as_wanted, %has_age
  br i1 %plain, label %asked, label %general
""" + _send_one_1(where, nodes) + _send_one_2(where, nodes) + _send_one_3(where, nodes)


def _send_one_1(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `send_one` that looks at what waits, in one of the slots of a node with several
    outputs.
    """
    return f"""\
asked:
  %all = icmp eq ptr %needed, %none
  br i1 %all, label %arriving, label %selected
selected:
  %within = call i32 @pullback_PySet_Contains(ptr %needed, ptr %node)
  %is_within = icmp eq i32 %within, 1
  br i1 %is_within, label %arriving, label %general
arriving:
  %before = call ptr @pullback_PyDict_GetItem(ptr %pending, ptr %node)
  %is_first = icmp eq ptr %before, null
  br i1 %is_output, label %several_arrive, label %single
several_arrive:
  br i1 %is_first, label %open, label %opened
open:
  %list = call ptr @pullback_PyList_New(i64 %count)
  %has_list = icmp ne ptr %list, null
  br i1 %has_list, label %clear, label %no
clear:
{read("new_items", "ptr", "list", where.list_items)}
  br label %clear_one
clear_one:
  %n = phi i64 [ 0, %clear ], [ %n1, %cleared ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %cleared, label %listed
cleared:
  %empty_at = getelementptr ptr, ptr %new_items, i64 %n
  call void @pullback_Py_IncRef(ptr %none)
  store ptr %none, ptr %empty_at
  %n1 = add i64 %n, 1
  br label %clear_one
listed:
  %could_list = call i1 @put(ptr %node, ptr %list, ptr %arguments, ptr %header)
  call void @pullback_Py_DecRef(ptr %list)
  br i1 %could_list, label %fill, label %no
opened:
{read("before_kind", "ptr", "before", where.type)}
  %is_list = icmp eq ptr %before_kind, %list_type
  br i1 %is_list, label %fill, label %general
fill:
  %waiting = phi ptr [ %list, %listed ], [ %before, %opened ]
{read("slots", "ptr", "waiting", where.list_items)}
{read("slot", "ptr", "slots", "%which", "ptr")}
  %is_empty = icmp eq ptr %slot, %none
  br i1 %is_empty, label %filled, label %general
filled:
  call void @pullback_Py_IncRef(ptr %grad)
  store ptr %grad, ptr %slot_
  call void @pullback_Py_DecRef(ptr %none)
  ret i1 true
"""


def _send_one_2(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `send_one` for a node with one output."""
    return f"""\
single:
  br i1 %is_first, label %ending, label %meeting
meeting:
{read("there_kind", "ptr", "before", where.type)}
  %is_there = icmp eq ptr %there_kind, %array_type
  br i1 %is_there, label %sum, label %general
sum:
  %could_add = call i1 @add(ptr %node, ptr %before, ptr %grad, ptr %arguments, ptr %header)
  ret i1 %could_add
ending:
{read("base", "ptr", "grad", where.shape + 16)}
  %is_leaf = icmp eq ptr %edge_kind, %leaf_end
  %keeps = icmp eq ptr %captures, %none
  %kept = and i1 %is_leaf, %keeps
  br i1 %kept, label %owned, label %put
owned:
  %is_same = icmp eq ptr %grad, %g
  %is_view = icmp ne ptr %base, null
  %is_saved = call i1 @is_among(ptr %grad, ptr %saved)
  %shared0 = or i1 %is_same, %is_view
  %is_shared = or i1 %shared0, %is_saved
  br i1 %is_shared, label %share, label %put
share:
  %wrong = call i32 @pullback_PyDict_SetItem(ptr %shared, ptr %edge, ptr %grad)
  %right = icmp eq i32 %wrong, 0
  br i1 %right, label %put, label %no
put:
  %could_put = call i1 @put(ptr %edge, ptr %grad, ptr %arguments, ptr %header)
  ret i1 %could_put
"""


def _send_one_3(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `send_one` that calls `send`."""
    return """\
general:
  store ptr %edge, ptr %given
  %at1 = getelementptr ptr, ptr %given, i64 1
  store ptr %grad, ptr %at1
  %at2 = getelementptr ptr, ptr %given, i64 2
  store ptr %g, ptr %at2
  %at3 = getelementptr ptr, ptr %given, i64 3
  store ptr %saved, ptr %at3
  %sent = call ptr @pullback_PyObject_Vectorcall(ptr %send, ptr %given, i64 4, ptr null)
  %could = icmp ne ptr %sent, null
  br i1 %could, label %yes, label %no
yes:
  call void @pullback_Py_DecRef(ptr %sent)
  ret i1 true
no:
  ret i1 false
}"""


def deliver(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that frees what a node saved and sends its covectors along its edges; false where
    Python has set an error.
    """
    return f"""
define internal i1 @deliver(ptr %node, ptr %g, ptr %grads, ptr %record, ptr %arguments, ptr %header) \
nounwind {{
entry:
  %given = alloca [3 x ptr]
{given(FREED, DELIVER)}
{word("none", "ptr", NONE)}
{word("tuple_type", "ptr", TUPLE)}
{word("values", "i64", VALUES, "record")}
{word("frees", "i64", FREES, "record")}
{word("always", "i64", ALWAYS, "record")}
{read("edges", "ptr", "node", nodes.edges)}
{read("count", "i64", "edges", where.list_size)}
{read("kind", "ptr", "grads", where.type)}
{read("length", "i64", "grads", where.list_size)}
{read("saved", "ptr", "node", nodes.saved)}
  %edge_items = getelementptr i8, ptr %edges, i64 {where.tuple_items}
  %items = getelementptr i8, ptr %grads, i64 {where.tuple_items}
  %is_tuple = icmp eq ptr %kind, %tuple_type
  %is_whole = icmp eq i64 %length, %count
  %plain = and i1 %is_tuple, %is_whole
  br i1 %plain, label %each, label %general
""" + _deliver_1(where, nodes) + _deliver_2(where, nodes)


def _deliver_1(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `deliver` that calls Python where a covector is missing, and that frees."""
    return f"""\
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %good ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %one, label %whole
one:
{read("edge0", "ptr", "edge_items", "%n", "ptr")}
{read("grad0", "ptr", "items", "%n", "ptr")}
  %n1 = add i64 %n, 1
  %leads0 = icmp ne ptr %edge0, %none
  %misses = icmp eq ptr %grad0, %none
  %bad = and i1 %leads0, %misses
  br i1 %bad, label %general, label %good
good:
  br label %each
general:
  store ptr %node, ptr %given
  %at1 = getelementptr ptr, ptr %given, i64 1
  store ptr %g, ptr %at1
  %at2 = getelementptr ptr, ptr %given, i64 2
  store ptr %grads, ptr %at2
  %found = call ptr @pullback_PyObject_Vectorcall(ptr %deliver_, ptr %given, i64 3, ptr null)
  %could = icmp ne ptr %found, null
  br i1 %could, label %told, label %no
told:
  call void @pullback_Py_DecRef(ptr %found)
  ret i1 true
whole:
  call void @pullback_Py_IncRef(ptr %saved)
  %ends = icmp ne ptr %freed, %none
  %may = icmp ne i64 %frees, 0
  %asks = and i1 %ends, %may
  br i1 %asks, label %holding, label %sending
holding:
  %own = call i1 @holds(ptr %saved, i64 %values, ptr %header)
  %anyway = icmp ne i64 %always, 0
  %is_held = or i1 %own, %anyway
  br i1 %is_held, label %free, label %sending
free:
  %saved_at = getelementptr i8, ptr %node, i64 {nodes.saved}
  call void @pullback_Py_IncRef(ptr %freed)
  store ptr %freed, ptr %saved_at
  call void @pullback_Py_DecRef(ptr %saved)
  br label %sending
"""


def _deliver_2(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of `deliver` that goes through the edges."""
    return f"""\
sending:
  br label %every
every:
  %k = phi i64 [ 0, %sending ], [ %k1, %went ]
  %left = icmp slt i64 %k, %count
  br i1 %left, label %next, label %end
next:
{read("edge", "ptr", "edge_items", "%k", "ptr")}
{read("grad", "ptr", "items", "%k", "ptr")}
  %k1 = add i64 %k, 1
  %leads = icmp ne ptr %edge, %none
  br i1 %leads, label %along, label %went
along:
  %sent = call i1 @send_one(ptr %edge, ptr %grad, ptr %g, ptr %saved, ptr %arguments, ptr %header)
  br i1 %sent, label %went, label %end
went:
  br label %every
end:
  %all = phi i1 [ true, %every ], [ false, %along ]
  call void @pullback_Py_DecRef(ptr %saved)
  ret i1 %all
no:
  ret i1 false
}}"""
