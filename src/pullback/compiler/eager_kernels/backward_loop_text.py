"""The text of the native function that is the engine's loop (`backward_loop`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...array.large import WORTH, WORTH_CHAIN
from ..runtime.native_specification import read
from ..runtime.object_layout import Layout
from .known_call_arguments import AT_ARRAY, AT_LIST, AT_LOOK, AT_NONE, AT_TENSOR, AT_TUPLE, word
from .known_call_text import around


class NodeLayout(NamedTuple):
    """Offsets in bytes of a node's slots; `variable` is that of a leaf's end."""

    edges: int
    saved: int
    shape: int
    dtype: int
    seq: int
    hooks: int
    variable: int


#: Words of the table behind those that `around` reads.
(
    _OUTPUT, _LEAF_END, _LEAF, _PARAMETER, _SINGLE, _DOUBLE, _INT, _POP, _PUSH, _KINDS, _LEARN, _ACQUIRE,
    _RELEASE, _FALSE, _TRUE, _REHEARSALS, _NODE_NAME, _GRAD_NAME,
) = range(AT_LOOK + 1, AT_LOOK + 19)  # fmt: skip
#: Words of a class of nodes: how many rules may be called at once, how many values are saved, whether they
#: are freed, whether that is so of nothing, too, whether native loops take moderate sizes, `backward`; then
#: for each rule itself, the native function for small arrays, how many places of the saved tuple it is
#: given, and which.
_COUNT, _VALUES, _FREES, _ALWAYS, _CHAINED, _BACKWARD, RULES = range(7)
PLACES = 4
RULE = 3 + PLACES
#: Arguments of the function.
(
    _SELF, _HEAP, _PENDING, _NEEDED, _LOOKED_AT, _EMPTY, _SHARED, _FREED, _CAPTURES, _DELIVER, _SEND,
) = range(11)  # fmt: skip

Part = Callable[[Layout, NodeLayout], str]


def _given(*places: int) -> str:
    """Return the lines that read arguments."""
    names = {
        _SELF: "self", _HEAP: "heap", _PENDING: "pending", _NEEDED: "needed", _LOOKED_AT: "looked_at",
        _EMPTY: "empty", _SHARED: "shared", _FREED: "freed", _CAPTURES: "captures", _DELIVER: "deliver_",
        _SEND: "send",
    }  # fmt: skip
    return "\n".join(read(names[at], "ptr", "arguments", at, "ptr") for at in places)


def _sizes(where: Layout, nodes: NodeLayout) -> str:
    """Return the functions that count the elements of an array, and that say whether one has the shape and
    dtype of a node's output, or the strides of another of its shape.
    """
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
}}

define internal i1 @fits(ptr %array, ptr %node) nounwind {{
entry:
{read("rank", "i32", "array", where.rank)}
{read("shape", "ptr", "array", where.shape)}
{read("dtype", "ptr", "array", where.dtype)}
{read("own_shape", "ptr", "node", nodes.shape)}
{read("own_dtype", "ptr", "node", nodes.dtype)}
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
}}

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


def _taken(where: Layout, nodes: NodeLayout) -> str:
    """Return the functions that take the first node from the heap with its covector, and that put one there;
    false where Python has set an error.
    """
    return f"""
define internal i1 @take(ptr %node, ptr %arguments, ptr %header) nounwind {{
entry:
{_given(_HEAP, _PENDING)}
{word("pop", "ptr", _POP)}
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
}}

