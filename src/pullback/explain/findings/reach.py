"""Find the leaves that a loss was computed from by value but has no history to, and the call that lost it.

The trace leads from the loss back through every call, recorded or not. A leaf at its end that the graph does
not lead to lost its history on the way, at a call that had an input with history and gave none on.
"""

import ast
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...core.blame import next_sequence
from ...core.node import DIFFERENTIABLE, LEAF, AccumulateGrad, Node
from ...core.value import dtype_of, shape_of
from ..counterfactual import Rerun, reaches
from ..cuts import Cut, literal
from ..names import parsed
from ..scene import tree_of
from ..trace import LEAVING, Event, Trace
from ..walk import Path, nodes_of, reachable
from . import makers
from .collected import Findings
from .lost import COPYING, INDICES, cut_of

#: Calls whose result takes the shape of a tensor, not its values.
SHAPE_ONLY = {
    "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "empty_like", "randint_like",
    "new_zeros", "new_ones", "new_full", "new_empty", "size", "dim", "numel", "type_as", "__len__",
    "__repr__",
    "__format__", "__str__", "zero_", "uniform_", "normal_", "fill_",
}  # fmt: skip

#: Of these, integer and boolean inputs say which elements are meant, and carry no value.
CHOOSING_BY = {
    "gather", "index_select", "__getitem__", "__setitem__", "embedding", "cross_entropy", "nll_loss", "where",
    "masked_fill", "masked_fill_", "masked_select", "scatter", "scatter_", "scatter_add", "scatter_add_",
    "index_add", "index_add_", "take_along_dim", "take", "index_put", "index_put_", "index_copy_",
    "index_fill",
    "log_prob", "ctc_loss", "pack_padded_sequence", "embedding_bag", "multi_margin_loss",
}  # fmt: skip

#: Calls that cut on purpose: a finding only where a leaf gets no gradient at all.
ON_PURPOSE = {
    "detached", "no_grad", "not differentiable", "integer", "argument of a function", "state dict",
    "constant derivative",
}  # fmt: skip


#: Losses, whose result is a number that is meant to go backward.
LOSSES = makers.LOSSES | {
    "kl_div", "ctc_loss", "gaussian_nll_loss", "poisson_nll_loss", "triplet_margin_loss",
    "cosine_embedding_loss", "margin_ranking_loss",
}  # fmt: skip

#: Calls that lost a history whose leaves are looked for.
MOST_LOSSES = 200

#: Calls between a cut and a leaf that is made of its result.
MOST_STEPS = 8

#: How often the turn is run again with the history of one call kept.
MOST_TRIES = 2


@dataclass
class Loss:
    """Hold one call at which the history of some leaves ended on the way to a loss."""

    event: Event
    first: bool
    leaves: dict[int, Any] = field(default_factory=dict)
    checked: dict[int, float] = field(default_factory=dict)
    tries: int = 0
    #: The lines that call backward on what it leads to.
    lines: set[Any] = field(default_factory=set)
    #: Whether the loss has the log-probability of a draw: gradients go through that, not through the draw.
    scored: bool = False
    #: Whether a leaf that backward reaches was made of the result.
    remade: bool = False


