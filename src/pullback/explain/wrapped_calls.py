"""Wrap functions of the library, so that the watch learns what a program calls, and with what.

Nothing is asked of the program, and what it gets from a call is what it would get without the watch.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd.function import Function
from ..core.blame import next_sequence, own_file, place_at
from ..core.node import LEAF
from ..core.value import TensorBase
from ..nn import utils as nn_utils
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..nn.utils import clip_grad
from ..optim.composed import ReduceLROnPlateau
from ..optim.optimizer import Optimizer
from ..optim.scheduler import LRScheduler
from ..tensor import random as random_module
from ..tensor.tensor import Tensor
from ..utils.data import DataLoader
from ..utils.data.iterators import LoaderIterator
from .findings.functions import look_at_hook
from .findings.makers import values_of
from .findings.states import look_at_left_out
from .names import Names
from .source import At, making, place_of, position_of
from .trace import frames_from, is_foreign
from .walk import looking

if TYPE_CHECKING:
    from .watch import Watch


class WrappedCalls:
    """Tell a watch of the calls that a program makes."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        #: What was replaced, and by which name of which owner.
        self._held: list[tuple[Any, str, Any]] = []

    def start(self) -> None:
        """Wrap the functions."""
        self._after(Module, "__init__", self._module_made)
        self._after(Module, "state_dict", self._state_taken)
        self._after(Module, "load_state_dict", self._state_loaded)
        self._before(Module, "train", self._mode)
        self._after(Optimizer, "__init__", self._optimizer_made)
        self._before(Module, "zero_grad", self._zeroed)
        self._before(Optimizer, "zero_grad", self._zeroed)
        self._before(LRScheduler, "step", self._scheduled)
        self._before(ReduceLROnPlateau, "__init__", self._plateau_made)
        self._before(ReduceLROnPlateau, "step", self._plateau_stepped)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            for module in (clip_grad, nn_utils):
                self.wrap(module, name, self._clipped)
        self._after(DataLoader, "__init__", self._loader_made)
        self._after(DataLoader, "__iter__", self._pass_begun)
        self._after(LoaderIterator, "__next__", self._batch_given)
        for owner in (sys.modules[__name__.partition(".")[0]], random_module):
            self._before(owner, "manual_seed", self._seeded)
        self._before(Tensor, "register_hook", self._hooked)
        for name in ("register_full_backward_hook", "register_backward_hook"):
            self._before(Module, name, self._hooked)
        self._wrap_apply()
        self._wrap_parameter()
        self._wrap_grad()

    def _before(self, owner: Any, name: str, told: Callable[..., None]) -> None:
        """Tell of each call before it is done: ``told(frame of the caller, *args, **kwargs)``."""
        look = self.watch.safely(told)

        def call(held: Any, frame: FrameType, *args: Any, **kwargs: Any) -> Any:
            look(frame, *args, **kwargs)
            return held(*args, **kwargs)

        self.wrap(owner, name, call)

    def _after(self, owner: Any, name: str, told: Callable[..., None]) -> None:
        """Tell of each call when it is done: ``told(frame of the caller, result, *args, **kwargs)``."""
        look = self.watch.safely(told)

        def call(held: Any, frame: FrameType, *args: Any, **kwargs: Any) -> Any:
            result = held(*args, **kwargs)
            look(frame, result, *args, **kwargs)
            return result

        self.wrap(owner, name, call)

    def wrap(self, owner: Any, name: str, told: Callable[..., Any]) -> None:
        """Let a function be called through ``told(function, frame of the caller, *args, **kwargs)``."""
        if isinstance(owner, type):
            owner = next(kind for kind in owner.__mro__ if name in vars(kind))
        held = vars(owner)[name]

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return told(held, sys._getframe(1), *args, **kwargs)

        wrapper.__name__ = name
        wrapper.__qualname__ = getattr(held, "__qualname__", name)
        wrapper.__doc__ = held.__doc__
        wrapper.__wrapped__ = held  # type: ignore[attr-defined]  # as functools.wraps does
        self.replace(owner, name, wrapper)

    def replace(self, owner: Any, name: str, by: Any) -> None:
        """Put something in the place of an attribute that the owner itself has."""
        self._held.append((owner, name, vars(owner)[name]))
        setattr(owner, name, by)

    def take_away(self) -> None:
        """Put all back, the last first."""
        for owner, name, held in reversed(self._held):
            setattr(owner, name, held)
        self._held = []

    # --- modules --------------------------------------------------------------------------------------------

    def _module_made(self, frame: FrameType, result: None, module: Any, *args: Any, **kwargs: Any) -> None:
        watch, at = self.watch, making(frame, module)
        if at is not None:
            watch.layers.begun(module, at, watch.modules.innermost, watch.findings)
            watch.loop.order[at] = next_sequence()

    def _state_taken(self, frame: FrameType, state: Any, module: Any, *args: Any, **kwargs: Any) -> None:
        if not own_file[frame.f_code.co_filename]:
            self.watch.states.took(state, place_at(frame.f_code, frame.f_lasti), self.watch.steps)
            look_at_left_out(module, self.watch.findings)

    def _state_loaded(
        self, frame: FrameType, result: Any, module: Any, state_dict: Any, *args: Any, **kwargs: Any
    ) -> None:
        if not own_file[frame.f_code.co_filename]:
            place = place_at(frame.f_code, frame.f_lasti)
            self.watch.states.loads(module, state_dict, place, self.watch.steps, self.watch.findings)

    def _mode(self, frame: FrameType, module: Any, mode: bool = True) -> None:
        at = position_of(frame)
        if at is not None:
            self.watch.layers.modes[id(module)] = at

    def _hooked(self, frame: FrameType, owner: Any, *args: Any, **kwargs: Any) -> None:
        at = position_of(frame)
        if at is not None and not own_file[frame.f_code.co_filename]:
            self.watch.hooks.append(at)
            look_at_hook(args[0] if args else None, self.watch.findings)

    # --- optimizers and schedules ---------------------------------------------------------------------------

    def _optimizer_made(
        self, frame: FrameType, result: None, optimizer: Any, *args: Any, **kwargs: Any
    ) -> None:
        self.watch.adopt(optimizer, *frames_from(frame)[:2])

    def _zeroed(self, frame: FrameType, owner: Any, *args: Any, **kwargs: Any) -> None:
        at = position_of(frame)
        if at is not None:
            leaves = owner.parameters() if isinstance(owner, Module) else (
                p for group in owner.param_groups for p in group["params"]
            )  # fmt: skip
            self.watch.loop.zeroed(at, leaves)

    def _scheduled(self, frame: FrameType, scheduler: Any, *args: Any, **kwargs: Any) -> None:
        self.watch.loop.scheduled(scheduler, position_of(frame), bool(scheduler._is_initial))

    def _plateau_made(self, frame: FrameType, plateau: Any, *args: Any, **kwargs: Any) -> None:
        self.watch.loop.plateaus[id(plateau)] = plateau, position_of(frame), []

    def _plateau_stepped(
        self, frame: FrameType, plateau: Any, metrics: Any, *args: Any, **kwargs: Any
    ) -> None:
        number = number_of([metrics]) if isinstance(metrics, TensorBase) else metrics
        if isinstance(number, (int, float)):
            new: tuple[Any, At | None, list[float]] = plateau, position_of(frame), []
            self.watch.loop.plateaus.setdefault(id(plateau), new)[2].append(float(number))

    def _clipped(self, held: Any, frame: FrameType, parameters: Any, *args: Any, **kwargs: Any) -> Any:
        one = isinstance(parameters, TensorBase)
        # An iterator can be gone through once only.
        parameters = parameters if one else list(parameters)
        members, at, loop = [parameters] if one else parameters, position_of(frame), self.watch.loop
        graded = one or any(p._grad is not None for p in members)
        self.watch.safely(loop.clip)(at, len(members), graded)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        if held.__name__ == "clip_grad_value_" and isinstance(limit, (int, float)) and self.watch.trace.on:
            self.watch.safely(loop.clipped_to)(at, largest_of([p._grad for p in members]), float(limit))
        result = held(parameters, *args, **kwargs)
        if isinstance(result, TensorBase) and isinstance(limit, (int, float)):
            self.watch.safely(loop.clipped_to)(at, number_of([result]) or 0.0, float(limit))
        return result

    # --- data -----------------------------------------------------------------------------------------------

    def _seeded(self, frame: FrameType, seed: Any) -> None:
        if not own_file[frame.f_code.co_filename]:
            at, watch = (frame.f_code, frame.f_lasti), self.watch
            watch.draws.seeded(at, seed, watch.loop.backwards, watch.findings)

    def _loader_made(self, frame: FrameType, result: None, loader: Any, *args: Any, **kwargs: Any) -> None:
        at = position_of(frame)
        if at is not None:
            self.watch.draws.loader(loader, at, self.watch.findings)

    def _pass_begun(self, frame: FrameType, iterator: Any, loader: Any) -> None:
        at = position_of(frame)
        if at is not None:
            self.watch.draws.begun(at, loader, iterator)

    def _batch_given(self, frame: FrameType, batch: Any, iterator: Any) -> None:
        if self.watch.trace.on:
            self.watch.draws.gave(iterator, batch)

    # --- attributes and constructors that are no plain functions --------------------------------------------

    def _wrap_apply(self) -> None:
        held = vars(Function)["apply"]
        functions, trace = self.watch.functions, self.watch.trace

        def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
            out = held.__func__(cls, *args, **kwargs)
            if not looking.get() and trace.on:
                functions.called(cls, args, kwargs, out)
                trace.applied(cls.__name__, args, kwargs, out)
            return out

        self.replace(Function, "apply", classmethod(apply))

    def _wrap_parameter(self) -> None:
        held, trace, starts = Parameter.__new__, self.watch.trace, self.watch.starts

        def new(cls: Any, data: Any = None, *args: Any, **kwargs: Any) -> Any:
            made = held(cls, data, *args, **kwargs)
            history = isinstance(data, TensorBase) and data._node not in (None, LEAF)
            if history and trace.on and not looking.get():
                trace.made_leaf(data, made)
            elif not own_file[sys._getframe(1).f_code.co_filename] and isinstance(data, TensorBase):
                starts.made(made, trace.maker_of(data))
            return made

        self.replace(Parameter, "__new__", staticmethod(new))

    def _wrap_grad(self) -> None:
        held = vars(Tensor)["grad"]
        read, leaf_read = self._grad_read, self.watch.safely(self._leaf_read)

        def getter(tensor: Any) -> Any:
            if tensor._grad is None and tensor._node is not None and tensor._node is not LEAF:
                read(tensor, sys._getframe(1))
            elif tensor._node is LEAF:
                leaf_read(tensor, sys._getframe(1))
            return held.__get__(tensor)

        grad = property(getter, held.fset, held.fdel, held.__doc__)
        self.replace(Tensor, "grad", grad)

    def _grad_read(self, tensor: Any, frame: FrameType) -> None:
        """Note that the program reads the gradient of a result, which keeps none."""
        at = position_of(frame)
        if at is None or own_file[frame.f_code.co_filename]:
            return
        made = place_of(tensor)
        name = Names(frame).of_tensor(tensor)
        self.watch.findings.tell("not a leaf: grad read", made, name=name or "A tensor", place=place_at(*at))

    def _leaf_read(self, leaf: Any, frame: FrameType) -> None:
        if not is_foreign(frame.f_code.co_filename):
            self.watch.loop.reads.reads(leaf, (frame.f_code, frame.f_lasti), self.watch.loop.backwards)


def largest_of(gradients: Iterable[Any]) -> float:
    """Return the largest size of an element of some gradients, of which some may be None."""
    values = [value for g in gradients if g is not None and (value := values_of(g)) is not None]
    return max((float(np.abs(value).max(initial=0.0)) for value in values), default=0.0)


def number_of(outputs: Iterable[Any]) -> float | None:
    """Return the first of some outputs that is one number; None where none is."""
    for y in outputs:
        value = values_of(y)
        if value is not None and value.size == 1 and value.dtype.kind in "fV":
            return float(value.reshape(()).astype(np.float64))
    return None
