"""Infinities in convolution: what the kernels make nan, computed once more.

The kernels multiply by zeros that they put around and between an array's elements. That is nothing as long
as all is finite, but an infinity times such a zero is nan where the convolution has no product at all. So
after a kernel a function looks whether all is finite, and if not writes the result again, by loops over what
there is. There is one for all shapes, whose numbers stand in the table behind the kernel's.

A training that has diverged has nan everywhere and must not become slow by that: what is nan whatever the
other numbers are is not computed.
"""

from __future__ import annotations

from functools import cache

from ...runtime import engine, machine_code, shared_kernels
from ..codegen import WRITTEN
from ..restricted_python import Bool, Bytes, Int, Program, Real, Words, load_real, native, store
from .plan import Shape

#: Places in the table behind the arrays: what `shared_kernels.fields` tells, and the numbers of a shape. From
#: KERNEL on there is one for each axis.
UNITS, OUTPUTS, CHANNELS, GROUP_OUTPUTS, GROUP_CHANNELS = 1, 4, 5, 6, 7
KERNEL, SIZE, OUTPUT, STRIDE, PADDING, DILATION = range(8, 20, 2)
#: Of an element.
BITS, BYTES = 64, 8
NAN = float("nan")


def mending(shape: Shape, transposed: bool) -> shared_kernels.Mending:
    """Return what mends x = conv_transpose(y, w), or w = conv_weight(x, y), where w is not finite."""
    numbers = (
        shape.outputs, shape.channels, shape.outputs // shape.groups, shape.channels // shape.groups,
        *shape.kernel, *shape.size, *shape.output, *shape.stride, *shape.padding, *shape.dilation,
    )  # fmt: skip
    name, library = _library(shape.real)
    symbol = machine_code.symbol_of(name, "transposition" if transposed else "weights")
    return shared_kernels.Mending(symbol, library, numbers)


@cache
def _library(real: str) -> tuple[str, engine.Library]:
    """Return the module for numbers of a type, and its name."""

    def text() -> str:
        own = {"BITS": 32, "BYTES": 4} if real == "float" else {}
        return engine.whole([Program([transposition, weights], {}, own).text()])

    name = shared_kernels.name_of(("nonfinite", real))
    return name, machine_code.library(name, text, WRITTEN)


