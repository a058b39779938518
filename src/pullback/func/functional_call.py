"""`functional_call`: run a module with other parameters, and `stack_module_state`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..tensor.namespace import TOP_LEVEL


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """``module(*args, **kwargs)`` with parameters and buffers replaced by those of a dictionary (or
    several).
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = dict(parameter_and_buffer_dicts)
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        given = {}
        for part in parameter_and_buffer_dicts:
            repeated = set(given) & set(part)
            if repeated:
                raise ValueError(
                    f"{sorted(repeated)} appeared in multiple dictionaries; behavior of functional call is "
                    "ambiguous"
                )
            given.update(part)
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    places = []
    for name, value in given.items():
        path, _, own = name.rpartition(".")
        holder = module.get_submodule(path)
        store = holder._parameters if own in holder._parameters else holder._buffers
        if own not in store:
            raise RuntimeError(f"Unexpected key(s): {name}.")
        places.append((store, own, store[own], value))
    if tie_weights:
        replaced = {id(before): value for _, _, before, value in places}
        for name, parameter in module.named_parameters(remove_duplicate=False):
            if id(parameter) in replaced and name not in given:
                path, _, own = name.rpartition(".")
                places.append(
                    (module.get_submodule(path)._parameters, own, parameter, replaced[id(parameter)])
                )
    try:
        for store, own, _, value in places:
            store[own] = value
        return module(*args, **(kwargs or {}))
    finally:
        for store, own, before, _ in places:
            store[own] = before


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and buffers of several modules of one kind, stacked along a new first axis."""
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    stack = TOP_LEVEL["stack"]
    parameters = {
        name: stack([dict(m.named_parameters())[name].detach() for m in models]).requires_grad_(
            p.requires_grad
        )
        for name, p in models[0].named_parameters()
    }
    buffers = {
        name: stack([dict(m.named_buffers())[name] for m in models]) for name, _ in models[0].named_buffers()
    }
    return parameters, buffers
