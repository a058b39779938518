"""Connectionist temporal classification by loops over time; `array.ctc` explains the variables.

At each time the states of all samples are one loop, which vectorises. Next to the states stand two that are
never reached, so that no state is at an edge.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..emit.emitter import Emitter
from ..emit.scalars import computing
from .context import BOOL, INT64, Context
from .handlers import Handler
from .index import Indices, atom_index, constant, linear, strides_of
from .lowered import Lowered
from .routines import filled, nest, scattered, spread, variables

#: States that stand at an edge and are never reached, and the largest class that a target may name.
_EDGE, _CLASSES = 2, 1 << 40


class _Samples:
    """Hold what both directions read: labels and skips, (N, states), as in `array.ctc.States`."""

    def __init__(
        self, context: Context, log_probs: Lowered, targets: Lowered, input_lengths: Lowered,
        target_lengths: Lowered, blank: int,
    ) -> None:  # fmt: skip
        self.context, self.dtype = context, log_probs.dtype
        self.times, self.samples, self.classes = log_probs.shape
        self.states = 2 * targets.shape[1] + 1
        context.require(targets, self.classes)
        self.log_probs, targets = context.stored(log_probs), context.stored(targets)
        self.input_lengths, self.target_lengths = input_lengths, target_lengths
        shape = (self.samples, self.states)

        def target(ops: Handler, at: Indices) -> Any:
            number = ops.index(at[1], INT64)
            odd = ops.eq(ops.and_(number, ops.constant(1, INT64)), ops.constant(1, INT64))
            place = ops.shr(ops.maximum(ops.sub(number, ops.constant(1, INT64)), ops.constant(0, INT64)),
                            ops.constant(1, INT64))  # fmt: skip
            found = targets.at(ops, (at[0], ops.place(place, targets.shape[1])))
            return ops.select(odd, ops.cast(found, INT64), ops.constant(blank, INT64))

        self.labels = labels = context.stored(context.map(shape, INT64, target))

        def skip(ops: Handler, at: Indices) -> Any:
            number, label = ops.index(at[1], INT64), labels.at(ops, at)
            back = ops.maximum(ops.sub(number, ops.constant(2, INT64)), ops.constant(0, INT64))
            other = labels.at(ops, (at[0], ops.place(back, self.states)))
            differs = ops.and_(ops.ne(label, ops.constant(blank, INT64)), ops.ne(label, other))
            return ops.and_(differs, ops.ge(number, ops.constant(2, INT64)))

        self.skips = context.stored(context.map(shape, BOOL, skip))

    def emitted(self, ops: Handler, time: Any, sample: Any, state: Any) -> Any:
        """Return the log probability of a state's label."""
        label = ops.place(self.labels.at(ops, (sample, state)), self.classes)
        return self.log_probs.at(ops, (time, sample, label))

    def log_sum(self, ops: Handler, *terms: Any) -> Any:
        """Return log Σ exp, −∞ where all terms are."""
        highest = terms[0]
        for term in terms[1:]:
            highest = ops.maximum(highest, term)
        lowest = ops.constant(-np.inf, self.dtype)
        base = ops.select(ops.eq(highest, lowest), ops.constant(0, self.dtype), highest)
        total = ops.function("exp", ops.sub(terms[0], base))
        for term in terms[1:]:
            total = ops.add(total, ops.function("exp", ops.sub(term, base)))
        return ops.add(ops.function("log", total), base)

    def whole(self, ops: Handler, lengths: Lowered, sample: Any) -> Any:
        """Return a sample's length as a number of 64 bits."""
        return ops.cast(lengths.at(ops, (sample,)), INT64)

    def recursion(self, first: Callable[..., Any], step: Callable[..., Any], forward: bool) -> Lowered:
        """Return variables (T, N, states) with an edge of unreached states, each time from the one before it.

        ``first(ops, sample, state)`` is the variable at the first time, ``step(ops, time, sample, state, …)``
        a later one, from the variables of this state, of its neighbour and of the next one at the time
        before. `forward` says whether time and neighbours go upward; the edge is in front then, otherwise
        behind.
        """
        times, states = self.times, self.states
        shape = (times, self.samples, states + _EDGE)
        buffer, strides = self.context.buffer(shape, self.dtype), strides_of(shape)
        front, toward = (_EDGE, -1) if forward else (0, 1)

        def write(ops: Emitter) -> None:
            edges = variables("e", (times, self.samples, _EDGE))
            with nest(ops, edges):
                t, n, s = spread(edges)
                outside = ops.constant(-np.inf, self.dtype)
                ops.store(buffer, linear((t, n, s + (0 if forward else states)), strides), outside)
            own = variables("o", (self.samples, states))
            with nest(ops, own):
                n, s = spread(own)
                begin = constant(0 if forward else times - 1)
                ops.store(buffer, linear((begin, n, s + front), strides), first(ops, n, s))
            if times == 1:
                return
            loops = variables("i", (times - 1, self.samples, states))
            with nest(ops, loops):
                _, n, s = spread(loops)
                count = atom_index(loops[0]) if times > 2 else constant(0)
                now = count + 1 if forward else count * -1 + (times - 2)
                before = [
                    ops.reread(buffer, linear((now + toward, n, s + (front - k * -toward)), strides))
                    for k in range(3)
                ]
                ops.store(buffer, linear((now, n, s + front), strides), step(ops, now, n, s, *before))

        def look(ops: Emitter) -> None:
            t, n, s = spread(variables("i", (times, self.samples, states)))
            nothing = ops.constant(0, self.dtype)
            first(ops, n, s)
            step(ops, t, n, s, nothing, nothing, nothing)

        held = filled(self.context, buffer, write, look)
        return held.rearranged((times, self.samples, states), lambda at: (at[0], at[1], at[2] + front))


