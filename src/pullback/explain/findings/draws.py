"""Look at random draws: seeds set again and again, orders that do not fit, noise of another kind."""

from collections import Counter
from typing import Any

from ...core.blame import Place
from ...core.node import LEAF
from ...core.value import TensorBase, shape_of
from ...utils.data import RandomSampler, WeightedRandomSampler
from ..source import At
from ..trace import Event, Trace
from .collected import Findings, calls_of
from .makers import (
    ADDING,
    DIFFERENCES,
    DIVIDING,
    LOSSES,
    MULTIPLYING,
    PASSING,
    both_ways,
    data_of,
    origin,
    values_of,
)
from .targets import BY_HAND, DISTANCES, compared, operand_maker

#: Draws from 0 to 1.
UNIFORM = ("rand", "rand_like")

#: How often something must have happened to be a habit.
ENOUGH = 3


class Draws:
    """Remember seeds, orders and passes over loaders."""

    def __init__(self) -> None:
        self.seeds: Counter[tuple[At, Any]] = Counter()
        self.turns: dict[At, int] = {}
        #: Batches by id: the tensor, and the loader that gave it.
        self.batches: dict[int, tuple[Any, Any]] = {}
        #: Passes begun on each line over each loader, with the number of batches each gave.
        self.passes: dict[tuple[At, int], list[list[Any]]] = {}

    # --- told by the watch ----------------------------------------------------------------------------------

    def seeded(self, at: At, seed: Any, turn: int, findings: Findings) -> None:
        """Note that the program sets a seed."""
        if self.turns.get(at) != turn:
            self.turns[at] = turn
            self.seeds[at, seed] += 1
        if self.seeds[at, seed] == ENOUGH + 1 and turn >= ENOUGH:
            findings.tell("seed in the loop", at, seed=seed)

    def begun(self, at: At, loader: Any, iterator: Any) -> None:
        """Note that a pass over a loader begins."""
        self.passes.setdefault((at, id(loader)), []).append([loader, iterator])

    def gave(self, iterator: Any, batch: Any) -> None:
        """Note a batch."""
        tensors = batch if isinstance(batch, (list, tuple)) else [batch]
        for tensor in tensors:
            if isinstance(tensor, TensorBase):
                self.batches[id(tensor)] = tensor, iterator
        while len(self.batches) > 64:
            del self.batches[next(iter(self.batches))]

    def loader(self, loader: Any, at: At, findings: Findings) -> None:
        """Look at a loader that was made."""
        sampler = loader.sampler
        if not isinstance(sampler, WeightedRandomSampler):
            return
        count, size = len(sampler.weights), len(loader.dataset)
        if count != size:
            findings.tell("weights of the sampler", at, count=count, size=size, most=min(count, size))

    def look_at(self, event: Event, findings: Findings) -> None:
        """Say where inputs and targets were put into two different random orders."""
        if event.name not in LOSSES or not event.wanted:
            return
        x, target = event.argument(0, "input"), event.argument(1, "target")
        if not isinstance(x, TensorBase) or not isinstance(target, TensorBase) or not shape_of(target):
            return
        inputs = [tensor for _, tensor in data_of(event.maker_of(x)) if shape_of(tensor)[:1]]
        here = self._order_of(target, event.maker_of(target))
        for user, tensor in data_of(event.maker_of(x)):
            there = self._order_of(tensor, user.maker_of(tensor))
            if here is None or there is None or here[0] is there[0] or len(inputs) > 8:
                continue
            if here[2] != there[2] or shape_of(tensor)[0] != shape_of(target)[0]:
                continue
            findings.tell(
                "shuffled apart", here[1] or event.place, there=there[1].line if there[1] else "?",
                here=here[1].line if here[1] else "?", event=event
            )
            return

    def _order_of(self, tensor: Any, maker: Event | None) -> tuple[Any, Place | None, Any] | None:
        """Return (what chose the order, its line, how many it orders); None where nothing did."""
        for _ in range(20):
            known = self.batches.get(id(tensor))
            if known is not None and known[0] is tensor:
                loader = known[1]._loader
                if not isinstance(loader.sampler, RandomSampler):
                    return None
                return known[1], (maker.place if maker is not None else None), len(loader.dataset)
            if maker is None or not maker.inputs:
                return None
            for _, chosen in maker.inputs[1:] if maker.name in ("__getitem__", "index_select") else ():
                drawn = origin(chosen)
                if drawn is not None and drawn.name == "randperm":
                    return drawn, maker.place, shape_of(drawn.outputs[0])
            if maker.name not in PASSING | {"split", "chunk", "long", "index_select", "__next__"}:
                return None
            tensor, maker = maker.inputs[0]
        return None

    # --- at the end -----------------------------------------------------------------------------------------

    def report(self, findings: Findings) -> None:
        """Add what the whole run shows."""
        for (at, _), passes in self.passes.items():
            loader = passes[0][0]
            given = [iterator._given for _, iterator in passes]
            ordered = not isinstance(loader.sampler, (RandomSampler, WeightedRandomSampler))
            try:
                batches = len(loader)
            except TypeError:
                continue
            if len(passes) >= ENOUGH and set(given) == {1} and batches > 1 and ordered:
                findings.tell("first batch only", at, count=len(passes), batches=batches)


