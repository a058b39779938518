"""Steps of optimizers in NumPy's passes, where there is no compiler: over many small parameters at once.

What a step does is read from the same notes as for a native loop (`recorded_update`), and done by the kernels
of the ops, so the bits are those of a step parameter by parameter. Small parameters are laid end to end for a
step; large ones are gone through in blocks that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.quiet import IGNORE, loud, quiet
from ...array.threads import get_num_threads, run_parts, split
from ...core.op import TABLE
from .recorded_update import GRAD, PARAM, Unsupported

#: Bytes of an array in a block: the arrays of Adam's step and their results fit a cache of 512 KiB.
_BLOCK = 1 << 16

#: A parameter of fewer bytes is laid end to end with others: what it costs to copy it is less than to begin
#: the passes anew.
_SMALL = 1 << 14

#: Bytes of all parameters from which blocks are shared out to threads.
_WORTH_THREADS = 1 << 21

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def _lerp_near(x: ndarray, y: ndarray, weight: float, out: ndarray) -> ndarray:
    spare = np.subtract(y, x)
    return np.add(x, np.multiply(spare, weight, out=spare), out=out)


def _lerp_far(x: ndarray, y: ndarray, rest: float, out: ndarray) -> ndarray:
    spare = np.subtract(y, x)
    return np.subtract(y, np.multiply(spare, rest, out=spare), out=out)


#: Steps whose op looks at the numbers of a step (see `loops`), and those that give bools.
_STEPS = {"lerp_near": _lerp_near, "lerp_far": _lerp_far}
_COMPARING = ("eq", "gt", "lt")


class Update:
    """The passes of a step, over any arrays of one length."""

    def __init__(self, written: Any, dtype: np.dtype[Any]) -> None:
        if dtype not in _DTYPES:
            raise Unsupported
        places, steps, results = written
        last = {value: len(steps) for n, value in enumerate(results) if value != n}
        for at, (_, *operands) in enumerate(steps):
            last.update({value: max(at, last.get(value, 0)) for value in operands if value >= 0})
        #: Where each value lies: the arrays, then those that hold what lies between.
        slots = list(range(places))
        self._passes: list[tuple[Any, tuple[int, ...], int, bool]] = []
        self._slots, free, bools = places, list[int](), set[int]()
        for at, (name, *operands) in enumerate(steps):
            value = places + at
            given = tuple([slots[k] if k >= 0 else k for k in operands])
            fresh = name in _COMPARING
            # An array may take its result at once if nobody reads what it held any more.
            ends = [n for n, end in enumerate(results) if end == value and last.get(n, -1) <= at]
            if ends and not fresh:
                slot = ends[0]
            elif free and not fresh:
                slot = free.pop()
            else:
                slot, self._slots = self._slots, self._slots + 1
            slots.append(slot)
            if fresh:
                bools.add(slot)
            self._passes.append((_STEPS.get(name) or TABLE[name].kernel, given, slot, fresh))
            done = {slots[k] for k in operands if k >= places and last[k] == at}
            free += [k for k in done - bools if k >= places]
        self._copies = [(n, slots[end]) for n, end in enumerate(results) if slots[end] != n]
        self._places = places
        if {n for n, _ in self._copies} & {slot for _, slot in self._copies}:
            raise Unsupported
        self.writes = [n for n, end in enumerate(results) if end != n]

    def run(self, rows: Rows, numbers: Sequence[float]) -> None:
        """Do the step, with its numbers, for all rows."""
        parts = get_num_threads() if rows.bytes >= _WORTH_THREADS else 1
        stretches = split(len(rows.blocks), min(parts, len(rows.blocks)))

        def part(index: int) -> None:
            token = quiet(IGNORE)
            try:
                for block in rows.blocks[slice(*stretches[index])]:
                    rows.over(block, self, numbers)
            finally:
                loud(token)

        run_parts(part, len(stretches))
        rows.given.clear()

    def over(self, arrays: list[Any], numbers: Sequence[float]) -> None:
        """Do the step to a parameter, its gradient and its state, or to blocks of them."""
        first = arrays[PARAM]
        slots = [*arrays, *[np.empty(first.shape, first.dtype) for _ in range(self._slots - self._places)]]
        for kernel, operands, out, fresh in self._passes:
            given = [slots[k] if k >= 0 else numbers[~k] for k in operands]
            slots[out] = kernel(*given) if fresh else kernel(*given, out=slots[out])
        for n, slot in self._copies:
            slots[n][...] = slots[slot]


class Rows:
    """The arrays of some parameters, flat, as `loops.Rows` takes them, and which of them a pass goes over
    together.
    """

    def __init__(self, arrays: Sequence[Sequence[ndarray]], taken: Sequence[tuple[int, int]]) -> None:
        self._flat = [[a.reshape(-1) for a in of] for of in arrays]
        self._expected = [of[PARAM] for of in arrays]
        self._taken = taken
        owners = [_owner(a) for of in arrays for a in of]
        self._owners = None if any(o is None for o in owners) else {id(o) for o in owners}
        #: The flat gradients of a step, until it is done.
        self.given: list[ndarray] = []
        #: Of the parameters.
        self.bytes = sum(a.nbytes for a in self._expected)
        #: Places of parameters with the begin and the end of each among those before it, or the place of one
        #: and a part of it.
        self.blocks: list[Any] = []
        joined: list[tuple[int, slice]] = []
        end = 0
        for place, array in enumerate(self._expected):
            size, most = array.size, _BLOCK // array.itemsize
            if array.nbytes >= _SMALL:
                self.blocks += [(place, slice(at, at + most)) for at in range(0, size, most)]
                continue
            if joined and end + size > most:
                self.blocks.append(joined)
                joined, end = [], 0
            joined.append((place, slice(end, end + size)))
            end += size
        if joined:
            self.blocks.append(joined)

    def gradients(self, gradients: Sequence[Any]) -> bool:
        """Take the gradients of a step; whether they are such that it can be done."""
        self.given.clear()
        for array, expected in zip(gradients, self._expected, strict=True):
            if type(array) is not ndarray or array.shape != expected.shape or array.dtype != expected.dtype:
                return False
            if not self._lies_apart(array):
                return False
            self.given.append(array.reshape(-1))  # a copy where it lies in another order
        return True

    def _lies_apart(self, array: ndarray) -> bool:
        """Return whether a gradient shares no memory with what is written."""
        owner = _owner(array)
        if owner is not None and self._owners is not None and id(owner) not in self._owners:
            return True
        low, high = np.lib.array_utils.byte_bounds(array)
        return all(high <= begin or end <= low for begin, end in self._taken)

    def over(self, block: Any, update: Update, numbers: Sequence[float]) -> None:
        """Do a step for a block."""
        if type(block) is tuple:
            place, part = block
            param, *state = self._flat[place]
            update.over([a[part] for a in (param, self.given[place], *state)], numbers)
            return
        rows = [self._flat[place] for place, _ in block]
        columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
        columns.insert(GRAD, np.concatenate([self.given[place] for place, _ in block]))
        update.over(columns, numbers)
        for n in update.writes:
            column, at = columns[n], n - (n > GRAD)
            for row, (_, part) in zip(rows, block, strict=True):
                row[at][...] = column[part]


def _owner(array: ndarray) -> ndarray | None:
    """Return the array whose memory an array lies in; None where it is nobody's."""
    owner = array if array.base is None else array.base
    return owner if type(owner) is ndarray and owner.base is None else None


class Updating:
    """The ways in which steps are done, each made when it is first asked for."""

    rows: Any = Rows
    _update: Any = Update

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}

    @staticmethod
    def count(*_: Any) -> int:
        """Leave it to Python to count versions."""
        return 0

    def loop(self, written: object, dtype: np.dtype[Any]) -> Any:
        """Return what does what was written down, on arrays of a dtype."""
        key = (written, dtype)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._update(written, dtype)
        return found
