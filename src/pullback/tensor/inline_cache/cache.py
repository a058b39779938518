"""Inline caches of public functions: calls whose like was seen before, done by native code without a look at
their arguments.

Of `x.transpose(0, 1)` torch needs 1 µs and Python 1.8: the arguments are read and checked, an op is called, a
tensor is made, and a node where it has a history. All that depends on the kinds of the arguments alone, that
is on numbers and on shapes, strides and dtypes of tensors and on which of them have a history. So when a
function has been called often enough, a plan is made for such a call (`planning`): the native code
(`compiler.eager_kernels.inline_cache`) does what it says wherever arguments of the same kinds come again, in
the default mode, under `no_grad` and in inference mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from numpy import ndarray

from ...array import dtypes, large, process
from ...array.blas import has_foreign_threads
from ...array.chains import native
from ...array.deferred_import import import_later
from ...array.scipy_functions import imports
from ...core import facade
from ...core.blame import next_sequence
from ...core.calls import ABSENT
from ...core.device import device
from ...core.modes import (
    COMMON,
    DEFAULT,
    INFERENCE,
    NO_GRAD,
    beneath_autocast,
    beneath_hooks,
    modes,
    put_modes,
    reset_modes,
)
from ...core.saved import pack_made
from ...core.tracer import is_tracing
from ...core.value import TensorBase
from ...core.warn import noted as noted_warnings

changes = import_later(".numbers", __package__)
draws = import_later(".draws", __package__)
planning = import_later(".planning", __package__)
writes = import_later(".writes", __package__)

Function = Callable[..., Any]

#: Calls after which a function is looked at, nanoseconds that a call by a plan saves, and the plans that a
#: function has at most.
_CALLS, _SAVED, _PLANS = 100, 4000, 64
#: Calls of what is `repeated`: ops and rules below a level, for which a look of 2 to 5 ms saves 20 to 100 µs.
_REPEATED = 50
#: Elements for which a look waits `_CALLS` calls more: it makes up to 28 calls on as many, 10 ms for `linear`
#: of 384×128 numbers, of which a plan saves 7 to 14 µs each.
_LIGHT = 4096
#: Times as many for arguments of a kind that has had a plan: the look makes seven calls, 5 ms.
_AGAIN = 4
_SELDOM, _NEVER = 1 << 40, 1 << 62
#: Tensors that a call with a plan is given at most. Plans of more were never met: `stack` of 17 had 64 of
#: them, 2 ms each, and took 89 µs to pass them, 12 without.
TENSORS = 16
#: Calls one after another that are asked for numbers that came before, and sets of numbers that need not.
_IN_A_ROW, _FEW = 8, 4

#: What the native function gives when so many calls had no plan that one is to be made.
HOT: Any = object()


class InlineCache:
    """The calls of a public function that have a plan.

    ``general(args, kwargs)`` does any call. `kinds` tell how many arguments by place need no look; by default
    none needs one. `use` takes the function of four arguments, of those by name and of more by place, that
    gives what a call with a plan gives, None for others, and `HOT` when a plan is to be made; None: there is
    none. `looks` says whether it looks at places before a kernel reads or writes there, as public functions
    do.
    """

    __slots__ = ("_asked", "_calls", "_casts", "_earned", "_floats", "_function", "_general", "_kinds",
                 "_left", "_looks", "_met", "_numbers", "_pause", "_plans", "_table", "_use", "_writes")

    def __init__(
        self, function: Function, kinds: Any, general: Function, use: Callable[[Function | None], None],
        looks: bool = True,
    ) -> None:
        self._looks = looks
        self._function, self._kinds, self._general, self._use = function, kinds, general, use
        calls = _CALLS if looks else _REPEATED
        self._left, self._calls, self._pause, self._plans = calls, calls, calls, _PLANS
        self._earned = 0
        #: Whether autocast may cast something in a call that has a plan.
        self._casts = False
        self._asked, self._numbers = 0, dict[tuple[float, ...], int]()
        #: The floats of the call asked last, by their places.
        self._floats: dict[int, float] = {}
        #: Kinds of arguments that have had a plan.
        self._met: set[tuple[Any, ...]] = set()
        self._table: Any = None
        self._writes = getattr(function, "__name__", "").endswith("_")

    def count(self, *arguments: Any) -> None:
        """Count a call until native code pays; what is traced has no plans."""
        self._left -= 1
        if not self._left:
            self._left = self._calls
            if is_tracing():
                return
            if not large.is_there():
                self._use(None)
            elif (source := native(self._calls * _SAVED)) is not None:
                self._begin(source.inline_caches)

    def _begin(self, source: Any) -> None:
        found = source.function(HOT)
        if found is None:
            self._use(None)
            return
        if self._table is not None:  # another thread has been here: plans are added to one table
            return
        function, self._table = found
        _tables.append(self)
        self._table[1] = 1
        self._use(function)

    def forget(self) -> None:
        """Forget the plans: they depended on a setting. New ones are half as frequent then, for the memory of
        plans is kept: native code of another thread may be reading them.
        """
        self._calls = min(2 * self._calls, _SELDOM)
        self._table[0], self._table[1] = 0, self._calls
        self._plans = _PLANS
        self._met.clear()

    def under_a_mode(
        self, cached: Function, a: Any, b: Any, c: Any, d: Any, named: dict[str, Any], more: tuple[Any, ...]
    ) -> Any:
        """Do a call by a plan under autocast alone, which casts nothing in any call planned, or under hooks
        on what is saved; else None.
        """
        mode = modes()
        if mode.saved_hooks:
            return self._under_hooks(mode, cached, (a, b, c, d, *more), named)
        if self._casts or (plain := beneath_autocast(mode)) is None:
            return None
        token = put_modes(plain)
        try:
            found = cached(a, b, c, d, named, *more) if named or more else cached(a, b, c, d)
            if found is HOT:
                found = self.specialise(a, b, c, d, *more, named=named, autocast=True)
        finally:
            reset_modes(token)
        return found

    def _under_hooks(
        self, mode: Any, cached: Function, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Do a call by a plan, and send what its nodes saved through hooks; None where there is none.

        A look does the call once more: what it saves without hooks is not part of the program. So a call that
        draws is not looked at here. One that writes is Python's: hooks may ask for what it overwrites.
        """
        plain = None if mode.autocast is not None or self._writes else beneath_hooks(mode)
        if plain is None:
            return None
        since = next_sequence()
        token = put_modes(plain)
        try:
            a, b, c, d, *more = arguments
            found = cached(a, b, c, d, named, *more) if named or more else cached(a, b, c, d)
        finally:
            reset_modes(token)
        if found is None:
            return None
        tensors = list(_tensors((*arguments, *named.values())))
        if found is not HOT:
            if plain is DEFAULT:
                pack_made(_tensors(tuple(found) if isinstance(found, tuple) else (found,)), tensors, since)
            return found
        before, versions = draws.Stand(streams), [int(t._counter[0]) for t in tensors]
        result = self._general(tuple([v for v in arguments if v is not ABSENT]), named)
        if not before.note_end() and versions == [int(t._counter[0]) for t in tensors]:
            token = put_modes(plain)
            try:
                with noted_warnings():  # the first call gave them
                    self.specialise(*arguments, named=named)
            finally:
                reset_modes(token)
        return result

    def _is_told_beneath(self, casts: bool | None) -> bool:
        """Return whether autocast, which is on, is known to cast nothing in a call. Where it casts something,
        the function is called once more with what was cast, and plans are made of those calls.
        """
        self._casts = bool(casts)
        if casts is None:
            self._pause = self._table[1] = min(2 * self._pause, _SELDOM)
        return casts is False

    def specialise(self, *arguments: Any, named: dict[str, Any] | None = None, autocast: bool = False) -> Any:
        """Do a call, and make a plan for such calls if there can be one; None where it is none to look at, as
        one in which `autocast`, which is on, casts something.
        """
        named = named or {}
        given = arguments[: next((k for k, a in enumerate(arguments) if a is ABSENT), len(arguments))]
        given += tuple(named.values())
        call = partial(_with_names, self._general, [*named])
        self._table[1] = self._pause
        tensors = list(_tensors(given))
        plain = given and len(tensors) <= TENSORS and all(map(_is_plain, tensors)) and _are_usual(modes())
        numbers = tuple(_numbers(given)) if plain and not _specialising and _are_fixed(given) else None
        if numbers is None:
            return None
        own: dict[int, Any] = {}
        if numbers and self._are_new(numbers):
            own = self._changing(given, tensors)
            if autocast or not own:
                return None
            call, given, arguments, named = changes.as_operands(call, given, own, arguments, named)
        return self._specialised(call, given, own, arguments, named, autocast)

    def _specialised(
        self, call: Function, given: tuple[Any, ...], own: dict[int, Any], arguments: tuple[Any, ...],
        named: dict[str, Any], autocast: bool,
    ) -> Any:  # fmt: skip
        """Do a call of which a plan may be made; `own` stands for numbers that change, by their places."""
        tensors, by_place = list(_tensors(given)), len(given) - len(named)
        kind = (*_kinds(given), *named)
        met = kind in self._met
        if self._waits_longer(tensors, met):
            return None
        before, versions = draws.Stand(streams), [*map(_version, tensors)]
        if autocast and not self._is_told_beneath(planning.casts(call, given, tensors)):
            before.restore()
            return None
        recorded = tuple(map(planning.has_history, tensors))
        result = call(*given)
        stand = before if before.note_end() else None
        if stand and (own or has_foreign_threads()):  # what they draw meanwhile would be drawn twice
            return result
        # Where no plan is found, the next attempt is to wait twice as long.
        self._pause = min(2 * self._pause, _SELDOM)
        self._table[1] = self._pause
        _specialising.append(self)
        if stand:
            call = stand.again(call)
        token, before_modes = imports.set(False), put_modes(modes())
        try:
            alike, source = result, large.chains().inline_caches
            if modes() is INFERENCE:
                # What is known without a history is known there too, but for the counters of versions.
                put_modes(NO_GRAD)
                given, tensors, alike = planning.without_inference(call, given, tensors, result)
                versions = [0] * len(tensors)
            looked_at = self._kinds is not None and by_place > self._kinds.safe
            function = call if named or looked_at or stand or own else self._function
            compute, *plan = self._planned(
                source, function, given, tensors, versions, recorded, alike, stand, met, own
            )
            self._casts = self._casts or not (met or planning.casts(call, given, tensors) is False)
            # In between another thread's trace may have come upon a tensor, which has no strides then.
            is_told = source.add(self._table, arguments, named, compute, *plan)
        except Exception:  # noqa: BLE001  # whatever keeps a function from running without elements
            return result
        finally:
            if stand:
                stand.restore_end()
            imports.reset(token)
            reset_modes(before_modes)
            _specialising.pop()
        if is_told:
            self._met.add(kind)
            self._note_plan()
        return result

    def _waits_longer(self, tensors: list[Any], met: bool) -> bool:
        """Return whether a look at tensors, of a kind that has had a plan if `met`, does not pay yet."""
        self._earned += _LIGHT * (_AGAIN if met else 1)
        if self._looks and max([tensor._value.size for tensor in tensors], default=0) > self._earned:
            self._table[1] = _CALLS
            return True
        self._earned = 0
        return False

    def _planned(
        self, source: Any, function: Function, given: Any, tensors: list[Any], versions: list[int],
        recorded: tuple[bool, ...], result: Any, stand: Any, met: bool, own: dict[int, Any],
    ) -> Any:  # fmt: skip
        tried = {k: v.alike for k, tensor in enumerate(tensors) for v in own.values() if v.tensor is tensor}
        texts: list[Any] = []
        # What writes by its name, or because it was told to (``inplace=True``).
        if self._writes or any(
            result is tensor and _version(tensor) != version
            for tensor, version in zip(tensors, versions, strict=True)
        ):
            compute, *plan = writes.planned_write(
                function, given, tensors, recorded, result, stand, met, tried
            )
        else:
            compute, *plan = planning.planned(
                function, given, tensors, result, self._looks, stand, met, texts, tried
            )
        if compute is not None and not getattr(compute, "is_data_shaped", False):
            arrays = [tensor._value for tensor in tensors]
            called, compute = compute, source.replayed(compute, arrays, plan[-2], stand, [*tried])
            if tried and compute is called:
                raise planning.Unplanned
        if texts:
            compute = planning.warned(compute, texts, bool(stand))
        return compute, *plan

    def _note_plan(self) -> None:
        self._plans -= 1
        self._pause = self._calls
        self._table[1] = self._calls if self._plans else _NEVER

    def _changing(self, given: tuple[Any, ...], tensors: list[Any]) -> dict[int, Any]:
        """Return what stands for the floats that differ from those of the call asked before."""
        before, self._floats = self._floats, {k: v for k, v in enumerate(given) if type(v) is float}
        changed = {k: v for k, v in self._floats.items() if before.get(k, v) != v}
        if modes() is INFERENCE or any(map(planning.has_history, tensors)):
            return {}
        found: dict[int, Any] = changes.changing(changed, [tensor._value for tensor in tensors])
        return found

    def _are_new(self, numbers: tuple[float, ...]) -> bool:
        """Return whether numbers, behind the first few, were not given before the last pause: those of a rate
        that grows never come again, and had 64 plans of 2 to 10 ms each (Adam's `div_` and `addcdiv_`).
        """
        met, turn = self._numbers, self._asked // _IN_A_ROW
        if met.setdefault(numbers, turn) < turn or len(met) <= _FEW:
            return False
        self._asked += 1
        self._table[1] = 1
        if not self._asked % _IN_A_ROW:
            self._table[1] = self._pause = min(2 * self._pause, _SELDOM)
        if len(met) > _PLANS:
            met.clear()
        return True


