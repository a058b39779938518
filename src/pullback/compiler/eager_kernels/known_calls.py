"""The native function that does a public call whose like was looked at before (`tensor.known_calls`).

Each public function has a table of plans. A plan says what the arguments are, to the shape, strides and dtype
of each tensor, and what becomes of them: tensors around views of their memory, which are made here, and such
around arrays that a function of Python computes. `transpose` takes 0.3 µs so and 1.8 in Python. For all else
the native function gives None, and Python does the call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...array.quiet import IGNORE
from ...core import facade
from ...core.device import NO_DEVICES, default_devices
from ...core.modes import DEFAULT, NO_GRAD, modes
from ...core.tracer import running
from ...core.views import NO_GRAD_VIEW, View
from ..emit import python_functions
from ..runtime import engine
from ..runtime.native_specification import read
from ..runtime.object_layout import Layout, layout

#: Words of the table of a function: its first plan, the calls until it is to look at one, and objects.
FIRST, LEFT = 0, 1
_OBJECTS: tuple[Any, ...] = (
    None, 0, NO_GRAD_VIEW, View, np.ndarray, float, list, tuple, modes, DEFAULT, NO_GRAD, Exception, running,
    default_devices, NO_DEVICES,
)  # fmt: skip
(
    _NONE, _ZERO, _NO_GRAD_VIEW, _VIEW, _ARRAY, _FLOAT, _LIST, _TUPLE, _MODES, _DEFAULT, _NO_GRAD, _EXCEPTION,
    _RUNNING, _DEVICES, _NO_DEVICES, _TENSOR, _LOOK,
) = range(2, 19)  # fmt: skip
#: Words of a plan: the next, what computes, how many arrays, how many results there are, what is called with
#: several, where the results begin; the arguments follow.
_NEXT, _COMPUTE, _COMPUTED, _COUNT, _CONTAINER, _RESULTS, _ARGUMENTS = range(7)
#: Kinds of arguments, and how many of them there are, by place; the tensors in them at most.
_SAME_OBJECT, _SAME_FLOAT, _LIKE_TENSOR, _SEQUENCE = range(4)
ARGUMENTS, TENSORS = 4, 16
#: Words of a result: which tensor it is, or a view of which; a view's dtype (else 0), rank, where shape and
#: strides lie, bytes to the first element, the steps and the creation of the view.
_RESULT = 8
_WRITEABLE = 0x400
#: The integers of which Python has one object each.
_LEAST, _MOST = -5, 256


class Viewed(NamedTuple):
    """Tell a view of a tensor: which, the array that it is, how far into that, and its record."""

    number: int
    array: np.ndarray
    offset: int
    chain: Any
    creation: int


class Plan(NamedTuple):
    """Tell a call.

    Attributes
    ----------
    arguments : tuple
        By place: tensors to be matched, numbers and other objects, and lists or tuples of such.
    compute : callable or None
        ``compute(*arrays)`` gives what is no view: an array, or a tuple of those.
    computed : int
        How many these are.
    results : tuple
        Numbers of tensors, of those among the arguments and then of those that are computed, or a `Viewed`.
    container : callable or None
        Makes what is returned from a tuple of results; None: there is one, which is returned.
    """

    arguments: tuple[Any, ...]
    compute: Callable[..., Any] | None
    computed: int
    results: tuple[Any, ...]
    container: Callable[..., Any] | None


class KnownCalls:
    """The native code, and the tables that it reads."""

    def __init__(self) -> None:
        where, functions = layout(), python_functions.addresses()
        self._library: engine.Library | None = None
        if where is not None and functions is not None:
            texts = [python_functions.declarations(), _text(where)]
            self._library = engine.Library(engine.whole(texts), functions)
        #: Tables hold addresses of these.
        self._kept: list[Any] = [_OBJECTS, IGNORE]

    def function(self, look: Any) -> tuple[Callable[..., Any], np.ndarray] | None:
        """Return a native function that knows no call so far, and its table; it gives `look` when so many
        calls were not known as the table says.
        """
        if self._library is None:
            return None
        words = [0, 0, *map(id, _OBJECTS), id(facade.Tensor), id(look)]
        table = np.array(words, np.int64)
        self._kept += [table, look]
        return python_functions.function("known", self._library.address("known"), table), table

    def add(
        self, table: np.ndarray, given: tuple[Any, ...], compute: Callable[..., Any] | None, computed: int,
        found: tuple[Any, ...], container: Callable[..., Any] | None,
    ) -> bool:
        """Add a plan to a table (see `Plan`); whether it can be told."""
        results_ = tuple([Viewed(*r) if type(r) is tuple else r for r in found])
        plan = Plan(given, compute, computed, results_, container)
        arguments: list[int] = []
        if computed > TENSORS // 2:
            return False
        if not all(self._told(value, arguments) for value in plan.arguments):
            return False
        results = [word for result in plan.results for word in self._result(result)]
        container = 0 if plan.container is None else id(plan.container)
        words = [
            int(table[FIRST]), 0 if plan.compute is None else id(plan.compute), computed, len(found), container,
            _ARGUMENTS + len(arguments), *arguments, *results,
        ]  # fmt: skip
        own = np.array(words, np.int64)
        self._kept += [own, plan]
        table[FIRST] = own.ctypes.data
        return True

    def _told(self, value: Any, words: list[int]) -> bool:
        """Append what tells an argument."""
        kind = type(value)
        if kind is facade.Tensor:
            array = value._value
            words += [_LIKE_TENSOR, id(array.dtype), array.ndim, *array.shape, *array.strides]
            self._kept.append(array.dtype)
        elif kind is float:
            words += [_SAME_FLOAT, int(np.float64(value).view(np.int64))]
        elif kind is list or kind is tuple:
            words += [_SEQUENCE, id(kind), len(value)]
            return all(self._told(item, words) for item in value)
        elif kind is int and not _LEAST <= value <= _MOST:
            return False  # many objects stand for the same number
        else:
            words += [_SAME_OBJECT, id(value)]
        return True

    def _result(self, result: Any) -> list[int]:
        if not isinstance(result, Viewed):
            return [result, *(0,) * (_RESULT - 1)]
        array = result.array
        sizes = np.array([*array.shape, *array.strides, 0], np.int64)
        self._kept += [sizes, array.dtype, result.chain, result.creation]
        first = sizes.ctypes.data
        return [
            result.number, id(array.dtype), array.ndim, first, first + 8 * array.ndim, result.offset,
            id(result.chain), id(result.creation),
        ]  # fmt: skip


def _word(name: str, type_: str, at: int | str, table: str = "header") -> str:
    return read(name, type_, table, at, "i64")


def _match(where: Layout) -> str:
    """Return the function that compares an argument with what tells it, and gives what tells the next; null
    where they differ. The tensors among the arguments, and then their arrays, are put aside.
    """
    return f"""
