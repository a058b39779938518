"""Define normalisation of every channel of every sample by its own mean and variance."""

from typing import Any

from ...core.warn import warn
from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase
from .function_layer import NamedLayer
from .utils import check_rank


class _InstanceNorm(NamedLayer, _NormBase):
    """Instance normalisation of `rank` spatial axes (Ulyanov et al. 2016)."""

    _shares_forward = True

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Any) -> None:
        check_rank(input, self.rank + 1, self.rank + 2)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            old = [name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if old:
                names, kind = " and ".join(f'"{prefix}{name}"' for name in old), type(self).__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. "
                    f"If state_dict is a checkpoint saved before 0.4.0, this may be expected because {kind} "
                    "does not track running stats by default since 0.4.0. Please remove these keys from "
                    "state_dict. If the running stats are actually needed, instead set "
                    f"track_running_stats=True in {kind} to enable them. See the documentation of {kind} for "
                    "details."
                )
                for name in old:
                    state_dict.pop(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input: Any) -> Any:
        """Normalise over the spatial axes, by running statistics where they are tracked and in evaluation."""
        self._check_input_dim(input)
        alone = input.dim() == self.rank + 1
        channel = 0 if alone else 1
        if input.size(channel) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channel} to match num_features ({self.num_features}), "
                    f"but got: {input.size(channel)}."
                )
            warn(
                f"input's size at dim={channel} does not match num_features. You can silence this warning by "
                "not passing in num_features, which is not used because affine=False"
            )
        result = F.instance_norm(
            input.unsqueeze(0) if alone else input, self.running_mean, self.running_var, self.weight,
            self.bias, self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip
        return result.squeeze(0) if alone else result


class InstanceNorm1d(_InstanceNorm):
    """Instance normalisation of (N, C, L) or (C, L)."""


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of (N, C, H, W) or (C, H, W)."""


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of (N, C, D, H, W) or (C, D, H, W)."""


class LazyInstanceNorm1d(_LazyNormBase, InstanceNorm1d):
    """An `InstanceNorm1d` whose `num_features` is read from the first input."""


class LazyInstanceNorm2d(_LazyNormBase, InstanceNorm2d):
    """An `InstanceNorm2d` whose `num_features` is read from the first input."""


class LazyInstanceNorm3d(_LazyNormBase, InstanceNorm3d):
    """An `InstanceNorm3d` whose `num_features` is read from the first input."""
