"""Take parts at integers, slices and an ellipsis (``x[:, t]``), whatever their numbers: the view, its record
and, where calls are recorded, its nodes.

A plan holds for the numbers that a call is given, and those of a loop are others in each call: `x[:, t]` took
3.3 µs, `x[a:b, c:d]` 6.7, and each of the first 64 places had a plan, for 0.6. Here the numbers are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....ops.view import select, slice_dim
from ...emit.restricted_python import Bool, Int, Object, Words, load, native, null, python, room
from ...runtime.native_specification import ALIGNED, WRITEABLE
from ...runtime.python_objects import new_tensor, pair_of, shared
from .arguments import (
    ASKS_VIEW,
    AT_ARRAY,
    AT_ELLIPSIS,
    AT_INT,
    AT_INT64,
    AT_NO_GRAD_VIEW,
    AT_NONE,
    AT_SELECT,
    AT_SELECT_NODE,
    AT_SLICE,
    AT_SLICE_DIM,
    AT_SLICE_NODE,
    AT_TENSOR,
    AT_TUPLE,
    AT_VIEW,
    AT_ZERO,
    has_history_as,
    holds_array,
)  # fmt: skip
from .nodes import edge_to, node_of, place_of_call
from .text import recording

#: What these calls need beside the objects of all tables.
PART_OBJECTS: tuple[Any, ...] = (
    ..., select.op, slice_dim.op, select.op.node_class, slice_dim.op.node_class, np.dtype(np.int64)
)  # fmt: skip
#: Axes of a tensor at most, words of a step (whether it is a slice; axis and index, or axis, start, stop and
#: step, which are the attributes of the op), and the step of a slice at most.
_AXES, _WIDE, _FAR = 16, 5, 1 << 31


@native
def is_number(thing: Object, header: Words) -> Bool:
    """Return whether something is an int of Python's that a word holds."""
    if thing.type is not header[AT_INT]:
        return False
    if python.PyLong_AsLongLong(thing) == -1 and python.PyErr_Occurred() is not null:
        python.PyErr_Clear()
        return False
    return True


@native
def is_place(thing: Object, header: Words) -> Bool:
    """Return whether something is a tensor of one integer without axes, which torch reads as a number."""
    if not holds_array(thing, header, 0):
        return False
    array = thing.value
    return array.rank == 0 and array.dtype is header[AT_INT64] and (array.flags & ALIGNED) != 0


@native
def end_of(thing: Object, size: Int, missing: Int, header: Words) -> Int:
    """Return where a slice of an axis begins or ends."""
    if thing is header[AT_NONE]:
        return missing
    end = python.PyLong_AsLongLong(thing)
    if end < 0:
        end = end + size
    return 0 if end < 0 else size if end > size else end


@native
def read_slice(ends: Object, dim: Int, size: Int, header: Words, step: Words) -> Bool:
    """Write what a slice of an axis is to a step; false where it is empty, or not one of such numbers."""
    for n in range(3):
        if ends[n] is not header[AT_NONE] and not is_number(ends[n], header):
            return False
    by = 1 if ends[2] is header[AT_NONE] else python.PyLong_AsLongLong(ends[2])
    start = end_of(ends[0], size, 0, header)
    stop = end_of(ends[1], size, size, header)
    step[0] = 1
    step[1] = dim
    step[2] = start
    step[3] = stop
    step[4] = by
    return start < stop and 0 < by < _FAR


@native
def is_whole(ends: Object, size: Int, header: Words) -> Bool:
    """Return whether a slice says by its numbers as they are that it is the whole axis."""
    none: Object = header[AT_NONE]
    if ends[0] is not none and python.PyLong_AsLongLong(ends[0]) != 0:
        return False
    if ends[1] is not none and python.PyLong_AsLongLong(ends[1]) < size:
        return False
    return ends[2] is none or python.PyLong_AsLongLong(ends[2]) == 1


