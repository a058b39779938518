"""The native functions that pull a covector back at a node (`loop`)."""

from __future__ import annotations

from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import shared
from .words import (
    ARRAY,
    BACKWARD,
    BACKWARD_GRAPH,
    COUNT,
    DOUBLE,
    INT,
    LIST,
    NEEDED,
    NONE,
    OUTPUT,
    PLACES,
    RECORDED,
    RULE,
    RULES,
    SINGLE,
    VALUES,
)  # fmt: skip


@native
def fits(array: Object, own_shape: Object, own_dtype: Object) -> Bool:
    """Return whether an array has a shape, which is a tuple, and a dtype."""
    rank = array.rank
    if array.dtype is not own_dtype or rank != own_shape.size:
        return False
    for d in range(rank):
        if array.shape[d] != python.PyLong_AsLongLong(own_shape.items[d]):
            return False
    return True


@native
def fresh(saved: Object, values: Int, header: Words) -> Bool:
    """Return whether no saved value was written to, as far as one look tells."""
    if saved.size < 3 * values:
        return False
    for n in range(values):
        counter = saved.items[3 * n + 1]
        version = saved.items[3 * n + 2]
        if counter.type is not header[LIST] or version.type is not header[INT]:
            return False
        if counter.listed[0] is not version:
            return False
    return True


@native
def holds(saved: Object, values: Int, none: Object) -> Bool:
    """Return whether a node has saved any value."""
    for n in range(values):
        if 3 * n >= saved.size:
            return False
        if saved.items[3 * n] is not none:
            return True
    return False


@native
def is_among(value: Object, saved: Object) -> Bool:
    """Return whether a value is one of those that were saved."""
    for n in range(saved.size):
        if saved.items[n] is value:
            return True
    return False


@native
def is_needed(edge: Object, arguments: Object, header: Words) -> Bool:
    """Return whether a covector is to be sent along an edge."""
    none: Object = header[NONE]
    needed = arguments[NEEDED]
    if edge is none or needed is none:
        return edge is not none
    node = edge.items[0] if edge.type is header[OUTPUT] else edge
    return python.PySet_Contains(needed, node) == 1


@native
def pull(node: Object, g: Object, record: Words, arguments: Object, header: Words) -> Object:
    """Return covectors of a node's inputs, by its rules or `backward`, recorded ones by `backward_graph`."""
    has_rules = g.type is header[ARRAY] and record[COUNT] == node._edges.size
    is_real = has_rules and (g.dtype is header[SINGLE] or g.dtype is header[DOUBLE])
    if is_real and fresh(node._saved, record[VALUES], header):
        return pull_by_rules(node, g, record, arguments, header)
    given = room(3)
    given[0] = node
    given[1] = g
    given[2] = arguments[NEEDED]
    if arguments[RECORDED] is not header[NONE]:
        graph: Object = record[BACKWARD_GRAPH]
        return python.PyObject_Vectorcall(graph, given, 3, null)
    backward: Object = record[BACKWARD]
    return python.PyObject_Vectorcall(backward, given, 2, null)


@native
def pull_by_rules(node: Object, g: Object, record: Words, arguments: Object, header: Words) -> Object:
    """Return the covectors that the rules give, which are called one after another."""
    none: Object = header[NONE]
    saved = node._saved
    count = record[COUNT]
    grads = python.PyTuple_New(count)
    if grads is null:
        return null
    python.Py_IncRef(saved)
    for k in range(count):
        own = record + k * RULE + RULES
        leads = own[0] != 0 and is_needed(node._edges.items[k], arguments, header)
        grad = call_rule(own, g, saved, none) if leads else shared(none)
        if grad is null:
            python.Py_DecRef(grads)
            grads = null
            break
        grads.items[k] = grad
    python.Py_DecRef(saved)
    return grads


@native
def call_rule(own: Words, g: Object, saved: Object, none: Object) -> Object:
    """Return what a rule gives, by the native function for small arrays if that takes them."""
    given = room(1 + PLACES)
    given[0] = g
    count = own[2]
    for p in range(count):
        place = own[3 + p]
        item = saved.items[place]
        given[1 + p] = item
    small: Object = own[1]
    if small is not null:
        found = python.PyObject_Vectorcall(small, given, 1 + count, null)
        if found is not none:
            return found
        python.Py_DecRef(none)
    rule: Object = own[0]
    return python.PyObject_Vectorcall(rule, given, 1 + count, null)
