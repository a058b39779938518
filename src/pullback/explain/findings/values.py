"""Find where a value that is not finite came from, by the trace: in the data, or in the call that made it."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..answer import Answer
from ..counterfactual import Change, Rerun, finite_number, made_finite, with_nudged
from ..finite import counted, has_nan, is_finite
from ..patterns import UNKNOWN, Pattern, applying, patterns, unused
from ..shown import widened
from ..trace import Event, Trace
from .attention import ATTENTION, of_attention, with_open_rows
from .growth import of_growth
from .makers import values_of
from .origins import ADDING, MASKING, first_not_finite, is_mask

#: Ops under the names of the public functions that run them.
OP_OF = {
    "__truediv__": "div", "__rtruediv__": "reciprocal", "__rdiv__": "reciprocal", "true_divide": "div",
    "__div__": "div", "divide": "div", "__pow__": "pow", "float_power": "pow", "__mul__": "mul",
    "__rmul__": "mul", "__sub__": "sub", "__add__": "add", "arccos": "acos", "arcsin": "asin",
    "norm": "vector_norm", "linalg_norm": "vector_norm", "linalg_vector_norm": "vector_norm",
    "__matmul__": "mm",
    "linear": "linear",
}  # fmt: skip

#: Means of nothing are NaN.
MEANS = {"mean", "nanmean", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "median", "var", "std"}

#: Rows that are named.
MOST_ROWS = 4

def look_at_value(
    tensor: Any, trace: Trace, name_of: Callable[[Any], str | None], source: Callable[[Any], Any],
    rerun: Rerun | None = None, set_at: Callable[[Any], Any] = lambda weight: None,
) -> Answer | None:
    """Return where a value that is not finite came from; None where the trace does not tell.

    `source` returns the place where a tensor without a maker came in, `set_at` the line that gave a weight
    its first values. `rerun` has the calls that led to the loss, to check the answer by.
    """
    event, found = first_not_finite(tensor, trace)
    if event is None:
        if found._node is LEAF:
            return None  # the weights themselves: what the steps of the optimizer did to them
        return _of_data(found, source(found), {}, {id(found): made_finite(found)}, name_of, rerun)
    if is_data(event):
        return _of_data(found, event.place, {event: finite_result}, {}, name_of, rerun)
    answer = _of_event(event, name_of)
    if answer is None or answer.kind in ("overflow", "not finite"):
        answer = of_growth(event, name_of, set_at) or answer
    if answer is None:
        return None
    masked = None if rerun is None or has_nan(event.outputs[0]) else _multiplied_mask(rerun)
    if masked is not None:
        answer = replace(
            answer, cause=f"{answer.cause} The product with a mask{masked.at_line} does not take it out: "
            "0 · inf is NaN.", mend=f"choose the elements before this op (`x[ok]`), or {answer.mend}",
        )  # fmt: skip
    return _checked(answer, event, rerun, name_of)


def is_data(event: Event) -> bool:
    """Return whether a call brings data in: it makes a tensor, or writes into one, out of no history."""
    written = event.name in ("__setitem__", "fill_", "copy_", "index_fill_", "masked_fill_")
    making = event.name in ("stack", "tensor", "from_numpy", "as_tensor")
    return not event.inputs or ((written or making) and not event.wanted)


def _of_data(
    found: Any, place: Any, change: dict[Event, Change], replaced: dict[int, Any],
    name_of: Callable[[Any], str | None], rerun: Rerun | None,
) -> Answer:  # fmt: skip
    """Return that data is not finite; or that it is, and a mask is multiplied by that is 0 there."""
    name = name_of(found)
    called = f"`{name}`" if name else "The tensor"
    masked = None if rerun is None else _multiplied_mask(rerun)
    if masked is not None and rerun is not None:
        return Answer.of(
            "0 · inf", masked.place, (), _loss_with(rerun, change, replaced, FILLED), called=called,
            found=counted(found), found_name=_in_rows(found), place=place
        )
    return Answer.of(
        "data not finite: from outside", place, _rows(found), _loss_with(rerun, change, replaced, FILLED),
        called=called, made="made here " if change else "", found=counted(found), found_name=_in_rows(found)
    )


def _multiplied_mask(rerun: Rerun) -> Event | None:
    """Return the product in which what is not finite meets a mask that is 0 there, throughout."""
    for event in rerun.events:
        if event.name not in MULTIPLYING or len(event.inputs) != 2:
            continue
        values = [values_of(t) for t, _ in event.inputs]
        for value, mask in (values, values[::-1]):
            if value is None or mask is None or mask.dtype.kind not in "fiub" or value.dtype.kind not in "fV":
                continue
            spread = np.broadcast_shapes(value.shape, mask.shape)
            bad = np.broadcast_to(~np.isfinite(widened(value)), spread)
            kept = np.broadcast_to(widened(mask), spread)
            if bad.any() and not kept[bad].any() and np.isin(mask, (0, 1)).all() and mask.any():
                return event
    return None


def _checked(
    answer: Answer, event: Event, rerun: Rerun | None, name_of: Callable[[Any], str | None]
) -> Answer:
    """Return an answer about a call with what was run again; and with other calls that do the same."""
    if rerun is None:
        return answer
    checked = _loss_with(rerun, {event: mended(event)}, {}, MOVED)
    if checked:
        return replace(answer, checked=checked)
    clean = all(is_finite(t) or is_mask(t, maker, event) for t, maker in event.inputs)
    if rerun.events[-1:] != [event] and clean:  # put in place of the loss it says nothing
        checked = _loss_with(rerun, {event: finite_result}, {}, FILLED)
    if checked:
        return replace(answer, checked=checked)
    others = [e for e in rerun.events if e is not event and _spoils(e)][:MOST_SOURCES]
    told = {e.place.line: other for e in others if e.place and (other := _of_event(e, name_of))}
    change = {e: mended(e) for e in (event, *others)}
    checked = _loss_with(rerun, change, {}, MOVED) if others else ""
    if not checked or not told:
        return answer
    lines = ", ".join(map(str, sorted(told)))
    return replace(
        answer, cause=f"{answer.cause} This alone is not all: so it is at line {lines}.", checked=checked,
        evidence=(*answer.evidence, *(f"line {line}: {other.cause}" for line, other in told.items())),
    )  # fmt: skip


def _spoils(event: Event) -> bool:
    """Return whether a call gives what is not finite of what is, or of the infinities of masks."""
    return bool(event.outputs) and event.name not in MASKING and not is_finite(event.outputs[0]) and all(
        is_finite(t) or is_mask(t, maker, event) for t, maker in event.inputs
    ) and not is_data(event)  # fmt: skip


def look_at_gradient(
    leaf: Any, rerun: Rerun, trace: Trace, name_of: Callable[[Any], str | None], source: Callable[[Any], Any]
) -> Answer | None:
    """Return which value spoilt a gradient although the loss is finite; None where all are finite."""
    spoilt = [event for event in rerun.events if event.outputs and not is_finite(event.outputs[0])]
    first_answer: Answer | None = None
    tried: set[Event] = set()
    for event in sorted(spoilt, key=lambda event: not has_nan(event.outputs[0])):
        first, _ = first_not_finite(event.outputs[0], trace)
        if event.name in MASKING or first in tried:
            continue
        answer = look_at_value(event.outputs[0], trace, name_of, source)
        if answer is None:
            continue
        first_answer = first_answer or answer
        if first is None or len(tried) == MOST_SOURCES:
            continue
        tried.add(first)
        answer = _chosen_after(answer, first, rerun)
        first_answer = answer if len(tried) == 1 else first_answer
        for change, how in ((mended(first), MOVED), (finite_result, FILLED)):
            found = rerun.gradients(rerun.loss({first: change}), [leaf])[0]
            if found is not None and np.isfinite(found).all():
                size = float(np.linalg.norm(found.astype(np.float64)))
                return replace(answer, checked=f"{how} the gradient is finite, of norm {size:.3g}")
    return first_answer


def _chosen_after(answer: Answer, first: Event, rerun: Rerun) -> Answer:
    """Return an answer with the call that leaves out what is not finite, to which backward comes anyway."""
    spoilt = {first}
    for event in rerun.events:
        if not any(maker in spoilt for _, maker in event.inputs):
            continue
        if not all(map(is_finite, event.outputs)):
            spoilt.add(event)
            continue
        cause, mend = unused(event.name.strip("_"), event.at_line, answer.mend)
        return replace(answer, cause=f"{answer.cause} {cause}", mend=mend)
    return answer


#: What is done to data that is not finite, to see whether that is all.
FILLED = "with 0 in place of what is not finite there,"

#: What is done to the input of a call.
MOVED = "with its input moved away from there,"

#: Calls that are looked at as further sources of what is not finite.
MOST_SOURCES = 6

#: Products of two tensors.
MULTIPLYING = {"mul", "__mul__", "__rmul__", "__imul__", "mul_", "multiply"}


def finite_result(event: Event, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Give what a call gave, with 0 where that is not finite."""
    return made_finite(event.outputs[0])


