"""Look at how a network is put together and how its weights start: too large, too small, or never set."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ..shown import dims
from ..trace import Event, Trace
from .collected import Findings
from .makers import DIVIDING, MULTIPLYING, origin, values_of

#: Calls that leave a tensor's numbers unset.
UNSET = {"empty", "new_empty", "empty_like", "Tensor", "FloatTensor", "empty_strided"}

#: What a weight times the square root of its inputs is at a good start is between these.
SMALL, LARGE = 0.05, 5.0

#: Inputs of a layer from which on its start matters.
WIDE = 10

#: Products of scores.
PRODUCTS = ("matmul", "bmm", "einsum", "__matmul__", "baddbmm")

#: Spread of scores, and their features, from which on they want scaling.
SPREAD, FEATURES = 1.5, 16


class Starts:
    """Remember parameters that were made of unset memory."""

    def __init__(self) -> None:
        self.unset: dict[int, tuple[Any, Place | None]] = {}
        self.looked = False

    def made(self, parameter: Any, maker: Event | None) -> None:
        """Note that the program makes a parameter."""
        if maker is not None and maker.name in UNSET:
            self.unset[id(parameter)] = parameter, maker.place

    def wrote(self, tensor: Any) -> None:
        """Note a write into a tensor."""
        base = tensor._base if tensor._base is not None else tensor
        self.unset.pop(id(base), None)
        self.unset.pop(id(tensor), None)

    def look(
        self, trace: Trace, findings: Findings,
        started: Callable[[Any], Place | None], name_of: Callable[[Any], str | None],
    ) -> None:  # fmt: skip
        """Look at the first turn; `started` returns the line that gave a weight its first values."""
        for event in trace.events:
            if event.name == "softmax" and event.wanted:
                _scores(event, findings)
        if self.looked:
            return
        self.looked = True
        used = Counter(id(tensor) for event in trace.events for tensor, _ in event.inputs)
        for parameter, place in self.unset.values():
            if used[id(parameter)]:
                findings.tell("never initialised", place, name=name_of(parameter) or "A parameter")
        layers = [e for e in trace.events if e.name in ("linear", "matmul", "__matmul__", "mm") and e.kept]
        for event in layers:
            _twice_linear(event, used, findings)
        sizes = [(event, _weight(event), size) for event in layers if (size := _start(event)) is not None]
        small = [start for start in sizes if 0 < start[2] < SMALL]

        def place_of(event: Event, weight: Any) -> Place | None:
            made = trace.maker_of(weight)
            own = started(weight) or (None if made is None else made.place)
            return own or findings.made(event.module) or event.place

        for event, weight, size in [start for start in sizes if start[2] > LARGE][:1]:
            findings.tell(
                "weights start large", place_of(event, weight), name=name_of(weight) or "a weight",
                weight=dims(shape_of(weight)), size=size, event=event
            )
        for event, weight, size in small[:1] if len({id(weight) for _, weight, _ in small}) >= 2 else ():
            findings.tell(
                "weights start small", place_of(event, weight), name=name_of(weight) or "a weight",
                factor=1 / size, event=event
            )


def _weight(event: Event) -> Any:
    """Return the weight that a product is taken with; None where there is none."""
    second = event.inputs[1][0] if len(event.inputs) > 1 else None
    return second if second is not None and second._node is LEAF and len(shape_of(second)) == 2 else None


def _start(event: Event) -> float | None:
    """Return by what factor a layer makes numbers larger, by the spread of its weight; None without one."""
    value = values_of(_weight(event))
    if value is None or value.dtype.kind != "f" or value.size < 2:
        return None
    inputs = value.shape[1] if event.name == "linear" else value.shape[0]
    if inputs < WIDE:
        return None
    return float(np.sqrt(np.mean(value.astype(np.float64) ** 2))) * math.sqrt(inputs)


def _twice_linear(event: Event, used: Counter[int], findings: Findings) -> None:
    """Say where nothing bends between two linear layers, so that they are one."""
    x = event.argument(0, "input")
    if event.name != "linear" or not isinstance(x, TensorBase):
        return
    maker = origin(event.maker_of(x), {"dropout"})
    if maker is None or maker.name != "linear" or used[id(x)] != 1 or event.module is None:
        return
    if used[id(maker.outputs[0])] != 1 or maker.module is None or maker.module is event.module:
        return
    first, second = _weight(maker), _weight(event)
    if first is None or second is None:
        return
    inner, narrow = shape_of(first)[0], min(shape_of(first)[1], shape_of(second)[0])
    if inner < narrow or inner < 4:
        return  # a bottleneck is meant
    place = findings.made(event.module) or event.place
    findings.tell("no activation between", place, inner=inner, event=event)


def _scores(event: Event, findings: Findings) -> None:
    """Say where scores of attention grow with the number of features, as nothing scales them."""
    through = {"masked_fill", "masked_fill_", "where", "add", "__add__", "__iadd__"}
    made = origin(event.inputs[0][1] if event.inputs else None, through)
    if made is None or made.name not in PRODUCTS or len(made.inputs) != 2 or not made.outputs:
        return
    shape = shape_of(made.inputs[0][0])
    scores = values_of(made.outputs[0])
    if len(shape) < 3 or shape[-1] < FEATURES or scores is None:
        return
    if any(t._node is None for t, _ in made.inputs):
        return
    if any(m is not None and m.name in {*MULTIPLYING, *DIVIDING, "normalize"} for _, m in made.inputs):
        return
    spread = float(scores.std())
    if spread > SPREAD:
        findings.tell("scores not scaled", made, last=shape[-1], spread=spread, event=event)
