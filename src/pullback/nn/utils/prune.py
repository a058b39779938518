"""torch.nn.utils.prune: set units of a parameter to zero and keep them there.

A pruned parameter ``name`` becomes ``name_orig``, beside it stands a buffer ``name_mask``, and a hook sets
``name`` to their product before every call.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

from ...tensor.creation_like import ones_like, zeros_like
from ...tensor.extremes import kthvalue
from ...tensor.norms import norm
from ...tensor.random import rand, rand_like
from ...tensor.sorting import topk
from .convert_parameters import parameters_to_vector


class BasePruningMethod(ABC):
    """A way to choose what is pruned; an instance is the hook.

    A subclass gives `compute_mask` and says as `PRUNING_TYPE` whether it sees those units only that are left
    ("unstructured"), those channels along its `dim` ("structured"), or everything ("global").
    """

    _tensor_name: str
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask of a tensor by scores `t`: 0 for what is pruned now or was before, else 1."""

    def apply_mask(self, module: Any) -> Any:
        """Return the parameter times its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, original = (getattr(module, self._tensor_name + suffix) for suffix in ("_mask", "_orig"))
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune a parameter of a module, also one that is pruned already.

        Parameters
        ----------
        module : Module
        name : str
        importance_scores : tensor, optional
            What to judge the parameter's elements by in place of their values.
        *args, **kwargs
            For the method's constructor.
        """
        method = cls._joined(module, name, cls(*args, **kwargs))
        original = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{scores.shape} vs {original.shape}"
            )
        if again := isinstance(method, PruningContainer):
            before = getattr(module, name + "_mask").detach().clone()
        else:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            before = ones_like(original)
        try:
            module.register_buffer(name + "_mask", method.compute_mask(scores, default_mask=before))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not again:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    @classmethod
    def _joined(cls, module: Any, name: str, method: BasePruningMethod) -> BasePruningMethod:
        """Return the method, behind those that prune the parameter already, whose hook is taken out."""
        method._tensor_name = name
        found = [
            key
            for key, hook in module._forward_pre_hooks.items()
            if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
        ]
        if not found:
            return method
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        earlier = module._forward_pre_hooks.pop(found[0])
        container = earlier if isinstance(earlier, PruningContainer) else PruningContainer(earlier)
        container.add_pruning_method(method)
        return container

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """Return a tensor with what this method chooses set to zero; no module is involved."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        before = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=before)

    def remove(self, module: Any) -> None:
        """Make the pruned parameter an ordinary one, with the zeros in it."""
        if (name := self._tensor_name) is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = weight.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Methods that pruned one parameter one after another."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method, which must act on the same parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                f"PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask so far, with what the last method takes from what is left."""
        method = self._pruning_methods[-1]
        part = _left_for(method, t, default_mask)
        mask = default_mask.to(dtype=t.dtype)
        chosen = method.compute_mask(t[part], default_mask=default_mask[part])
        mask[part] = chosen.to(dtype=mask.dtype)
        return mask


