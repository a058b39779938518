"""Change the data and run the turn again: which predictions depend on which samples and steps.

What one sample is must not change the prediction for another one of the batch; and where the target of a step
is the input of a later one, the prediction for the step must not depend on that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of, wrap
from ..answer import Answer
from ..counterfactual import Change, Rerun, passing
from ..shown import dims
from ..trace import Event, Trace
from ..walk import Path
from .collected import Findings
from .makers import LOSSES, PASSING, data_of, origin, values_of

#: Calls that draw, and how they are done again.
DROPOUT = {"dropout", "dropout1d", "dropout2d", "alpha_dropout", "feature_dropout"}
DRAWN = {"rand_like", "randn_like", "bernoulli", "normal", "multinomial", "poisson"}

#: Where attention is told whether it is in training.
TRAINING = 13

#: Calls of which it is no mistake that samples meet in them: graphs, and statistics written by hand.
MEETING = {
    "matmul", "mm", "bmm", "__matmul__", "einsum", "addmm", "index_add", "index_add_", "scatter_add",
    "scatter_add_", "mean", "var", "std", "sum", "cdist", "__getitem__", "index_select", "scatter_reduce",
}  # fmt: skip

#: Calls of attention.
ATTENDING = {"multi_head_attention_forward", "scaled_dot_product_attention"}
PRODUCTS = {"matmul", "bmm", "__matmul__", "einsum"}

#: Calls in which a factor or a summand can cancel.
CANCELLING = {
    "div", "__truediv__", "true_divide", "normalize", "layer_norm", "batch_norm", "group_norm",
    "instance_norm",
    "cosine_similarity", "sub", "__sub__", "softmax", "log_softmax", "mean", "sum",
}  # fmt: skip

#: What a change makes larger than this, relative to the largest number, is a dependence.
CHANGED = 1e-5

#: Largest batch, and elements of the data, that are tried.
MOST_ROWS, MOST_ELEMENTS = 4_096, 2_000_000


class Dependence:
    """Try out, once for each line that computes a loss, what its predictions depend on."""

    def __init__(self) -> None:
        self.tried: set[Any] = set()

    def look(self, trace: Trace, path: Path, findings: Findings) -> None:
        """Look at the turn that a call of backward ends."""
        for event in list(trace.events):
            if event.name not in LOSSES or not event.wanted or not event.frames or not event.kept:
                continue
            if event.frames[0] in self.tried:
                continue
            self.tried.add(event.frames[0])
            predicted, target = event.argument(0, "input"), event.argument(1, "target")
            if isinstance(predicted, TensorBase) and isinstance(target, TensorBase):
                self._tried(event, predicted, target, Again(predicted, trace, path), findings)

    def _tried(self, event: Event, predicted: Any, target: Any, again: Again, findings: Findings) -> None:
        if again.maker is None or not shape_of(predicted):
            return
        for user, data in again.data():
            shape = shape_of(data)
            if len(shape) < 2 or shape[0] < 2:
                continue
            if _sequences(user, data, target, event, again, findings):
                return
            _without_order(user, data, predicted, event, again, findings)
        if _numbered(event, predicted, again, findings):
            return
        for _, data in again.data():
            shape = shape_of(data)
            if len(shape) < 2 or not 2 <= shape[0] <= MOST_ROWS or shape[0] != shape_of(predicted)[0]:
                continue
            if _mixed(event, predicted, data, again, findings):
                return


class Again:
    """Run again what led to some predictions, on other data and without chance."""

    def __init__(self, predicted: Any, trace: Trace, path: Path) -> None:
        self.predicted = predicted
        self.maker = trace.maker_of(predicted)
        self.rerun = Rerun(predicted, trace, path)
        self.change: dict[Event, Change] = {}
        for event in self.rerun.events:
            if event.name in DROPOUT:
                self.change[event] = passing
            elif event.name in DRAWN:
                self.change[event] = lambda event, args, kwargs: event.outputs[0]
            elif event.name == "batch_norm":
                self.change[event] = _with_running
            elif event.name == "multi_head_attention_forward":
                self.change[event] = _not_in_training

    def data(self) -> Iterator[tuple[Event, Any]]:
        """Return what comes in from outside, each once."""
        seen: set[int] = set()
        for user, tensor in data_of(self.maker):
            value = values_of(tensor)
            if value is not None and value.size <= MOST_ELEMENTS and id(tensor) not in seen:
                seen.add(id(tensor))
                yield user, tensor

    def values(self, data: Any, value: ndarray) -> dict[tuple[int, int], Any] | None:
        """Return what all calls gave on other data, by call and tensor; None where they cannot be run."""
        replaced = {id(data): wrap(value)}
        try:
            return self.rerun.results(self.change, replaced)
        except Exception:  # noqa: BLE001  # calls of the program, run on other numbers: nothing is claimed then
            return None

    def both(self, data: Any, value: ndarray) -> tuple[dict[Any, Any], dict[Any, Any]] | None:
        """Return what all calls gave on the data as it was, and on other data."""
        own = values_of(data)
        before = None if own is None else self.values(data, own.copy())
        after = None if before is None else self.values(data, value)
        return None if before is None or after is None else (before, after)

    def key(self) -> tuple[int, int]:
        """Return the predictions' key among what the calls gave."""
        return id(self.maker), id(self.predicted)


