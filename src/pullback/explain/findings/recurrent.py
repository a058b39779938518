"""Look at recurrent layers: states that are not passed on or are swapped, steps that say little."""

from collections import Counter

import numpy as np

from ...core.value import TensorBase, shape_of
from ..trace import Event
from .collected import Findings, calls_of
from .makers import origin, values_of
from .targets import ragged_padding

#: Layers over sequences, and cells for one step.
LAYERS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
CELLS = ("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell")

#: Calls with one step each that are needed to speak of a loop over steps.
STEPS = 3

#: Layers that take features along the last axis.
LAST = ("linear", "embedding", "layer_norm", *LAYERS)


class Recurrent:
    """Count calls of recurrent layers over a turn."""

    def __init__(self) -> None:
        self.afresh: Counter[int] = Counter()
        self.last_taken: dict[int, tuple[Event, Event]] = {}
        self.others: set[int] = set()
        #: Layers whose final states were read, and the states that were; those of which more was used.
        self.states: dict[int, tuple[Event, Event, set[int]]] = {}
        self.whole: set[int] = set()
        #: Calls in this turn by layer, and one of each that gets a single step and no state.
        self.turn: Counter[int] = Counter()
        self.short: dict[int, Event] = {}
        #: Layers that are told of as getting sequences of one step.
        self.one_step: set[int] = set()

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function."""
        name = event.name
        if name in LAYERS or name in CELLS:
            self._state(event, findings)
        if name == "__getitem__":
            self._step(event, findings)
        self._states_read(event)
        if name in ("cat", "stack", "mean", "sum", "add", "__add__", "permute", "transpose", "max"):
            self.others |= {id(maker) for _, maker in event.inputs if maker is not None}

    def backward(self, findings: Findings) -> None:
        """Look at one turn, at its call of backward."""
        for key, (event, layer) in self.last_taken.items():
            if key in self.others:
                continue
            findings.tell("one direction: final states", event, layer=layer)
        for key, (event, layer, read) in self.states.items():
            module = layer.module
            count = shape_of(layer.outputs[1])[0]
            last = count - (2 if getattr(module, "bidirectional", False) else 1)
            if key not in self.whole and last > 0 and max(read) < last:
                findings.tell(
                    "state of the first layer", event, count=count,
                    states=", ".join(f"h[{k}]" for k in sorted(read)), layer=layer
                )
        self.states, self.whole = {}, set()
        self.last_taken, self.others = {}, set()
        self.afresh.clear()
        for key, event in self.short.items():
            if self.turn[key] == 1:
                _one_step(event, findings, self.one_step)
        self.short, self.turn = {}, Counter()

    def _state(self, event: Event, findings: Findings) -> None:
        x = event.argument(0, "input")
        self.turn[id(event.module)] += 1
        states = event.argument(1, "hx")
        given = list(states) if isinstance(states, (list, tuple)) else [states]
        makers = [event.maker_of(t) for t in given if isinstance(t, TensorBase)]
        if len(makers) == 2 and all(m is not None and m.name == "lstm" for m in makers):
            first = makers[0]
            if first is makers[1] and first is not None and len(first.outputs) == 3 and (
                given[0] is first.outputs[2] and given[1] is first.outputs[1]
            ):
                    findings.tell("states swapped", event, first=first)
        fresh = all(m is not None and m.name in ("new_zeros", "zeros") and m.module is event.module
                    for m in makers) and event.module is not None  # fmt: skip
        shape = shape_of(x) if isinstance(x, TensorBase) else ()
        steps = 1 if event.name in CELLS else (
            shape[1 if getattr(event.module, "batch_first", False) else 0] if len(shape) == 3 else 0
        )  # fmt: skip
        if not fresh or steps != 1:
            return
        self.short[id(event.module)] = event
        self.afresh[id(event.module)] += 1
        if self.afresh[id(event.module)] == STEPS:
            findings.tell("state not passed on", event, module=type(event.module).__name__)

    def _states_read(self, event: Event) -> None:
        """Note which of a layer's final states are read, and whether anything else of it is used."""
        index = event.args[1] if len(event.args) > 1 else None
        for tensor, layer in event.inputs:
            if layer is None or layer.name not in LAYERS or len(layer.outputs) < 2:
                continue
            count = shape_of(layer.outputs[1])[0]
            if event.name == "__getitem__" and isinstance(index, int) and tensor is layer.outputs[1]:
                self.states.setdefault(id(layer), (event, layer, set()))[2].add(index % max(count, 1))
            else:
                self.whole.add(id(layer))

    def _step(self, event: Event, findings: Findings) -> None:
        layer = event.inputs[0][1] if event.inputs else None
        index = event.args[1] if len(event.args) > 1 else None
        if layer is None or layer.name not in LAYERS or layer.module is None:
            return
        both = getattr(layer.module, "bidirectional", False)
        first = getattr(layer.module, "batch_first", False)
        out = layer.outputs and event.inputs[0][0] is layer.outputs[0]
        if not out:
            if both and index == -1 and len(layer.outputs) > 1 and event.inputs[0][0] is layer.outputs[1]:
                self.last_taken.setdefault(id(layer), (event, layer))
            elif both:
                self.others.add(id(layer))
            if index == -1 and not both:
                self._padded(event, layer, first, findings)
            return
        later = isinstance(index, tuple) and len(index) > 1 and index[:2] == (slice(None), -1)
        last = later if first else index == -1
        if last and both:
            findings.tell("one direction: last step", event, layer=layer)
        elif last:
            self._padded(event, layer, first, findings)

    def _padded(self, event: Event, layer: Event, first: bool, findings: Findings) -> None:
        """Say where the last step of shorter sequences is one of padding."""
        made = origin(layer.maker_of(layer.argument(0, "input")), {"dropout", "layer_norm", "linear", "relu"})
        if made is None or made.name != "embedding":
            return
        value, pad = values_of(made.argument(0, "input")), made.argument(2, "padding_idx")
        if value is None or value.ndim != 2 or pad is None:
            return
        value = value if first else value.T
        if ragged_padding(value, pad):
            count = int((value[:, -1] == pad).sum())
            findings.tell(
                "last step of padding", event, count=count, count_name=len(value), pad=pad, made=made
            )


