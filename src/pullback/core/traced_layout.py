"""Tell how the values of a trace would lie in memory if eager computed them.

A traced value has a shape and no memory, but whether a reshape is a view, what `is_contiguous` says, and the
strides of what a function returns depend on how eager lays values out. That is found when it is asked for:
views by running their kernels on stand-ins that take no memory, other ops by running theirs on small arrays
laid out as the operands are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array.layout import dense_strides, is_dense, placed, shared_strides
from ..array.named_tuples import NamedTuple
from ..array.random import Generator
from ..array.strides import (
    address,
    channels_last_strides,
    contiguous_strides,
    extent,
    laid_out_empty,
    strides_of,
    suggests_channels_last,
)
from . import facade
from .body import Body
from .marked import shown
from .meta import promised_zeros
from .op import TABLE, like_first
from .overlap import PARTIAL, overlap
from .recorder import Reference
from .result_shapes import MANY, PRIMES

if TYPE_CHECKING:
    from .op import Op

#: Ops' answers that are remembered.
KNOWN = 4096
_new_tuple = tuple.__new__


class Layout(NamedTuple):
    """Describe where a value lies."""

    root: int  # the number of the value whose memory it is
    offset: int  # bytes from the root's first element to its own
    strides: tuple[int, ...]  # in bytes
    alike: int  # what values of one shape, dtype and strides have in common, wherever they begin


class Layouts:
    """The layouts of a recorder's values."""

    def __init__(self, recorder: Any) -> None:
        self._recorder = recorder
        self._found: dict[int, Layout] = {}
        #: By the value that a tensor got when it was written to, the value that it had.
        self._before: dict[int, int] = {}
        #: Values that lie as a leaf, as what was written to, or with gaps, whatever computes them.
        self.settled: set[int] = set()
        #: `Layout.alike` by what it stands for.
        self._alike: dict[tuple[int, tuple[int, ...]], int] = {}
        #: By an op, its attributes, what its results are and how its operands lie, where its results do (see
        #: `_laid_out`): the rows of one array, which begin at other places each, are asked for once.
        self._placed: dict[Any, list[tuple[int | None, tuple[int, ...], int]]] = {}
        #: What `_following` says, by `Layout.alike` of the operand and the kind of the value.
        self._followed: dict[tuple[int, int], tuple[tuple[int, ...], int] | None] = {}
        #: By an op, its attributes and how its operand lies: views that eager has.
        self._allowed: set[Any] = set()
        #: Stand-ins by `Layout.alike` and offset: each product asks for two, 4 µs each.
        self._shown: dict[tuple[int, int], ndarray] = {}

    def given(self, number: int, array: ndarray) -> None:
        """Note that an input lies as an array does."""
        width = array.itemsize
        self._put(number, tuple([s * width for s in strides_of(array)]))

    def spread(self, number: int, array: ndarray) -> None:
        """Note that a constant has gaps, or repeats elements: the part of another, which spans its memory."""
        strides = strides_of(array)
        if array.size == 0 or min(strides) < 0:
            return
        span = np.zeros(extent(array.shape, strides), array.dtype)
        part: ndarray = np.ndarray(array.shape, array.dtype, span, 0, array.strides)
        part[...] = array
        root = self._recorder.operand(span)[0].index
        self._put(number, array.strides, root)
        self.settled.add(number)

    def written(self, before: Any, after: int) -> None:
        """Note that a tensor has the value `after` in the memory of the one (or the array) before."""
        self.settled.add(after)
        if isinstance(before, ndarray):
            self.given(after, before)
        else:
            self._before[after] = before.index

    def conform(self, g: Any, leaf: ndarray, shown: bool) -> Any:
        """Return a leaf's first gradient, from now on laid out like the leaf, as torch lays it out.

        What a hook was `shown`, the function is given, or another leaf has, is copied where that differs.
        """
        strides = leaf.strides if is_dense(leaf) else self._of_given(g.index)
        if shown or g.index in self.settled or g.index not in self._recorder.makers:
            if self.of(g.index).strides == strides:
                return g
            g = facade.clone(g)
        self.settled.add(g.index)
        self._put(g.index, strides)
        return g

    def overwritten(self) -> set[int]:
        """Return the values whose memory was written to."""
        return {self.of(number).root for number in self._before.values()}

    def of(self, number: int) -> Layout:
        """Return the layout of a value."""
        found, before_of = self._found, self._before
        makers, shapes = self._recorder.makers, self._recorder.shapes
        waiting = [number]
        while waiting:
            at = waiting[-1]
            if at in found:
                waiting.pop()
                continue
            if (before := before_of.get(at)) is not None:
                if before in found:
                    self._put(at, found[before].strides)
                else:
                    waiting.append(before)
                continue
            equation = makers.get(at)
            if equation is None or (len(shapes[at]) <= TABLE[equation.op].ordered and not equation.several):
                self._put(at, self._of_given(at))
                continue
            if (first := self._first(equation)) is not None:
                if first not in found:
                    waiting.append(first)
                    continue
                if (follows := self._following(at, first)) is not None:
                    found[at] = _new_tuple(Layout, (at, 0, *follows))
                    continue
            lie: list[Any] = []
            known = len(waiting)
            for o in equation.operands:
                if type(o) is not Reference:
                    lie.append((o,))
                elif (layout := found.get(o[0])) is None:
                    waiting.append(o[0])
                else:
                    lie.append(layout.alike)
            if len(waiting) == known:
                self._place(equation, tuple(lie))
        return found[number]

    def stand_in(self, number: int) -> ndarray:
        """Return an array that lies as a value does, for readers of layouts; it is zeros, without memory."""
        _, offset, strides, alike = self.of(number)
        if (found := self._shown.get((alike, offset))) is None:
            recorder = self._recorder
            shape, dtype = recorder.shapes[number], recorder.dtypes[number]
            found = self._shown[alike, offset] = without_memory(shape, dtype, strides, offset)
        return found

    def check(self, op: Op, number: int, attrs: tuple[object, ...]) -> None:
        """Raise ValueError where the layout of a value allows no such view, as in eager."""
        key = (op, attrs, self.of(number).alike)
        if key not in self._allowed:
            op.kernel(self.stand_in(number), *attrs)
            self._allowed.add(key)

    def overlap(self, base: Any, first: Any, second: Any) -> int:
        """Return how two tensors overlap that are views of a third, or it; `PARTIAL` if that is unknown."""
        value = base._value
        if getattr(value, "recorder", None) is not self._recorder:
            return PARTIAL
        whole = self.stand_in(value.index)
        parts = []
        for tensor in (first, second):
            part: Any = whole
            for op, attrs, index in () if tensor._view is None else tensor._view.steps:
                try:
                    part = shown(op, part, attrs)
                except ValueError:
                    return PARTIAL
                if index is not None:
                    part = part[index]
            # Where the layout allows no view, a kernel copies.
            if part.size and not np.may_share_memory(whole, part):
                return PARTIAL
            parts.append(part)
        return overlap(*parts)

    def _put(self, number: int, strides: tuple[int, ...], root: int | None = None) -> None:
        """Note that a value lies at the beginning of its own memory, or of another's."""
        found = Layout(number if root is None else root, 0, strides, self._number(number, strides))
        self._found[number] = found

    def _number(self, number: int, strides: tuple[int, ...]) -> int:
        """Return what `Layout.alike` of a value is."""
        key = (self._recorder.kind_of(number), strides)
        return self._alike.setdefault(key, len(self._alike))

    def _of_given(self, number: int) -> tuple[int, ...]:
        constant = self._recorder.constants.get(number)
        if constant is not None:
            return tuple([s * constant.itemsize for s in dense_strides(constant)])
        width = self._recorder.dtypes[number].itemsize
        return tuple([s * width for s in contiguous_strides(self._recorder.shapes[number])])

    def _first(self, equation: Any) -> int | None:
        """Return the first operand of an op that `placed` lays out, where it has the result's shape."""
        if TABLE[equation.op].place is placed:
            shapes = self._recorder.shapes
            for o in equation.operands:
                if type(o) is Reference:
                    return o[0] if shapes[o[0]] == shapes[equation.outputs[0]] else None
        return None

    def _following(self, number: int, first: int) -> tuple[tuple[int, ...], int] | None:
        """Return strides of a value, and what has them in common, by its first operand; None where that does
        not tell all axes apart, so that others are asked, too.
        """
        alike, kind = self._found[first].alike, self._recorder._kind_of[number]
        if (alike, kind) not in self._followed:
            shape, strides = self._recorder.shapes[number], self._found[first].strides
            told: tuple[tuple[int, ...], int] | None = None
            if not {0, 1} & {*shape} and 0 not in strides and len({*strides}) == len(strides):
                width = self._recorder.dtypes[number].itemsize
                own = tuple([s * width for s in shared_strides(shape, [self.stand_in(first)])])
                told = own, self._number(number, own)
            self._followed[alike, kind] = told
        return self._followed[alike, kind]

    def _place(self, equation: Any, lie: tuple[Any, ...]) -> None:
        """Note where the results of an equation lie; `lie` says how its operands do."""
        found, kind_of = self._found, self._recorder._kind_of
        op, operands, attrs, outputs, _ = equation
        key: Any = (op, attrs, lie, *[kind_of[n] for n in outputs])
        if TABLE[op].overlaps:  # such a view may reach elements before its operand's
            key = (found[operands[0].index].offset, key)
        try:
            placed = self._placed.get(key)
        except TypeError:  # an attribute without a hash
            key = placed = None
        if placed is None:
            placed = [
                (offset, strides, self._number(n, strides))
                for n, (offset, strides) in zip(outputs, self._laid_out(equation), strict=True)
            ]
            if key is not None:
                self._placed[key] = placed
        for number, (offset, strides, alike) in zip(outputs, placed, strict=True):
            if number in self.settled:
                continue
            if offset is None:
                root = number
            else:
                root, before, *_ = found[operands[0].index]
                offset += before
            found[number] = _new_tuple(Layout, (root, offset or 0, strides, alike))

    def _laid_out(self, equation: Any) -> list[tuple[int | None, tuple[int, ...]]]:
        """Return (bytes from the first operand to it or None, strides) of each result of an op."""
        op = TABLE[equation.op]
        operands = [self.stand_in(o.index) if isinstance(o, Reference) else o for o in equation.operands]
        if op.is_view:
            try:
                result = shown(op, operands[0], equation.attrs)
            except ValueError:
                # A replay copies where the layout allows no view.
                pass
            else:
                origin = address(operands[0])
                parts = result if isinstance(result, tuple) else (result,)
                return [(address(part) - origin if part.size else 0, part.strides) for part in parts]
        shapes = [self._recorder.shapes[number] for number in equation.outputs]
        widths = [self._recorder.dtypes[number].itemsize for number in equation.outputs]
        computed = _computed(op, operands, equation.attrs, shapes)
        return [
            (None, tuple([s * width for s in strides]))
            for strides, width in zip(computed, widths, strict=True)
        ]


