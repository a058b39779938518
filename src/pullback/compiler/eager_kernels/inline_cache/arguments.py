"""The words that tell the arguments of a call with a plan (`table`), and what compares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ....core import facade
from ....core.device import NO_DEVICES, default_devices
from ....core.modes import DEFAULT, INFERENCE, NO_GRAD, modes
from ....core.tracer import running
from ....core.versions import NoVersions
from ....core.views import INFERENCE_VIEW, MULTI_VIEW, NO_GRAD_VIEW, View
from ....tensor.inline_cache import cache
from ....tensor.inline_cache.numbers import Changing
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python
from ...runtime.native_specification import ALIGNED
from ...runtime.python_objects import same_words, shared

#: Words of the table of a function: its first plan, the calls until it is to look at one, and objects.
FIRST, LEFT = 0, 1
#: Methods that get what a context variable holds.
_GETS: tuple[Any, ...] = (modes, running, default_devices)
OBJECTS: tuple[Any, ...] = (
    None, 0, NO_GRAD_VIEW, View, np.ndarray, float, list, tuple, *[get.__self__ for get in _GETS],
    DEFAULT, NO_GRAD, Exception, NO_DEVICES, INFERENCE, INFERENCE_VIEW, NoVersions, MULTI_VIEW,
)  # fmt: skip
(
    AT_NONE, AT_ZERO, AT_NO_GRAD_VIEW, AT_VIEW, AT_ARRAY, AT_FLOAT, AT_LIST, AT_TUPLE, AT_MODES,
    AT_RUNNING, AT_DEVICES, AT_DEFAULT, AT_NO_GRAD, AT_EXCEPTION, AT_NO_DEVICES, AT_INFERENCE,
    AT_INFERENCE_VIEW, AT_NO_VERSIONS, AT_MULTI_VIEW, AT_TENSOR, AT_PARAMETER,
    AT_HOT, AT_LEAF, AT_ACCUMULATOR, AT_OUTPUT, AT_COUNT, AT_GET_FRAME, AT_ONE, AT_OWN_FILE, AT_FALSE,
    AT_USER_FRAME, AT_INT, AT_SLICE, AT_WRITTEN, AT_MOVE, AT_ELLIPSIS, AT_INT64, AT_SELECT, _,
    AT_SELECT_NODE, _,
) = range(2, 43)  # fmt: skip
#: Kinds of arguments: among the tensors those without a history and with one, and those of which that does
#: not matter; how many arguments there are, by place; tensors at most, of which half are given, and nodes.
(_SAME_OBJECT, _SAME_FLOAT, _SAME_INT, _WITHOUT_HISTORY, _SEQUENCE, _ANY_TENSOR, _WITH_HISTORY) = range(7)
_CHANGING = 8
ARGUMENTS, TENSORS, NODES = 4, 2 * cache.TENSORS, 24
#: What is asked of tensors: whether histories matter, whether views of them are made that record, and whether
#: they may be inference tensors.
ASKS_HISTORY, ASKS_VIEW, TAKES_INFERENCE = 1, 2, 4
#: The integers of which Python has one object each.
_LEAST, _MOST = -5, 256


def argument_words(value: Any, words: list[int], kept: list[Any], recorded: Iterator[bool] | None) -> bool:
    """Append the words that tell an argument, and what they are addresses of; whether it can be told.

    `recorded` tells of each tensor whether it has a history; it is None where that does not matter.
    """
    kind = type(value)
    if kind is facade.Tensor or kind is facade.Parameter:
        array = value._value
        tensor = _ANY_TENSOR
        if recorded is not None:
            tensor = _WITH_HISTORY if next(recorded) else _WITHOUT_HISTORY
        words += [tensor, id(array.dtype), array.ndim, *array.shape, *array.strides]
        kept.append(array.dtype)
    elif kind is Changing:
        array = value.tensor._value
        words += [_CHANGING, *np.array(value.alike[:2]).view(np.int64).tolist(), id(array)]
        kept.append(array)
        if recorded is not None:
            next(recorded)
    elif kind is float:
        words += [_SAME_FLOAT, int(np.float64(value).view(np.int64))]
    elif kind is list or kind is tuple:
        words += [_SEQUENCE, id(kind), len(value)]
        return all(argument_words(item, words, kept, recorded) for item in value)
    elif kind is slice:
        words += [_SEQUENCE, id(kind), 3]
        ends = (value.start, value.stop, value.step)
        return all(argument_words(item, words, kept, recorded) for item in ends)
    elif kind is int and not _LEAST <= value <= _MOST:  # many objects stand for the same number
        words += [_SAME_INT, value]
        return -(1 << 63) <= value < 1 << 63
    else:
        words += [_SAME_OBJECT, id(value)]
        kept.append(value)
    return True


@native
def match(thing: Object, told: Words, header: Words, aside: Words, asked: Int) -> Words:
    """Compare an argument with what tells it, and return what tells the next; null where they differ. The
    tensors among the arguments, and their arrays, are put aside.
    """
    kind = told[0]
    if kind == _SAME_OBJECT:
        return told + 2 if thing is told[1] else null
    if kind == _SAME_FLOAT:
        is_same = thing.type is header[AT_FLOAT] and thing.bits == told[1]
        return told + 2 if is_same else null
    if kind == _SAME_INT:
        if thing.type is not header[AT_INT]:
            return null
        if python.PyLong_AsLongLong(thing) == told[1]:
            return told + 2
        python.PyErr_Clear()
        return null
    if kind == _CHANGING:
        return match_number(thing, told, header, aside)
    if kind == _SEQUENCE:
        return match_items(thing, told, header, aside, asked)
    if not holds_array(thing, header, asked):
        return null
    any_history = kind == _ANY_TENSOR or (asked & ASKS_HISTORY) == 0
    if any_history or has_history_as(thing, kind == _WITH_HISTORY, header, asked):
        return match_array(thing, told, aside)
    return null


@native
def match_number(thing: Object, told: Words, header: Words, aside: Words) -> Words:
    """Do `match` for a float that changes: compare its bits with those of two others, and put it aside with
    the array whose dtype `given_array` gives it.
    """
    count = aside[0] + 1
    if count > TENSORS // 2 or thing.type is not header[AT_FLOAT]:
        return null
    if thing.bits < told[1] or thing.bits > told[2]:
        return null
    aside[0] = count
    aside[count] = thing
    aside[TENSORS + count] = told[3]
    return told + 4


@native
def given_array(thing: Object, array: Object, header: Words) -> Object:
    """Return the array of an argument, or for a float one of it that is new; null where memory is missing."""
    if thing.type is not header[AT_FLOAT]:
        return shared(array)
    array_type: Object = header[AT_ARRAY]
    dtype = shared(array.dtype)
    own = python.PyArray_NewFromDescr(array_type, dtype, 0, null, null, null, 0, null)
    if own is not null:
        held: Words = own.data
        held[0] = thing.bits
    return own


@native
def holds_array(tensor: Object, header: Words, asked: Int) -> Bool:
    """Return whether something is a plain tensor around an array; inference tensors only if allowed."""
    if tensor.type is not header[AT_TENSOR] and tensor.type is not header[AT_PARAMETER]:
        return False
    if tensor.value is null or tensor.counter is null:
        return False
    if tensor.value.type is not header[AT_ARRAY]:
        return False
    if tensor.counter.type is header[AT_LIST]:
        return True
    is_inference = (asked & TAKES_INFERENCE) != 0 and tensor.counter.type is header[AT_NO_VERSIONS]
    return is_inference and tensor.view is header[AT_NONE]


@native
def has_history_as(tensor: Object, wanted: Bool, header: Words, asked: Int) -> Bool:
    """Return whether a tensor has a history as it is wanted, and may be seen by another view."""
    none: Object = header[AT_NONE]
    if (tensor.node is not none) != wanted:
        return False
    view = tensor.view
    if view is none:
        return True
    version = tensor.counter.listed[0]
    is_right = (view.view_at is version) if wanted else (view.view_base.node is none)
    creation = view.view_creation
    is_inherited = creation is header[AT_ZERO] or creation is header[AT_MULTI_VIEW]
    return is_right and ((asked & ASKS_VIEW) == 0 or is_inherited)


@native
def match_layout(array: Object, told: Words) -> Words:
    """Compare an array's dtype, shape and strides; return what tells the next argument, or null."""
    rank = array.rank
    if array.dtype is not told[1] or rank != told[2] or (array.flags & ALIGNED) == 0:
        return null
    sizes = told + 3
    if not same_words(array.shape, sizes, rank) or not same_words(array.strides, sizes + rank, rank):
        return null
    return sizes + 2 * rank


@native
def match_array(tensor: Object, told: Words, aside: Words) -> Words:
    """Do `match` for a tensor: compare dtype, shape and strides, and put it aside."""
    array = tensor.value
    following = match_layout(array, told)
    count = aside[0] + 1
    if following is null or count > TENSORS // 2:
        return null
    aside[0] = count
    aside[count] = tensor
    aside[TENSORS + count] = array
    return following


@native
def match_items(sequence: Object, told: Words, header: Words, aside: Words, asked: Int) -> Words:
    """Do `match` for a list, a tuple or a slice, item by item."""
    if sequence.type is not told[1]:
        return null
    items = sequence.ends
    length = 3
    if sequence.type is not header[AT_SLICE]:
        length = sequence.size
        if length != told[2]:
            return null
        items = sequence.listed if sequence.type is header[AT_LIST] else sequence.items
    now = told + 3
    for n in range(length):
        now = match(items[n], now, header, aside, asked)
        if now is null:
            return null
    return now
