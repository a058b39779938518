"""Take a loss apart into its terms: their signs, how each was reduced, what was meant to be constant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..answer import Answer
from ..scene import Scene
from ..trace import Event, Trace
from .collected import Findings
from .losses import PASSING, origin, values_of

#: Names of what is to be made large.
GOOD = re.compile(r"reward|return|adv|gain|score|^r$|^R$|^G$|^A$", re.IGNORECASE)

#: Sums and differences.
ADDING = {"add", "__add__", "__radd__", "__iadd__", "add_"}
TAKING = {"sub", "__sub__", "__isub__", "sub_"}
SCALING = {"mul", "__mul__", "__rmul__", "div", "__truediv__", "__imul__", "true_divide"}

#: Losses, which are to become small.
LOSSES = {
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "ctc_loss", "gaussian_nll_loss",
}  # fmt: skip

#: Calls that are looked at.
MOST_CALLS = 200


@dataclass(frozen=True)
class Term:
    """Hold one term of a loss: the call that it ends in, its factor, and the last reduction before it."""

    event: Event
    factor: float
    reduction: Event | None


def terms_of(loss: Any, trace: Trace) -> list[Term]:
    """Return the terms of a loss."""
    start = trace.maker_of(loss)
    return [] if start is None else list(_terms(start, 1.0, None, 0))


def _terms(event: Event, factor: float, reduction: Event | None, depth: int) -> Iterator[Term]:
    name = event.name
    tensors = [(t, m) for t, m in event.inputs if t._node is not None]
    if depth > MOST_CALLS or not tensors or tensors[0][0]._node is LEAF:
        yield Term(event, factor, reduction)
    elif name in ADDING | TAKING | {"__rsub__", "rsub"} and reduction is None:
        for tensor, maker in tensors:
            second = len(event.args) > 1 and event.args[1] is tensor
            flipped = (name in TAKING and second) or (name in ("__rsub__", "rsub") and not second)
            if maker is not None:
                yield from _terms(maker, -factor if flipped else factor, reduction, depth + 1)
    elif name in SCALING and len(tensors) == 1:
        number = _number(event, tensors[0][0])
        if number is None or tensors[0][1] is None:
            yield Term(event, factor, reduction)
        else:
            by = 1 / number if name in ("div", "__truediv__", "true_divide") else number
            yield from _terms(tensors[0][1], factor * by, reduction, depth + 1)
    elif name in ("neg", "__neg__") and tensors[0][1] is not None:
        yield from _terms(tensors[0][1], -factor, reduction, depth + 1)
    elif name in ("mean", "sum") and tensors[0][1] is not None:
        yield from _terms(tensors[0][1], factor, reduction or event, depth + 1)
    elif name in PASSING | {"gather", "clone"} and tensors[0][1] is not None:
        yield from _terms(tensors[0][1], factor, reduction, depth + 1)
    else:
        yield Term(event, factor, reduction)


def _number(event: Event, tensor: Any) -> float | None:
    """Return the number that a call scales a tensor by; None where it is not one number, or 0."""
    for argument in event.args[:2]:
        if argument is tensor:
            continue
        if isinstance(argument, TensorBase):
            value = values_of(argument)
            argument = value.item() if value is not None and value.size == 1 else None
        if isinstance(argument, (int, float)) and argument:
            return float(argument)
    return None


def look_at(loss: Any, trace: Trace, scene: Scene, wanted: Any, findings: Findings) -> None:
    """Look at a loss that goes backward."""
    terms = terms_of(loss, trace)
    if len(terms) == 1:
        _sign(terms[0], findings)
    _reductions(terms, findings)
    for term in terms:
        _policy(term, scene, findings)
    _divided_again(loss, trace, findings)


def _is_likelihood(event: Event) -> bool:
    """Return whether a call gives log-probabilities."""
    return event.name in ("log_softmax", "logsigmoid") or event.entry == "log_prob"


def _sign(term: Term, findings: Findings) -> None:
    event = term.event
    if term.factor < 0 and event.name in LOSSES:
        findings.add("wrong input of a loss", Answer(
            "sign of the loss", f"The loss is {event.name} with a negative sign: to make it small is to make "
            "the error large; it has no bound below.", event.place, (), "take the minus away",
        ))  # fmt: skip
    elif term.factor > 0 and _is_likelihood(event):
        out = values_of(event.outputs[0]) if event.outputs else None
        if out is not None and out.size:
            findings.add("wrong input of a loss", Answer(
                "sign of the loss", "The loss is a log-probability with a positive sign: backward and step "
                "make it small, so what should become likely becomes unlikely, and there is no bound below.",
                (term.reduction or event).place, (f"the log-probabilities are at {event.place}",),
                "put a minus before it: the negative log-likelihood, `loss = -log_prob.mean()`",
            ))  # fmt: skip


def _policy(term: Term, scene: Scene, findings: Findings) -> None:
    """Look at a log-probability that is weighted, as by a return or an advantage."""
    event = term.event
    if event.name not in ("mul", "__mul__", "__rmul__") or len(event.inputs) != 2:
        return
    for (left, made), (weight, by) in (event.inputs, event.inputs[::-1]):
        likely = origin(made, PASSING | {"gather", "stack", "cat", "neg", "__neg__", "sum"})
        if likely is None or not _is_likelihood(likely) or left._node in (None, LEAF):
            continue
        if weight._node is None:
            name = scene.name_of(weight) or _source_name(event)
            flipped = _flips(made)
            if term.factor * flipped > 0 and name and GOOD.search(name.rpartition(".")[2]):
                findings.add("wrong input of a loss", Answer(
                    "sign of the loss", f"Log-probabilities are weighted by `{name}` and the loss has a "
                    "positive sign: each step makes what was rewarded less likely.", event.place, (),
                    "put a minus before it: `loss = -(log_prob * advantage).mean()`",
                ))  # fmt: skip
        elif weight._node is not LEAF and by is not None and not _is_likelihood(by) and _apart(by, likely):
            findings.add("wrong input of a loss", Answer(
                "advantage with history", "Log-probabilities are weighted by a value that has a history "
                "itself: the loss of the policy also goes back into what estimates the value"
                f"{'' if by.place is None else f' (line {by.place.line})'}.", event.place, (),
                "cut it off: `log_prob * advantage.detach()`",
            ))  # fmt: skip
        return


def _apart(by: Event, likely: Event) -> bool:
    """Return whether a weight comes of a difference, as an advantage does, and not of the likelihood."""
    waiting = [by]
    seen: set[Event] = set()
    differs = False
    while waiting and len(seen) < MOST_CALLS:
        event = waiting.pop()
        if event in seen:
            continue
        seen.add(event)
        differs = differs or event.name in TAKING | {"__rsub__", "rsub"}
        if event is likely or event.name in ("exp", "softmax", "log_softmax") or event.entry == "log_prob":
            return False
        waiting += [maker for tensor, maker in event.inputs if maker is not None and tensor._node is not LEAF]
    return differs


def _flips(event: Event | None) -> int:
    """Return -1 where an odd number of signs is changed between a likelihood and its weight."""
    sign = 1
    while event is not None and event.name in PASSING | {"gather", "stack", "cat", "neg", "__neg__", "sum"}:
        sign = -sign if event.name in ("neg", "__neg__") else sign
        event = event.inputs[0][1] if event.inputs else None
    return sign


def _source_name(event: Event) -> str:
    """Return the words of the line that a call stands in, as far as they name what is good."""
    place = event.place
    words = [] if place is None else re.findall(r"[A-Za-z_]\w*", place.expression or place.code)
    return next((word for word in words if GOOD.search(word)), "")


def _reductions(terms: list[Term], findings: Findings) -> None:
    """Say where a sum over a batch is added to a mean over it."""
    def size(event: Event) -> tuple[int, ...]:
        return shape_of(event.inputs[0][0])

    means = [t for t in terms if (t.reduction is not None and t.reduction.name == "mean") or (
        t.event.name in LOSSES and t.event.argument(9, "reduction", "mean") == "mean" and t.reduction is None
    )]  # fmt: skip
    sums = [t for t in terms if t.reduction is not None and t.reduction.name == "sum"
            and t.reduction.argument(1, "dim") is None and abs(t.factor) >= 0.1]  # fmt: skip
    for total in sums:
        assert total.reduction is not None
        shape = size(total.reduction)
        for mean in means:
            other = shape_of(mean.event.inputs[0][0]) if mean.reduction is None else size(mean.reduction)
            if len(shape) >= 2 and other[:1] == shape[:1] and shape[0] > 1:
                findings.add("wrong input of a loss", Answer(
                    "sum and mean", f"One term of the loss is a sum over all {shape[0]} samples of the batch "
                    f"and their {shape[1:] if len(shape) > 2 else shape[1]} numbers, another one is a mean "
                    f"(line {mean.event.place.line if mean.event.place else '?'}): the sum outweighs it, the "
                    "more the larger the batch is.", total.reduction.place, (),
                    "reduce both in one way: sum over the features, then the mean over the batch "
                    "(`kl.sum(1).mean()`, and the same for the other one)",
                ))  # fmt: skip
                return


def _divided_again(loss: Any, trace: Trace, findings: Findings) -> None:
    """Say where a mean over a batch is divided by the size of the batch."""
    event = trace.maker_of(loss)
    if event is None or event.name not in ("div", "__truediv__", "true_divide") or not event.inputs:
        return
    tensor, made = event.inputs[0]
    number = _number(event, tensor)
    if made is None or number is None or shape_of(tensor):
        return
    is_mean = made.name == "mean" and made.argument(1, "dim") is None
    is_loss = made.name in LOSSES and made.kwargs.get("reduction", "mean") == "mean" and (
        "sum" not in made.args
    )
    if not (is_mean or is_loss) or not made.inputs:
        return
    shape = shape_of(made.inputs[0][0])
    text = "" if event.place is None else event.place.expression or event.place.code
    counted = re.search(r"len\(|\.size\(|\.shape|batch_?size|\bbs\b|\bn\b|\bN\b", text)
    if shape and shape[0] == number and number >= 4 and counted:
        findings.add("wrong input of a loss", Answer(
            "divided twice", f"The loss is a mean over {shape[0]} samples already and is divided by their "
            f"number again, twice in all: gradients are {shape[0]} times smaller than meant.", event.place,
            (), "leave the division out, or reduce by a sum",
        ))  # fmt: skip


__all__ = ["Term", "look_at", "terms_of"]
