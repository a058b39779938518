"""torch.nn.utils.spectral_norm: spectral normalisation by a hook, which `parametrizations.spectral_norm`
replaces.
"""

from __future__ import annotations

from typing import Any

from ...autograd.grad_mode import no_grad
from ...linalg import multi_dot
from ...tensor.contract import dot, mv
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..parameter import Parameter, is_lazy


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before every call (Miyato et al. 2018).

    ``name_u`` and ``name_v`` hold the singular vectors as far as power iteration has come.
    """

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """Return the weight with the axis of the outputs first and all others as one."""
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """Return the weight over its largest singular value."""
        weight, u, v = (getattr(module, self.name + suffix) for suffix in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(mv(matrix, v), dim=0, eps=self.eps, out=u)
                # the next call writes into the buffers, which `backward` would find changed
                u, v = u.clone(), v.clone()
        return weight / dot(u, mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Make the present weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for suffix in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, weight_mat: Any, u: Any, target_sigma: Any) -> Any:
        """Return the right singular vector that goes with the left one and the singular value."""
        inverse = weight_mat.t().mm(weight_mat).pinverse()
        v = multi_dot([inverse, weight_mat.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / dot(u, mv(weight_mat, v)))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Put the hooks on the module, and the buffers into it."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        if (weight := module._parameters[name]) is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run "
                "the dummy forward before applying spectral normalization"
            )
        with no_grad():
            height, width = made.reshape_weight_to_matrix(weight).size()
            u = F.normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # a plain attribute until the first call computes it
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormLoadStateDictPreHook:
    """Compute ``name_v`` for state dicts that torch wrote before 1.0, which have the weight instead."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version", None)
        if version is not None and version >= 1:
            return
        key = prefix + self.fn.name
        complete = all(key + suffix in state_dict for suffix in ("_orig", "_u", "_v"))
        if version is None and complete and key not in state_dict:
            return
        missing = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if missing:
            missing_keys += missing if strict else []
            return
        with no_grad():
            original = state_dict[key + "_orig"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = self.fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = self.fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Note the version of the hook in the state dict's metadata."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        if (key := self.fn.name + ".version") in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    Parameters
    ----------
    module : Module
    name : str
    n_power_iterations : int
        Steps of power iteration in every call while training.
    eps : float
        Added to norms that are divided by.
    dim : int, optional
        The axis of the outputs: by default 1 for transposed convolutions and else 0.
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undo `spectral_norm`; the weight keeps its present value."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for key, hook in module._state_dict_hooks.items():
        if isinstance(hook, SpectralNormStateDictHook) and hook.fn.name == name:
            del module._state_dict_hooks[key]
            break
    for key, hook in module._load_state_dict_pre_hooks.items():
        if isinstance(hook.hook, SpectralNormLoadStateDictPreHook) and hook.hook.fn.name == name:
            del module._load_state_dict_pre_hooks[key]
            break
    return module


__all__ = [
    "SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "remove_spectral_norm",
    "spectral_norm",
]
for _class in (SpectralNorm, SpectralNormLoadStateDictPreHook, SpectralNormStateDictHook):
    _class.__module__ = "torch.nn.utils.spectral_norm"
del _class
