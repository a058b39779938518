"""The native function that is an elementwise op on small arrays, from the call to the tensor that it gives.

Of tensors without a history, and of bare arrays, all of one dtype or of two, it makes the result and runs
the op's chain of NumPy's loops (`array.chains`). `exp` of 8×8 numbers takes 0.25 µs so and 1.1 in Python.
Operands that are not in C order, or that are broadcast, are laid out before (`operands`). For all else it
gives None, and Python does the call.
"""

from __future__ import annotations

import numpy as np

from ....array.chain_steps import Variant
from ....array.chains import MOST, MOST_ALONE, SCALAR
from ....array.elementwise import worth_asking
from ....core import facade
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, real, room, store
from ...runtime.python_objects import is_alike, shared, tensor_around
from .operands import AXES, INPUTS, common, lay_out
from .walk import COUNTS, SLOTS, count, walk

#: Words of a table before those of the chain: the next table, how many arguments, the result's dtype, the
#: types and objects that are compared and made, what numbers are (0 for float64, 1 for float32, or
#: `_INTEGER`), one such, and the dtype of each argument, 0 for a number; then the bytes of an element of
#: each, whether they may be laid out, the bytes of one of the result, how many it has at most, and how many
#: axes each array has at least.
_NEXT, _GIVEN, _MADE, _TENSOR, _ARRAY, _NONE, _ZERO, _FLOAT, _INT, _SINGLE, _NUMBER, _KINDS = range(12)
_SIZES = _KINDS + INPUTS
_LAYS_OUT = _SIZES + INPUTS
_MADE_SIZE = _LAYS_OUT + 1
_LARGEST_SIZE = _MADE_SIZE + 1
_LEAST_RANK = _LARGEST_SIZE + 1
_CHAIN = _LEAST_RANK + 1

#: What an array has to be: at an address that fits its elements; and whether it is in C order.
_ALIGNED, _ORDERED = 0x100, 0x1

#: Python's integers up to here are float32 numbers, and its floats up to there are finite in float32.
_WHOLE, _LARGEST = 1 << 24, 3.0e38
#: What a table says of numbers that are integers of 64 bits.
_INTEGER = 2


def head(variant: Variant) -> list[int]:
    """Return the words from the second on that tell a variant of an op."""
    pairs = zip(variant.roles, variant.dtypes, strict=True)
    kinds = [0 if role == SCALAR else id(dtype) for role, dtype in pairs]
    sizes, last = [dtype.itemsize for dtype in variant.dtypes], variant.dtypes[-1]
    return [
        len(kinds), id(variant.made), id(facade.Tensor), id(np.ndarray), id(None), id(0), id(float), id(int),
        _INTEGER if last.kind == "i" else int(last == np.float32), 0, *kinds, *(0,) * (INPUTS - len(kinds)),
        *sizes, *(0,) * (INPUTS - len(sizes)), int(_may_be_laid_out(variant)),
        variant.made.itemsize, largest(variant), least_rank(variant),
    ]  # fmt: skip


def least_rank(variant: Variant) -> int:
    """Return how many axes each array has at least: without any it has no say beside others of its kind."""
    return int(len({*variant.dtypes}) > len({dtype.kind for dtype in variant.dtypes}))


#: What gives the same bits whichever loop computes it. Broadcasts of 10⁴ float32 take 16 µs in Python, where
#: NumPy calls a loop for each row, and torch 3 to 6.
_EXACT = (
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute, np.square, np.sqrt, np.maximum,
    np.minimum, np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, "choose",
)  # fmt: skip


def largest(variant: Variant) -> int:
    """Return how many elements a variant's result has at most."""
    steps, result = variant.note.steps, len(variant.roles)
    # The slots of what only the chain sees come after that of the result.
    alone = len(steps) == 1 and all(o.slot <= result for o in steps[0].operands)
    if alone and steps[0].ufunc in _EXACT:
        return MOST_ALONE
    # Of more of what is slow a native loop is asked for, which gives other bits.
    return min(MOST, *(worth_asking(step.ufunc) - 1 for step in steps))


def _may_be_laid_out(variant: Variant) -> bool:
    """Return whether copies of operands give NumPy's bits and shape. Its power squares where one exponent
    stands for all elements, and what a kernel does not read has no part in the shape of its result.
    """
    read_slots = {operand.slot for step in variant.note.steps for operand in step.operands[:-1]}
    powers = any(step.ufunc in (np.power, np.float_power) for step in variant.note.steps)
    return variant.lays_out and not powers and read_slots >= set(range(len(variant.dtypes)))