@calls_of(*MULTIPLYING)
def _noise(event: Event, findings: Findings) -> None:
    """Look at noise that is scaled by a deviation, as in a sample of a normal distribution."""
    for (noise, drawn), (scale, made) in both_ways(event):
        if drawn is None or made is None or noise._node is not None or scale._node in (None, LEAF):
            continue
        if made.name in ("exp", "softplus", "sqrt") and drawn.name in UNIFORM:
            findings.tell(
                "uniform noise: mixed into data", drawn, drawn=drawn,
                normal=drawn.name.replace("rand", "randn"), event=event
            )


@calls_of("gumbel_softmax")
def _cold(event: Event, findings: Findings) -> None:
    """Say where a soft choice is as good as a hard one, which passes no gradient on."""
    out = values_of(event.outputs[0]) if event.outputs else None
    if out is None or out.ndim < 2 or len(out) < 4 or not event.wanted or event.argument(2, "hard", False):
        return
    largest = out.max(event.argument(4, "dim", -1))
    if float((largest > 0.9999).mean()) > 0.9:
        findings.tell("temperature too low", event, percent=100 * float((largest > 0.9999).mean()))


def variance_for_deviation(trace: Trace, findings: Findings) -> None:
    """Say where noise is scaled by what the loss takes for a variance."""
    for event in trace.events:
        for (noise, drawn), (_, made) in both_ways(event) if event.name in MULTIPLYING else ():
            if made is None or made.name != "exp" or drawn is None or not drawn.name.startswith("randn"):
                continue
            log, before = made.inputs[0]
            if before is None or before.name in MULTIPLYING | DIVIDING:
                continue
            again = [e for e in trace.events if e.name == "exp" and e is not made and e.inputs
                     and e.inputs[0][0] is log]  # fmt: skip
            subtracted = any(
                e.name in ADDING | DIFFERENCES
                and any(t is log for t, _ in e.inputs) for e in trace.events
            )  # fmt: skip
            if again and subtracted and noise._node is None:
                findings.tell(
                    "variance for deviation", made, again=again[0].place.line if again[0].place else "?"
                )
                return


@calls_of(*DISTANCES, *BY_HAND)
def _uniform_target(event: Event, findings: Findings) -> None:
    """Say where the noise that is to be predicted is uniform, and was mixed into data."""
    pair = compared(event)
    if pair is None:
        return
    drawn = operand_maker(event, pair[1])
    if drawn is None or drawn.name != "rand_like":
        return
    findings.tell("uniform noise: the target", drawn, event=event)


def time_not_given(trace: Trace, findings: Findings) -> None:
    """Say where times are drawn for the samples of a batch, and the network is not told of them."""
    for event in trace.events:
        if event.name != "randint" or not event.outputs or len(shape_of(event.outputs[0])) != 1:
            continue
        drawn = event.outputs[0]
        uses = [e for e in trace.events if any(t is drawn for t, _ in e.inputs)]
        tables = [
            e for e in uses if e.name in ("__getitem__", "gather", "index_select") and len(e.inputs) == 2
            and e.inputs[0][0]._node is None and len(shape_of(e.inputs[0][0])) == 1
            and e.inputs[1][0] is drawn
        ]  # fmt: skip
        if not tables or len(tables) != len(uses) or not all(map(_between, tables)):
            continue
        # What was looked up scales data that a loss is asked to predict the noise of.
        noise = any(e.name in ("randn_like", "randn") and shape_of(e.outputs[0])[:1] == shape_of(drawn)
                    and _is_target(e.outputs[0], trace) for e in trace.events if e.outputs)  # fmt: skip
        if noise:
            findings.tell("time not given", event)
            return


def _between(event: Event) -> bool:
    value = values_of(event.inputs[0][0])
    return value is not None and value.dtype.kind == "f" and bool(((value >= 0) & (value <= 1)).all())


def _is_target(tensor: Any, trace: Trace) -> bool:
    return any((pair := compared(e)) is not None and pair[1] is tensor for e in trace.events)
