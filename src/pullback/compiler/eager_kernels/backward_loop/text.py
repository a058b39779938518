"""The engine's loop as a native function, which `loop` compiles."""

from __future__ import annotations

from ....array.broadcasting import LEAST as REPEATED
from ....array.large import WORTH, WORTH_CHAIN
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python
from ...runtime.python_objects import shared, size_of
from .edges import deliver, keep, was_done
from .nodes import capture, leads_on, pull
from .words import (
    ARRAY,
    CHAINED,
    CLASSES,
    EMPTY,
    HEAP,
    LEAF_END,
    LEARN,
    LOOKED_AT,
    NODE_NAME,
    NONE,
    PENDING,
    POP,
    SELF,
    TRUE,
)  # fmt: skip


@native
def take(node: Object, arguments: Object, header: Words) -> Bool:
    """Take the first node from the heap; false where Python has set an error."""
    pop: Object = header[POP]
    if not was_done(python.PyObject_CallOneArg(pop, arguments[HEAP])):
        return False
    return python.PyDict_DelItem(arguments[PENDING], node) == 0


@native
def run_node(node: Object, g: Object, record: Words, arguments: Object, header: Words) -> Bool:
    """Take a node from the heap, pull its covector back and send what comes of it on; false where Python has
    set an error.
    """
    python.Py_IncRef(node)
    python.Py_IncRef(g)
    name: Object = header[NODE_NAME]
    is_good = take(node, arguments, header) and python.PyObject_SetAttr(arguments[SELF], name, node) == 0
    if is_good:
        grads = pull(node, g, record, arguments, header)
        is_good = grads is not null
        if is_good:
            is_good = deliver(node, g, grads, record, arguments, header)
            python.Py_DecRef(grads)
    python.Py_DecRef(node)
    python.Py_DecRef(g)
    return is_good


@native
def step(node: Object, g: Object, arguments: Object, header: Words) -> Int:
    """Run the first node of the heap: return 1, 0 where Python has set an error, -1 where it needs Python."""
    none: Object = header[NONE]
    if arguments[LOOKED_AT] is not none:
        places = python.PyDict_GetItem(arguments[LOOKED_AT], node)
        if places is not null:
            if leads_on(node, arguments, header) or not capture(g, places, arguments, header):
                return -1
            return 1 if take(node, arguments, header) else 0
    is_array = g.type is header[ARRAY]
    if node.type is header[LEAF_END]:
        if not is_array or not keep(node, g, arguments, header):
            return -1
        return 1 if take(node, arguments, header) else 0
    classes: Object = header[CLASSES]
    words = python.PyDict_GetItem(classes, node.type)
    if words is null:
        learn: Object = header[LEARN]
        learnt = python.PyObject_CallOneArg(learn, node.type)
        if learnt is null:
            return 0
        python.Py_DecRef(learnt)
        return 1 if learnt is header[TRUE] else -1
    record: Words = words.data
    if is_array:
        most = WORTH_CHAIN if record[CHAINED] != 0 else WORTH
        size = size_of(g)
        if size >= most:
            return -1
        last = g.rank - 1
        if last > 0 and g.strides[last] == 0 and g.strides[0] != 0 and size >= REPEATED * g.shape[last]:
            return -1
    return 1 if run_node(node, g, record, arguments, header) else 0


@native
def drain(owner: Object, arguments: Object, count: Int) -> Object:
    """Run nodes until the heap is empty or one needs Python; this is the entry point."""
    header: Words = owner.data
    none: Object = header[NONE]
    heap = arguments[HEAP]
    while heap.size > 0:
        node = heap.listed[0].items[1]
        g = python.PyDict_GetItem(arguments[PENDING], node)
        if g is null or node._hooks is not none or python.PySet_Size(arguments[EMPTY]) != 0:
            break
        done = step(node, g, arguments, header)
        if done == 0:
            return null
        if done < 0:
            break
    return shared(none)
