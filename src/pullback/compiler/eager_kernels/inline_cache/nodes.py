"""The nodes that a call with a plan leaves behind (`table`), as native code makes them.

Where each part of a node comes from is told by `tensor.inline_cache.nodes`: three words say in which way,
from which tensor or node, and the object that is always the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core import blame
from ....core.node import LEAF, Output, accumulator
from ....tensor.inline_cache.nodes import ARRAY, CONSTANT, COUNTER, EDGE, NODE, OUTPUT, VERSION, Left, Source
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from .arguments import (
    AT_ACCUMULATOR,
    AT_COUNT,
    AT_FALSE,
    AT_GET_FRAME,
    AT_LEAF,
    AT_NONE,
    AT_ONE,
    AT_OUTPUT,
    AT_OWN_FILE,
    AT_USER_FRAME,
    NODES,
    TENSORS,
    word,
)  # fmt: skip

#: Words of a source.
SOURCE = 3
#: Words of a node before the sources of its edges and of what it saved: class, shape, dtype and the numbers
#: of these.
_NODE = 5

NODE_OBJECTS: dict[int, Any] = {
    AT_LEAF: LEAF, AT_ACCUMULATOR: accumulator, AT_OUTPUT: Output, AT_COUNT: blame.numbers,
    AT_GET_FRAME: blame._caller, AT_ONE: 1, AT_OWN_FILE: blame.own_file, AT_FALSE: False,
    AT_USER_FRAME: blame.user_frame,
}  # fmt: skip


def source_words(source: Source, kept: list[Any]) -> list[int]:
    """Return the words that tell a source, and keep what they are addresses of."""
    kept.append(source.value)
    return [source.kind, source.which, id(source.value)]


def node_words(
    nodes: Sequence[Left], attached: Sequence[tuple[int, Source]], kept: list[Any]
) -> list[int]:
    """Return the words that tell nodes, and which tensors they are the history of."""
    words = [len(nodes), len(attached)]
    for node in nodes:
        kept += [node.node_class, node.shape, node.dtype]
        words += [id(node.node_class), id(node.shape), id(node.dtype), len(node.edges), len(node.saved)]
        for source in (*node.edges, *node.saved):
            words += source_words(source, kept)
    for number, source in attached:
        words += [number, *source_words(source, kept)]
    return words


def text(where: Layout) -> str:
    """Return the functions; `record` makes the nodes of a call, `sourced` what a source tells."""
    return "".join(part(where) for part in (_place, _edge, _sourced, _tuple, _node, _record))


def _place(where: Layout) -> str:
    """Return the function that gives the code in which the user made the call, and puts where in it aside."""
    return f"""
define internal ptr @place(ptr %header, ptr %at) nounwind {{
entry:
{word("get_frame", "ptr", AT_GET_FRAME)}
  %one = getelementptr i64, ptr %header, i64 {AT_ONE}
  %begin = call ptr @pullback_PyObject_Vectorcall(ptr %get_frame, ptr %one, i64 1, ptr null)
  %has_begin = icmp ne ptr %begin, null
  br i1 %has_begin, label %own, label %failed
failed:
  ret ptr null
own:
  %frame = phi ptr [ %begin, %entry ], [ %back, %outward ]
  %code = call ptr @pullback_PyFrame_GetCode(ptr %frame)
{read("file", "ptr", "code", where.code_file)}
{word("own_file", "ptr", AT_OWN_FILE)}
{word("false", "ptr", AT_FALSE)}
  %is_own = call ptr @pullback_PyDict_GetItem(ptr %own_file, ptr %file)
  %is_users = icmp eq ptr %is_own, %false
  br i1 %is_users, label %found, label %inside
inside:
  %is_new = icmp eq ptr %is_own, null
  br i1 %is_new, label %ask, label %outer
ask:
{word("user_frame", "ptr", AT_USER_FRAME)}
  %users = call ptr @pullback_PyObject_CallOneArg(ptr %user_frame, ptr %frame)
  call void @pullback_Py_DecRef(ptr %code)
  call void @pullback_Py_DecRef(ptr %frame)
  %has_users = icmp ne ptr %users, null
  br i1 %has_users, label %asked, label %failed
asked:
  %users_code = call ptr @pullback_PyFrame_GetCode(ptr %users)
  br label %found
outer:
  %back = call ptr @pullback_PyFrame_GetBack(ptr %frame)
  %is_last = icmp eq ptr %back, null
  br i1 %is_last, label %found, label %outward
outward:
  call void @pullback_Py_DecRef(ptr %code)
  call void @pullback_Py_DecRef(ptr %frame)
  br label %own
found:
  %last = phi ptr [ %frame, %own ], [ %frame, %outer ], [ %users, %asked ]
  %last_code = phi ptr [ %code, %own ], [ %code, %outer ], [ %users_code, %asked ]
  %instruction = call i32 @pullback_PyFrame_GetLasti(ptr %last)
  %wide = sext i32 %instruction to i64
  %number = call ptr @pullback_PyLong_FromLongLong(i64 %wide)
  store ptr %number, ptr %at
  call void @pullback_Py_DecRef(ptr %last)
  ret ptr %last_code
}}
"""


def _edge(where: Layout) -> str:
    """Return the function that gives the edge that leads to a tensor."""
    return f"""