@native
def transposition(table: Words) -> None:
    """Write x = conv_transpose(y, w) again, where w is not finite."""
    y: Bytes = table[0]
    w: Bytes = table[1]
    x: Bytes = table[3]
    shape = table + 4
    each = shape[GROUP_CHANNELS] * shape[KERNEL] * shape[KERNEL + 1]
    count = shape[OUTPUTS] * each
    if finite(w, count):
        return
    # Where all of w is nan, one channel of y makes nan of all that the others would be added to.
    step = shape[GROUP_OUTPUTS] if nans(w, count) == count else 1
    for image in range(shape[UNITS]):
        for n in range(shape[CHANNELS] * shape[SIZE] * shape[SIZE + 1]):
            store(channel_of(x, shape, SIZE, image * shape[CHANNELS]) + BYTES * n, BITS, 0.0)
        output = 0
        while output < shape[OUTPUTS]:
            first = image * shape[CHANNELS] + output // shape[GROUP_OUTPUTS] * shape[GROUP_CHANNELS]
            for tap in range(each):
                spread(
                    shape, tap, load_real(w + BYTES * (output * each + tap), BITS),
                    channel_of(y, shape, OUTPUT, image * shape[OUTPUTS] + output),
                    channel_of(x, shape, SIZE, first + tap // (shape[KERNEL] * shape[KERNEL + 1])),
                )  # fmt: skip
            output = output + step


@native
def spread(shape: Words, tap: Int, w: Real, y: Bytes, x: Bytes) -> None:
    """Add the products of an element of w and a channel of y to a channel of x."""
    for row in range(before(shape, tap, 0, 0), before(shape, tap, 0, shape[SIZE])):
        to = x + BYTES * (read_by(shape, tap, 0, row) * shape[SIZE + 1] + read_by(shape, tap, 1, 0))
        source = y + BYTES * row * shape[OUTPUT + 1]
        for column in range(before(shape, tap, 1, 0), before(shape, tap, 1, shape[SIZE + 1])):
            place = to + BYTES * column * shape[STRIDE + 1]
            store(place, BITS, load_real(place, BITS) + w * load_real(source + BYTES * column, BITS))


@native
def weights(table: Words) -> None:
    """Write w = conv_weight(x, y) again, where it is not finite."""
    x: Bytes = table[0]
    y: Bytes = table[1]
    w: Bytes = table[2]
    shape = table + 3
    each = shape[GROUP_CHANNELS] * shape[KERNEL] * shape[KERNEL + 1]
    if finite(w, shape[OUTPUTS] * each):
        return
    for output in range(shape[OUTPUTS]):
        found = 0
        for image in range(shape[UNITS]):
            plane = channel_of(y, shape, OUTPUT, image * shape[OUTPUTS] + output)
            found = found + nans(plane, shape[OUTPUT] * shape[OUTPUT + 1])
        # A nan in y is a nan in all that this channel of y is multiplied by.
        images = 0 if found > 0 else shape[UNITS]
        first = output // shape[GROUP_OUTPUTS] * shape[GROUP_CHANNELS]
        for tap in range(each):
            total = NAN if found > 0 else 0.0
            for image in range(images):
                channel = first + tap // (shape[KERNEL] * shape[KERNEL + 1])
                total = total + products(
                    shape, tap, channel_of(y, shape, OUTPUT, image * shape[OUTPUTS] + output),
                    channel_of(x, shape, SIZE, image * shape[CHANNELS] + channel),
                )  # fmt: skip
            store(w + BYTES * (output * each + tap), BITS, total)


@native
def products(shape: Words, tap: Int, y: Bytes, x: Bytes) -> Real:
    """Return the sum of the products of a channel of y and what a tap reads: x, or zeros around it."""
    top, bottom = before(shape, tap, 0, 0), before(shape, tap, 0, shape[SIZE])
    left, right = before(shape, tap, 1, 0), before(shape, tap, 1, shape[SIZE + 1])
    total = 0.0
    for row in range(shape[OUTPUT]):
        source = x + BYTES * (read_by(shape, tap, 0, row) * shape[SIZE + 1] + read_by(shape, tap, 1, 0))
        for column in range(shape[OUTPUT + 1]):
            other = 0.0
            if row >= top and row < bottom and column >= left and column < right:
                other = load_real(source + BYTES * column * shape[STRIDE + 1], BITS)
            total = total + other * load_real(y + BYTES * (row * shape[OUTPUT + 1] + column), BITS)
    return total


@native
def channel_of(array: Bytes, shape: Words, extent: Int, number: Int) -> Bytes:
    """Return where a channel begins, of x (SIZE) or of y (OUTPUT)."""
    return array + BYTES * number * shape[extent] * shape[extent + 1]


@native
def read_by(shape: Words, tap: Int, axis: Int, place: Int) -> Int:
    """Return the place in x that a tap reads for a place in y, along an axis."""
    along = tap % shape[KERNEL + 1] if axis == 1 else tap // shape[KERNEL + 1] % shape[KERNEL]
    return place * shape[STRIDE + axis] + along * shape[DILATION + axis] - shape[PADDING + axis]


@native
def before(shape: Words, tap: Int, axis: Int, place: Int) -> Int:
    """Return for how many places in y, along an axis, a tap reads before a place in x."""
    distance = place - read_by(shape, tap, axis, 0) + shape[STRIDE + axis] - 1
    found = distance // shape[STRIDE + axis] if distance > 0 else 0
    return found if found < shape[OUTPUT + axis] else shape[OUTPUT + axis]


@native
def finite(array: Bytes, count: Int) -> Bool:
    """Return whether all elements are finite."""
    for n in range(count):
        x = load_real(array + BYTES * n, BITS)
        if x - x != 0.0:
            return False
    return True


@native
def nans(array: Bytes, count: Int) -> Int:
    """Return how many elements are nan."""
    found = 0
    for n in range(count):
        x = load_real(array + BYTES * n, BITS)
        if x != x:
            found = found + 1
    return found
