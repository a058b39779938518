"""The native function that does public calls by their inline cache (`table`)."""

from __future__ import annotations

from ...emit.restricted_python import Bool, Bytes, Int, Object, Words, native, null, python, room
from ...runtime.native_specification import WRITEABLE
from ...runtime.python_objects import shared
from .arguments import (
    ARGUMENTS,
    AT_COUNT,
    AT_DEFAULT,
    AT_DEVICES,
    AT_EXCEPTION,
    AT_HOT,
    AT_INFERENCE,
    AT_INFERENCE_VIEW,
    AT_LEAF,
    AT_LIST,
    AT_MODES,
    AT_NO_DEVICES,
    AT_NO_GRAD,
    AT_NO_GRAD_VIEW,
    AT_NONE,
    AT_RUNNING,
    AT_TUPLE,
    AT_WRITTEN,
    FIRST,
    LEFT,
    NODES,
    TAKES_INFERENCE,
    TENSORS,
    given_array,
    match,
)  # fmt: skip
from .nodes import place_of_call, record
from .results import RESULT, put_computed, result_at

#: Words of a plan: the next, what computes, how many tensors are computed and how many arrays in all, where
#: the nodes are told (0: there are none) and how many they are, what is asked of tensors where calls are
#: recorded and where they are not (-1: Python is to do those), how many results there are, what is called
#: with several, where the results begin, how many arguments are given by name, and by place behind the
#: first four, which tensor among the arguments is written to (0: none, else its number from 1 on), and where
#: it is told how far the arrays reach before and behind their first elements, and the version of what is
#: computed; the arguments follow.
(
    _NEXT, _COMPUTE, _COMPUTED, _ARRAYS, _NODES, _NODE_COUNT, _ASKED, _ASKED_SILENT, _COUNT,
    _CONTAINER, _RESULTS, _NAMES, _MORE, _WRITTEN, _REACH, _VERSION, TOLD,
) = range(17)  # fmt: skip


@native
def current(variable: Object) -> Object:
    """Return what a context variable holds, which is only compared: the reference is given up. Null where
    Python has set an error. `get` takes four times as long, as a function that is called.
    """
    at = room(1)
    if python.PyContextVar_Get(variable, null, at) < 0:
        return null
    held: Object = at[0]
    python.Py_DecRef(held)
    return held


@native
def recording(header: Words) -> Int:
    """Return whether calls are recorded (1, 0, or 2 in inference mode) where the modes, tracing and the
    default device are the usual ones, -1 where they are not, and -2 where Python has set an error.
    """
    modes: Object = header[AT_MODES]
    running: Object = header[AT_RUNNING]
    devices: Object = header[AT_DEVICES]
    mode = current(modes)
    if mode is null:
        return -2
    records = mode is header[AT_DEFAULT]
    infers = mode is header[AT_INFERENCE]
    if not records and not infers and mode is not header[AT_NO_GRAD]:
        return -1
    writer = current(running)
    if writer is null:
        return -2
    if writer is not header[AT_NONE]:
        return -1
    device = current(devices)
    if device is null:
        return -2
    if device is not header[AT_NO_DEVICES]:
        return -1
    return 2 if infers else 1 if records else 0


@native
def matches(
    plan: Words, arguments: Object, names: Object, more: Int, header: Words, aside: Words, asks: Int
) -> Bool:
    """Return whether arguments are as a plan says, those by name behind those by place."""
    told = plan + TOLD
    for a in range(ARGUMENTS + more):
        place = a + 1 if a >= ARGUMENTS else a
        told = match(arguments[place], told, header, aside, asks)
        if told is null:
            return False
    for _ in range(plan[_NAMES]):
        name: Object = told[0]
        value = python.PyDict_GetItem(names, name)
        if value is null:
            return False
        told = match(value, told + 1, header, aside, asks)
        if told is null:
            return False
    return True