class Reach:
    """Collect over a run which leaves got a gradient, and where others lost their history."""

    def __init__(self) -> None:
        self.reached: dict[int, Any] = {}
        self.losses: dict[tuple[str, Any, int], Loss] = {}
        self.asides: dict[tuple[str, Any, int], Loss] = {}
        #: The first call, in the order of the run, at which each leaf lost its history.
        self.nearest: dict[int, tuple[float, Loss | None]] = {}
        #: The leaves of optimizers that step after the lines that call backward.
        self.steps_after: dict[Any, set[int]] = {}
        #: Leaves that the program itself writes to.
        self.by_hand: set[int] = set()
        self.calls = 0
        #: Of lines that compute losses which no backward goes through: the first such call, and their number.
        self.left_out: dict[Any, tuple[Event, int]] = {}
        self.last = -1
        #: Leaves of what was differentiated with a history, and the last call that did so.
        self.behind_derivatives: dict[int, Event] = {}
        #: Of lines that compute one number which nothing uses, the call, and the leaves it was computed from.
        self.ends: dict[Any, tuple[Event, set[int]]] = {}

    def look(
        self, outputs: Iterable[Any], path: Path, trace: Trace, wanted: Callable[[Any], bool], at: Any = None
    ) -> None:
        """Look at one call of backward, made on the line `at`, before it runs."""
        self.calls += 1
        outputs = list(outputs)
        rerun = Rerun(outputs[0], trace, path) if len(outputs) == 1 else None
        for node in path.nodes:
            if type(node) is AccumulateGrad:
                self.reached[id(node.variable)] = node.variable
        seen: set[Event] = set()
        waiting: list[tuple[Event, bool]] = []
        for y in outputs:
            made = trace.maker_of(y)
            waiting += [(event, True) for event in (trace.makers_in(y) if made is None else [made])]
        while waiting:
            event, first = waiting.pop()
            if event in seen or event.name in SHAPE_ONLY:
                continue
            seen.add(event)
            lost = event.lost() and not _by_library(event) and not (
                event.name in ("tensor", "as_tensor") and not event.inputs
            )
            if lost:
                self._note(event, first, trace, rerun, wanted, at)
            waiting += [(e, first and not lost) for e in _before(event, trace)]
        self._left_out(seen, trace)
        for event in trace.events:
            chosen = event.wanted and event.kept and event.name in INDICES
            aside = (event.lost() and not _by_library(event)) or chosen
            if event.entry == "state_dict":
                continue  # kept or copied: what is trained by it is found on the way to the loss
            if aside and event not in seen and event.name not in SHAPE_ONLY and event.recording:
                key = (event.name, *event.frames[0])
                if key not in self.asides and len(self.asides) < MOST_LOSSES:
                    self.asides[key] = Loss(event, False, leaves_behind(event, trace))

    def differentiated(self, event: Event) -> None:
        """Note the leaves of what a call of `autograd.grad` differentiated with a history."""
        if event.kept:
            for node in reachable(nodes_of(event.args)):
                if type(node) is AccumulateGrad:
                    self.behind_derivatives[id(node.variable)] = event

    def wrote(self, tensor: Any) -> None:
        """Note that the program writes to a tensor, or to the one that it is a view of."""
        base = tensor._base if tensor._base is not None else tensor
        if base._node is LEAF:
            self.by_hand.add(id(base))

    def _left_out(self, seen: set[Event], trace: Trace) -> None:
        """Note losses of the same line as one that goes backward, of which nothing is used."""
        since, self.last = self.last, next_sequence()
        lines = {event.frames[0] for event in seen if event.name in LOSSES and event.frames}
        used = _used(seen, trace)
        lost: dict[Any, list[Event]] = {}
        for event in trace.events:
            new = event.number > since and event.name in LOSSES and event.kept
            if new and event.frames[0] in lines and event not in used:
                lost.setdefault(event.frames[0], []).append(event)
        needed = {id(tensor) for event in trace.events for tensor, _ in event.inputs}
        for event in trace.events:
            number = event.kept and len(event.outputs) == 1 and shape_of(event.outputs[0]) == ()
            if number and event.number > since and event not in seen and id(event.outputs[0]) not in needed:
                self.ends.setdefault(event.frames[0], (event, set(leaves_behind(event, trace))))
        for at, events in lost.items():
            self.left_out.setdefault(at, (events[0], len(events)))

    def end_of(self, leaves: Iterable[Any]) -> Event | None:
        """Return a call that computes one number of some leaves, where nothing uses it."""
        wanted = {id(leaf) for leaf in leaves}
        return next((event for event, behind in self.ends.values() if wanted <= behind), None)

    def _note(
        self, event: Event, first: bool, trace: Trace, rerun: Rerun | None, wanted: Callable[[Any], bool],
        line: Any,
    ) -> None:  # fmt: skip
        code, at = event.frames[0]
        key = (event.name, code, at)
        loss = self.losses.get(key)
        if loss is None:
            loss = self.losses[key] = Loss(event, first)
            loss.scored = event.entry == "sample" and any(map(_scores_a_draw, trace.events))
            loss.remade = any(_comes_of(trace.maker_of(leaf), event) for leaf in self.reached.values())
        loss.lines.add(line)
        if len(self.losses) <= MOST_LOSSES:
            behind = leaves_behind(event, trace)
            missing = [leaf for key, leaf in behind.items() if key not in self.reached and wanted(leaf)]
            if rerun is not None and missing and loss.tries < MOST_TRIES:
                loss.tries += 1
                loss.checked |= reaches(rerun, event, missing)
            loss.leaves.update(behind)
            for leaf in behind:
                if event.number < self.nearest.get(leaf, (math.inf, None))[0]:
                    self.nearest[leaf] = event.number, loss

    def _cut_of(self, leaf: int) -> Loss | None:
        """Return the call to be mended for a leaf: one after which its optimizer steps, or else the first."""
        tried = [loss for loss in self.losses.values() if loss.checked.get(leaf)]
        own = (loss for loss in tried if any(leaf in self.steps_after.get(at, ()) for at in loss.lines))
        return next(own, tried[0] if tried else self.nearest[leaf][1])

    def report(
        self, findings: Findings, wanted: Callable[[Any], bool], name_of: Callable[[Any], str | None]
    ) -> set[int]:
        """Add what lost its history for good; return the leaves that were told of.

        `wanted` says whether the program means to train a leaf.
        """
        told: set[int] = set()
        for event, count in self.left_out.values():
            findings.tell("losses overwritten", event, count=count, event=event)
        for loss in sorted(self.losses.values(), key=lambda loss: loss.event.number):
            missing = {
                key: leaf for key, leaf in loss.leaves.items()
                if key not in self.reached and self._cut_of(key) is loss and wanted(leaf)
            }  # fmt: skip
            cut = cut_of(loss.event)
            if missing:
                told |= set(missing)
                held = any(leaves & set(missing) for leaves in self.steps_after.values())
                same = any(shape_of(x) == shape_of(t) for x in missing.values() for t in loss.event.outputs)
                if loss.remade and held and same and cut.kind == "detached":
                    findings.tell("replaced leaf: held", loss.event)
                    continue
                effect = f"No gradient reaches {listed(missing.values(), name_of)}"
                checked = "" if set(missing) <= self.by_hand else _checked(loss, missing, name_of)
                findings.add("lost history", cut.answer(effect, (), checked))
            elif any(tensor._node is LEAF for tensor in loss.event.outputs):
                continue  # what makes a leaf where all others are reached means to: its gradient is handed on
            elif loss.first and loss.leaves and cut.kind not in ON_PURPOSE and not loss.scored:
                findings.add("lost history", cut.answer("A part of the loss has no history"))
        return told


