"""The native functions that send covectors on and keep those of leaves (`loop`)."""

from __future__ import annotations

from ....array.large import WORTH_CHAIN
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import lies_as, shared, size_of, tensor_around
from .nodes import fits, holds, is_among, is_needed
from .words import (
    ACQUIRE,
    ADD,
    ALWAYS,
    ARRAY,
    CAPTURES,
    DELIVER,
    FALSE,
    FREED,
    FREES,
    GRAD_NAME,
    HEAP,
    LEAF,
    LEAF_END,
    LIST,
    NEW,
    NEW_NAME,
    NONE,
    OUTPUT,
    PARAMETER,
    PENDING,
    PUSH,
    REHEARSALS,
    RELEASE,
    SEND,
    SHARED,
    SUMMED,
    TENSOR,
    TRUE,
    TUPLE,
    VALUES,
    ZERO,
)  # fmt: skip

#: Of an array's flags.
_WRITEABLE = 0x400


@native
def was_done(found: Object) -> Bool:
    """Give up what a call gave; false where Python has set an error."""
    if found is null:
        return False
    python.Py_DecRef(found)
    return True


@native
def put(node: Object, g: Object, arguments: Object, header: Words) -> Bool:
    """Put a covector and its node into the heap; false where Python has set an error."""
    if python.PyDict_SetItem(arguments[PENDING], node, g) != 0:
        return False
    age = python.PyLong_FromLongLong(-python.PyLong_AsLongLong(node._seq))
    pair = python.PyTuple_New(2)
    if pair is null:
        return False
    pair.items[0] = age
    pair.items[1] = shared(node)
    given = room(2)
    given[0] = arguments[HEAP]
    given[1] = pair
    push: Object = header[PUSH]
    found = python.PyObject_Vectorcall(push, given, 2, null)
    python.Py_DecRef(pair)
    return was_done(found)


@native
def is_last(g: Object, header: Words) -> Bool:
    """Return whether nothing but the pass holds an array that was shared, or its memory."""
    if g.refcount != 2 or (g.flags & _WRITEABLE) == 0:
        return False
    base = g.array_base
    if base is null:
        return True
    if base.type is not header[ARRAY]:
        return False
    return (base.array_base is null) & (base.refcount == 1) & (size_of(g) == size_of(base))


@native
def keep(node: Object, g: Object, arguments: Object, header: Words) -> Bool:
    """Keep an array as the gradient of a leaf that has none; false where Python is to look."""
    leaf = node.variable
    if leaf.type is not header[TENSOR] and leaf.type is not header[PARAMETER]:
        return False
    if leaf.value.type is not header[ARRAY] or leaf.node is not header[LEAF]:
        return False
    rehearsals: Object = header[REHEARSALS]
    if python.PyDict_Size(rehearsals) != 0 or not lies_as(g, leaf.value):
        return False
    if python.PyDict_GetItem(arguments[SHARED], node) is g and not is_last(g, header):
        return False
    none: Object = header[NONE]
    kind: Object = header[TENSOR]
    zero: Object = header[ZERO]
    grad = tensor_around(shared(g), none, kind, none, zero)
    if grad is null:
        python.PyErr_Clear()
        return False
    kept = store_grad(leaf, grad, header)
    python.Py_DecRef(grad)
    return kept


@native
def store_grad(leaf: Object, grad: Object, header: Words) -> Bool:
    """Store a gradient under the lock if there is none; false where there is, or another holds the lock."""
    acquire: Object = header[ACQUIRE]
    release: Object = header[RELEASE]
    name: Object = header[GRAD_NAME]
    false: Object = header[FALSE]
    locked = python.PyObject_CallOneArg(acquire, false)
    python.Py_DecRef(locked)
    if locked is not header[TRUE]:
        return False
    before = python.PyObject_GetAttr(leaf, name)
    is_stored = before is header[NONE] and python.PyObject_SetAttr(leaf, name, grad) == 0
    python.Py_DecRef(python.PyObject_CallNoArgs(release))
    python.Py_DecRef(before)
    return is_stored


@native
def add(node: Object, before: Object, grad: Object, arguments: Object, header: Words) -> Bool:
    """Add a covector to the one that waits at a node; false where Python has set an error."""
    plus: Object = header[ADD]
    given = room(3)
    given[0] = before
    given[1] = grad
    if python.PySet_Contains(arguments[SUMMED], node) == 1 and lies_as(before, grad):
        given[2] = before
        return was_done(python.PyObject_Vectorcall(plus, given, 3, null))
    new: Object = header[NEW]
    name: Object = header[NEW_NAME]
    given[2] = new
    total = python.PyObject_Vectorcall(plus, given, 2, name)
    if total is null:
        return False
    wrong = python.PyDict_SetItem(arguments[PENDING], node, total)
    wrong_too = python.PySet_Add(arguments[SUMMED], node)
    python.Py_DecRef(total)
    return (wrong | wrong_too) == 0


