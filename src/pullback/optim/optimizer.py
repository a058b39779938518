"""Define `Optimizer`: parameter groups, state, state dicts and hooks.

A subclass says what state a parameter has (`init`) and how a step changes it (`update`); the loop over groups
is here, once.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from itertools import chain
from typing import Any, cast

from numpy import ndarray

from ..array import large
from ..array.tiering import Hotness
from ..autograd.grad_mode import enable_grad, no_grad, set_grad_enabled
from ..core import backend
from ..core.hooks import HookDict, RemovableHandle, add_hook
from ..core.value import dtype_of
from ..core.warn import warn
from ..nn.modules.module import class_named, reduced
from ..tensor.complex_parts import view_as_real
from ..tensor.creation import tensor
from ..tensor.creation_like import zeros_like
from ..tensor.inline_cache.cache import without_looks
from ..tensor.tensor import Tensor

#: Nanoseconds that a step in NumPy takes for a parameter, and for an element of it, and again for each value
#: of its state.
PARAMETER, ELEMENT = 5_000, 0.8


class _Required:
    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """Base of all optimizers.

    Parameters
    ----------
    params : iterable
        Tensors, pairs (name, tensor), or dicts with the key "params" and options of their own.
    defaults : dict
        Options of groups that do not give them.
    """

    #: Whether a step treats a complex parameter as its real and imaginary parts (see `update`).
    _splits_complex = False
    #: Whether `update` takes sparse gradients.
    _takes_sparse = False
    #: Whether a step that is differentiable refuses `foreach`, as all of torch's do but SGD's.
    _foreach_is_refused = True
    #: Whether the text about `capturable` names XLA, without and with `foreach`.
    _xla_is_named = (True, False)
    #: The values of a parameter's state that begin at 0, where `init` is this class's.
    _zeros: tuple[str, ...] = ()
    #: What the text about `capturable` names beside parameters and steps, without and with `foreach`.
    _checked_state = ("", "")

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._optimizer_step_pre_hooks = HookDict()
        self._optimizer_step_post_hooks = HookDict()
        self._optimizer_state_dict_pre_hooks = HookDict()
        self._optimizer_state_dict_post_hooks = HookDict()
        self._optimizer_load_state_dict_pre_hooks = HookDict()
        self._optimizer_load_state_dict_post_hooks = HookDict()
        self._hotness = Hotness()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + _torch_type(params)
            )
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        if len(groups := list(params)) == 0:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(dict(group))

    def _patch_step_function(self) -> None:
        """Let the class's step run hooks from its first instance on.

        As in torch, a class whose instances never come here (they only look like optimizers) keeps its bare
        step, and one that calls an inherited step runs hooks twice where that class has instances, too.
        """
        kind = type(self)
        if not hasattr(kind.step, "hooked"):
            kind.step = _with_hooks(kind.step)  # type: ignore[method-assign]  # with its hooks

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters with options of its own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        if isinstance((params := param_group["params"]), Tensor):
            param_group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        else:
            param_group["params"] = list(params)
        tensors, names = [], []
        for p in param_group["params"]:
            if isinstance(p, tuple):
                names.append(p[0])
                tensors.append(p[1])
            else:
                tensors.append(p)
        if names and len(names) != len(tensors):
            raise ValueError(
                "all optimizer params should be with/without names. Some param names are missing"
            )
        param_group["params"] = tensors
        if names:
            param_group["param_names"] = names
        for p in tensors:
            if not isinstance(p, Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + _torch_type(p)
                )
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization parameter {name}"
                )
            param_group.setdefault(name, default)
        named = "param_names" in param_group
        if any(named != ("param_names" in group) for group in self.param_groups):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{'with' if named else 'without'} names to the optimizer"
            )
        seen = {id(p) for group in self.param_groups for p in group["params"]}
        if len({id(p) for p in tensors}) != len(tensors):

            warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information"
            )
        if any(id(p) in seen for p in tensors):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # --- the step -------------------------------------------------------------------------------------------

    def init(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a parameter before its first step: a step count of 0, and values of 0."""
        if not self._zeros:
            raise NotImplementedError
        return {"step": tensor(0.0), **{name: zeros_like(param) for name in self._zeros}}

    def init_alike(self, param: Any, group: dict[str, Any]) -> dict[str, Any] | None:
        """Return a state whose first step is, to the last bit, as all later ones; None if there is none."""
        return self.init(param, group)

    def update(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Change a parameter and its state in place by one step.

        `grad` has the sign of `maximize` already. Of complex tensors an optimizer with `_splits_complex` gets
        real views, with one more axis of two.
        """
        raise NotImplementedError

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Do one step for every parameter that has a gradient.

        Parameters
        ----------
        closure : callable, optional
            Computes the loss again with gradients and returns it; the step returns what it returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with set_grad_enabled(self.defaults.get("differentiable", False)):
            at_once = backend.optimizer_steps(self)
            # Plans would serve these calls for a few steps: of a small transformer's first 50 steps under
            # AdamW, 13 looks at writes took 51 of 492 ms.
            hotness: Hotness | None = self.__dict__.get("_hotness")
            is_cold = at_once is None and hotness is not None and hotness.is_cold
            with without_looks() if is_cold else nullcontext():
                for group in self.param_groups:
                    self._begin(group, at_once is None)
                    if at_once is not None:
                        at_once.step(self, group)
                        continue
                    for param in group["params"]:
                        if param._grad is not None:
                            self._step_of(param, param._grad, group)
        return loss

    def _begin(self, group: dict[str, Any], makes: bool) -> None:
        """Refuse what torch does before a step, and make the states where the step is to find them all.

        As in torch, a parameter that has no step (a complex one under Adafactor) leaves the others as they
        were, and options are refused when all parameters have their states.
        """
        params = [param for param in group["params"] if param._grad is not None]
        if not params:
            return
        grads = [param._grad for param in params]
        if not self._takes_sparse and any(type(g) is not Tensor and g.is_sparse for g in grads):
            name = "Adam" if type(self).__name__ == "AdamW" else type(self).__name__
            advice = ", please consider SparseAdam instead" if name == "Adam" else ""
            raise RuntimeError(f"{name} does not support sparse gradients{advice}")
        refusal = self._refusal(group)
        if makes or refusal:
            for param in params:
                self._state_of(param, group)
        if refusal:
            raise AssertionError(refusal)

    def _refusal(self, group: dict[str, Any]) -> str:
        """Return why a step refuses the options of a group: they need another device, or no history."""
        together = bool(group.get("foreach"))
        if together and group.get("differentiable") and self._foreach_is_refused:
            return "_foreach ops don't support autograd"
        if not group.get("capturable") or group.get("fused"):
            return ""
        more = ", 'xla'" if self._xla_is_named[together] else ""
        return (
            f"If capturable=True, params{self._checked_state[together]} and state_steps must be on supported "
            f"devices: ['cuda', 'xpu', 'hpu', 'privateuseone'{more}]."
        )

    def _cost(self) -> float:
        """Return the nanoseconds that a step takes in NumPy, by the count of parameters and elements.

        A large parameter is worth a native loop at once.
        """
        cost, state_of = 0.0, self.state.get
        for group in self.param_groups:
            for param in group["params"]:
                value = param._value
                if param._grad is not None and type(value) is ndarray:
                    if value.size >= large.SIZE:
                        return math.inf
                    values = 1 + len(state_of(param) or ())
                    cost += values * (PARAMETER + ELEMENT * value.size)
        return cost

    def _state_of(self, param: Any, group: dict[str, Any]) -> dict[str, Any]:
        """Return the state of a parameter, which is made where there is none."""
        if state := self.state.get(param):
            return state
        if group.get("fused") and not param.is_floating_point():
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of supported devices: "
                "['mps', 'cuda', 'xpu', 'hpu', 'cpu', 'mtia', 'privateuseone'] but "
                f"{param.dtype} and {param.device.type}"
            )
        state = self.init(param, group)
        # As in torch, a parameter without state has no entry.
        if state:
            self.state[param] = state
        return state

    def _step_of(self, param: Any, grad: Any, group: dict[str, Any]) -> None:
        state = self._state_of(param, group)
        if self._splits_complex and not group.get("differentiable"):
            in_parts = getattr(param, "_step_in_parts", None)
            if in_parts is not None:
                # What goes element by element is done on the parts of a distributed tensor, as plain ops.
                param, grad, state = in_parts(grad, state)
        self._change(param, grad, state, group)

    def _change(self, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Call `update` with the sign of the gradient and complex numbers as it takes them."""
        if group.get("maximize"):
            grad = -grad
        if self._splits_complex and param.is_complex():
            state = {name: _parts(value) for name, value in state.items()}
            param, grad = _parts(param), _parts(grad)
        self.update(param, grad, state, group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p._grad = None
                elif p._grad is not None:
                    if p._grad.grad_fn is not None:
                        p._grad.detach_()
                    else:
                        p._grad.requires_grad_(False)
                    p._grad.zero_()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` before `state_dict`."""
        return add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` after `state_dict`; what it returns replaces the dict."""
        return add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before loading; what it returns replaces the dict."""
        return add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call ``hook(optimizer)`` after loading."""
        return add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # --- state ----------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state per parameter (numbered in order) and the groups' options."""
        for pre in self._optimizer_state_dict_pre_hooks.values():
            pre(self)
        # As in torch, a parameter that stands twice in a group has the number of the second place.
        params = chain.from_iterable(group["params"] for group in self.param_groups)
        numbers = {id(p): place for place, p in enumerate(params)}
        groups = []
        for group in self.param_groups:
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": groups}
        for post in self._optimizer_state_dict_post_hooks.values():
            replaced = post(self, result)
            result = result if replaced is None else replaced
        return result

    @no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take state and options from a state dict of an optimizer with groups of the same sizes."""
        state_dict = dict(state_dict)
        for pre in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = pre(self, state_dict)
            state_dict = state_dict if replaced is None else replaced
        saved = deepcopy(state_dict["param_groups"])
        if len(groups := self.param_groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's "
                "group"
            )
        by_number = dict(
            zip(
                chain.from_iterable(s["params"] for s in saved),
                chain.from_iterable(g["params"] for g in groups),
                strict=True,
            )
        )
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                param = by_number[key]
                state[param] = {name: _loaded(name, v, param) for name, v in value.items()}
            else:
                state[key] = value
        for own, given in zip(groups, saved, strict=True):
            given["params"] = own["params"]
            if "param_names" in own and "param_names" not in given:
                given["param_names"] = own["param_names"]
        self.__setstate__({"state": state, "param_groups": saved})
        for post in self._optimizer_load_state_dict_post_hooks.values():
            post(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return reduced(self, protocol, Optimizer, "torch.optim.", _new)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in (
            "step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
            "load_state_dict_post",
        ):
            self.__dict__.setdefault(f"_optimizer_{name}_hooks", HookDict())
        self._hotness = Hotness()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)


def _parts(value: Any) -> Any:
    """Return a real view of a complex tensor; everything else as it is."""
    return view_as_real(value) if isinstance(value, Tensor) and dtype_of(value).kind in "cW" else value


def check_fused(fused: bool | None, foreach: bool | None, differentiable: bool) -> None:
    """Refuse `fused` together with what it excludes."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def _loaded(name: str, value: Any, param: Any) -> Any:
    """Return a state value in the parameter's dtype; the step count stays as it is. As in torch, what has
    that dtype is no copy: steps to come change what was loaded.
    """
    if isinstance(value, Tensor) and name != "step" and param.is_floating_point():
        return cast("Any", value).to(dtype=param.dtype)
    return value


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        # Hooks are given the optimizer twice, as torch has it: by itself and as the first argument.
        self: Optimizer = args[0]
        for pre in self._optimizer_step_pre_hooks.values():
            if (replaced := pre(self, args, kwargs)) is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                args, kwargs = replaced
        result = step(*args, **kwargs)
        for post in self._optimizer_step_post_hooks.values():
            post(self, args, kwargs)
        return result

    wrapper.hooked = True  # type: ignore[attr-defined]  # functions take attributes
    return wrapper


def _torch_type(value: Any) -> str:
    return value.type() if isinstance(value, Tensor) else type(value).__name__


def _new(module: str, name: str) -> Any:
    """Return an instance, without its attributes, of the class that torch has under a name."""
    cls = class_named(Optimizer, module, name)
    return cls.__new__(cls)


Optimizer.__module__ = "torch.optim.optimizer"

__all__ = ["Optimizer", "required"]
