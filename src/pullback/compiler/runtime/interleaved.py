"""A program in which array kernels run between stretches of native code, as one function.

Native code calls it as it calls a program that is native as a whole: with the address of a table of pointers.
So the short way through a call (`specialised_call`) serves both: without it 14 steps with array kernels take
1.1 to 4.8 of the time (docs/design/0023). An exception cannot pass through native code: it is kept, a byte of
the table says that the results do not count, and the long way raises it again.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.op import TABLE
from ...ops.random import DRAWS
from ..eager_kernels import draws
from ..eager_kernels.draws import Draws, Row
from ..lower.buffer import Buffer
from ..lower.filling import Call

#: Finds an array, or another operand, by the words of a table.
_Find = Callable[[Any], Any]
#: Takes a table's address and its words.
_Step = Callable[[int, Any], None]

_TOO_LATE = (
    "compile: an op refuses the numbers that it is given, as an index out of range, after processes have "
    "exchanged tensors; without torch.compile the error says which"
)


class Interleaved:
    """The steps of a program, in order: native functions of a table's address, and calls of array kernels.

    `slots` has the place in the table of each buffer that is given from outside, by its number, and `fixed`
    returns the array of any other. The output `flag` says whether the program refuses its inputs. A table has
    so many `words`; the last points to a byte that says whether the results do not count. Array kernels draw
    from the `generators`.
    """

    def __init__(
        self, segments: Sequence[Any], slots: Mapping[int, int], fixed: Callable[[Buffer], ndarray],
        flag: Buffer | None, words: int, generators: Sequence[Any],
    ) -> None:  # fmt: skip
        find = partial(_finder, slots, fixed)
        self._table = ctypes.c_size_t * words
        gathered = list(_gathered(_at_once(segments)))
        #: Each takes a table's address and its words.
        self.steps = [
            _drawn(s, slots, fixed) if isinstance(s, list)
            else _call(s, find) if isinstance(s, Call) else _native(s) for s in gathered
        ]  # fmt: skip
        #: Segments that each step runs.
        self.widths = [len(s) if isinstance(s, list) else 1 for s in gathered]
        self._flag = None if flag is None else find(flag)
        self._generators = generators
        self._error: BaseException | None = None
        #: The places of exchanges with other processes among the steps.
        self._exchanging = {
            n for n, s in enumerate(gathered) if isinstance(s, Call) and TABLE[s.op].exchanges
        }
        #: Whether the last run has come to one: the others have done it then, and will not do it again.
        self.has_exchanged = False
        self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._from_native)
        #: Of the function as native code calls it.
        self.address = ctypes.cast(self._function, ctypes.c_void_p).value or 0

    def words(self, table: int) -> Any:
        """Return the words of the table at an address."""
        return self._table.from_address(table)

    def run(self, table: int) -> bool:
        """Run the steps, up to one that refuses the program's inputs; return whether one does."""
        words = self.words(table)
        flag = None if self._flag is None else self._flag(words)
        if flag is not None:
            flag[...] = False
        self.has_exchanged = False
        for n, step in enumerate(self.steps):
            if n in self._exchanging:
                self.has_exchanged = True
            step(table, words)
            if flag is not None and flag[()]:
                if self.has_exchanged:
                    raise RuntimeError(_TOO_LATE)
                return True
        return False

    def _from_native(self, table: int) -> None:
        drawn = [(generator, generator.mark()) for generator in self._generators]
        try:
            fails = self.run(table)
        except BaseException as error:  # noqa: BLE001  # it is raised again where that can be done
            self._error, fails = error, True
        if fails:
            for generator, state in drawn:
                generator.return_to(state)
        ctypes.c_ubyte.from_address(self.words(table)[-1]).value = fails

    def lapse(self) -> None:
        """Raise what ended the last run that native code began, where eager must not do the call in its
        place: it was no error of an op, as Ctrl-C is none, or processes had exchanged something.
        """
        error, self._error = self._error, None
        if error is not None and (self.has_exchanged or not isinstance(error, Exception)):
            raise error


