"""Watch a program while it runs: its calls, modules, optimizers and calls of backward, for the findings.

What is watched is told by the library itself where it has hooks, and otherwise by a wrapper around a function
for as long as the watch is on. Nothing is asked of the program, and nothing that it sees is changed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from numpy import ndarray

from ..core.blame import Place, place_at, user_frame
from ..core.node import LEAF, AccumulateGrad
from ..core.value import TensorBase, innermost
from ..nn.parameter import Parameter
from ..optim.optimizer import Optimizer
from ..tensor.backward import BackwardCall
from .answer import Answer, kept
from .causes import Causes
from .conclusions import Conclusions
from .explanation import Explanation
from .findings import data, indices, recurrent, terms
from .findings.adversaries import Adversaries
from .findings.averages import Averages
from .findings.balance import Balance
from .findings.collected import Findings, located, look_at
from .findings.draws import Draws, time_not_given, variance_for_deviation
from .findings.drifting import Drifting
from .findings.functions import Functions
from .findings.keeping import look_at_variables
from .findings.layers import Layers
from .findings.loop import Loop
from .findings.makers import origin
from .findings.metrics import Metrics
from .findings.perturbed import Dependence
from .findings.policies import Policies, end_not_used
from .findings.preferred import Preferred
from .findings.reach import Reach
from .findings.sizes import Sizes
from .findings.starts import Starts
from .findings.states import States
from .modules import ModuleCalls
from .run import Run
from .scene import Scene
from .source import At, deepcopied, position_of
from .trace import Event, Trace
from .walk import Path
from .wrapped_calls import WrappedCalls, number_of

#: Writes by which a program trains weights itself, as averages and codebooks are.
TRAINING = {
    "__setitem__", "copy_", "lerp_", "add_", "mul_", "sub_", "__iadd__", "__isub__", "index_copy_",
    "index_add_", "scatter_", "scatter_add_", "index_put_",
}  # fmt: skip

#: The watch that is on, whose answers the questions use.
active: list[Watch] = []


class Watch:
    """Watch from `start` to `stop`."""

    def __init__(self, modules: ModuleCalls, run: Run) -> None:
        self.modules = modules
        self.run = run
        self.findings = Findings(lambda module: located(self.layers.made.get(id(module))))
        self.trace = Trace(lambda: modules.innermost)
        self.reach = Reach()
        self.layers = Layers()
        self.loop = Loop(self.findings)
        self.functions = Functions()
        self.sizes = Sizes()
        self.states = States()
        self.draws = Draws()
        self.drifting = Drifting()
        self.metrics = Metrics()
        self.averages = Averages()
        self.balance = Balance()
        self.adversaries = Adversaries()
        self.starts = Starts()
        self.recurrent = recurrent.Recurrent()
        self.dependence = Dependence()
        self.preferred = Preferred()
        self.policies = Policies()
        self.causes = Causes(self)
        self.names: dict[int, str] = {}
        self.module_names: dict[int, str] = {}
        self.files: set[str] = set()
        self.full = True
        self.inits: dict[int, Place | None] = {}
        self.hooks: list[At] = []
        self.copies: dict[int, Place | None] = {}
        #: Weights that were copied by themselves, not with their module.
        self.single_copies: list[tuple[Any, Place | None]] = []
        self.failed = False
        #: The line that called backward last.
        self._at: At | None = None
        self._calls = WrappedCalls(self)
        self._copies: dict[int, list[tuple[Any, Any]]] = {}
        self._before: dict[int, list[Any]] = {}
        self.failures: list[str] = []
        self.trace.listeners.append(self.safely(self._event))

    # --- on and off -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to watch."""
        kept.append(self.causes.answers)
        active.append(self)
        self.modules.entered = self.safely(self._entered)
        self.trace.start()
        self._calls.start()

    def stop(self) -> None:
        """Watch no more."""
        self.trace.stop()
        self.modules.entered = None
        self._calls.take_away()
        if self in active:
            active.remove(self)
            kept[:] = [answers for answers in kept if answers is not self.causes.answers]

    def safely(self, told: Callable[..., Any]) -> Callable[..., None]:
        """Return a function that looks at the program and never disturbs it: what fails in it is noted."""

        def look(*args: Any, **kwargs: Any) -> None:
            try:
                told(*args, **kwargs)
            except Exception as error:  # noqa: BLE001  # it looks at whatever the program does
                self.failures.append(f"Not watched: {type(error).__name__}: {error}")

        return look

    # --- told of the program --------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """Return how many steps the optimizers have made."""
        return self.loop.steps

    def hook_changed(self, name: str, foretold: float, found: float) -> None:
        """Note that the gradient of a leaf is not what it is without hooks."""
        place = place_at(*self.hooks[0]) if self.hooks else None
        self.findings.add(
            "zero gradient" if found == 0 else "",
            Answer.of(
                "changed by a hook", place, (),
                f"pulled back without hooks, the gradient has norm {foretold:.4g}" if found == 0 else "",
                name=name, found=found, foretold=foretold
            ),
        )  # fmt: skip

    def adopt(self, optimizer: Any, at: At | None = None, outer: At | None = None) -> None:
        """Watch the steps of an optimizer."""
        if id(optimizer) in self.loop.optimizers:
            return
        self.loop.made(optimizer, at, outer)
        optimizer.register_step_pre_hook(self.safely(self._before_step))
        optimizer.register_step_post_hook(self.safely(self._after_step))

    def _before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self in active:
            at = position_of(sys._getframe(1))
            look = self.full if self.run.every is None else self.run.due(self.run.step)
            self._before[id(optimizer)] = self.run.stepping(optimizer, look, self.name_of)
            closure = any(map(callable, (*args[1:], *kwargs.values())))
            self._copies[id(optimizer)] = self.loop.stepping(optimizer, at, self.full, closure)

    def _after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self in active:
            self.loop.step_done(optimizer, self._copies.pop(id(optimizer), []))
            if self.full:
                held = (id(p) for group in optimizer.param_groups for p in group["params"])
                self.reach.steps_after.setdefault(self._at, set()).update(held)
            self.run.note(self.findings, len(self.findings))
            self.run.stepped(optimizer, self._before.pop(id(optimizer), []))

    def _entered(self, module: Any, outer: Any) -> None:
        frame = user_frame(sys._getframe(1))
        self.layers.entered(module, outer, place_at(frame.f_code, frame.f_lasti), self.findings)

    def _event(self, event: Event) -> None:
        look_at(event, self.findings)
        self.balance.look_at(event)
        self.run.look_at(event)
        for side in (
            self.drifting, self.metrics, self.draws, self.adversaries, self.recurrent, self.layers, self.sizes
        ):  # fmt: skip
            side.look_at(event, self.findings)
        name = event.name
        copied = event.entry == "deepcopy" and name in ("clone", "data")
        if copied and event.inputs and event.inputs[0][0]._node is LEAF:
            self.copies[id(event.inputs[0][0])] = event.place
            if isinstance(deepcopied(), Parameter):
                self.single_copies.append((event.inputs[0][0], event.place))
        if not self.loop.backwards and event.inputs and event.entry != "__init__" and (
            event.entry.endswith("_") or (event.name.endswith("_") and not event.name.startswith("_"))
        ):
            self._initialised(event)
        if name in TRAINING and event.inputs and (self.loop.backwards or event.module is not None):
            self.reach.wrote(event.inputs[0][0])
        if ((name.endswith("_") or name == "__setitem__") and event.inputs and not name.startswith(
        "_")) or (name in ("__setitem__", "__iadd__", "__isub__", "__imul__") and event.inputs):
            self._written(event)

    def _initialised(self, event: Event) -> None:
        """Note where the program sets a weight before the training begins."""
        tensor, maker = event.inputs[0]
        if maker is not None and maker.name in ("data", "detach") and maker.inputs:
            tensor = maker.inputs[0][0]
        self.inits[id(tensor)] = event.place

    def _written(self, event: Event) -> None:
        tensor, maker = event.inputs[0]
        self.starts.wrote(tensor)
        self.averages.look_at(event, self.loop.held, self.findings)
        if event.name in ("clamp_", "clip_"):
            self.adversaries.clamps(event, self.loop.step_owner)
        data.look_at_stored(event, user_frame(sys._getframe(2)), self.findings)
        made = origin(maker)
        value = innermost(tensor)
        if made is not None and made.name == "data" and isinstance(value, ndarray):
            self.functions.wrote(event.number, value, event.place)

    # --- calls of backward ----------------------------------------------------------------------------------

    def backward(self, call: BackwardCall, frame: FrameType, path: Path, explanation: Explanation) -> None:
        """Look at a call of backward that was explained, before it runs."""
        self._at = at = (frame.f_code, frame.f_lasti)
        self.files.add(frame.f_code.co_filename)
        scene = Scene(frame)
        for value in list(scene.variables.values()):
            if isinstance(value, Optimizer):
                self.adopt(value)
        outputs = [y for y in call.outputs if isinstance(y, TensorBase)]
        leaves = [node.variable for node in path.nodes if type(node) is AccumulateGrad]
        self.names.update(scene.names.tensors)
        self.module_names.update(scene.names.modules)
        self.reach.look(outputs, path, self.trace, self.wanted, at)
        if call.kind == "backward":
            self.loop.goes_back_from(outputs, at)
            self._turn(outputs, path, scene, at)
            self.layers.backward()
            self.loop.backward(number_of(outputs), leaves, at, True)
        self.causes.goes_back(call, path, scene, at)
        self.functions.look(path, self.findings)
        self.functions.stale(path.nodes, self.findings)
        self.causes.values(outputs, scene, path)
        self.causes.gradients(call, explanation, path, scene)
        look_at_variables(scene, self.findings)
        data.look_at_loops(scene, self.findings)
        self.trace.turn(at)

    def _turn(self, outputs: list[Any], path: Path, scene: Scene, at: At) -> None:
        """Look at what the turn that backward ends was made of."""
        self.safely(self.recurrent.backward)(self.findings)
        self.safely(variance_for_deviation)(self.trace, self.findings)
        self.safely(time_not_given)(self.trace, self.findings)
        self.safely(self.starts.look)(self.trace, self.findings, self.set_at, self.name_of)
        for y in outputs:
            self.safely(terms.look_at)(y, self.trace, scene, self.wanted, self.findings)
            self.safely(self.preferred.look)(y, at, self.trace, path, self.findings)
            self.safely(self.policies.look)(y, self.trace, self.loop.held, self.findings)
        self.safely(indices.look_at_turn)(self.trace, self.findings)
        self.safely(end_not_used)(self.trace, self.findings)
        self.safely(self.dependence.look)(self.trace, path, self.findings)

    def differentiated(self, call: BackwardCall, result: Any, frame: FrameType) -> None:
        """Note what a call of `autograd.grad` gave."""
        if self.trace.on:
            self.reach.differentiated(self.trace.differentiated(call, result, frame))

    def backward_brief(self, call: BackwardCall, frame: FrameType, value: float | None) -> None:
        """Look at a call of backward that is not explained: only whether the loss, `value`, is finite."""
        at = (frame.f_code, frame.f_lasti)
        self.loop.backward(value, (), at, False)
        if self.trace.on:
            self.trace.turn(at)
        if value is not None and not math.isfinite(value):
            self.causes.values([y for y in call.outputs if isinstance(y, TensorBase)], Scene(frame))

    def set_at(self, weight: Any) -> Place | None:
        """Return the line that gave a weight its first values, where that is the program's."""
        return self.inits.get(id(weight))

    def name_of(self, tensor: Any) -> str | None:
        """Return the program's name of a leaf."""
        known = self.names.get(id(tensor))
        if known is None or (isinstance(tensor, Parameter) and "." not in known):
            owner = self.layers.owner_of(tensor)
            if owner is not None:
                module, name = owner
                return f"{self.module_names.get(id(module), type(module).__name__)}.{name}"
        return known

    # --- at the end -----------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Add to the findings what the whole run shows."""
        self.safely(Conclusions(self).add)()
        self.safely(self.draws.report)(self.findings)
        if not self.failed:
            self.safely(self.states.report)(self.steps, self.findings)
            self.safely(self.policies.report)(self.steps, self.findings)
            self.safely(self.balance.report)(self.findings)
            self.safely(self.drifting.report)(self.findings, self.layers.modes, self.files, self.name_of)
            self.safely(self.adversaries.report)(self.findings, self.loop.reached_from)

    def wanted(self, leaf: Any) -> bool:
        """Return whether the program means to train a leaf."""
        if self.loop.optimizers:
            return self.loop.held(leaf)
        return leaf._node is LEAF and (isinstance(leaf, Parameter) or id(leaf) in self.names)
