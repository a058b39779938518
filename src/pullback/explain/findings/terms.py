"""Take a loss apart into its terms: their signs, how each was reduced, what was meant to be constant."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..scene import Scene
from ..trace import Event, Trace, behind
from . import makers
from .collected import Findings
from .makers import MULTIPLYING, PASSING, both_ways, origin, values_of

#: Names of what is to be made large.
GOOD = re.compile(r"reward|return|adv|gain|score|^r$|^R$|^G$|^A$", re.IGNORECASE)

#: Sums and differences.
ADDING = {"add", "__add__", "__radd__", "__iadd__", "add_"}
TAKING = {"sub", "__sub__", "__isub__", "sub_"}
SCALING = {"mul", "__mul__", "__rmul__", "div", "__truediv__", "__imul__", "true_divide"}

#: Losses, which are to become small.
LOSSES = makers.LOSSES | {"ctc_loss", "gaussian_nll_loss"}

#: The logarithm of a sigmoid.
LOGS = ("log_sigmoid", "logsigmoid")

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
    if depth > MOST_CALLS or not tensors or tensors[0][0]._node is LEAF or event.entry == "entropy":
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
    _constant(trace.maker_of(loss), findings)
    if len(terms) == 1:
        _sign(terms[0], findings)
    _reductions(terms, findings)
    for term in terms:
        _policy(term, scene, findings)
        _divergence(term, findings)
        _order_of_pair(term, findings)
        _masked(term, findings)
        _focal(term, findings)
        _saturates(term, findings)
    _bounded_critic(terms, findings)
    _divided_again(loss, trace, findings)


def _constant(event: Event | None, findings: Findings) -> None:
    """Say where a term of a loss was computed from results of networks and has no history at all."""
    waiting = [event]
    for event in waiting:
        if event is None or event.name not in ADDING | TAKING or len(event.inputs) != 2:
            continue
        with_history = [maker for tensor, maker in event.inputs if tensor._node is not None]
        waiting += with_history
        for tensor, maker in event.inputs:
            made = None if tensor._node is not None or maker is None else _cut_before(maker)
            if made is not None and with_history:
                place = made.place
                findings.tell(
                    "term without history", place,
                    code="" if place is None else place.expression or place.code, made=made, event=event
                )
                return


def _cut_before(event: Event) -> Event | None:
    """Return the latest call behind a value at which a history was cut off by hand."""
    waiting = [event]
    seen: set[Event] = set()
    while waiting and len(seen) < MOST_CALLS:
        current = waiting.pop(0)
        if current in seen:
            continue
        seen.add(current)
        if current.lost() and current.recording and current.name in ("detach", "data"):
            return current
        waiting += [maker for _, maker in reversed(current.inputs) if maker is not None]
    return None


def _is_likelihood(event: Event) -> bool:
    """Return whether a call gives log-probabilities."""
    return event.name in ("log_softmax", *LOGS) or event.entry == "log_prob"


def _sign(term: Term, findings: Findings) -> None:
    event = term.event
    if term.factor < 0 and event.name in LOSSES:
        findings.tell("sign of the loss: negative loss", event, event=event)
    elif term.factor > 0 and _is_likelihood(event):
        out = values_of(event.outputs[0]) if event.outputs else None
        if out is not None and out.size:
            findings.tell("sign of the loss: likelihood", (term.reduction or event).place, event=event)


def _policy(term: Term, scene: Scene, findings: Findings) -> None:
    """Look at a log-probability that is weighted, as by a return or an advantage."""
    event = term.event
    for (left, made), (weight, by) in both_ways(event) if event.name in MULTIPLYING else ():
        likely = origin(made, PASSING | {"gather", "stack", "cat", "neg", "__neg__", "sum"})
        if likely is None or not _is_likelihood(likely) or left._node in (None, LEAF):
            continue
        if weight._node is None:
            name = scene.name_of(weight) or _source_name(event)
            flipped = _flips(made)
            if term.factor * flipped > 0 and name and GOOD.search(name.rpartition(".")[2]):
                findings.tell("sign of the loss: rewards", event, name=name)
        elif weight._node is not LEAF and by is not None and not _is_likelihood(by) and _apart(by, likely):
            findings.tell("advantage with history", event, by=by)
        return


def _apart(by: Event, likely: Event) -> bool:
    """Return whether a weight comes of a difference, as an advantage does, and not of the likelihood."""
    differs = False
    for event in behind(by):
        differs = differs or event.name in TAKING | {"__rsub__", "rsub"}
        if event is likely or event.name in ("exp", "softmax", "log_softmax") or event.entry == "log_prob":
            return False
    return differs


def _flips(event: Event | None) -> int:
    """Return -1 where an odd number of signs is changed between a likelihood and its weight."""
    sign = 1
    while event is not None and event.name in PASSING | {"gather", "stack", "cat", "neg", "__neg__", "sum"}:
        sign = -sign if event.name in ("neg", "__neg__") else sign
        event = event.inputs[0][1] if event.inputs else None
    return sign


def _source_name(event: Event) -> str:
    """Return the words of the line that a call is in, as far as they name what is good."""
    place = event.place
    words = [] if place is None else re.findall(r"[A-Za-z_]\w*", place.expression or place.code)
    return next((word for word in words if GOOD.search(word)), "")


def _divergence(term: Term, findings: Findings) -> None:
    """Say where an exponential is taken away from a loss, as from a divergence with the wrong sign."""
    event = term.event
    if event.name not in TAKING or len(event.inputs) != 2 or term.factor <= 0:
        return
    subtracted = event.inputs[1][1]
    if subtracted is None or subtracted.name != "exp" or subtracted.inputs[0][0]._node is None:
        return
    value = values_of(event.outputs[0])
    if value is not None and value.size and value.max() <= 1e-6:
        findings.tell("sign of the loss: divergence", event)


#: Names of what should score high, and of what should score low.
HIGH, LOW = re.compile(r"pos|win|chosen|better|good", re.I), re.compile(r"neg|los|reject|worse|bad", re.I)


def _order_of_pair(term: Term, findings: Findings) -> None:
    """Say where a loss of pairs prefers what its names call the negative one."""
    event = term.event
    falling = event.name in LOGS and term.factor < 0
    if not falling and not (event.name == "softplus" and term.factor > 0):
        return
    made = event.inputs[0][1]
    while made is not None and made.name in SCALING and made.inputs:
        made = made.inputs[0][1]
    place = None if made is None else made.place
    if made is None or place is None or made.name not in TAKING:
        return
    first, sign, second = (place.expression or "").partition(" - ")
    if not sign:
        return
    low, high = (first, second) if falling else (second, first)
    if LOW.search(low) and HIGH.search(high) and not HIGH.search(low) and not LOW.search(high):
        findings.tell("sign of the loss: pair", place, low=low.strip(), high=high.strip(), event=event)


def _saturates(term: Term, findings: Findings) -> None:
    """Say where the logarithm of 1 less a probability is made small, and the probability is nearly 0."""
    event = term.event
    if event.name != "log" or term.factor <= 0 or not event.inputs:
        return
    made = origin(event.inputs[0][1], ADDING | TAKING | {"__rsub__", "rsub", "clamp"} | PASSING)
    value = None if made is None or made.name != "sigmoid" else values_of(made.outputs[0])
    given = values_of(event.inputs[0][0])
    if value is None or given is None or not value.size or value.max() > NEARLY or given.min() < 0.5:
        return
    findings.tell("saturated", event, most=value.max())


#: Probabilities below this are nearly 0.
NEARLY = 0.05

#: Losses that can be had for each element.
EACH = LOSSES | {"pow", "__pow__", "abs", "square"}


def _masked(term: Term, findings: Findings) -> None:
    """Say where a mean counts the elements that a mask takes out."""
    event, mean = term.event, term.reduction
    if event.name not in MULTIPLYING or mean is None or mean.name != "mean":
        return
    if mean.argument(1, "dim") is not None or abs(term.factor) != 1:
        return
    for (mask, _), (loss, made) in both_ways(event):
        value = values_of(mask)
        each = origin(made)
        if mask._node is not None or loss._node is None or each is None or each.name not in EACH:
            continue
        if value is None or value.size < 2 or set(map(float, {*value.flat})) != {0.0, 1.0}:
            continue
        if len(shape_of(mask)) >= 2 or mask.dtype.is_floating_point is False:
            findings.tell(
                "mean of masked", mean.place or event.place, zeros=int((value == 0).sum()), value=value,
                event=event
            )


def _bounded_critic(terms: list[Term], findings: Findings) -> None:
    """Say where one network's means on two kinds of samples are told apart, and a sigmoid bounds both."""
    ends = [t for t in terms if t.event.name == "sigmoid" and t.reduction is not None]
    for one in ends:
        for other in ends:
            module = one.event.module
            same = module is not None and module is other.event.module and one.event is not other.event
            if same and one.factor == -other.factor > 0 and one.reduction and one.reduction.name == "mean":
                findings.tell("critic with a sigmoid", one.event, other=other)
                return


def _focal(term: Term, findings: Findings) -> None:
    """Say where a weight that is meant for each sample is computed of the mean loss of all."""
    event = term.event
    if event.name not in MULTIPLYING or shape_of(event.outputs[0]):
        return
    for (loss, made), (_, weight) in both_ways(event):
        if made is None or made.name not in LOSSES or weight is None:
            continue
        inside: Event | None = weight
        while inside is not None and inside.name != "exp":
            inside = inside.inputs[0][1] if inside.inputs else None
        before = inside.inputs[0][1] if inside is not None and inside.inputs else None
        if before is not None and (before is made or any(t is loss for t, _ in before.inputs)):
            findings.tell("weight of the mean", made, made=made, event=event)
            return


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
                findings.tell(
                    "sum and mean", total.reduction.place, shape=shape,
                    numbers=shape[1:] if len(shape) > 2 else shape[1],
                    line=mean.event.place.line if mean.event.place else "?"
                )
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
        findings.tell("divided twice", event, shape=shape)