def repeated(function: Function) -> Function:
    """Return a function that does what another one of arguments by place does, with an inline cache."""
    cached: Function | None = None

    def use(found: Function | None) -> None:
        nonlocal cached
        cached = found

    cache = InlineCache(function, None, lambda given, named: function(*given), use, looks=False)
    cached = cache.count

    def call(a: Any, b: Any = ABSENT, c: Any = ABSENT, d: Any = ABSENT, /, *more: Any) -> Any:
        found = None
        if cached is not None:
            found = cached(a, b, c, d, {}, *more) if more else cached(a, b, c, d)
            if found is HOT:
                found = cache.specialise(a, b, c, d, *more)
        if found is not None:
            return found
        if more:
            return function(a, b, c, d, *more)
        return function(*[v for v in (a, b, c, d) if v is not ABSENT])

    return call


facade.provide(repeated=repeated)

#: The streams from which functions draw where none is named (`tensor.random`).
streams: list[Any] = []
#: What has a table, and what is being specialised now.
_tables: list[InlineCache] = []
_specialising: list[InlineCache | None] = []


@contextmanager
def without_looks() -> Iterator[None]:
    """Make no plans in the block, for calls that are soon made in another way."""
    _specialising.append(None)
    try:
        yield
    finally:
        _specialising.pop()


