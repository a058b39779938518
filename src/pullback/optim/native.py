"""Steps of optimizers in native code: one call for all parameters of a group, where that pays.

What a step does comes from the optimizer's `update` (`stand_ins`), and is done with the same roundings, so a
step gives the same bits here and in NumPy. It begins to pay when the steps in NumPy have cost what compiling
costs: rent, then buy. That is counted in parameters and elements, never by a clock. Whatever is not plain
takes NumPy's way, parameter by parameter: views, other layouts, overlapping memory, tensors of other classes,
modes that see each op, optimizers of the user's own.
"""

from __future__ import annotations

import sys
import threading
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from ml_dtypes import bfloat16
from numpy import ndarray

from ..array import large
from ..core.blame import next_sequence, user_frame, written
from ..core.modes import NO_GRAD, modes
from ..core.tracer import is_tracing
from ..core.value import wrap
from ..nn.parameter import Parameter
from ..tensor.tensor import Tensor
from .stand_ins import GRAD, PARAM, Script, Unsupported, script_of

#: Nanoseconds that a step in NumPy takes for a parameter, and for an element of it; what the compiler's
#: import and a loop cost, and what a loop costs when the compiler is there.
PARAMETER, ELEMENT = 15_000, 3
COMPILER, LOOP = 300_000_000, 50_000_000

#: Sets of parameters of a group for which the places of their arrays are kept.
_SETS = 8

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), np.dtype(bfloat16))
_PACKAGE = __name__.partition(".")[0] + "."


def native_steps(optimizer: Any) -> NativeSteps | None:
    """What does the steps of an optimizer; None where they are NumPy's.

    Modes other than `no_grad`, which a step puts in force, see each op; a trace takes the step apart itself.
    """
    if not large.is_there() or modes() is not NO_GRAD or is_tracing():
        return None
    # Whoever looks like an optimizer may not have been made like one.
    found: NativeSteps | None = optimizer.__dict__.get("_native_steps")
    return found if found is not None and found.takes(optimizer) else None


class _Entry:
    """A parameter and its state, as the last step found them."""

    __slots__ = ("arrays", "counters", "kind", "names", "param", "scalars", "state", "tensors", "value")

    def __init__(self, param: Any, state: dict[str, Any]) -> None:
        self.param = param
        self.value: ndarray = param._value
        self.state = state
        #: Each tensor of the state and its array.
        self.tensors = [(name, tensor, tensor._value) for name, tensor in state.items()]
        self.scalars = [
            (name, tensor, array) for name, tensor, array in self.tensors if array.ndim == 0
        ]
        others = [(name, tensor, array) for name, tensor, array in self.tensors if array.ndim]
        self.names = tuple(name for name, _, _ in others)
        #: What is written, in order: the parameter, the state's arrays, its numbers.
        self.arrays = [self.value, *(array for _, _, array in others), *(a for _, _, a in self.scalars)]
        self.counters = [
            param._counter, *(t._counter for _, t, _ in others), *(t._counter for _, t, _ in self.scalars)
        ]  # fmt: skip
        self.kind = (self.value.dtype, self.names, tuple(name for name, _, _ in self.scalars))

    def holds(self, param: Any, state: dict[str, Any]) -> bool:
        """Whether parameter and state are the same still."""
        if (
            param is not self.param
            or param._value is not self.value
            or state is not self.state
            or len(state) != len(self.tensors)
        ):
            return False
        for name, tensor, array in self.tensors:
            if tensor._value is not array or state.get(name) is not tensor:
                return False
        return True


class _Set:
    """Parameters that take a step together, none of which shares memory with another.

    Attributes
    ----------
    apart : bool
        Whether that is so.
    """

    def __init__(self, entries: Sequence[_Entry]) -> None:
        self.entries = entries
        ranges = sorted(
            (array.ctypes.data, array.ctypes.data + array.nbytes)
            for entry in entries for array in entry.arrays if array.nbytes
        )  # fmt: skip
        self._begins = [begin for begin, _ in ranges]
        self._ends = [end for _, end in ranges]
        self.apart = all(end <= begin for end, begin in zip(self._ends, self._begins[1:], strict=False))

    def is_written(self, begin: int, size: int) -> bool:
        """Whether the step writes to some bytes."""
        at = bisect_right(self._ends, begin)
        return at < len(self._ends) and self._begins[at] < begin + size


