"""Call again which of NumPy's loops a function of arrays was seen to call (`array.loop_recording`).

The native function makes arrays for the results, and calls each loop as often as is told, on the memory of
the arrays that it is given, of the results, of constants, and of one piece for all that a call needs for
itself. That piece is shared: one such function runs at a time, under the interpreter's lock, and none runs
Python between its loops, except to draw. What was computed before that, for decisions, is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ....array.loop_recording.steps import (
    AROUND,
    DECIDE,
    DRAWN,
    FIXED,
    GIVEN,
    MADE,
    MOVED,
    OPERANDS,
    OWN,
    SCRATCH,
    Recording,
    Routine,
    Step,
)
from ....core.batched import mappings
from ....tensor.inline_cache.nodes import Unplanned
from ...emit import python_functions
from ...emit.restricted_python import Bool, Bytes, Int, Object, Words, load, native, null, python, room, run
from ...runtime import engine
from ...runtime.python_objects import give_up
from ..ufunc_chains.loops import loop_of
from ..ufunc_chains.own_loops import KINDS, LEAST, RIGHT

#: Words of the table: the type of arrays, the function, how many results there are, what tells them, how many
#: steps, where they lie, what draws (0: nothing does), how much, how many steps decide before it, and how
#: many memories are always the same; these follow.
(
    _ARRAY, _COMPUTE, _RESULTS, _RESULTS_AT, _STEPS, _STEPS_AT, _DRAW, _DRAWN, _DECIDING, _KEPT, _FIRST_KEPT,
) = range(11)  # fmt: skip
#: Words of a result: dtype, rank, where shape and strides lie; of a step: its loop, the loop's data, where
#: the sizes and steps lie that it is given, how often it is called along each axis around it, and how many
#: operands; of an operand: memory, bytes into it, and its step along each axis.
_RESULT, _HEAD = 4, 5 + AROUND
_OPERAND = 2 + AROUND
_STEP = _HEAD + _OPERAND * OPERANDS
#: Steps that are done by one loop, which is told which it is.
_OWN_NAMES = {
    "argmax": "find_extreme", "argmin": "find_extreme", "search_left": "search", "search_right": "search",
}  # fmt: skip
#: Memories and results at most.
_MEMORIES, _MADE = 256, 8
_ALIGNED = 64


class Replays:
    """Make functions that call loops again, by a library with `text`'s function and loops that choose."""

    def __init__(self, library: engine.Library) -> None:
        self._library = library
        self._scratch = np.empty(SCRATCH, np.uint8)
        #: Tables hold addresses of these.
        self._kept: list[Any] = []
        self._steps: list[np.ndarray] = []

    def redirect(self, moved: Mapping[int, int]) -> None:
        """Have recordings call own loops at other addresses."""
        for steps in self._steps:
            loops = steps[::_STEP]
            for n, loop in enumerate(loops.tolist()):
                loops[n] = moved.get(loop, loop)

    def function(self, recording: Recording, compute: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return the native function, which calls the one that was recorded where a decision is not what it
        was; None where a loop is not found, or there is too much of something.
        """
        memories, results = recording.memories, recording.results
        if len(memories) > _MEMORIES or len(results) > _MADE:
            return None
        numbers, kept = self._numbers(recording)
        try:
            steps = [word for step in recording.steps for word in self._words(step, numbers)]
        except LookupError:
            return None
        told: list[int] = []
        for _, result in results:
            sizes = np.array([*result.shape, *result.strides, 0], np.int64)
            self._kept += [sizes, result.dtype]
            at = sizes.ctypes.data
            told += [id(result.dtype), result.ndim, at, at + 8 * result.ndim]
        own = [np.array(told or [0], np.int64), np.array(steps or [0], np.int64)]
        words = [
            id(np.ndarray), id(compute), len(results), own[0].ctypes.data, len(recording.steps),
            own[1].ctypes.data, 0, len(recording.draws), 0, len(kept), *kept,
        ]  # fmt: skip
        if recording.draws:
            draw = _drawing([how for _, how in recording.draws])
            decisions = [k for k, step in enumerate(recording.steps, 1) if step.ufunc == DECIDE]
            words[_DRAW], words[_DECIDING] = id(draw), max(decisions, default=0)
            self._kept.append(draw)
        table = np.array(words, np.int64)
        self._kept += [*own, table, compute]
        self._steps.append(own[1])
        return python_functions.function("replay", self._library.address("replay"), table)

    def _numbers(self, recording: Recording) -> tuple[dict[int, int], list[int]]:
        """Return the place of each memory: those given come first, then those made and kept; and addresses of
        what is kept.
        """
        by_kind: dict[int, list[int]] = {kind: [] for kind in (GIVEN, MADE, OWN, FIXED, DRAWN)}
        for number, (kind, _) in enumerate(recording.memories):
            by_kind[kind].append(number)
        by_kind[MADE] = [number for number, _ in recording.results]
        order = [number for kind in (GIVEN, MADE, OWN, FIXED, DRAWN) for number in by_kind[kind]]
        kept, used = [], 0
        for number in by_kind[OWN]:
            whole = recording.memories[number][1]
            kept.append(self._scratch.ctypes.data + used)
            used += -(-whole.nbytes // _ALIGNED) * _ALIGNED
        for number in by_kind[FIXED]:
            whole = recording.memories[number][1]
            self._kept.append(whole)
            kept.append(whole.ctypes.data)
        return {number: place for place, number in enumerate(order)}, kept

    def _words(self, step: Step, numbers: dict[int, int]) -> list[int]:
        if step.ufunc == DECIDE:
            loop, data = 0, step.sizes[0]
        elif isinstance(step.ufunc, str):
            loop, data = self._library.address(_OWN_NAMES.get(step.ufunc, step.ufunc)), data_of(step)
        elif isinstance(step.ufunc, Routine):
            loop, data = self._library.address("call_routine"), step.ufunc.address
        elif step.ufunc is np.positive and not step.steps[0] and step.dtypes[1].itemsize in MOVED:
            # NumPy's goes number by number: 4,096 float32 are filled in 3.3 µs, and in 0.5 so.
            loop, data = self._library.address("repeat"), step.dtypes[1].itemsize
        else:
            loop, data = loop_of(step.ufunc, step.dtypes)
            if not loop:
                raise LookupError(f"{step.ufunc.__name__} has no such loop")
        given = np.array([*step.sizes, *step.steps], np.int64)
        self._kept.append(given)
        at = given.ctypes.data
        missing = AROUND - len(step.around)
        words = [loop, data, at, at + 8 * len(step.sizes), *(1,) * missing, *step.around, len(step.operands)]
        for memory, offset, around in step.operands:
            words += [numbers[memory], offset, *(0,) * missing, *around]
        return words + [0] * (_STEP - len(words))


def _drawing(draws: Sequence[tuple[Any, ...]]) -> Callable[[], tuple[np.ndarray, ...]]:
    """Return what draws numbers; inside `vmap` it leaves that to Python, which draws for all rows."""
    asked, ((generator, *how), *more) = mappings.get, draws
    lock, made, given, others = generator.lock, generator.made, tuple(how), _drawing(more) if more else tuple

    def draw() -> tuple[np.ndarray, ...]:
        if asked():
            raise Unplanned
        with lock:
            first = made(*given)
        return (first, *others())

    return draw


def data_of(step: Any) -> int:
    """Return what says what one of our own loops does."""
    if step.ufunc in ("choose", "gather", "scatter"):
        return step.dtypes[-1].itemsize
    kinds = [KINDS.index(dtype.char) for dtype in step.dtypes]
    if step.ufunc == "add_at":
        return kinds[-1]
    if step.ufunc == "argsort":
        return kinds[0]
    if step.ufunc in ("search_left", "search_right"):
        return kinds[0] + RIGHT * (step.ufunc == "search_right")
    if step.ufunc == "convert":
        return 16 * kinds[0] + kinds[1]
    return kinds[0] + LEAST * (step.ufunc == "argmin")


@native
def result_like(told: Words, table: Words) -> Object:
    """Return a new array as a result is told to be; null where memory is missing."""
    array_type: Object = table[_ARRAY]
    dtype: Object = told[0]
    shape: Words = told[2]
    strides: Words = told[3]
    python.Py_IncRef(dtype)
    array = python.PyArray_NewFromDescr(array_type, dtype, told[1], shape, strides, null, 0, null)
    if array is null:
        return null
    for n in range(told[1]):
        array.strides[n] = strides[n]  # those of no elements NumPy makes 0
    return array


@native
def call_loops(table: Words, memories: Object, count: Int) -> Bool:
    """Call the first loops, one after another; false where a decision is not what it was."""
    begins = room(OPERANDS)
    pointers = room(OPERANDS)
    step: Words = table[_STEPS_AT]
    for _ in range(count):
        for k in range(OPERANDS):
            base: Bytes = memories[step[_HEAD + _OPERAND * k]]
            begins[k] = base + step[_HEAD + _OPERAND * k + 1]
        if step[0] == 0:
            held: Bytes = begins[0]
            told: Words = step[2]
            now = load(held, 64) if told[1] == 8 else load(held, 8)
            if now != step[1]:
                return False
        elif step[4] + step[5] + step[6] + step[7] == AROUND:
            loop: Object = step[0]
            data: Object = step[1]
            sizes: Words = step[2]
            steps: Words = step[3]
            run(loop, begins, sizes, steps, data)
        else:
            call_around(step, begins, pointers)
        step = step + _STEP
    return True


@native
def call_around(step: Words, begins: Words, pointers: Words) -> None:
    """Call a loop for all places along the axes around it."""
    loop: Object = step[0]
    data: Object = step[1]
    sizes: Words = step[2]
    steps: Words = step[3]
    for a in range(step[4]):
        for b in range(step[5]):
            for c in range(step[6]):
                for d in range(step[7]):
                    for k in range(OPERANDS):
                        by = step + (_HEAD + _OPERAND * k + 2)
                        begin: Bytes = begins[k]
                        pointers[k] = begin + a * by[0] + b * by[1] + c * by[2] + d * by[3]
                    run(loop, pointers, sizes, steps, data)


@native
def replay(owner: Object, arguments: Object, given: Int) -> Object:
    """Make the results, and call the loops on their memory, or on that of an argument which is written to;
    null where Python has set an error.
    """
    table: Words = owner.data
    memories = room(_MEMORIES)
    made = room(_MADE)
    results = table[_RESULTS]
    told: Words = table[_RESULTS_AT]
    for g in range(given):
        memories[g] = arguments[g].data
    for r in range(results):
        array = result_like(told + _RESULT * r, table)
        if array is null:
            give_up(made, r)
            return null
        made[r] = array
        memories[given + r] = array.data
    for k in range(table[_KEPT]):
        memories[given + results + k] = table[_FIRST_KEPT + k]
    drawn = null
    fits = call_loops(table, memories, table[_DECIDING])
    if fits and table[_DRAW] != 0:
        draw: Object = table[_DRAW]
        drawn = python.PyObject_CallNoArgs(draw)
        if drawn is null:
            give_up(made, results)
            return null
        for d in range(table[_DRAWN]):
            memories[given + results + table[_KEPT] + d] = drawn.items[d].data
    fits = fits and call_loops(table, memories, table[_STEPS])
    if drawn is not null:
        python.Py_DecRef(drawn)
    if not fits:
        give_up(made, results)
        compute: Object = table[_COMPUTE]
        return python.PyObject_Vectorcall(compute, arguments, given, null)
    if results == 1:
        only: Object = made[0]
        return only
    several = python.PyTuple_New(results)
    if several is null:
        give_up(made, results)
        return null
    for t in range(results):
        several.items[t] = made[t]
    return several
