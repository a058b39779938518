"""Turn modules into functions of tuples of parameters and buffers.

The functions here return a module without state (its tensors have no elements) and the state of the module
that they were given, copied. Calling the one with the other is calling that module.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from ...func.functional_call import check_alike, functional_call
from ...nn import Module, Parameter
from ...tensor.namespace import TOP_LEVEL


class FunctionalModule(Module):
    """A module without parameters of its own: they are its first argument."""

    def __init__(self, stateless_model: Module, param_names: tuple[str, ...]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names

    def forward(self, params: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        """Return the model's result with these parameters, which come in the order of `param_names`."""
        state = dict(zip(self.param_names, params, strict=False))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module without parameters and buffers of its own: they are its first two arguments."""

    def __init__(
        self, stateless_model: Module, param_names: tuple[str, ...], buffer_names: tuple[str, ...]
    ) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = param_names
        self.buffer_names = buffer_names

    def forward(self, params: Iterable[Any], buffers: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        """Return the model's result with these parameters and buffers, in the order of the names."""
        state = dict(zip(self.param_names, params, strict=False))
        state.update(zip(self.buffer_names, buffers, strict=False))
        return functional_call(self.stateless_model, state, args, kwargs)


def make_functional(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModule, tuple[Any, ...]]:
    """Return a function of a module's parameters, and the parameters.

    Parameters
    ----------
    model : Module
        Stays as it is; a copy of it is made.
    disable_autograd_tracking : bool
        The parameters returned do not require grad.

    Returns
    -------
    (func, params)
        ``func(params, *args)`` is ``model(*args)``.

    Raises
    ------
    RuntimeError
        The model has buffers.
    """
    if any(True for _ in model.buffers()):
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) "
            "instead."
        )
    stateless, params, _ = _split(model, disable_autograd_tracking)
    return FunctionalModule(stateless, tuple(params)), tuple(params.values())


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Return a function of a module's parameters and buffers, and these: ``func(params, buffers, *args)``.

    The arguments are those of `make_functional`.
    """
    stateless, params, buffers = _split(model, disable_autograd_tracking)
    function = FunctionalModuleWithBuffers(stateless, tuple(params), tuple(buffers))
    return function, tuple(params.values()), tuple(buffers.values())


def combine_state_for_ensemble(
    models: Sequence[Module],
) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    """Return a function of the parameters and buffers of modules of one class, and these, stacked for `vmap`.

    Returns
    -------
    (func, params, buffers)
        ``vmap(func, (0, 0, None))(params, buffers, x)`` holds the result of each module; the tensors are
        detached and have a new first axis, one place for each module.
    """
    check_alike("combine_state_for_ensemble", models)
    functions, params, buffers = zip(*map(make_functional_with_buffers, models), strict=True)
    return functions[0], _stacked(params), _stacked(buffers)


def _stacked(states: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(TOP_LEVEL["stack"](tensors).detach() for tensors in zip(*states, strict=True))


def _split(model: Module, untracked: bool) -> tuple[Module, dict[str, Any], dict[str, Any]]:
    """Return a copy of a model without elements, and the copy's parameters and buffers by name."""
    stateless = copy.deepcopy(model)
    params = dict(stateless.named_parameters())
    buffers = dict(stateless.named_buffers())
    empty: dict[int, Any] = {}
    for module in stateless.modules():
        for store, is_parameter in ((module._parameters, True), (module._buffers, False)):
            for name, tensor in store.items():
                if tensor is None:
                    continue
                if id(tensor) not in empty:
                    bare = TOP_LEVEL["empty_like"](tensor, device="meta")
                    empty[id(tensor)] = Parameter(bare) if is_parameter else bare
                store[name] = empty[id(tensor)]
    if untracked:
        for tensor in params.values():
            tensor.requires_grad_(False)
    return stateless, params, buffers