class _Rows:
    """The arrays of parameters whose state holds the same numbers, as a native loop takes them."""

    def __init__(self, updating: large.Updating, entries: Sequence[_Entry]) -> None:
        names = len(entries[0].names)
        self._batch = updating.batch([e.value.size for e in entries], 2 + names)
        for row, entry in zip(self._batch.rows, entries, strict=True):
            row[PARAM] = entry.arrays[0].ctypes.data
            row[GRAD + 1 :] = [array.ctypes.data for array in entry.arrays[1 : 1 + names]]
        self._loop: Any = None
        self._written: Any = None
        self._writes: Any = None
        self._counters: tuple[list[int], ...] = ()

    def run(self, updating: large.Updating, script: Script, dtype: Any, gradients: list[int]) -> None:
        """Do what a script says, with gradients at these addresses."""
        does = script.written()
        if does != self._written:
            self._loop, self._written = updating.loop(does, dtype), does
        self._batch.rows[:, GRAD] = gradients
        self._loop.run(self._batch, script.numbers)

    def counters(self, entries: Sequence[_Entry], writes: Sequence[int]) -> tuple[list[int], ...]:
        """The version counters that a step counts, each as often as it is written to."""
        if writes != self._writes:
            self._writes = writes
            self._counters = tuple(
                counter
                for entry in entries
                for counter, times in zip(entry.counters, writes, strict=True)
                for _ in range(times)
            )
        return self._counters


