"""Make the plan of a call: what computes it, and what tells its results and the nodes that it leaves behind.

The call is made once more on tensors without elements (`core.meta`), which note the ops that run
(`recording`). If it takes no look at an element and changes nothing, and if the ops give
what the call itself gave, bit for bit, view for view and node for node (`nodes`), also for other elements
(`array.probes`), then that is a plan.
"""

from __future__ import annotations

import warnings
from _thread import get_ident
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy import ndarray

from ...array.loop_recording.recording import is_equal, lying_alike
from ...array.probes import MOST, probe
from ...array.strides import address, storage, strides_of
from ...core import facade
from ...core.levels import META
from ...core.meta import Meta, drawn_for
from ...core.modes import DEFAULT, modes, put_modes, reset_modes
from ...core.node import LEAF
from ...core.value import TensorBase, wrap
from ...core.views import DEFAULT_VIEW, MULTI_VIEW, bring_up_to_date
from ...core.warn import noted as noted_warnings
from ...core.warn import warn
from ..cast_functions import is_cast
from ..interception import activate, deactivate
from .draws import Stand
from .nodes import CONSTANT, History, Unplanned, steps_behind
from .recording import Layout, Notes, Unknown

Function = Callable[..., Any]


def has_history(tensor: Any) -> bool:
    """Return whether a call continues the history of a tensor, where the mode records."""
    if tensor._view is not None:
        bring_up_to_date(tensor)
    return tensor._node is not None and modes() is DEFAULT


@contextmanager
def no_warnings() -> Iterator[None]:
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


def without_inference(call: Function, given: tuple[Any, ...], tensors: list[Any], result: Any) -> Any:
    """Return the arguments of a call that inference mode made, its tensors and its result as they are where
    nothing is recorded. The call is made once more, on copies, for it may write to what it is given.

    Raises `Unplanned` where it gives other arrays, or a tensor that is neither known nor one of inference
    mode.
    """
    # A plan makes inference tensors, or views of what is known: `detach` of a normal tensor gives neither.
    results = result if isinstance(result, (tuple, list)) else [result]
    if any(not v._inference and v._view is None and not any(v is t for t in tensors) for v in results):
        raise Unplanned
    arrays = [tensor._value for tensor in tensors]
    tensors = with_history([lying_alike(array, array) for array in arrays], [False] * len(arrays))
    given = replaced(given, iter(tensors))
    with noted_warnings():
        alike = call(*given)
    pairs = zip(result, alike, strict=True) if isinstance(alike, (tuple, list)) else [(result, alike)]
    for own, other in pairs:
        x, y = own._value, other._value
        shared = [
            (np.may_share_memory(x, array), np.may_share_memory(y, v._value))
            for array, v in zip(arrays, tensors, strict=True)
        ]
        if (
            type(x) is not ndarray or (x.shape, x.dtype, strides_of(x)) != (y.shape, y.dtype, strides_of(y))
            or x.tobytes() != y.tobytes() or any(mine is not its for mine, its in shared)
        ):  # fmt: skip
            raise Unplanned
    return given, tensors, alike


