"""The tensors that a call with a plan gives (`table`), as native code makes them."""

from __future__ import annotations

from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python
from ...runtime.native_specification import WRITEABLE
from ...runtime.python_objects import new_tensor, pair_of, shared, tensor_around
from .arguments import (
    AT_ARRAY,
    AT_INFERENCE_VIEW,
    AT_NO_VERSIONS,
    AT_NONE,
    AT_TENSOR,
    AT_VIEW,
    AT_ZERO,
    TENSORS,
)  # fmt: skip
from .nodes import SOURCE, sourced

#: Words of a result: which tensor it is, or a view of which; a view's dtype (else 0), rank, where shape and
#: strides lie, bytes to the first element, its chain where it is one of a base, its creation, where its steps
#: lie with their number before them, and where its history comes from.
_HISTORY = 9
RESULT = _HISTORY + SOURCE


@native
def chained(above: Object, steps: Object) -> Object:
    """Return the chain of a view of a view; null where memory is missing."""
    chain = shared(above)
    count: Int = steps[0]
    for n in range(count):
        chain = pair_of(chain, shared(steps[1 + n]))
        if chain is null:
            return null
    return chain


@native
def recorded(result: Words, parent: Object, header: Words, unrecorded: Object) -> Object:
    """Return the record of a view of an argument, None of an inference tensor, null where memory is missing.
    How views come to be that are `unrecorded` is null where calls are recorded.
    """
    none: Object = header[AT_NONE]
    if parent.counter.type is header[AT_NO_VERSIONS]:
        return shared(none)
    own_chain: Object = result[6]
    own_creation: Object = result[7]
    steps: Object = result[8]
    above = parent.view
    chain = shared(own_chain) if above is none else chained(above.view_chain, steps)
    return record_of(parent, chain, own_creation, header, unrecorded)


@native
def record_of(
    parent: Object, chain: Object, own_creation: Object, header: Words, unrecorded: Object
) -> Object:  # fmt: skip
    """Return the record of a view with a chain, which it takes; null where memory is missing."""
    kind: Object = header[AT_VIEW]
    record = python.PyType_GenericAlloc(kind, 0)
    if record is null or chain is null:
        return null
    above = parent.view
    base = parent
    if above is not header[AT_NONE]:
        base = above.view_base
        if own_creation is header[AT_ZERO]:
            own_creation = above.view_creation  # `views.INHERITED`: a part of several stays one
    record.view_base = shared(base)
    record.view_chain = chain
    record.view_creation = shared(own_creation if unrecorded is null else unrecorded)
    record.view_at = shared(parent.counter.listed[0])
    return record


@native
def seen(
    result: Words, parent: Object, memory: Object, aside: Object, header: Words, unrecorded: Object
) -> Object:
    """Return the tensor that is a view of an argument; null where memory is missing."""
    dtype: Object = result[1]
    shape: Words = result[3]
    strides: Words = result[4]
    record = recorded(result, parent, header, unrecorded)
    history = null if record is null else sourced(result + _HISTORY, aside, header)
    return view_of(parent, memory, dtype, result[2], shape, strides, result[5], record, history, header)


@native
def view_of(
    parent: Object, memory: Object, dtype: Object, rank: Int, shape: Words, strides: Words, offset: Int,
    record: Object, history: Object, header: Words,
) -> Object:  # fmt: skip
    """Return a tensor that sees the memory of another one, and takes its record and its history; null where
    one of them is null, or memory is missing.
    """
    if record is null or history is null:
        return null
    array_type: Object = header[AT_ARRAY]
    kind: Object = header[AT_TENSOR]
    begin = memory.data + offset
    flags = memory.flags & WRITEABLE
    python.Py_IncRef(dtype)
    array = python.PyArray_NewFromDescr(array_type, dtype, rank, shape, strides, begin, flags, null)
    if array is null:
        return null
    python.PyArray_SetBaseObject(array, shared(memory))
    return new_tensor(array, shared(parent.counter), record, history, kind)


@native
def result_at(result: Words, aside: Object, header: Words, unrecorded: Object) -> Object:
    """Return one result, of the tensors and arrays that were put aside."""
    place = result[0] + 1
    if result[1] == 0:
        return shared(aside[place])
    return seen(result, aside[place], aside[TENSORS + place], aside, header, unrecorded)


@native
def put_computed(
    own: Object, count: Int, all_count: Int, aside: Object, header: Words, unrecorded: Object, version: Object
) -> Bool:
    """Put aside what was computed, one array or a tuple, which is taken: tensors of a version around the
    first of them, and the arrays that nodes alone hold; false where memory is short.
    """
    given: Int = aside[0]
    none: Object = header[AT_NONE]
    kind: Object = header[AT_TENSOR]
    for n in range(all_count):
        array = own if all_count == 1 else shared(own.items[n])
        place = given + n + 1
        aside[TENSORS + place] = array
        if n < count:
            tensor = tensor_around(array, none, kind, none, version)
            if tensor is null:
                return False
            aside[place] = tensor
            if unrecorded is header[AT_INFERENCE_VIEW] and not counts_nothing(tensor, header):
                return False
    if all_count != 1:
        python.Py_DecRef(own)
    return True


@native
def counts_nothing(tensor: Object, header: Words) -> Bool:
    """Make a tensor one of inference mode; false where memory is short."""
    kind: Object = header[AT_NO_VERSIONS]
    counter = python.PyType_GenericAlloc(kind, 0)
    if counter is null:
        return False
    python.Py_DecRef(tensor.counter)
    tensor.counter = counter
    return True