def _comes_of(maker: Event | None, event: Event) -> bool:
    """Return whether a tensor was made of what a call gave, by the first inputs of the calls that made it."""
    for _ in range(MOST_STEPS):
        if maker is None or maker is event:
            break
        maker = maker.inputs[0][1] if maker.inputs else None
    return maker is event


def _used(seen: set[Event], trace: Trace) -> set[Event]:
    """Return the calls that lead to some, or whose result the program reads as a number."""
    used = seen | {event for event in trace.events if event.name in LEAVING or not event.outputs}
    for event in reversed(trace.events):
        if event in used:
            used |= {maker for _, maker in event.inputs if maker is not None}
    return used


def _scores_a_draw(event: Event) -> bool:
    """Return whether a call is part of the log-probability of what was drawn."""
    drawn = any(maker is not None and maker.entry == "sample" for _, maker in event.inputs)
    return event.entry == "log_prob" and drawn


def _by_library(event: Event) -> bool:
    """Return whether a function of the library's cut the history on its way, as `gumbel_softmax` does."""
    own = event.entry in (event.frames[0][0].co_name, "deepcopy", "state_dict")
    return event.name in ("detach", "data") and event.recording and not own


def _checked(loss: Loss, missing: dict[int, Any], name_of: Callable[[Any], str | None]) -> str:
    """Return what running the turn again with the history kept gave the leaves that have no gradient."""
    for key, leaf in missing.items():
        if loss.checked.get(key):
            name = name_of(leaf) or "the leaf"
            return f"run again with its history, `{name}` gets a gradient of norm {loss.checked[key]:.3g}"
    return ""