def planned(
    function: Function, given: tuple[Any, ...], tensors: list[Any], result: Any, looks: bool,
    stand: Stand | None, met: bool, texts: list[Any], tried: Any,
) -> Any:  # fmt: skip
    """Return what computes a call, its results and their container (`table.InlineCaches.add`). A function
    that `looks` at places before a kernel writes to them is tried with others, with fewer where arguments of
    the kind were `met`, at some places with those `tried`. Where it draws, it does so from where the streams
    `stand`. The warnings that it gives each time are added to `texts`. Raises where it is none whose like can
    be known.
    """
    notes = Notes()
    arrays = [tensor._value for tensor in tensors]
    layouts = [notes.layout(a.shape, a.dtype, strides_of(a)) for a in arrays]
    recorded = tuple(map(has_history, tensors))
    # A tensor that is given twice is two here: the next call may give two.
    stand_ins = with_history(layouts, recorded, META)
    with noted_warnings() as its_texts:
        noted = noted_call(notes, function, replaced(given, iter(stand_ins)), stand)
    texts += its_texts
    _check_unchanged(layouts, stand_ins, recorded)
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
    elif notes.looks or notes.streams or texts:
        raise Unplanned  # nothing would look, draw or warn
    again = compute if stand is None or compute is None else stand.again(compute)
    history.check([real for real, _ in known], _compared(again, arrays, made), ends)
    if stand is not None and stand.place() != stand.end:
        raise Unplanned

    def ask(others: list[ndarray]) -> bool:
        others = with_history(others, recorded)
        with noted_warnings() as its_texts:
            taken = _ask(function, given, others, stand_ins, noted, again, history, stand)
        if taken and its_texts != texts:
            raise Unplanned
        return taken

    probe(arrays, ask, looks, met, tried)
    seen = any(type(r) is tuple and r[0] < len(tensors) for r, _ in told)
    if seen and any((tensor._node is not None) is not r for tensor, r in zip(tensors, recorded, strict=True)):
        raise Unplanned  # a view of what has a history, unrecorded: the plan would not fit this call itself
    versions = {real._counter[0] for real, _ in made}
    if len(versions) > 1:
        raise Unplanned
    any_history = notes.any_history and all(type(r) is int and r >= len(tensors) for r, _ in told)
    attached = [(len(tensors) + k, history.source(v._node)) for k, (_, v) in enumerate(made)]
    results = [(r, history.source(edge)) for r, edge in told]
    return (
        compute, len(made), results, container, None if any_history else recorded, history.nodes,
        len(history.held), [(k, source) for k, source in attached if source.kind != CONSTANT],
        max(versions, default=0), -1, (),
    )  # fmt: skip


def _check_unchanged(layouts: list[Layout], stand_ins: list[Any], recorded: tuple[bool, ...]) -> None:
    """Raise where a call has changed an argument."""
    for layout, stand_in, continues in zip(layouts, stand_ins, recorded, strict=True):
        count = stand_in._counter[0]
        if stand_in._value is not layout or type(count) is not int or count or stand_in._view is not None:
            raise Unplanned
        if (stand_in._node is LEAF) is not continues or not vars(stand_in).keys() <= OWN:
            raise Unplanned


def noted_call(notes: Notes, function: Function, given: Sequence[Any], stand: Stand | None) -> Any:
    """Return what a call on tensors without elements gives; raise where it draws numbers by no op."""
    token = drawn_for.set(notes.drawn_for)
    try:
        with no_warnings():
            noted = function(*given)
    finally:
        drawn_for.reset(token)
    if notes.streams if stand is None else stand.has_moved() or not stand.holds(notes.streams):
        raise Unplanned
    return noted


def warned(compute: Function, texts: Sequence[tuple[str, type[Warning]]], first: bool) -> Function:
    """Return what computes and gives warnings: `first` where it draws, for Python does again what raises."""

    def call(*arrays: ndarray) -> Any:
        found = None if first else compute(*arrays)
        for text, kind in texts:
            warn(text, kind)
        return compute(*arrays) if first else found

    return call


class _Refusing:
    """Raise in place of a cast, and note it."""

    has_met = False

    def casts(self, label: str) -> bool:
        if is_cast(label):
            self.has_met = True
            raise Unplanned
        return False


def casts(call: Function, given: Sequence[Any], tensors: list[Any]) -> bool | None:
    """Return whether autocast casts anything in a call, which is made on tensors without elements; None where
    that cannot be told of those.
    """
    notes, autocast = Notes(), _Refusing()
    arrays = [tensor._value for tensor in tensors]
    stand_ins = [wrap(notes.layout(a.shape, a.dtype, strides_of(a)), None, META) for a in arrays]
    token = put_modes(modes()._replace(autocast=autocast))
    activate()
    drawing = drawn_for.set(notes.drawn_for)
    try:
        with no_warnings(), noted_warnings():
            call(*replaced(given, iter(stand_ins)))
    except Exception:  # noqa: BLE001  # a cast, or what keeps the function from running without elements
        return autocast.has_met or None
    finally:
        drawn_for.reset(drawing)
        deactivate()
        reset_modes(token)
    return False


#: What a tensor that stands for an argument may have of its own when it was used.
OWN = {"_level", "_accumulator"}


