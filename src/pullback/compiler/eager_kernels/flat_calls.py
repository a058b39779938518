"""The native function that runs a loop over flat arrays, or over rows, from the arrays that it is given to
its results.

Python takes 8 µs to look at arrays in C order, to make a result and to call a loop by its address, and the
loop of an activation 3 for 16,384 float32. For arrays that it does not take, and for work that threads are to
share, the function gives None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import chains
from ..emit.restricted_python import Bool, Int, Object, Words, native, null, python, room, run
from ..passes import parallel_rows
from ..runtime.python_objects import give_up, is_alike, shared, size_of

#: Nanoseconds that a native call saves.
_SAVED = 8000
#: Words of the table: the type of arrays, None, the part's function, how many arrays it reads and writes, how
#: many of the first are of the others' shape, how many elements those have at most, how many rows the loop
#: has for each, how many parameters, and which array's first axis counts rows, `_FLAT` where the loop goes
#: over elements; then the dtypes of all arrays, which of them parameters are, and the shapes of what is made.
_ARRAY, _NONE, _PART, _INPUTS, _OUTPUTS, _ALIKE, _MOST, _EACH, _PARAMETERS, _LEAD, _DTYPES = range(11)
#: Arrays, and axes of what is made, at most.
_ARRAYS, _AXES = 12, 4
_ORDER = _DTYPES + _ARRAYS
_SHAPES = _ORDER + _ARRAYS
_FLAT = _ARRAYS
#: Says in a shape that it is how many rows there are.
ROWS = -1
#: What an array has to be: in C order, and at an address that fits its elements.
_FITTING = 0x1 | 0x100


class FlatCall:
    """A loop over flat arrays as a function that is native as soon as this pays.

    `part` is the address of a part's function (`jobs`); `inputs` and `outputs` are the dtypes of the arrays
    that it reads and writes, and `order` tells which of all these each of its parameters is. An element takes
    `work` nanoseconds, and `each` rows of the loop. The last `others` inputs are of another shape than the
    rest. The input `lead` has a row at each place of its first axis: `work` and `each` are then of a row, and
    shapes of inputs are not looked at, but `shapes` are those of the outputs, with `ROWS` for how many rows
    there are.
    """

    def __init__(
        self, part: int, inputs: Sequence[np.dtype[Any]], outputs: Sequence[np.dtype[Any]],
        order: Sequence[int], work: float, each: int = 1, others: int = 0, lead: int = _FLAT,
        shapes: Sequence[tuple[int, ...]] = (),
    ) -> None:  # fmt: skip
        kinds = [id(dtype) for dtype in (*inputs, *outputs)]
        self._call: Callable[..., Any] | None = None
        if len(kinds) > _ARRAYS or len(order) > _ARRAYS or any(len(shape) > _AXES for shape in shapes):
            self._call = _refuse
            return
        most = int((parallel_rows.WORTH - 1) / work)
        alike = len(inputs) - others if lead == _FLAT else 0
        words = [id(ndarray), id(None), part, len(inputs), len(outputs), alike, most, each, len(order), lead]
        for part_of_table in (kinds, order):
            words += [*part_of_table, *(0,) * (_ARRAYS - len(part_of_table))]
        for shape in shapes:
            words += [len(shape), *shape, *(0,) * (_AXES - len(shape))]
        self._table = np.array(words, np.int64)

    def __call__(self, *arrays: ndarray) -> tuple[ndarray, ...] | None:
        """Return what the loop writes, which may be given behind the inputs; None where it was not called."""
        if self._call is None:
            source = chains.native(_SAVED)
            if source is None:
                return None
            self._call = source.flat(self._table) or _refuse
        found: tuple[ndarray, ...] | None = self._call(*arrays)
        return found


def _refuse(*arrays: ndarray) -> None:
    """Take no arrays."""


@native
def all_fit(arguments: Object, given: Int, table: Words) -> Bool:
    """Return whether arrays are those that the loop takes, in C order and of one shape."""
    kind: Object = table[_ARRAY]
    alike = table[_ALIKE]
    inputs = table[_INPUTS]
    for k in range(given):
        x = arguments[k]
        dtype: Object = table[_DTYPES + k]
        if x.type is not kind or x.dtype is not dtype:
            return False
        if (x.flags & _FITTING) != _FITTING:
            return False
        if (k < alike or k >= inputs) and not is_alike(arguments[0], x):
            return False
    return True


@native
def made(arguments: Object, table: Words, r: Int) -> Object:
    """Return a new array for what the loop writes; null where memory is missing."""
    kind: Object = table[_ARRAY]
    dtype: Object = table[_DTYPES + table[_INPUTS] + r]
    python.Py_IncRef(dtype)
    lead = table[_LEAD]
    if lead == _FLAT:
        first = arguments[0]
        return python.PyArray_NewFromDescr(kind, dtype, first.rank, first.shape, null, null, 0, null)
    at = _SHAPES + r * (1 + _AXES)
    shape = room(_AXES)
    for d in range(table[at]):
        shape[d] = table[at + 1 + d]
        if shape[d] == ROWS:
            rows = arguments[lead].shape
            shape[d] = rows[0]
    return python.PyArray_NewFromDescr(kind, dtype, table[at], shape, null, null, 0, null)


@native
def call_flat(owner: Object, arguments: Object, given: Int) -> Object:
    """Return a tuple of the arrays that the loop writes, which may be given behind those that it reads; None
    where it does not take them, null where memory is missing.
    """
    table: Words = owner.data
    none: Object = table[_NONE]
    inputs = table[_INPUTS]
    outputs = table[_OUTPUTS]
    if (given != inputs and given != inputs + outputs) or not all_fit(arguments, given, table):
        return shared(none)
    lead = table[_LEAD]
    if lead == _FLAT:
        size = size_of(arguments[0])
    else:
        size = arguments[lead].shape[0]
    if not 0 < size <= table[_MOST]:
        return shared(none)
    results = room(_ARRAYS)
    memories = room(_ARRAYS)
    for k in range(inputs):
        memories[k] = arguments[k].data
    for r in range(outputs):
        if given > inputs:
            array = shared(arguments[inputs + r])
        else:
            array = made(arguments, table, r)
            if array is null:
                give_up(results, r)
                return null
        results[r] = array
        memories[inputs + r] = array.data
    context = room(2 + _ARRAYS)
    context[0] = size * table[_EACH]
    context[1] = 1
    for n in range(table[_PARAMETERS]):
        context[2 + n] = memories[table[_ORDER + n]]
    part: Object = table[_PART]
    run(part, context, 0)
    found = python.PyTuple_New(outputs)
    if found is null:
        give_up(results, outputs)
        return null
    for t in range(outputs):
        found.items[t] = results[t]
    return found
