"""Fourier transforms by native code: vectors of neighbouring numbers are transformed as if they were one number.

A row of n complex numbers is n/W vectors of W. Their transform, lane by lane, is Stockham's (see `lower.fourier`,
whose butterflies these are); what comes out is multiplied by roots of unity, transposed W vectors at a time, and
transformed across what were lanes: the first step of Bailey's "FFTs in external or hierarchical memory" (1990).
So all loads and stores are whole vectors, whatever the length; where its last ones are not W, the last W are done
once more. An axis with contiguous numbers behind it needs the first half only.

Real rows are complex ones of half the length, whose halves are put together or taken apart. A transform back is
one of exchanged parts.

Each step is a function of a table of words (`_FIELDS`) and of two addresses, compiled when a length first needs it;
`_driver` goes through the steps of each row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import pi, prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ..emit import tables
from ..emit.codegen import WRITTEN
from ..emit.scalars import DTYPES, Value, number
from ..emit.vectors import Code
from ..lower.butterflies import few, radices
from ..lower.handlers import Pair
from ..lower.pairs import product
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import LINE, address
from .jobs import Job

#: LLVM's name of the parts of numbers, by the character of a dtype.
_REALS = {"f": "float", "d": "double", "F": "float", "D": "double"}
#: The longest row of complex numbers, and the fewest that are neighbours in a vector.
_LONGEST, _FEWEST = 1 << 16, 4
#: Bytes of all rows between steps.
_SCRATCH = 64 << 20
#: Nanoseconds for a byte of a row and a step.
_BYTE = 0.05

#: What a step's table has behind its function and which rows it reads and writes (0 what is given, 1 the result,
#: 2 and 3 between): blocks and runs of a stage, or a length; distances of neighbours that are read, of their parts,
#: of those that are written, and of their parts; roots of unity, and a factor.
_FIELDS = {
    "%blocks": "i64", "%run": "i64", "%near": "i64", "%parts": "i64", "%next": "i64", "%apart": "i64",
    "%roots": "ptr", "%scale": "double",
}  # fmt: skip
_WORDS = 3 + len(_FIELDS)


class _Numbers(Code):
    """Write a step: vectors, and what computes with pairs of them. Products are fused with sums."""

    def __init__(self, real: str, lanes: int) -> None:
        super().__init__(real, lanes)
        self.dtype = DTYPES[real]
        self.lines += tables.read("%step", _FIELDS, 3)

    def _computed(self, word: str, *values: Value) -> Value:
        names = ", ".join(x.name for x in values)
        return Value(self.value(f"{word} contract {self.vector} {names}"), self.dtype)

    def add(self, x: Value, y: Value) -> Value:
        return self._computed("fadd", x, y)

    def sub(self, x: Value, y: Value) -> Value:
        return self._computed("fsub", x, y)

    def mul(self, x: Value, y: Value) -> Value:
        return self._computed("fmul", x, y)

    def neg(self, x: Value) -> Value:
        return self._computed("fneg", x)

    def constant(self, value: float, dtype: np.dtype[Any]) -> Value:
        one = f"{self.real} {number(value, dtype)}"
        return Value(f"<{', '.join([one] * self.lanes)}>", dtype)

    def place(self, base: str, *terms: tuple[int | str, int | str]) -> str:
        """Return the address so many times so many numbers behind another one."""
        return self.at(base, *(self.times(x, y) for x, y in terms))

    def pair(self, place: str, form: str, backwards: bool = False) -> Pair:
        """Return complex numbers: their parts lie apart, or in turn, those of "exchanged" ones the other way
        round.
        """
        order = range(self.lanes)[::-1] if backwards else range(self.lanes)
        if form == "apart":
            found = [self.load(place), self.load(self.at(place, "%parts"))]
            if backwards:
                found = [self.shuffle(x, x, self.lanes, order) for x in found]
        else:
            both = self.load(place), self.load(place, self.lanes)
            found = [self.shuffle(*both, self.lanes, [2 * k + n for k in order]) for n in range(2)]
        if form == "exchanged":
            found.reverse()
        return Pair(*(Value(x, self.dtype) for x in found))

    def put(self, value: Pair, place: str, form: str, backwards: bool = False) -> None:
        """Write complex numbers."""
        parts, lanes = [x.name for x in value], self.lanes
        if form == "exchanged":
            parts.reverse()
        order = range(lanes)[::-1] if backwards else range(lanes)
        if form == "apart":
            if backwards:
                parts = [self.shuffle(x, x, lanes, order) for x in parts]
            self.store(parts[0], place)
            self.store(parts[1], self.at(place, "%apart"))
        else:
            both = [k + n * lanes for k in order for n in range(2)]
            for n in range(2):
                self.store(self.shuffle(*parts, lanes, both[n * lanes : (n + 1) * lanes]), place, n * lanes)

    def root(self, place: int | str, behind: int | str, single: bool = False) -> Pair:
        """Return roots of unity, or one of them in all lanes, whose imaginary parts lie so far behind."""
        load = self.spread if single else self.load
        places = self.at("%roots", place), self.at("%roots", place, behind)
        return Pair(*(Value(load(place), self.dtype) for place in places))

    def number(self, base: str, offset: int | str) -> str:
        return self.value(f"load {self.real}, ptr {self.at(base, offset)}")

    def write(self, value: str, base: str, *offsets: int | str) -> None:
        self.line(f"store {self.real} {value}, ptr {self.at(base, *offsets)}")


def _stage(code: _Numbers, radix: int, given: str, made: str) -> None:
    """Write a stage of Stockham's transform of vectors; one that writes a result has no factors but one."""
    scale = "%scale"
    if code.real == "float":
        scale = code.value("fptrunc double %scale to float")
    scale = Value(code.same(scale), code.dtype)
    apart = code.times("%blocks", "%run")
    with code.loop(0, "%blocks") as blocks:
        p = blocks.index
        factors = [
            code.root(code.plus(code.times(p, 2 * (radix - 1)), 2 * j), 1, True) for j in range(radix - 1)
        ] if made == "apart" else []
        with code.loop(0, "%run") as runs:
            q = runs.index
            first = code.plus(q, code.times(p, "%run"))
            xs = [
                code.pair(code.place("%from", (code.plus(first, code.times(apart, k)), "%near")), given)
                for k in range(radix)
            ]
            found = few(code, xs)
            first = code.plus(q, code.times(code.times(p, radix), "%run"))
            for j, value in enumerate(found):
                if made != "apart":
                    value = Pair(code.mul(value.real, scale), code.mul(value.imag, scale))
                elif j:
                    value = product(code, value, factors[j - 1])
                code.put(value, code.place("%to", (code.plus(first, code.times("%run", j)), "%next")), made)