def with_history(values: Sequence[Any], recorded: Sequence[bool], level: int = 0) -> list[Any]:
    """Return tensors around values, leaves where a history is to be continued."""
    return [wrap(v, LEAF if r else None, level) for v, r in zip(values, recorded, strict=True)]


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
    compute: Function | None, history: History, stand: Stand | None,
) -> bool:
    """Raise where a call with other elements does not give what was noted: it looks at them before an op
    runs, as a loss looks at its classes. Return whether the plan takes them.
    """
    arrays = [tensor._value for tensor in tensors]
    try:
        found = () if compute is None else compute(*arrays)
    except Exception:  # noqa: BLE001  # the call is then done in Python, which says what is wrong
        return False
    end = None if stand is None else stand.place()
    with no_warnings(), np.errstate(all="ignore"):
        result = function(*replaced(given, iter(tensors)))
    if stand is not None and stand.place() != end:
        raise Unplanned
    known = list(zip(tensors, stand_ins, strict=True))
    _, ends = _told_all(result, noted, known)
    made = [real._value for real, _ in known[len(tensors) :]]
    found = found if type(found) is tuple else (found,)
    for own, value in zip(found, made, strict=False):
        if not is_equal(own, value):
            raise Unplanned
    history.check([real for real, _ in known], found[len(made) :], ends)
    return True


def _name(notes: Notes, value: ndarray, layout: Any) -> str:
    """Return the name of a result, which is a constant where no op gave it."""
    if isinstance(layout, Layout):
        return layout.name
    if type(layout) is ndarray:
        # There are no tensors among the arguments: this is what a second call gave. Memory that is not
        # NumPy's, as that of a file (`from_file`), may be other in the next call.
        equal = layout.tobytes() == value.tobytes() and not np.may_share_memory(layout, value)
        equal = equal and storage(value)[0].flags.owndata
    else:
        equal = len({*map(bytes, value.reshape(-1, 1).view(np.uint8))}) == 1
    if not equal:
        raise Unplanned
    return notes.constant(value)


def replaced(values: Any, stand_ins: Iterator[Any]) -> Any:
    """Return arguments with other tensors in place of theirs, one after another."""
    return type(values)([
        replaced(v, stand_ins) if type(v) is list or type(v) is tuple
        else next(stand_ins) if isinstance(v, TensorBase) else v
        for v in values
    ])  # fmt: skip


def _told(real: Any, stand_in: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return the number of a known tensor, or what tells a view of one; what is computed becomes known."""
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
        or real._counter[0] != stand_in._counter[0]
        or real._view is not None or any(real is tensor for tensor, _ in known)
        or not isinstance(layout, Meta | ndarray)
        or (type(layout) is not Unknown and (layout.shape, layout.dtype) != (value.shape, value.dtype))
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
    # What is taken of a part of several, as attention's heads are of `chunk`'s, stays a part of those.
    above = tensor._view is not None and tensor._view.creation == MULTI_VIEW
    inherited = MULTI_VIEW if above else creation
    if (
        record.at != tensor._counter[0] or real._counter is not tensor._counter or seen.steps != steps
        or (modes() is DEFAULT and (seen.creation, record.creation) != (creation, inherited))
        or (layout.shape, layout.dtype) != (value.shape, value.dtype) or not _lie_alike(layout, value)
        or layout.offset * value.itemsize != offset or value.flags.writeable != base.flags.writeable
    ):  # fmt: skip
        raise Unplanned
    return number, value, offset, steps, creation


def _lie_alike(layout: Any, value: ndarray) -> bool:
    """Return whether elements lie as they were noted to; along an axis of one element there is no step."""
    return all(
        size == 1 or mine == its
        for size, mine, its in zip(value.shape, layout.strides, strides_of(value), strict=True)
    )


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
        # Kernels whose results are parts of an argument, and no views to autograd, are called as they are.
        if (
            type(own) is not ndarray or own.dtype is not value.dtype or own.shape != value.shape
            or own.strides != value.strides or own.tobytes() != value.tobytes()
            or (address(own) != address(value) and any(np.may_share_memory(own, array) for array in given))
        ):  # fmt: skip
            raise Unplanned
    return found[len(made) :]
