"""Watch a program while it runs: its calls, modules, optimizers and calls of backward, for the findings.

What is watched is told by the library itself where it has hooks, and otherwise by a wrapper around a function
for as long as the watch is on. Nothing is asked of the program, and nothing that it sees is changed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

import numpy as np
from numpy import ndarray

from ..autograd.function import Function
from ..core.blame import Place, next_sequence, own_file, place_at, user_frame
from ..core.node import LEAF, AccumulateGrad
from ..core.value import TensorBase
from ..nn import utils as nn_utils
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..nn.utils import clip_grad
from ..optim.composed import ReduceLROnPlateau
from ..optim.optimizer import Optimizer
from ..optim.scheduler import LRScheduler
from ..tensor import random as random_module
from ..tensor.backward import BackwardCall
from ..tensor.tensor import Tensor
from ..utils.data import DataLoader
from ..utils.data.iterators import LoaderIterator
from .answer import Answer, kept
from .callers import At, Wrappers, deepcopied, making, position_of
from .causes import Causes
from .conclusions import Conclusions
from .explanation import Explanation
from .findings import data, indices, recurrent, terms, unread
from .findings.adversaries import Adversaries
from .findings.averages import Averages
from .findings.balance import Balance
from .findings.checks import look_at
from .findings.collected import Findings
from .findings.draws import Draws, time_not_given, variance_for_deviation
from .findings.drifting import Drifting
from .findings.functions import Functions
from .findings.keeping import look_at_variables
from .findings.layers import Layers
from .findings.loop import Loop
from .findings.makers import origin, values_of
from .findings.metrics import Metrics
from .findings.perturbed import Dependence
from .findings.policies import Policies
from .findings.preferred import Preferred
from .findings.reach import Reach
from .findings.sizes import Sizes
from .findings.starts import Starts
from .findings.states import States, look_at_left_out
from .modules import ModuleCalls
from .names import Names
from .run import Run
from .scene import Scene
from .source import place_of
from .trace import Event, Trace, frames_from, is_foreign
from .walk import Path, array_at_bottom, looking

#: Writes by which a program trains weights itself, as averages and codebooks are.
TRAINING = {
    "__setitem__", "copy_", "lerp_", "add_", "mul_", "sub_", "__iadd__", "__isub__", "index_copy_",
    "index_add_", "scatter_", "scatter_add_", "index_put_",
}  # fmt: skip

#: The watch that is on, whose answers the questions use.
active: list[Watch] = []


class Watch:
    """Watch from `start` to `stop`.

    Attributes
    ----------
    findings : Findings
    trace : Trace
    causes : Causes
    """

    def __init__(self, modules: ModuleCalls, run: Run) -> None:
        self.modules = modules
        self.run = run
        self.findings = Findings(self.made_place)
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
        self._wrappers = Wrappers()
        self._wrap = self._wrappers.wrap
        self._copies: dict[int, list[tuple[Any, Any]]] = {}
        self._before: dict[int, list[Any]] = {}
        self.failures: list[str] = []
        self.trace.listeners.append(self._safe(self._event))

    # --- on and off -----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to watch."""
        kept.append(self.causes.answers)
        active.append(self)
        self.modules.entered = self._safe(self._entered)
        self.trace.start()
        self._wrap(Module, "__init__", self._module_made)
        self._wrap(Module, "train", self._mode)
        self._wrap(Module, "zero_grad", self._zeroed)
        self._wrap(Module, "state_dict", self._state_taken)
        self._wrap(Module, "load_state_dict", self._state_loaded)
        self._wrap(Optimizer, "__init__", self._optimizer_made)
        self._wrap(Optimizer, "zero_grad", self._zeroed)
        self._wrap(LRScheduler, "step", self._scheduled)
        self._wrap(ReduceLROnPlateau, "__init__", self._plateau_made)
        self._wrap(ReduceLROnPlateau, "step", self._plateau_stepped)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            for module in (clip_grad, nn_utils):
                self._wrap(module, name, self._clipped)
        self._wrap(Tensor, "register_hook", self._hooked)
        self._wrap(DataLoader, "__init__", self._loader_made)
        self._wrap(DataLoader, "__iter__", self._pass_begun)
        self._wrap(LoaderIterator, "__next__", self._batch_given)
        for owner in (sys.modules[__name__.partition(".")[0]], random_module):
            self._wrap(owner, "manual_seed", self._seeded)
        for name in ("register_full_backward_hook", "register_backward_hook"):
            self._wrap(Module, name, self._hooked)
        self._wrap_apply()
        self._wrap_parameter()
        self._wrap_grad()

    def _wrap_grad(self) -> None:
        held = vars(Tensor)["grad"]
        read, leaf_read = self._grad_read, self._safe(self._leaf_read)

        def getter(tensor: Any) -> Any:
            if tensor._grad is None and tensor._node is not None and tensor._node is not LEAF:
                read(tensor, sys._getframe(1))
            elif tensor._node is LEAF:
                leaf_read(tensor, sys._getframe(1))
            return held.__get__(tensor)

        grad = property(getter, held.fset, held.fdel, held.__doc__)
        self._wrappers.replace(Tensor, "grad", grad)

    def stop(self) -> None:
        """Watch no more."""
        self.trace.stop()
        self.modules.entered = None
        self._wrappers.take_away()
        if self in active:
            active.remove(self)
            kept[:] = [answers for answers in kept if answers is not self.causes.answers]

    def _safe(self, told: Callable[..., Any]) -> Callable[..., None]:
        """Return a function that looks at the program and never disturbs it: what fails in it is noted."""

        def look(*args: Any) -> None:
            try:
                told(*args)
            except Exception as error:  # noqa: BLE001  # it looks at whatever the program does
                self.failures.append(f"Not watched: {type(error).__name__}: {error}")

        return look

    def _wrap_parameter(self) -> None:
        held, trace, starts = Parameter.__new__, self.trace, self.starts

        def new(cls: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
            made = held(cls, data, *args, **kwargs)
            history = isinstance(data, TensorBase) and data._node not in (None, LEAF)
            if history and trace.on and not looking.get():
                trace.made_leaf(data, made)
            elif not own_file[sys._getframe(1).f_code.co_filename] and isinstance(data, TensorBase):
                starts.made(made, trace.maker_of(data))
            return made

        self._wrappers.replace(Parameter, "__new__", staticmethod(new))

    def _wrap_apply(self) -> None:
        held = vars(Function)["apply"]
        functions, trace = self.functions, self.trace

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            out = held.__func__(cls, *args, **kwargs)
            if not looking.get() and trace.on:
                functions.called(cls, args, kwargs, out)
                trace.applied(cls.__name__, args, kwargs, out)
            return out

        self._wrappers.replace(Function, "apply", classmethod(apply))

    # --- told of the program --------------------------------------------------------------------------------

    def _module_made(self, held: Any, frame: FrameType, module: Any, *args: Any, **kwargs: Any) -> Any:
        result = held(module, *args, **kwargs)
        at = making(frame, module)
        if at is not None:
            self._safe(self.layers.begun)(module, at, self.modules.innermost, self.findings)
            self.loop.order[at] = next_sequence()
        return result

    def _state_taken(self, held: Any, frame: FrameType, module: Any, *args: Any, **kwargs: Any) -> Any:
        state = held(module, *args, **kwargs)
        if not own_file[frame.f_code.co_filename]:
            self._safe(self.states.took)(state, place_at(frame.f_code, frame.f_lasti), self.steps)
            self._safe(look_at_left_out)(module, self.findings)
        return state

    def _state_loaded(
        self, held: Any, frame: FrameType, module: Any, state: Any, *args: Any, **kwargs: Any
    ) -> Any:
        result = held(module, state, *args, **kwargs)
        if not own_file[frame.f_code.co_filename]:
            place = place_at(frame.f_code, frame.f_lasti)
            self._safe(self.states.loads)(module, state, place, self.steps, self.findings)
        return result

    @property
    def steps(self) -> int:
        """Return how many steps the optimizers have made."""
        return self.loop.steps

    def _mode(self, held: Any, frame: FrameType, module: Any, mode: bool = True) -> Any:
        at = position_of(frame)
        if at is not None:
            self.layers.modes[id(module)] = at
        return held(module, mode)

    def _hooked(self, held: Any, frame: FrameType, owner: Any, *args: Any, **kwargs: Any) -> Any:
        at = position_of(frame)
        if at is not None and not own_file[frame.f_code.co_filename]:
            self.hooks.append(at)
        return held(owner, *args, **kwargs)

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

    def _grad_read(self, tensor: Any, frame: FrameType) -> None:
        """Note that the program reads the gradient of a result, which keeps none."""
        at = position_of(frame)
        if at is None or own_file[frame.f_code.co_filename]:
            return
        made = place_of(tensor)
        name = Names(frame).of_tensor(tensor)
        self.findings.tell("not a leaf: grad read", made, name=name or "A tensor", place=place_at(*at))

    def _leaf_read(self, leaf: Any, frame: FrameType) -> None:
        if not is_foreign(frame.f_code.co_filename):
            self.loop.reads.reads(leaf, (frame.f_code, frame.f_lasti), self.loop.backwards)

    def _zeroed(self, held: Any, frame: FrameType, owner: Any, *args: Any, **kwargs: Any) -> Any:
        at = position_of(frame)
        if at is not None:
            leaves = owner.parameters() if isinstance(owner, Module) else (
                p for group in owner.param_groups for p in group["params"]
            )  # fmt: skip
            self.loop.zeroed(at, leaves)
        return held(owner, *args, **kwargs)

    def _optimizer_made(self, held: Any, frame: FrameType, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        result = held(optimizer, *args, **kwargs)
        frames = frames_from(frame)
        self.adopt(optimizer, *frames[:2])
        return result

    def adopt(self, optimizer: Any, at: At | None = None, outer: At | None = None) -> None:
        """Watch the steps of an optimizer."""
        if id(optimizer) in self.loop.optimizers:
            return
        self.loop.made(optimizer, at, outer)
        optimizer.register_step_pre_hook(self._safe(self._before_step))
        optimizer.register_step_post_hook(self._safe(self._after_step))

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

    def _scheduled(self, held: Any, frame: FrameType, scheduler: Any, *args: Any, **kwargs: Any) -> Any:
        self._safe(self.loop.scheduled)(scheduler, position_of(frame), bool(scheduler._is_initial))
        return held(scheduler, *args, **kwargs)

    def _plateau_made(self, held: Any, frame: FrameType, plateau: Any, *args: Any, **kwargs: Any) -> Any:
        self.loop.plateaus[id(plateau)] = plateau, position_of(frame), []
        return held(plateau, *args, **kwargs)

    def _plateau_stepped(
        self, held: Any, frame: FrameType, plateau: Any, metrics: Any, *args: Any, **kwargs: Any
    ) -> Any:
        number = _number([metrics]) if isinstance(metrics, TensorBase) else metrics
        if isinstance(number, (int, float)):
            new: tuple[Any, At | None, list[float]] = plateau, position_of(frame), []
            self.loop.plateaus.setdefault(id(plateau), new)[2].append(float(number))
        return held(plateau, metrics, *args, **kwargs)

    def _clipped(self, held: Any, frame: FrameType, parameters: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(parameters, TensorBase):
            parameters = list(parameters)
        count = len(parameters) if isinstance(parameters, list) else 1
        at = position_of(frame)
        graded = not isinstance(parameters, list) or any(p._grad is not None for p in parameters)
        self._safe(self.loop.clip)(at, count, graded)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        if held.__name__ == "clip_grad_value_" and isinstance(limit, (int, float)) and self.trace.on:
            members = parameters if isinstance(parameters, list) else [parameters]
            self._safe(self.loop.clipped_to)(at, largest_of([p._grad for p in members]), float(limit))
        result = held(parameters, *args, **kwargs)
        if isinstance(result, TensorBase) and isinstance(limit, (int, float)):
            self._safe(self.loop.clipped_to)(at, _number([result]) or 0.0, float(limit))
        return result

    def _seeded(self, held: Any, frame: FrameType, seed: Any) -> Any:
        if not own_file[frame.f_code.co_filename]:
            at = (frame.f_code, frame.f_lasti)
            self._safe(self.draws.seeded)(at, seed, self.loop.backwards, self.findings)
        return held(seed)

    def _loader_made(self, held: Any, frame: FrameType, loader: Any, *args: Any, **kwargs: Any) -> Any:
        result = held(loader, *args, **kwargs)
        at = position_of(frame)
        if at is not None:
            self._safe(self.draws.loader)(loader, at, self.findings)
        return result

    def _pass_begun(self, held: Any, frame: FrameType, loader: Any) -> Any:
        iterator, at = held(loader), position_of(frame)
        if at is not None:
            self.draws.begun(at, loader, iterator)
        return iterator

    def _batch_given(self, held: Any, frame: FrameType, iterator: Any) -> Any:
        batch = held(iterator)
        if self.trace.on:
            self.draws.gave(iterator, batch)
        return batch

    def _entered(self, module: Any, outer: Any) -> None:
        frame = user_frame(sys._getframe(1))
        self.layers.entered(module, outer, place_at(frame.f_code, frame.f_lasti), self.findings)

    def _event(self, event: Event) -> None:
        look_at(event, self.findings)
        self.drifting.look_at(event, self.findings)
        self.metrics.look_at(event, self.findings)
        self.balance.look_at(event)
        self.draws.look_at(event, self.findings)
        self.adversaries.look_at(event, self.findings)
        self.recurrent.look_at(event, self.findings)
        self.run.look_at(event)
        self.layers.look_at(event, self.findings)
        self.sizes.look_at(event, self.findings)
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
        value = array_at_bottom(tensor)
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
        names = Names(frame)
        outputs = [y for y in call.outputs if isinstance(y, TensorBase)]
        leaves = [node.variable for node in path.nodes if type(node) is AccumulateGrad]
        self.names.update(names.tensors)
        self.module_names.update(names.modules)
        self.reach.look(outputs, path, self.trace, self.wanted, at)
        if call.kind == "backward":
            self.loop.goes_back_from(outputs, at)
            self._turn(outputs, path, scene, at)
            self.layers.backward()
            self.loop.backward(_number(outputs), leaves, at, True)
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
        self._safe(self.recurrent.backward)(self.findings)
        self._safe(variance_for_deviation)(self.trace, self.findings)
        self._safe(time_not_given)(self.trace, self.findings)
        self._safe(self.starts.look)(self.trace, self.findings, self.set_at, self.name_of)
        for y in outputs:
            self._safe(terms.look_at)(y, self.trace, scene, self.wanted, self.findings)
            self._safe(self.preferred.look)(y, at, self.trace, path, self.findings)
            self._safe(self.policies.look)(y, self.trace, self.loop.held, self.findings)
        self._safe(indices.look_at_turn)(self.trace, self.findings)
        self._safe(unread.look_at_turn)(self.trace, self.findings)
        self._safe(self.dependence.look)(self.trace, path, self.findings)

    def differentiated(self, call: BackwardCall, result: Any, frame: FrameType) -> None:
        """Note what a call of `autograd.grad` gave."""
        if self.trace.on:
            self.trace.differentiated(call, result, frame)

    def backward_brief(self, call: BackwardCall, frame: FrameType, value: float | None) -> None:
        """Look at a call of backward that is not explained: only whether the loss, `value`, is finite."""
        at = (frame.f_code, frame.f_lasti)
        self.loop.backward(value, (), at, False)
        if self.trace.on:
            self.trace.turn(at)
        if value is not None and not math.isfinite(value):
            self.causes.values([y for y in call.outputs if isinstance(y, TensorBase)], Scene(frame))

    def made_place(self, module: Any) -> Place | None:
        """Return the line that makes a module."""
        at = None if module is None else self.layers.made.get(id(module))
        return None if at is None else place_at(*at)

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
        self._safe(Conclusions(self).add)()
        self._safe(self.draws.report)(self.findings)
        if not self.failed:
            self._safe(self.states.report)(self.steps, self.findings)
            self._safe(self.policies.report)(self.steps, self.findings)
            self._safe(self.balance.report)(self.findings)
            self._safe(self.drifting.report)(self.findings, self.layers.modes, self.files, self.name_of)
            self._safe(self.adversaries.report)(self.findings, self.loop.reached_from)

    def wanted(self, leaf: Any) -> bool:
        """Return whether the program means to train a leaf."""
        if self.loop.optimizers:
            return self.loop.held(leaf)
        return leaf._node is LEAF and (isinstance(leaf, Parameter) or id(leaf) in self.names)


def largest_of(gradients: Iterable[Any]) -> float:
    """Return the largest size of an element of some gradients, of which some may be None."""
    values = [value for g in gradients if g is not None and (value := values_of(g)) is not None]
    return max((float(np.abs(value).max(initial=0.0)) for value in values), default=0.0)


def _number(outputs: Iterable[Any]) -> float | None:
    for y in outputs:
        value = values_of(y)
        if value is not None and value.size == 1 and value.dtype.kind in "fV":
            return float(value.reshape(()).astype(np.float64))
    return None
