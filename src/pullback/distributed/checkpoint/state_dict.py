"""torch.distributed.checkpoint.state_dict: states of models and optimizers, by name, whole or in shards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...autograd.grad_mode import no_grad
from ...nn.modules.module import Module
from ...tensor.creation_like import zeros_like
from ...tensor.tensor import Tensor
from ..groups import get_rank
from ..tensor.api import DTensor, mapped
from ..tensor.layout import cut

#: What wrappers put into the names of the modules that they hold.
_WRAPPERS = ("_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_orig_mod.")


@dataclass
class StateDictOptions:
    """Say how a state is made or taken.

    Attributes
    ----------
    full_state_dict : bool
        Whether tensors are whole in every process; with `cpu_offload` too, in the first alone.
    cpu_offload : bool
    ignore_frozen_params : bool
        Whether parameters without gradients are left out.
    keep_submodule_prefixes : bool
    strict : bool
        Whether names must agree on loading.
    broadcast_from_rank0 : bool
        Whether only the first process has the whole state that is loaded.
    flatten_optimizer_state_dict : bool
    dsd_fqn_modifiers : str
    """

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def clean_name(name: str) -> str:
    """Return the name of a parameter without what wrappers have put into it."""
    for wrapper in _WRAPPERS:
        name = name.replace(wrapper, "")
    return name.removeprefix("module.")


@no_grad()
def whole(value: Any) -> Any:
    """Return nested values with distributed tensors gathered; a collective."""
    return mapped(value, lambda tensor: tensor.full_tensor().detach())


def _made(state: dict[str, Any], options: StateDictOptions) -> dict[str, Any]:
    if not options.full_state_dict:
        return state
    gathered = whole(state)
    return {} if options.cpu_offload and get_rank() != 0 else gathered


def get_model_state_dict(
    model: Module, *, submodules: set[Module] | None = None, options: StateDictOptions | None = None
) -> dict[str, Any]:
    """Return the state of a model under the names that it has without wrappers.

    Parameters
    ----------
    model : Module
    submodules : set of Module, optional
        Only these parts.
    options : StateDictOptions, optional
        By default tensors are sharded as they are.
    """
    options = options or StateDictOptions()
    frozen = {name for name, p in model.named_parameters() if not p.requires_grad}
    state = {}
    for name, value in model.state_dict().items():
        if options.ignore_frozen_params and name in frozen:
            continue
        state[clean_name(name)] = value
    if submodules:
        prefixes = [clean_name(f"{n}.") for n, module in model.named_modules() if module in submodules]
        state = {k: v for k, v in state.items() if any(k.startswith(p) for p in prefixes)}
    return _made(state, options)


def set_model_state_dict(
    model: Module, model_state_dict: dict[str, Any], *, options: StateDictOptions | None = None
) -> Any:
    """Take over a state whose names are those without wrappers.

    Where the model has tensors without memory (of the meta device), those of the state take their places.

    Returns
    -------
    NamedTuple
        ``missing_keys`` and ``unexpected_keys``.
    """
    options = options or StateDictOptions()
    if options.broadcast_from_rank0:
        model_state_dict = from_first(model_state_dict)
    own = {clean_name(name): name for name in model.state_dict()}
    parameters = dict(model.named_parameters())
    named = {
        own.get(name, name): like_parameter(value, parameters.get(own.get(name, name)))
        for name, value in model_state_dict.items()
    }
    tensors = [value for value in model.state_dict().values() if isinstance(value, Tensor)]
    assign = any(t.device.type == "meta" for t in tensors)
    return model.load_state_dict(named, strict=options.strict, assign=assign)


def from_first(state: Any) -> Any:
    """Return the value that the first process has."""
    from ..objects import broadcast_object_list

    sent = [state]
    broadcast_object_list(sent, 0)
    return sent[0]


def parameter_names(model: Module) -> dict[Any, str]:
    """Return the names that the parameters of a model have without wrappers."""
    return {p: clean_name(name) for name, p in model.named_parameters()}


def _init_optim_state(optim: Any) -> None:
    """Make the state of an optimizer that has not done a step yet: one with gradients of zero and rate 0."""
    parameters = [p for group in optim.param_groups for p in group["params"]]
    if optim.state or any(p.grad is not None for p in parameters):
        return
    for p in parameters:
        if p.requires_grad:
            p.grad = zeros_like(p)
    rated = [(group, group["lr"]) for group in optim.param_groups if "lr" in group]
    for group, rate in rated:
        group["lr"] = zeros_like(rate) if isinstance(rate, Tensor) else 0.0
    optim.step(closure=None)
    for group, rate in rated:
        group["lr"] = rate
    optim.zero_grad(set_to_none=True)


def get_optimizer_state_dict(
    model: Module, optimizers: Any, *, submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return the state of optimizers by the names of parameters: ``{"state": …, "param_groups": …}``.

    An optimizer that has done no step gets the state that it will have, which a checkpoint can fill. With
    ``flatten_optimizer_state_dict`` every entry has a name of its own: ``state.<parameter>.<key>`` and
    ``param_groups.<parameter>.<key>``.
    """
    options = options or StateDictOptions()
    for optimizer in _listed(optimizers):
        _init_optim_state(optimizer)
    state = named_state(model, optimizers)
    return _made(_flattened(state) if options.flatten_optimizer_state_dict else state, options)