@native
def compute(plan: Words, tensors: Int, aside: Object, header: Words, unrecorded: Object) -> Int:
    """Call what computes: 1, 0 where Python has set an error, -1 where the kernels raised
    an `Exception`, and Python is to do the call.
    """
    kernels: Object = plan[_COMPUTE]
    if kernels is null:
        return 1
    own = python.PyObject_Vectorcall(kernels, aside + 1 + TENSORS, tensors, null)
    if own is not null:
        version: Object = plan[_VERSION]
        could = put_computed(own, plan[_COMPUTED], plan[_ARRAYS], aside, header, unrecorded, version)
        return 1 if could else 0
    exception: Object = header[AT_EXCEPTION]
    if python.PyErr_ExceptionMatches(exception) == 0:
        return 0
    python.PyErr_Clear()
    return -1


@native
def may_write(plan: Words, tensors: Int, aside: Object, header: Words, unrecorded: Object) -> Bool:
    """Return whether the tensor that a plan writes to takes that, with a history where the plan has nodes,
    and whether no other argument shares its memory.
    """
    none: Object = header[AT_NONE]
    place: Int = plan[_WRITTEN]
    tensor = aside[place]
    array = aside[TENSORS + place]
    if unrecorded is header[AT_INFERENCE_VIEW] or tensor.counter.type is not header[AT_LIST]:
        return False
    if (array.flags & WRITEABLE) == 0:
        return False
    view = tensor.view
    records = plan[_NODES] != 0
    if view is not none and (records or view.view_base.node is not none):
        return False
    if tensor.node is not none and (tensor.node is header[AT_LEAF]) == records:
        return False
    reach: Words = plan[_REACH]
    low: Bytes = array.data
    for n in range(tensors):
        other: Bytes = aside[1 + TENSORS + n].data
        begins_before = low + reach[2 * place - 2] < other + reach[2 * n + 1]
        ends_behind = other + reach[2 * n] < low + reach[2 * place - 1]
        if n + 1 != place and begins_before and ends_behind:
            return False
    return True


@native
def count_write(tensor: Object, header: Words) -> Bool:
    """Count a write, and note where the user made it, as `blame.written` does; false where Python has set an
    error. That function takes 0.5 µs; here is what it does where the last write was made at the same place.
    """
    at = room(1)
    code = place_of_call(header, at)
    if code is null:
        return False
    where: Object = at[0]
    counter = tensor.counter
    could = True
    if is_last_place(counter, code, where):
        could = count_again(counter, header)
    else:
        written: Object = header[AT_WRITTEN]
        done = python.PyObject_CallOneArg(written, counter)
        could = done is not null
        if could:
            python.Py_DecRef(done)
    python.Py_DecRef(code)
    python.Py_DecRef(where)
    return could


@native
def is_last_place(counter: Object, code: Object, where: Object) -> Bool:
    """Return whether the last write to what a counter counts was made at a place."""
    if counter.size < 2 or counter.listed[1].size == 0:
        return False
    runs = counter.listed[1]
    last = runs.listed[runs.size - 1]
    if last.listed[2] is not code:
        return False
    is_there = python.PyLong_AsLongLong(last.listed[3]) == python.PyLong_AsLongLong(where)
    is_latest = python.PyLong_AsLongLong(last.listed[1]) == python.PyLong_AsLongLong(counter.listed[0])
    return is_there and is_latest


@native
def count_again(counter: Object, header: Words) -> Bool:
    """Count one more write at the place of the last one; false where memory is short."""
    runs = counter.listed[1]
    last = runs.listed[runs.size - 1]
    version = python.PyLong_FromLongLong(python.PyLong_AsLongLong(counter.listed[0]) + 1)
    numbers: Object = header[AT_COUNT]
    number = python.PyIter_Next(numbers)
    if version is null or number is null:
        return False
    python.PyList_SetItem(last, 1, shared(version))
    python.PyList_SetItem(last, 4, number)
    python.PyList_SetItem(counter, 0, version)
    return True


