"""Look at what an index does: where rows are put back, which row is the right one, which labels moved."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..scene import scope_at
from ..shown import dims
from ..trace import Event, Trace
from .collected import Findings, calls_of
from .makers import ADDING, LOSSES, MULTIPLYING, PASSING, origin, values_of

#: Calls that add rows up at an index; and those that read rows at one, with the place of the index.
ADDED = ("index_add", "index_add_", "scatter_add", "scatter_add_", "scatter_reduce")
READ = {"__getitem__": 1, "index_select": 2, "gather": 2}

#: Calls that keep the rows of what they are given apart.
ROW_BY_ROW = (PASSING - {"__getitem__", "permute", "transpose", "T", "t"}) | {
    "linear", "relu", "tanh", "leaky_relu", "gelu", "silu", "layer_norm", "neg", "__neg__",
}  # fmt: skip


@calls_of(*ADDED)
def _to_the_sender(event: Event, findings: Findings) -> None:
    """Say where rows are read at an index and added up at the same one: nothing goes from one to another."""
    index, rows = event.argument(2, "index"), event.argument(3, "source", event.kwargs.get("src"))
    index = values_of(index)
    rows = event.maker_of(rows) if isinstance(rows, TensorBase) else None
    if index is None or rows is None or index.size < 2 or np.unique(index).size == index.size:
        return
    read = list(_read_at(rows))
    if read and all(_same_rows(one, index) for one in read):
        findings.tell("added where it was read", event, event=event, rows=rows)


def _read_at(event: Event | None) -> Iterator[ndarray]:
    """Yield the indices at which the rows of a result were read."""
    made = origin(event, ROW_BY_ROW)
    if made is None:
        return
    if made.name in READ:
        value = values_of(made.argument(READ[made.name], "index"))
        if value is not None and value.dtype.kind in "iu":
            yield value
    elif made.name in MULTIPLYING:
        size = max(len(shape_of(t)) for t, _ in made.inputs)
        for tensor, maker in made.inputs:
            own = list(_read_at(maker))
            if own or (len(shape_of(tensor)) == size and 1 not in shape_of(tensor)):
                yield from own or [np.zeros(0, np.int64)]  # other rows: not read at any index


def _same_rows(read: ndarray, index: ndarray) -> bool:
    """Return whether two indices name the same rows, though one may be spread over the features."""
    if index.ndim > read.ndim == 1:
        index = index.reshape(len(index), -1)[:, 0]
    return read.shape == index.shape and bool((read == index).all())


@calls_of("cross_entropy")
def _one_row_for_all(event: Event, findings: Findings) -> None:
    """Say where each sample is held against each, and one and the same is the right one for all."""
    x, target = event.argument(0, "input"), event.argument(1, "target")
    labels = values_of(target)
    shape = shape_of(x) if isinstance(x, TensorBase) else ()
    if labels is None or len(shape) != 2 or shape[0] != shape[1] or labels.shape != shape[:1]:
        return
    made = origin(event.maker_of(x), {"div", "__truediv__", *MULTIPLYING, "t", "T", "transpose", "clone"})
    if made is None or made.name not in ("matmul", "mm", "__matmul__", "cosine_similarity", "einsum"):
        return
    if any(t._node in (None, LEAF) for t, _ in made.inputs) or labels.dtype.kind not in "iu":
        return
    if len(labels) > 2 and (labels == labels[0]).all():
        maker = event.maker_of(target)
        findings.tell(
            "one row is right for all", (None if maker is None else maker.place) or event.place,
            shape=dims(shape), labels=labels, event=event
        )


def look_at_turn(trace: Trace, findings: Findings) -> None:
    """Look at the turn that a call of backward ends."""
    events = list(trace.events)
    losses = [e for e in events if e.name in LOSSES and e.wanted]
    for event in events if losses else ():
        found = _mixed_with_moved(event)
        if found is None:
            continue
        data, moved = found
        count = shape_of(data)[0]
        labels = [
            t for e in losses
            if isinstance(t := e.argument(1, "target"), TensorBase) and shape_of(t)[:1] == (count,)
        ]  # fmt: skip
        if not labels or any(_moves_alike(e, moved, data) for e in events):
            continue
        findings.tell("labels not moved along", _label_place(moved) or event.place, event=event)
        return


def _mixed_with_moved(event: Event) -> tuple[Any, Event] | None:
    """Return data, and the call that puts it into another order, where a sum mixes both."""
    if event.name not in ADDING or event.wanted or len(event.inputs) != 2:
        return None
    scaled = [maker for _, maker in event.inputs]
    if any(m is None or m.name not in MULTIPLYING for m in scaled):
        return None
    parts = [
        max(m.inputs, key=lambda pair: len(shape_of(pair[0]))) for m in scaled if m is not None and m.inputs
    ]  # fmt: skip
    for (plain, _), (_, mover) in (parts, parts[::-1]) if len(parts) == 2 else ():
        if mover is not None and mover.inputs and mover.inputs[0][0] is plain and _order(mover) is not None:
            return plain, mover
    return None


def _order(event: Event) -> ndarray | None:
    """Return the order in which a call takes the rows of a tensor; None where it does not move them."""
    shape = shape_of(event.inputs[0][0]) if event.inputs else ()
    if event.name in READ and shape:
        value = values_of(event.argument(READ[event.name], "index"))
        whole = value is not None and value.dtype.kind in "iu" and value.shape == shape[:1]
        return value if whole else None
    if event.name in ("flip", "roll") and shape:
        rows = np.arange(shape[0])
        if event.name == "flip":
            return rows[::-1]
        shift = event.argument(1, "shifts")
        return np.roll(rows, shift) if isinstance(shift, int) else None
    return None


def _moves_alike(event: Event, moved: Event, data: Any) -> bool:
    """Return whether a call takes another tensor's rows in the same order."""
    order, own = _order(moved), _order(event) if event is not moved else None
    if own is None or order is None or event.inputs[0][0] is data:
        return False
    if any(event.outputs[0] is t for t, _ in moved.inputs):
        return False  # it makes the order
    return np.array_equal(own, order)


def _label_place(moved: Event) -> Place | None:
    """Return the line after the mixing in the same function: what it hands on are the labels."""
    place = moved.place
    scope = scope_at(place)
    if place is None or scope.name == "<module>":
        return None
    returns = (s.place for s in scope.statements if s.targets == ("return",) and s.line > place.line)
    return next(returns, None)