@native
def read_parts(items: Object, count: Int, is_alone: Bool, array: Object, header: Words, steps: Words) -> Int:
    """Write the steps that the parts of an index are, and return how many; −1: it is Python's."""
    rank = array.rank
    shape = array.shape
    taken = 0
    ellipses = 0
    for k in range(count):
        if is_number(items[k], header) or items[k].type is header[AT_SLICE] or is_place(items[k], header):
            taken += 1
        elif items[k] is header[AT_ELLIPSIS]:
            ellipses += 1
        else:
            return -1
    if taken > rank or ellipses > 1:
        return -1
    made = 0
    axis = 0
    dim = 0
    for n in range(count):
        item = items[n]
        if item is header[AT_ELLIPSIS]:
            axis += rank - taken
            dim += rank - taken
        else:
            step = steps + _WIDE * made
            size = shape[axis]
            axis += 1
            if item.type is header[AT_SLICE]:
                if not read_slice(item.ends, dim, size, header, step):
                    return -1
                if is_alone or not is_whole(item.ends, size, header):
                    made += 1
                dim += 1
            else:
                is_int = item.type is header[AT_INT]
                index = python.PyLong_AsLongLong(item) if is_int else load(item.value.data, 64)
                if index < -size or index >= size:
                    return -1
                step[0] = 0
                step[1] = dim
                step[2] = index + size if index < 0 else index
                made += 1
    return made


@native
def numbers_of(words: Words, count: Int) -> Object:
    """Return a new tuple of numbers; null without memory."""
    numbers = python.PyTuple_New(count)
    if numbers is null:
        return null
    for n in range(count):
        number = python.PyLong_FromLongLong(words[n])
        if number is null:
            return null
        numbers.items[n] = number
    return numbers


@native
def chain_behind(chain: Object, step: Words, header: Words) -> Object:
    """Return the chain of a view behind one more step; null without memory."""
    operation: Object = header[AT_SLICE_DIM if step[0] == 1 else AT_SELECT]
    none: Object = header[AT_NONE]
    attributes = numbers_of(step + 1, 4 if step[0] == 1 else 2)
    told = python.PyTuple_New(3)
    if attributes is null or told is null:
        return null
    told.items[0] = shared(operation)
    told.items[1] = attributes
    told.items[2] = shared(none)
    return pair_of(chain, told)


@native
def node_behind(
    edge: Object, step: Words, before: Words, rank: Int, after: Words, left: Int, dtype: Object, header: Words
) -> Object:
    """Return the node of a step that takes a part of one shape from another one; null where that failed."""
    kind: Object = header[AT_SLICE_NODE if step[0] == 1 else AT_SELECT_NODE]
    count = 4 if step[0] == 1 else 2
    shape = numbers_of(before, rank)
    edges = python.PyTuple_New(1)
    saved = python.PyTuple_New(1 + count)
    own = numbers_of(after, left)
    if shape is null or edges is null or saved is null or own is null:
        return null
    edges.items[0] = edge
    saved.items[0] = shape
    for n in range(count):
        saved.items[1 + n] = python.PyLong_FromLongLong(step[1 + n])
    return node_of(kind, edges, saved, own, shared(dtype), header)


@native
def take(step: Words, rank: Int, shape: Words, strides: Words) -> Int:
    """Take a step: change shape and strides, and return the bytes to the first element."""
    dim = step[1]
    offset = step[2] * strides[dim]
    if step[0] == 1:
        shape[dim] = (step[3] - step[2] - 1) // step[4] + 1
        strides[dim] = strides[dim] * step[4]
        return offset
    for d in range(dim, rank - 1):
        shape[d] = shape[d + 1]
        strides[d] = strides[d + 1]
    return offset