define internal ptr @edge(ptr %tensor, ptr %header) nounwind {{
entry:
{word("leaf", "ptr", AT_LEAF)}
{word("accumulator", "ptr", AT_ACCUMULATOR)}
{read("node", "ptr", "tensor", where.node)}
  %is_leaf = icmp eq ptr %node, %leaf
  br i1 %is_leaf, label %end, label %inner
end:
  %made = call ptr @pullback_PyObject_CallOneArg(ptr %accumulator, ptr %tensor)
  ret ptr %made
inner:
  call void @pullback_Py_IncRef(ptr %node)
  ret ptr %node
}}
"""


def _sourced(where: Layout) -> str:
    """Return the function that gives what a source tells, as a reference of the caller's."""
    return f"""
define internal ptr @sourced(ptr %source, ptr %aside, ptr %header) nounwind {{
entry:
{word("kind", "i64", 0, "source")}
{word("which", "i64", 1, "source")}
{word("value", "ptr", 2, "source")}
  %place = add i64 %which, 1
  %array_place = add i64 %place, {TENSORS}
  %node_place = add i64 %place, {2 * TENSORS}
{read("tensor", "ptr", "aside", "%place", "ptr")}
  switch i64 %kind, label %constant [ i64 {ARRAY}, label %array i64 {COUNTER}, label %counter
    i64 {VERSION}, label %version i64 {EDGE}, label %edge i64 {NODE}, label %node
    i64 {OUTPUT}, label %output ]
constant:
  br label %held
array:
{read("own_array", "ptr", "aside", "%array_place", "ptr")}
  br label %held
counter:
{read("own_counter", "ptr", "tensor", where.counter)}
  br label %held
version:
{read("counted", "ptr", "tensor", where.counter)}
{read("items", "ptr", "counted", where.list_items)}
  %number = load ptr, ptr %items
  br label %held
node:
{read("own_node", "ptr", "aside", "%node_place", "ptr")}
  br label %held
held:
  %object = phi ptr [ %value, %constant ], [ %own_array, %array ], [ %own_counter, %counter ],
                    [ %number, %version ], [ %own_node, %node ]
  call void @pullback_Py_IncRef(ptr %object)
  ret ptr %object
edge:
  %lead = call ptr @edge(ptr %tensor, ptr %header)
  ret ptr %lead
output:
{word("output_type", "ptr", AT_OUTPUT)}
{read("multi_node", "ptr", "aside", "%node_place", "ptr")}
  %pair = call ptr @pullback_PyType_GenericAlloc(ptr %output_type, i64 2)
  %has_pair = icmp ne ptr %pair, null
  br i1 %has_pair, label %filled, label %failed
filled:
  call void @pullback_Py_IncRef(ptr %multi_node)
  call void @pullback_Py_IncRef(ptr %value)
  %first_at = getelementptr i8, ptr %pair, i64 {where.tuple_items}
  store ptr %multi_node, ptr %first_at
  %second_at = getelementptr i8, ptr %pair, i64 {where.tuple_items + 8}
  store ptr %value, ptr %second_at
  ret ptr %pair
failed:
  ret ptr null
}}
"""


def _tuple(where: Layout) -> str:
    """Return the function that makes a tuple of what some sources tell."""
    return f"""
define internal ptr @tuple(ptr %sources, i64 %count, ptr %aside, ptr %header) nounwind {{
entry:
  %tuple = call ptr @pullback_PyTuple_New(i64 %count)
  %has_tuple = icmp ne ptr %tuple, null
  br i1 %has_tuple, label %each, label %failed
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %stored ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %item, label %done
item:
  %words = mul i64 %n, {SOURCE}
  %source = getelementptr i64, ptr %sources, i64 %words
  %object = call ptr @sourced(ptr %source, ptr %aside, ptr %header)
  %has_object = icmp ne ptr %object, null
  br i1 %has_object, label %stored, label %dropped
stored:
  %items = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  %item_at = getelementptr ptr, ptr %items, i64 %n
  store ptr %object, ptr %item_at
  %n1 = add i64 %n, 1
  br label %each
dropped:
  call void @pullback_Py_DecRef(ptr %tuple)
  br label %failed
failed:
  ret ptr null
done:
  ret ptr %tuple
}}
"""


