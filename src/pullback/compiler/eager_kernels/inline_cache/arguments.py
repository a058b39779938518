"""The words that tell the arguments of a call with a plan (`table`), and what compares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....core import facade
from ....core.device import NO_DEVICES, default_devices
from ....core.modes import DEFAULT, INFERENCE, NO_GRAD, modes
from ....core.tracer import running
from ....core.versions import NoVersions
from ....core.views import INFERENCE_VIEW, NO_GRAD_VIEW, View
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout

#: Words of the table of a function: its first plan, the calls until it is to look at one, and objects.
FIRST, LEFT = 0, 1
OBJECTS: tuple[Any, ...] = (
    None, 0, NO_GRAD_VIEW, View, np.ndarray, float, list, tuple, modes, DEFAULT, NO_GRAD, Exception, running,
    default_devices, NO_DEVICES, INFERENCE, INFERENCE_VIEW, NoVersions,
)  # fmt: skip
(
    AT_NONE, AT_ZERO, AT_NO_GRAD_VIEW, AT_VIEW, AT_ARRAY, AT_FLOAT, AT_LIST, AT_TUPLE, AT_MODES,
    AT_DEFAULT, AT_NO_GRAD, AT_EXCEPTION, AT_RUNNING, AT_DEVICES, AT_NO_DEVICES, AT_INFERENCE,
    AT_INFERENCE_VIEW, AT_NO_VERSIONS, AT_TENSOR, AT_PARAMETER,
    AT_HOT, AT_LEAF, AT_ACCUMULATOR, AT_OUTPUT, AT_COUNT, AT_GET_FRAME, AT_ONE, AT_OWN_FILE, AT_FALSE,
    AT_USER_FRAME, AT_INT, AT_SLICE,
) = range(2, 34)  # fmt: skip
#: Kinds of arguments: among the tensors those without a history and with one, and those of which that does
#: not matter; how many arguments there are, by place; tensors at most, and nodes.
(
    _SAME_OBJECT, _SAME_FLOAT, _SAME_INT, _WITHOUT_HISTORY, _SEQUENCE, _ANY_TENSOR, _WITH_HISTORY
) = range(7)  # fmt: skip
ARGUMENTS, TENSORS, NODES = 4, 32, 24
#: What is asked of tensors: whether histories matter, whether views of them are made that record, and whether
#: they may be inference tensors.
ASKS_HISTORY, ASKS_VIEW, TAKES_INFERENCE = 1, 2, 4
#: The integers of which Python has one object each.
_LEAST, _MOST = -5, 256


def argument_words(value: Any, words: list[int], kept: list[Any], recorded: Iterator[bool] | None) -> bool:
    """Append the words that tell an argument, and what they are addresses of; whether it can be told.

    Parameters
    ----------
    value : Any
    words, kept : list
    recorded : iterator of bool, optional
        Of each tensor, whether it has a history; None where that does not matter.
    """
    kind = type(value)
    if kind is facade.Tensor or kind is facade.Parameter:
        array = value._value
        tensor = _ANY_TENSOR
        if recorded is not None:
            tensor = _WITH_HISTORY if next(recorded) else _WITHOUT_HISTORY
        words += [tensor, id(array.dtype), array.ndim, *array.shape, *array.strides]
        kept.append(array.dtype)
    elif kind is float:
        words += [_SAME_FLOAT, int(np.float64(value).view(np.int64))]
    elif kind is list or kind is tuple:
        words += [_SEQUENCE, id(kind), len(value)]
        return all(argument_words(item, words, kept, recorded) for item in value)
    elif kind is slice:
        words += [_SEQUENCE, id(kind), 3]
        ends = (value.start, value.stop, value.step)
        return all(argument_words(item, words, kept, recorded) for item in ends)
    elif kind is int and not _LEAST <= value <= _MOST:  # many objects stand for the same number
        words += [_SAME_INT, value]
        return -(1 << 63) <= value < 1 << 63
    else:
        words += [_SAME_OBJECT, id(value)]
        kept.append(value)
    return True


def word(name: str, type_: str, at: int | str, table: str = "header") -> str:
    """Return the lines that read a word of a table."""
    return read(name, type_, table, at, "i64")


def match(where: Layout) -> str:
    """Return the function that compares an argument with what tells it, and gives what tells the next; null
    where they differ. The tensors among the arguments, and then their arrays, are put aside.
    """
    parts = [part(where) for part in (_objects, _tensors, _arrays, _sequences)]
    return "\n" + "".join(parts) + "no:\n  ret ptr null\n}"


def _objects(where: Layout) -> str:
    """Return the begin of `match`: the kinds of arguments, fixed objects and floats."""
    return f"""\
