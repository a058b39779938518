"""The native function that is an elementwise op on small arrays, from the call to the tensor that it gives.

Of tensors without a history, and of bare arrays, all of one dtype, it makes the result and runs the op's
chain of NumPy's loops (`array.chains`). `exp` of 8×8 numbers takes 0.25 µs so and 1.1 in Python. Operands
that are not in C order, or that are broadcast, are laid out before (`operands`). For all else it gives
None, and Python does the call.
"""

from __future__ import annotations

import numpy as np

from ....array.chains import MOST, SCALAR, Variant
from ....core import facade
from ...runtime.native_specification import read
from ...runtime.object_layout import Layout
from . import operands

#: Words of a table before those of the chain: the next table, how many arguments, the result's dtype, the
#: types and objects that are compared and made, whether numbers are float32, one such, and the dtype of each
#: argument, 0 for a number; then the bytes of an element of each, whether they may be laid out, and the bytes
#: of one of the result.
_NEXT, _GIVEN, _MADE, _TENSOR, _ARRAY, _NONE, _ZERO, _FLOAT, _INT, _SINGLE, _NUMBER, _KINDS = range(12)
_INPUTS = 4
_SIZES = _KINDS + _INPUTS
_LAYS_OUT = _SIZES + _INPUTS
_MADE_SIZE = _LAYS_OUT + 1
_CHAIN = _MADE_SIZE + 1

#: What an array has to be: at an address that fits its elements; and whether it is in C order.
_ALIGNED, _ORDERED = 0x100, 0x1

#: Python's integers up to here are float32 numbers, and its floats up to there are finite in float32.
_WHOLE, _LARGEST = 1 << 24, "3.0e+38"


def head(variant: Variant) -> list[int]:
    """Return the words from the second on that tell a variant of an op."""
    pairs = zip(variant.roles, variant.dtypes, strict=True)
    kinds = [0 if role == SCALAR else id(dtype) for role, dtype in pairs]
    sizes = [dtype.itemsize for dtype in variant.dtypes]
    return [
        len(kinds), id(variant.made), id(facade.Tensor), id(np.ndarray), id(None), id(0), id(float), id(int),
        int(variant.dtypes[-1] == np.float32), 0, *kinds, *(0,) * (_INPUTS - len(kinds)),
        *sizes, *(0,) * (_INPUTS - len(sizes)), int(_may_be_laid_out(variant)),
        variant.made.itemsize,
    ]  # fmt: skip


def _may_be_laid_out(variant: Variant) -> bool:
    """Return whether copies of operands give NumPy's bits and shape. Its power squares where one exponent
    stands for all elements, and what a kernel does not read has no part in the shape of its result.
    """
    read_slots = {operand.slot for step in variant.note.steps for operand in step.operands[:-1]}
    powers = any(step.ufunc in (np.power, np.float_power) for step in variant.note.steps)
    return variant.lays_out and not powers and read_slots >= set(range(len(variant.dtypes)))


def _word(name: str, type_: str, at: int, table: str = "table") -> str:
    return read(name, type_, table, at, "i64")


def _array_of(where: Layout) -> str:
    """Return the function that gives the array of a plain tensor, or the array itself; null for others."""
    return f"""
define internal ptr @array_of(ptr %object, i1 %is_tensor, ptr %table) nounwind #0 {{
entry:
{_word("tensor_type", "ptr", _TENSOR)}
{_word("array_type", "ptr", _ARRAY)}
{_word("none", "ptr", _NONE)}
{read("type", "ptr", "object", where.type)}
  br i1 %is_tensor, label %tensor, label %plain
tensor:
  %is_one = icmp eq ptr %type, %tensor_type
  br i1 %is_one, label %inside, label %no
inside:
{read("view", "ptr", "object", where.view)}
{read("node", "ptr", "object", where.node)}
{read("value", "ptr", "object", where.value)}
  %no_view = icmp eq ptr %view, %none
  %no_node = icmp eq ptr %node, %none
  %is_there = icmp ne ptr %value, null
  %fits = and i1 %no_node, %is_there
  br i1 %fits, label %viewed, label %no
viewed:
  br i1 %no_view, label %held, label %based
based:
{read("base", "ptr", "view", where.view_base)}
{read("base_node", "ptr", "base", where.node)}
  %no_base_node = icmp eq ptr %base_node, %none
  br i1 %no_base_node, label %held, label %no
held:
{read("held_type", "ptr", "value", where.type)}
  br label %typed
plain:
  br label %typed
typed:
  %array = phi ptr [ %value, %held ], [ %object, %plain ]
  %kind = phi ptr [ %held_type, %held ], [ %type, %plain ]
  %is_array = icmp eq ptr %kind, %array_type
  br i1 %is_array, label %flagged, label %no
flagged:
{read("flags", "i32", "array", where.flags)}
  %masked = and i32 %flags, {_ALIGNED}
  %is_plain = icmp ne i32 %masked, 0
  br i1 %is_plain, label %yes, label %no
yes:
  ret ptr %array
no:
  ret ptr null
}}"""


