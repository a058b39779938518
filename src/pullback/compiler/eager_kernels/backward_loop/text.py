"""The text of the native function that is the engine's loop (`loop`)."""

from __future__ import annotations

from ....array.large import WORTH, WORTH_CHAIN
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from ..ufunc_chains.calls import tensor_around
from .edges import add, deliver, is_last, keep, send_one
from .nodes import fits, fresh, holds, is_among, lies_as, pull, size_of
from .words import (
    ARRAY,
    CHAINED,
    CLASSES,
    EMPTY,
    HEAP,
    LEAF_END,
    LEARN,
    LOOKED_AT,
    NODE_NAME,
    NONE,
    PENDING,
    POP,
    PUSH,
    SELF,
    TRUE,
    NodeLayout,
    given,
    word,
)  # fmt: skip


def take(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that takes the first node from the heap; false where Python has set an error."""
    return f"""
define internal i1 @take(ptr %node, ptr %arguments, ptr %header) nounwind {{
entry:
{given(HEAP, PENDING)}
{word("pop", "ptr", POP)}
  %popped = call ptr @pullback_PyObject_CallOneArg(ptr %pop, ptr %heap)
  %could = icmp ne ptr %popped, null
  br i1 %could, label %forget, label %no
forget:
  call void @pullback_Py_DecRef(ptr %popped)
  %wrong = call i32 @pullback_PyDict_DelItem(ptr %pending, ptr %node)
  %right = icmp eq i32 %wrong, 0
  ret i1 %right
no:
  ret i1 false
}}"""


def put(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that puts a covector and its node into the heap; false where Python has set an
    error.
    """
    return f"""
define internal i1 @put(ptr %node, ptr %g, ptr %arguments, ptr %header) nounwind {{
entry:
  %given = alloca [2 x ptr]
{given(HEAP, PENDING)}
{word("push", "ptr", PUSH)}
{read("seq", "ptr", "node", nodes.seq)}
  %wrong = call i32 @pullback_PyDict_SetItem(ptr %pending, ptr %node, ptr %g)
  %right = icmp eq i32 %wrong, 0
  br i1 %right, label %age, label %no
age:
  %number = call i64 @pullback_PyLong_AsLongLong(ptr %seq)
  %negative = sub i64 0, %number
  %key = call ptr @pullback_PyLong_FromLongLong(i64 %negative)
  %pair = call ptr @pullback_PyTuple_New(i64 2)
  %has_pair = icmp ne ptr %pair, null
  br i1 %has_pair, label %filled, label %no
filled:
  call void @pullback_Py_IncRef(ptr %node)
  %items = getelementptr i8, ptr %pair, i64 {where.tuple_items}
  store ptr %key, ptr %items
  %second = getelementptr ptr, ptr %items, i64 1
  store ptr %node, ptr %second
  store ptr %heap, ptr %given
  %other = getelementptr ptr, ptr %given, i64 1
  store ptr %pair, ptr %other
  %pushed = call ptr @pullback_PyObject_Vectorcall(ptr %push, ptr %given, i64 2, ptr null)
  call void @pullback_Py_DecRef(ptr %pair)
  %could = icmp ne ptr %pushed, null
  br i1 %could, label %yes, label %no
yes:
  call void @pullback_Py_DecRef(ptr %pushed)
  ret i1 true
no:
  ret i1 false
}}"""


def _drain(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that is called."""
    return f"""
define ptr @drain(ptr %owner, ptr %arguments, i64 %count) nounwind {{
entry:
{read("header", "ptr", "owner", where.data)}
{given(SELF, HEAP, PENDING, LOOKED_AT, EMPTY)}
{word("none", "ptr", NONE)}
{word("array_type", "ptr", ARRAY)}
{word("leaf_end", "ptr", LEAF_END)}
{word("kinds", "ptr", CLASSES)}
{word("learn", "ptr", LEARN)}
{word("true", "ptr", TRUE)}
{word("node_name", "ptr", NODE_NAME)}
  br label %loop
loop:
{read("waiting", "i64", "heap", where.list_size)}
  %is_any = icmp sgt i64 %waiting, 0
  br i1 %is_any, label %first, label %back
back:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
raised:
  ret ptr null
first:
{read("pairs", "ptr", "heap", where.list_items)}
  %pair = load ptr, ptr %pairs
  %pair_items = getelementptr i8, ptr %pair, i64 {where.tuple_items}
{read("node", "ptr", "pair_items", 1, "ptr")}
{read("hooks", "ptr", "node", nodes.hooks)}
{read("type", "ptr", "node", where.type)}
  %g = call ptr @pullback_PyDict_GetItem(ptr %pending, ptr %node)
  %empty_count = call i64 @pullback_PySet_Size(ptr %empty)
  %arrived = icmp ne ptr %g, null
  %no_hooks = icmp eq ptr %hooks, %none
  %none_empty = icmp eq i64 %empty_count, 0
  %plain0 = and i1 %arrived, %no_hooks
  %plain = and i1 %plain0, %none_empty
  br i1 %plain, label %captured, label %back
""" + _drain_1(where, nodes) + _drain_2(where, nodes)


def _drain_1(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of the loop that finds out what kind of node is first."""
    return f"""\
captured:
  %captures_any = icmp ne ptr %looked_at, %none
  br i1 %captures_any, label %looked, label %unseen
looked:
  %is_looked = call i32 @pullback_PySet_Contains(ptr %looked_at, ptr %node)
  %is_unseen = icmp eq i32 %is_looked, 0
  br i1 %is_unseen, label %unseen, label %back
unseen:
{read("g_type", "ptr", "g", where.type)}
  %is_array = icmp eq ptr %g_type, %array_type
  %is_leaf = icmp eq ptr %type, %leaf_end
  br i1 %is_leaf, label %leaf, label %inner
leaf:
  br i1 %is_array, label %kept, label %back
kept:
  %could_keep = call i1 @keep(ptr %node, ptr %g, ptr %arguments, ptr %header)
  br i1 %could_keep, label %done_leaf, label %back
done_leaf:
  %taken_leaf = call i1 @take(ptr %node, ptr %arguments, ptr %header)
  br i1 %taken_leaf, label %loop, label %raised
inner:
  %words = call ptr @pullback_PyDict_GetItem(ptr %kinds, ptr %type)
  %is_known = icmp ne ptr %words, null
  br i1 %is_known, label %known, label %unknown
unknown:
  %learnt = call ptr @pullback_PyObject_CallOneArg(ptr %learn, ptr %type)
  %could_learn = icmp ne ptr %learnt, null
  br i1 %could_learn, label %answered, label %raised
answered:
  call void @pullback_Py_DecRef(ptr %learnt)
  %is_op = icmp eq ptr %learnt, %true
  br i1 %is_op, label %loop, label %back
known:
{read("record", "ptr", "words", where.data)}
  br i1 %is_array, label %measured, label %run
measured:
{word("chained", "i64", CHAINED, "record")}
  %is_chained = icmp ne i64 %chained, 0
  %most = select i1 %is_chained, i64 {WORTH_CHAIN}, i64 {WORTH}
  %size = call i64 @size_of(ptr %g)
  %is_small = icmp slt i64 %size, %most
  br i1 %is_small, label %run, label %back
"""


def _drain_2(where: Layout, nodes: NodeLayout) -> str:
    """Return the part of the loop that runs a node."""
    return """\
run:
  call void @pullback_Py_IncRef(ptr %node)
  call void @pullback_Py_IncRef(ptr %g)
  %taken = call i1 @take(ptr %node, ptr %arguments, ptr %header)
  br i1 %taken, label %noted, label %dropped
noted:
  %unset = call i32 @pullback_PyObject_SetAttr(ptr %self, ptr %node_name, ptr %node)
  %is_set = icmp eq i32 %unset, 0
  br i1 %is_set, label %pulled, label %dropped
pulled:
  %grads = call ptr @pull(ptr %node, ptr %g, ptr %record, ptr %header)
  %has_grads = icmp ne ptr %grads, null
  br i1 %has_grads, label %delivered, label %dropped
delivered:
  %sent = call i1 @deliver(ptr %node, ptr %g, ptr %grads, ptr %record, ptr %arguments, ptr %header)
  call void @pullback_Py_DecRef(ptr %grads)
  br label %dropped
dropped:
  %good = phi i1 [ %sent, %delivered ], [ false, %pulled ], [ false, %noted ], [ false, %run ]
  call void @pullback_Py_DecRef(ptr %node)
  call void @pullback_Py_DecRef(ptr %g)
  br i1 %good, label %loop, label %raised
}"""


def text(where: Layout, nodes: NodeLayout) -> str:
    """Return all functions; `drain` is the one that is called."""
    parts = (
        size_of, fits, lies_as, take, put, is_last, keep, fresh, holds, is_among, pull, add, send_one,
        deliver, _drain,
    )  # fmt: skip
    return "\n".join([tensor_around(where), *(part(where, nodes) for part in parts)])
