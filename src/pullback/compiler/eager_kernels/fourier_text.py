"""Write the steps of Fourier transforms of vectors (`fourier`), and what goes through them, as LLVM's text.

A step is a function of a table of words and of two addresses: what it reads, and what it writes. Complex
numbers lie in one of three forms: their parts "apart", at a distance; "paired" as NumPy has them; or
"exchanged", the imaginary part first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..emit import tables
from ..emit.scalars import DTYPES, Value, number
from ..emit.vectors import Code
from ..lower.butterflies import few
from ..lower.handlers import Pair
from ..lower.pairs import product
from ..runtime import engine

#: The words of a step's table behind the step and the rows that it reads and writes: of a stage the blocks,
#: and the runs of each, or else the length; distances of neighbours that are read, and of their parts; of
#: those that are written, and of their parts; the roots of unity, and a factor.
FIELDS = {
    "%blocks": "i64", "%run": "i64", "%near": "i64", "%parts": "i64", "%next": "i64", "%apart": "i64",
    "%roots": "ptr", "%scale": "double",
}  # fmt: skip
WORDS = 3 + len(FIELDS)

#: What a part of all rows is told (`driver`).
_TOLD = {
    **dict.fromkeys(("%shared", "%parts", "%inner", "%step", "%last", "%x_outer", "%x_inner"), "i64"),
    **dict.fromkeys(("%y_outer", "%y_inner", "%count", "%stride"), "i64"),
    **dict.fromkeys(("%steps", "%x", "%y", "%scratch"), "ptr"),
}


class Step(Code):
    """Write a step: vectors, and what computes with pairs of them. Products may be fused with sums."""

    def __init__(self, real: str, lanes: int) -> None:
        super().__init__(real, lanes)
        self.dtype = DTYPES[real]
        self.lines += tables.read("%step", FIELDS, 3)

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

    def pair(self, base: str, place: int | str, form: str, backwards: bool = False) -> Pair:
        """Return complex numbers from a place on, the last one first where they go `backwards`."""
        lanes, place = self.lanes, self.at(base, place)
        order = range(lanes)[::-1] if backwards else range(lanes)
        if form == "apart":
            found = [self.load(place), self.load(self.at(place, "%parts"))]
            if backwards:
                found = [self.shuffle(x, x, lanes, order) for x in found]
        else:
            low, high = self.load(place), self.load(place, lanes)
            found = [self.shuffle(low, high, lanes, [2 * k + n for k in order]) for n in range(2)]
        values = [Value(x, self.dtype) for x in found]
        return Pair(*(values if form != "exchanged" else values[::-1]))

    def put(self, value: Pair, base: str, place: int | str, form: str, backwards: bool = False) -> None:
        """Write complex numbers."""
        lanes, place = self.lanes, self.at(base, place)
        re, im = (x.name for x in (value if form != "exchanged" else (value.imag, value.real)))
        order = range(lanes)[::-1] if backwards else range(lanes)
        if form == "apart":
            for x, there in ((re, place), (im, self.at(place, "%apart"))):
                self.store(self.shuffle(x, x, lanes, order) if backwards else x, there)
        else:
            both = [k + n * lanes for k in order for n in range(2)]
            for n in range(2):
                self.store(self.shuffle(re, im, lanes, both[n * lanes : (n + 1) * lanes]), place, n * lanes)

    def root(self, place: int | str, behind: int | str, load: Callable[[str], str]) -> Pair:
        """Return roots of unity, whose imaginary parts lie so far behind."""
        places = self.at("%roots", place), self.at("%roots", place, behind)
        return Pair(*(Value(load(place), self.dtype) for place in places))


def stage(code: Step, radix: int, given: str, made: str) -> None:
    """Write a stage of Stockham's transform of vectors; only a last one makes numbers that are not apart."""
    factor = code.value("fptrunc double %scale to float") if code.real == "float" else "%scale"
    scale = Value(code.same(factor), code.dtype)
    apart = code.times("%blocks", "%run")
    with code.loop(0, "%blocks") as blocks:
        p, roots = blocks.index, 2 * (radix - 1)
        factors = [
            code.root(code.plus(code.times(p, roots), j), 1, code.spread) for j in range(0, roots, 2)
        ] if made == "apart" else []  # fmt: skip
        with code.loop(0, "%run") as runs:
            first = code.plus(runs.index, code.times(p, "%run"))
            places = [code.plus(first, code.times(apart, k)) for k in range(radix)]
            found = few(code, [code.pair("%from", code.times(at, "%near"), given) for at in places])
            first = code.plus(runs.index, code.times(code.times(p, radix), "%run"))
            for j, value in enumerate(found):
                if made != "apart":
                    value = Pair(code.mul(value.real, scale), code.mul(value.imag, scale))
                elif j:
                    value = product(code, value, factors[j - 1])
                code.put(value, "%to", code.times(code.plus(first, code.times("%run", j)), "%next"), made)


