"""Steps of parameters that are alike, in a trace: what the update of one writes down is written down again
for the others, on their own values, in a tenth of the time.

An update is a function of the parameter, its gradient, its state and the group. For parameters of a group
whose shapes, dtypes and state are alike, the package's own updates write the same equations.
"""

from typing import Any

from ...array.named_tuples import NamedTuple
from ...core.modes import NO_GRAD, modes
from ...core.node import LEAF
from ...core.recorder import Equation, Recorder
from ...core.tracer import Tracer, running
from ...core.versions import bump
from ...nn.parameter import Parameter
from ...tensor.tensor import Tensor
from ..passes.simplification import renumbered

_PACKAGE = __name__.partition(".")[0]


class _Script(NamedTuple):
    """Hold the steps that an update wrote down."""

    #: The values of the parameter, its gradient and its state before.
    given: list[int]
    equations: list[Equation]
    #: Of those tensors that it wrote to, which, its value after, and how many writes.
    written: list[tuple[int, int, int]]


class TracedSteps:
    """The updates of one step."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._scripts: dict[Any, _Script | None] = {}

    def step(self, optimizer: object, group: dict[str, Any]) -> None:
        """Take the step of every parameter of a group that has a gradient."""
        for param in group["params"]:
            if param._grad is not None:
                self._step(optimizer, param, group)

    def _step(self, optimizer: Any, param: Any, group: dict[str, Any]) -> None:
        grad = param._grad
        # By dict's own method: who looks at the state may be noted.
        state = dict.get(optimizer.state, param) or {}
        tensors = [param, grad, *state.values()]
        if not self._plain(tensors):
            optimizer._step_of(param, grad, group)
            return
        kinds = [(self._recorder.kind_of(t._value.index), t._node is LEAF) for t in tensors]
        key = (id(group), *state, *kinds)
        if key not in self._scripts:
            self._scripts[key] = self._written_down(optimizer, tensors, group, state)
        elif (script := self._scripts[key]) is None:
            optimizer._step_of(param, grad, group)
        else:
            self._again(script, tensors)

    def _plain(self, tensors: list[Any]) -> bool:
        """Return whether tensors are values of the trace that share memory with nothing."""
        recorder = self._recorder
        if len({id(t) for t in tensors}) < len(tensors):
            return False
        for t in tensors:
            value = t._value if type(t) is Tensor or type(t) is Parameter else None
            if type(value) is not Tracer or value.recorder is not recorder or t._view is not None:
                return False
            if (t._node is not None and t._node is not LEAF) or type(t._counter) is not list:
                return False
        return not recorder.shared

    def _written_down(
        self, optimizer: Any, tensors: list[Any], group: dict[str, Any], state: dict[str, Any]
    ) -> _Script | None:
        """Take a step, and say what it has written down; None where it did more than that."""
        recorder, first = self._recorder, len(self._recorder.equations)
        given = [t._value.index for t in tensors]
        versions = [t._counter[0] for t in tensors]
        options, held = [*map(id, group.values())], [*state.items()]
        param, grad = tensors[:2]
        optimizer._step_of(param, grad, group)
        # A step that makes the state does more than is written down.
        state = dict.get(optimizer.state, param) or {}
        same = len(held) == len(state) and all(state.get(name) is t for name, t in held)
        if not same or options != [*map(id, group.values())] or param._grad is not grad:
            return None
        if not self._plain(tensors):
            return None
        written = [
            (n, t._value.index, t._counter[0] - version)
            for n, (t, version) in enumerate(zip(tensors, versions, strict=True))
            if t._counter[0] != version
        ]
        return _Script(given, recorder.equations[first:], written)

    def _again(self, script: _Script, tensors: list[Any]) -> None:
        """Write down for some tensors what was written down for others."""
        recorder = self._recorder
        own = dict(zip(script.given, [t._value.index for t in tensors], strict=True))
        for equation in script.equations:
            operands = renumbered(equation.operands, own)
            for number in equation.outputs:
                made = recorder.new(recorder.shapes[number], recorder.dtypes[number])
                own[number] = made.index
            outputs = tuple([own[number] for number in equation.outputs])
            recorder.equations.append(equation._replace(operands=operands, outputs=outputs))
        for n, number, writes in script.written:
            tensors[n]._value = Tracer(recorder, own.get(number, number))
            for _ in range(writes):
                bump(tensors[n])


def steps_in_trace(optimizer: object) -> TracedSteps | None:
    """Return what takes the steps of an optimizer of this package in a trace; None elsewhere."""
    recorder = running()
    # Other modes than `no_grad`, which a step puts in force, see each op; where the line of each equation is
    # noted, each update has its own.
    if recorder is None or recorder.places is not None or modes() is not NO_GRAD:
        return None
    own = all(c.__module__.partition(".")[0] in (_PACKAGE, "torch") for c in type(optimizer).__mro__[:-1])
    return TracedSteps(recorder) if own and not _CHANGED & vars(optimizer).keys() else None


#: What an optimizer may have in place of its class's.
_CHANGED = frozenset({"update", "init", "_step_of", "_change"})