def mended(event: Event) -> Change:
    """Return what is done in place of a call to see that its input is the cause."""
    return with_open_rows if event.name in ATTENTION else with_nudged


def _loss_with(rerun: Rerun | None, change: dict[Event, Change], replaced: dict[int, Any], how: str) -> str:
    """Return what the loss is with a change, where it is finite then."""
    number = None if rerun is None else finite_number(rerun.loss(change, replaced))
    return "" if number is None else f"{how} the loss is {number:.4g}"


def _in_rows(tensor: Any) -> str:
    return "".join(f" ({rows})" for rows in _rows(tensor))


def _rows(tensor: Any) -> tuple[str, ...]:
    value = values_of(tensor)
    if value is None or value.ndim == 0:
        return ()
    bad = ~np.isfinite(widened(value)).reshape(len(value), -1).all(1) if len(value) else np.zeros(0, bool)
    rows = np.flatnonzero(bad)
    more = f" and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    return (f"rows {', '.join(map(str, rows[:MOST_ROWS]))}{more}",) if len(rows) else ()


def _of_event(event: Event, name_of: Callable[[Any], str | None]) -> Answer | None:
    tensors = [t for t, _ in event.inputs]
    if event.name in ATTENTION:
        answer = of_attention(event)
        if answer is not None:
            return answer
    for tensor, maker in event.inputs:
        if 0 in shape_of(tensor) and event.name in (*MEANS, "cross_entropy", "nll_loss", "stack", "cat"):
            name = name_of(tensor)
            place = maker.place if maker is not None else event.place
            return Answer.of(
                "nothing selected: empty", place, what=f"`{name}`" if name else "A selection", event=event
            )
    if event.name in ("std", "var", "std_mean", "var_mean") and tensors:
        return Answer.of(
            "deviation of one element", event.place, event=event, tensors=tuple(shape_of(tensors[0]))
        )
    if event.name == "ctc_loss":
        return _of_ctc(event)
    if event.name in ("cross_entropy", "nll_loss"):
        labels = values_of(event.argument(1, "target"))
        ignored = event.argument(3, "ignore_index", -100)
        if labels is not None and labels.dtype.kind in "iu" and (labels == ignored).all():
            return Answer.of("nothing selected: targets ignored", event.place, ignored=ignored, event=event)
        weight = event.argument(2, "weight")
        weights = values_of(weight)
        if weights is not None and labels is not None and labels.dtype.kind in "iu":
            present = np.unique(labels[(labels >= 0) & (labels < len(weights))])
            if not weights[present].any():
                name = name_of(weight)
                return Answer.of(
                    "class weights of 0", event.place, named=f" `{name}`" if name else "", event=event,
                    labels=", ".join(map(str, present[:MOST_ROWS]))
                )
    pattern = _pattern(event, tensors)
    if pattern is None:
        if not event.outputs or not all(map(is_finite, tensors)):
            return None
        return Answer.of(
            "not finite", event.place, name=event.name.strip("_"), outputs=counted(event.outputs[0])
        )
    names = [n for n in map(name_of, tensors) if n]
    mask = _mask_before(event) if pattern.kind == "softmax of nothing" else None
    masked = "" if mask is None or mask.place is None else f" The mask is put in at line {mask.place.line}."
    return Answer(
        pattern.kind, f"{pattern.cause}{masked} The result of {OP_OF.get(event.name, event.name)} holds "
        f"{counted(event.outputs[0])}.", event.place,
        (f"the inputs{' ' + ', '.join(f'`{n}`' for n in names) if names else ''} are finite",), pattern.mend,
    )  # fmt: skip


