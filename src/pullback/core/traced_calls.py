"""Ops and pullbacks that a trace comes upon again and again, written down without the general way.

A call of an op on plain traced tensors and numbers, whose shapes and dtypes have come before, needs neither
levels to be compared nor a shape rule. What the pullback of a node writes down depends on the op, its
attributes, and the shapes and dtypes that it meets: it is learnt once, as a *pattern*, and written down for
other values from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat
from operator import is_
from typing import TYPE_CHECKING, Any

from ..array.dtypes import get_default_dtype
from ..array.named_tuples import NamedTuple
from . import facade
from .general_call import attach, view_result
from .levels import has_ended
from .modes import DEFAULT, NO_GRAD, modes
from .node import LEAF, accumulator
from .op import TABLE, of
from .recorder import NUMBERS, Equation, Recorder, Reference
from .saved import check_versions, picker
from .tracer import Tracer
from .value import refresh

if TYPE_CHECKING:
    from .node import Node
    from .op import Op

_new = object.__new__
_new_tuple = tuple.__new__
_NUMBERS = frozenset(NUMBERS)
Pullback = Callable[["Node", Any], tuple[Any, ...]]


class _Written(NamedTuple):
    """One equation of a pattern."""

    op: str
    operands: Callable[[Any], tuple[Any, ...]]  # picks them from what the pattern is given, holds and makes
    attrs: tuple[object, ...]
    outputs: int
    several: bool


class _Pattern(NamedTuple):
    """Hold what a pullback writes down.

    Its values are what it is given, then `constants`, then what its equations make, which `kinds` tells (see
    `Recorder.kind_of`); `results` are the places of those that it returns, None for none.
    """

    constants: tuple[Any, ...]
    equations: tuple[_Written, ...]
    kinds: tuple[int, ...]
    results: tuple[int | None, ...]


class Patterns:
    """Write down for one recorder what is like something that it has written down before."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        #: What `Recorder.kind_of` says of an op's results, by the same of its operands.
        self._calls: dict[Any, tuple[int, ...]] = {}
        #: By what the pullback meets; None where it must be done anew each time.
        self._pullbacks: dict[Any, _Pattern | None] = {}

    # --- calls of ops ---------------------------------------------------------------------------------------

    def called(self, op: Op, inputs: Sequence[Any], attrs: tuple[object, ...]) -> Any:
        """Return the result of an op; NotImplemented where the call is not of the common kind, or the first
        of its like.

        The tensors are all of one level: the trace's, or that of a transform which is at work on its values.
        """
        recorder, mode = self._recorder, modes()
        common = mode is DEFAULT or mode is NO_GRAD
        if not (common and op.is_written_at_once) or recorder.places is not None:
            return NotImplemented
        kind_of, references = recorder._kind_of, recorder.references
        operands: list[Any] = []
        kinds: list[Any] = []
        inner: list[Any] = []
        edges: list[Any] = []
        wanted = False
        level, first = recorder.level, None
        for v in inputs:
            kind = type(v)
            if kind is facade.Tensor or kind is facade.Parameter:
                if v._level != level:
                    if first is not None or v._level < level or has_ended(v._level):
                        return NotImplemented
                    level = v._level
                if first is None:
                    first = v
                if v._view is not None:
                    refresh(v)
                value, edge = v._value, v._node
                if edge is not None:
                    wanted = True
                    if edge is LEAF and ((known := v._accumulator) is None or (edge := known()) is None):
                        edge = accumulator(v)
                edges.append(edge)
            elif kind is Tracer:
                value = v
                edges.append(None)
            elif kind in _NUMBERS:
                inner.append(v)
                operands.append(v)
                kinds.append((kind, v))
                edges.append(None)
                continue
            else:
                return NotImplemented
            if type(value) is not Tracer or value.recorder is not recorder:
                return NotImplemented
            index = value.index
            inner.append(value)
            operands.append(references[index])
            kinds.append(kind_of[index])
        key = (op, attrs, get_default_dtype(), *kinds)
        found = self._calls.get(key)
        if found is None and (found := self._kinds_of_results(key)) is None:
            return NotImplemented
        several = op.many or len(op.outputs) > 1
        outs = self._traced(op, tuple(operands), attrs, found, several)
        if first is not None:
            outs = _tensors(op, attrs, first, outs, several, mode)
            if wanted and mode is DEFAULT and op.derivable:
                attach(op, inputs, inner, attrs, edges, outs, level)
        return tuple(outs) if several else outs[0]

    def _traced(
        self, op: Op, operands: tuple[Any, ...], attrs: tuple[object, ...], kinds: tuple[int, ...],
        several: bool,
    ) -> list[Any]:  # fmt: skip
        """Return the results of an equation, which is written down."""
        recorder = self._recorder
        if op.is_view and op.in_order:
            recorder.layouts.check(op, operands[0].index, attrs)
        return [Tracer(recorder, n) for n in self._write(op.name, operands, attrs, kinds, several)]

    def _kinds_of_results(self, key: tuple[object, ...]) -> tuple[int, ...] | None:
        """Remember what `Recorder.kind_of` says of the results of a call; None for the first of its like."""
        results = self._recorder._results.get(key)
        if results is None:
            return None
        kinds = self._recorder._kinds
        found = self._calls[key] = tuple([kinds[tuple(shape), dtype] for shape, dtype in results])
        return found

    def _write(
        self, op: str, operands: tuple[object, ...], attrs: tuple[object, ...], kinds: tuple[int, ...],
        several: bool,
    ) -> tuple[int, ...]:  # fmt: skip
        """Write an equation down whose results are of some kinds; return their numbers."""
        recorder = self._recorder
        if len(kinds) == 1:
            outputs: tuple[int, ...] = (recorder.new_of(kinds[0]).index,)
        else:
            outputs = tuple([recorder.new_of(kind).index for kind in kinds])
        equation = _new_tuple(Equation, (op, operands, attrs, outputs, several))
        recorder.equations.append(equation)
        for n in outputs:
            recorder.makers[n] = equation
        return outputs

    def plus(self, x: Any, y: Any) -> Any:
        """Return the sum of two covectors."""
        found = self.called(of(facade.add), (x, y), ())
        return x + y if found is NotImplemented else found

    # --- pullbacks ------------------------------------------------------------------------------------------

    def pulled(self, node: Node, g: Tracer, general: Pullback) -> tuple[Any, ...]:
        """Return what ``general(node, g)`` does."""
        recorder = self._recorder
        if g.recorder is not recorder or recorder.places is not None:
            return general(node, g)
        op = node._op
        count = op.layout.count
        saved = check_versions(node, count)
        kind_of = recorder._kind_of
        values = [g.index]
        attrs = saved[3 * count :]
        types = tuple(map(type, attrs))
        if float in types or complex in types:
            attrs = tuple(map(_exact, attrs))
        key: list[Any] = [op, modes(), get_default_dtype(), attrs, types, kind_of[g.index]]
        for v in saved[: 3 * count : 3]:
            kind = type(v)
            if kind is Tracer and v.recorder is recorder:
                # The same value twice may be another case.
                if v.index in values:
                    key.append((values.index(v.index),))
                else:
                    values.append(v.index)
                    key.append(kind_of[v.index])
            elif kind in _NUMBERS:
                key.append(_exact(v))
            else:
                return general(node, g)
        key += map(is_, node._edges, _NONES)
        told = tuple(key)
        pattern = self._pullbacks.get(told, NotImplemented)
        if pattern is NotImplemented:
            start, asked = len(recorder.equations), recorder.layouts_asked
            grads = general(node, g)
            known = asked == recorder.layouts_asked
            self._pullbacks[told] = self._pattern(values, start, grads) if known else None
            return grads
        return general(node, g) if pattern is None else self._written(pattern, values)

    def _pattern(self, values: list[int], start: int, grads: tuple[Any, ...]) -> _Pattern | None:
        """Return what a pullback has written down from equation `start` on."""
        recorder = self._recorder
        equations = recorder.equations[start:]
        if any(TABLE[e.op].acts or (TABLE[e.op].in_order and TABLE[e.op].is_view) for e in equations):
            return None
        made = [n for equation in equations for n in equation.outputs]
        own = {*values, *made}
        constants = [
            o for equation in equations for o in equation.operands
            if type(o) is not Reference or o.index not in own
        ]  # fmt: skip
        if any(type(o) is Reference and o.index not in recorder.constants for o in constants):
            return None
        behind = len(values) + len(constants)
        place = {index: behind + n for n, index in enumerate(made)}
        place |= {index: n for n, index in enumerate(values)}
        others = iter(range(len(values), behind))
        found = []
        for op, given, attrs, outputs, several in equations:
            places = [
                place[o.index] if type(o) is Reference and o.index in own else next(others) for o in given
            ]
            found.append(_Written(op, picker(places), attrs, len(outputs), several))
        results = []
        for gi in grads:
            known = type(gi) is Tracer and gi.recorder is recorder
            if gi is not None and (not known or gi.index not in place):
                return None
            results.append(None if gi is None else place[gi.index])
        kinds = tuple(map(recorder.kind_of, made))
        return _Pattern(tuple(constants), tuple(found), kinds, tuple(results))

    def _written(self, pattern: _Pattern, values: list[int]) -> tuple[Any, ...]:
        """Write a pattern down for other values; return its results."""
        recorder = self._recorder
        references, equations, makers = recorder.references, recorder.equations, recorder.makers
        n = len(references)
        held = [*[references[v] for v in values], *pattern.constants, *map(recorder.new_of, pattern.kinds)]
        for op, pick, attrs, count, several in pattern.equations:
            outputs = (n,) if count == 1 else tuple(range(n, n + count))
            equation = _new_tuple(Equation, (op, pick(held), attrs, outputs, several))
            equations.append(equation)
            for output in outputs:
                makers[output] = equation
            n += count
        return tuple([None if n is None else Tracer(recorder, held[n].index) for n in pattern.results])


#: Of the edges of a node, which lead nowhere.
_NONES = repeat(None)


def _exact(value: object) -> tuple[type, Any]:
    """Return what tells 0.0 from −0.0, and 1 from True, which are equal."""
    kind = type(value)
    return kind, repr(value) if kind in _NUMBERS and not value else value


def _tensors(
    op: Op, attrs: tuple[object, ...], first: Any, values: list[Any], several: bool, mode: object
) -> list[Any]:
    """Return tensors without a history that hold the results of an op, of the level of its first tensor."""
    if op.is_view:
        return [view_result(op, attrs, first, v, k, several, mode) for k, v in enumerate(values)]
    level, made = first._level, []
    for value in values:
        # As `wrap` does it, of which nothing else is to be asked.
        out = _new(facade.Tensor)
        out._value = value
        out._node = out._view = None
        out._counter = [0]
        out._level = level
        made.append(out)
    return made
