"""Infinities in convolution: what the kernels make nan, computed once more.

The kernels multiply by zeros that they put around and between an array's elements. That is nothing as long
as all is finite, but an infinity times such a zero is nan where the convolution has no product at all. So
after a kernel a function looks whether all is finite, and if not writes the result again, by loops over what
there is. There is one for all shapes, whose numbers stand in the table behind the kernel's (see `apart`).

A training that has diverged has nan everywhere and must not become slow by that: what is nan whatever the
other numbers are is not computed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ....array.named_tuples import NamedTuple
from ...runtime import engine, machine_code, shared_kernels
from .. import tables
from ..codegen import HASTY
from ..vector_registers import registers
from ..vectors import Code
from .plan import Shape

Number = int | str

_NAMES = (
    "outputs", "channels", "group_outputs", "group_channels", "kernel0", "kernel1", "size0", "size1",
    "output0", "output1", "stride0", "stride1", "padding0", "padding1", "dilation0", "dilation1",
)  # fmt: skip


def mending(shape: Shape, transposed: bool) -> shared_kernels.Mending:
    """Return what mends x = conv_transpose(y, w), or w = conv_weight(x, y), where w is not finite."""
    numbers = (
        shape.outputs, shape.channels, shape.outputs // shape.groups, shape.channels // shape.groups,
        *shape.kernel, *shape.size, *shape.output, *shape.stride, *shape.padding, *shape.dilation,
    )  # fmt: skip
    library = _library(shape.real)
    name = machine_code.symbol_of(library.name, "transposition" if transposed else "weights")
    return shared_kernels.Mending(name, library.code, numbers)


class _Library(NamedTuple):
    name: str
    code: engine.Library


@cache
def _library(real: str) -> _Library:
    def text() -> str:
        code = Code(real, registers(real).lanes)
        written = (shared_kernels.function(name, write(code)) for name, write in _WRITERS.items())
        return shared_kernels.module(code, *written)

    name = shared_kernels.name_of(("nonfinite", real))
    return _Library(name, machine_code.library(name, text, HASTY))


class _Shape(Code):
    """Code that knows the numbers of a shape by their names, when it runs."""

    def __init__(self, like: Code, arrays: list[str]) -> None:
        super().__init__(like.real, like.lanes)
        self.lines += shared_kernels.fields(arrays)
        first = len(arrays) + shared_kernels.FIELDS
        self.lines += tables.read("%table", {f"%{name}": "i64" for name in _NAMES}, first)

    def product(self, x: Number, *factors: Number) -> str:
        """Return the product of whole numbers."""
        for factor in factors:
            x = self.value(f"mul nsw i64 {x}, {factor}")
        return str(x)

    def plane(self, pointer: str, image: Number, channel: Number, which: str) -> str:
        """Return where an image's channel begins, of x (``"size"``) or of y (``"output"``)."""
        channels = "%channels" if which == "size" else "%outputs"
        plane = self.plus(self.product(image, channels), channel)
        return self.at(pointer, self.product(plane, f"%{which}0", f"%{which}1"))

    def element(self, pointer: str, place: Number) -> str:
        """Return a single number."""
        return self.value(f"load {self.real}, ptr {self.at(pointer, place)}")

    def with_product(self, total: str, x: str, y: str, type_: str = "") -> str:
        """Return ``total + x · y``."""
        type_ = type_ or self.real
        return self.value(f"fadd {type_} {total}, {self.value(f'fmul {type_} {x}, {y}')}")


class _Span(NamedTuple):
    """The places of y, along an axis, for which a tap is inside x."""

    code: _Shape
    first: str
    last: str
    stride: str
    shift: Number

    def inside(self, place: Number) -> Number:
        """Return the place in x."""
        return self.code.plus(self.code.product(place, self.stride), self.shift)

    def middle(self) -> str:
        """Return up to where whole vectors of neighbours can be taken."""
        code = self.code
        length = code.most(code.value(f"sub nsw i64 {self.last}, {self.first}"), 0)
        end = code.plus(self.first, code.value(f"and i64 {length}, {-code.lanes}"))
        near = code.value(f"icmp eq i64 {self.stride}, 1")
        return code.value(f"select i1 {near}, i64 {end}, i64 {self.first}")


class _Tap(NamedTuple):
    """An element of w: its number, its channel of x, and where it is inside x."""

    number: Number
    channel: Number
    rows: _Span
    columns: _Span


