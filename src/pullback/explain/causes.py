"""Find, when backward is called and before it frees the values, why the loss or a gradient is what it is.

A loss or a gradient that is not finite, a gradient of 0, a graph that leads back into the turn before.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.blame import Place, next_sequence
from ..core.node import AccumulateGrad, edge_target
from ..core.value import TensorBase, innermost, shape_of
from ..nn.parameter import Parameter
from ..tensor.backward import BackwardCall
from .answer import Answer
from .carried import boundaries, carried
from .counterfactual import Rerun
from .explanation import Explanation
from .findings.growth import HUGE, of_growth
from .findings.makers import values_of
from .findings.perturbed import cancels
from .findings.rates import diverged
from .findings.values import look_at_gradient, look_at_value
from .finite import is_finite
from .nonfinite import of_gradient, of_value
from .roots import Root, ones_for
from .scene import Scene
from .source import At
from .trace import Event
from .vanished import search
from .walk import Path, node_of

if TYPE_CHECKING:
    from .watch import Watch

#: Leaves of one call that are asked why their gradient is zero or not finite.
MOST_ASKED = 6

#: A sum over this many numbers is a large one.
MANY = 64

#: A gradient this much smaller than the largest one is rounding.
NEXT_TO_NONE = 1e-5

#: Gradients that are all smaller than this are rounding, or next to it.
NOTHING = 1e-7


class Causes:
    """Ask at each call of backward that is explained.

    `answers` say why the gradient of a leaf is zero or not finite, by the leaf's id, and why a loss is not
    finite. `zero` has the leaves whose gradient was 0, with the answer, by id; `alive` the ids of those that
    had one which is neither 0 nor infinite nor NaN; `not_finite` is whether a loss was not finite.
    """

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.answers: dict[int, Answer] = {}
        self.zero: dict[int, tuple[Any, Answer | None]] = {}
        self.alive: set[int] = set()
        self.not_finite = False
        self.tried: set[int] = set()
        self._turns: dict[At, int] = {}

    def goes_back(self, call: BackwardCall, path: Path, scene: Scene, at: At) -> None:
        """Say where a graph leads back into the turn before, although nothing was freed."""
        moment = self._turns.get(at)
        self._turns[at] = next_sequence()
        if moment is None or call.kind != "backward":
            return
        old = [n for n in path.nodes if n._seq < moment and type(n) is not AccumulateGrad]
        if not old or not scene.scope:
            return
        roots = [edge_target(edge)[0] for edge, _ in call.roots]
        found = carried(boundaries(roots, moment, old[0]), [scene])
        if found is not None and found.how in ("loop", "attribute", "sum", "list"):
            self.watch.findings.tell("history of earlier turns", found.place, found=found)

    def _huge(self, y: Any, scene: Scene) -> None:
        """Say where a loss is finite and huge, because values grow from turn to turn of a loop."""
        value, event = values_of(y), self.watch.trace.maker_of(y)
        if value is None or value.size != 1 or abs(value.reshape(()).item()) < HUGE or event is None:
            return
        grown = of_growth(event, scene.name_of, self.watch.set_at)
        if grown is not None:
            self.watch.findings.add("not finite", grown)

    def values(self, outputs: list[Any], scene: Scene, path: Path | None = None) -> None:
        """Say where a value that went backward and is not finite came from."""
        for y in outputs:
            if self.not_finite:
                continue
            if is_finite(y):
                self._huge(y, scene)
                continue
            self.not_finite = True
            answer = diverged(self.watch.loop) or self.watch.loop.broken
            if answer is None and self.watch.trace.events:
                answer = look_at_value(
                    y, self.watch.trace, scene.name_of, partial(self._source, scene=scene),
                    None if path is None else Rerun(y, self.watch.trace, path), self.watch.set_at,
                )  # fmt: skip
            if answer is None:
                answer = of_value(y, scene.name_of(y) or "the loss", scene)
            self.watch.findings.add("not finite", summed(answer, self.watch.trace.maker_of(y)))
            self.answers[id(y)] = answer

    def _source(self, tensor: Any, scene: Scene) -> Place | None:
        """Return where a tensor that no call made came in."""
        for event in self.watch.trace.events:
            if any(t is tensor for t, _ in event.inputs):
                name = scene.name_of(tensor)
                return (None if name is None else scene.made(name, scene.line)) or event.place
        return None

    def gradients(self, call: BackwardCall, explanation: Explanation, path: Path, scene: Scene) -> None:
        """Ask why gradients are 0 or not finite."""
        if call.inputs is not None or not explanation.leaves:
            return
        finite = all(is_finite(y) for y in call.outputs if isinstance(y, TensorBase))
        asked = 0
        sizes = []
        for node, part in zip(path.targets, explanation.leaves):
            leaf = node.variable
            if part.gradient is None or not (self.watch.wanted(leaf) or isinstance(leaf, Parameter)):
                continue
            size = part.gradient.norm
            sizes.append((leaf, size))
            if size == 0:
                if finite and id(leaf) not in self.zero and asked < MOST_ASKED:
                    asked += 1
                    self.zero[id(leaf)] = (leaf, self._why_zero(leaf, part.name, call, scene))
                continue
            if size != size or math.isinf(size):
                if finite and id(leaf) not in self.answers and asked < MOST_ASKED:
                    asked += 1
                    self._why_nan(leaf, part.name, call, scene, path)
                continue
            self.alive.add(id(leaf))
        self._cancelled(sizes, call, path)
        if not any(hasattr(type(value), "unscale_") for value in list(scene.variables.values())):
            self.watch.sizes.backward(sizes, path.nodes)  # gradients of a scaled loss are large on purpose

    def _cancelled(self, sizes: list[tuple[Any, float]], call: BackwardCall, path: Path) -> None:
        """Say where a weight has next to no gradient because it cancels on the way to the loss."""
        # Where all gradients are so small, they are held against those of order 1.
        largest = max((size for _, size in sizes if math.isfinite(size)), default=0.0)
        largest = 1.0 if largest < NOTHING else largest
        # A bias that is added and taken away, as in a difference of scores, is meant.
        tiny = [x for x, size in sizes if 0 < size < NEXT_TO_NONE * largest and x.dim() != 1]
        small = [leaf for leaf in tiny if id(leaf) not in self.tried]
        for leaf in small[:MOST_ASKED]:
            self.tried.add(id(leaf))
            found = cancels(leaf, Rerun(call.outputs[0], self.watch.trace, path))
            if found is not None:
                name = self.watch.name_of(leaf) or "a weight"
                self.watch.findings.tell("cancelled: only rounding is left", found, name=name, found=found)

    def _root(self, call: BackwardCall) -> Root | None:
        if len(call.outputs) != 1 or not isinstance(call.outputs[0], TensorBase):
            return None
        y, v = call.outputs[0], call.covectors[0]
        if node_of(y) is None:
            return None
        covector = ones_for(y._node) if v is None else np.asarray(innermost(v))
        return Root(y, covector, True, None) if covector.shape == shape_of(y) else None

    def _why_zero(self, leaf: Any, name: str, call: BackwardCall, scene: Scene) -> Answer | None:
        root = self._root(call)
        if root is None:
            return None
        answer = search(leaf, name, root, np.zeros(shape_of(leaf)), scene)
        self.answers[id(leaf)] = answer
        return answer

    def _why_nan(self, leaf: Any, name: str, call: BackwardCall, scene: Scene, path: Path) -> None:
        root = self._root(call)
        if root is None:
            return
        traced = look_at_gradient(
            leaf, Rerun(root.loss, self.watch.trace, path), self.watch.trace, scene.name_of,
            partial(self._source, scene=scene),
        )  # fmt: skip
        self.answers[id(leaf)] = answer = traced or of_gradient(leaf, name, root, scene)
        if traced is not None or answer.place is not None:
            self.watch.findings.add("not finite", answer)


def summed(answer: Answer, event: Event | None) -> Answer:
    """Return an answer about a loss that grew, with the word that it is a sum over many."""
    if answer.kind != "diverged" or event is None or not event.inputs:
        return answer
    count = math.prod(shape_of(event.inputs[0][0]))
    if count < MANY or "sum" not in (event.name, event.kwargs.get("reduction")):
        return answer
    line = "" if event.place is None else f" at line {event.place.line}"
    return replace(
        answer, cause=f"{answer.cause} The loss{line} is a sum over {count} numbers, not a mean: so is its "
        "gradient.", mend=f"take the mean (`reduction=\"mean\"`), or {answer.mend}",
    )  # fmt: skip