define internal i1 @put(ptr %node, ptr %g, ptr %arguments, ptr %header) nounwind {{
entry:
  %given = alloca [2 x ptr]
{_given(_HEAP, _PENDING)}
{word("push", "ptr", _PUSH)}
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


def _kept(where: Layout, nodes: NodeLayout) -> str:
    """Return the functions that keep an array as the gradient of a leaf that has none, false where Python is
    to look, and that say whether nothing but the pass holds an array that was shared, or its memory.
    """
    return f"""
define internal i1 @is_last(ptr %g, ptr %header) nounwind {{
entry:
{word("array_type", "ptr", AT_ARRAY)}
{read("base", "ptr", "g", where.shape + 16)}
  %held = load i32, ptr %g
  %is_held_twice = icmp eq i32 %held, 2
  br i1 %is_held_twice, label %alone, label %no
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
}}

define internal i1 @keep(ptr %node, ptr %g, ptr %arguments, ptr %header) nounwind {{
entry:
{_given(_SHARED)}
{word("none", "ptr", AT_NONE)}
{word("array_type", "ptr", AT_ARRAY)}
{word("tensor_type", "ptr", AT_TENSOR)}
{word("parameter_type", "ptr", _PARAMETER)}
{word("is_leaf", "ptr", _LEAF)}
{word("rehearsals", "ptr", _REHEARSALS)}
{word("grad_name", "ptr", _GRAD_NAME)}
{word("acquire", "ptr", _ACQUIRE)}
{word("release", "ptr", _RELEASE)}
{word("false", "ptr", _FALSE)}
{word("true", "ptr", _TRUE)}
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
  %grad = call ptr @around(ptr %g, ptr null, ptr null, ptr %header)
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
}}"""


def _fresh(where: Layout, nodes: NodeLayout) -> str:
    """Return the functions that say whether no saved value was written to, as far as one look tells, and
    whether any is there.
    """
    return f"""
define internal i1 @fresh(ptr %saved, i64 %values, ptr %header) nounwind {{
entry:
{word("list_type", "ptr", AT_LIST)}
{word("int_type", "ptr", _INT)}
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
}}

define internal i1 @holds(ptr %saved, i64 %values, ptr %header) nounwind {{
entry:
{word("none", "ptr", AT_NONE)}
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
}}

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


def _pulled(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that gives the covectors of a node's inputs, by its rules or by `backward`."""
    return f"""
define internal ptr @pull(ptr %node, ptr %g, ptr %record, ptr %header) nounwind {{
entry:
  %given = alloca [{1 + PLACES} x ptr]
{word("none", "ptr", AT_NONE)}
{word("array_type", "ptr", AT_ARRAY)}
{word("single", "ptr", _SINGLE)}
{word("double", "ptr", _DOUBLE)}
{word("count", "i64", _COUNT, "record")}
{word("values", "i64", _VALUES, "record")}
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
{word("backward", "ptr", _BACKWARD, "record")}
  store ptr %node, ptr %given
  %second = getelementptr ptr, ptr %given, i64 1
  store ptr %g, ptr %second
  %all = call ptr @pullback_PyObject_Vectorcall(ptr %backward, ptr %given, i64 2, ptr null)
  ret ptr %all
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
}}"""


def _delivered(where: Layout, nodes: NodeLayout) -> str:
    """Return the functions that free what a node saved and send its covectors along its edges, each by
    `send` where there is anything to ask; false where Python has set an error.
    """
    return f"""
define internal i1 @send_one(ptr %edge, ptr %grad, ptr %g, ptr %saved, ptr %arguments, ptr %header) \
nounwind {{
entry:
  %given = alloca [4 x ptr]
{_given(_PENDING, _NEEDED, _SHARED, _CAPTURES, _SEND)}
{word("none", "ptr", AT_NONE)}
{word("array_type", "ptr", AT_ARRAY)}
{word("output", "ptr", _OUTPUT)}
{word("leaf_end", "ptr", _LEAF_END)}
{read("kind", "ptr", "grad", where.type)}
{read("edge_kind", "ptr", "edge", where.type)}
  %is_array = icmp eq ptr %kind, %array_type
  %is_node = icmp ne ptr %edge_kind, %output
  %plain = and i1 %is_array, %is_node
  br i1 %plain, label %shaped, label %general
shaped:
{read("seq", "ptr", "edge", nodes.seq)}
  %has_age = icmp ne ptr %seq, null
  br i1 %has_age, label %aged, label %general
aged:
  %as_wanted = call i1 @fits(ptr %grad, ptr %edge)
  br i1 %as_wanted, label %arriving, label %general
arriving:
  %before = call ptr @pullback_PyDict_GetItem(ptr %pending, ptr %edge)
  %is_first = icmp eq ptr %before, null
  br i1 %is_first, label %asked, label %general
asked:
  %all = icmp eq ptr %needed, %none
  br i1 %all, label %ending, label %selected
selected:
  %within = call i32 @pullback_PySet_Contains(ptr %needed, ptr %edge)
  %is_within = icmp eq i32 %within, 1
  br i1 %is_within, label %ending, label %general
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
}}

define internal i1 @deliver(ptr %node, ptr %g, ptr %grads, ptr %record, ptr %arguments, ptr %header) \
nounwind {{
entry:
  %given = alloca [3 x ptr]
{_given(_FREED, _DELIVER)}
{word("none", "ptr", AT_NONE)}
{word("tuple_type", "ptr", AT_TUPLE)}
{word("values", "i64", _VALUES, "record")}
{word("frees", "i64", _FREES, "record")}
{word("always", "i64", _ALWAYS, "record")}
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


def _loop(where: Layout, nodes: NodeLayout) -> str:
    """Return the function that is called."""
    return f"""
define ptr @drain(ptr %owner, ptr %arguments, i64 %count) nounwind {{
entry:
{read("header", "ptr", "owner", where.data)}
{_given(_SELF, _HEAP, _PENDING, _LOOKED_AT, _EMPTY)}
{word("none", "ptr", AT_NONE)}
{word("array_type", "ptr", AT_ARRAY)}
{word("leaf_end", "ptr", _LEAF_END)}
{word("kinds", "ptr", _KINDS)}
{word("learn", "ptr", _LEARN)}
{word("true", "ptr", _TRUE)}
{word("node_name", "ptr", _NODE_NAME)}
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
{word("chained", "i64", _CHAINED, "record")}
  %is_chained = icmp ne i64 %chained, 0
  %most = select i1 %is_chained, i64 {WORTH_CHAIN}, i64 {WORTH}
  %size = call i64 @size_of(ptr %g)
  %is_small = icmp slt i64 %size, %most
  br i1 %is_small, label %run, label %back
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
}}"""


def text(where: Layout, nodes: NodeLayout) -> str:
    """Return all functions; `drain` is the one that is called."""
    parts: tuple[Part, ...] = (_sizes, _taken, _kept, _fresh, _pulled, _delivered, _loop)
    return "\n".join([around(where), *(part(where, nodes) for part in parts)])