def _is_alike(where: Layout) -> str:
    """Return the function that says whether two arrays have one shape."""
    return f"""
define internal i1 @is_alike(ptr %x, ptr %y) nounwind #0 {{
entry:
{read("x_rank", "i32", "x", where.rank)}
{read("y_rank", "i32", "y", where.rank)}
{read("x_shape", "ptr", "x", where.shape)}
{read("y_shape", "ptr", "y", where.shape)}
  %one_rank = icmp eq i32 %x_rank, %y_rank
  %rank = sext i32 %x_rank to i64
  br i1 %one_rank, label %head, label %no
head:
  %d = phi i64 [ 0, %entry ], [ %d1, %body ]
  %more = icmp slt i64 %d, %rank
  br i1 %more, label %body, label %yes
body:
{read("x_size", "i64", "x_shape", "%d", "i64")}
{read("y_size", "i64", "y_shape", "%d", "i64")}
  %d1 = add i64 %d, 1
  %equal = icmp eq i64 %x_size, %y_size
  br i1 %equal, label %head, label %no
yes:
  ret i1 true
no:
  ret i1 false
}}"""


def _number(where: Layout) -> str:
    """Return the function that writes one of Python's numbers into the table; false where it does not fit."""
    return f"""
define internal i1 @number(ptr %object, ptr %table) nounwind #0 {{
entry:
{_word("float_type", "ptr", _FLOAT)}
{_word("int_type", "ptr", _INT)}
{read("type", "ptr", "object", where.type)}
  %is_float = icmp eq ptr %type, %float_type
  %is_int = icmp eq ptr %type, %int_type
  br i1 %is_float, label %floating, label %other
other:
  br i1 %is_int, label %whole, label %no
floating:
{read("float", "double", "object", where.type + 8)}
  br label %read
whole:
  %int = call i64 @pullback_PyLong_AsLongLong(ptr %object)
  %failed = icmp eq i64 %int, -1
  %shifted = add i64 %int, {_WHOLE}
  %within = icmp ult i64 %shifted, {2 * _WHOLE}
  %kept = xor i1 %failed, true
  %usable = and i1 %within, %kept
  br i1 %usable, label %converted, label %cleared
cleared:
  call void @pullback_PyErr_Clear()
  ret i1 false
converted:
  %whole_number = sitofp i64 %int to double
  br label %read
read:
  %value = phi double [ %float, %floating ], [ %whole_number, %converted ]
  %minus = fneg double %value
  %below = fcmp olt double %value, {_LARGEST}
  %above = fcmp olt double %minus, {_LARGEST}
  %finite = and i1 %below, %above
  br i1 %finite, label %store, label %no
store:
  %at = getelementptr i64, ptr %table, i64 {_NUMBER}
{_word("single", "i64", _SINGLE)}
  %is_single = icmp ne i64 %single, 0
  br i1 %is_single, label %short, label %long
short:
  %narrow = fptrunc double %value to float
  store float %narrow, ptr %at
  ret i1 true
long:
  store double %value, ptr %at
  ret i1 true
no:
  ret i1 false
}}"""