@contextmanager
def _taps(code: _Shape, output: str) -> Iterator[_Tap]:
    """Open a loop over the elements of w for a channel of y."""
    with (
        code.loop(0, "%group_channels") as channel,
        code.loop(0, "%kernel0") as row, code.loop(0, "%kernel1") as column,
    ):  # fmt: skip
        number: Number = output
        for loop, extent in ((channel, "%group_channels"), (row, "%kernel0"), (column, "%kernel1")):
            number = code.plus(code.product(number, extent), loop.index)
        group = code.value(f"sdiv i64 {output}, %group_outputs")
        own = code.plus(code.product(group, "%group_channels"), channel.index)
        yield _Tap(number, own, _span(code, 0, row.index), _span(code, 1, column.index))


def _span(code: _Shape, axis: int, tap: str) -> _Span:
    stride = f"%stride{axis}"
    shift = code.value(f"sub nsw i64 {code.product(tap, f'%dilation{axis}')}, %padding{axis}")

    def before(place: Number) -> str:
        """Return how many places of y come before one of x."""
        distance = code.plus(code.value(f"sub nsw i64 {place}, {shift}"), stride)
        distance = code.most(code.plus(distance, -1), 0)
        return code.smaller(code.value(f"sdiv i64 {distance}, {stride}"), f"%output{axis}")

    return _Span(code, before(0), before(f"%size{axis}"), stride, shift)


def _transposition(like: Code) -> list[str]:
    code = _Shape(like, ["source", "weight", "bias", "target"])
    images = code.value("sdiv i64 %units, %splits")
    with code.loop(0, _unfinite(code, "%weight")):
        code.clear("%target", code.product(images, "%channels", "%size0", "%size1"))
        # Where all of w is nan, one channel of y makes nan of all that the others would be added to.
        only = _all_nan(code, "%weight")
        step = code.value(f"select i1 {only}, i64 %group_outputs, i64 1")
        with (
            code.loop(0, images) as image, code.loop(0, "%outputs", step=step) as output,
            _taps(code, output.index) as tap,
        ):  # fmt: skip
            w = code.element("%weight", tap.number)
            y = code.plane("%source", image.index, output.index, "output")
            x = code.plane("%target", image.index, tap.channel, "size")
            with code.loop(tap.rows.first, tap.rows.last) as row:
                read = code.at(y, code.product(row.index, "%output1"))
                written = code.at(x, code.product(tap.rows.inside(row.index), "%size1"))
                _spread(code, read, written, w, tap.columns)
    return _finished(code, like)


def _spread(code: _Shape, y: str, x: str, w: str, columns: _Span) -> None:
    """Add ``w · y`` to x along a row."""
    middle, several = columns.middle(), code.same(w)
    with code.loop(columns.first, middle, step=code.lanes) as column:
        place = code.at(x, columns.inside(column.index))
        read = code.load(code.at(y, column.index))
        code.store(code.with_product(code.load(place), read, several, code.vector), place)
    with code.loop(middle, columns.last) as column:
        place = code.at(x, columns.inside(column.index))
        total = code.with_product(code.element(place, 0), code.element(y, column.index), w)
        code.line(f"store {code.real} {total}, ptr {place}")


def _weights(like: Code) -> list[str]:
    code = _Shape(like, ["source", "covector", "result"])
    with (
        code.loop(0, _unfinite(code, "%result")), code.loop(0, "%outputs") as output,
    ):  # fmt: skip
        # A nan in y is a nan in all that this channel of y is multiplied by.
        first, images = _unless_nan(code, output.index)
        with _taps(code, output.index) as tap:
            _mended(code, tap, output.index, first, images)
    return _finished(code, like)


def _mended(code: _Shape, tap: _Tap, output: str, first: str, images: str) -> None:
    """Write an element of w: a first number, and the products of some images."""
    rows = tap.rows
    with code.loop(0, images, [(code.real, first)]) as image:
        x = code.plane("%source", image.index, tap.channel, "size")
        y = code.plane("%covector", image.index, output, "output")
        total = _rows_outside(code, y, 0, rows.first, image.values[0])
        with code.loop(rows.first, rows.last, [(code.real, total)]) as row:
            read = code.at(y, code.product(row.index, "%output1"))
            other = code.at(x, code.product(rows.inside(row.index), "%size1"))
            row.values[0] = _gathered(code, read, other, tap.columns, row.values[0])
        image.values[0] = _rows_outside(code, y, rows.last, "%output0", row.values[0])
    code.line(f"store {code.real} {image.values[0]}, ptr {code.at('%result', tap.number)}")