define internal ptr @match(ptr %object, ptr %told, ptr %header, ptr %aside) nounwind {{
entry:
{_word("kind", "i64", 0, "told")}
{_word("expected", "ptr", 1, "told")}
  %one_more = getelementptr i64, ptr %told, i64 2
  switch i64 %kind, label %no [ i64 {_SAME_OBJECT}, label %same i64 {_SAME_FLOAT}, label %float
                                i64 {_LIKE_TENSOR}, label %tensor i64 {_SEQUENCE}, label %sequence ]
same:
  %is_same = icmp eq ptr %object, %expected
  br i1 %is_same, label %yes, label %no
yes:
  ret ptr %one_more
float:
{_word("float_type", "ptr", _FLOAT)}
{read("number_type", "ptr", "object", where.type)}
  %is_float = icmp eq ptr %number_type, %float_type
  br i1 %is_float, label %number, label %no
number:
{read("bits", "i64", "object", where.type + 8)}
{_word("bits_expected", "i64", 1, "told")}
  %same_bits = icmp eq i64 %bits, %bits_expected
  br i1 %same_bits, label %yes, label %no
tensor:
{_word("tensor_type", "ptr", _TENSOR)}
{_word("array_type", "ptr", _ARRAY)}
{_word("list_type", "ptr", _LIST)}
{_word("none", "ptr", _NONE)}
{read("type", "ptr", "object", where.type)}
  %is_tensor = icmp eq ptr %type, %tensor_type
  br i1 %is_tensor, label %inside, label %no
inside:
{read("array", "ptr", "object", where.value)}
{read("node", "ptr", "object", where.node)}
{read("view", "ptr", "object", where.view)}
{read("counter", "ptr", "object", where.counter)}
  %no_node = icmp eq ptr %node, %none
  %there = icmp ne ptr %array, null
  %counted = icmp ne ptr %counter, null
  %fits0 = and i1 %no_node, %there
  %fits = and i1 %fits0, %counted
  br i1 %fits, label %history, label %no
history:
  %no_view = icmp eq ptr %view, %none
  br i1 %no_view, label %held, label %viewing
viewing:
{read("base", "ptr", "view", where.view_base)}
{read("base_node", "ptr", "base", where.node)}
  %no_base_node = icmp eq ptr %base_node, %none
  br i1 %no_base_node, label %held, label %no
held:
{read("array_kind", "ptr", "array", where.type)}
{read("counter_kind", "ptr", "counter", where.type)}
  %is_array = icmp eq ptr %array_kind, %array_type
  %is_list = icmp eq ptr %counter_kind, %list_type
  %plain = and i1 %is_array, %is_list
  br i1 %plain, label %like, label %no
like:
{read("dtype", "ptr", "array", where.dtype)}
{read("rank32", "i32", "array", where.rank)}
{read("flags", "i32", "array", where.flags)}
{read("shape", "ptr", "array", where.shape)}
{read("strides", "ptr", "array", where.shape + 8)}
{_word("rank_expected", "i64", 2, "told")}
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
sequence:
{read("sequence_type", "ptr", "object", where.type)}
  %same_type = icmp eq ptr %sequence_type, %expected
  br i1 %same_type, label %counting, label %no
counting:
{_word("list", "ptr", _LIST)}
{read("length", "i64", "object", where.list_size)}
{_word("length_expected", "i64", 2, "told")}
  %same_length = icmp eq i64 %length, %length_expected
  %holds_list = icmp eq ptr %expected, %list
  %first = getelementptr i64, ptr %told, i64 3
  br i1 %same_length, label %where, label %no
where:
  %own_items = getelementptr i8, ptr %object, i64 {where.tuple_items}
{read("listed", "ptr", "object", where.list_items)}
  %items = select i1 %holds_list, ptr %listed, ptr %own_items
  br label %each
each:
  %n = phi i64 [ 0, %where ], [ %n1, %went ]
  %now = phi ptr [ %first, %where ], [ %then, %went ]
  %another = icmp slt i64 %n, %length
  br i1 %another, label %item, label %all
item:
{read("one", "ptr", "items", "%n", "ptr")}
  %then = call ptr @match(ptr %one, ptr %now, ptr %header, ptr %aside)
  %matches = icmp ne ptr %then, null
  br i1 %matches, label %went, label %no
went:
  %n1 = add i64 %n, 1
  br label %each
all:
  ret ptr %now
no:
  ret ptr null
}}"""


def _around(where: Layout) -> str:
    """Return the function that makes a tensor of an array, a counter and the record of a view, all of which
    it takes; an array alone is given a counter and no record.
    """
    return f"""