def _mask_before(event: Event) -> Event | None:
    """Return the call that put the infinities of a mask into what a softmax is given."""
    current: Event | None = event.inputs[0][1] if event.inputs else None
    for _ in range(20):
        if current is None or current.name in MASKING or current.name in ADDING:
            return current
        current = current.inputs[0][1] if current.inputs else None
    return None


def _of_ctc(event: Event) -> Answer:
    def lengths(position: int, name: str) -> Any:
        value = event.argument(position, name)
        value = values_of(value) if isinstance(value, TensorBase) else value
        return None if value is None else np.atleast_1d(np.asarray(value))

    inputs, targets = lengths(2, "input_lengths"), lengths(3, "target_lengths")
    rows = "" if inputs is None or targets is None else ", ".join(
        str(k) for k in np.flatnonzero(targets > inputs)[:MOST_ROWS]
    )  # fmt: skip
    return Answer.of(
        "target too long", event.place,
        which=f" (sequences {rows})" if rows else " allows (each repeated label needs one more step)"
    )


def _pattern(event: Event, tensors: Iterable[Any]) -> Pattern | None:
    operands: list[ndarray | None] = []
    for argument in event.args[:2]:
        if isinstance(argument, TensorBase):
            value = values_of(argument)
            operands.append(None if value is None else value.astype(np.float64))
        elif isinstance(argument, (int, float)) and not isinstance(argument, bool):
            operands.append(np.asarray(float(argument)))
    name = OP_OF.get(event.name, event.name)
    if name == "reciprocal" and operands:
        operands = operands[:1]
    out = values_of(event.outputs[0]) if event.outputs else None
    if out is None:
        return None
    wide = out.astype(np.float64)
    exponent = operands[1] if len(operands) > 1 else None
    forward = exponent is not None and bool((exponent > 0).all())  # only the slope is infinite at 0
    for pattern in applying(name, operands, wide):
        if pattern.kind != "power at 0" or not forward:
            return pattern
    return UNKNOWN if name in patterns() and not operands else _where(event, operands, wide)


def _where(event: Event, operands: list[ndarray | None], out: ndarray) -> Pattern | None:
    """Return of which numbers a call makes an infinity or NaN; None where it is not element by element."""
    tensors = sum(isinstance(argument, TensorBase) for argument in event.args[:2])
    if not operands or tensors != len(event.inputs):
        return None
    if any(v is None or not np.isfinite(v).all() for v in operands):
        return None
    try:
        spread = [np.broadcast_to(v, out.shape) for v in operands if v is not None]
    except ValueError:
        return None
    wrong = np.argwhere(~np.isfinite(out))
    if not len(wrong):
        return None
    at = tuple(wrong[0])
    numbers = ", ".join(f"{v[at]:.6g}" for v in spread)
    return Pattern(
        "not finite", f"{event.name.strip('_')} of {numbers} is {out[at]:.3g} "
        f"({len(wrong)} of {out.size} such values).",
        "keep its input away from there: `clamp` it, or add a small number (eps)", lambda inputs, out: True,
    )  # fmt: skip
