"""The text of the native function that does known public calls (`known_calls`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..runtime.native_specification import read
from ..runtime.object_layout import Layout
from .known_call_arguments import (
    ARGUMENTS,
    AT_ARRAY,
    AT_DEFAULT,
    AT_DEVICES,
    AT_EXCEPTION,
    AT_LOOK,
    AT_MODES,
    AT_NO_DEVICES,
    AT_NO_GRAD,
    AT_NO_GRAD_VIEW,
    AT_NONE,
    AT_RUNNING,
    AT_TENSOR,
    AT_TUPLE,
    AT_VIEW,
    AT_ZERO,
    FIRST,
    LEFT,
    TENSORS,
    match,
    word,
)  # fmt: skip

#: Words of a plan: the next, what computes, where it says which elements are moved instead, how many arrays
#: are computed, how many results there are, what is called with several, where the results begin, how many
#: arguments are given by name; the arguments follow.
_NEXT, _COMPUTE, _MOVED, _COMPUTED, _COUNT, _CONTAINER, _RESULTS, _NAMES, TOLD = range(9)
#: Words before the sources of moved elements: dtype, rank, where shape and strides lie, count, bytes of each.
_SOURCES = 6
#: Words of a result: which tensor it is, or a view of which; a view's dtype (else 0), rank, where shape and
#: strides lie, bytes to the first element, the steps and the creation of the view.
RESULT = 8
_WRITEABLE = 0x400

Part = Callable[[Layout], str]


def _around(where: Layout) -> str:
    """Return the function that makes a tensor of an array, a counter and the record of a view, all of which
    it takes; an array alone is given a counter and no record.
    """
    return f"""
define internal ptr @around(ptr %array, ptr %shared, ptr %record, ptr %header) nounwind {{
entry:
{word("tensor_type", "ptr", AT_TENSOR)}
{word("none", "ptr", AT_NONE)}
{word("zero", "ptr", AT_ZERO)}
  %tensor = call ptr @pullback_PyType_GenericAlloc(ptr %tensor_type, i64 0)
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %filled, label %failed
failed:
  ret ptr null
filled:
  %value_ = getelementptr i8, ptr %tensor, i64 {where.value}
  store ptr %array, ptr %value_
  call void @pullback_Py_IncRef(ptr %none)
  %node_ = getelementptr i8, ptr %tensor, i64 {where.node}
  store ptr %none, ptr %node_
  %view_ = getelementptr i8, ptr %tensor, i64 {where.view}
  %counter_ = getelementptr i8, ptr %tensor, i64 {where.counter}
  %is_view = icmp ne ptr %record, null
  br i1 %is_view, label %view, label %alone
view:
  store ptr %record, ptr %view_
  store ptr %shared, ptr %counter_
  ret ptr %tensor
alone:
  call void @pullback_Py_IncRef(ptr %none)
  store ptr %none, ptr %view_
  %counter = call ptr @pullback_PyList_New(i64 1)
  %has_counter = icmp ne ptr %counter, null
  br i1 %has_counter, label %full, label %empty
empty:
  call void @pullback_Py_DecRef(ptr %tensor)
  ret ptr null
full:
  call void @pullback_Py_IncRef(ptr %zero)
{read("items", "ptr", "counter", where.list_items)}
  store ptr %zero, ptr %items
  store ptr %counter, ptr %counter_
  ret ptr %tensor
}}"""


def _seen(where: Layout) -> str:
    """Return the function that makes the tensor that is a view of an argument."""
    return f"""
