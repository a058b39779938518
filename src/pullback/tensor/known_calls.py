"""Public calls whose like was looked at before, done by native code without a look at their arguments.

Of `x.transpose(0, 1)` torch needs 1 µs and Python 1.8: the arguments are read and checked, an op is called, a
tensor is made, and a node where it has a history. All that depends on the kinds of the arguments alone, that
is on numbers and on shapes, strides and dtypes of tensors and on which of them have a history. So when a
function has been called often enough it is called once more on tensors without elements (`core.meta`), which
note the ops that run. If it takes no look at an element, gives no warning and changes nothing, and if the ops
give what the call itself gave, bit for bit, view for view and node for node (`known_nodes`), then that is a
plan: the native code (`compiler.eager_kernels.known_calls`) does what it says wherever arguments of the same
kinds come again, in the default mode, under `no_grad` and in inference mode.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import get_ident
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import dtypes, large, process
from ..array.chains import native
from ..array.moved import sources
from ..array.probes import MOST, probes
from ..array.quiet import IGNORE, loud, quiet
from ..array.random import Generator
from ..array.scipy_functions import imports
from ..array.strides import address, strides_of
from ..core import facade
from ..core.calls import ABSENT, runs_at_once
from ..core.device import device
from ..core.levels import META
from ..core.meta import Meta
from ..core.modes import COMMON, DEFAULT, INFERENCE, NO_GRAD, modes, put_modes, reset_modes
from ..core.node import LEAF
from ..core.op import Op
from ..core.value import TensorBase, wrap
from ..core.views import DEFAULT_VIEW, MULTI_VIEW, bring_up_to_date
from .known_nodes import CONSTANT, History, Unplanned, steps_behind

Function = Callable[..., Any]

#: Calls after which a function is looked at, nanoseconds that a known call saves, and the plans that a
#: function has at most.
_CALLS, _SAVED, _PLANS = 100, 4000, 24
_SELDOM, _NEVER = 1 << 40, 1 << 62

#: What the native function gives when it is time to look.
LOOK: Any = object()


class _Layout(Meta):
    """Layout of an argument, without elements; it notes the ops that run on it."""

    __slots__ = ("name", "notes")

    notes: _Notes
    name: str

    @classmethod
    def run(cls, op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...], level: int) -> Any:
        """Note the op, and give what its results are."""
        notes = next(v.notes for v in inputs if isinstance(v, _Layout))
        return notes.add(op, inputs, attrs, Meta.run(op, inputs, attrs, level))


class _Notes:
    """Collect the ops of a call as lines of a function of arrays."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"quiet": quiet, "loud": loud, "IGNORE": IGNORE}
        self.count = 0
        #: Whether no result that is computed has a history, whatever the arguments have.
        self.any_history = True
        #: Whether it may be that elements are moved and none is computed.
        self.moves = True

    def layout(self, shape: Sequence[int], dtype: Any, strides: Any, memory: Any = None, at: int = 0) -> Any:
        made = _Layout(shape, dtype, strides, memory, at)
        made.notes, made.name = self, f"v{self.count}"
        self.count += 1
        return made

    def add(self, op: Op, inputs: tuple[Any, ...], attrs: tuple[Any, ...], result: Any) -> Any:
        if op.acts or any(type(v) in (list, dict, set) for v in attrs):
            raise Unplanned
        self.any_history &= not op.derivable and not op.is_view
        self.moves &= op.kind in ("linear", "view")
        given = [self._told(v) for v in inputs]
        ends = [self._told(v) for v in attrs]
        arrays = [v for v in inputs if isinstance(v, Meta)]
        at_once = runs_at_once(op, [v.phantom() for v in arrays]) and len(arrays) == len(inputs)
        together = f"({''.join(f'{name}, ' for name in given)})"
        if op.variadic:
            given = [together]
        if op.kind == "elementwise" and not op.many and not op.is_view:
            call = f"{self._told(op.call)}({', '.join([*given, *ends])})"
        elif op.is_view or at_once:
            call = f"{self._told(op.kernel)}({', '.join([*given, *ends])})"
        else:
            call = f"{self._told(op.evaluate)}({together}, ({''.join(f'{end}, ' for end in ends)}))"
        parts = result if isinstance(result, tuple) else (result,)
        made = tuple([self.layout(r.shape, r.dtype, r.strides, r.memory, r.offset) for r in parts])
        names = ", ".join(part.name for part in made)
        self.lines.append(f"{names}{',' * isinstance(result, tuple)} = {call}")
        return made if isinstance(result, tuple) else made[0]

    def _told(self, value: Any) -> str:
        """Return the name of a value in the function."""
        if isinstance(value, _Layout) and value.notes is self:
            return value.name
        if isinstance(value, Meta):
            raise Unplanned
        if isinstance(value, TensorBase):
            value = value._value
            if type(value) is not ndarray or value.ndim:
                raise Unplanned
            self.moves = False
        name = f"c{len(self.names)}"
        self.names[name] = value
        return name

    def constant(self, value: ndarray) -> str:
        """Note a copy of an array."""
        name = self._told(value.copy(order="K"))
        self.lines.append(f"k{name} = {name}.copy(order='K')")
        return f"k{name}"

    def function(self, given: Sequence[str], results: Sequence[str]) -> Function:
        """Return what computes some results."""
        body = "\n".join(f"        {line}" for line in self.lines)
        text = (
            f"def compute({', '.join(given)}):\n    token = quiet(IGNORE)\n    try:\n{body}\n"
            f"    finally:\n        loud(token)\n    return {', '.join(results)}\n"
        )
        exec(compile(text, "<known call>", "exec"), self.names)
        found: Function = self.names["compute"]
        return found