def _at_once(segments: Sequence[Any]) -> Iterator[Any]:
    """Yield the segments; an exchange beside which nothing native runs ends where it begins."""
    for n, segment in enumerate(segments):
        if isinstance(segment, Call) and segment.op == "begin_exchange":
            others = takewhile(lambda s: isinstance(s, Call), segments[n + 1 :])
            if any(other.op == "end_exchange" and other.operands == segment.outputs for other in others):
                segment = copy(segment)
                segment.op = "exchange"
        yield segment


def _gathered(segments: Iterable[Any]) -> Iterator[Any]:
    """Yield the segments, random draws that follow each other and are filled by one loop as a list: called
    one by one, 50 steps of paths take 7 of the time.
    """
    together: list[tuple[Call, list[Row]]] = []
    for segment in segments:
        rows = _rows(segment)
        if together and (rows is None or together[0][0].attrs[-1] is not segment.attrs[-1]):
            yield together
            together = []
        if rows is None:
            yield segment
        else:
            together.append((segment, rows))
    if together:
        yield together


def _rows(segment: Any) -> list[Row] | None:
    """Return what fills a draw that goes to memory in C order; None for other segments."""
    if not isinstance(segment, Call) or segment.op not in DRAWS or len(segment.operands) > 1:
        return None
    (like,) = segment.operands
    in_order = isinstance(like, ndarray) and (like.flags.c_contiguous or 0 in like.strides)
    return draws.rows(segment.op, segment.attrs, like.size, like.dtype) if in_order else None


def _drawn(
    together: list[tuple[Call, list[Row]]], slots: Mapping[int, int], fixed: Callable[[Buffer], ndarray]
) -> _Step:
    """Return a function that fills the arrays of draws."""
    found = [(call.outputs[0], row) for call, rows in together for row in rows]
    loop, generator = Draws([row for _, row in found]), together[0][0].attrs[-1]
    arrays = [None if buffer.number in slots else fixed(buffer) for buffer, _ in found]
    addresses = [0 if array is None else array.ctypes.data for array in arrays]
    given = [(n, slots[buffer.number]) for n, (buffer, _) in enumerate(found) if buffer.number in slots]

    def fill(table: int, words: Any) -> None:
        now = addresses
        if given:
            now = addresses.copy()
            for n, slot in given:
                now[n] = words[slot]
        loop.fill(generator, now)

    return fill


def _call(step: Call, find: Callable[[Buffer], _Find]) -> _Step:
    """Return a function that runs an op's array kernel on what a table points to."""
    op, attrs = TABLE[step.op], step.attrs
    operands = [find(o) if isinstance(o, Buffer) else _same(o) for o in step.operands]
    results = [find(buffer) for buffer in step.outputs]
    if op.into is not None:
        (result_of,) = results
        write = op.into

        def fill(table: int, words: object) -> None:
            write(result_of(words), *[operand(words) for operand in operands], *attrs)

        return fill

    def run(table: int, words: object) -> None:
        found = op.evaluate(tuple([operand(words) for operand in operands]), attrs)
        for result, part in zip(results, found if step.several else (found,), strict=True):
            result(words)[...] = part

    return run


def _finder(slots: Mapping[int, int], fixed: Callable[[Buffer], ndarray], buffer: Buffer) -> _Find:
    """Return what finds a buffer's array."""
    slot = slots.get(buffer.number)
    if slot is None:
        return _same(fixed(buffer))
    memory = ctypes.c_ubyte * buffer.bytes
    last: list[Any] = [0, None]

    def find(words: Any) -> ndarray:
        address = words[slot]
        if address != last[0]:
            # What is made anew in each call is often made where it was before.
            lies: Any = memory.from_address(address)
            last[:] = address, np.ndarray(buffer.shape, buffer.dtype, lies)
        array: ndarray = last[1]
        return array

    return find


def _native(function: Callable[[int], None]) -> _Step:
    return lambda table, words: function(table)


def _same(operand: object) -> _Find:
    return lambda words: operand