def aside(reach: Reach, leaves: Iterable[Any]) -> Cut | None:
    """Return the call beside the way to the loss at which some leaves' history ended, or None."""
    wanted = {id(leaf) for leaf in leaves}
    for loss in sorted(reach.asides.values(), key=lambda loss: loss.event.number):
        if wanted & set(loss.leaves):
            return cut_of(loss.event)
    return None


def listed(leaves: Iterable[Any], name_of: Callable[[Any], str | None]) -> str:
    """Return the names of some leaves: a common beginning, or the first few."""
    names = [f"`{name_of(leaf) or 'a leaf'}`" for leaf in leaves]
    names = list(dict.fromkeys(names))
    if len(names) > 3:
        return f"{', '.join(names[:2])} and {len(names) - 2} more"
    return " and ".join(names)


def _escaped(event: Event, trace: Trace) -> list[Event]:
    """Return the calls that gave numbers of which another one may have made its tensor."""
    code = event.frames[0][0]
    tree = tree_of(code.co_filename)
    place = event.place
    if tree is None or place is None or _is_literal(place.expression):
        return []
    earlier = [
        e for e in trace.events
        if e.number < event.number and e.name in LEAVING
        and (e.wanted or any(maker is not None for _, maker in e.inputs))
    ]  # fmt: skip
    return [e for e in earlier if e.frames[0][0] is code] or earlier[-8:]


def _is_literal(text: str) -> bool:
    """Return whether a call is written with constants only."""
    call = parsed(text)
    return isinstance(call, ast.Call) and all(map(literal, call.args))


def _before(event: Event, trace: Trace) -> list[Event]:
    """Return the calls that made what a call was given, or may have."""
    found: list[Event] = []
    for tensor, maker in event.inputs:
        if dtype_of(tensor) not in DIFFERENTIABLE and {event.name, event.entry} & CHOOSING_BY:
            continue  # it says which elements are meant
        if event.entry == "log_prob" and maker is not None and maker.entry == "sample":
            continue  # how likely a draw was is asked of the draw as it is
        if maker is not None:
            found.append(maker)
        else:
            found += trace.makers_in(tensor)
    if event.name in COPYING and not event.inputs:
        found += _escaped(event, trace)
    return found


def leaves_behind(event: Event, trace: Trace) -> dict[int, Any]:
    """Return the leaves that a call's inputs were computed from, recorded or not."""
    found: dict[int, Any] = {}
    nodes: list[Node] = []
    seen = {event}
    waiting = [event]
    while waiting:
        current = waiting.pop()
        for tensor, _ in current.inputs:
            if tensor._node is LEAF:
                found[id(tensor)] = tensor
            nodes += nodes_of([tensor])
        for before in _before(current, trace):
            if before not in seen and before.name not in SHAPE_ONLY:
                seen.add(before)
                waiting.append(before)
    for node in reachable(nodes):
        if type(node) is AccumulateGrad:
            found[id(node.variable)] = node.variable
    return found
