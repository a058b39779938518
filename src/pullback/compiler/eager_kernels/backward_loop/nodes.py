"""The native functions that pull a covector back at a node (`loop`)."""

from __future__ import annotations

from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import shared
from .words import (
    AGE,
    AGE_NAME,
    ARRAY,
    BACKWARD,
    BACKWARD_GRAPH,
    CAPTURES,
    COMPLEX,
    COUNT,
    DOUBLE,
    DOUBLE_PAIR,
    FALSE,
    INT,
    LIST,
    NEEDED,
    NONE,
    OUTPUT,
    PARTED,
    PLACES,
    RECORDED,
    RULE,
    RULES,
    SET,
    SINGLE,
    SINGLE_PAIR,
    SORTED,
    TUPLE,
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
def leads_on(node: Object, arguments: Object, header: Words) -> Bool:
    """Return whether a covector is to be sent along any edge of a node."""
    edges = node._edges
    for n in range(edges.size):
        if is_needed(edges.items[n], arguments, header):
            return True
    return False


@native
def capture(g: Object, places: Object, arguments: Object, header: Words) -> Bool:
    """Put a covector where one was asked for; false where Python is to do that."""
    none: Object = header[NONE]
    results = arguments[CAPTURES]
    if results is none or places is none or g.type is header[LIST]:
        return False
    for n in range(places.size):
        if results.listed[python.PyLong_AsLongLong(places.listed[n].items[1])] is not none:
            return False
    for n in range(places.size):
        results.listed[python.PyLong_AsLongLong(places.listed[n].items[1])] = shared(g)
        python.Py_DecRef(none)
    return True


@native
def pull(node: Object, g: Object, record: Words, arguments: Object, header: Words) -> Object:
    """Return covectors of a node's inputs, by its rules or `backward`, recorded ones by `backward_graph`."""
    has_rules = g.type is header[ARRAY] and record[COUNT] == node._edges.size
    takes = has_rules and (g.dtype is header[SINGLE] or g.dtype is header[DOUBLE])
    if has_rules and record[COMPLEX] != 0:
        takes = takes or g.dtype is header[SINGLE_PAIR] or g.dtype is header[DOUBLE_PAIR]
    if takes and fresh(node._saved, record[VALUES], header):
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


@native
def target_of(edge: Object, header: Words) -> Object:
    """Return the node that an edge leads to; null where there is none, or each of its outputs has its own."""
    if edge is header[NONE]:
        return null
    if edge.type is not header[OUTPUT]:
        return edge
    node = edge.items[0]
    name: Object = header[PARTED]
    parted = python.PyObject_GetAttr(node, name)
    python.Py_DecRef(parted)
    return node if parted is header[FALSE] else null


@native
def follow(user: Object, users: Object, seen: Object, targets: Object, oldest: Int, header: Words) -> Int:
    """Note the nodes that a node leads to: return 1 if there are any or it is a target itself, 0 if not, -1
    where Python is to look, -2 where Python has set an error.
    """
    edges = user._edges
    if edges is null or edges.type is not header[TUPLE]:
        return -1
    leads = 1 if python.PyDict_GetItem(targets, user) is not null else 0
    for n in range(edges.size):
        edge = edges.items[n]
        node = target_of(edge, header)
        if node is null:
            if edge is not header[NONE]:
                return -1
        elif node._seq is null:
            return -1
        elif python.PyLong_AsLongLong(node._seq) >= oldest:
            leads = 1
            if python.PySet_Contains(seen, node) == 0 and (
                python.PySet_Add(seen, node) != 0 or python.PyList_Append(users, node) != 0
            ):
                return -2
    return leads


@native
def leading(users: Object, targets: Object, header: Words) -> Object:
    """Return the set of those nodes, which come oldest first, that lead to a target; null on an error."""
    kind: Object = header[SET]
    needed = python.PyObject_CallNoArgs(kind)
    if needed is null:
        return null
    for n in range(users.size):
        user = users.listed[n]
        leads = python.PyDict_GetItem(targets, user) is not null
        edges = user._edges
        for k in range(edges.size):
            if leads:
                break
            node = target_of(edges.items[k], header)
            leads = node is not null and python.PySet_Contains(needed, node) == 1
        if leads and python.PySet_Add(needed, user) != 0:
            python.Py_DecRef(needed)
            return null
    return needed


@native
def age_of_oldest(nodes: Object, header: Words) -> Int:
    """Return the least number of nodes, which are the keys of a dict; -1 where one has none."""
    position: Words = room(1)
    node: Object = room(1)
    position[0] = 0
    oldest = 1 << 62
    while python.PyDict_Next(nodes, position, node, null) != 0:
        number = node[0]._seq
        if number is null:
            return -1
        age = python.PyLong_AsLongLong(number)
        oldest = age if age < oldest else oldest
    return oldest


@native
def select(owner: Object, arguments: Object, count: Int) -> Object:
    """Return the nodes behind some roots from which a target can be reached, or None where Python is to look:
    what `core.backward_task.needed_nodes` does.
    """
    header: Words = owner.data
    none: Object = header[NONE]
    targets = arguments[1]
    oldest = age_of_oldest(targets, header)
    if oldest < 0:
        return shared(none)
    set_type: Object = header[SET]
    list_type: Object = header[LIST]
    seen = python.PyObject_CallOneArg(set_type, arguments[0])
    if seen is null:
        return null
    users = python.PyObject_CallOneArg(list_type, seen)
    if users is null:
        python.Py_DecRef(seen)
        return null
    every = 1
    n = 0
    while n < users.size and every >= 0:
        leads = follow(users.listed[n], users, seen, targets, oldest, header)
        every = leads if leads < every else every
        n = n + 1
    found = seen
    if every < 1:
        python.Py_DecRef(seen)
        found = null if every == -2 else shared(none)
    if every == 0:
        # From some the way ends elsewhere. A node is younger than its inputs.
        python.Py_DecRef(none)
        sort: Object = header[SORTED]
        given = room(2)
        given[0] = users
        given[1] = header[AGE]
        name: Object = header[AGE_NAME]
        ordered = python.PyObject_Vectorcall(sort, given, 1, name)
        python.Py_DecRef(users)
        users = ordered
        found = null if ordered is null else leading(ordered, targets, header)
    if users is not null:
        python.Py_DecRef(users)
    return found
