"""Base classes that programs subclass or ask for."""

from __future__ import annotations

import importlib
from typing import Any

from . import attempt

T = Any


def own_losses(torch: T) -> None:
    losses = torch.nn.modules.loss

    class Focal(losses._WeightedLoss):
        def __init__(self, gamma: float, weight: Any = None, reduction: str = "mean") -> None:
            super().__init__(weight, reduction=reduction)
            self.gamma = gamma

        def forward(self, x: Any, y: Any) -> Any:
            p = x.softmax(-1).gather(-1, y[:, None])[:, 0]
            return ((1 - p) ** self.gamma * -p.log() * self.weight[y]).sum()

    loss = Focal(2.0, torch.tensor([1.0, 2.0]), "sum")
    print(loss, loss(torch.tensor([[1.0, 2.0]]), torch.tensor([1])), loss.reduction, list(loss.state_dict()))

    class Plain(losses._Loss):
        pass

    print(Plain(), Plain(None, None, "none").reduction, Plain(reduction="sum").reduction)
    print(Plain(size_average=False).reduction)


def classes(torch: T) -> None:
    nn = torch.nn
    for kind, base in (
        ("pooling", "_MaxPoolNd"), ("pooling", "_AvgPoolNd"), ("pooling", "_AdaptiveAvgPoolNd"),
        ("pooling", "_AdaptiveMaxPoolNd"), ("pooling", "_LPPoolNd"), ("pooling", "_MaxUnpoolNd"),
        ("dropout", "_DropoutNd"), ("padding", "_ConstantPadNd"), ("padding", "_ReflectionPadNd"),
        ("padding", "_ReplicationPadNd"), ("padding", "_CircularPadNd"), ("loss", "_Loss"),
        ("loss", "_WeightedLoss"), ("batchnorm", "_BatchNorm"), ("instancenorm", "_InstanceNorm"),
        ("batchnorm", "_NormBase"), ("conv", "_ConvNd"), ("conv", "_ConvTransposeNd"),
    ):  # fmt: skip
        cls = getattr(getattr(nn.modules, kind), base)
        print(base, _below(nn, cls))


def _below(nn: Any, cls: type) -> list[str]:
    found = (n for n in dir(nn) if isinstance(getattr(nn, n), type))
    return sorted(n for n in found if issubclass(getattr(nn, n), cls))


def where_things_are(torch: T) -> None:
    for name, member in (
        ("nn.modules.utils", "_pair"), ("nn.modules.conv", "_ConvNd"), ("nn.modules.module", "_addindent"),
        ("nn.modules.module", "register_module_forward_hook"), ("nn.modules.lazy", "LazyModuleMixin"),
        ("nn.modules.linear", "NonDynamicallyQuantizableLinear"), ("nn.common_types", "_size_2_t"),
        ("nn.modules.module", "_IncompatibleKeys"), ("nn.modules.channelshuffle", "ChannelShuffle"),
        ("nn.utils.clip_grad", "clip_grad_norm_"), ("nn.utils.weight_norm", "WeightNorm"),
        ("nn.utils.convert_parameters", "parameters_to_vector"), ("nn.utils.fusion", "fuse_conv_bn_eval"),
        ("nn.parallel.data_parallel", "DataParallel"), ("nn.init", "_no_grad_uniform_"),
        ("nn.init", "_calculate_fan_in_and_fan_out"), ("nn.parameter", "is_lazy"),
        ("nn.modules.container", "ParameterDict"), ("utils.hooks", "RemovableHandle"),
    ):  # fmt: skip
        print(name, member, hasattr(importlib.import_module(f"{torch.__name__}.{name}"), member))
    attempt(lambda: torch.nn.Linear(1, 1).cuda())
    print(torch.nn.ReLU().cuda())