define internal ptr @match(ptr %object, ptr %told, ptr %header, ptr %aside, i64 %asked) nounwind {{
entry:
{word("kind", "i64", 0, "told")}
{word("expected", "ptr", 1, "told")}
  %one_more = getelementptr i64, ptr %told, i64 2
  switch i64 %kind, label %no [ i64 {_SAME_OBJECT}, label %same i64 {_SAME_FLOAT}, label %float
                                i64 {_SAME_INT}, label %int
                                i64 {_WITHOUT_HISTORY}, label %tensor i64 {_SEQUENCE}, label %sequence
                                i64 {_ANY_TENSOR}, label %tensor i64 {_WITH_HISTORY}, label %tensor ]
same:
  %is_same = icmp eq ptr %object, %expected
  br i1 %is_same, label %yes, label %no
yes:
  ret ptr %one_more
float:
{word("float_type", "ptr", AT_FLOAT)}
{read("number_type", "ptr", "object", where.type)}
  %is_float = icmp eq ptr %number_type, %float_type
  br i1 %is_float, label %number, label %no
number:
{read("bits", "i64", "object", where.type + 8)}
{word("bits_expected", "i64", 1, "told")}
  %same_bits = icmp eq i64 %bits, %bits_expected
  br i1 %same_bits, label %yes, label %no
int:
{word("int_type", "ptr", AT_INT)}
{read("whole_type", "ptr", "object", where.type)}
  %is_int = icmp eq ptr %whole_type, %int_type
  br i1 %is_int, label %whole, label %no
whole:
{word("whole_expected", "i64", 1, "told")}
  %own_whole = call i64 @pullback_PyLong_AsLongLong(ptr %object)
  %same_whole = icmp eq i64 %own_whole, %whole_expected
  br i1 %same_whole, label %yes, label %other_whole
other_whole:
  call void @pullback_PyErr_Clear()
  ret ptr null
"""


def _tensors(where: Layout) -> str:
    """Return the part of `match` that looks at a tensor's type."""
    return f"""\
tensor:
{word("tensor_type", "ptr", AT_TENSOR)}
{word("parameter_type", "ptr", AT_PARAMETER)}
{read("type", "ptr", "object", where.type)}
  %is_tensor = icmp eq ptr %type, %tensor_type
  %is_parameter = icmp eq ptr %type, %parameter_type
  %is_either = or i1 %is_tensor, %is_parameter
  br i1 %is_either, label %inside, label %no
inside:
{word("array_type", "ptr", AT_ARRAY)}
{word("list_type", "ptr", AT_LIST)}
{word("none", "ptr", AT_NONE)}
{read("array", "ptr", "object", where.value)}
{read("node", "ptr", "object", where.node)}
{read("view", "ptr", "object", where.view)}
{read("counter", "ptr", "object", where.counter)}
  %there = icmp ne ptr %array, null
  %counted = icmp ne ptr %counter, null
  %filled = and i1 %there, %counted
  br i1 %filled, label %held, label %no
held:
{read("array_kind", "ptr", "array", where.type)}
{read("counter_kind", "ptr", "counter", where.type)}
  %is_array = icmp eq ptr %array_kind, %array_type
  br i1 %is_array, label %versions, label %no
versions:
  %is_list = icmp eq ptr %counter_kind, %list_type
  br i1 %is_list, label %free, label %unversioned
unversioned:
{word("no_versions", "ptr", AT_NO_VERSIONS)}
  %is_inference = icmp eq ptr %counter_kind, %no_versions
  %takes_inference = and i64 %asked, {TAKES_INFERENCE}
  %is_taken = icmp ne i64 %takes_inference, 0
  %is_whole = icmp eq ptr %view, %none
  %is_fit0 = and i1 %is_inference, %is_taken
  %is_fit = and i1 %is_fit0, %is_whole
  br i1 %is_fit, label %free, label %no
{_histories(where)}"""


def _histories(where: Layout) -> str:
    """Return the part of `match` that looks at a tensor's history, where that is asked."""
    return f"""\
free:
  %any_history = icmp eq i64 %kind, {_ANY_TENSOR}
  %asks_history = and i64 %asked, {ASKS_HISTORY}
  %none_asked = icmp eq i64 %asks_history, 0
  %is_free = or i1 %any_history, %none_asked
  br i1 %is_free, label %like, label %history
history:
  %has_node = icmp ne ptr %node, %none
  %wants_node = icmp eq i64 %kind, {_WITH_HISTORY}
  %as_wanted = icmp eq i1 %has_node, %wants_node
  br i1 %as_wanted, label %looked_at, label %no
looked_at:
  %is_alone = icmp eq ptr %view, %none
  br i1 %is_alone, label %like, label %viewing
viewing:
{read("base", "ptr", "view", where.view_base)}
{read("base_node", "ptr", "base", where.node)}
{read("seen_at", "ptr", "view", where.view_at)}
{read("creation", "ptr", "view", where.view_creation)}
{read("counts", "ptr", "counter", where.list_items)}
{word("zero", "ptr", AT_ZERO)}
  %version = load ptr, ptr %counts
  %no_base_node = icmp eq ptr %base_node, %none
  %is_current = icmp eq ptr %seen_at, %version
  %is_right = select i1 %wants_node, i1 %is_current, i1 %no_base_node
  %asks_view = and i64 %asked, {ASKS_VIEW}
  %any_creation = icmp eq i64 %asks_view, 0
  %is_usual = icmp eq ptr %creation, %zero
  %may_be_seen = or i1 %any_creation, %is_usual
  %fits = and i1 %is_right, %may_be_seen
  br i1 %fits, label %like, label %no
"""


def _arrays(where: Layout) -> str:
    """Return the part of `match` that compares arrays by dtype, shape and strides, and puts them aside."""
    return f"""\
like:
{read("dtype", "ptr", "array", where.dtype)}
{read("rank32", "i32", "array", where.rank)}
{read("flags", "i32", "array", where.flags)}
{read("shape", "ptr", "array", where.shape)}
{read("strides", "ptr", "array", where.shape + 8)}
{word("rank_expected", "i64", 2, "told")}
  %rank = sext i32 %rank32 to i64
  %aligned = and i32 %flags, 256
  %is_aligned = icmp ne i32 %aligned, 0
  %same_dtype = icmp eq ptr %dtype, %expected
  %same_rank = icmp eq i64 %rank, %rank_expected
  %alike0 = and i1 %same_dtype, %same_rank
  %alike = and i1 %alike0, %is_aligned
  %sizes = getelementptr i64, ptr %told, i64 3
  br i1 %alike, label %axes, label %no
axes:
  %d = phi i64 [ 0, %like ], [ %d1, %axis ]
  %more = icmp slt i64 %d, %rank
  br i1 %more, label %axis, label %known
axis:
{read("size", "i64", "shape", "%d", "i64")}
{read("size_expected", "i64", "sizes", "%d", "i64")}
{read("stride", "i64", "strides", "%d", "i64")}
  %beside = add i64 %d, %rank
{read("stride_expected", "i64", "sizes", "%beside", "i64")}
  %same_size = icmp eq i64 %size, %size_expected
  %same_stride = icmp eq i64 %stride, %stride_expected
  %same_axis = and i1 %same_size, %same_stride
  %d1 = add i64 %d, 1
  br i1 %same_axis, label %axes, label %no
known:
  %before = load i64, ptr %aside
  %room = icmp slt i64 %before, {TENSORS // 2}
  br i1 %room, label %put, label %no
put:
  %count = add i64 %before, 1
  store i64 %count, ptr %aside
  %tensor_at = getelementptr ptr, ptr %aside, i64 %count
  store ptr %object, ptr %tensor_at
  %place = add i64 %count, {TENSORS}
  %array_at = getelementptr ptr, ptr %aside, i64 %place
  store ptr %array, ptr %array_at
  %words = mul i64 %rank, 2
  %behind = getelementptr i64, ptr %sizes, i64 %words
  ret ptr %behind
"""


def _sequences(where: Layout) -> str:
    """Return the part of `match` that compares lists and tuples, item by item."""
    return f"""\
sequence:
{read("sequence_type", "ptr", "object", where.type)}
  %same_type = icmp eq ptr %sequence_type, %expected
{word("slice_type", "ptr", AT_SLICE)}
  %slice_begin = getelementptr i8, ptr %object, i64 {where.slice_items}
  %first = getelementptr i64, ptr %told, i64 3
  %is_slice = icmp eq ptr %expected, %slice_type
  br i1 %same_type, label %either, label %no
either:
  br i1 %is_slice, label %each, label %counting
counting:
{word("list", "ptr", AT_LIST)}
{read("length", "i64", "object", where.list_size)}
{word("length_expected", "i64", 2, "told")}
  %same_length = icmp eq i64 %length, %length_expected
  %holds_list = icmp eq ptr %expected, %list
  br i1 %same_length, label %where, label %no
where:
  %own_items = getelementptr i8, ptr %object, i64 {where.tuple_items}
{read("listed", "ptr", "object", where.list_items)}
  %items = select i1 %holds_list, ptr %listed, ptr %own_items
  br label %each
each:
  %n = phi i64 [ 0, %where ], [ 0, %either ], [ %n1, %went ]
  %now = phi ptr [ %first, %where ], [ %first, %either ], [ %then, %went ]
  %begin = phi ptr [ %items, %where ], [ %slice_begin, %either ], [ %begin, %went ]
  %items_left = phi i64 [ %length, %where ], [ 3, %either ], [ %items_left, %went ]
  %another = icmp slt i64 %n, %items_left
  br i1 %another, label %item, label %all
item:
{read("one", "ptr", "begin", "%n", "ptr")}
  %then = call ptr @match(ptr %one, ptr %now, ptr %header, ptr %aside, i64 %asked)
  %matches = icmp ne ptr %then, null
  br i1 %matches, label %went, label %no
went:
  %n1 = add i64 %n, 1
  br label %each
all:
  ret ptr %now
"""