def _left_for(method: Any, t: Any, mask: Any) -> Any:
    """Return the index of what a method gets to see of a tensor that is pruned in part."""
    everything: list[Any] = [slice(None)] * t.dim()
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return tuple(everything)
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError(
            'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
        )
    dim = method.dim + t.dim() if method.dim < 0 else method.dim
    if dim < 0:
        raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
    everything[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    return tuple(everything)


class Identity(BasePruningMethod):
    """Prune nothing, and makes the parameter and its mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask as it was."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> BasePruningMethod:  # type: ignore[override]  # torch's signature
        """Make the parameter and its mask."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _validate_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask with zeros where the scores are smallest, or at random."""
        count = _number_to_prune(self.amount, t.nelement())
        mask = default_mask.clone()
        if count != 0:
            mask.view(-1)[self._places(t, count)] = 0
        return mask

    @abstractmethod
    def _places(self, t: Any, count: int) -> Any:
        """Return so many places of the flattened scores."""


class RandomUnstructured(_Unstructured):
    """Prune elements at random."""

    def _places(self, t: Any, count: int) -> Any:
        return topk(rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any) -> BasePruningMethod:  # type: ignore[override]  # torch's signature
        """Prune a parameter."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prune the elements of the smallest magnitude."""

    def _places(self, t: Any, count: int) -> Any:
        return topk(t.abs().view(-1), k=count, largest=False).indices

    @classmethod
    def apply(  # type: ignore[override]  # torch's signature
        cls, module: Any, name: str, amount: Any, importance_scores: Any = None
    ) -> BasePruningMethod:
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prune channels along an axis at random."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _validate_amount(amount)
        self.amount = amount
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask with as many more channels zero at random."""
        channels = _channels(t, self.dim)
        if (count := _number_to_prune(self.amount, channels)) == 0:
            return default_mask
        draws = rand(channels)
        return _keeping(t, self.dim, draws > kthvalue(draws, k=count).values, default_mask)

    @classmethod
    def apply(cls, module: Any, name: str, amount: Any, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]  # torch's signature
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prune the channels along an axis that have the smallest n-norm."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        _validate_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask with those channels zero whose scores have the smallest norm."""
        channels = _channels(t, self.dim)
        count = _number_to_prune(self.amount, channels)
        axis = self.dim % t.dim()
        size = norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != axis])
        kept = topk(size, k=channels - count, largest=True).indices
        return default_mask if count == 0 else _keeping(t, self.dim, kept, default_mask)

    @classmethod
    def apply(  # type: ignore[override]  # torch's signature
        cls, module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
    ) -> BasePruningMethod:
        """Prune a parameter."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prune by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """Return the mask so far times the one given."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Any) -> BasePruningMethod:  # type: ignore[override]  # torch's signature
        """Prune a parameter."""
        return super().apply(module, name, mask=mask)


def identity(module: Any, name: str) -> Any:
    """Give a parameter a mask that prunes nothing."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: Any) -> Any:
    """Prune elements of a parameter at random: a fraction (float) or a number (int) of them."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: Any, importance_scores: Any = None) -> Any:
    """Prune the elements of a parameter that have the smallest magnitude."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: Any, dim: int) -> Any:
    """Prune channels of a parameter along an axis at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: Any, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """Prune the channels of a parameter along an axis that have the smallest n-norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune elements of several parameters as if they were one vector.

    Parameters
    ----------
    parameters : iterable of (Module, str)
    pruning_method : type
        A method that prunes single elements.
    importance_scores : dict of (Module, str) to tensor, optional
    **kwargs
        For the method's constructor.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs: list[tuple[Any, str]] = list(parameters)
    joined = parameters_to_vector([scores.get((m, name), getattr(m, name)) for m, name in pairs])
    before = parameters_to_vector(
        [getattr(m, name + "_mask", ones_like(getattr(m, name))) for m, name in pairs]
    )
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(joined, before)
    start = 0
    for module, name in pairs:
        parameter = getattr(module, name)
        end = start + parameter.numel()
        custom_from_mask(module, name, mask=mask[start:end].view_as(parameter))
        start = end


def custom_from_mask(module: Any, name: str, mask: Any) -> Any:
    """Prune a parameter by a mask."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """Make a pruned parameter an ordinary one, with the zeros in it."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Any) -> bool:
    """Return whether a parameter of the module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )


def _validate_amount(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _number_to_prune(amount: Any, size: int) -> int:
    """Return the number of units, of `size`, that an amount means."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    if (count := int(amount)) > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return count


def _channels(t: Any, dim: int) -> int:
    """Return the number of channels along an axis of a tensor of several axes."""
    if t.dim() <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
            f"{t.shape} with {t.dim()} dims"
        )
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")
    return t.shape[dim]


def _keeping(t: Any, dim: int, kept: Any, before: Any) -> Any:
    """Return a mask that is one in the channels kept, times the mask that was."""
    mask = zeros_like(t)
    index: list[Any] = [slice(None)] * t.dim()
    index[dim] = kept
    mask[tuple(index)] = 1
    mask *= before.to(dtype=mask.dtype)
    return mask


__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity",
    "is_pruned", "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]
for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = "torch.nn.utils.prune"