def _one_step(event: Event, findings: Findings, told: set[int]) -> None:
    """Say where a whole sequence goes into a layer as the features of its only step."""
    x = event.argument(0, "input")
    made = origin(event.maker_of(x), {"float", "to", "contiguous"})
    shape = shape_of(x)
    shaped = made is not None and made.name in ("unsqueeze", "view", "reshape", "__getitem__")
    if event.name in CELLS or made is None or not shaped:
        return
    if shape[-1] < STEPS or made.wanted or not event.kept:
        return
    told.add(id(event.module))
    findings.tell(
        "one step", made.place or event.place, module=type(event.module).__name__, last=shape[-1],
        shape=tuple(shape), event=event
    )


@calls_of("linear", *LAYERS)
def _normalised_steps(event: Event, findings: Findings) -> None:
    """Say where a batch norm takes the steps of sequences for its channels."""
    x = event.argument(0, "input")
    made = origin(event.maker_of(x), {"dropout", "relu"})
    if made is None or made.name != "batch_norm" or len(shape_of(x)) != 3:
        return
    if event.name in LAYERS and getattr(event.module, "batch_first", True) is False:
        return
    _axis_one(made, "batch norm", findings, f" (line {event.place.line})" if event.place else "")


@calls_of("conv1d")
def _channels(event: Event, findings: Findings) -> None:
    """Say where a convolution takes the steps of sequences for its channels."""
    x = event.argument(0, "input")
    made = origin(event.maker_of(x), {"dropout", "relu"})
    if made is not None and made.name in LAST and len(shape_of(x)) == 3:
        _axis_one(event, "conv1d", findings, "")


def _axis_one(event: Event, what: str, findings: Findings, after: str) -> None:
    shape = shape_of(event.argument(0, "input"))
    findings.tell("steps for channels", event, what=what, shape=tuple(shape), after=after, last=shape[-1])


@calls_of("embedding")
def _padding_is_a_word(event: Event, findings: Findings) -> None:
    """Say where the padding index of an embedding is within sequences, as a word does."""
    ids, pad = event.argument(0, "input"), event.argument(2, "padding_idx")
    value = values_of(ids)
    if value is None or pad is None or value.ndim != 2 or len(value) < 2 or value.shape[1] < 2:
        return
    made = origin(event.maker_of(ids))
    if made is not None and made.name == "randint":
        return  # drawn at random, the padding index too: made up
    is_pad = value == pad
    leading = np.cumprod(is_pad, 1).sum(1)
    trailing = np.cumprod(is_pad[:, ::-1], 1).sum(1)
    within = is_pad.sum(1) > np.maximum(leading, trailing)
    always = (leading == leading[0]).all() and 0 < leading[0] < value.shape[1] and not trailing.any()
    if not (within.mean() > 0.5 or always):
        return
    rows = int(within.sum()) if within.any() else len(value)
    findings.tell(
        "padding index is a word", findings.made(event.module) or event.place, pad=pad, rows=rows,
        count=len(value), event=event
    )
