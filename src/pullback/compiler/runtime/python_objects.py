"""Native functions on Python's objects that several kinds of calls need: arrays, and tensors around them."""

from __future__ import annotations

from ..emit.restricted_python import (
    Bool,
    Bytes,
    Int,
    Object,
    Words,
    apart,
    load,
    native,
    null,
    python,
    store,
)  # fmt: skip


@native
def size_of(array: Object) -> Int:
    """Return how many elements an array has."""
    size = 1
    shape = array.shape
    for d in range(array.rank):
        size = size * shape[d]
    return size


@native
def same_words(x: Words, y: Words, count: Int) -> Bool:
    """Return whether so many words are the same."""
    for n in range(count):
        if x[n] != y[n]:
            return False
    return True


@native
def is_alike(array: Object, other: Object) -> Bool:
    """Return whether two arrays have one shape."""
    return array.rank == other.rank and same_words(array.shape, other.shape, array.rank)


@native
def lies_as(array: Object, other: Object) -> Bool:
    """Return whether two arrays have the same strides."""
    return array.rank == other.rank and same_words(array.strides, other.strides, array.rank)


@native
def shared(thing: Object) -> Object:
    """Return a reference of one's own."""
    python.Py_IncRef(thing)
    return thing


@native
def give_up(things: Object, count: Int) -> None:
    """Give up references to things that were made."""
    for n in range(count):
        python.Py_DecRef(things[n])


@native
def new_tensor(array: Object, counter: Object, view: Object, node: Object, kind: Object) -> Object:
    """Return a new tensor, which takes what it is given; null where memory is missing."""
    tensor = python.PyType_GenericAlloc(kind, 0)
    if tensor is not null:
        tensor.value = array
        tensor.counter = counter
        tensor.view = view
        tensor.node = node
    return tensor


@native
def tensor_around(array: Object, node: Object, kind: Object, none: Object, zero: Object) -> Object:
    """Return a new tensor around an array, which it takes, with a history; null without memory."""
    counter = python.PyList_New(1)
    if counter is null:
        python.Py_DecRef(array)
        return null
    counter.listed[0] = shared(zero)
    tensor = new_tensor(array, counter, shared(none), shared(node), kind)
    if tensor is null:
        python.Py_DecRef(array)
        python.Py_DecRef(counter)
    return tensor


@native
def pair_of(first: Object, second: Object) -> Object:
    """Return a new tuple, which takes both; null where memory is missing."""
    pair = python.PyTuple_New(2)
    if pair is not null:
        pair.items[0] = first
        pair.items[1] = second
    return pair


@native
def copy_element(to: Bytes, source: Bytes, width: Int) -> None:
    """Copy an element of 1, 2, 4, 8 or 16 bytes."""
    if width == 4:
        store(to, 32, load(source, 32))
    elif width == 8:
        store(to, 64, load(source, 64))
    elif width == 2:
        store(to, 16, load(source, 16))
    elif width == 1:
        store(to, 8, load(source, 8))
    else:
        store(to, 64, load(source, 64))
        store(to + 8, 64, load(source + 8, 64))


@native
def copy_axes(to: Bytes, source: Bytes, d: Int, rank: Int, shape: Words, steps: Words, width: Int) -> Bytes:
    """Copy elements one behind the other, from an axis on; return where they end."""
    if d + 1 == rank:
        return copy_row(to, source, shape[d], steps[d], width)
    for n in range(shape[d]):
        to = copy_axes(to, source + n * steps[d], d + 1, rank, shape, steps, width)
    return to


@native
def copy_row(to: Bytes, source: Bytes, size: Int, step: Int, width: Int) -> Bytes:
    """Copy elements a step apart one behind the other, by a loop for each width; return where they end."""
    if width == 4 and step == 4:
        copy_elements(to, source, size, 4, 4)
    elif width == 4 and step == 0:
        copy_elements(to, source, size, 0, 4)
    elif width == 8 and step == 8:
        copy_elements(to, source, size, 8, 8)
    elif width == 8 and step == 0:
        copy_elements(to, source, size, 0, 8)
    elif width == 4:
        copy_elements(to, source, size, step, 4)
    elif width == 8:
        copy_elements(to, source, size, step, 8)
    elif width == 2:
        copy_elements(to, source, size, step, 2)
    else:
        copy_elements(to, source, size, step, 1)
    return to + size * width


@native
def copy_elements(to: Bytes, source: Bytes, size: Int, step: Int, width: Int) -> None:
    """Copy elements of a width."""
    for n in apart(size):
        copy_element(to + n * width, source + n * step, width)


@native
def spread_axes(
    to: Bytes, source: Bytes, d: Int, rank: Int, shape: Words, steps: Words, width: Int
) -> Bytes:  # fmt: skip
    """Copy elements one behind the other to where they lie, from an axis on; return where the next is."""
    if d + 1 == rank:
        for n in range(shape[d]):
            copy_element(to + n * steps[d], source + n * width, width)
        return source + shape[d] * width
    for n in range(shape[d]):
        source = spread_axes(to + n * steps[d], source, d + 1, rank, shape, steps, width)
    return source
