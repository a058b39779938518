"""Fourier transforms by native code: vectors of neighbouring numbers are transformed as if they were one.

A row of n complex numbers is n/W vectors of W. Their transform, lane by lane, is Stockham's (`lower.fourier`,
whose butterflies these are). What comes out is multiplied by roots of unity, transposed, W vectors at a time,
and transformed across what were lanes: Bailey 1990, "FFTs in external or hierarchical memory". So whole
vectors are read and written, whatever the length; where the last ones are fewer than W, the last W are done
once more. Along an axis with others behind it, neighbours are other rows' numbers, and the first half is all.

Real rows are complex ones of half the length, before or behind which halves are joined or split. A transform
back is one of exchanged parts. Each step is a function, compiled when a length first needs it
(`fourier_text`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from math import pi, prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...array.strides import address
from ..emit.codegen import PLACED
from ..emit.scalars import DTYPES
from ..lower.butterflies import radices
from ..passes import parallel_rows
from ..runtime import engine
from ..runtime.shared_kernels import LINE
from . import fourier_text
from .jobs import Job

#: LLVM's name of the parts of numbers, by the character of a dtype.
_REALS = {"f": "float", "d": "double", "F": "float", "D": "double"}
#: The longest row of complex numbers, and the bytes of a vector at least: of half as many, transforms of rows
#: of 16 to 48 float32 took 0.9 to 1.25 of pocketfft's time.
_LONGEST, _NARROWEST = 1 << 16, 32
#: Bytes of the rows between steps, of all parts.
_SCRATCH = 64 << 20
#: Nanoseconds for a byte of a row between steps and a step.
_BYTE = 0.025


@cache
def _function(write: Callable[..., None], real: str, lanes: int, *options: object) -> engine.Library:
    return engine.Library(fourier_text.text(write, real, lanes, options), {}, effort=PLACED)


@cache
def _driver() -> Job:
    return Job(engine.Library(fourier_text.driver(), {}, effort=PLACED))


@lru_cache(64)
def _roots(length: int) -> ndarray:
    """Return exp(-2πi·k/length) for every k, of angles of at most an eighth of a turn."""
    k = np.arange(length)
    quarter = (8 * k + length) // (2 * length)
    angle = 2 * pi * (4 * k - quarter * length) / (4 * length)
    return (np.cos(angle) - 1j * np.sin(angle)) * np.array([1, -1j, -1, 1j])[quarter % 4]


def _parts(values: ndarray, axis: int, real: str) -> ndarray:
    """Return the real and the imaginary parts, along a new axis."""
    return np.ascontiguousarray(np.stack([values.real, values.imag], axis), DTYPES[real])


@lru_cache(256)
def _stages(count: int) -> list[int]:
    """Return the radices of the stages of a transform, of which two of 4 take less than 8 and 2."""
    found = list(radices(count) or ())
    if 2 in found and 8 in found:
        found[found.index(8)] = found[found.index(2)] = 4
    return sorted(found, reverse=True)


class _Plan(NamedTuple):
    """Say how a row is transformed."""

    steps: ndarray
    #: The roots of unity whose addresses steps have.
    kept: list[ndarray]
    #: Bytes of the two rows between steps.
    between: int
    #: Nanoseconds.
    work: float


class _Steps:
    """Gather the steps of a plan, which read and write rows: what is given, the result, and two between."""

    def __init__(self, char: str, lanes: int, length: int) -> None:
        self.real, self.lanes, self.length = _REALS[char], lanes, length
        size = DTYPES[self.real].itemsize
        #: Numbers from real to imaginary parts: room for one vector more, and no multiple of a page.
        self.gap = (-(-(length + lanes) * size // LINE) + 1) * LINE // size
        self._kept: list[ndarray] = []
        self._functions: list[engine.Library] = []
        self._words: list[list[int]] = []
        self._here = 0

    def add(
        self, write: Callable[..., None], *options: object, blocks: int, made: str, run: int = 0,
        near: int = 0, next: int = 0, roots: ndarray | None = None, scale: float = 1,
    ) -> None:  # fmt: skip
        """Add a step, which writes the result where it does not leave parts apart."""
        target = 1 if made != "apart" else 3 if self._here == 2 else 2
        if roots is not None:
            self._kept.append(roots)
        self._functions.append(_function(write, self.real, self.lanes, *options))
        bits = np.array([scale], np.float64).view(np.int64)[0]
        table = 0 if roots is None else address(roots)
        gap = self.gap
        self._words.append([self._here, target, blocks, run, near, gap, next, gap, table, int(bits)])
        self._here = target

    def stages(self, count: int, given: str, near: int, made: str = "apart", next: int = 0) -> None:
        """Add the stages of the transforms of so many vectors."""
        run = 1
        for radix in _stages(count):
            blocks, left = count // (radix * run), count // run
            to = made if blocks == 1 else "apart"
            powers = np.arange(blocks)[:, None] * np.arange(1, radix)
            roots = _parts(_roots(left)[powers % left], -1, self.real) if to == "apart" else None
            self.add(
                fourier_text.stage, radix, given, to, blocks=blocks, made=to, run=run, near=near,
                next=self.lanes if to == "apart" else next, roots=roots,
            )  # fmt: skip
            given, near, run = "apart", self.lanes, run * radix

    def across(self, made: str, scale: float) -> None:
        """Add the transform across lanes, with a factor."""
        count = self.length // self.lanes
        powers = np.arange(count)[:, None] * np.arange(self.lanes)
        roots = _parts(_roots(self.length)[powers] * scale, -2, self.real)
        next = 1 if made == "apart" else 2
        self.add(fourier_text.across, made, blocks=count, made=made, next=next, roots=roots)

    def plan(self) -> _Plan:
        """Return the plan, with the addresses of functions that were compiled side by side."""
        functions = [f.address("step") for f in self._functions]
        steps = [[f, *words] for f, words in zip(functions, self._words, strict=True)]
        between = 4 * self.gap * DTYPES[self.real].itemsize
        return _Plan(np.array(steps, np.int64), self._kept, between, len(steps) * between * _BYTE)


def _lanes(real: str, length: int) -> int:
    """Return how many numbers of a row are neighbours in a vector; 0 where it is transformed otherwise."""
    width, size = engine.register_bytes(), DTYPES[real].itemsize
    while width >= _NARROWEST and (length % (width // size) or length < (width // size) ** 2):
        width //= 2
    return width // size if width >= _NARROWEST and length <= _LONGEST and radices(length) else 0


@lru_cache(256)
def _row_plan(name: str, char: str, length: int, forward: bool, scale: float) -> _Plan | None:
    """Return how rows of complex numbers are transformed, or of twice as many real ones."""
    real = _REALS[char]
    if not (lanes := _lanes(real, length)):
        return None
    _driver()
    steps = _Steps(char, lanes, length)
    form = "paired" if forward else "exchanged"
    turns = None if name == "c2c" else _parts(_roots(2 * length)[: length // 2 + 1], 0, real)
    if name == "c2r":
        steps.add(fourier_text.to_real, blocks=length, made="apart", roots=turns)
        steps.stages(length // lanes, "apart", lanes)
        steps.across("exchanged", scale)
        return steps.plan()
    steps.stages(length // lanes, form, 2 * lanes)
    if name == "c2c":
        steps.across(form, scale)
    else:
        steps.across("apart", scale / 2)
        steps.add(fourier_text.of_real, blocks=length, made="paired", roots=turns)
    return steps.plan()


@lru_cache(256)
def _column_plan(char: str, lanes: int, length: int, inner: int, forward: bool) -> _Plan:
    """Return how `lanes` of so many neighbouring columns of complex numbers are transformed."""
    steps = _Steps(char, lanes, length * lanes)
    form = "paired" if forward else "exchanged"
    steps.stages(length, form, 2 * inner, form, 2 * inner)
    return steps.plan()


class _Pass(NamedTuple):
    """Say how all rows along an axis are transformed."""

    plan: _Plan
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    rows: int
    parts: int
    #: What the driver is told in front of addresses.
    words: tuple[int, ...]

    def run(self, x: ndarray) -> ndarray:
        """Return the transforms of the rows of an array."""
        y = np.empty(self.shape, self.dtype)
        scratch = np.empty(self.parts * self.plan.between + LINE, np.uint8)
        places = address(x), address(y), -(-address(scratch) // LINE) * LINE
        _driver().run(self.rows, self.parts, self.words + places)
        return y


def _pass(plan: _Plan, shape: tuple[int, ...], dtype: np.dtype[Any], rows: int, *places: int) -> _Pass:
    """Return the pass over so many rows, told how many lie side by side, how these are counted, and the bytes
    from one to the next.
    """
    parts = parallel_rows.count(rows, plan.work * rows, False)
    parts = max(1, min(parts, _SCRATCH // plan.between))
    words = (*places, len(plan.steps), plan.between, address(plan.steps))
    return _Pass(plan, shape, dtype, rows, parts, words)


@lru_cache(1024)
def _rows(shape: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return how many rows lie side by side, and the bytes from a group of these to the next and from a row
    to the next; None where they lie otherwise.
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


@lru_cache(1024)
def _passes(
    name: str, shape: tuple[int, ...], laid: tuple[int, int, int], dtype: np.dtype[Any],
    axes: tuple[int, ...], options: tuple[Any, ...],
) -> list[_Pass] | None:  # fmt: skip
    """Return the passes over the rows along each axis, from the last one; None where there are none."""
    *others, last = axes
    *sizes, forward, normalization = options
    length = sizes[0] if sizes else shape[last]
    count = prod([shape[a] for a in others]) * length
    scale = (1.0, count**-0.5, 1 / count)[normalization]
    if dtype.char not in _REALS or (name != "c2c" and length % 2):
        return None
    plan = _row_plan(name, dtype.char, length if name == "c2c" else length // 2, forward, scale)
    if plan is None or not all(_is_column(shape, a) for a in others):
        return None
    pairs = np.result_type(dtype, np.complex64)
    made = np.zeros((), pairs).real.dtype if name == "c2r" else pairs
    size, lead, (inner, outer, step) = made.itemsize, prod(shape[:-1]), laid
    shape = (*shape[:-1], length // 2 + 1 if name == "r2c" else length)
    row = shape[-1] * size
    passes = [_pass(plan, shape, made, lead, inner, 1, inner, outer, step, row * inner, row)]
    for axis in others:
        length, inner = shape[axis], prod(shape[axis + 1 :])
        lanes = min(2 * engine.register_bytes() // size, 1 << inner.bit_length() - 1)
        plan = _column_plan(made.char, lanes, length, inner, forward)
        blocks, group = -(-inner // lanes), length * inner * size
        rows = prod(shape[:axis]) * blocks
        passes.append(_pass(plan, shape, made, rows, blocks, lanes, inner - lanes, group, size, group, size))
    return passes


def _is_column(shape: tuple[int, ...], axis: int) -> bool:
    """Return whether an axis with others behind it can be transformed."""
    return shape[axis] > 1 and bool(radices(shape[axis])) and prod(shape[axis + 1 :]) >= _NARROWEST // 4


class Fourier:
    """The transforms."""

    def run(self, name: str, x: ndarray, axes: tuple[int, ...], options: tuple[Any, ...]) -> ndarray | None:
        """Return what pocketfft's function of that name gives, in C order; None where that is to do it.

        The last of the axes is the last one, and `options` are the function's: a size, where results are
        real, the direction, and which factor there is.
        """
        lead = x.shape[:-1]
        laid = _rows(lead, x.strides[:-1]) if x.strides[-1] == x.itemsize else None
        whole = laid or (prod(lead), 0, x.shape[-1] * x.itemsize)
        passes = _passes(name, x.shape, whole, x.dtype, axes, options)
        if passes is None:
            return None
        if laid is None:
            x = np.ascontiguousarray(x)
        for each in passes:
            x = each.run(x)
        return x