define internal ptr @seen(ptr %result, ptr %base, ptr %memory, ptr %header, i1 %records) nounwind {{
entry:
{word("array_type", "ptr", AT_ARRAY)}
{word("dtype", "ptr", 1, "result")}
{word("rank64", "i64", 2, "result")}
{word("shape", "ptr", 3, "result")}
{word("strides", "ptr", 4, "result")}
{word("offset", "i64", 5, "result")}
{word("chain", "ptr", 6, "result")}
{word("own_creation", "ptr", 7, "result")}
{word("unrecorded", "ptr", AT_NO_GRAD_VIEW)}
{word("view_type", "ptr", AT_VIEW)}
{read("data", "ptr", "memory", where.data)}
{read("flags", "i32", "memory", where.flags)}
{read("counter", "ptr", "base", where.counter)}
{read("items", "ptr", "counter", where.list_items)}
  %version = load ptr, ptr %items
  %rank = trunc i64 %rank64 to i32
  %begin = getelementptr i8, ptr %data, i64 %offset
  %writeable = and i32 %flags, {_WRITEABLE}
  call void @pullback_Py_IncRef(ptr %dtype)
  %array = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %dtype, i32 %rank, ptr %shape, \
ptr %strides, ptr %begin, i32 %writeable, ptr null)
  %has_array = icmp ne ptr %array, null
  br i1 %has_array, label %based, label %failed
failed:
  ret ptr null
based:
  call void @pullback_Py_IncRef(ptr %memory)
  %wrong = call i32 @pullback_PyArray_SetBaseObject(ptr %array, ptr %memory)
  %record = call ptr @pullback_PyType_GenericAlloc(ptr %view_type, i64 0)
  %has_record = icmp ne ptr %record, null
  br i1 %has_record, label %recorded, label %dropped
dropped:
  call void @pullback_Py_DecRef(ptr %array)
  ret ptr null
recorded:
  %creation = select i1 %records, ptr %own_creation, ptr %unrecorded
  call void @pullback_Py_IncRef(ptr %base)
  %base_at = getelementptr i8, ptr %record, i64 {where.view_base}
  store ptr %base, ptr %base_at
  call void @pullback_Py_IncRef(ptr %chain)
  %chain_at = getelementptr i8, ptr %record, i64 {where.view_chain}
  store ptr %chain, ptr %chain_at
  call void @pullback_Py_IncRef(ptr %creation)
  %creation_at = getelementptr i8, ptr %record, i64 {where.view_creation}
  store ptr %creation, ptr %creation_at
  call void @pullback_Py_IncRef(ptr %version)
  %version_at = getelementptr i8, ptr %record, i64 {where.view_at}
  store ptr %version, ptr %version_at
  call void @pullback_Py_IncRef(ptr %counter)
  %tensor = call ptr @around(ptr %array, ptr %counter, ptr %record, ptr %header)
  ret ptr %tensor
}}"""


def _result(where: Layout) -> str:
    """Return the function that makes one result of the tensors and arrays that were put aside."""
    return f"""
define internal ptr @result(ptr %result, ptr %aside, ptr %header, i1 %records) nounwind {{
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
  %view = call ptr @seen(ptr %result, ptr %tensor, ptr %memory, ptr %header, i1 %records)
  ret ptr %view
}}"""


def _computed(where: Layout) -> str:
    """Return the function that puts aside the tensors around what was computed, of which there is one array
    or a tuple, which it takes; false where memory is short.
    """
    return f"""