def named_state(model: Module, optimizers: Any) -> dict[str, Any]:
    """Return the state that optimizers have, by the names of parameters."""
    names = parameter_names(model)
    state: dict[str, Any] = {}
    groups = []
    for optimizer in _listed(optimizers):
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p in optimizer.state:
                    state[names[p]] = dict(optimizer.state[p])
            kept = {key: value for key, value in group.items() if key != "params"}
            groups.append({**kept, "params": [names[p] for p in group["params"]]})
    return {"state": state, "param_groups": groups}


def _flattened(state: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}

    def put(name: str, values: dict[Any, Any]) -> None:
        for key, value in values.items():
            if isinstance(value, dict):
                put(f"{name}.{key}", value)
            else:
                flat[f"{name}.{key}"] = value

    for parameter, values in state["state"].items():
        put(f"state.{parameter}", values)
    for group in state["param_groups"]:
        for parameter in group["params"]:
            put(f"param_groups.{parameter}", {key: v for key, v in group.items() if key != "params"})
    return flat


def _like(value: Any, flat: dict[str, Any], name: str) -> Any:
    """Return the entry of a flat state for each value of a nested one."""
    if isinstance(value, dict):
        return {key: _like(part, flat, f"{name}.{key}") for key, part in value.items()}
    return flat[name]


def _unflattened(flat: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a flat state in the form of the state that an optimizer has."""
    groups = []
    for group in own["param_groups"]:
        settings = {key: value for key, value in group.items() if key != "params"}
        first = f"param_groups.{group['params'][0]}" if group["params"] else ""
        groups.append({**(_like(settings, flat, first) if first else settings), "params": group["params"]})
    return {"state": _like(own["state"], flat, "state"), "param_groups": groups}


@no_grad()
def set_optimizer_state_dict(
    model: Module, optimizers: Any, optim_state_dict: dict[str, Any], *,
    options: StateDictOptions | None = None,
) -> None:  # fmt: skip
    """Take over the state of optimizers by the names of parameters."""
    options = options or StateDictOptions()
    if options.broadcast_from_rank0:
        optim_state_dict = from_first(optim_state_dict)
    for optimizer in _listed(optimizers):
        given = optim_state_dict
        if options.flatten_optimizer_state_dict:
            _init_optim_state(optimizer)
            given = _unflattened(given, named_state(model, optimizer))
        optimizer.load_state_dict(numbered_state(model, optimizer.param_groups, given))


def numbered_state(
    model: Module, param_groups: list[dict[str, Any]], optim_state_dict: dict[str, Any]
) -> dict[str, Any]:
    """Return a state by the names of parameters in the form in which an optimizer takes it: by numbers.

    The settings of the optimizer's `param_groups` stay where the state has none for a group.
    """
    names = parameter_names(model)
    given = {name: group for group in optim_state_dict["param_groups"] for name in group["params"]}
    state: dict[int, Any] = {}
    groups, number = [], 0
    for group in param_groups:
        numbers = []
        for p in group["params"]:
            if (found := optim_state_dict["state"].get(names[p])) is not None:
                state[number] = {key: like_parameter(value, p) for key, value in found.items()}
            numbers.append(number)
            number += 1
        first = given.get(names[group["params"][0]], {}) if group["params"] else {}
        kept = {key: value for key, value in (first or group).items() if key != "params"}
        groups.append({**kept, "params": numbers})
    return {"state": state, "param_groups": groups}


def like_parameter(value: Any, parameter: Any) -> Any:
    """Return a value of a state, sharded as its parameter is where it has its shape."""
    if (
        isinstance(parameter, DTensor)
        and isinstance(value, Tensor)
        and not isinstance(value, DTensor)
        and value.shape == parameter.shape
    ):
        return DTensor(cut(value, parameter._layout).clone(), parameter._layout)
    return value.clone() if isinstance(value, Tensor) else value


def get_state_dict(
    model: Module, optimizers: Any, *, submodules: set[Module] | None = None,
    options: StateDictOptions | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:  # fmt: skip
    """Return the states of a model and of its optimizers."""
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(
    model: Module, optimizers: Any, *, model_state_dict: dict[str, Any], optim_state_dict: dict[str, Any],
    options: StateDictOptions | None = None,
) -> Any:  # fmt: skip
    """Take over the states of a model and of its optimizers."""
    told = set_model_state_dict(model, model_state_dict, options=options)
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return told


def _listed(optimizers: Any) -> Iterable[Any]:
    return optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]


__all__ = [
    "StateDictOptions", "get_model_state_dict", "get_optimizer_state_dict", "get_state_dict",
    "set_model_state_dict", "set_optimizer_state_dict", "set_state_dict",
]  # fmt: skip
