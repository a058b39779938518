"""torch.nn.utils.weight_norm: weight normalisation by a hook; `parametrizations.weight_norm` replaces it."""

from __future__ import annotations

from typing import Any

from ...core.warn import warn
from ...tensor.older_norms import norm_except_dim
from ..modules.module import Module
from ..parameter import Parameter, is_lazy


def normed(v: Any, g: Any, dim: int) -> Any:
    """Return ``g · v / |v|``, with the norm of each slice along an axis, or of all of `v` if that is −1."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook that computes a weight from its norms and its direction before every call."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """Return the weight from what the module has as norms and direction."""
        g, v = (getattr(module, self.name + suffix) for suffix in ("_g", "_v"))
        return normed(v, g, self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Split the weight and put a hook on the module."""
        warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of "
            "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning
        )
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        made = WeightNorm(name, dim)
        if is_lazy(weight := getattr(module, name)):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the "
                "dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, made.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, made.compute_weight(module))
        module.register_forward_pre_hook(made)
        return made

    def remove(self, module: Any) -> None:
        """Make the present weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Split a weight into norms ``name_g`` and a direction ``name_v`` (Salimans & Kingma 2016).

    Parameters
    ----------
    module : Module
    name : str
    dim : int, optional
        The axis along which each slice has a norm of its own; None for one norm.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undo `weight_norm`; the weight keeps its present value."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")


__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]
WeightNorm.__module__ = "torch.nn.utils.weight_norm"