@native
def results_of(plan: Words, aside: Object, header: Words, unrecorded: Object) -> Object:
    """Return the results, several in their container; null where that failed."""
    results = plan + plan[_RESULTS]
    container: Object = plan[_CONTAINER]
    if container is null:
        return result_at(results, aside, header, unrecorded)
    several = python.PyTuple_New(plan[_COUNT])
    if several is null:
        return null
    for n in range(plan[_COUNT]):
        part = result_at(results + RESULT * n, aside, header, unrecorded)
        if part is null:
            python.Py_DecRef(several)
            return null
        several.items[n] = part
    if container is header[AT_TUPLE]:
        return several
    made = python.PyObject_CallOneArg(container, several)
    python.Py_DecRef(several)
    return made


@native
def do_plan(plan: Words, aside: Object, header: Words, unrecorded: Object) -> Object:
    """Do a call as a plan says: None where it is Python's, null where Python has set an error. How views come
    to be that are `unrecorded` is null where calls are recorded.
    """
    records = unrecorded is null
    tensors: Int = aside[0]
    none: Object = header[AT_NONE]
    nodes: Words = plan[_NODES]
    writes = plan[_WRITTEN] != 0
    if writes and not may_write(plan, tensors, aside, header, unrecorded):
        return shared(none)
    for p in range(tensors):
        array = given_array(aside[1 + p], aside[1 + TENSORS + p], header)
        if array is null:
            return null
        aside[1 + TENSORS + p] = array
    could = compute(plan, tensors, aside, header, unrecorded)
    if could == 0:
        return null
    if could < 0:
        for g in range(tensors):
            python.Py_DecRef(aside[1 + TENSORS + g])
        return shared(none)
    written: Int = plan[_WRITTEN]
    if writes and not count_write(aside[written], header):
        return null
    if records and nodes is not null and not record(nodes, aside, header, written):
        return null
    value = results_of(plan, aside, header, unrecorded)
    for m in range(tensors + plan[_ARRAYS]):
        is_tensor = tensors <= m < tensors + plan[_COMPUTED]
        python.Py_DecRef(aside[m + 1 if is_tensor else m + 1 + TENSORS])
    if records:
        for r in range(plan[_NODE_COUNT]):
            python.Py_DecRef(aside[1 + 2 * TENSORS + r])
    return value


@native
def cached_call(owner: Object, arguments: Object, given: Int) -> Object:
    """Do a call by a plan; None where there is none, which is counted."""
    header: Words = owner.data
    none: Object = header[AT_NONE]
    if given < ARGUMENTS:
        return shared(none)
    records = recording(header)
    if records < 0:
        return null if records == -2 else shared(none)
    names = arguments[ARGUMENTS] if given > ARGUMENTS else null
    name_count = python.PyDict_Size(names) if given > ARGUMENTS else 0
    more = given - ARGUMENTS - 1 if given > ARGUMENTS else 0
    aside = room(1 + 2 * TENSORS + NODES)
    silent: Object = header[AT_INFERENCE_VIEW if records == 2 else AT_NO_GRAD_VIEW]
    unrecorded = null if records == 1 else silent
    inference = TAKES_INFERENCE if records == 2 else 0
    plan: Words = header[FIRST]
    while plan is not null:
        asks = plan[_ASKED] if records == 1 else plan[_ASKED_SILENT]
        may_fit = asks >= 0 and plan[_NAMES] == name_count and plan[_MORE] == more
        aside[0] = 0
        if may_fit and matches(plan, arguments, names, more, header, aside, asks | inference):
            return do_plan(plan, aside, header, unrecorded)
        following: Words = plan[_NEXT]
        plan = following
    header[LEFT] -= 1
    if header[LEFT] != 0:
        return shared(none)
    hot: Object = header[AT_HOT]
    return shared(hot)