def tensor_around(
    where: Layout, name: str = "tensor_around", tensor: int = _TENSOR, none: int = _NONE, zero: int = _ZERO
) -> str:
    """Return the function, under a name, that makes a tensor around an array, which it takes. The type of
    tensors and two objects are at these places of the table.
    """
    return f"""
define internal ptr @{name}(ptr %array, ptr %table) nounwind {{
entry:
{_word("tensor_type", "ptr", tensor)}
{_word("none", "ptr", none)}
{_word("zero", "ptr", zero)}
  %tensor = call ptr @pullback_PyType_GenericAlloc(ptr %tensor_type, i64 0)
  %has_tensor = icmp ne ptr %tensor, null
  br i1 %has_tensor, label %counted, label %dropped
dropped:
  call void @pullback_Py_DecRef(ptr %array)
  ret ptr null
counted:
  %value_ = getelementptr i8, ptr %tensor, i64 {where.value}
  store ptr %array, ptr %value_
  %counter = call ptr @pullback_PyList_New(i64 1)
  %has_counter = icmp ne ptr %counter, null
  br i1 %has_counter, label %full, label %failed
failed:
  call void @pullback_Py_DecRef(ptr %tensor)
  ret ptr null
full:
  call void @pullback_Py_IncRef(ptr %zero)
{read("items", "ptr", "counter", where.list_items)}
  store ptr %zero, ptr %items
  %counter_ = getelementptr i8, ptr %tensor, i64 {where.counter}
  store ptr %counter, ptr %counter_
  call void @pullback_Py_IncRef(ptr %none)
  %node_ = getelementptr i8, ptr %tensor, i64 {where.node}
  store ptr %none, ptr %node_
  call void @pullback_Py_IncRef(ptr %none)
  %view_ = getelementptr i8, ptr %tensor, i64 {where.view}
  store ptr %none, ptr %view_
  ret ptr %tensor
}}"""


def _arguments(where: Layout) -> str:
    """Return the part that takes the arguments as a variant wants them, or goes on to another variant."""
    return f"""\
head:
  %g = phi i64 [ 0, %variant ], [ %g1, %taken ]
  %alike = phi i1 [ true, %variant ], [ %still, %taken ]
  %more = icmp slt i64 %g, %given
  br i1 %more, label %argument, label %gone
argument:
{read("given_one", "ptr", "arguments", "%g", "ptr")}
  %slot = getelementptr ptr, ptr %slots, i64 %g
  %x_at = getelementptr ptr, ptr %xs, i64 %g
  store ptr null, ptr %x_at
  %kind_at = add i64 %g, {_KINDS}
{read("dtype", "ptr", "table", "%kind_at", "i64")}
  %is_number = icmp eq ptr %dtype, null
  br i1 %is_number, label %number, label %array
number:
  %could = call i1 @number(ptr %given_one, ptr %table)
  %number_at = getelementptr i64, ptr %table, i64 {_NUMBER}
  store ptr %number_at, ptr %slot
  br i1 %could, label %taken, label %another
array:
  %x = call ptr @array_of(ptr %given_one, i1 %is_tensor, ptr %table)
  %has_x = icmp ne ptr %x, null
  br i1 %has_x, label %compared, label %another
compared:
{read("x_dtype", "ptr", "x", where.dtype)}
{read("x_data", "ptr", "x", where.data)}
{read("x_flags", "i32", "x", where.flags)}
  store ptr %x_data, ptr %slot
  store ptr %x, ptr %x_at
  %of_dtype = icmp eq ptr %x_dtype, %dtype
  %of_shape = call i1 @is_alike(ptr %first, ptr %x)
  %in_order = and i32 %x_flags, {_ORDERED}
  %is_ordered = icmp ne i32 %in_order, 0
  %is_alike = and i1 %is_ordered, %of_shape
  br i1 %of_dtype, label %taken, label %another
taken:
  %fits_here = phi i1 [ true, %number ], [ %is_alike, %compared ]
  %still = and i1 %alike, %fits_here
  %g1 = add i64 %g, 1
  br label %head
"""