def across(code: Step, made: str) -> None:
    """Write the transform across the lanes of `blocks` vectors."""
    lanes = code.lanes
    last = code.plus("%blocks", -lanes)
    with code.loop(0, "%blocks", step=lanes) as blocks:
        first = code.smaller(blocks.index, last)
        values = []
        for n in range(lanes):
            at = code.plus(first, n)
            value = code.pair("%from", code.times(at, lanes), "apart")
            values.append(product(code, value, code.root(code.times(at, 2 * lanes), lanes, code.load)))
        turned = [code.transposed([value[n].name for value in values]) for n in range(2)]
        pairs = [Pair(*(Value(x, code.dtype) for x in parts)) for parts in zip(*turned, strict=True)]
        for n, value in enumerate(few(code, pairs)):
            code.put(value, "%to", code.times(code.plus(first, code.times("%blocks", n)), "%next"), made)


def _mirrored(code: Step, change: Callable[[str, str, Pair, Pair, Pair], None], form: str) -> None:
    """Call `change` for vectors of the first half of a row: with their places, those of their images at
    length − k, both as they are, and exp(−πi·k/length).
    """
    count = code.plus(code.value("lshr i64 %blocks, 1"), 1)
    last, width = code.plus(count, -code.lanes), 1 if form == "apart" else 2
    with code.loop(0, count, step=code.lanes) as loop:
        at = code.smaller(loop.index, last)
        far = code.value(f"sub nsw i64 {code.plus('%blocks', 1 - code.lanes)}, {at}")
        near = code.pair("%from", code.times(at, width), form)
        image = code.pair("%from", code.times(far, width), form, True)
        change(at, far, near, image, code.root(at, count, code.load))


def _number(code: Step, *offsets: int | str) -> str:
    return code.value(f"load {code.real}, ptr {code.at('%from', *offsets)}")


def _write(code: Step, value: str, base: str, *offsets: int | str) -> None:
    code.line(f"store {code.real} {value}, ptr {code.at(base, *offsets)}")


def of_real(code: Step) -> None:
    """Write frequencies of real numbers, made of those of complex numbers half as many."""
    re, im = _number(code), _number(code, "%parts")
    _write(code, re, "%from", "%blocks")
    _write(code, im, "%from", "%parts", "%blocks")

    def change(at: str, far: str, near: Pair, image: Pair, root: Pair) -> None:
        even = Pair(code.add(near.real, image.real), code.sub(near.imag, image.imag))
        # -i times the difference.
        odd = Pair(code.add(near.imag, image.imag), code.sub(image.real, near.real))
        odd = product(code, odd, root)
        value = Pair(code.add(even.real, odd.real), code.add(even.imag, odd.imag))
        code.put(value, "%to", code.times(at, 2), "paired")
        value = Pair(code.sub(even.real, odd.real), code.sub(odd.imag, even.imag))
        code.put(value, "%to", code.times(far, 2), "paired", True)

    _mirrored(code, change, "apart")
    for word, place in (("fadd", 0), ("fsub", code.times("%blocks", 2))):
        half = code.value(f"{word} {code.real} {re}, {im}")
        _write(code, code.value(f"fadd {code.real} {half}, {half}"), "%to", place)
        _write(code, "0.0", "%to", place, 1)


def to_real(code: Step) -> None:
    """Write exchanged complex numbers: neighbours in their transform are the reals with these frequencies."""
    ends = _number(code), _number(code, code.times("%blocks", 2))

    def change(at: str, far: str, near: Pair, image: Pair, root: Pair) -> None:
        even = Pair(code.add(near.real, image.real), code.sub(near.imag, image.imag))
        gap = Pair(code.sub(near.real, image.real), code.add(near.imag, image.imag))
        turned = product(code, gap, Pair(root.real, code.neg(root.imag)))
        value = Pair(code.add(even.imag, turned.real), code.sub(even.real, turned.imag))
        code.put(value, "%to", at, "apart")
        value = Pair(code.sub(turned.real, even.imag), code.add(even.real, turned.imag))
        code.put(value, "%to", far, "apart", True)

    _mirrored(code, change, "paired")
    _write(code, code.value(f"fsub {code.real} {', '.join(ends)}"), "%to")
    _write(code, code.value(f"fadd {code.real} {', '.join(ends)}"), "%to", "%apart")


def text(write: Callable[..., None], real: str, lanes: int, options: Sequence[object]) -> str:
    """Return the module of a step."""
    code = Step(real, lanes)
    write(code, *options)
    step = code.text("step", "ptr %step, ptr %from, ptr %to").replace("internal ", "", 1)
    return engine.whole(sorted(code.declarations), [step])


def driver() -> str:
    """Return the module of what goes through the steps of a part's rows: `inner` of these lie side by side,
    `step` apart, the last one no further than `last`.
    """
    code = Code("i8", 1)
    code.lines += [*tables.read("%context", _TOLD), *tables.share("%part", "%parts", "%shared")]
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
            place = code.at(base, code.times(outer, f"{base}_outer"), code.times(within, f"{base}_inner"))
            code.line(f"store ptr {place}, ptr {entry('ptr', '%rows', n)}")
        with code.loop(0, "%count") as steps:
            step = entry("i64", "%steps", code.times(steps.index, WORDS))
            given, made = (read("ptr", "%rows", read("i64", step, n)) for n in (1, 2))
            code.line(f"call void {read('ptr', step, 0)}(ptr {step}, ptr {given}, ptr {made})")
    part = code.text("part", "ptr %context, i64 %part").replace("internal ", "", 1)
    return engine.whole(sorted(code.declarations), [part])
