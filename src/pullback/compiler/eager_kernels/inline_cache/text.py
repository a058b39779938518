"""The text of the native function that does public calls by their inline cache (`table`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from . import nodes, results
from .arguments import (
    ARGUMENTS,
    AT_DEFAULT,
    AT_DEVICES,
    AT_EXCEPTION,
    AT_HOT,
    AT_INFERENCE,
    AT_INFERENCE_VIEW,
    AT_MODES,
    AT_NO_DEVICES,
    AT_NO_GRAD,
    AT_NO_GRAD_VIEW,
    AT_NONE,
    AT_RUNNING,
    AT_TUPLE,
    FIRST,
    LEFT,
    NODES,
    TAKES_INFERENCE,
    TENSORS,
    match,
    word,
)  # fmt: skip
from .results import RESULT

#: Words of a plan: the next, what computes, how many tensors are computed and how many arrays in all, where
#: the nodes are told (0: there are none) and how many they are, what is asked of tensors where calls are
#: recorded and where they are not (-1: Python is to do those), how many results there are, what is called
#: with several, where the results begin, how many arguments are given by name, and by place behind the
#: first four; the arguments follow.
(
    _NEXT, _COMPUTE, _COMPUTED, _ARRAYS, _NODES, _NODE_COUNT, _ASKED, _ASKED_SILENT, _COUNT,
    _CONTAINER, _RESULTS, _NAMES, _MORE, TOLD,
) = range(14)  # fmt: skip

Part = Callable[[Layout], str]


def _asked(where: Layout) -> str:
    """Return the begin of the function: the modes, tracing and the default device are the usual ones."""
    return f"""\
