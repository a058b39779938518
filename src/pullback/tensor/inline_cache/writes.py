"""Make the plan of a call that writes to one of its tensors and returns that.

On tensors without elements such a call gives the one that it writes to another value: that is what is to be
computed. A plan computes it and then copies it. The call that was made has changed its tensor; so the plan is
compared with calls on copies, and on other elements. Where the call is recorded, its node becomes the history
of what it writes to; that is no leaf and no view then, and what the node saved of it is copied before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.loop_recording.recording import lying_alike
from ...array.probes import MOST, probe
from ...array.strides import strides_of
from ...core.levels import META
from ...core.modes import INFERENCE, modes
from ...core.node import LEAF
from .draws import Stand
from .nodes import CONSTANT, Before, History, Source, Unplanned
from .planning import OWN, no_warnings, noted_call, replaced, with_history
from .recording import Layout, Notes

Function = Callable[..., Any]


def planned_write(
    function: Function, given: tuple[Any, ...], tensors: Sequence[Any], recorded: tuple[bool, ...],
    result: Any, stand: Stand | None, met: bool, tried: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Return what computes a call and writes what it gives, with what else is a plan
    (`table.InlineCaches.add`). `recorded` tells which tensors had a history before the call. Where it draws,
    it does so from where the streams `stand`. It is tried with fewer other elements where arguments of the
    kind were `met`, at some places with those `tried`. Raises where it is none whose like can be known.
    """
    places = [k for k, tensor in enumerate(tensors) if tensor is result]
    if len(places) != 1 or modes() is INFERENCE or (any(recorded) and result._view is not None):
        raise Unplanned
    (target,) = places
    arrays = [tensor._value for tensor in tensors]
    if any(a.size > MOST for a in arrays):
        raise Unplanned
    compute, stand_in, history = _computing(function, given, arrays, recorded, target, stand)
    again = compute if stand is None else stand.again(compute)
    own = [lying_alike(array, array) for array in arrays]

    def ask(others: list[ndarray]) -> bool:
        tensors = _before(others, recorded, target)
        held = _compare(function, given, tensors, recorded, target, again, stand)
        if held is None:
            return False
        history.check(tensors, held, [(tensors[target]._node, stand_in._node)])
        return True

    ask(own)
    probe(own, ask, again=met, own=tried)
    attached = [(target, history.source(stand_in._node))] if history.nodes else []
    results = [(target, Source(CONSTANT))]
    return (
        compute, 0, results, None, recorded, history.nodes, len(history.held), attached, 0, target, arrays
    )  # fmt: skip


def _before(values: Sequence[Any], recorded: Sequence[bool], target: int, level: int = 0) -> list[Any]:
    """Return tensors around values as they are before a call that writes to one of them."""
    tensors = with_history(values, recorded, level)
    if recorded[target]:
        tensors[target]._node = Before(target)
    return tensors


def _computing(
    function: Function, given: tuple[Any, ...], arrays: Sequence[ndarray], recorded: Sequence[bool],
    target: int, stand: Stand | None,
) -> tuple[Callable[..., Any], Any, History]:  # fmt: skip
    """Return a function of arrays that writes to one of them what a call gives, and gives what nodes alone
    hold; the tensor without elements that was written to; and the nodes.
    """
    notes = Notes()
    layouts = [notes.layout(a.shape, a.dtype, strides_of(a)) for a in arrays]
    stand_ins = _before(layouts, recorded, target, META)
    noted = noted_call(notes, function, replaced(given, iter(stand_ins)), stand)
    _check(noted, stand_ins, recorded, target)
    for k, (layout, stand_in) in enumerate(zip(layouts, stand_ins, strict=True)):
        if (stand_in._value is layout) is (k == target):
            raise Unplanned
    new, old = stand_ins[target]._value, layouts[target]
    if not isinstance(new, Layout) or (new.shape, new.dtype) != (old.shape, old.dtype):
        raise Unplanned
    history = History(stand_ins, stand_ins, [stand_ins[target]._node])
    notes.write(old, new)
    held = [notes.copied_first(v) if v is old else v.name for v in history.held]
    return notes.function([layout.name for layout in layouts], held or ["()"]), stand_ins[target], history


def _check(found: Any, tensors: Sequence[Any], recorded: Sequence[bool], target: int) -> None:
    """Raise where a call did not write to one tensor alone, once, and return it."""
    for k, tensor in enumerate(tensors):
        if tensor._counter[0] != (k == target) or tensor._view is not None:
            raise Unplanned
        if k == target and any(recorded):
            if tensor._node is None or type(tensor._node) is Before:
                raise Unplanned
        elif tensor._node is not (LEAF if recorded[k] else None):
            raise Unplanned
        if not vars(tensor).keys() <= OWN:
            raise Unplanned
    if found is not tensors[target]:
        raise Unplanned


def _compare(
    function: Function, given: tuple[Any, ...], tensors: Sequence[Any], recorded: Sequence[bool], target: int,
    compute: Callable[..., Any], stand: Stand | None,
) -> tuple[ndarray, ...] | None:  # fmt: skip
    """Raise where the call leaves other elements than the plan does; return what the plan has for nodes, None
    where it does not take the elements.
    """
    its = [tensor._value for tensor in tensors]
    mine = [lying_alike(array, array) for array in its]
    try:
        held = compute(*mine)
    except Exception:  # noqa: BLE001  # the call is then done in Python, which says what is wrong
        return None
    end = None if stand is None else stand.place()
    with no_warnings(), np.errstate(all="ignore"):
        found = function(*replaced(given, iter(tensors)))
    if stand is not None and stand.place() != end:
        raise Unplanned
    _check(found, tensors, recorded, target)
    for tensor, own, other in zip(tensors, mine, its, strict=True):
        if tensor._value is not other or own.tobytes() != other.tobytes():
            raise Unplanned
    return held if type(held) is tuple else (held,)
