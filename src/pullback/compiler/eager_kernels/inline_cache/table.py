"""The native function that does a public call which has a plan in its inline cache (`tensor.inline_cache`).

Each public function has a table of plans. A plan says what the arguments are, to the shape, strides and dtype
of each tensor, and what becomes of them: tensors around views of their memory, which are made here, and such
around arrays that a function of Python computes. `transpose` takes 0.3 µs so and 1.8 in Python. For all else
the native function gives None, and Python does the call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter, methodcaller
from typing import Any

import numpy as np

from ....array.blas import single_threaded
from ....array.loop_recording.recording import agrees, lying_alike, record, takes_as_they_are
from ....array.loop_recording.steps import DECIDE, Recording
from ....array.named_tuples import NamedTuple
from ....array.strides import address, restrided
from ....core import facade
from ....core.blame import written
from ....core.inplace import move_history
from ....tensor.inline_cache.nodes import Left, Source, Unplanned
from ...emit import python_functions
from ...runtime import engine
from .arguments import (
    ARGUMENTS,
    ASKS_HISTORY,
    ASKS_VIEW,
    FIRST,
    NODES,
    OBJECTS,
    TENSORS,
    argument_words,
)  # fmt: skip
from .nodes import NODE_OBJECTS, node_words, source_words
from .parts import PART_OBJECTS
from .replay import Replays
from .results import RESULT
from .text import TOLD

#: Elements of a result, and in loops of ours, up to which a recording is played again. What NumPy has for
#: large arrays, or the kernels choose for them, is no loop that tells: `argmax` of rows of 64×513 took 7 µs
#: in Python and 46 when played, `cat` of two 14 and 25, `tril` of 108×108×3 27 and 67.
_MADE, _OWN = 1 << 13, 1 << 12
#: Elements of a result for each step, as those of a recurrent layer, whose steps are many and small.
_MADE_A_STEP = 1 << 7
#: More calls than those in which a recording is compared.
_TURNS = 100


def _own_elements(recording: Recording) -> int:
    """Return how many elements loops go over that are none of NumPy's."""
    own = [s for s in recording.steps if type(s.ufunc) is str and s.ufunc != DECIDE]
    return sum(math.prod(step.sizes) * math.prod(step.around) for step in own)


#: Of each result of a function which argument it is in another layout, and what gives it; None for others.
Views = list[tuple[int, Callable[[np.ndarray], np.ndarray]] | None]


def _views(compute: Callable[..., Any], arrays: Sequence[np.ndarray]) -> Views:
    """Return which results are arguments in another shape, turned, or parts of one, as the node of a product
    holds them. No loop makes them, and all was called for their sake: a linear layer on 2×20×32 numbers
    takes 9.6 µs now, and took 13.5; `unsafe_split` into two parts 0.9, and took 3.3.
    """
    # Each has memory of its own: what is given twice in this call may be two arrays in the next.
    own = [lying_alike(array, array) for array in arrays]
    with np.errstate(all="ignore"):
        found = compute(*own)
    views: Views = []
    for result in found if type(found) is tuple else (found,):
        place = next((k for k, a in enumerate(own) if a.size and _is_within(result, a)), None)
        view = None if place is None else _view(own[place], result)
        views.append(None if place is None or view is None else (place, view))
    return views


def _is_within(result: np.ndarray, array: np.ndarray) -> bool:
    (first, end), (begin, stop) = map(np.lib.array_utils.byte_bounds, (result, array))
    return bool(result.size) and begin <= first and end <= stop