def _across(code: _Numbers, made: str) -> None:
    """Write the transform across lanes of `blocks` vectors."""
    lanes = code.lanes
    last = code.plus("%blocks", -lanes)
    with code.loop(0, "%blocks", step=lanes) as blocks:
        p = code.smaller(blocks.index, last)
        values = []
        for n in range(lanes):
            at = code.plus(p, n)
            value = code.pair(code.place("%from", (at, lanes)), "apart")
            values.append(product(code, value, code.root(code.times(at, 2 * lanes), lanes)))
        parts = [code.transposed([value[n].name for value in values]) for n in range(2)]
        found = few(code, [Pair(Value(x, code.dtype), Value(y, code.dtype)) for x, y in zip(*parts, strict=True)])
        for n, value in enumerate(found):
            code.put(value, code.place("%to", (code.plus(p, code.times("%blocks", n)), "%next")), made)


def _mirrored(code: _Numbers, write: Callable[[str, str, Pair], None]) -> None:
    """Call `write(at, far, roots)` for places of vectors of the first half of a row, those of their images,
    and exp(-πi·k/length).
    """
    count = code.plus(code.value("lshr i64 %blocks, 1"), 1)
    last = code.plus(count, -code.lanes)
    with code.loop(0, count, step=code.lanes) as loop:
        at = code.smaller(loop.index, last)
        far = code.value(f"sub nsw i64 {code.plus('%blocks', 1 - code.lanes)}, {at}")
        write(at, far, code.root(at, count))


def _of_real(code: _Numbers, made: str) -> None:
    """Write frequencies of real numbers, made of those of complex numbers half as many."""
    ends = [code.number("%from", "%parts" if n else 0) for n in range(2)]
    for n, end in enumerate(ends):
        code.write(end, "%from", *(["%parts"] if n else []), "%blocks")

    def change(at: str, far: str, root: Pair) -> None:
        near, image = code.pair(code.at("%from", at), "apart"), code.pair(code.at("%from", far), "apart", True)
        even = Pair(code.add(near.real, image.real), code.sub(near.imag, image.imag))
        # -i times the difference.
        odd = Pair(code.add(near.imag, image.imag), code.sub(image.real, near.real))
        odd = product(code, odd, root)
        code.put(Pair(code.add(even.real, odd.real), code.add(even.imag, odd.imag)), code.place("%to", (at, 2)), made)
        other = Pair(code.sub(even.real, odd.real), code.sub(odd.imag, even.imag))
        code.put(other, code.place("%to", (far, 2)), made, True)

    _mirrored(code, change)
    for word, place in (("fadd", 0), ("fsub", code.times("%blocks", 2))):
        half = code.value(f"{word} {code.real} {ends[0]}, {ends[1]}")
        code.write(code.value(f"fadd {code.real} {half}, {half}"), "%to", place)
        code.write("0.0", "%to", place, 1)


