"""Define batch normalisation and its per-instance form."""

from typing import Any, ClassVar

from ...core.process_group import default_group
from ...errors import name_constructors
from ...tensor.creation import ones, tensor, zeros
from .. import functional as F
from .. import init
from ..parameter import UninitializedBuffer, UninitializedParameter
from .creation import optional_parameter
from .lazy import LazyModuleMixin
from .module import Module
from .synced_statistics import SyncBatchNorm as Synced
from .utils import check_rank


class _NormBase(Module):
    """Running statistics and affine parameters of a normalisation over channels."""

    _version = 2

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", optional_parameter(affine, num_features, device, dtype))
        self.register_parameter("bias", optional_parameter(affine and bias, num_features, device, dtype))
        self.register_buffer(
            "running_mean", zeros(num_features, device=device, dtype=dtype) if track_running_stats else None
        )
        self.register_buffer(
            "running_var", ones(num_features, device=device, dtype=dtype) if track_running_stats else None
        )
        count = tensor(0, device=device) if track_running_stats else None
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0 and the running variance to 1."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the statistics; weight 1, bias 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    #: How many axes an input may have.
    _ranks: ClassVar[tuple[int, ...]] = ()

    def _check_input_dim(self, input: Any) -> None:
        if not self._ranks:
            raise NotImplementedError
        check_rank(input, *self._ranks)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.affine and self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            key = prefix + "num_batches_tracked"
            if key not in state_dict:
                state_dict[key] = tensor(0)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    def forward(self, input: Any) -> Any:
        """Normalise over all axes but the second, by the batch's statistics or the running ones."""
        self._check_input_dim(input)
        factor, batch_statistics, mean, variance = self._begin()
        return F.batch_norm(input, mean, variance, self.weight, self.bias, batch_statistics, factor, self.eps)

    def _begin(self) -> tuple[float, bool, Any, Any]:
        """Count a batch; return its weight, whether its statistics are used, and the running ones in use."""
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        batch_statistics = self.training or (self.running_mean is None and self.running_var is None)
        if not self.training or self.track_running_stats:
            return factor, batch_statistics, self.running_mean, self.running_var
        return factor, batch_statistics, None, None

    def _forget_running_statistics(self) -> None:
        """Normalise by the batch alone from now on (`torch.func.replace_all_batch_norm_modules_`)."""
        if self.track_running_stats:
            self.running_mean = self.running_var = self.num_batches_tracked = None
            self.track_running_stats = False


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """A normalisation that reads the number of its channels from the first input."""

    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any

    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, device=device)

    def reset_parameters(self) -> None:
        """Reset the statistics, weight 1 and bias 0, once the shapes are known."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Give parameters and statistics the shapes that go with an input."""
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        self._materialize("weight", (self.num_features,))
        self._materialize("bias", (self.num_features,))
        for value in (self.running_mean, self.running_var):
            if value is not None:
                value.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L)."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    _ranks = (5,)


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """A `BatchNorm1d` whose `num_features` is read from the first input."""


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """A `BatchNorm2d` whose `num_features` is read from the first input."""


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """A `BatchNorm3d` whose `num_features` is read from the first input."""


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation of any rank with the statistics of the batches of all processes.

    torch synchronises on accelerators only. Where there is no group of several processes, and outside of
    training, this is batch normalisation.

    Parameters
    ----------
    num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        As of `BatchNorm1d`.
    process_group : ProcessGroup, optional
        The processes; by default all.
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None,
        *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Any) -> Any:
        """Normalise by the statistics of the group's batches in training, else by the running ones."""
        group = self.process_group or default_group()
        if not self.training or group is None or group.size() == 1:
            return super().forward(input)
        self._check_input_dim(input)
        factor, _, mean, variance = self._begin()
        return Synced.apply(input, self.weight, self.bias, mean, variance, self.eps, factor, group)

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Return the module with every batch normalisation in it replaced, parameters and statistics kept."""
        converted = module
        if isinstance(module, _BatchNorm):
            converted = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, bias=module.bias is not None,
            )  # fmt: skip
            if module.affine:
                converted.weight = module.weight
                converted.bias = module.bias
            converted.running_mean = module.running_mean
            converted.running_var = module.running_var
            converted.num_batches_tracked = module.num_batches_tracked
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted


name_constructors(vars(), _NormBase)