class Known:
    """The calls of a public function that are known.

    Parameters
    ----------
    function : callable
    kinds : Kinds, optional
        Tells how many arguments by place need no look; by default none needs one.
    general : callable
        ``general(args, kwargs)`` does any call.
    use : callable
        Takes the function of four arguments, of those by name and of more by place, that gives what a known
        call gives, None for others, and `LOOK` when it is time to look; None: there is none.
    """

    __slots__ = ("_calls", "_function", "_general", "_kinds", "_left", "_pause", "_plans", "_table", "_use")

    def __init__(
        self, function: Function, kinds: Any, general: Function, use: Callable[[Function | None], None]
    ) -> None:
        self._function, self._kinds, self._general, self._use = function, kinds, general, use
        self._left, self._calls, self._pause, self._plans = _CALLS, _CALLS, _CALLS, _PLANS
        self._table: Any = None

    def count(self, *arguments: Any) -> None:
        """Count a call until native code pays."""
        self._left -= 1
        if not self._left:
            self._left = _CALLS
            if not large.is_there():
                self._use(None)
            elif (source := native(_CALLS * _SAVED)) is not None:
                self._begin(source.known_calls)

    def _begin(self, source: Any) -> None:
        found = source.function(LOOK)
        if found is None:
            self._use(None)
            return
        function, self._table = found
        _tables.append(self)
        self._table[1] = 1
        self._use(function)

    def forget(self) -> None:
        """Forget what is known: it depended on a setting. Looks are half as frequent then, for the memory of
        plans is kept: native code of another thread may be reading them.
        """
        self._calls = min(2 * self._calls, _SELDOM)
        self._table[0], self._table[1] = 0, self._calls
        self._plans = _PLANS

    def look(self, *arguments: Any, named: dict[str, Any] | None = None) -> Any:
        """Do a call, and let the like of it be known if it can be; None where it is none to look at."""
        named = named or {}
        given = arguments[: next((k for k, a in enumerate(arguments) if a is ABSENT), len(arguments))]
        by_place = len(given)
        given += tuple(named.values())
        call = partial(_with_names, self._general, [*named])
        self._table[1] = self._pause
        tensors = list(_tensors(given))
        usual = any(modes() is mode for mode in COMMON)
        plain = usual and given and all(map(_is_plain, tensors))
        if not plain or _looking or not _are_fixed(given):
            return None
        before = [Generator.get_state(stream).tobytes() for stream in streams]
        result = call(*given)
        if [Generator.get_state(stream).tobytes() for stream in streams] != before:
            return result
        # Where nothing is found, the next look is to wait twice as long.
        self._pause = min(2 * self._pause, _SELDOM)
        self._table[1] = self._pause
        _looking.append(self)
        token, before_modes = imports.set(False), put_modes(modes())
        try:
            alike = result
            if modes() is INFERENCE:
                # What is known without a history is known there too, but for the counters of versions.
                put_modes(NO_GRAD)
                tensors = _with_history([tensor._value for tensor in tensors], [False] * len(tensors))
                given = _replaced(given, iter(tensors))
                alike = call(*given)
                _check_inferred(result, alike, tensors)
            looked_at = self._kinds is not None and by_place > self._kinds.safe
            function = call if named or looked_at else self._function
            plan = _planned(function, given, tensors, alike)
        except Exception:  # noqa: BLE001  # whatever keeps a function from running without elements
            return result
        finally:
            imports.reset(token)
            reset_modes(before_modes)
            _looking.pop()
        if large.chains().known_calls.add(self._table, arguments, named, *plan):
            self._plans -= 1
            self._pause = self._calls
            self._table[1] = self._calls if self._plans else _NEVER
        return result