class NativeSteps:
    """The native steps of one optimizer.

    It has slots, and is copied and pickled as if it had done nothing: nobody who walks through an optimizer's
    attributes finds anything here.
    """

    __slots__ = ("_bought", "_due", "_entries", "_refused", "_rows", "_sets", "_takes", "_turn", "_update")

    def __init__(self) -> None:
        self._update: Any = None
        self._takes = False
        self._due = 0
        self._bought = False
        self._entries: dict[int, _Entry] = {}
        self._sets: dict[tuple[_Entry, ...], _Set] = {}
        self._rows: dict[tuple[_Entry, ...], _Rows] = {}
        #: Kinds of parameters whose update stand-ins do not know.
        self._refused: set[Any] = set()
        # The tables of rows are one step's at a time.
        self._turn = threading.Lock()

    def __reduce__(self) -> Any:
        return NativeSteps, ()

    def takes(self, optimizer: Any) -> bool:
        """Whether the optimizer's code is this package's."""
        kind = type(optimizer)
        if kind.update is not self._update:
            from .optimizer import Optimizer

            self._update = kind.update
            self._takes = (
                kind.update.__module__.startswith(_PACKAGE)
                and kind.init.__module__.startswith(_PACKAGE)
                and kind._step_of is Optimizer._step_of
                and kind._change is Optimizer._change
            )
        return self._takes and "update" not in optimizer.__dict__

    def step(self, optimizer: Any, group: dict[str, Any]) -> None:
        """Do a step for every parameter of a group that has a gradient."""
        if not self._turn.acquire(blocking=False):
            _plainly(optimizer, group, group["params"])
            return
        try:
            if self._bought or self._pays(group):
                self._natively(optimizer, group)
            else:
                _plainly(optimizer, group, group["params"])
        finally:
            self._turn.release()

    def _pays(self, group: dict[str, Any]) -> bool:
        """Whether steps have cost what compiling costs, after the one that is to be done."""
        due = 0
        for param in group["params"]:
            if param._grad is not None:
                value = param._value
                if type(value) is ndarray:
                    if value.size >= large.SIZE:
                        self._bought = True
                        return True
                    due += PARAMETER + ELEMENT * value.size
        self._due += due
        self._bought = self._due >= (LOOP if large.is_loaded() else COMPILER)
        return self._bought

    def _natively(self, optimizer: Any, group: dict[str, Any]) -> None:
        waiting: list[tuple[_Entry, int]] = []
        for param in group["params"]:
            grad = param._grad
            if grad is None:
                continue
            address = _address(grad, param._value)
            entry = self._entry(optimizer, param, group) if address else None
            if entry is not None:
                waiting.append((entry, address))
                continue
            # In the order of the parameters, up to an error that one of them raises.
            self._together(optimizer, group, waiting)
            waiting = []
            optimizer._step_of(param, grad, group)
        self._together(optimizer, group, waiting)

    def _entry(self, optimizer: Any, param: Any, group: dict[str, Any]) -> _Entry | None:
        """What is known of a parameter, whose state is made if it has none; None where not all is plain."""
        state = optimizer.state.get(param) or _NO_STATE
        entry = self._entries.get(id(param))
        if entry is not None and entry.holds(param, state):
            return entry
        # What is not known any more is not held either.
        self._entries.pop(id(param), None)
        self._sets.clear()
        self._rows.clear()
        if not _is_plain(param, param, _PARAMETERS):
            return None
        if state is _NO_STATE:
            try:
                made = optimizer.init(param, group)
            except Exception:  # noqa: BLE001  # NumPy's way raises what there is to raise
                return None
            if made:
                state = optimizer.state[param] = made
        if not all(_is_plain(tensor, param, _TENSORS) for tensor in state.values()):
            return None
        entry = self._entries[id(param)] = _Entry(param, state)
        return entry

    def _together(
        self, optimizer: Any, group: dict[str, Any], waiting: Sequence[tuple[_Entry, int]]
    ) -> None:
        """Do the step for some parameters with their gradients' addresses."""
        if not waiting:
            return
        entries = tuple([entry for entry, _ in waiting])
        known = self._sets.get(entries)
        if known is None:
            if len(self._sets) >= _SETS:
                self._sets.clear()
                self._rows.clear()
            known = self._sets[entries] = _Set(entries)
        if not known.apart or any(known.is_written(at, entry.value.nbytes) for entry, at in waiting):
            _plainly(optimizer, group, [entry.param for entry in entries])
            return
        alike: dict[Any, tuple[list[_Entry], list[int]]] = {}
        for entry, at in waiting:
            key = (entry.kind, *[array.item() for _, _, array in entry.scalars])
            members, addresses = alike.setdefault(key, ([], []))
            members.append(entry)
            addresses.append(at)
        for members, addresses in alike.values():
            if not self._run(optimizer, group, tuple(members), addresses):
                _plainly(optimizer, group, [entry.param for entry in members])

    def _run(
        self, optimizer: Any, group: dict[str, Any], entries: tuple[_Entry, ...], addresses: list[int]
    ) -> bool:
        """Do the step natively for parameters whose state holds the same numbers; whether that was done."""
        first = entries[0]
        if first.kind in self._refused:
            return False
        numbers = {name: wrap(array.copy()) for name, _, array in first.scalars}
        try:
            script = script_of(optimizer._change, first.names, numbers, group)
        except Unsupported:
            self._refused.add(first.kind)
            return False
        except Exception:  # noqa: BLE001  # NumPy's way raises what there is to raise
            return False
        updating = large.updating()
        if updating is None:
            return False
        rows = self._rows.get(entries)
        if rows is None:
            rows = self._rows[entries] = _Rows(updating, entries)
        rows.run(updating, script, first.value.dtype, addresses)
        written_to = [script.writes[PARAM], *script.writes[GRAD + 1 :]]
        for name, tensor in numbers.items():
            written_to.append(tensor._counter[0])
            value = tensor._value
            for entry in entries:
                entry.state[name]._value[()] = value
        counters = rows.counters(entries, written_to)
        frame = user_frame(sys._getframe(1))
        if not updating.count(counters, frame.f_code, frame.f_lasti, next_sequence()):
            written(*counters)
        return True


_NO_STATE: dict[str, Any] = {}
_TENSORS = (Tensor,)
_PARAMETERS = (Tensor, Parameter)


def _is_plain(tensor: Any, param: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether a parameter, or what its state holds, is memory in order and nothing else."""
    if type(tensor) not in kinds:
        return False
    value = tensor._value
    if type(value) is not ndarray or tensor._view is not None or type(tensor._counter) is not list:
        return False
    flags = value.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable) or value.dtype not in _DTYPES:
        return False
    if tensor is param:
        return value.ndim > 0
    if value.ndim == 0:
        return tensor._node is None
    return tensor._node is None and value.shape == param._value.shape and value.dtype is param._value.dtype


def _address(grad: Any, value: ndarray) -> int:
    """Where a gradient lies; 0 where it is not plain."""
    array = grad._value
    if (
        type(grad) is not Tensor or type(array) is not ndarray or array.dtype is not value.dtype
        or array.shape != value.shape or not array.flags.c_contiguous
    ):  # fmt: skip
        return 0
    return array.ctypes.data


def _plainly(optimizer: Any, group: dict[str, Any], params: Sequence[Any]) -> None:
    """Do a step by NumPy."""
    for param in params:
        if param._grad is not None:
            optimizer._step_of(param, param._grad, group)