define ptr @cached_call(ptr %owner, ptr %arguments, i64 %given) nounwind {{
entry:
  %aside = alloca [{1 + 2 * TENSORS + NODES} x ptr]
{read("header", "ptr", "owner", where.data)}
{word("none", "ptr", AT_NONE)}
{word("modes", "ptr", AT_MODES)}
{word("default", "ptr", AT_DEFAULT)}
{word("no_grad", "ptr", AT_NO_GRAD)}
{word("inference", "ptr", AT_INFERENCE)}
{word("no_grad_view", "ptr", AT_NO_GRAD_VIEW)}
{word("inference_view", "ptr", AT_INFERENCE_VIEW)}
{word("first", "ptr", FIRST)}
  %few = icmp slt i64 %given, {ARGUMENTS}
  %has_names = icmp sgt i64 %given, {ARGUMENTS}
  br i1 %few, label %no, label %named
named:
  br i1 %has_names, label %counting_names, label %asked
counting_names:
{read("names", "ptr", "arguments", ARGUMENTS, "ptr")}
  %own_names = call i64 @pullback_PyDict_Size(ptr %names)
  %own_more = sub i64 %given, {ARGUMENTS + 1}
  br label %asked
asked:
  %dict = phi ptr [ null, %named ], [ %names, %counting_names ]
  %name_count = phi i64 [ 0, %named ], [ %own_names, %counting_names ]
  %more_count = phi i64 [ 0, %named ], [ %own_more, %counting_names ]
  %place_count = add i64 %more_count, {ARGUMENTS}
  %mode = call ptr @pullback_PyObject_CallNoArgs(ptr %modes)
  %has_mode = icmp ne ptr %mode, null
  br i1 %has_mode, label %compared, label %failed
failed:
  ret ptr null
compared:
  call void @pullback_Py_DecRef(ptr %mode)
  %records = icmp eq ptr %mode, %default
  %silent = icmp eq ptr %mode, %no_grad
  %infers = icmp eq ptr %mode, %inference
  %recording_or_silent = or i1 %records, %silent
  %common = or i1 %recording_or_silent, %infers
  %silent_view = select i1 %infers, ptr %inference_view, ptr %no_grad_view
  %unrecorded = select i1 %records, ptr null, ptr %silent_view
  %also_asked = select i1 %infers, i64 {TAKES_INFERENCE}, i64 0
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
{word("asked_recording", "i64", _ASKED, "plan")}
{word("asked_silent", "i64", _ASKED_SILENT, "plan")}
  %own_asks = select i1 %records, i64 %asked_recording, i64 %asked_silent
  %is_done_here = icmp sge i64 %own_asks, 0
  %asks = or i64 %own_asks, %also_asked
{word("more_expected", "i64", _MORE, "plan")}
  %same_more = icmp eq i64 %more_expected, %more_count
  %same_counts = and i1 %same_names, %same_more
  %may_fit = and i1 %same_counts, %is_done_here
  br i1 %may_fit, label %in_places, label %other
in_places:
  br label %in_place
in_place:
  %a = phi i64 [ 0, %in_places ], [ %a1, %taken ]
  %told_now = phi ptr [ %told0, %in_places ], [ %told_then, %taken ]
  %more_places = icmp slt i64 %a, %place_count
  br i1 %more_places, label %argument_there, label %by_name
argument_there:
  %is_behind = icmp sge i64 %a, {ARGUMENTS}
  %skipped = zext i1 %is_behind to i64
  %argument_place = add i64 %a, %skipped
{read("argument", "ptr", "arguments", "%argument_place", "ptr")}
  %told_then = call ptr @match(ptr %argument, ptr %told_now, ptr %header, ptr %aside, i64 %asks)
  %argument_fits = icmp ne ptr %told_then, null
  br i1 %argument_fits, label %taken, label %other
taken:
  %a1 = add i64 %a, 1
  br label %in_place
by_name:
  %k = phi i64 [ 0, %in_place ], [ %k1, %name_fits ]
  %told_name = phi ptr [ %told_now, %in_place ], [ %told_next, %name_fits ]
  %more_names = icmp slt i64 %k, %name_count
  br i1 %more_names, label %find_name, label %fitting
find_name:
{word("name", "ptr", 0, "told_name")}
  %named_one = call ptr @pullback_PyDict_GetItem(ptr %dict, ptr %name)
  %is_given = icmp ne ptr %named_one, null
  br i1 %is_given, label %match_name, label %other
match_name:
  %told_value = getelementptr i64, ptr %told_name, i64 1
  %told_next = call ptr @match(ptr %named_one, ptr %told_value, ptr %header, ptr %aside, i64 %asks)
  %k1 = add i64 %k, 1
  %name_matches = icmp ne ptr %told_next, null
  br i1 %name_matches, label %name_fits, label %other
name_fits:
  br label %by_name
"""


def _computing(where: Layout) -> str:
    """Return what calls what computes, and what records."""
    return f"""\
fitting:
{word("compute", "ptr", _COMPUTE, "plan")}
{word("count", "i64", _COUNT, "plan")}
{word("container", "ptr", _CONTAINER, "plan")}
{word("results_at", "i64", _RESULTS, "plan")}
{word("own_nodes", "ptr", _NODES, "plan")}
{word("own_node_count", "i64", _NODE_COUNT, "plan")}
{word("computed_count", "i64", _COMPUTED, "plan")}
{word("array_count", "i64", _ARRAYS, "plan")}
  %nodes = select i1 %records, ptr %own_nodes, ptr null
  %node_count = select i1 %records, i64 %own_node_count, i64 0
  %results = getelementptr i64, ptr %plan, i64 %results_at
  %arrays = getelementptr ptr, ptr %aside, i64 {1 + TENSORS}
  %tensors = load i64, ptr %aside
  %all_arrays = add i64 %tensors, %array_count
  %tensor_end = add i64 %tensors, %computed_count
  br label %keep
keep:
  %p = phi i64 [ 0, %fitting ], [ %p1, %keep_one ]
  %keeps_more = icmp slt i64 %p, %tensors
  br i1 %keeps_more, label %keep_one, label %kept
keep_one:
{read("kept_array", "ptr", "arrays", "%p", "ptr")}
  call void @pullback_Py_IncRef(ptr %kept_array)
  %p1 = add i64 %p, 1
  br label %keep
kept:
  %computes = icmp ne ptr %compute, null
  br i1 %computes, label %run, label %computed
run:
  %own = call ptr @pullback_PyObject_Vectorcall(ptr %compute, ptr %arrays, i64 %tensors, ptr null)
  %could = icmp ne ptr %own, null
  br i1 %could, label %wrapping, label %raised
wrapping:
  %wrapped = call i1 @computed(ptr %own, i64 %computed_count, i64 %array_count, ptr %aside, ptr %header, \
ptr %unrecorded)
  br i1 %wrapped, label %computed, label %failed
computed:
  %is_recorded = icmp ne ptr %nodes, null
  br i1 %is_recorded, label %record, label %ready
record:
  %recorded = call i1 @record(ptr %nodes, ptr %aside, ptr %header)
  br i1 %recorded, label %ready, label %failed
{_raised(where)}"""


def _raised(where: Layout) -> str:
    """Return what gives a call to Python of which the kernels raised an `Exception`."""
    return f"""\
raised:
{word("exception", "ptr", AT_EXCEPTION)}
  %usual = call i32 @pullback_PyErr_ExceptionMatches(ptr %exception)
  %is_usual = icmp ne i32 %usual, 0
  br i1 %is_usual, label %again, label %failed
again:
  call void @pullback_PyErr_Clear()
  br label %given_up
given_up:
  %g = phi i64 [ 0, %again ], [ %g1, %give_up ]
  %gives_more = icmp slt i64 %g, %tensors
  br i1 %gives_more, label %give_up, label %no
give_up:
{read("given_array", "ptr", "arrays", "%g", "ptr")}
  call void @pullback_Py_DecRef(ptr %given_array)
  %g1 = add i64 %g, 1
  br label %given_up
"""


def _results(where: Layout) -> str:
    """Return what makes the results, and puts several into their container."""
    return f"""\
ready:
  %single = icmp eq ptr %container, null
  br i1 %single, label %one, label %several
one:
  %only = call ptr @result(ptr %results, ptr %aside, ptr %header, ptr %unrecorded)
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
  %part = call ptr @result(ptr %result, ptr %aside, ptr %header, ptr %unrecorded)
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
  br label %release
"""


def _end(where: Layout) -> str:
    """Return the end: what was computed is given up, and a call without a plan is counted."""
    return f"""\
release:
  %m = phi i64 [ 0, %done ], [ %m1, %released ]
  %rest = icmp slt i64 %m, %all_arrays
  br i1 %rest, label %shown, label %release_nodes
shown:
  %m1 = add i64 %m, 1
  %is_computed = icmp sge i64 %m, %tensors
  %is_before_held = icmp slt i64 %m, %tensor_end
  %is_tensor = and i1 %is_computed, %is_before_held
  %array_place = add i64 %m1, {TENSORS}
  %place = select i1 %is_tensor, i64 %m1, i64 %array_place
  br label %released
released:
{read("released_one", "ptr", "aside", "%place", "ptr")}
  call void @pullback_Py_DecRef(ptr %released_one)
  br label %release
release_nodes:
  %r = phi i64 [ 0, %release ], [ %r1, %released_node ]
  %more_nodes = icmp slt i64 %r, %node_count
  br i1 %more_nodes, label %released_node, label %end
released_node:
  %r1 = add i64 %r, 1
  %node_place = add i64 %r1, {2 * TENSORS}
{read("released_node_one", "ptr", "aside", "%node_place", "ptr")}
  call void @pullback_Py_DecRef(ptr %released_node_one)
  br label %release_nodes
end:
  ret ptr %value
unknown:
{word("left", "i64", LEFT)}
  %less = sub i64 %left, 1
  store i64 %less, ptr %left_
  %is_due = icmp eq i64 %less, 0
  br i1 %is_due, label %due, label %no
due:
{word("hot", "ptr", AT_HOT)}
  call void @pullback_Py_IncRef(ptr %hot)
  ret ptr %hot
no:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
}}"""


def _call(where: Layout) -> str:
    """Return the function that is called: it looks for a plan that fits, and makes what it says."""
    parts: Sequence[Part] = (_asked, _looked_for, _computing, _results, _end)
    return "\n" + "".join(part(where) for part in parts)


def text(where: Layout) -> str:
    """Return all functions; `cached_call` is the one that is called."""
    parts: Sequence[Part] = (match, nodes.text, results.text, _call)
    return "\n".join(part(where) for part in parts)
