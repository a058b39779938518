"""A compiled function under a profiler: an event for the call, and within it one for each native kernel.

Without a profiler a program is one native function. While one records, its steps are compiled apart, once,
and run one by one, so that each has a time; what they compute is the same. The backward of a graph that is
pulled back outside the function stays one event, that of its node.
"""

from collections.abc import Callable, Sequence
from typing import Any

from numpy import ndarray

from ...tensor.interception import without
from ..lower.handlers import Analysis
from ..lower.index import Variable, atom_index
from ..lower.kernel import Kernel
from ..passes.fusion import Step
from ..program.program import Program
from ..runtime.executable import PROFILER, Executable
from .listing import title
from .timeline import Stepwise

#: What a handler is asked for that computes nothing.
_PLAIN = frozenset({"load", "load_part", "index", "place", "constant", "cast", "whole"})


def called(compiled: Callable[..., Any], name: str, recorder: Any, args: Any, kwargs: Any) -> Any:
    """Call a compiled function, which finds or makes the program and runs it, as an event of a profiler."""
    position = recorder.enter(f"Torch-Compiled Region: {name}", args)
    token = PROFILER.set(recorder)
    try:
        with without(watcher=None):
            return compiled(*args, **kwargs)
    finally:
        PROFILER.reset(token)
        recorder.leave(position)


class _Apart(Stepwise):
    """A program whose steps tell a profiler of themselves."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        if self.interleaved is not None:
            pairs = zip(self.interleaved.steps, self.plan.steps, strict=True)
            self.interleaved.steps = [_told(run, name_of(step)) for run, step in pairs]


def run(executable: Executable, recorder: Any, arrays: Sequence[ndarray]) -> list[ndarray]:
    """Run a program on arrays, each step an event."""
    if (apart := executable.__dict__.get("_apart")) is None:
        position = recorder.enter("pullback: compile the kernels apart")
        apart = executable.__dict__["_apart"] = _Apart(executable.program)
        recorder.leave(position)
    results: list[ndarray] = apart.ran(arrays)
    return results


def _told(step: Callable[[int, Any], None], name: str) -> Callable[[int, Any], None]:
    def timed(table: int, words: object) -> None:
        recorder = PROFILER.get()
        position = recorder.enter(name)
        try:
            step(table, words)
        finally:
            recorder.leave(position)

    return timed


class _Names:
    """Stand for a handler, and note what it is asked to compute."""

    def __init__(self) -> None:
        self._analysis = Analysis()
        self.found: dict[str, None] = {}

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._analysis, name)
        if name == "function":
            return self._function
        if name not in _PLAIN:
            self.found[name.rstrip("_")] = None
        return asked

    def _function(self, name: str, *xs: Any) -> Any:
        self.found[name] = None
        return self._analysis.function(name, *xs)


def name_of(step: Step) -> str:
    """Return a step's name in a profile: what it is, and which operations were fused in it."""
    if not isinstance(step, Kernel):
        return f"native: {title(step)}"
    names = _Names()
    for node in step.nodes:
        indices = tuple(atom_index(Variable(f"i{n}", e)) for n, e in enumerate(node.shape))  # type: ignore[attr-defined]  # maps and reductions have one
        node.body(names, indices)  # type: ignore[attr-defined]
    operations = ", ".join(names.found) or "copy"
    return f"native: {operations} over {step.size} element{'s' * (step.size != 1)}"
