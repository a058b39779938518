"""Rules of the pullback on small arrays whose like was seen before: the loops that they called, called again.

A rule is a function of arrays like a plan's (`array.loop_recording`): of a covector, of what the node saved,
and of attributes, which are compared one by one. The engine's native loop asks here before it calls the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from ....array import process
from ....array.scipy_functions import imports
from ...emit.restricted_python import Bool, Int, Object, Words, native, null, python, room
from ...runtime.python_objects import shared
from .arguments import AT_ARRAY, AT_HOT, AT_NONE, FIRST, LEFT, TENSORS, argument_words, match, match_layout
from .table import InlineCaches

#: Calls behind which a rule is looked at, plans that it has at most, and elements of an array up to which.
_CALLS, _PLANS, _MOST, _SELDOM = 100, 16, 1 << 15, 1 << 40
#: Words of a plan: the next, what computes; what tells the arguments follows.
_NEXT, _COMPUTE, _TOLD = range(3)
#: The kind of an argument that is an array by itself, beside those of `arguments`.
_BARE_ARRAY = 7
_FIXED = (type(None), bool, int, float, str, np.dtype)


class KnownRules:
    """Native functions of rules, which give None where they know nothing."""

    def __init__(self, caches: InlineCaches) -> None:
        self._caches = caches
        self._known: list[_KnownRule] = []
        process.watchers.append(self._forget)

    def function(self, rule: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return the function of a rule; None where there is no native code."""
        known = _KnownRule(rule, self._caches)
        found = self.counted(known.look, _CALLS)
        if found is None:
            return None
        function, known.table = found
        self._known.append(known)
        return function

    def counted(self, look: Callable[..., Any], calls: int) -> tuple[Callable[..., Any], np.ndarray] | None:
        """Return a native function and its table: of so many calls the last one gives what `look` does, the
        others None. None where there is no native code.
        """
        found = self._caches.function(look, "known_rule")
        if found is not None:
            found[1][LEFT] = calls
        return found

    def _forget(self) -> None:
        for known in self._known:
            known.table[FIRST] = 0


class _KnownRule:
    """The calls of a rule that are known, in a table."""

    def __init__(self, rule: Callable[..., Any], caches: InlineCaches) -> None:
        self._rule, self._caches = rule, caches
        self._pause, self._plans = _CALLS, _PLANS
        self._kept: list[Any] = []
        self.table: Any = None

    def look(self, *given: Any) -> None:
        """Find out which loops a call is, for those that are to come."""
        # Where none are found, the next attempt is to wait twice as long.
        self._pause = min(2 * self._pause, _SELDOM)
        self.table[LEFT] = self._pause if self._plans else _SELDOM
        arrays = [v for v in given if type(v) is ndarray]
        others = [None if type(v) is ndarray else v for v in given]
        if len(arrays) > TENSORS or any(not 0 < a.size <= _MOST for a in arrays):
            return
        if not all(map(_is_fixed, others)):
            return
        rule, are_arrays = self._rule, [type(v) is ndarray for v in given]

        def called(*arrays: ndarray) -> Any:
            each = iter(arrays)
            return rule(*[next(each) if is_array else v for is_array, v in zip(are_arrays, others)])

        def compute(*arrays: ndarray) -> Any:
            found = called(*arrays)
            return tuple([v for v in found if v is not None]) if type(found) is tuple else found

        token = imports.set(False)
        try:
            found = called(*arrays)
            parts = found if type(found) is tuple else (found,)
            if not {ndarray} <= {*map(type, parts)} <= {ndarray, type(None)}:
                return
            if any(v is not None and np.may_share_memory(v, a) for v in parts for a in arrays):
                self._pause = min(16 * self._pause, _SELDOM)  # its next results are likely to be views, too
                return
            replayed = self._caches.replayed(compute, arrays)
        finally:
            imports.reset(token)
        told: list[int] = []
        if replayed is compute or not all(self._tell(v, told) for v in given):
            return
        if type(found) is tuple and (len(parts) == 1 or any(v is None for v in parts)):
            replayed = _with_gaps(replayed, [v is None for v in parts])
        own = np.array([int(self.table[FIRST]), id(replayed), *told], np.int64)
        self._kept += [own, replayed]
        self.table[FIRST] = own.ctypes.data
        self._plans -= 1
        self._pause = _CALLS
        self.table[LEFT] = _CALLS

    def _tell(self, value: Any, told: list[int]) -> bool:
        if type(value) is not ndarray:
            return argument_words(value, told, self._kept, None)
        told += [_BARE_ARRAY, id(value.dtype), value.ndim, *value.shape, *value.strides]
        self._kept.append(value.dtype)
        return True


def _with_gaps(function: Callable[..., Any], gaps: list[bool]) -> Callable[..., Any]:
    """Return what gives the results of a function as a tuple, with None at some places."""

    def spread(*arrays: ndarray) -> tuple[Any, ...]:
        found = function(*arrays)
        each = iter(found if type(found) is tuple else (found,))
        return tuple([None if gap else next(each) for gap in gaps])

    return spread


def _is_fixed(value: Any) -> bool:
    """Return whether a value never changes."""
    return all(map(_is_fixed, value)) if isinstance(value, tuple) else isinstance(value, _FIXED)


@native
def match_value(thing: Object, told: Words, header: Words, aside: Words) -> Words:
    """Compare an argument with what tells it, and return what tells the next; null where they differ. Arrays
    are put aside.
    """
    if told[0] != _BARE_ARRAY:
        return match(thing, told, header, aside, 0)
    if thing.type is not header[AT_ARRAY]:
        return null
    following = match_layout(thing, told)
    if following is null:
        return null
    count = aside[0] + 1
    aside[0] = count
    aside[count] = thing
    return following


@native
def are_known(plan: Words, arguments: Object, given: Int, header: Words, aside: Words) -> Bool:
    """Return whether arguments are as a plan says."""
    told = plan + _TOLD
    for a in range(given):
        told = match_value(arguments[a], told, header, aside)
        if told is null:
            return False
    return True


@native
def known_rule(owner: Object, arguments: Object, given: Int) -> Object:
    """Do a rule by a plan; None where there is none, which is counted."""
    header: Words = owner.data
    none: Object = header[AT_NONE]
    aside = room(1 + TENSORS)
    plan: Words = header[FIRST]
    while plan is not null:
        aside[0] = 0
        if are_known(plan, arguments, given, header, aside):
            kernels: Object = plan[_COMPUTE]
            return python.PyObject_Vectorcall(kernels, aside + 1, aside[0], null)
        following: Words = plan[_NEXT]
        plan = following
    header[LEFT] -= 1
    if header[LEFT] != 0:
        return shared(none)
    look: Object = header[AT_HOT]
    return python.PyObject_Vectorcall(look, arguments, given, null)