def _node(where: Layout) -> str:
    """Return the function that makes one node, without the place in the user's program."""
    slots = where.node_slots
    stores = "\n".join(
        f"  %own{name} = getelementptr i8, ptr %node, i64 {slots[name]}\n  store ptr %{value}, ptr %own{name}"
        for name, value in (
            ("_edges", "edges"), ("_saved", "saved"), ("_shape", "shape"), ("_dtype", "dtype"),
            ("_hooks", "none"), ("_seq", "number"),
        )
    )  # fmt: skip
    return f"""
define internal ptr @node(ptr %told, ptr %aside, ptr %header) nounwind {{
entry:
{word("class", "ptr", 0, "told")}
{word("shape", "ptr", 1, "told")}
{word("dtype", "ptr", 2, "told")}
{word("edge_count", "i64", 3, "told")}
{word("saved_count", "i64", 4, "told")}
{word("none", "ptr", AT_NONE)}
{word("count", "ptr", AT_COUNT)}
  %edge_sources = getelementptr i64, ptr %told, i64 {_NODE}
  %edge_words = mul i64 %edge_count, {SOURCE}
  %saved_sources = getelementptr i64, ptr %edge_sources, i64 %edge_words
  %edges = call ptr @tuple(ptr %edge_sources, i64 %edge_count, ptr %aside, ptr %header)
  %has_edges = icmp ne ptr %edges, null
  br i1 %has_edges, label %saving, label %failed
saving:
  %saved = call ptr @tuple(ptr %saved_sources, i64 %saved_count, ptr %aside, ptr %header)
  %has_saved = icmp ne ptr %saved, null
  br i1 %has_saved, label %numbered, label %failed
numbered:
  %number = call ptr @pullback_PyIter_Next(ptr %count)
  %node = call ptr @pullback_PyType_GenericAlloc(ptr %class, i64 0)
  %has_node = icmp ne ptr %node, null
  br i1 %has_node, label %filled, label %failed
failed:
  ret ptr null
filled:
  call void @pullback_Py_IncRef(ptr %shape)
  call void @pullback_Py_IncRef(ptr %dtype)
  call void @pullback_Py_IncRef(ptr %none)
{stores}
  ret ptr %node
}}
"""


def _record(where: Layout) -> str:
    """Return the function that makes the nodes of a call, which are put aside, and puts them behind what was
    computed; false where that failed.
    """
    return f"""
define internal i1 @record(ptr %told, ptr %aside, ptr %header) nounwind {{
entry:
  %at_place = alloca ptr
  %count = load i64, ptr %told
{word("attached", "i64", 1, "told")}
  %first = getelementptr i64, ptr %told, i64 2
  %code = call ptr @place(ptr %header, ptr %at_place)
  %at = load ptr, ptr %at_place
  %has_code = icmp ne ptr %code, null
  br i1 %has_code, label %each, label %failed
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %made ]
  %now = phi ptr [ %first, %entry ], [ %next, %made ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %make, label %all
make:
  %node = call ptr @node(ptr %now, ptr %aside, ptr %header)
  %has_node = icmp ne ptr %node, null
  br i1 %has_node, label %made, label %failed
made:
  call void @pullback_Py_IncRef(ptr %code)
  call void @pullback_Py_IncRef(ptr %at)
  %code_at = getelementptr i8, ptr %node, i64 {where.node_slots["_code"]}
  store ptr %code, ptr %code_at
  %at_at = getelementptr i8, ptr %node, i64 {where.node_slots["_at"]}
  store ptr %at, ptr %at_at
  %n1 = add i64 %n, 1
  %node_place = add i64 %n1, {2 * TENSORS}
  %aside_at = getelementptr ptr, ptr %aside, i64 %node_place
  store ptr %node, ptr %aside_at
{word("edges", "i64", 3, "now")}
{word("saved", "i64", 4, "now")}
  %sources = add i64 %edges, %saved
  %source_words = mul i64 %sources, {SOURCE}
  %words = add i64 %source_words, {_NODE}
  %next = getelementptr i64, ptr %now, i64 %words
  br label %each
all:
  call void @pullback_Py_DecRef(ptr %code)
  call void @pullback_Py_DecRef(ptr %at)
  br label %attach
{_attached(where)}"""


def _attached(where: Layout) -> str:
    """Return the end of `record`: nodes are put behind what was computed."""
    return f"""\
attach:
  %k = phi i64 [ 0, %all ], [ %k1, %put ]
  %another = icmp slt i64 %k, %attached
  br i1 %another, label %behind, label %done
behind:
  %far = mul i64 %k, {1 + SOURCE}
  %own = getelementptr i64, ptr %now, i64 %far
{word("number", "i64", 0, "own")}
  %source = getelementptr i64, ptr %own, i64 1
  %history = call ptr @sourced(ptr %source, ptr %aside, ptr %header)
  %has_history = icmp ne ptr %history, null
  br i1 %has_history, label %put, label %failed
put:
  %tensor_place = add i64 %number, 1
{read("tensor", "ptr", "aside", "%tensor_place", "ptr")}
{read("before", "ptr", "tensor", where.node)}
  store ptr %history, ptr %before_
  call void @pullback_Py_DecRef(ptr %before)
  %k1 = add i64 %k, 1
  br label %attach
failed:
  ret i1 false
done:
  ret i1 true
}}
"""


__all__ = ["CONSTANT", "NODES", "NODE_OBJECTS", "SOURCE", "source_words", "text", "node_words"]