# --- memory that is not there -------------------------------------------------------------------------------

_memory: list[Any] = [np.zeros(1 << 16, np.uint8)]


def _zeros(size: int) -> Any:
    """Return at least so many bytes of zeros, the same ones for all; a large number is only promised."""
    if _memory[0].nbytes < size:
        _memory[0] = np.frombuffer(promised_zeros(2 * size), np.uint8)
    return _memory[0]


def without_memory(
    shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], offset: int = 0
) -> ndarray:
    """Return an array of zeros with strides in bytes that takes no memory of its own; it is only read."""
    reached = sum((n - 1) * s for n, s in zip(shape, strides, strict=True) if n and s > 0)
    end = offset + dtype.itemsize + reached
    return np.ndarray(shape, dtype, _zeros(end), offset, strides)


# --- what ops do --------------------------------------------------------------------------------------------

_known: dict[Any, list[tuple[int, ...]] | None] = {}


def _computed(
    op: Op, operands: Sequence[Any], attrs: tuple[object, ...], shapes: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """Return strides of the results in elements."""
    found = strides_of_results(op, operands, attrs, shapes)
    if found is None:
        arrays = [v for v in operands if isinstance(v, ndarray)]
        in_order = all(v.flags.c_contiguous for v in arrays)
        found = [contiguous_strides(s) for s in shapes] if in_order else _following(arrays, shapes)
    return found


def strides_of_results(
    op: Op, operands: Sequence[Any], attrs: tuple[object, ...], shapes: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]] | None:
    """Return strides of the results in elements; None where they cannot be found at little cost."""
    if op.kind == "elementwise":
        arrays = [v for v in operands if isinstance(v, ndarray)]
        if any(v.shape == shapes[0] for v in arrays) and all(v.flags.c_contiguous for v in arrays):
            return [contiguous_strides(shape) for shape in shapes]
        if op.place is placed:
            return [shared_strides(shape, arrays) for shape in shapes]
    elif op.draws and op.shape is like_first:
        # New numbers lie as what they are drawn for, where that holds no element twice.
        first: ndarray = operands[0]
        in_order = first.flags.c_contiguous or 0 in first.strides
        return [contiguous_strides(first.shape) if in_order else dense_strides(first)]
    kinds = tuple((v.shape, v.dtype, v.strides) if isinstance(v, ndarray) else v for v in operands)
    key = (op.name, attrs, kinds)
    try:
        known = key in _known
    except TypeError:  # an attribute without a hash
        return None
    if not known:
        if len(_known) >= KNOWN:
            _known.clear()
        _known[key] = _asked(op, operands, attrs, shapes)
    return _known[key]


