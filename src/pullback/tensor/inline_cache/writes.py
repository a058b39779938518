"""Make the plan of a call that writes to one of its tensors and returns that, where nothing is recorded.

On tensors without elements such a call gives the one that it writes to another value: that is what is to be
computed. A plan computes it and then copies it. The call that was made has changed its tensor; so the plan is
compared with calls on copies, and on other elements.
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
from .draws import Stand
from .nodes import CONSTANT, Source, Unplanned
from .planning import OWN, has_history, no_warnings, noted_call, replaced, with_history
from .recording import Layout, Notes

Function = Callable[..., Any]


def planned_write(
    function: Function, given: tuple[Any, ...], tensors: Sequence[Any], result: Any,
    stand: Stand | None = None, met: bool = False,
) -> tuple[Any, ...]:  # fmt: skip
    """Return what computes a call and writes what it gives, with what else is a plan
    (`table.InlineCaches.add`). Where it draws, it does so from where the streams `stand`. It is tried with
    fewer other elements where arguments of the kind were `met`. Raises where it is none whose like can be
    known.
    """
    places = [k for k, tensor in enumerate(tensors) if tensor is result]
    if len(places) != 1 or modes() is INFERENCE or any(map(has_history, tensors)):
        raise Unplanned
    (target,) = places
    arrays = [tensor._value for tensor in tensors]
    if any(a.size > MOST for a in arrays):
        raise Unplanned
    compute = _computing(function, given, arrays, target, stand)
    again = compute if stand is None else stand.again(compute)
    own = [lying_alike(array, array) for array in arrays]

    def ask(others: list[ndarray]) -> bool:
        return _compare(function, given, others, target, again, stand)

    ask(own)
    probe(own, ask, again=met)
    recorded = (False,) * len(tensors)
    return compute, 0, [(target, Source(CONSTANT))], None, recorded, [], 0, [], 0, target, arrays


def _computing(
    function: Function, given: tuple[Any, ...], arrays: Sequence[ndarray], target: int, stand: Stand | None
) -> Callable[..., Any]:
    """Return a function of arrays that writes to one of them what a call gives."""
    notes = Notes()
    layouts = [notes.layout(a.shape, a.dtype, strides_of(a)) for a in arrays]
    stand_ins = with_history(layouts, (False,) * len(arrays), META)
    noted = noted_call(notes, function, replaced(given, iter(stand_ins)), stand)
    _check(noted, stand_ins, target)
    for k, (layout, stand_in) in enumerate(zip(layouts, stand_ins, strict=True)):
        if (stand_in._value is layout) is (k == target):
            raise Unplanned
    new, old = stand_ins[target]._value, layouts[target]
    if not isinstance(new, Layout) or (new.shape, new.dtype) != (old.shape, old.dtype):
        raise Unplanned
    notes.write(old, new)
    return notes.function([layout.name for layout in layouts], ["()"])


def _check(found: Any, tensors: Sequence[Any], target: int) -> None:
    """Raise where a call did not write to one tensor alone, once, and return it."""
    for k, tensor in enumerate(tensors):
        if tensor._counter[0] != (k == target) or tensor._view is not None or tensor._node is not None:
            raise Unplanned
        if not vars(tensor).keys() <= OWN:
            raise Unplanned
    if found is not tensors[target]:
        raise Unplanned


def _compare(
    function: Function, given: tuple[Any, ...], arrays: Sequence[ndarray], target: int,
    compute: Callable[..., Any], stand: Stand | None,
) -> bool:  # fmt: skip
    """Raise where the call leaves other elements than the plan does; return whether that takes them."""
    its = [lying_alike(array, array) for array in arrays]
    mine = [*arrays]
    mine[target] = lying_alike(arrays[target], arrays[target])
    try:
        compute(*mine)
    except Exception:  # noqa: BLE001  # the call is then done in Python, which says what is wrong
        return False
    end = None if stand is None else stand.place()
    tensors = with_history(its, (False,) * len(its))
    with no_warnings(), np.errstate(all="ignore"):
        found = function(*replaced(given, iter(tensors)))
    if stand is not None and stand.place() != end:
        raise Unplanned
    _check(found, tensors, target)
    for tensor, own, other in zip(tensors, mine, its, strict=True):
        if tensor._value is not other or own.tobytes() != other.tobytes():
            raise Unplanned
    return True
