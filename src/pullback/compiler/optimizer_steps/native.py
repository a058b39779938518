"""Steps of optimizers for all parameters of a group at once: in native code where that pays, and until
then, or where there is no compiler, in NumPy's passes over many parameters.

What a step does comes from the optimizer's `update` (`recorded_update`), and is done with the same roundings,
so a step gives the same bits here and in NumPy. `core.backend` asks for it when the steps in NumPy have cost
what compiling costs. Whatever is not plain takes NumPy's way, parameter by parameter: views, other layouts,
overlapping memory, tensors of other classes, modes that see each op, optimizers of the user's own.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable, Sequence
from operator import is_
from typing import Any

import numpy as np
from ml_dtypes import bfloat16
from numpy import ndarray

from ...array import large, locks
from ...core.blame import next_sequence, user_frame, written
from ...core.modes import NO_GRAD, modes
from ...core.value import wrap
from ...core.warn import warn
from ...nn.parameter import Parameter
from ...tensor.tensor import Tensor
from .passes import Updating
from .recorded_update import GRAD, PARAM, Script, Unsupported, script_of

#: Sets of parameters of a group for which the places of their arrays are kept.
_SETS = 8

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.float16), np.dtype(bfloat16))
_PACKAGE = __name__.partition(".")[0] + "."


def native_steps(optimizer: Any, by_loops: bool) -> NativeSteps | None:
    """Return what does the steps of an optimizer; None where each parameter takes its step by itself.

    Modes other than `no_grad`, which a step puts in force, see each op.
    """
    if modes() is not NO_GRAD:
        return None
    hotness, updating = optimizer._hotness, _updating() if by_loops else _PASSES
    if hotness.compiled is None or hotness.compiled.updating is not updating:
        hotness.compiled = NativeSteps(updating)
    found: NativeSteps = hotness.compiled
    return found if found.takes(optimizer) else None


#: The passes of all optimizers.
_PASSES = Updating()


def _updating() -> Any:
    """Return what makes the loops of optimizers: native ones where there can be any."""
    if not large.is_there():
        return _PASSES
    from ..runtime.native_call import is_there
    from .loops import NATIVE

    return NATIVE if is_there() else _PASSES


class _Entry:
    """A parameter and its state, as the last step found them."""

    __slots__ = ("arrays", "counters", "kind", "names", "param", "scalars", "state", "tensors", "value")

    def __init__(self, param: Any, state: dict[str, Any], numbers: Container[str]) -> None:
        self.param = param
        self.value: ndarray = param._value
        self.state = state
        #: Each tensor of the state and its array.
        self.tensors = [(name, tensor, tensor._value) for name, tensor in state.items()]
        self.scalars = [(name, tensor, array) for name, tensor, array in self.tensors if name in numbers]
        others = [(name, tensor, array) for name, tensor, array in self.tensors if name not in numbers]
        self.names = tuple(name for name, _, _ in others)
        #: What is written, in order: the parameter, the state's arrays, its numbers.
        self.arrays = [self.value, *(array for _, _, array in others), *(a for _, _, a in self.scalars)]
        self.counters = [
            param._counter, *(t._counter for _, t, _ in others), *(t._counter for _, t, _ in self.scalars)
        ]  # fmt: skip
        self.kind = (self.value.dtype, self.names, tuple(name for name, _, _ in self.scalars))

    def holds(self, param: Any, state: dict[str, Any]) -> bool:
        """Return whether parameter and state are the same still."""
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
    """Parameters that take a step together."""

    def __init__(self, entries: Sequence[_Entry]) -> None:
        self.entries = entries
        self.written = sorted(
            (array.ctypes.data, array.ctypes.data + array.nbytes)
            for entry in entries for array in entry.arrays if array.nbytes
        )  # fmt: skip
        #: Whether none of what is written shares memory with anything else that is.
        self.apart = all(
            before[1] <= after[0] for before, after in zip(self.written, self.written[1:], strict=False)
        )
        #: Of those whose state holds the same numbers, by their places among the parameters.
        self.rows: dict[tuple[int, ...], _Rows] = {}
        self._everything = tuple(range(len(entries)))
        self._alike = len({entry.kind for entry in entries}) == 1
        self._scalars = [array for entry in entries for _, _, array in entry.scalars]
        self._each = len(entries[0].scalars)

    def parts(self) -> Iterable[tuple[int, ...]]:
        """Return the places of parameters whose state holds the same numbers."""
        if self._alike:
            numbers = [array.item() for array in self._scalars]
            if numbers == numbers[: self._each] * len(self.entries):
                return (self._everything,)
        parts: dict[Any, list[int]] = {}
        for place, entry in enumerate(self.entries):
            key = (entry.kind, *[array.item() for _, _, array in entry.scalars])
            parts.setdefault(key, []).append(place)
        return map(tuple, parts.values())


class _Rows:
    """The arrays of parameters whose state holds the same numbers: `loops.Rows` or `passes.Rows`."""

    def __init__(self, updating: Any, entries: Sequence[_Entry], taken: Sequence[tuple[int, int]]) -> None:
        self._entries = entries
        names = len(entries[0].names)
        arrays = [[e.arrays[PARAM], *e.arrays[1 : 1 + names]] for e in entries]
        self._rows = updating.rows(arrays, taken)
        self.gradients = self._rows.gradients
        self.count = updating.count
        self._updating = updating
        self._written: Any = None
        self._writes: Any = None
        self._counters: tuple[list[int], ...] = ()
        self._options: tuple[Any, ...] | None = None

    def says_the_same(self, group: dict[str, Any]) -> bool:
        """Return whether the script of this step is that of the last."""
        options = self._options
        return options is not None and len(options) == len(group) and all(map(is_, options, group.values()))

    def take(self, script: Script, numbers: dict[str, Any], group: dict[str, Any]) -> None:
        """Take the script of a step, and what it has made of the numbers of the state."""
        does = script.written()
        if does != self._written:
            self._loop = self._updating.loop(does, self._entries[0].value.dtype)
            self._written = does
        self._given = script.numbers
        self._numbers = [tensor._value for tensor in numbers.values()]
        writes = [script.writes[PARAM], *script.writes[GRAD + 1 :]]
        writes += [tensor._counter[0] for tensor in numbers.values()]
        if writes != self._writes:
            self._writes = writes
            self._counters = tuple(
                counter
                for entry in self._entries
                for counter, times in zip(entry.counters, writes, strict=True)
                for _ in range(times)
            )
        # A tensor may hold another number in the next step.
        fixed = (bool, int, float, str, type(None))
        lasts = not numbers and all(isinstance(v, fixed) for key, v in group.items() if key != "params")
        self._options = tuple(group.values()) if lasts else None

    def run(self) -> tuple[list[int], ...]:
        """Do what the script says; the version counters that are to be counted for that."""
        self._loop.run(self._rows, self._given)
        for at, value in enumerate(self._numbers):
            for entry in self._entries:
                entry.scalars[at][2][()] = value
        return self._counters


class NativeSteps:
    """The steps of one optimizer, by loops or by passes."""

    __slots__ = ("_entries", "_refused", "_sets", "_takes", "_turn", "_update", "updating")

    def __init__(self, updating: Any) -> None:
        self.updating = updating
        self._update: Any = None
        self._takes = False
        self._entries: dict[int, _Entry] = {}
        self._sets: dict[tuple[_Entry, ...], _Set] = {}
        #: Kinds of parameters whose update stand-ins do not know.
        self._refused: set[Any] = set()
        # The tables of rows are one step's at a time.
        self._turn = locks.lock()

    def takes(self, optimizer: Any) -> bool:
        """Return whether the optimizer's code is this package's."""
        kind = type(optimizer)
        if kind.update is not self._update:
            from ...optim.optimizer import Optimizer

            self._update = kind.update
            self._sets.clear()
            self._takes = (
                kind.update.__module__.startswith(_PACKAGE)
                and kind.init.__module__.startswith(_PACKAGE)
                and kind._step_of is Optimizer._step_of
                and kind._change is Optimizer._change
            )
        return self._takes and "update" not in optimizer.__dict__

    def step(self, optimizer: object, group: dict[str, Any]) -> None:
        """Do a step for every parameter of a group that has a gradient."""
        if not self._turn.acquire(blocking=False):
            _plainly(optimizer, group, group["params"])
            return
        try:
            self._natively(optimizer, group)
        finally:
            self._turn.release()

    def _natively(self, optimizer: Any, group: dict[str, Any]) -> None:
        entries: list[_Entry] = []
        gradients: list[Any] = []
        known, state_of = self._entries.get, optimizer.state.get
        for param in group["params"]:
            grad = param._grad
            if grad is None:
                continue
            entry = known(id(param))
            if entry is None or not entry.holds(param, state_of(param) or _NO_STATE):
                # Eager may refuse another gradient before it makes any state.
                fits = type(grad) is Tensor and type(grad._value) is ndarray
                entry = self._entry(optimizer, param, group) if fits else None
            if entry is not None and type(grad) is Tensor:
                entries.append(entry)
                gradients.append(grad._value)
                continue
            # In the order of the parameters, up to an error that one of them raises.
            self._together(optimizer, group, entries, gradients)
            entries, gradients = [], []
            optimizer._step_of(param, grad, group)
        self._together(optimizer, group, entries, gradients)

    def _entry(self, optimizer: Any, param: Any, group: dict[str, Any]) -> _Entry | None:
        """Return what is known of a parameter; None if not all is plain, or its state is to be made first."""
        if self._entries.pop(id(param), None) is not None:
            # What is not known any more is not held either.
            self._sets.clear()
        if not _is_plain(param, param, _PARAMETERS):
            return None
        state = optimizer.state.get(param) or _NO_STATE
        if state is _NO_STATE:
            try:
                if optimizer.init(param, group):
                    return None
            except Exception:  # noqa: BLE001  # NumPy's way raises what there is to raise
                return None
        if not all(_is_plain(tensor, param, _TENSORS) for tensor in state.values()):
            return None
        numbers = _numbers(optimizer, param, group, state)
        if not param._value.ndim and any(state[name]._value.dtype != np.float32 for name in numbers):
            return None  # the parameter would meet them as one tensor meets another
        entry = self._entries[id(param)] = _Entry(param, state, numbers)
        return entry

    def _together(
        self, optimizer: object, group: dict[str, Any], entries: Sequence[_Entry], gradients: Sequence[Any]
    ) -> None:
        """Do the step for some parameters."""
        if not entries:
            return
        key = tuple(entries)
        known = self._sets.get(key)
        if known is None:
            if len(self._sets) >= _SETS:
                self._sets.clear()
            known = self._sets[key] = _Set(key)
        done: set[int] = set()
        if known.apart:
            for part in known.parts():
                if self._run(optimizer, group, known, part, gradients):
                    done.update(part)
        if len(done) < len(entries):
            rest = [entry.param for place, entry in enumerate(entries) if place not in done]
            _plainly(optimizer, group, rest)

    def _run(
        self, optimizer: object, group: dict[str, Any], known: _Set, part: tuple[int, ...],
        gradients: Sequence[Any],
    ) -> bool:  # fmt: skip
        """Do the step for parameters whose state holds the same numbers; whether that was done."""
        rows = known.rows.get(part)
        if rows is None or not rows.says_the_same(group):
            rows = self._prepared(optimizer, group, known, part)
            if rows is None:
                return False
        given = gradients if len(part) == len(gradients) else [gradients[place] for place in part]
        if not rows.gradients(given):
            return False
        counters = rows.run()
        frame = user_frame(sys._getframe(1))
        if not rows.count(counters, frame.f_code, frame.f_lasti, next_sequence()):
            written(*counters)
        return True

    def _prepared(
        self, optimizer: Any, group: dict[str, Any], known: _Set, part: tuple[int, ...]
    ) -> _Rows | None:
        """Return the rows of some parameters with the script of this step, which has changed nothing yet."""
        first = known.entries[part[0]]
        if first.kind in self._refused:
            return None
        numbers = {name: wrap(array.copy()) for name, _, array in first.scalars}
        try:
            script = script_of(optimizer._change, first.names, numbers, group)
        except Unsupported:
            self._refused.add(first.kind)
            return None
        except Exception:  # noqa: BLE001  # NumPy's way raises what there is to raise
            return None
        def made() -> _Rows:
            rows = known.rows.get(part)
            if rows is None:
                entries = [known.entries[place] for place in part]
                rows = known.rows[part] = _Rows(self.updating, entries, known.written)
            rows.take(script, numbers, group)
            return rows

        try:
            return made() if self.updating is _PASSES else optimizer._hotness.get(made)
        except Unsupported:
            self._refused.add(first.kind)
            return None
        except Exception as error:  # noqa: BLE001  # whatever the compiler stumbles over, the step is done
            self._refused.add(first.kind)
            warn(
                f"{type(optimizer).__name__} falls back to NumPy: the compiler failed: "
                f"{type(error).__name__}: {error}"
            )
            return None


_NO_STATE: dict[str, Any] = {}
_TENSORS = (Tensor,)
_PARAMETERS = (Tensor, Parameter)


def _is_plain(tensor: Any, param: Any, kinds: tuple[Any, ...]) -> bool:
    """Return whether a parameter, or what its state holds, is memory in order and nothing else."""
    if type(tensor) not in kinds:
        return False
    value = tensor._value
    if type(value) is not ndarray or tensor._view is not None or type(tensor._counter) is not list:
        return False
    flags = value.flags
    if not (flags.c_contiguous and flags.aligned and flags.writeable) or value.dtype not in _DTYPES:
        return False
    if tensor is param:
        return value.ndim > 0 or value.itemsize >= 4
    if value.ndim == 0:
        return tensor._node is None
    return tensor._node is None and value.shape == param._value.shape and value.dtype is param._value.dtype


def _numbers(optimizer: Any, param: Any, group: dict[str, Any], state: dict[str, Any]) -> set[str]:
    """Return the names of the state's numbers: of a parameter without dimensions, as for others."""
    if param._value.ndim:
        return {name for name, tensor in state.items() if not tensor._value.ndim}
    made = optimizer.init(wrap(np.zeros(1, param._value.dtype)), group)
    return {name for name in state if made.get(name) is not None and not made[name]._value.ndim}


def _plainly(optimizer: Any, group: dict[str, Any], params: Sequence[Any]) -> None:
    """Do a step by NumPy."""
    for param in params:
        if param._grad is not None:
            optimizer._step_of(param, param._grad, group)
