"""Call modules as functions of their parameters: `functional_call`, `stack_module_state`, and batch
normalisation without running statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.value import TensorBase
from ..tensor.namespace import TOP_LEVEL

#: What stands for nothing.
ABSENT: Any = object()


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: Any = None, *,
    tie_weights: bool = True, strict: bool = False,
) -> Any:  # fmt: skip
    """Return ``module(*args, **kwargs)`` with other parameters and buffers.

    Parameters
    ----------
    module : Module
    parameter_and_buffer_dicts : dict or sequence of dicts
        Tensors by qualified name; several dictionaries may not repeat a name. What the call binds anew, as a
        buffer that counts, is put into a single dictionary.
    args : Any
        A tuple of positional arguments, or one argument that is no tuple.
    kwargs : dict, optional
    tie_weights : bool
        A tensor given for one name of a shared parameter serves its other names too.
    strict : bool
        Every parameter and buffer must be named, and nothing else.

    Raises
    ------
    ValueError
        The dictionaries repeat a name, or name a shared parameter twice with different tensors.
    RuntimeError
        With `strict`, names are missing or unknown.
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, Sequence):
        given = _joined(parameter_and_buffer_dicts)
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, given, tie_weights, strict):
        return module(*args, **(kwargs or {}))


@contextmanager
def reparametrized(module: object, given: dict[str, Any], tie_weights: bool, strict: bool) -> Iterator[None]:
    """Open a block in which a module has other parameters and buffers, as `functional_call` takes them."""
    values = _tied(module, given) if tie_weights else given
    if strict:
        _check_names(module, values)
    with _swapped(module, values, given):
        yield


def _joined(dictionaries: Sequence[Any]) -> dict[str, Any]:
    if not all(isinstance(part, dict) for part in dictionaries):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for part in dictionaries for name in part]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {name: value for part in dictionaries for name, value in part.items()}


def _named_tensors(module: Any) -> dict[str, Any]:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _tied(module: object, given: dict[str, Any]) -> dict[str, Any]:
    """Return the given tensors, each under every name of the tensor that it replaces."""
    names_of: dict[int, list[str]] = {}
    for name, tensor in _named_tensors(module).items():
        names_of.setdefault(id(tensor), []).append(name)
    values = dict(given)
    for names in names_of.values():
        chosen = [name for name in names if name in given]
        if len(names) < 2 or not chosen:
            continue
        if any(given[name] is not given[chosen[0]] for name in chosen):
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider "
                "using tie_weights=False"
            )
        values.update(dict.fromkeys(names, given[chosen[0]]))
    return values


def _check_names(module: Any, values: dict[str, Any]) -> None:
    known = _named_tensors(module).keys()
    problems = [
        f"{what} key(s): {', '.join(map(repr, sorted(names)))}."
        for what, names in (("Unexpected", values.keys() - known), ("Missing", known - values.keys()))
        if names
    ]
    if problems:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(problems)
        )


@contextmanager
def _swapped(module: object, values: dict[str, Any], given: dict[str, Any]) -> Iterator[None]:
    """Put values in place of a module's tensors; after the block `given` holds what was there then."""
    before: dict[str, Any] = {}
    try:
        for name, value in values.items():
            before[name] = swap(module, name, value)
        yield
    finally:
        after = {name: swap(module, name, value) for name, value in before.items()}
        given.update({name: after[name] for name in given if name in after})


def swap(module: Any, name: str, value: Any) -> Any:
    """Put a tensor where a qualified name points and return what was there; `ABSENT` is nothing."""
    path, _, own = name.rpartition(".")
    for step in path.split(".") if path else ():
        if not hasattr(module, step):
            raise AttributeError(f"{module._get_name()} has no attribute `{step}`")
        module = getattr(module, step)
    if value is not ABSENT and value is not None and not isinstance(value, TensorBase):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    if own == "":
        raise KeyError('tensor name can\'t be empty string ""')
    for store in (module._parameters, module._buffers):
        if own in store:
            before = store.pop(own) if value is ABSENT else store[own]
            if value is not ABSENT:
                store[own] = value
            return before
    before = getattr(module, own, ABSENT)
    if before is not ABSENT and before is not None and not isinstance(before, TensorBase):
        raise TypeError(f"attribute `{own}`: {before} is not an instance of torch.Tensor")
    if value is not ABSENT:
        setattr(module, own, value)
    elif before is not ABSENT:
        delattr(module, own)
    return before


def check_alike(name: str, models: Sequence[Any]) -> None:
    """Raise torch's error unless modules, one or more, are of one class and in one mode."""
    if len(models) == 0:
        raise RuntimeError(f"{name}: Expected at least one model, got 0.")
    if len({model.training for model in models}) > 1:
        raise RuntimeError(f"{name}: Expected all models to have the same training/eval mode.")
    if any(type(model) is not type(models[0]) for model in models):
        raise RuntimeError(f"{name}: Expected all models to be of the same class.")


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return parameters and buffers of several modules of one class, stacked along a new first axis.

    Returns
    -------
    (parameters, buffers)
        Tensors by qualified name; parameters are leaves that require grad where the modules' do.
    """
    check_alike("stack_module_state", models)
    return (
        _stacked([dict(model.named_parameters()) for model in models]),
        _stacked([dict(model.named_buffers()) for model in models]),
    )


def _stacked(states: list[dict[str, Any]]) -> dict[str, Any]:
    result = {}
    for name in states[0]:
        tensors = [state[name] for state in states]
        if len({tensor.requires_grad for tensor in tensors}) > 1:
            raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
        stacked = TOP_LEVEL["stack"](tensors)
        result[name] = stacked.detach().requires_grad_() if tensors[0].requires_grad else stacked
    return result


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Make every batch norm layer of a module normalise by its batch alone, in place.

    Parameters
    ----------
    root : Module

    Returns
    -------
    Module
        `root`; its layers of batch norm keep no running mean and variance any more, which vmap could not
        update.
    """
    for module in root.modules():
        if (forget := getattr(module, "_forget_running_statistics", None)) is not None:
            forget()
    return root
