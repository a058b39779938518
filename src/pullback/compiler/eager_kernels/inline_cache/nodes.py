"""Record the nodes of a call that has a plan (`table`), in native code.

`tensor.inline_cache.nodes` finds where each part of a node comes from. Three words encode such a source: its
kind, the number of the tensor or node, and the object, where that is the same in every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....core import blame
from ....core.node import LEAF, Output, accumulator
from ....core.versions import Joined
from ....tensor.inline_cache.nodes import ARRAY, COUNTER, EDGE, JOINED, NODE, OUTPUT, VERSION, Left, Source
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import shared
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
    TENSORS,
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
    """Return a source as words; `kept` keeps alive the objects whose addresses they are."""
    if source.kind == JOINED:
        numbers = np.array([len(source.value), *source.value], np.int64)
        kept.append(numbers)
        return [JOINED, numbers.ctypes.data, id(Joined)]
    kept.append(source.value)
    return [source.kind, source.which, id(source.value)]


def node_words(nodes: Sequence[Left], attached: Sequence[tuple[int, Source]], kept: list[Any]) -> list[int]:
    """Return nodes as words, and which of them become the history of which tensors."""
    words = [len(nodes), len(attached)]
    for node in nodes:
        kept += [node.node_class, node.shape, node.dtype]
        words += [id(node.node_class), id(node.shape), id(node.dtype), len(node.edges), len(node.saved)]
        for source in (*node.edges, *node.saved):
            words += source_words(source, kept)
    for number, source in attached:
        words += [number, *source_words(source, kept)]
    return words


@native
def place_of_call(header: Words, at: Object) -> Object:
    """Return the code in which the user made the call, and write where in it; null where that failed."""
    get_frame: Object = header[AT_GET_FRAME]
    own_file: Object = header[AT_OWN_FILE]
    frame = python.PyObject_Vectorcall(get_frame, header + AT_ONE, 1, null)
    if frame is null:
        return null
    code = python.PyFrame_GetCode(frame)
    while True:
        is_own = python.PyDict_GetItem(own_file, code.file)
        if is_own is header[AT_FALSE]:
            break
        is_new = is_own is null
        outer = null
        if is_new:
            user_frame: Object = header[AT_USER_FRAME]
            outer = python.PyObject_CallOneArg(user_frame, frame)
        else:
            outer = python.PyFrame_GetBack(frame)
            if outer is null:
                break
        python.Py_DecRef(code)
        python.Py_DecRef(frame)
        if outer is null:
            return null
        frame = outer
        code = python.PyFrame_GetCode(frame)
        if is_new:
            break
    at[0] = python.PyLong_FromLongLong(python.PyFrame_GetLasti(frame))
    python.Py_DecRef(frame)
    return code


@native
def edge_to(tensor: Object, header: Words) -> Object:
    """Return the edge that leads to a tensor."""
    if tensor.node is not header[AT_LEAF]:
        return shared(tensor.node)
    accumulator: Object = header[AT_ACCUMULATOR]
    return python.PyObject_CallOneArg(accumulator, tensor)


@native
def joined_counter(told: Words, join: Object, aside: Object) -> Object:
    """Return a new counter of several tensors, which are told by how many they are and their numbers."""
    tensors = room(TENSORS)
    for n in range(told[0]):
        which = told[n + 1] + 1
        tensor: Words = aside[which]
        tensors[n] = tensor
    return python.PyObject_Vectorcall(join, tensors, told[0], null)


@native
def sourced(source: Words, aside: Object, header: Words) -> Object:
    """Return the object that a source stands for, as a new reference."""
    kind = source[0]
    which = source[1] + 1
    value: Object = source[2]
    if kind == EDGE:
        return edge_to(aside[which], header)
    if kind == JOINED:
        return joined_counter(source[1], value, aside)
    if kind == OUTPUT:
        output: Object = header[AT_OUTPUT]
        pair = python.PyType_GenericAlloc(output, 2)
        if pair is not null:
            pair.items[0] = shared(aside[2 * TENSORS + which])
            pair.items[1] = shared(value)
        return pair
    found = value
    if kind == ARRAY:
        found = aside[TENSORS + which]
    elif kind == COUNTER:
        found = aside[which].counter
    elif kind == VERSION:
        found = aside[which].counter.listed[0]
    elif kind == NODE:
        found = aside[2 * TENSORS + which]
    return shared(found)


@native
def tuple_of(sources: Words, count: Int, aside: Object, header: Words) -> Object:
    """Return a new tuple of what some sources tell; null where that failed."""
    made = python.PyTuple_New(count)
    if made is null:
        return null
    for n in range(count):
        thing = sourced(sources + SOURCE * n, aside, header)
        if thing is null:
            python.Py_DecRef(made)
            return null
        made.items[n] = thing
    return made


@native
def new_node(told: Words, aside: Object, header: Words) -> Object:
    """Return a new node, without the place in the user's program."""
    edges = tuple_of(told + _NODE, told[3], aside, header)
    if edges is null:
        return null
    saved = tuple_of(told + _NODE + SOURCE * told[3], told[4], aside, header)
    if saved is null:
        return null
    kind: Object = told[0]
    shape: Object = told[1]
    dtype: Object = told[2]
    return node_of(kind, edges, saved, shared(shape), shared(dtype), header)


@native
def node_of(
    kind: Object, edges: Object, saved: Object, shape: Object, dtype: Object, header: Words
) -> Object:  # fmt: skip
    """Return a new node, which takes what it is given; null without memory."""
    numbers: Object = header[AT_COUNT]
    none: Object = header[AT_NONE]
    number = python.PyIter_Next(numbers)
    node = python.PyType_GenericAlloc(kind, 0)
    if node is not null:
        node._edges = edges
        node._saved = saved
        node._shape = shape
        node._dtype = dtype
        node._hooks = shared(none)
        node._seq = number
    return node


@native
def record(told: Words, aside: Object, header: Words) -> Bool:
    """Make the nodes of a call, put aside, and put them behind what was computed; false on failure."""
    at = room(1)
    code = place_of_call(header, at)
    if code is null:
        return False
    where: Object = at[0]
    now = told + 2
    for n in range(told[0]):
        node = new_node(now, aside, header)
        if node is null:
            return False
        node._code = shared(code)
        node._at = shared(where)
        aside[1 + 2 * TENSORS + n] = node
        now = now + _NODE + SOURCE * (now[3] + now[4])
    python.Py_DecRef(code)
    python.Py_DecRef(where)
    for k in range(told[1]):
        own = now + (1 + SOURCE) * k
        history = sourced(own + 1, aside, header)
        if history is null:
            return False
        tensor = aside[own[0] + 1]
        before = tensor.node
        tensor.node = history
        python.Py_DecRef(before)
    return True