@native
def record_of(parent: Object, chain: Object, header: Words, records: Int) -> Object:
    """Return the record of a view, which takes its chain; null without memory."""
    kind: Object = header[AT_VIEW]
    none: Object = header[AT_NONE]
    creation: Object = header[AT_ZERO if records == 1 else AT_NO_GRAD_VIEW]
    record = python.PyType_GenericAlloc(kind, 0)
    if record is null:
        return null
    above = parent.view
    base = parent
    if above is not none:
        base = above.view_base
        if records == 1:
            creation = above.view_creation  # `views.INHERITED`: a part of several stays one
    record.view_base = shared(base)
    record.view_chain = chain
    record.view_creation = shared(creation)
    record.view_at = shared(parent.counter.listed[0])
    return record


@native
def part_of(tensor: Object, steps: Words, count: Int, header: Words, records: Int) -> Object:
    """Return the view that steps take of a tensor; null where that failed."""
    memory = tensor.value
    rank = memory.rank
    shape = room(_AXES)
    strides = room(_AXES)
    before = room(_AXES)
    for d in range(rank):
        shape[d] = memory.shape[d]
        strides[d] = memory.strides[d]
    none: Object = header[AT_NONE]
    chain = shared(none)
    if tensor.view is not none:
        python.Py_DecRef(chain)
        chain = shared(tensor.view.view_chain)
    has_nodes = tensor.node is not none
    node = edge_to(tensor, header) if has_nodes else shared(none)
    at = room(1)
    code = place_of_call(header, at) if has_nodes else shared(none)
    if node is null or code is null:
        return null
    where: Object = at[0]
    offset = 0
    for n in range(count):
        step = steps + _WIDE * n
        chain = chain_behind(chain, step, header)
        if chain is null:
            return null
        for e in range(rank):
            before[e] = shape[e]
        left = rank if step[0] == 1 else rank - 1
        offset += take(step, rank, shape, strides)
        if has_nodes:
            node = node_behind(node, step, before, rank, shape, left, memory.dtype, header)
            if node is null:
                return null
            node._code = shared(code)
            node._at = shared(where)
        rank = left
    python.Py_DecRef(code)
    if has_nodes:
        python.Py_DecRef(where)
    dtype: Object = shared(memory.dtype)
    array_type: Object = header[AT_ARRAY]
    kind: Object = header[AT_TENSOR]
    flags = memory.flags & WRITEABLE
    begin = memory.data + offset
    array = python.PyArray_NewFromDescr(array_type, dtype, rank, shape, strides, begin, flags, null)
    if array is null:
        return null
    python.PyArray_SetBaseObject(array, shared(memory))
    record = record_of(tensor, chain, header, records)
    if record is null:
        return null
    return new_tensor(array, shared(tensor.counter), record, node, kind)


@native
def bracket(owner: Object, arguments: Object, given: Int) -> Object:
    """Return the part of a tensor at an index, its second argument; None where it is Python's to take it."""
    header: Words = owner.data
    none: Object = header[AT_NONE]
    index = arguments[1]
    items = arguments + 1
    count = 1
    is_alone = index.type is not header[AT_TUPLE]
    if not is_alone:
        items = index.items
        count = index.size
    tensor = arguments[0]
    if count > _AXES or not holds_array(tensor, header, 0):
        return shared(none)
    memory = tensor.value
    if memory.rank > _AXES:
        return shared(none)
    for d in range(memory.rank):
        if memory.shape[d] == 0:
            return shared(none)
    steps = room(_WIDE * (_AXES + 1))
    made = read_parts(items, count, is_alone, memory, header, steps)
    if made < 1:
        return shared(none)
    records = recording(header)
    if records == -2:
        return null
    if records < 0 or records > 1:
        return shared(none)
    has_history = records == 1 and tensor.node is not none
    if not has_history_as(tensor, has_history, header, ASKS_VIEW if records == 1 else 0):
        return shared(none)
    if tensor.view is not none and tensor.view.view_at is not tensor.counter.listed[0]:
        return shared(none)
    return part_of(tensor, steps, made, header, records)