@native
def array_of(thing: Object, is_tensor: Bool, table: Words) -> Object:
    """Return the array of a plain tensor, or the array itself; null for others."""
    array = thing
    if is_tensor:
        none: Object = table[_NONE]
        if thing.type is not table[_TENSOR] or thing.node is not none:
            return null
        if thing.view is not none and thing.view.view_base.node is not none:
            return null
        array = thing.value
        if array is null:
            return null
    if array.type is not table[_ARRAY] or (array.flags & _ALIGNED) == 0:
        return null
    return array


@native
def put_number(thing: Object, table: Words) -> Bool:
    """Write one of Python's numbers into the table; false where it does not fit."""
    value = 0.0
    if table[_SINGLE] == _INTEGER:
        if thing.type is not table[_INT]:
            return False
        table[_NUMBER] = python.PyLong_AsLongLong(thing)
        if table[_NUMBER] == -1 and python.PyErr_Occurred() is not null:
            python.PyErr_Clear()
            return False
        return True
    if thing.type is table[_FLOAT]:
        value = thing.number
    elif thing.type is table[_INT]:
        whole = python.PyLong_AsLongLong(thing)
        if whole == -1 or not -_WHOLE <= whole < _WHOLE:
            python.PyErr_Clear()
            return False
        value = real(whole)
    else:
        return False
    if not -_LARGEST < value < _LARGEST:
        return False
    if table[_SINGLE] != 0:
        store(table + _NUMBER, 32, value)
    else:
        store(table + _NUMBER, 64, value)
    return True


@native
def take_operands(
    arguments: Object, given: Int, first: Object, is_tensor: Bool, table: Words, slots: Object, xs: Object
) -> Int:
    """Write where operands lie: 1 if they lie alike, 0 if not, -1 where the variant does not take them."""
    alike = 1
    for g in range(given):
        dtype: Object = table[_KINDS + g]
        if dtype is null:
            xs[g] = null
            slots[g] = table + _NUMBER
            if not put_number(arguments[g], table):
                return -1
        else:
            x = array_of(arguments[g], is_tensor, table)
            if x is null or x.dtype is not dtype or x.rank < table[_LEAST_RANK]:
                return -1
            xs[g] = x
            slots[g] = x.data
            if (x.flags & _ORDERED) == 0 or not is_alike(first, x):
                alike = 0
    return alike


@native
def result_of(
    first: Object, alike: Bool, given: Int, table: Words, slots: Object, xs: Object, counts: Words
) -> Object:
    """Make the result by a variant's chain; operands that do not lie alike are laid out. None where they
    cannot be; null where memory is missing.
    """
    sizes = room(AXES)
    made_strides = room(AXES)
    rank = first.rank
    shape: Words = first.shape
    strides: Words = null
    if not alike:
        none: Object = table[_NONE]
        if table[_LAYS_OUT] == 0:
            return shared(none)
        rank = common(xs, given, sizes, counts, table[_LARGEST_SIZE])
        if rank < 0:
            return shared(none)
        lay_out(xs, given, sizes, rank, table + _SIZES, slots, table[_MADE_SIZE], made_strides)
        shape = sizes
        strides = made_strides
    dtype: Object = table[_MADE]
    kind: Object = table[_ARRAY]
    python.Py_IncRef(dtype)
    result = python.PyArray_NewFromDescr(kind, dtype, rank, shape, strides, null, 0, null)
    if result is not null:
        slots[given] = result.data
        walk(table + _CHAIN, slots, given + 1, counts)
    return result


@native
def call_op(owner: Object, arguments: Object, given: Int) -> Object:
    """Look for a variant that takes the arguments, and make its result; None where there is none."""
    table: Words = owner.data
    none: Object = table[_NONE]
    if given == 0:
        return shared(none)
    is_tensor = arguments[0].type is table[_TENSOR]
    first = array_of(arguments[0], is_tensor, table)
    if first is null:
        return shared(none)
    counts = room(COUNTS)
    count(first, counts)
    if not 0 < counts[0] <= MOST_ALONE:
        return shared(none)
    slots = room(SLOTS)
    xs = room(INPUTS)
    while table is not null:
        alike = -1
        if table[_GIVEN] == given and first.dtype is table[_KINDS] and counts[0] <= table[_LARGEST_SIZE]:
            alike = take_operands(arguments, given, first, is_tensor, table, slots, xs)
        if alike >= 0:
            result = result_of(first, alike == 1, given, table, slots, xs, counts)
            if not is_tensor or result is null or result is none:
                return result
            kind: Object = table[_TENSOR]
            zero: Object = table[_ZERO]
            return tensor_around(result, none, kind, none, zero)
        following: Words = table[_NEXT]
        table = following
    return shared(none)