def _view(array: np.ndarray, result: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """Return what gives a result of an array that lies there; None where that is no plain view."""
    if array.dtype is not result.dtype:
        return None
    offset = address(result) - address(array)
    whole: list[Callable[[np.ndarray], np.ndarray]] = [itemgetter(...), attrgetter("T")]
    whole += [attrgetter("mT")] if array.ndim > 1 else []
    whole += [methodcaller("reshape", result.shape)] if array.size == result.size else []  # else repeated
    for view in [_part(array, result, offset)] if array.size > result.size else whole:
        found = view(array)
        if (address(found), found.shape, found.strides) == (address(result), result.shape, result.strides):
            return view
    reach, within = map(np.lib.array_utils.byte_bounds, (result, array))
    if reach != within or offset:
        return None
    if array.flags.c_contiguous and array.dtype.isbuiltin:  # `as_strided` takes 4 µs, this 0.4
        made: Any = np.ndarray
        return partial(made, result.shape, result.dtype, strides=result.strides)
    return partial(_restrided, result.shape, result.strides)


def _part(array: np.ndarray, result: np.ndarray, offset: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return what takes the part of an array that has the shape of a result and lies so far into it."""
    index = [slice(None)] * array.ndim
    for axis in sorted(range(array.ndim), key=lambda d: -array.strides[d]):
        if array.ndim == result.ndim and array.strides[axis] > 0:
            start, offset = divmod(offset, array.strides[axis])
            index[axis] = slice(start, start + result.shape[axis])
    return itemgetter(tuple(index))


def _restrided(shape: tuple[int, ...], strides: tuple[int, ...], array: np.ndarray) -> np.ndarray:
    return restrided(array, shape, strides)


def _without(compute: Callable[..., Any], views: Views) -> Callable[..., Any]:
    def rest(*arrays: np.ndarray) -> Any:
        found = [r for r, view in zip(compute(*arrays), views, strict=True) if view is None]
        return tuple(found) if len(found) > 1 else found[0]

    return rest


def _each(views: Views, given: int) -> Callable[..., Any]:
    """Return what gives views alone of so many arrays, as a tuple where they are several."""
    several = [view for view in views if view is not None]
    place, single = several[0]
    if len(several) == 1:
        return single if given == 1 else lambda *arrays: single(arrays[place])
    return lambda *arrays: tuple([view(arrays[k]) for k, view in several])


def _with(played: Callable[..., Any], views: Views) -> Callable[..., Any]:
    single = views.count(None) == 1

    def whole(*arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        found = played(*arrays)
        each = iter((found,) if single else found)
        return tuple([next(each) if view is None else view[1](arrays[view[0]]) for view in views])

    return whole


def _alone(played: Callable[..., Any]) -> Callable[..., Any]:
    """Return what plays without OpenBLAS's threads: 2 µs for 30 of a product that Python does."""

    def call(*arrays: np.ndarray) -> Any:
        with single_threaded():
            return played(*arrays)

    return call


class Viewed(NamedTuple):
    """Tell a view of a tensor: which, the array that it is, how far into that, and its record."""

    number: int
    array: np.ndarray
    offset: int
    steps: tuple[Any, ...]
    creation: int


class InlineCaches:
    """The native code (`text`), None where there is none, and the tables that it reads."""

    def __init__(self, library: engine.Library | None) -> None:
        self._library = library
        #: Tables hold addresses of these.
        self._kept: list[Any] = [OBJECTS]
        self._replays = None if library is None else Replays(library)

    def redirect(self, moved: Mapping[int, int]) -> None:
        """Have plans call native code at other addresses."""
        if self._replays is not None:
            self._replays.redirect(moved)

    def function(self, hot: Any, entry: str = "cached_call") -> tuple[Callable[..., Any], np.ndarray] | None:
        """Return a native function without a plan so far, and its table; it gives `hot` when so many calls
        had no plan as the table says, or calls it (`known_rules`).
        """
        if self._library is None:
            return None
        objects = [*OBJECTS, facade.Tensor, facade.Parameter, hot]
        of_nodes = [id(NODE_OBJECTS[k]) for k in sorted(NODE_OBJECTS)]
        words = [0, 0, *map(id, objects), *of_nodes, id(int), id(slice), id(written), id(move_history)]
        words += map(id, PART_OBJECTS)
        table = np.array(words, np.int64)
        self._kept += [table, hot]
        return python_functions.function(entry, self._library.address(entry), table), table

    def replayed(
        self, compute: Callable[..., Any], arrays: Sequence[np.ndarray], target: int = -1, stand: Any = None,
        numbers: Sequence[int] = (),
    ) -> Callable[..., Any]:
        """Return a native function that gives what a function does of arrays of these shapes and strides,
        where it is made of NumPy's loops and on few elements; else the function itself. It may write to one
        of them, `target`. Where it draws, `stand` sets the streams back before each call that is compared.
        Where some arrays are `numbers` that Python has as floats, no decision may be another one.
        """
        if target < 0 and not numbers and any(views := _views(compute, arrays)):
            if None not in views:
                each = _each(views, len(arrays))
                return each if stand is None and agrees(compute, each, arrays, []) else compute
            rest = _without(compute, views)
            played = self.replayed(rest, arrays, -1, stand)
            return compute if played is rest else _with(played, views)
        try:
            recording = record(compute, arrays, target)
        except Exception:  # noqa: BLE001  # whatever it asks of arrays that do not tell
            return compute
        most = max(_MADE, len(recording.steps) * _MADE_A_STEP)
        if max((r.size for _, r in recording.results), default=0) > most or _own_elements(recording) > _OWN:
            return compute
        if not takes_as_they_are(recording, numbers):
            return compute
        left: list[None] = []
        compared: list[None] = []

        def leave(*arrays: np.ndarray) -> Any:
            if numbers and compared:
                raise Unplanned
            if len(left) < _TURNS:
                left.append(None)
            return compute(*arrays)

        found = None if self._replays is None else self._replays.function(recording, leave)
        if found is not None and recording.alone:
            found = _alone(found)
        if found is None:
            return compute
        told = [f if stand is None else stand.told(f) for f in (compute, found)]
        agreed = agrees(told[0], told[1], arrays, left)
        compared.append(None)
        return found if agreed else compute

    def add(
        self, table: np.ndarray, arguments: tuple[Any, ...], named: dict[str, Any],
        compute: Callable[..., Any] | None, computed: int, results: Sequence[tuple[Any, Source]],
        container: Callable[..., Any] | None, recorded: Sequence[bool] | None, nodes: Sequence[Left],
        held: int, attached: Sequence[tuple[int, Source]], version: int = 0, target: int = -1,
        arrays: Sequence[np.ndarray] = (),
    ) -> bool:  # fmt: skip
        """Add a plan to a table; whether it can be told.

        `arguments` and `named` are tensors to be matched, numbers and other objects, and lists or tuples of
        such. ``compute(*arrays)`` gives what is no view, `computed` tensors: an array, or a tuple of those;
        behind them come `held` arrays for nodes alone. `results` are numbers of tensors, of those among the
        arguments and then of those that are computed, or what tells a `Viewed`, each with where its history
        comes from; `container` makes what is returned from a tuple of them, None: there is one, which is
        returned.

        `recorded` tells of each tensor among the arguments whether it has a history; it is None where that
        does not matter. `nodes` are made, and are the history of what is `attached`. Each tensor that is
        computed was written to `version` times since it was made. The tensor number `target` is written to
        (−1: none is); `arrays` are those of the tensors then.
        """
        kept: list[Any] = [compute, container, version]
        told: list[int] = []
        fits = len(nodes) <= NODES and computed + held <= TENSORS // 2
        each = None if recorded is None else iter(recorded)
        for value in arguments:
            fits = fits and argument_words(value, told, kept, each)
        for name, value in named.items():
            told.append(id(name))
            kept.append(name)
            fits = fits and argument_words(value, told, kept, each)
        if not fits:
            return False
        made = [word for result in results for word in self._result(*result)]
        views = any(type(result) is tuple for result, _ in results)
        # Of what is computed where nothing is recorded, and of its views, none has a history.
        given = len(recorded or ())
        seen = any(type(result) is tuple and result[0] < given for result, _ in results)
        silent = -1 if nodes and (views or target >= 0) else ASKS_HISTORY if seen else 0
        words = [
            int(table[FIRST]), 0 if compute is None else id(compute), computed,
            computed + held, self._nodes(nodes, attached), len(nodes), ASKS_HISTORY | ASKS_VIEW * views,
            silent, len(results), 0 if container is None else id(container), TOLD + len(told), len(named),
            len(arguments) - ARGUMENTS, target + 1, self._reach(arrays), id(version), *told, *made,
        ]  # fmt: skip
        own = np.array(words, np.int64)
        self._kept += [own, *kept]
        table[FIRST] = own.ctypes.data
        return True

    def _reach(self, arrays: Sequence[np.ndarray]) -> int:
        """Return where it is told how far arrays reach, in bytes from their first elements."""
        bounds = [np.lib.array_utils.byte_bounds(array) for array in arrays]
        ends = [end - address(array) for array, both in zip(arrays, bounds, strict=True) for end in both]
        own = np.array(ends or [0], np.int64)
        self._kept.append(own)
        return own.ctypes.data

    def _nodes(self, nodes: Sequence[Left], attached: Sequence[tuple[int, Source]]) -> int:
        """Return where nodes are told; 0 where there are none."""
        if not nodes:
            return 0
        own = np.array(node_words(nodes, attached, self._kept), np.int64)
        self._kept.append(own)
        return own.ctypes.data

    def _result(self, result: Any, history: Source) -> list[int]:
        if type(result) is not tuple:
            return [result, *(0,) * (RESULT - 1)]
        result = Viewed(*result)
        array = result.array
        sizes = np.array([*array.shape, *array.strides, 0], np.int64)
        chain: Any = None
        for step in result.steps:
            chain = (chain, step)
        steps = np.array([len(result.steps), *map(id, result.steps)], np.int64)
        self._kept += [sizes, array.dtype, chain, result.creation, steps, result.steps]
        first = sizes.ctypes.data
        return [
            result.number, id(array.dtype), array.ndim, first, first + 8 * array.ndim, result.offset,
            id(chain), id(result.creation), steps.ctypes.data,
            *source_words(history, self._kept),
        ]  # fmt: skip