define internal i1 @computed(ptr %own, i64 %count, ptr %aside, ptr %header) nounwind {{
entry:
  %given = load i64, ptr %aside
  %one = icmp eq i64 %count, 1
  %parts = getelementptr i8, ptr %own, i64 {where.tuple_items}
  br label %each
each:
  %n = phi i64 [ 0, %entry ], [ %n1, %put ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %make, label %all
make:
  br i1 %one, label %whole, label %part
part:
{read("item", "ptr", "parts", "%n", "ptr")}
  call void @pullback_Py_IncRef(ptr %item)
  br label %whole
whole:
  %array = phi ptr [ %own, %make ], [ %item, %part ]
  %tensor = call ptr @around(ptr %array, ptr null, ptr null, ptr %header)
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %put, label %failed
put:
  %n1 = add i64 %n, 1
  %place = add i64 %given, %n1
  %tensor_at = getelementptr ptr, ptr %aside, i64 %place
  store ptr %tensor, ptr %tensor_at
  %array_place = add i64 %place, {TENSORS}
  %array_at = getelementptr ptr, ptr %aside, i64 %array_place
  store ptr %array, ptr %array_at
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


def _moved(where: Layout) -> str:
    """Return the function that makes an array of elements of those that were put aside, and puts a tensor
    around it aside; false where memory is short.
    """
    return f"""
define internal i1 @moved(ptr %moved, ptr %aside, ptr %header) nounwind {{
entry:
{word("array_type", "ptr", AT_ARRAY)}
{word("dtype", "ptr", 0, "moved")}
{word("rank64", "i64", 1, "moved")}
{word("shape", "ptr", 2, "moved")}
{word("strides", "ptr", 3, "moved")}
{word("count", "i64", 4, "moved")}
{word("width", "i64", 5, "moved")}
  %rank = trunc i64 %rank64 to i32
  %sources = getelementptr i64, ptr %moved, i64 {_SOURCES}
  %is_short = icmp eq i64 %width, 4
  call void @pullback_Py_IncRef(ptr %dtype)
  %array = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %dtype, i32 %rank, ptr %shape, \
ptr %strides, ptr null, i32 0, ptr null)
  %has_array = icmp ne ptr %array, null
  br i1 %has_array, label %begin, label %failed
failed:
  ret i1 false
begin:
{read("to", "ptr", "array", where.data)}
  br label %each
each:
  %n = phi i64 [ 0, %begin ], [ %n1, %stored ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %element, label %done
element:
  %n1 = add i64 %n, 1
  %at = mul i64 %n, 2
  %behind = add i64 %at, 1
{read("slot", "i64", "sources", "%at", "i64")}
{read("offset", "i64", "sources", "%behind", "i64")}
  %gone = mul i64 %n, %width
  %put = getelementptr i8, ptr %to, i64 %gone
  %is_zero = icmp slt i64 %slot, 0
  br i1 %is_zero, label %zero, label %copied
copied:
  %place = add i64 %slot, {1 + TENSORS}
{read("source", "ptr", "aside", "%place", "ptr")}
{read("from", "ptr", "source", where.data)}
  %take = getelementptr i8, ptr %from, i64 %offset
  br i1 %is_short, label %copy4, label %copy8
copy4:
  %four = load i32, ptr %take
  store i32 %four, ptr %put
  br label %stored
copy8:
  %eight = load i64, ptr %take
  store i64 %eight, ptr %put
  br label %stored
zero:
  br i1 %is_short, label %zero4, label %zero8
zero4:
  store i32 0, ptr %put
  br label %stored
zero8:
  store i64 0, ptr %put
  br label %stored
stored:
  br label %each
done:
  %wrapped = call i1 @computed(ptr %array, i64 1, ptr %aside, ptr %header)
  ret i1 %wrapped
}}"""


def _asked(where: Layout) -> str:
    """Return the begin of the function: the modes, tracing and the default device are the usual ones."""
    return f"""\
define ptr @known(ptr %owner, ptr %arguments, i64 %given) nounwind {{
entry:
  %aside = alloca [{1 + 2 * TENSORS} x ptr]
{read("header", "ptr", "owner", where.data)}
{word("none", "ptr", AT_NONE)}
{word("modes", "ptr", AT_MODES)}
{word("default", "ptr", AT_DEFAULT)}
{word("no_grad", "ptr", AT_NO_GRAD)}
{word("first", "ptr", FIRST)}
  %few = icmp slt i64 %given, {ARGUMENTS}
  %has_names = icmp sgt i64 %given, {ARGUMENTS}
  br i1 %few, label %no, label %named
named:
  br i1 %has_names, label %counting_names, label %asked
counting_names:
{read("names", "ptr", "arguments", ARGUMENTS, "ptr")}
  %own_names = call i64 @pullback_PyDict_Size(ptr %names)
  br label %asked
asked:
  %dict = phi ptr [ null, %named ], [ %names, %counting_names ]
  %name_count = phi i64 [ 0, %named ], [ %own_names, %counting_names ]
  %mode = call ptr @pullback_PyObject_CallNoArgs(ptr %modes)
  %has_mode = icmp ne ptr %mode, null
  br i1 %has_mode, label %compared, label %failed
failed:
  ret ptr null
compared:
  call void @pullback_Py_DecRef(ptr %mode)
  %records = icmp eq ptr %mode, %default
  %silent = icmp eq ptr %mode, %no_grad
  %common = or i1 %records, %silent
  br i1 %common, label %traced, label %no
traced:
{word("running", "ptr", AT_RUNNING)}
  %writer = call ptr @pullback_PyObject_CallNoArgs(ptr %running)
  %has_writer = icmp ne ptr %writer, null
  br i1 %has_writer, label %written, label %failed
written:
  call void @pullback_Py_DecRef(ptr %writer)
  %untraced = icmp eq ptr %writer, %none
  br i1 %untraced, label %placed, label %no
placed:
{word("devices", "ptr", AT_DEVICES)}
{word("no_devices", "ptr", AT_NO_DEVICES)}
  %device = call ptr @pullback_PyObject_CallNoArgs(ptr %devices)
  %has_device = icmp ne ptr %device, null
  br i1 %has_device, label %at_home, label %failed
at_home:
  call void @pullback_Py_DecRef(ptr %device)
  %usual_device = icmp eq ptr %device, %no_devices
  br i1 %usual_device, label %look, label %no
"""


def _looked_for(where: Layout) -> str:
    """Return the search for a plan that fits the arguments, those by name behind those by place."""
    tests = "\n".join(
        f"""\
  br label %argument{k}
argument{k}:
{read(f"given{k}", "ptr", "arguments", k, "ptr")}
  %told{k + 1} = call ptr @match(ptr %given{k}, ptr %told{k}, ptr %header, ptr %aside)
  %fits{k} = icmp ne ptr %told{k + 1}, null
  br i1 %fits{k}, label %taken{k}, label %other
taken{k}:"""
        for k in range(ARGUMENTS)
    )
    return f"""\
look:
  %plan = phi ptr [ %first, %at_home ], [ %next, %other ]
  %is_there = icmp ne ptr %plan, null
  br i1 %is_there, label %plan_there, label %unknown
other:
{word("next", "ptr", _NEXT, "plan")}
  br label %look
plan_there:
  store i64 0, ptr %aside
{word("names_expected", "i64", _NAMES, "plan")}
  %same_names = icmp eq i64 %names_expected, %name_count
  %told0 = getelementptr i64, ptr %plan, i64 {TOLD}
  br i1 %same_names, label %in_places, label %other
in_places:
{tests}
  br label %by_name
by_name:
  %k = phi i64 [ 0, %taken{ARGUMENTS - 1} ], [ %k1, %name_fits ]
  %told_name = phi ptr [ %told{ARGUMENTS}, %taken{ARGUMENTS - 1} ], [ %told_next, %name_fits ]
  %more_names = icmp slt i64 %k, %name_count
  br i1 %more_names, label %find_name, label %fitting
find_name:
{word("name", "ptr", 0, "told_name")}
  %named_one = call ptr @pullback_PyDict_GetItem(ptr %dict, ptr %name)
  %is_given = icmp ne ptr %named_one, null
  br i1 %is_given, label %match_name, label %other
match_name:
  %told_value = getelementptr i64, ptr %told_name, i64 1
  %told_next = call ptr @match(ptr %named_one, ptr %told_value, ptr %header, ptr %aside)
  %k1 = add i64 %k, 1
  %name_matches = icmp ne ptr %told_next, null
  br i1 %name_matches, label %name_fits, label %other
name_fits:
  br label %by_name
"""


def _computing(where: Layout) -> str:
    """Return what moves elements, or calls what computes; Python does again what raises an `Exception`."""
    return f"""\
fitting:
{word("compute", "ptr", _COMPUTE, "plan")}
{word("count", "i64", _COUNT, "plan")}
{word("container", "ptr", _CONTAINER, "plan")}
{word("results_at", "i64", _RESULTS, "plan")}
  %results = getelementptr i64, ptr %plan, i64 %results_at
  %computes = icmp ne ptr %compute, null
  br i1 %computes, label %run, label %ready
run:
{word("moved", "ptr", _MOVED, "plan")}
  %moves = icmp ne ptr %moved, null
  br i1 %moves, label %move, label %ask
move:
  %could_move = call i1 @moved(ptr %moved, ptr %aside, ptr %header)
  br i1 %could_move, label %ready, label %failed
ask:
  %arrays = getelementptr ptr, ptr %aside, i64 {1 + TENSORS}
  %tensors = load i64, ptr %aside
  %own = call ptr @pullback_PyObject_Vectorcall(ptr %compute, ptr %arrays, i64 %tensors, ptr null)
  %could = icmp ne ptr %own, null
  br i1 %could, label %wrapping, label %raised
wrapping:
{word("computed_count", "i64", _COMPUTED, "plan")}
  %wrapped = call i1 @computed(ptr %own, i64 %computed_count, ptr %aside, ptr %header)
  br i1 %wrapped, label %ready, label %failed
raised:
{word("exception", "ptr", AT_EXCEPTION)}
  %usual = call i32 @pullback_PyErr_ExceptionMatches(ptr %exception)
  %is_usual = icmp ne i32 %usual, 0
  br i1 %is_usual, label %again, label %failed
again:
  call void @pullback_PyErr_Clear()
  br label %no
"""


def _results(where: Layout) -> str:
    """Return what makes the results, and puts several into their container."""
    return f"""\
ready:
  %made_count = phi i64 [ 0, %fitting ], [ 1, %move ], [ %computed_count, %wrapping ]
  %single = icmp eq ptr %container, null
  br i1 %single, label %one, label %several
one:
  %only = call ptr @result(ptr %results, ptr %aside, ptr %header, i1 %records)
  br label %done
several:
  %tuple = call ptr @pullback_PyTuple_New(i64 %count)
  %has_tuple = icmp ne ptr %tuple, null
  br i1 %has_tuple, label %each, label %done
each:
  %n = phi i64 [ 0, %several ], [ %n1, %stored ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %make, label %all
make:
  %words = mul i64 %n, {RESULT}
  %result = getelementptr i64, ptr %results, i64 %words
  %part = call ptr @result(ptr %result, ptr %aside, ptr %header, i1 %records)
  %has_part = icmp ne ptr %part, null
  br i1 %has_part, label %stored, label %dropped
stored:
  %item = getelementptr i8, ptr %tuple, i64 {where.tuple_items}
  %item_at = getelementptr ptr, ptr %item, i64 %n
  store ptr %part, ptr %item_at
  %n1 = add i64 %n, 1
  br label %each
dropped:
  call void @pullback_Py_DecRef(ptr %tuple)
  br label %done
all:
{word("tuple_type", "ptr", AT_TUPLE)}
  %is_tuple = icmp eq ptr %container, %tuple_type
  br i1 %is_tuple, label %done, label %contained
contained:
  %made = call ptr @pullback_PyObject_CallOneArg(ptr %container, ptr %tuple)
  call void @pullback_Py_DecRef(ptr %tuple)
  br label %done
done:
  %value = phi ptr [ %only, %one ], [ null, %several ], [ null, %dropped ], [ %tuple, %all ],
                   [ %made, %contained ]
  %given_tensors = load i64, ptr %aside
  br label %release
"""


def _end(where: Layout) -> str:
    """Return the end: what was computed is given up, and a call that is not known is counted."""
    return f"""\
release:
  %m = phi i64 [ 0, %done ], [ %m1, %released ]
  %m1 = add i64 %m, 1
  %rest = icmp slt i64 %m, %made_count
  br i1 %rest, label %released, label %end
released:
  %made_place = add i64 %given_tensors, %m1
{read("made_tensor", "ptr", "aside", "%made_place", "ptr")}
  call void @pullback_Py_DecRef(ptr %made_tensor)
  br label %release
end:
  ret ptr %value
unknown:
{word("left", "i64", LEFT)}
  %less = sub i64 %left, 1
  store i64 %less, ptr %left_
  %is_due = icmp eq i64 %less, 0
  br i1 %is_due, label %due, label %no
due:
{word("look_at", "ptr", AT_LOOK)}
  call void @pullback_Py_IncRef(ptr %look_at)
  ret ptr %look_at
no:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
}}"""


def _call(where: Layout) -> str:
    """Return the function that is called: it looks for a plan that fits, and makes what it says."""
    parts: Sequence[Part] = (_asked, _looked_for, _computing, _results, _end)
    return "\n" + "".join(part(where) for part in parts)


def text(where: Layout) -> str:
    """Return all functions; `known` is the one that is called."""
    parts: Sequence[Part] = (match, _around, _seen, _result, _computed, _moved, _call)
    return "\n".join(part(where) for part in parts)