def _to_real(code: _Numbers, given: str) -> None:
    """Write complex numbers, exchanged, of whose transform neighbours are real numbers with these frequencies."""

    def change(at: str, far: str, root: Pair) -> None:
        near = code.pair(code.place("%from", (at, 2)), given)
        image = code.pair(code.place("%from", (far, 2)), given, True)
        even = Pair(code.add(near.real, image.real), code.sub(near.imag, image.imag))
        gap = Pair(code.sub(near.real, image.real), code.add(near.imag, image.imag))
        turned = product(code, gap, Pair(root.real, code.neg(root.imag)))
        value = Pair(code.add(even.imag, turned.real), code.sub(even.real, turned.imag))
        code.put(value, code.at("%to", at), "apart")
        value = Pair(code.sub(turned.real, even.imag), code.add(even.real, turned.imag))
        code.put(value, code.at("%to", far), "apart", True)

    ends = [code.number("%from", place) for place in (0, code.times("%blocks", 2))]
    _mirrored(code, change)
    for word, offsets in (("fsub", ()), ("fadd", ("%apart",))):
        code.write(code.value(f"{word} {code.real} {', '.join(ends)}"), "%to", *offsets)


@cache
def _function(write: Callable[..., None], real: str, lanes: int, *options: object) -> tuple[engine.Library, int]:
    """Return the machine code of a step, and its address."""
    code = _Numbers(real, lanes)
    write(code, *options)
    text = code.text("step", "ptr %step, ptr %from, ptr %to").replace("internal ", "", 1)
    library = engine.Library(engine.whole(sorted(code.declarations), [text]), {}, effort=WRITTEN)
    return library, library.address("step")


@cache
def _driver() -> Job:
    """Return the job that goes through the steps of a part's rows."""
    code = Code("i8", 1)
    words = ("%inner", "%step", "%last", "%x_outer", "%x_inner", "%y_outer", "%y_inner", "%count", "%stride")
    fields = {**dict.fromkeys(words, "i64"), **dict.fromkeys(("%x", "%y", "%steps", "%scratch"), "ptr")}
    code.lines += tables.read("%context", {"%shared": "i64", "%parts": "i64", **fields})
    code.lines += tables.share("%part", "%parts", "%shared")
    code.line("%rows = alloca [4 x ptr]")

    def entry(type_: str, base: str, place: int | str) -> str:
        return code.value(f"getelementptr {type_}, ptr {base}, i64 {place}")

    def read(type_: str, base: str, place: int | str) -> str:
        return code.value(f"load {type_}, ptr {entry(type_, base, place)}")

    own = code.at("%scratch", code.times("%part", "%stride"))
    for n, place in ((2, own), (3, code.at(own, code.value("lshr i64 %stride, 1")))):
        code.line(f"store ptr {place}, ptr {entry('ptr', '%rows', n)}")
    with code.loop("%lo", "%hi") as rows:
        outer, within = (code.value(f"{word} i64 {rows.index}, %inner") for word in ("udiv", "urem"))
        within = code.smaller(code.times(within, "%step"), "%last")
        for n, base in enumerate(("%x", "%y")):
            place = code.at(base, *(code.times(k, f"{base}_{m}") for k, m in ((outer, "outer"), (within, "inner"))))
            code.line(f"store ptr {place}, ptr {entry('ptr', '%rows', n)}")
        with code.loop(0, "%count") as steps:
            step = entry("i64", "%steps", code.times(steps.index, _WORDS))
            given, made = (read("ptr", "%rows", read("i64", step, n)) for n in (1, 2))
            code.line(f"call void {read('ptr', step, 0)}(ptr {step}, ptr {given}, ptr {made})")
    text = code.text("part", "ptr %context, i64 %part").replace("internal ", "", 1)
    return Job(engine.Library(engine.whole(sorted(code.declarations), [text]), {}, effort=WRITTEN))