def _not_in_training(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Do a call of attention without its dropout."""
    assert event.function is not None
    if len(args) > TRAINING:
        args[TRAINING] = False
    else:
        kwargs["training"] = False
    return event.function(*args, **kwargs)


def _with_running(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Do a batch norm by its running statistics, which no sample of this batch decides alone."""
    assert event.function is not None
    mean, var = event.argument(1, "running_mean"), event.argument(2, "running_var")
    x = args[0] if args else kwargs["input"]
    if mean is None or var is None:
        return x
    return event.function(x, mean, var, event.argument(3, "weight"), event.argument(4, "bias"), False)


def _rows_changed(before: Any, after: Any) -> ndarray | None:
    """Return which rows of a result changed; None where that cannot be told."""
    a, b = values_of(before), values_of(after)
    if a is None or b is None or a.shape != b.shape or not a.ndim or a.dtype.kind not in "fiub":
        return None
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    if not (np.isfinite(wide_a).all() and np.isfinite(wide_b).all()):
        wide_a, wide_b = np.nan_to_num(wide_a), np.nan_to_num(wide_b)
    limit = CHANGED * max(float(np.abs(wide_a).max(initial=0)), 1e-12)
    return np.asarray((np.abs(wide_a - wide_b) > limit).reshape(len(a), -1).any(1))


def _other_row(value: ndarray, row: int, axis: int = 0) -> ndarray | None:
    """Return data with one row replaced by another one; None where all rows are equal."""
    moved = np.moveaxis(value.copy(), axis, 0)
    for other in range(len(moved)):
        if not np.array_equal(moved[other], moved[row]):
            moved[row] = moved[other]
            return np.moveaxis(moved, 0, axis)
    return None


def _mixed(event: Event, predicted: Any, data: Any, again: Again, findings: Findings) -> bool:
    """Say where the prediction for one sample depends on another sample."""
    value = values_of(data)
    shape = shape_of(predicted)
    if value is None or (len(shape) >= 2 and shape[0] == shape[1]):
        return False  # each with each, as in contrasts
    if len(shape) == 2 and shape[1] > 1 and shape[1] == value.shape[1]:
        return False  # may be steps by samples
    row = len(value) // 2
    other = _other_row(value, row)
    ran = None if other is None else again.both(data, other)
    if ran is None:
        return False
    changed = _rows_changed(ran[0].get(again.key()), ran[1].get(again.key()))
    if changed is None or len(changed) != len(value) or changed.sum() <= 1:
        return False
    column = _other_row(value, value.shape[1] // 2, 1)
    there = None if column is None else again.both(data, column)
    if there is not None and value.shape[1] == shape[0]:
        across = _rows_changed(there[0].get(again.key()), there[1].get(again.key()))
        if across is not None and across.sum() <= 1:
            return False  # the samples are along axis 1
    found = _first_mixing(ran, len(value), again)
    if found is None or found.name in MEETING:
        return False
    x = found.argument(0, "input")
    if found.name not in AFTER or not isinstance(x, TensorBase):
        return False
    have = shape_of(x)
    if found.name in SEQUENTIAL and (len(have) != 3 or have[1] == 1):
        return False
    what, mend = AFTER[found.name]
    findings.tell(
        "samples mixed", findings.made(found.module) or found.place, found=found, have=dims(have), what=what,
        event=event, row=row, others=int(changed.sum()) - 1, mend=mend,
    )
    return True


def _numbered(event: Event, predicted: Any, again: Again, findings: Findings) -> bool:
    """Say where a prediction depends on the place at which its sample is in the batch."""
    count = shape_of(predicted)[0]
    given = [(user, t) for user, t in again.data() if shape_of(t)[:1] == (count,)]
    numbers = [(user, t) for user, t in given if _counts(user, t, count)]
    if count < 3 or not numbers or len(given) == len(numbers) or len(shape_of(predicted)) > 2:
        return False
    if any(shape_of(t)[1:2] == shape_of(predicted)[1:2] for _, t in given if len(shape_of(predicted)) > 1):
        return False  # may be steps by samples
    if any(e.name in DRAWN or e.name in MEETING - {"mean", "sum", "__getitem__"} for e in again.rerun.events):
        return False  # what is drawn is not moved along; samples may meet
    turned = {id(t): wrap(value[::-1].copy()) for _, t in given if (value := values_of(t)) is not None}
    kept = {key: value for key, value in turned.items() if all(key != id(t) for _, t in numbers)}
    try:
        before = again.rerun.results(again.change, {}).get(again.key(), predicted)
        moved = again.rerun.results(again.change, kept)[again.key()]
        along = again.rerun.results(again.change, turned)[again.key()]
    except Exception:  # noqa: BLE001  # calls of the program, run on other numbers: nothing is claimed then
        return False
    own = values_of(before)
    back = None if own is None else wrap(own[::-1].copy())
    differs, same = _rows_changed(back, moved), _rows_changed(back, along)
    if differs is None or same is None or same.any() or differs.mean() <= 0.5:
        return False
    user, tensor = numbers[0]
    made = origin(user.maker_of(tensor), PASSING - {"__getitem__"})
    shaped = made is not None and made.name == "__getitem__" and made.inputs[0][1] is not None
    if shaped and made is not None and made.inputs[0][1] is not None and made.inputs[0][1].name == "arange":
        made = made.inputs[0][1]
    findings.tell(
        "numbered along the batch", user.place if made is None else made.place, user=user, last=count - 1,
        event=event, changed=int(differs.sum()), count=count
    )
    return True


def _counts(user: Event, tensor: Any, count: int) -> bool:
    """Return whether data number the samples from 0 on, or are the first rows of a table of positions."""
    value = values_of(tensor)
    if value is None or value.ndim < 2 or value.shape[1] != 1 or user.name == "__getitem__":
        return False
    maker = user.maker_of(tensor)
    if value.size != count:
        if maker is None or maker.name != "__getitem__":
            return False
        first = maker.argument(1, "index") in (slice(count), slice(0, count))
        return first and shape_of(maker.inputs[0][0])[0] > count
    return value.dtype.kind in "iuf" and bool((value.reshape(-1) == np.arange(count)).all())


#: Calls over sequences, whose steps are along axis 0 unless `batch_first` is True.
SEQUENTIAL = {"lstm", "gru", "rnn_tanh", "rnn_relu", "multi_head_attention_forward"}

_STEPS = (
    "takes its steps along axis 0, where the samples are, not along the time axis: `batch_first` is False",
    "make the layer with `batch_first=True`, or give it (steps, samples, features) by `transpose(0, 1)`",
)
_RESHAPED = (
    "does not keep the samples apart: it reads the numbers on in their order, across the batch",
    "bring the axes into order first (`permute`, `transpose`), and keep axis 0 for the samples",
)
_ATTENDED = (
    "attends across the samples: the axis before the last one is the batch",
    "bring the steps to the axis before the last one: `transpose`",
)
_OVER = ("is taken over axis 0, the batch", "take it over another axis: `dim=-1`")

#: What is said of calls in which samples meet, and how it is mended.
AFTER: dict[str, tuple[str, str]] = {
    **dict.fromkeys(SEQUENTIAL, _STEPS),
    "scaled_dot_product_attention": _ATTENDED,
    **dict.fromkeys(("view", "reshape", "flatten", "unflatten"), _RESHAPED),
    **dict.fromkeys((
        "softmax", "log_softmax", "normalize", "cumsum", "cumprod", "flip", "roll", "layer_norm", "max",
        "amax", "logsumexp", "sort", "argmax",
    ), _OVER),
}  # fmt: skip


def _first_mixing(ran: tuple[dict[Any, Any], dict[Any, Any]], count: int, again: Again) -> Event | None:
    """Return the first call whose result differs in more rows than the one whose sample was replaced."""
    for event, out, before, after in _in_both(again.rerun, *ran):
        changed = _rows_changed(before, after) if shape_of(out)[:1] == (count,) else None
        if changed is not None and changed.sum() > 1:
            return event
    return None


def _in_both(
    rerun: Rerun, before: dict[Any, Any], after: dict[Any, Any]
) -> Iterator[tuple[Event, Any, Any, Any]]:
    """Yield (call, its first result, what it gave before, and after) for the calls that ran both times."""
    for event in rerun.events:
        for out in event.outputs[:1]:
            key = id(event), id(out)
            if key in before and key in after:
                yield event, out, before[key], after[key]


def _sequences(user: Event, data: Any, target: Any, event: Event, again: Again, findings: Findings) -> bool:
    """Look at predictions of tokens whose targets are tokens of the input, there or a step later."""
    ids, labels = values_of(data), values_of(target)
    if ids is None or labels is None or ids.dtype.kind not in "iu" or labels.dtype.kind not in "iu":
        return False
    if user.name != "embedding" or ids.ndim != 2 or labels.size != ids.size or ids.shape[1] < 3:
        return False
    steps = labels.reshape(ids.shape)
    if (steps == ids).all() and len(np.unique(ids)) > 2:
        findings.tell(
            "target not shifted", _cut_at(event, target) or event.place,
            at="" if user.place is None else f" (it goes in at line {user.place.line})", event=event
        )
        return True
    if not (steps[:, :-1] == ids[:, 1:]).all() or (ids[:, 1:] == ids[:, :-1]).all():
        return False
    last = ids.shape[1] - 1
    other = _other_row(ids, last, 1)
    ran = None if other is None else again.both(data, other)
    if ran is None:
        return False
    for event_, _, before, after in _in_both(again.rerun, *ran):
        a, b = values_of(before), values_of(after)
        if a is None or b is None or a.shape[:2] != ids.shape or a.shape != b.shape or a.ndim < 3:
            continue
        early = np.abs(a[:, :last].astype(np.float64) - b[:, :last])
        if np.isfinite(early).all() and early.max() > CHANGED * np.abs(a).max():
            findings.tell(
                "sees the future", event_, (f"the loss is at {event.place}", _changed(early)), event_=event_
            )
            return True
    return False


def _attends(event: Event) -> bool:
    """Return whether a call is attention, or the softmax in one that is written by hand."""
    through = PASSING | {"div", "__truediv__", "mul", "__mul__", "__rmul__"}
    made = origin(event.inputs[0][1], through) if event.name == "softmax" and event.inputs else None
    by_hand = made is not None and made.name in PRODUCTS and len(shape_of(made.outputs[0])) > 2
    return event.name in ATTENDING or (by_hand and made is not None and all(m for _, m in made.inputs))


def _without_order(
    user: Event, data: Any, predicted: Any, event: Event, again: Again, findings: Findings
) -> None:
    """Say where attention cannot tell the order of the steps of a sequence."""
    value, shape = values_of(data), shape_of(predicted)
    attention = next(filter(_attends, again.rerun.events), None)
    if attention is None or value is None or value.ndim < 2 or value.shape[1] < 4 or len(shape) < 1:
        return
    if user.name != "embedding" and (user.name != "linear" or value.ndim != 3):
        return
    order = np.random.default_rng(722).permutation(value.shape[1])
    ran = None if np.array_equal(value, value[:, order]) else again.both(data, value[:, order].copy())
    before, after = ((None, None) if ran is None else (values_of(r.get(again.key())) for r in ran))
    if before is None or after is None or before.shape != after.shape or shape[0] != len(value):
        return
    moved = before
    if before.ndim == 3 and before.shape[1] == len(order):
        moved = before[:, order]  # one prediction for each step
    size = float(np.abs(before).max(initial=0))
    if before.std() > 1e-6 and np.abs(moved.astype(np.float64) - after).max() <= 1e-4 * size:
        findings.add("wrong axis" if user.name == "embedding" else "note", Answer.of(
            "order not seen", user.place, attention=attention, event=event
        ))


def _cut_at(event: Event, target: Any) -> Place | None:
    """Return the line that takes a target out of a longer sequence; None where none does."""
    made = origin(event.maker_of(target), PASSING - {"__getitem__"})
    return made.place if made is not None and made.name == "__getitem__" else None


def _changed(early: ndarray) -> str:
    count = int((early.max(-1) > 0).any(0).sum())
    return f"with the last token replaced, {count} earlier predictions change"


def cancels(leaf: Any, rerun: Rerun) -> Event | None:
    """Return the call at which a weight cancels: what goes in changes with it, what comes out does not."""
    value = values_of(leaf)
    if value is None or not value.any() or leaf._node is not LEAF:
        return None
    try:
        before = rerun.results({}, {id(leaf): wrap(value.copy())})
        after = rerun.results({}, {id(leaf): wrap((value * 1.5).astype(value.dtype))})
    except Exception:  # noqa: BLE001  # calls of the program, run on other numbers: nothing is claimed then
        return None
    moved: set[int] = {id(leaf)}
    for event, out, first, second in _in_both(rerun, before, after):
        changed = _rows_changed(first, second) if shape_of(out) else None
        a, b = values_of(first), values_of(second)
        differs = changed.any() if changed is not None else (
            a is not None and b is not None and not np.allclose(a, b, 1e-5)
        )  # fmt: skip
        if differs:
            moved.add(id(out))
        elif any(id(t) in moved for t, _ in event.inputs):
            return event if event.name in CANCELLING else None
    return None