def _known(log_probs: Lowered, *others: Lowered) -> bool:
    dtype = log_probs.dtype
    return dtype.kind == "f" and dtype == computing(dtype) and all(o.dtype.kind == "i" for o in others)


def ctc_rows(
    context: Context, targets: Lowered, input_lengths: Lowered, target_lengths: Lowered, blank: int,
    times: int,
) -> Lowered | None:  # fmt: skip
    """Lower targets with blanks behind their ends, where each has a row."""
    if len(targets.shape) != 2:
        return None
    context.require(input_lengths, times + 1)
    context.require(target_lengths, targets.shape[1] + 1)
    target_lengths = context.cheap(target_lengths)

    def row(ops: Handler, at: Indices) -> Any:
        length = ops.cast(target_lengths.at(ops, at[:1]), INT64)
        real = ops.lt(ops.index(at[1], INT64), length)
        return ops.select(real, ops.cast(targets.at(ops, at), INT64), ops.constant(blank, INT64))

    rows = context.stored(context.map(targets.shape, INT64, row))
    context.require(rows, _CLASSES)
    return rows


def ctc_loss(
    context: Context, log_probs: Lowered, targets: Lowered, input_lengths: Lowered, target_lengths: Lowered,
    blank: int, zero_infinity: bool,
) -> list[Lowered] | None:  # fmt: skip
    """Lower the losses and the forward variables."""
    if not _known(log_probs, targets, input_lengths, target_lengths):
        return None
    dtype = log_probs.dtype
    one = _Samples(context, log_probs, targets, input_lengths, target_lengths, blank)

    def first(ops: Handler, n: Any, s: Any) -> Any:
        number, length = ops.index(s, INT64), one.whole(ops, target_lengths, n)
        there = ops.or_(
            ops.eq(number, ops.constant(0, INT64)),
            ops.and_(ops.eq(number, ops.constant(1, INT64)), ops.gt(length, ops.constant(0, INT64))),
        )
        return ops.select(there, one.emitted(ops, constant(0), n, s), ops.constant(-np.inf, dtype))

    def step(ops: Handler, t: Any, n: Any, s: Any, same: object, one_back: object, two_back: object) -> Any:
        skipped = ops.select(one.skips.at(ops, (n, s)), two_back, ops.constant(-np.inf, dtype))
        return ops.add(one.emitted(ops, t, n, s), one.log_sum(ops, same, one_back, skipped))

    alphas = one.recursion(first, step, True)

    def loss(ops: Handler, at: Indices) -> Any:
        zero, inf = ops.constant(0, INT64), ops.constant(np.inf, dtype)
        inputs, length = one.whole(ops, input_lengths, at[0]), one.whole(ops, target_lengths, at[0])
        last = ops.place(ops.maximum(ops.sub(inputs, ops.constant(1, INT64)), zero), one.times)
        end = ops.add(length, length)
        before = ops.maximum(ops.sub(end, ops.constant(1, INT64)), zero)
        blanks, label = (alphas.at(ops, (last, at[0], ops.place(p, one.states))) for p in (end, before))
        label = ops.select(ops.gt(length, zero), label, ops.constant(-np.inf, dtype))
        found = ops.neg(one.log_sum(ops, blanks, label))
        none = ops.select(ops.eq(length, zero), ops.constant(0, dtype), inf)
        return ops.select(ops.eq(inputs, zero), none, found)

    context.require(target_lengths, targets.shape[1] + 1)
    context.require(input_lengths, one.times + 1)
    return [context.stored(context.map((one.samples,), dtype, loss)), alphas]


