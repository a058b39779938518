"""Make a call's results and count its writes by native functions, with Python's own functions.

An array, the tensor around it and its version counter take 0.1 µs so, and in Python four times that.
"""

from __future__ import annotations

from ..emit.restricted_python import Bool, Int, Object, Words, native, null, python
from .python_objects import shared, tensor_around

#: Words of a record of a result: its dtype, its rank, the address of its shape, the slot in the table of
#: pointers, and the node of the tensor around it; `BARE` leaves it an array.
WORDS = 5
BARE = 0


@native
def make_results(spec: Object) -> Object:
    """Return a new tuple of new results, whose pointers go into the table; null where memory is missing."""
    made = python.PyTuple_New(spec.made)
    if made is null:
        return null
    record = spec.made_at
    for n in range(spec.made):
        dtype: Object = record[0]
        shape: Words = record[2]
        node: Object = record[4]
        python.Py_IncRef(dtype)
        result = python.PyArray_NewFromDescr(spec.array, dtype, record[1], shape, null, null, 0, null)
        if result is not null:
            spec.table[record[3]] = result.data
            if node is not null:
                result = tensor_around(result, node, spec.tensor, spec.none, spec.zero)
        if result is null:
            python.Py_DecRef(made)
            return null
        made.items[n] = result
        record = record + WORDS
    return made


@native
def was_written_at(counter: Object, code: Object, place: Int) -> Bool:
    """Return whether a version counter was last written to from a place."""
    if counter.size != 2:
        return False
    entries = counter.listed
    runs = entries[1]
    if runs.size <= 0:
        return False
    last = runs.listed[runs.size - 1].listed
    if last[2] is not code or python.PyLong_AsLongLong(last[3]) != place:
        return False
    return python.PyLong_AsLongLong(last[1]) == python.PyLong_AsLongLong(entries[0])


@native
def count_write(counter: Object, number: Object) -> Bool:
    """Count one more write from the same place; false where memory is missing."""
    entries = counter.listed
    version = python.PyLong_FromLongLong(python.PyLong_AsLongLong(entries[0]) + 1)
    if version is null:
        return False
    runs = entries[1]
    last = runs.listed[runs.size - 1]
    python.PyList_SetItem(counter, 0, shared(version))
    python.PyList_SetItem(last, 1, version)
    python.PyList_SetItem(last, 4, shared(number))
    return True


@native
def pullback_count(owner: Object, given: Object, arguments: Int) -> Object:
    """Do ``count(counters, code, position, number)``, as `blame.written`; 0 if one was written elsewhere."""
    counters = given[0]
    place = python.PyLong_AsLongLong(given[2])
    count = python.PyTuple_Size(counters)
    for n in range(count):
        if not was_written_at(counters.items[n], given[1], place):
            return python.PyLong_FromLongLong(0)
    for k in range(count):
        if not count_write(counters.items[k], given[3]):
            return null
    return python.PyLong_FromLongLong(1)