#: The streams from which functions draw where none is named (`tensor.random`).
streams: list[Any] = []
#: What has a table, and what is looked at now.
_tables: list[Known] = []
_looking: list[Known] = []


@process.watchers.append
def _forget() -> None:
    for known in _tables:
        known.forget()


def _tensors(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif type(value) is list or type(value) is tuple:
            yield from _tensors(value)


def _with_names(general: Function, names: list[str], *given: Any) -> Any:
    """Return what a call gives of which the last arguments are given by name."""
    count = len(given) - len(names)
    return general(given[:count], dict(zip(names, given[count:], strict=True)))


#: Types of arguments that never change, beside numbers and text.
_FIXED = (type(None), bool, int, float, str, type(...), type(ABSENT), dtypes.dtype, device)
#: Types of the ends of slices.
_ENDS = {type(None), int}


def _are_fixed(values: Any) -> bool:
    """Return whether equal arguments are equal again, in lists and tuples too."""
    return all(
        isinstance(v, TensorBase) or type(v) in _FIXED
        or ((type(v) is list or type(v) is tuple) and _are_fixed(v))
        or (type(v) is slice and {type(v.start), type(v.stop), type(v.step)} <= _ENDS)
        for v in values
    )  # fmt: skip


def _is_plain(tensor: Any) -> bool:
    array = tensor._value
    return (
        (type(tensor) is facade.Tensor or type(tensor) is facade.Parameter)
        and type(array) is ndarray and array.size > 0
        and (type(tensor._counter) is list or modes() is INFERENCE)
    )  # fmt: skip


def _has_history(tensor: Any) -> bool:
    """Return whether a call continues the history of a tensor, where the mode records."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    return tensor._node is not None and modes() is DEFAULT


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Let this thread's warnings be errors in the block, without a change to the filters, which would let
    warnings that were given be given again.
    """
    thread, usual = get_ident(), warnings.warn

    def warn(*args: Any, **kwargs: Any) -> None:
        if get_ident() == thread:
            raise Unplanned
        usual(*args, **kwargs)

    warnings.warn = warn
    try:
        yield
    finally:
        warnings.warn = usual


def _planned(function: Function, given: tuple[Any, ...], tensors: list[Any], result: Any) -> Any:
    """Return what computes a call, its results and their container (`known_calls.KnownCalls.add`).

    Raises
    ------
    Exception
        It is none whose like can be known.
    """
    notes = _Notes()
    arrays = [tensor._value for tensor in tensors]
    layouts = [notes.layout(a.shape, a.dtype, strides_of(a)) for a in arrays]
    recorded = tuple(map(_has_history, tensors))
    # A tensor that is given twice is two here: the next call may give two.
    stand_ins = _with_history(layouts, recorded, META)
    with _no_warnings():
        noted = function(*_replaced(given, iter(stand_ins)))
    for layout, stand_in, continues in zip(layouts, stand_ins, recorded, strict=True):
        count = stand_in._counter[0]
        if stand_in._value is not layout or type(count) is not int or count or stand_in._view is not None:
            raise Unplanned
        if (stand_in._node is LEAF) is not continues or not vars(stand_in).keys() <= _OWN:
            raise Unplanned
    several = isinstance(result, (tuple, list))
    container: Any = type(result) if several else None
    if type(noted) is not type(result):
        raise Unplanned
    #: What is given, and then what is computed: by each what stands for it.
    known = list(zip(tensors, stand_ins, strict=True))
    told, ends = _told_all(result, noted, known)
    made = known[len(tensors) :]
    history = History(stand_ins, [stand_in for _, stand_in in known], [edge for _, edge in ends])
    compute = None
    if made or history.held:
        if any(a.size > MOST for a in arrays):
            raise Unplanned
        names = [_name(notes, real._value, stand_in._value) for real, stand_in in made]
        names += [value.name for value in history.held]
        compute = notes.function([layout.name for layout in layouts], names)
    history.check([real for real, _ in known], _compared(compute, arrays, made), ends)
    for probe in probes(arrays):
        _ask(function, given, _with_history(probe, recorded), stand_ins, noted, compute, history)
    moved = None
    if compute is not None and notes.moves and len(made) == 1 and not history.held:
        found = sources(compute, arrays, made[0][0]._value)
        moved = None if found is None else (made[0][0]._value, found)
    any_history = notes.any_history and all(type(r) is int and r >= len(tensors) for r, _ in told)
    attached = [(len(tensors) + k, history.source(v._node)) for k, (_, v) in enumerate(made)]
    results = [(r, history.source(edge)) for r, edge in told]
    return (
        compute, moved, len(made), results, container, None if any_history else recorded, history.nodes,
        len(history.held), [(k, source) for k, source in attached if source.kind != CONSTANT],
    )  # fmt: skip


#: What a tensor that stands for an argument may have of its own when it was used.
_OWN = {"_level", "_accumulator"}


def _with_history(values: Sequence[Any], recorded: Sequence[bool], level: int = 0) -> list[Any]:
    """Return tensors around values, leaves where a history is to be continued."""
    return [wrap(v, LEAF if r else None, level) for v, r in zip(values, recorded, strict=True)]


def _check_inferred(inferred: Any, result: Any, tensors: list[Any]) -> None:
    """Raise where a call gives other arrays in inference mode than it gives without a history."""
    for own, other in _pairs(inferred, result):
        x, y = own._value, other._value
        shared = [(np.may_share_memory(x, v._value), np.may_share_memory(y, v._value)) for v in tensors]
        if (
            type(x) is not ndarray or (x.shape, x.dtype, strides_of(x)) != (y.shape, y.dtype, strides_of(y))
            or x.tobytes() != y.tobytes() or any(mine is not its for mine, its in shared)
        ):  # fmt: skip
            raise Unplanned


def _pairs(result: Any, noted: Any) -> Any:
    return zip(result, noted, strict=True) if isinstance(noted, (tuple, list)) else [(result, noted)]


def _told_all(result: Any, noted: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return what tells each result (`_told`), with the edge that leads to a view; and the edges that lead to
    what is computed and to views, each with the edge of what stands for it.
    """
    given = len(known)
    several = isinstance(noted, (tuple, list))
    pairs = list(zip(result, noted, strict=True)) if several else [(result, noted)]
    told = [_told(real, stand_in, known) for real, stand_in in pairs]
    views = [pair for pair, v in zip(pairs, told, strict=True) if type(v) is tuple]
    ends = [(real._node, stand_in._node) for real, stand_in in [*known[given:], *views]]
    edges = [s._node if type(v) is tuple else None for (_, s), v in zip(pairs, told, strict=True)]
    return list(zip(told, edges, strict=True)), ends


def _ask(
    function: Function, given: tuple[Any, ...], tensors: list[Any], stand_ins: list[Any], noted: Any,
    compute: Function | None, history: History,
) -> None:
    """Raise where a call with other elements does not give what was noted: it looks at them before an op
    runs, as a loss looks at its classes.
    """
    arrays = [tensor._value for tensor in tensors]
    try:
        found = () if compute is None else compute(*arrays)
    except Exception:  # noqa: BLE001  # the call is then done in Python, which says what is wrong
        return
    with _no_warnings(), np.errstate(all="ignore"):
        result = function(*_replaced(given, iter(tensors)))
    known = list(zip(tensors, stand_ins, strict=True))
    _, ends = _told_all(result, noted, known)
    made = [real._value for real, _ in known[len(tensors) :]]
    found = found if type(found) is tuple else (found,)
    for own, value in zip(found, made, strict=False):
        if own.tobytes() != value.tobytes():
            raise Unplanned
    history.check([real for real, _ in known], found[len(made) :], ends)


def _name(notes: _Notes, value: ndarray, layout: Any) -> str:
    """Return the name of a result, which is a constant where no op gave it."""
    if isinstance(layout, _Layout):
        return layout.name
    if type(layout) is ndarray:
        # There are no tensors among the arguments: this is what a second call gave.
        equal = layout.tobytes() == value.tobytes() and not np.may_share_memory(layout, value)
    else:
        equal = len({*map(bytes, value.reshape(-1, 1).view(np.uint8))}) == 1
    if not equal:
        raise Unplanned
    return notes.constant(value)


def _replaced(values: Any, stand_ins: Iterator[Any]) -> Any:
    return type(values)([
        _replaced(v, stand_ins) if type(v) is list or type(v) is tuple
        else next(stand_ins) if isinstance(v, TensorBase) else v
        for v in values
    ])  # fmt: skip


def _told(real: Any, stand_in: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return the number of a tensor that is known, or what tells a view of one (`known_calls.Viewed`); what
    is computed becomes known.
    """
    if stand_in._view is not None:
        return _view(real, stand_in, known)
    value, layout = real._value, stand_in._value
    for k, (tensor, own) in enumerate(known):
        if stand_in is own:
            if real is not tensor:
                raise Unplanned
            return k
    if (
        type(real) is not facade.Tensor or type(value) is not ndarray
        or real._view is not None or any(real is tensor for tensor, _ in known)
        or not isinstance(layout, Meta | ndarray)
        or (layout.shape, layout.dtype) != (value.shape, value.dtype)
    ):  # fmt: skip
        raise Unplanned
    known.append((real, stand_in))
    return len(known) - 1


def _view(real: Any, stand_in: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return (number, array, offset in bytes, steps, creation) of a view of a tensor that is known."""
    record, seen, value, layout = real._view, stand_in._view, real._value, stand_in._value
    if type(real) is not facade.Tensor or record is None or type(value) is not ndarray:
        raise Unplanned
    number = next((k for k, (_, own) in enumerate(known) if own is seen.base), -1)
    if number < 0:
        number = _told(record.base, seen.base, known)
    tensor = known[number][0]
    base, steps = tensor._value, steps_behind(record, tensor)
    offset = address(value) - address(base)
    creation = DEFAULT_VIEW if record.chain[1][2] is None else MULTI_VIEW
    if (
        record.at != tensor._counter[0] or real._counter is not tensor._counter or seen.steps != steps
        or (modes() is DEFAULT and (seen.creation, record.creation) != (creation, creation))
        or (layout.shape, layout.dtype) != (value.shape, value.dtype) or layout.strides != strides_of(value)
        or layout.offset * value.itemsize != offset or value.flags.writeable != base.flags.writeable
    ):  # fmt: skip
        raise Unplanned
    return number, value, offset, steps, creation


def _compared(
    compute: Function | None, given: list[ndarray], made: list[tuple[Any, Any]]
) -> Sequence[ndarray]:
    """Return what is computed for nodes alone; raise where the rest is not what the call gave."""
    if compute is None:
        return ()
    found = compute(*given)
    found = found if type(found) is tuple else (found,)
    for own, (real, _) in zip(found, made, strict=False):
        value = real._value
        if (
            type(own) is not ndarray or own.dtype is not value.dtype or own.shape != value.shape
            or own.strides != value.strides or own.tobytes() != value.tobytes()
            or any(np.may_share_memory(own, array) for array in given)
        ):  # fmt: skip
            raise Unplanned
    return found[len(made) :]