def _asked(
    op: Op, operands: Sequence[Any], attrs: tuple[object, ...], shapes: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]] | None:
    """Return the strides that the op's kernel gives; None where that cannot be asked at little cost."""
    arrays = [v for v in operands if isinstance(v, ndarray)]
    if op.exchanges:
        return [contiguous_strides(shape) for shape in shapes]
    if any(0 in v.shape for v in arrays) or any(isinstance(a, Body) for a in attrs):
        return None
    # A rule for shapes says that the kernel is not for any numbers: pivots, say, that lead elsewhere.
    if op.shape is not None and not op.draws and any(v.dtype.kind not in "fc" for v in arrays):
        return None
    if op.draws:
        attrs = (*attrs[:-1], Generator())
    small: dict[int, int] = {}
    if any(v.size > MANY for v in arrays):
        sizes = sorted({n for v in arrays for n in v.shape if n > 1})
        if len(sizes) > len(PRIMES):
            return None
        small = dict(zip(sizes, PRIMES, strict=False))
    given = tuple(_small(v, small) if isinstance(v, ndarray) else v for v in operands)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = op.evaluate(given, attrs)
    except Exception:  # noqa: BLE001  # the numbers of the stand-ins may not be what the op takes
        return None
    results = result if isinstance(result, tuple) else (result,)
    # The sizes of results are not always the operands': of axes that are longer than 1, the order is told.
    if [[n == 1 for n in r.shape] for r in results] != [[n == 1 for n in shape] for shape in shapes]:
        return None
    return [_enlarged(r, shape) for r, shape in zip(results, shapes, strict=True)]