#: The part that lays operands out where they do not lie alike, and makes the result's array.
_RESULT = f"""\
gone:
  br i1 %alike, label %made, label %unlike
unlike:
{_word("lays_out", "i64", _LAYS_OUT)}
  %may_lay_out = icmp ne i64 %lays_out, 0
  br i1 %may_lay_out, label %several, label %no
several:
  %common_rank = call i32 @common(ptr %xs, i64 %given, ptr %sizes, ptr %counts)
  %has_common = icmp sge i32 %common_rank, 0
  %element_sizes = getelementptr i64, ptr %table, i64 {_SIZES}
  br i1 %has_common, label %laying, label %no
laying:
{_word("made_size", "i64", _MADE_SIZE)}
  call void @lay_out(ptr %xs, i64 %given, ptr %sizes, i32 %common_rank, ptr %element_sizes, ptr %slots, \
i64 %made_size, ptr %strides)
  br label %made
made:
  %rank = phi i32 [ %first_rank, %gone ], [ %common_rank, %laying ]
  %shape = phi ptr [ %first_shape, %gone ], [ %sizes, %laying ]
  %made_strides = phi ptr [ null, %gone ], [ %strides, %laying ]
{_word("made_dtype", "ptr", _MADE)}
{_word("array_type", "ptr", _ARRAY)}
  call void @pullback_Py_IncRef(ptr %made_dtype)
  %result = call ptr @pullback_PyArray_NewFromDescr(ptr %array_type, ptr %made_dtype, i32 %rank, ptr %shape, \
ptr %made_strides, ptr null, i32 0, ptr null)
  %has_result = icmp ne ptr %result, null
  br i1 %has_result, label %run, label %failed
failed:
  ret ptr null
"""


def _call(where: Layout, slots: int) -> str:
    """Return the function that is called: it looks for a variant that fits, and makes the
    result by its chain.
    """
    return operands.text(where, _INPUTS) + f"""
define ptr @call(ptr %owner, ptr %arguments, i64 %given) nounwind #0 {{
entry:
  %slots = alloca [{slots} x ptr]
  %counts = alloca [5 x i64]
  %xs = alloca [{_INPUTS} x ptr]
  %sizes = alloca [{operands.AXES} x i64]
  %strides = alloca [{operands.AXES} x i64]
{read("begin", "ptr", "owner", where.data)}
{_word("none", "ptr", _NONE, "begin")}
{_word("tensor_type", "ptr", _TENSOR, "begin")}
  %has_one = icmp sgt i64 %given, 0
  br i1 %has_one, label %typed, label %no
typed:
  %object = load ptr, ptr %arguments
{read("type", "ptr", "object", where.type)}
  %is_tensor = icmp eq ptr %type, %tensor_type
  %first = call ptr @array_of(ptr %object, i1 %is_tensor, ptr %begin)
  %has_array = icmp ne ptr %first, null
  br i1 %has_array, label %measured, label %no
measured:
  call void @count(ptr %first, ptr %counts)
  %all = load i64, ptr %counts
  %less = sub i64 %all, 1
  %is_small = icmp ult i64 %less, {MOST}
  br i1 %is_small, label %variant, label %no
variant:
  %table = phi ptr [ %begin, %measured ], [ %next, %another ]
{_word("wanted", "i64", _GIVEN)}
{_word("dtype0", "ptr", _KINDS)}
{read("own_dtype", "ptr", "first", where.dtype)}
  %right_count = icmp eq i64 %wanted, %given
  %right_dtype = icmp eq ptr %dtype0, %own_dtype
  %right = and i1 %right_count, %right_dtype
{read("first_rank", "i32", "first", where.rank)}
{read("first_shape", "ptr", "first", where.shape)}
  br i1 %right, label %head, label %other
other:
  br label %another
another:
{_word("next", "ptr", _NEXT)}
  %is_last = icmp eq ptr %next, null
  br i1 %is_last, label %no, label %variant
{_arguments(where)}{_RESULT}run:
{read("result_data", "ptr", "result", where.data)}
  %result_slot = getelementptr ptr, ptr %slots, i64 %given
  store ptr %result_data, ptr %result_slot
  %filled = add i64 %given, 1
  %own = getelementptr i64, ptr %table, i64 {_CHAIN}
  call void @walk(ptr %own, ptr %slots, i64 %filled, ptr %counts)
  br i1 %is_tensor, label %wrapped, label %bare
wrapped:
  %tensor = call ptr @tensor_around(ptr %result, ptr %table)
  ret ptr %tensor
bare:
  ret ptr %result
no:
  call void @pullback_Py_IncRef(ptr %none)
  ret ptr %none
}}"""


def text(where: Layout, slots: int) -> str:
    """Return the functions, whose chains have so many slots at most."""
    parts = [part(where) for part in (_array_of, _is_alike, _number, tensor_around)]
    return "\n".join([*parts, _call(where, slots)])