@process.watchers.append
def _forget() -> None:
    for cache in _tables:
        cache.forget()


def _tensors(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif type(value) is list or type(value) is tuple:
            yield from _tensors(value)


def _version(tensor: Any) -> int:
    """Return how often a tensor was written to; 0 for one of inference mode, which has no count."""
    return tensor._counter[0] if type(tensor._counter) is list else 0


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


def _numbers(values: Any) -> Iterator[float]:
    """Yield the numbers among arguments, also those in lists, tuples and slices."""
    for value in values:
        if type(value) is int or type(value) is float:
            yield value
        elif type(value) is list or type(value) is tuple:
            yield from _numbers(value)
        elif type(value) is slice:
            yield from _numbers((value.start, value.stop, value.step))


def _kinds(values: Any) -> Iterator[Any]:
    """Yield what arguments are, but for sizes and numbers."""
    for value in values:
        if isinstance(value, TensorBase):
            array = value._value
            yield array.dtype, array.ndim, array.size == 1, value._node is None
        elif type(value) is list or type(value) is tuple:
            yield (type(value), *_kinds(value))
        elif type(value) is int or type(value) is float or type(value) is slice:
            yield type(value)
        else:
            yield value


def _are_usual(now: Any) -> bool:
    return any(now is mode for mode in COMMON)


def _is_plain(tensor: Any) -> bool:
    array = tensor._value
    return (
        (type(tensor) is facade.Tensor or type(tensor) is facade.Parameter)
        and type(array) is ndarray and array.size > 0
        and (type(tensor._counter) is list or modes() is INFERENCE)
    )  # fmt: skip
