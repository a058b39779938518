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
from ...runtime.native_specification import ALIGNED
from ...runtime.python_objects import pair_of, shared, size_of
from .arguments import (
    ASKS_VIEW,
    AT_ELLIPSIS,
    AT_INT,
    AT_INT64,
    AT_NO_GRAD_VIEW,
    AT_NONE,
    AT_SELECT,
    AT_SELECT_NODE,
    AT_SLICE,
    AT_TUPLE,
    AT_ZERO,
    has_history_as,
    holds_array,
)  # fmt: skip
from .nodes import edge_to, node_of, place_of_call
from .results import record_of, view_of
from .text import recording

#: What these calls need beside the objects of all tables.
PART_OBJECTS: tuple[Any, ...] = (
    ..., np.dtype(np.int64), select.op, slice_dim.op, select.op.node_class, slice_dim.op.node_class
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
def end_of(thing: Object, missing: Int, header: Words) -> Int:
    """Return the number that an end of a slice is."""
    return missing if thing is header[AT_NONE] else python.PyLong_AsLongLong(thing)


@native
def within(end: Int, size: Int) -> Int:
    """Return the place in an axis that an end of a slice stands for."""
    end = end + size if end < 0 else end
    return 0 if end < 0 else size if end > size else end


@native
def read_slice(ends: Object, size: Int, header: Words, step: Words) -> Int:
    """Write what a slice of an axis is to a step: 0 where it is Python's, as empty ones are, 2 where it says
    by its numbers that it is the whole axis, else 1.
    """
    for n in range(3):
        if ends[n] is not header[AT_NONE] and not is_number(ends[n], header):
            return 0
    first = end_of(ends[0], 0, header)
    last = end_of(ends[1], size, header)
    by = end_of(ends[2], 1, header)
    step[0] = 1
    step[2] = within(first, size)
    step[3] = within(last, size)
    step[4] = by
    if step[2] >= step[3] or by < 1 or by > _FAR:
        return 0
    return 2 if first == 0 and last >= size and by == 1 else 1


@native
def read_parts(items: Object, count: Int, is_alone: Bool, array: Object, header: Words, steps: Words) -> Int:
    """Write the steps that the parts of an index are, and return how many; −1: it is Python's."""
    made = 0
    axis = 0
    dim = 0
    ellipses = 0
    for n in range(count):
        item = items[n]
        step = steps + _WIDE * made
        step[1] = dim
        if item is header[AT_ELLIPSIS]:
            left_out = array.rank - count + 1
            axis += left_out
            dim += left_out
            ellipses += 1
            if left_out < 0 or ellipses > 1:
                return -1
        elif axis >= array.rank:
            return -1
        elif item.type is header[AT_SLICE]:
            found = read_slice(item.ends, array.shape[axis], header, step)
            if found == 0:
                return -1
            made += 1 if is_alone or found == 1 else 0
            axis += 1
            dim += 1
        else:
            is_int = is_number(item, header)
            if not is_int and not is_place(item, header):
                return -1
            index = python.PyLong_AsLongLong(item) if is_int else load(item.value.data, 64)
            step[0] = 0
            step[2] = index + array.shape[axis] if index < 0 else index
            if step[2] < 0 or step[2] >= array.shape[axis]:
                return -1
            made += 1
            axis += 1
    return made


@native
def numbers_of(words: Words, count: Int) -> Object:
    """Return a new tuple of numbers; null without memory."""
    numbers = python.PyTuple_New(count)
    if numbers is null:
        return null
    for n in range(count):
        numbers.items[n] = python.PyLong_FromLongLong(words[n])
    return numbers


@native
def chain_behind(chain: Object, step: Words, header: Words) -> Object:
    """Return the chain of a view behind one more step; null without memory."""
    operation: Object = header[AT_SELECT + step[0]]
    none: Object = header[AT_NONE]
    attributes = numbers_of(step + 1, 2 + 2 * step[0])
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
    kind: Object = header[AT_SELECT_NODE + step[0]]
    count = 2 + 2 * step[0]
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
def part_of(tensor: Object, steps: Words, count: Int, header: Words, unrecorded: Object) -> Object:
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
    chain = shared(none if tensor.view is none else tensor.view.view_chain)
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
        left = rank - 1 + step[0]
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
    own_creation: Object = header[AT_ZERO]
    record = record_of(tensor, chain, own_creation, header, unrecorded)
    return view_of(tensor, memory, memory.dtype, rank, shape, strides, offset, record, node, header)


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
    steps = room(_WIDE * (_AXES + 1))
    if memory.rank > _AXES or size_of(memory) == 0:
        return shared(none)
    made = read_parts(items, count, is_alone, memory, header, steps)
    records = recording(header) if made > 0 else -1
    if records < 0 or records > 1:
        return null if records == -2 else shared(none)
    has_history = records == 1 and tensor.node is not none
    if not has_history_as(tensor, has_history, header, ASKS_VIEW if records == 1 else 0):
        return shared(none)
    if tensor.view is not none and tensor.view.view_at is not tensor.counter.listed[0]:
        return shared(none)
    silent: Object = header[AT_NO_GRAD_VIEW]
    return part_of(tensor, steps, made, header, null if records == 1 else silent)