define internal ptr @around(ptr %array, ptr %shared, ptr %record, ptr %header) nounwind {{
entry:
{_word("tensor_type", "ptr", _TENSOR)}
{_word("none", "ptr", _NONE)}
{_word("zero", "ptr", _ZERO)}
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
{_word("array_type", "ptr", _ARRAY)}
{_word("dtype", "ptr", 1, "result")}
{_word("rank64", "i64", 2, "result")}
{_word("shape", "ptr", 3, "result")}
{_word("strides", "ptr", 4, "result")}
{_word("offset", "i64", 5, "result")}
{_word("chain", "ptr", 6, "result")}
{_word("own_creation", "ptr", 7, "result")}
{_word("unrecorded", "ptr", _NO_GRAD_VIEW)}
{_word("view_type", "ptr", _VIEW)}
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
{_word("number", "i64", 0, "result")}
{_word("viewed", "i64", 1, "result")}
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


def _call(where: Layout) -> str:
    """Return the function that is called: it looks for a plan that fits, and makes what it says."""
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
    return f"""
define ptr @known(ptr %owner, ptr %arguments, i64 %given) nounwind {{
entry:
  %aside = alloca [{1 + 2 * TENSORS} x ptr]
{read("header", "ptr", "owner", where.data)}
{_word("none", "ptr", _NONE)}
{_word("modes", "ptr", _MODES)}
{_word("default", "ptr", _DEFAULT)}
{_word("no_grad", "ptr", _NO_GRAD)}
{_word("first", "ptr", FIRST)}
  %right_count = icmp eq i64 %given, {ARGUMENTS}
  br i1 %right_count, label %asked, label %no
asked:
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
{_word("running", "ptr", _RUNNING)}
  %writer = call ptr @pullback_PyObject_CallNoArgs(ptr %running)
  %has_writer = icmp ne ptr %writer, null
  br i1 %has_writer, label %written, label %failed
written:
  call void @pullback_Py_DecRef(ptr %writer)
  %untraced = icmp eq ptr %writer, %none
  br i1 %untraced, label %placed, label %no
placed:
{_word("devices", "ptr", _DEVICES)}
{_word("no_devices", "ptr", _NO_DEVICES)}
  %device = call ptr @pullback_PyObject_CallNoArgs(ptr %devices)
  %has_device = icmp ne ptr %device, null
  br i1 %has_device, label %at_home, label %failed
at_home:
  call void @pullback_Py_DecRef(ptr %device)
  %usual_device = icmp eq ptr %device, %no_devices
  br i1 %usual_device, label %look, label %no
look:
  %plan = phi ptr [ %first, %at_home ], [ %next, %other ]
  %is_there = icmp ne ptr %plan, null
  br i1 %is_there, label %plan_there, label %unknown
other:
{_word("next", "ptr", _NEXT, "plan")}
  br label %look
plan_there:
  store i64 0, ptr %aside
  %told0 = getelementptr i64, ptr %plan, i64 {_ARGUMENTS}
{tests}
{_word("compute", "ptr", _COMPUTE, "plan")}
{_word("count", "i64", _COUNT, "plan")}
{_word("container", "ptr", _CONTAINER, "plan")}
{_word("results_at", "i64", _RESULTS, "plan")}
  %results = getelementptr i64, ptr %plan, i64 %results_at
  %computes = icmp ne ptr %compute, null
  br i1 %computes, label %run, label %ready
run:
  %arrays = getelementptr ptr, ptr %aside, i64 {1 + TENSORS}
  %tensors = load i64, ptr %aside
  %own = call ptr @pullback_PyObject_Vectorcall(ptr %compute, ptr %arrays, i64 %tensors, ptr null)
  %could = icmp ne ptr %own, null
  br i1 %could, label %wrapping, label %raised
wrapping:
{_word("computed_count", "i64", _COMPUTED, "plan")}
  %wrapped = call i1 @computed(ptr %own, i64 %computed_count, ptr %aside, ptr %header)
  br i1 %wrapped, label %ready, label %failed
raised:
{_word("exception", "ptr", _EXCEPTION)}
  %usual = call i32 @pullback_PyErr_ExceptionMatches(ptr %exception)
  %is_usual = icmp ne i32 %usual, 0
  br i1 %is_usual, label %again, label %failed
again:
  call void @pullback_PyErr_Clear()
  br label %no
ready:
  %made_count = phi i64 [ 0, %taken{ARGUMENTS - 1} ], [ %computed_count, %wrapping ]
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
  %words = mul i64 %n, {_RESULT}
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
{_word("tuple_type", "ptr", _TUPLE)}
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
{_word("left", "i64", LEFT)}
  %less = sub i64 %left, 1
  store i64 %less, ptr %left_
  %is_due = icmp eq i64 %less, 0
  br i1 %is_due, label %due, label %no
due:
{_word("look_at", "ptr", _LOOK)}
  call void @pullback_Py_IncRef(ptr %look_at)
  ret ptr %look_at
no:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
}}"""


def _text(where: Layout) -> str:
    parts: Sequence[Callable[[Layout], str]] = (_match, _around, _seen, _result, _computed, _call)
    return "\n".join(part(where) for part in parts)