def _rows_outside(code: _Shape, y: str, first: Number, last: Number, total: str) -> str:
    """Add the products of rows of y with zeros of the padding."""
    with code.loop(first, last, [(code.real, total)]) as row:
        read = code.at(y, code.product(row.index, "%output1"))
        row.values[0] = _zeros_times(code, read, 0, "%output1", row.values[0])
    return row.values[0]


def _zeros_times(code: _Shape, y: str, first: Number, last: Number, total: str) -> str:
    """Add the products with zeros of the padding, which an infinite y makes nan."""
    with code.loop(first, last, [(code.real, total)]) as column:
        column.values[0] = code.with_product(column.values[0], code.element(y, column.index), "0.0")
    return column.values[0]


def _gathered(code: _Shape, y: str, x: str, columns: _Span, total: str) -> str:
    """Add the products along a row."""
    middle = columns.middle()
    total = _zeros_times(code, y, 0, columns.first, total)
    with code.loop(columns.first, middle, [(code.vector, "zeroinitializer")], code.lanes) as column:
        values, read = code.load(code.at(x, columns.inside(column.index))), code.at(y, column.index)
        column.values[0] = code.with_product(column.values[0], code.load(read), values, code.vector)
    total = code.value(f"fadd {code.real} {total}, {code.total(column.values[0])}")
    with code.loop(middle, columns.last, [(code.real, total)]) as column:
        value = code.element(x, columns.inside(column.index))
        column.values[0] = code.with_product(column.values[0], code.element(y, column.index), value)
    return _zeros_times(code, y, columns.last, "%output1", column.values[0])


def _all_nan(code: _Shape, pointer: str) -> str:
    """Return whether all elements of w are nan."""
    with code.loop(0, _count(code), [("i1", "true")]) as loop:
        other = code.element(pointer, loop.index)
        is_nan = code.value(f"fcmp uno {code.real} {other}, {other}")
        loop.values[0] = code.value(f"and i1 {loop.values[0]}, {is_nan}")
    return loop.values[0]


def _unless_nan(code: _Shape, output: str) -> tuple[str, str]:
    """Return 0 and how many images there are; nan and none where a channel of y has a nan."""
    plane = code.product("%output0", "%output1")
    with code.loop(0, "%units", [("i1", "false")]) as image:
        y = code.plane("%covector", image.index, output, "output")
        with code.loop(0, plane, [("i1", image.values[0])]) as place:
            other = code.element(y, place.index)
            is_nan = code.value(f"fcmp uno {code.real} {other}, {other}")
            place.values[0] = code.value(f"or i1 {place.values[0]}, {is_nan}")
        image.values[0] = place.values[0]
    found, nan = image.values[0], "0x7FF8000000000000"
    first = code.value(f"select i1 {found}, {code.real} {nan}, {code.real} 0.0")
    return first, code.value(f"select i1 {found}, i64 0, i64 %units")


def _count(code: _Shape) -> str:
    return code.product("%outputs", "%group_channels", "%kernel0", "%kernel1")


def _unfinite(code: _Shape, pointer: str) -> str:
    """Return 1 where one of the elements of w is not finite, 0 otherwise."""
    count = _count(code)
    whole = code.value(f"and i64 {count}, {-code.lanes}")
    with code.loop(0, whole, [(code.vector, "zeroinitializer")], code.lanes) as loop:
        other = code.load(code.at(pointer, loop.index))
        loop.values[0] = code.value(f"fadd {code.vector} {loop.values[0]}, {other}")
    with code.loop(whole, count, [(code.real, code.total(loop.values[0]))]) as rest:
        other = code.element(pointer, rest.index)
        rest.values[0] = code.value(f"fadd {code.real} {rest.values[0]}, {other}")
    difference = code.value(f"fsub {code.real} {rest.values[0]}, {rest.values[0]}")
    return code.value(f"zext i1 {code.value(f'fcmp uno {code.real} {difference}, 0.0')} to i64")


def _finished(code: _Shape, like: Code) -> list[str]:
    like.declarations |= code.declarations
    return code.lines


_WRITERS = {"transposition": _transposition, "weights": _weights}