@lru_cache(64)
def _roots(length: int) -> ndarray:
    """Return exp(-2πi·k/length) for every k, of angles of at most an eighth of a turn."""
    k = np.arange(length)
    quarter = (8 * k + length) // (2 * length)
    angle = 2 * pi * (4 * k - quarter * length) / (4 * length)
    return (np.cos(angle) - 1j * np.sin(angle)) * np.array([1, -1j, -1, 1j])[quarter % 4]


def _parts(values: ndarray, real: str) -> ndarray:
    """Return the real parts, and beside them the imaginary ones, of the last axis' rows."""
    return np.ascontiguousarray(np.stack([values.real, values.imag], -2), DTYPES[real])


class _Plan(NamedTuple):
    """Say how a row is transformed."""

    steps: ndarray
    #: The roots of unity whose addresses steps have.
    kept: list[ndarray]
    #: Bytes of the rows between steps.
    between: int
    #: Nanoseconds.
    work: float


class _Steps:
    """Gather the steps of a plan."""

    def __init__(self, real: str, lanes: int, length: int) -> None:
        self.real, self.lanes, self.length = real, lanes, length
        size = DTYPES[real].itemsize
        #: Numbers from real to imaginary parts: room for one vector more, and no multiple of a page.
        self.gap = -(-(length + lanes) * size // 64) * 64 // size + 64 // size
        self.kept: list[ndarray] = []
        self.words: list[int] = []
        self.here = 0

    def add(
        self, write: Callable[..., None], options: Sequence[object], target: int, blocks: int, run: int = 0,
        near: int = 0, next: int = 0, table: ndarray | None = None, scale: float = 1,
    ) -> None:  # fmt: skip
        where = 0
        if table is not None:
            self.kept.append(table)
            where = address(table)
        code = _function(write, self.real, self.lanes, *options)[1]
        (bits,) = np.array([scale], np.float64).view(np.int64).tolist()
        self.words += [code, self.here, target, blocks, run, near, self.gap, next, self.gap, where, bits]
        self.here = target

    def between(self) -> int:
        """Return the row between steps that is not read."""
        return 3 if self.here == 2 else 2

    def stages(self, count: int, given: str, near: int, made: str = "apart", next: int = 0, scale: float = 1) -> None:
        """Add the stages of transforms of so many vectors."""
        run = 1
        found = _radices(count)
        for radix in found:
            blocks = count // (radix * run)
            is_last = blocks == 1
            to = made if is_last else "apart"
            table = None
            if to == "apart":
                left = count // run
                powers = np.arange(blocks)[:, None] * np.arange(1, radix)
                table = _parts(_roots(left)[powers % left][..., None], self.real)
            target = 1 if is_last and made != "apart" else self.between()
            self.add(
                _stage, (radix, given, to), target, blocks, run, near,
                next if to != "apart" else self.lanes, table, scale if is_last else 1,
            )  # fmt: skip
            given, near, run = "apart", self.lanes, run * radix

    def across(self, made: str, scale: float) -> None:
        """Add the transform across lanes."""
        count = self.length // self.lanes
        powers = np.arange(count)[:, None] * np.arange(self.lanes)
        table = _parts(_roots(self.length)[powers] * scale, self.real)
        target = self.between() if made == "apart" else 1
        self.add(_across, (made,), target, count, next=1 if made == "apart" else 2, table=table)

    def plan(self) -> _Plan:
        steps = np.array(self.words, np.int64)
        between = 4 * self.gap * DTYPES[self.real].itemsize
        return _Plan(steps, self.kept, between, len(steps) // _WORDS * between * _BYTE / 2)


@lru_cache(256)
def _radices(count: int) -> tuple[int, ...]:
    found = list(radices(count) or ())
    if 2 in found and 8 in found:
        found.remove(2)
        found[found.index(8) : found.index(8) + 1] = [4, 4]
    return tuple(sorted(found, reverse=True))


def _lanes(real: str, length: int) -> int:
    """Return how many numbers of a row are neighbours in a vector; 0 where it is transformed otherwise."""
    if length > _LONGEST or not radices(length):
        return 0
    lanes = engine.register_bytes() // DTYPES[real].itemsize
    while lanes >= _FEWEST and (length % lanes or length < lanes * lanes):
        lanes //= 2
    return lanes if lanes >= _FEWEST else 0


@lru_cache(256)
def _row_plan(kind: str, char: str, length: int, forward: bool, scale: float) -> _Plan | None:
    """Return how rows of complex numbers are transformed, or of twice as many real ones."""
    real = _REALS[char]
    if not (lanes := _lanes(real, length)):
        return None
    steps = _Steps(real, lanes, length)
    form = "paired" if forward else "exchanged"
    count = length // lanes
    turns = None
    if kind != "c2c":
        found = _roots(2 * length)[: length // 2 + 1]
        turns = np.array([found.real, found.imag], DTYPES[real])
    if kind == "c2r":
        steps.add(_to_real, ("paired",), 2, length, table=turns)
        steps.stages(count, "apart", lanes)
    else:
        steps.stages(count, form, 2 * lanes)
    if kind == "r2c":
        steps.across("apart", scale / 2)
        steps.add(_of_real, ("paired",), 1, length, table=turns)
    else:
        steps.across("exchanged" if kind == "c2r" else form, scale)
    return steps.plan()


@lru_cache(256)
def _column_plan(char: str, lanes: int, length: int, inner: int, forward: bool) -> _Plan:
    """Return how `lanes` neighbouring columns of complex numbers are transformed."""
    steps = _Steps(_REALS[char], lanes, length * lanes)
    form = "paired" if forward else "exchanged"
    steps.stages(length, form, 2 * inner, form, 2 * inner)
    return steps.plan()


def _run(plan: _Plan, x: ndarray, y: ndarray, rows: int, *places: int) -> None:
    """Go through all rows: how many lie side by side, and how they are counted, and the bytes from one to the
    next.
    """
    parts = parallel_rows.count(rows, plan.work * rows, False)
    parts = max(1, min(parts, _SCRATCH // plan.between))
    scratch = np.empty(parts * plan.between + LINE, np.uint8)
    own = -(-address(scratch) // LINE) * LINE
    count = len(plan.steps) // _WORDS
    _driver().run(rows, parts, (*places, count, plan.between, address(x), address(y), address(plan.steps), own))


@lru_cache(1024)
def _rows(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return how many rows lie side by side, and the bytes from a group of these to the next and from a row to
    the next; None where they lie otherwise.
    """
    found: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if found and found[-1][1] == stride * size:
            found[-1] = found[-1][0] * size, stride
        else:
            found.append((size, stride))
    if len(found) > 2:
        return None
    (_, outer), (inner, step) = ([(1, 0)] * 2 + found)[-2:]
    return inner, outer, step


class Fourier:
    """The transforms."""

    def run(self, name: str, x: ndarray, axes: Sequence[int], options: Sequence[Any]) -> ndarray | None:
        """Return what pocketfft's function of that name gives, in C order; None where some axis is not for this.

        The last of the axes is the last one, and `options` are the function's: a size, where results are real,
        the direction, and which factor there is.
        """
        *others, last = axes
        *sizes, forward, normalization = options
        length = sizes[0] if sizes else x.shape[last]
        count = prod([x.shape[a] for a in others]) * length
        scale = (1.0, count**-0.5, 1 / count)[normalization]
        if name != "c2c":
            if length % 2:
                return None
            length //= 2
        char = x.dtype.char
        plan = _row_plan(name, char, length, forward, scale) if char in _REALS else None
        if plan is None or not all(_is_column(x.shape, a) for a in others):
            return None
        complex_ = np.result_type(x.dtype, np.complex64)
        size, dtype = {"c2c": (length, complex_), "r2c": (length + 1, complex_), "c2r": (2 * length, x.real.dtype)}[name]
        if x.strides[-1] != x.itemsize or (laid := _rows(x.shape[:-1], x.strides[:-1])) is None:
            x = np.ascontiguousarray(x)
            laid = _rows(x.shape[:-1], x.strides[:-1])
        y = np.empty((*x.shape[:-1], size), dtype)
        inner, outer, step = laid
        row = size * y.itemsize
        _run(plan, x, y, prod(x.shape[:-1]), inner, 1, inner, outer, step, row * inner, row)
        for axis in others:
            y = _columns(y, axis, forward)
        return y


def _is_column(shape: tuple[int, ...], axis: int) -> bool:
    """Return whether an axis with others behind it can be transformed."""
    return shape[axis] > 1 and bool(radices(shape[axis])) and prod(shape[axis + 1 :]) >= 2 * _FEWEST


def _columns(x: ndarray, axis: int, forward: bool) -> ndarray:
    """Return the transform of complex numbers in C order along another axis than the last one."""
    length, inner, size = x.shape[axis], prod(x.shape[axis + 1 :]), x.itemsize
    lanes = min(2 * engine.register_bytes() // size, 1 << inner.bit_length() - 1)
    plan = _column_plan(x.dtype.char, lanes, length, inner, forward)
    y = np.empty_like(x)
    blocks, group = -(-inner // lanes), length * inner * size
    _run(plan, x, y, x.size // (length * inner) * blocks, blocks, lanes, inner - lanes, group, size, group, size)
    return y