@native
def send_one(edge: Object, grad: Object, g: Object, saved: Object, arguments: Object, header: Words) -> Bool:
    """Send a covector along an edge, by `send` if there is anything to ask; false on an error of Python."""
    sent = send_plain(edge, grad, g, saved, arguments, header)
    if sent >= 0:
        return sent == 1
    given = room(4)
    given[0] = edge
    given[1] = grad
    given[2] = g
    given[3] = saved
    return was_done(python.PyObject_Vectorcall(arguments[SEND], given, 4, null))


@native
def send_plain(edge: Object, grad: Object, g: Object, saved: Object, arguments: Object, header: Words) -> Int:
    """Send a covector along an edge where nothing is to be asked: 1, 0 where Python has set an error, -1
    where that is to be done by `send`.
    """
    is_array = grad.type is header[ARRAY]
    array = grad.value if grad.type is header[TENSOR] else grad
    if array.type is not header[ARRAY]:
        return -1
    is_output = edge.type is header[OUTPUT]
    node = edge.items[0] if is_output else edge
    which = python.PyLong_AsLongLong(edge.items[1]) if is_output else 0
    shape = node._shape.items[which] if is_output else node._shape
    dtype = node._dtype.items[which] if is_output else node._dtype
    if not fits(array, shape, dtype) or node._seq is null:
        return -1
    # A leaf that may be due at once.
    if edge.type is header[LEAF_END] and (node._hooks is not header[NONE] or size_of(array) >= WORTH_CHAIN):
        return -1
    before = python.PyDict_GetItem(arguments[PENDING], node)
    if is_output:
        return send_to_output(node, which, grad, before, arguments, header)
    if before is not null:
        if before.type is not header[ARRAY] or not is_array:
            return -1
        return 1 if add(node, before, grad, arguments, header) else 0
    is_kept = edge.type is header[LEAF_END] and arguments[CAPTURES] is header[NONE]
    is_shared = is_array and is_kept and (grad is g or grad.array_base is not null or is_among(grad, saved))
    if is_shared and python.PyDict_SetItem(arguments[SHARED], edge, grad) != 0:
        return 0
    return 1 if put(edge, grad, arguments, header) else 0


@native
def send_to_output(
    node: Object, which: Int, grad: Object, before: Object, arguments: Object, header: Words
) -> Int:
    """Do `send_plain` for one output of a node that has several."""
    none: Object = header[NONE]
    waiting = before
    if before is null:
        count = node._shape.size
        waiting = python.PyList_New(count)
        if waiting is null:
            return 0
        for n in range(count):
            waiting.listed[n] = shared(none)
        could = put(node, waiting, arguments, header)
        python.Py_DecRef(waiting)
        if not could:
            return 0
    elif before.type is not header[LIST]:
        return -1
    if waiting.listed[which] is not none:
        return -1
    waiting.listed[which] = shared(grad)
    python.Py_DecRef(none)
    return 1


@native
def deliver(node: Object, g: Object, grads: Object, record: Words, arguments: Object, header: Words) -> Bool:
    """Free what a node saved and send its covectors along its edges; false where Python has set an error."""
    none: Object = header[NONE]
    edges = node._edges
    count = edges.size
    is_plain = grads.type is header[TUPLE] and grads.size == count
    if is_plain:
        for n in range(count):
            if grads.items[n] is none and is_needed(edges.items[n], arguments, header):
                is_plain = False
    if not is_plain:
        given = room(3)
        given[0] = node
        given[1] = g
        given[2] = grads
        return was_done(python.PyObject_Vectorcall(arguments[DELIVER], given, 3, null))
    saved = shared(node._saved)
    freed = arguments[FREED]
    is_freed = freed is not none and record[FREES] != 0
    if is_freed and (record[ALWAYS] != 0 or holds(saved, record[VALUES], none)):
        node._saved = shared(freed)
        python.Py_DecRef(saved)
    sent = True
    for k in range(count):
        if is_needed(edges.items[k], arguments, header):
            sent = send_one(edges.items[k], grads.items[k], g, saved, arguments, header)
            if not sent:
                break
    python.Py_DecRef(saved)
    return sent