def ctc_loss_slope(
    context: Context, log_probs: Lowered, targets: Lowered, input_lengths: Lowered, target_lengths: Lowered,
    losses: Lowered, alphas: Lowered, blank: int, zero_infinity: bool,
) -> Lowered | None:  # fmt: skip
    """Lower the gradients of the losses by the outputs before `log_softmax`."""
    if not _known(log_probs, targets, input_lengths, target_lengths):
        return None
    dtype = log_probs.dtype
    one = _Samples(context, log_probs, targets, input_lengths, target_lengths, blank)
    losses = context.cheap(losses)

    def onward(ops: Handler, time: Any, n: Any, s: Any, otherwise: object) -> Any:
        number, length = ops.index(s, INT64), one.whole(ops, target_lengths, n)
        end = ops.add(length, length)
        label = ops.eq(number, ops.sub(end, ops.constant(1, INT64)))
        final = ops.or_(ops.eq(number, end), ops.and_(label, ops.gt(length, ops.constant(0, INT64))))
        last = ops.eq(one.whole(ops, input_lengths, n), ops.index(time + 1, INT64))
        begun = ops.select(final, ops.constant(0, dtype), ops.constant(-np.inf, dtype))
        return ops.add(one.emitted(ops, time, n, s), ops.select(last, begun, otherwise))

    def first(ops: Handler, n: Any, s: Any) -> Any:
        return onward(ops, constant(one.times - 1), n, s, ops.constant(-np.inf, dtype))

    def step(ops: Handler, t: Any, n: Any, s: Any, same: object, one_on: object, two_on: Any) -> Any:
        further = ops.add(ops.index(s, INT64), ops.constant(2, INT64))
        place = ops.place(ops.minimum(further, ops.constant(one.states - 1, INT64)), one.states)
        # Behind the last state none is reached, whatever the edge's neighbour says.
        skipped = ops.select(one.skips.at(ops, (n, place)), two_on, ops.constant(-np.inf, dtype))
        return onward(ops, t, n, s, one.log_sum(ops, same, one_on, skipped))

    betas = one.recursion(first, step, False)

    def posterior(ops: Handler, at: Indices) -> Any:
        both = ops.add(alphas.at(ops, at), betas.at(ops, at))
        return ops.function("exp", ops.add(ops.sub(both, one.emitted(ops, *at)), losses.at(ops, at[1:2])))

    shape = (one.times, one.samples, one.states)
    source = context.stored(context.map(shape, dtype, posterior))

    def where(ops: Handler, at: Indices) -> Indices:
        return (at[0], at[1], ops.place(one.labels.at(ops, (at[1], at[2])), one.classes))

    used = scattered(context, None, log_probs.shape, source, where)

    def slope(ops: Handler, at: Indices) -> Any:
        found = ops.sub(ops.function("exp", one.log_probs.at(ops, at)), used.at(ops, at))
        infinite = ops.eq(ops.abs(losses.at(ops, at[1:2])), ops.constant(np.inf, dtype))
        found = ops.select(infinite, ops.constant(0 if zero_infinity else np.nan, dtype), found)
        behind = ops.ge(ops.index(at[0], INT64), one.whole(ops, input_lengths, at[1]))
        return ops.select(behind, ops.constant(0, dtype), found)

    return context.map(log_probs.shape, dtype, slope)


LOWERINGS: dict[str, Callable[..., Any]] = {
    "ctc_loss": ctc_loss, "ctc_loss_slope": ctc_loss_slope, "ctc_rows": ctc_rows
}  # fmt: skip