def _small(array: ndarray, sizes: dict[int, int]) -> ndarray:
    """Return a small array with the axes of a large one in its order, with gaps where that has gaps."""
    shape = tuple([small if (small := sizes.get(n)) else n for n in array.shape])
    strides = [0] * array.ndim
    step, expected = 1, array.itemsize
    for axis in sorted(range(array.ndim - 1, -1, -1), key=lambda axis: array.strides[axis]):
        if array.strides[axis] == 0 and array.shape[axis] > 1:
            continue
        if array.strides[axis] > expected and array.shape[axis] > 1:
            step += 1
        strides[axis] = step
        step *= shape[axis]
        expected = max(expected, array.strides[axis] * array.shape[axis])
    made = laid_out_empty(shape, tuple(strides), array.dtype)
    if array.dtype.kind in "iub":
        made[...] = 0
    else:
        # Matrices that can be factored.
        made[...] = np.eye(shape[-2], shape[-1]) if array.ndim > 1 else 1
    return made


def _enlarged(array: ndarray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides without gaps of a shape whose axes are in the order of a small array's."""
    if array.flags.c_contiguous or 0 in shape:
        return contiguous_strides(shape)
    if array.shape == shape:
        return dense_strides(array)
    inner_first = sorted(range(array.ndim - 1, -1, -1), key=dense_strides(array).__getitem__)
    strides = [0] * array.ndim
    step = 1
    for axis in inner_first:
        strides[axis] = step
        step *= shape[axis]
    return tuple(strides)


def _following(arrays: Sequence[ndarray], shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return channels last where an image among the operands has that, C order otherwise."""
    if any(suggests_channels_last(v) for v in arrays):
        return [channels_last_strides(s) if len(s) in (4, 5) else contiguous_strides(s) for s in shapes]
    return [contiguous_strides(s) for s in shapes]
