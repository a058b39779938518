"""The native function that does public calls by their inline cache (`table`)."""

from __future__ import annotations

from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import shared
from .arguments import (
    ARGUMENTS,
    AT_DEFAULT,
    AT_DEVICES,
    AT_EXCEPTION,
    AT_HOT,
    AT_MODES,
    AT_NO_DEVICES,
    AT_NO_GRAD,
    AT_NONE,
    AT_RUNNING,
    AT_TUPLE,
    FIRST,
    LEFT,
    NODES,
    TENSORS,
    match,
)  # fmt: skip
from .nodes import record
from .results import RESULT, put_computed, put_moved, result_at

#: Words of a plan: the next, what computes, where it says which elements are moved instead, how many
#: tensors are computed and how many arrays in all, where the nodes are told (0: there are none) and how many
#: they are, what is asked of tensors where calls are recorded and where they are not (-1: Python is to do
#: those), how many results there are, what is called with several, where the results begin, how many
#: arguments are given by name, and by place behind the first four; the arguments follow.
(
    _NEXT, _COMPUTE, _MOVED, _COMPUTED, _ARRAYS, _NODES, _NODE_COUNT, _ASKED, _ASKED_SILENT, _COUNT,
    _CONTAINER, _RESULTS, _NAMES, _MORE, TOLD,
) = range(15)  # fmt: skip


@native
def answer(function: Object) -> Object:
    """Return what a function gives, which is only compared: the reference is given up."""
    found = python.PyObject_CallNoArgs(function)
    if found is not null:
        python.Py_DecRef(found)
    return found


@native
def recording(header: Words) -> Int:
    """Return whether calls are recorded (1 or 0) where the modes, tracing and the default device are the
    usual ones, -1 where they are not, and -2 where Python has set an error.
    """
    modes: Object = header[AT_MODES]
    running: Object = header[AT_RUNNING]
    devices: Object = header[AT_DEVICES]
    mode = answer(modes)
    if mode is null:
        return -2
    records = mode is header[AT_DEFAULT]
    if not records and mode is not header[AT_NO_GRAD]:
        return -1
    writer = answer(running)
    if writer is null:
        return -2
    if writer is not header[AT_NONE]:
        return -1
    device = answer(devices)
    if device is null:
        return -2
    if device is not header[AT_NO_DEVICES]:
        return -1
    return 1 if records else 0


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
def compute(plan: Words, tensors: Int, aside: Object, header: Words) -> Int:
    """Move elements, or call what computes: 1, 0 where Python has set an error, -1 where the kernels raised
    an `Exception`, and Python is to do the call.
    """
    kernels: Object = plan[_COMPUTE]
    moved: Words = plan[_MOVED]
    if kernels is null:
        return 1
    if moved is not null:
        return 1 if put_moved(moved, aside, header) else 0
    own = python.PyObject_Vectorcall(kernels, aside + 1 + TENSORS, tensors, null)
    if own is not null:
        return 1 if put_computed(own, plan[_COMPUTED], plan[_ARRAYS], aside, header) else 0
    exception: Object = header[AT_EXCEPTION]
    if python.PyErr_ExceptionMatches(exception) == 0:
        return 0
    python.PyErr_Clear()
    return -1


@native
def results_of(plan: Words, aside: Object, header: Words, records: Bool) -> Object:
    """Return the results, several in their container; null where that failed."""
    results = plan + plan[_RESULTS]
    container: Object = plan[_CONTAINER]
    if container is null:
        return result_at(results, aside, header, records)
    several = python.PyTuple_New(plan[_COUNT])
    if several is null:
        return null
    for n in range(plan[_COUNT]):
        part = result_at(results + RESULT * n, aside, header, records)
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
def do_plan(plan: Words, aside: Object, header: Words, records: Bool) -> Object:
    """Do a call as a plan says: None where it is Python's, null where Python has set an error."""
    tensors: Int = aside[0]
    none: Object = header[AT_NONE]
    nodes: Words = plan[_NODES]
    for p in range(tensors):
        python.Py_IncRef(aside[1 + TENSORS + p])
    could = compute(plan, tensors, aside, header)
    if could == 0:
        return null
    if could < 0:
        for g in range(tensors):
            python.Py_DecRef(aside[1 + TENSORS + g])
        return shared(none)
    if records and nodes is not null and not record(nodes, aside, header):
        return null
    value = results_of(plan, aside, header, records)
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
    plan: Words = header[FIRST]
    while plan is not null:
        asks = plan[_ASKED] if records == 1 else plan[_ASKED_SILENT]
        may_fit = asks >= 0 and plan[_NAMES] == name_count and plan[_MORE] == more
        aside[0] = 0
        if may_fit and matches(plan, arguments, names, more, header, aside, asks):
            return do_plan(plan, aside, header, records == 1)
        following: Words = plan[_NEXT]
        plan = following
    header[LEFT] -= 1
    if header[LEFT] != 0:
        return shared(none)
    hot: Object = header[AT_HOT]
    return shared(hot)
